"""Models that choose from a fixed list of answers: ViLT from pixels, LXMERT and VisualBERT from region features."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from counterpoint.core.answers import Answer
from counterpoint.core.errors import ModelError, PictureError
from counterpoint.core.groups import Query
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Pictures, PlacedAnswer
from counterpoint.models.answer_distributions import AnswerDistribution, answer_in_trial, required_passes
from counterpoint.models.hf import dropout as dropping
from counterpoint.models.hf.checkpoint import Checkpoint, ModelIdentity
from counterpoint.models.hf.labels import AnswerLabels, read_labels
from counterpoint.models.hf.picture_encoders import (
    BoxedRegionEncoder,
    EncodedPicture,
    PatchEncoder,
    PictureEncoder,
    UnboxedRegionEncoder,
)

ARCHITECTURES = {
    "vilt": "ViltForQuestionAnswering",
    "lxmert": "LxmertForQuestionAnswering",
    "visual_bert": "VisualBertForQuestionAnswering",
}
"""The types of checkpoints that are classifiers, with the architecture of each."""


def make(
    checkpoint: Checkpoint,
    pictures: Pictures,
    *,
    regions: str = "",
    labels: str = "",
    tokenizer: str = "",
    top: int = 5,
    odds: str = "softmax",
    dropout: float = -1.0,
    batch: int = 64,
) -> "AnswerClassifier":
    """A classifier; it has stochastic passes if any of its layers drops units, or `dropout` lets them.

    `labels` is a file with the answers in the order of the outputs, and `tokenizer` the name of another checkpoint,
    for those that come without; `regions` is a file of region features, for LXMERT and VisualBERT. `odds` says
    what the probabilities are: `softmax`, shares of one among all answers, or among the choices of a query; `sigmoid`,
    each answer's own probability of being right, as ViLT and LXMERT were trained on VQA.
    """
    if odds not in ("softmax", "sigmoid"):
        raise ModelError(f"odds are {odds!r}", hint="they are softmax or sigmoid")
    if not (dropout == -1.0 or 0 <= dropout < 1):
        raise ModelError(f"dropout is {dropout}", hint="it is a share of units, such as 0.1")
    if top < 1 or batch < 1:
        raise ModelError(f"top is {top} and batch is {batch}", hint="both are at least 1")
    named = read_labels(checkpoint, labels)
    model = _model(checkpoint)
    sight = _sight(checkpoint, model, pictures, regions)
    if dropout != -1.0:
        dropping.set_dropout_rate(model, dropout)
    reader = WordEmbedder(checkpoint, model, tokenizer)
    settings = [f"top={top}", f"odds={odds}", *([sight.content] if sight.content else [])]
    settings += [f"dropout={dropout}"] * (dropout != -1.0)
    settings += [f"labels={hex_id(content_id(named))}"] * bool(labels)
    settings += [f"tokenizer={reader.content}"] * bool(tokenizer)
    kind = DropoutClassifier if dropping.dropout_rate(model) > 0 else AnswerClassifier
    said = AnswerLabels(named, top, odds)
    return kind(checkpoint.identity(*settings), model, sight, reader, said, batch=batch)


class AnswerClassifier:
    """Answers from a list; each picture is encoded once for all queries of a batch that share it."""

    def __init__(
        self,
        identity: ModelIdentity,
        model: Any,
        sight: PictureEncoder,
        reader: "WordEmbedder",
        labels: AnswerLabels,
        *,
        batch: int,
    ) -> None:
        (self.fingerprint, self.former_fingerprints), self.batch_size = identity, batch
        self._model, self._sight, self._reader, self._labels = model, sight, reader, labels
        self._kept: dict[Picture, EncodedPicture] = {}

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers with their positions; a query whose picture cannot be shown is an answer that says so."""
        for places, seen, failing in self._portions(queries):
            asked = [queries[place] for place in places]
            if asked:
                yield from zip(places, self._concluded(seen, self._reader.words(asked), asked), strict=True)
            yield from failing

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """The patches or regions of each picture, zeros after the last; one that cannot be shown is an error."""
        parts = [seen.parts for seen in self._required(queries)]
        return _array(_rows(parts, max(map(len, parts))))

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """The embedded words of each text, zeros after the last."""
        return _array(_rows(self._reader.words(queries), self._reader.most))

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers from features; how many of them count follows from the picture and the text of each query."""
        for start in range(0, len(queries), self.batch_size):
            asked = queries[start : start + self.batch_size]
            seen, read = [], []
            for place, (plain, words) in enumerate(
                zip(self._required(asked), self._reader.words(asked), strict=True), start
            ):
                seen.append(replace(plain, parts=_like(picture[place], plain.parts)))
                read.append(_like(text[place], words))
            yield from enumerate(self._concluded(seen, read, asked), start)

    def _portions(
        self, queries: Sequence[Query]
    ) -> Iterator[tuple[list[int], list[EncodedPicture], list[PlacedAnswer]]]:
        """Some queries at a time: their places and what was seen, and those that fail since nothing was."""
        for start in range(0, len(queries), self.batch_size):
            some = range(start, min(start + self.batch_size, len(queries)))
            found = self._look([queries[place] for place in some])
            pairs = [(place, one) for place, one in zip(some, found, strict=True) if isinstance(one, EncodedPicture)]
            failing = [
                (at, Answer.failed(why))
                for at, why in zip(some, found, strict=True)
                if not isinstance(why, EncodedPicture)
            ]
            yield [place for place, _ in pairs], [one for _, one in pairs], failing

    def _required(self, queries: Sequence[Query]) -> list[EncodedPicture]:
        found = self._look(queries)
        for one in found:
            if isinstance(one, PictureError):
                raise one
        return [one for one in found if isinstance(one, EncodedPicture)]

    def _look(self, queries: Sequence[Query]) -> list[EncodedPicture | PictureError]:
        """What is seen in the picture of each query; what was seen for the queries before is still known."""
        wanted = list(dict.fromkeys(query.picture for query in queries if query.picture is not None))
        found: dict[Picture, EncodedPicture | PictureError] = {
            one: self._kept[one] for one in wanted if one in self._kept
        }
        found |= dict(self._sight.look([picture for picture in wanted if picture not in found]))
        self._kept = {picture: seen for picture, seen in found.items() if isinstance(seen, EncodedPicture)}
        blind = PictureError("the query has no picture")
        return [blind if query.picture is None else found[query.picture] for query in queries]

    def _concluded(self, seen: Sequence[EncodedPicture], read: Sequence[Any], queries: Sequence[Query]) -> list[Answer]:
        """Answers to queries from what was seen and read."""
        logits = self._logits(seen, read)
        return [self._labels.answer(query, row) for query, row in zip(queries, logits, strict=True)]

    def _logits(self, seen: Sequence[EncodedPicture], read: Sequence[Any]) -> Floats:
        """What the labels get, a row for each query; rows are padded, and what is padded is masked."""
        import torch

        parts, words = [one.parts for one in seen], list(read)
        boxes = None if seen[0].boxes is None else _rows([one.boxes for one in seen])
        present, written = _mask(parts), _mask(words)
        with torch.inference_mode():
            output = self._model(
                inputs_embeds=_rows(words),
                attention_mask=written,
                token_type_ids=torch.zeros_like(written),
                **self._sight.inputs(_rows(parts), present, boxes),
            )
        return _array(output[0])


class DropoutClassifier(AnswerClassifier):
    """A classifier some of whose layers drop units, so that it has stochastic passes."""

    averages = True
    _last: tuple[Query | None, int, dict[int, AnswerDistribution | Answer]] = (None, 0, {})

    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[tuple[int, int, Answer]]:
        """Passes with dropout left on, one query at a time; trial 0 is the plain pass, a mean is one of its passes."""
        for places, seen, failing in self._portions(queries):
            for place, one in zip(places, seen, strict=True):
                made = self._passes(one, queries[place], required_passes(trials), seed)
                yield from ((place, trial, answer_in_trial(trial, made, self._labels.top)) for trial in trials)
            yield from ((place, trial, answer) for place, answer in failing for trial in trials)

    def _passes(
        self, seen: EncodedPicture, query: Query, trials: Sequence[int], seed: int
    ) -> dict[int, AnswerDistribution | Answer]:
        """What each pass says; those of the last query are still known, since a batch may end in the midst of them."""
        if self._last[:2] != (query, seed):
            self._last = query, seed, {}
        made = self._last[2]
        for trial in trials:
            if trial not in made:
                made[trial] = self._passed(seen, query, trial, seed)
        return made

    def _passed(self, seen: EncodedPicture, query: Query, trial: int, seed: int) -> AnswerDistribution | Answer:
        words = self._reader.words([query])
        if not trial:
            return self._labels.distribution(query, self._logits([seen], words)[0])
        with dropping.dropout_enabled(self._model, query, trial, seed):
            return self._labels.distribution(query, self._logits([seen], words)[0])


class WordEmbedder:
    """Texts as embedded words, cut where the model can read no more."""

    def __init__(self, checkpoint: Checkpoint, model: Any, tokenizer: str = "") -> None:
        self._tokenizer = checkpoint.tokenizer(tokenizer)
        self._embed = model.get_input_embeddings()
        self.most = min(int(model.config.max_position_embeddings), int(self._tokenizer.model_max_length))
        if len(self._tokenizer) > self._embed.num_embeddings:
            fact = f"the tokenizer knows {len(self._tokenizer):,} words, and the model {self._embed.num_embeddings:,}"
            raise ModelError(f"{checkpoint.name}: {fact}", hint="another tokenizer= may be meant")

    @property
    def content(self) -> str:
        """The words it knows, in short."""
        known = sorted(self._tokenizer.get_vocab().items(), key=lambda pair: pair[1])
        return hex_id(content_id([type(self._tokenizer).__name__, *(word for word, _ in known)]))

    def words(self, queries: Sequence[Query]) -> list[Any]:
        """For each text a tensor, words × numbers."""
        import torch

        rows = [self._numbers(query) for query in queries]
        with torch.inference_mode():
            found = self._embed(torch.tensor([n for row in rows for n in row], device=self._embed.weight.device))
        return list(found.split([len(row) for row in rows]))

    def _numbers(self, query: Query) -> list[int]:
        """What was said before comes first, and is cut from its beginning; a bare question is cut at its end."""
        self._tokenizer.truncation_side = "left" if query.context else "right"
        text = f"{query.context} {query.text}" if query.context else query.text
        return list(self._tokenizer(text, truncation=True, max_length=self.most)["input_ids"])


def _model(checkpoint: Checkpoint) -> Any:
    import transformers

    kind = checkpoint.config.model_type
    if kind not in ARCHITECTURES:
        fact = f"{checkpoint.name} is of the type {kind!r}, and no classifier of answers"
        raise ModelError(fact, hint=f"there are {', '.join(ARCHITECTURES)}")
    if getattr(checkpoint.config, "bypass_transformer", False):
        raise ModelError(f"{checkpoint.name} bypasses its transformer, and answers no questions that way")
    return checkpoint.weights(getattr(transformers, ARCHITECTURES[kind]))


def _sight(checkpoint: Checkpoint, model: Any, pictures: Pictures, regions: str) -> PictureEncoder:
    match checkpoint.config.model_type:
        case "lxmert":
            return BoxedRegionEncoder(checkpoint, model, regions)
        case "visual_bert":
            return UnboxedRegionEncoder(checkpoint, model, regions)
    if regions:
        raise ModelError(f"{checkpoint.name} looks at pixels, and reads no regions", hint="leave regions= away")
    return PatchEncoder(checkpoint, model, pictures)


def _rows(tensors: Sequence[Any], most: int = 0) -> Any:
    """Tensors one under the other, zeros after each."""
    import torch

    rows = torch.nn.utils.rnn.pad_sequence(list(tensors), batch_first=True)
    return torch.nn.functional.pad(rows, (0, 0, 0, most - rows.shape[1])) if most else rows


def _mask(tensors: Sequence[Any]) -> Any:
    """Ones where rows of such tensors hold something."""
    import torch

    ones = [torch.ones(len(tensor), dtype=torch.long, device=tensor.device) for tensor in tensors]
    return torch.nn.utils.rnn.pad_sequence(ones, batch_first=True)


def _like(features: Floats, tensor: Any) -> Any:
    """Features as a tensor of the same kind and length as another."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(features[: len(tensor)])).to(tensor)


def _array(tensor: Any) -> Floats:
    return np.asarray(tensor.float().cpu().numpy())
