"""Answer classifiers with a fixed list of answers: ViLT on pixels, LXMERT and VisualBERT on region features."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from counterpoint.core.errors import ModelError, PictureError
from counterpoint.core.groups import Answer, Query
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Pictures, PlacedAnswer
from counterpoint.models.answer_distributions import (
    AnswerDistribution,
    AnswerLabels,
    answer_in_trial,
    read_labels,
    required_passes,
)
from counterpoint.models.hf.checkpoint import Checkpoint, ModelIdentity
from counterpoint.models.hf.picture_encoders import EncodedPicture, PatchEncoder, PatchOrRegionEncoder, RegionEncoder

ARCHITECTURES = {
    "vilt": "ViltForQuestionAnswering",
    "lxmert": "LxmertForQuestionAnswering",
    "visual_bert": "VisualBertForQuestionAnswering",
}
"""The model types of classifiers, with the architecture of each."""


RATES = ("p", "drop_prob", "dropout", "dropout_p", "dropout_prob", "attention_dropout")
"""The attributes in which layers keep the rate of their dropout; `p` is one of dropout layers alone."""


@contextmanager
def dropout_enabled(model: Any, query: Query, trial: int, seed: int) -> Iterator[None]:
    """One pass with dropout on, which depends on query, trial and seed alone.

    The pass must be of this one query, since the mask of a layer depends on the shape of its input. A pass that draws
    no random number had no dropout, and is an error.
    """
    import torch

    device = next(model.parameters()).device
    away = device.type != "cpu"
    with torch.random.fork_rng([device] if away else [], device_type=device.type if away else "cuda"):
        torch.manual_seed(content_id(["dropout", seed, hex_id(query.id), trial]))
        before = _random_state(device)
        for layer in _layers_with_dropout(model):
            layer.training = True
        try:
            yield
        finally:
            model.eval()
        if torch.equal(before, _random_state(device)):
            raise ModelError("the model has no dropout: a pass drew no mask", hint="leave out --trials")


def _random_state(device: Any) -> Any:
    import torch

    return torch.get_rng_state() if device.type == "cpu" else getattr(torch, device.type).get_rng_state(device)


def _dropout_rates(model: Any) -> Iterator[tuple[Any, str]]:
    """Layers that drop units, paths or attention, by themselves or by a function, with the attribute of their rate."""
    from torch.nn.modules.dropout import _DropoutNd

    for layer in model.modules():
        for name in RATES if isinstance(layer, _DropoutNd) else RATES[1:]:
            if isinstance(vars(layer).get(name), float):
                yield layer, name


def has_dropout(model: Any) -> bool:
    """Whether any layer has a rate of dropout above 0; a rate that is written into a function call is not known."""
    return any(getattr(layer, name) > 0 for layer, name in _dropout_rates(model))


def _layers_with_dropout(model: Any) -> list[Any]:
    """The layers with a rate, and their parents, which may apply it by a function.

    Other layers are left alone, since some change in training mode too.
    """
    layers = {layer for layer, name in _dropout_rates(model) if getattr(layer, name) > 0}
    return [layer for layer in model.modules() if layer in layers or not layers.isdisjoint(layer.children())]


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
    """A classifier; it has stochastic passes if a layer has a rate of dropout above 0, or `dropout` sets one.

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
    encoder = _encoder(checkpoint, model, pictures, regions)
    for layer, name in _dropout_rates(model) if dropout != -1.0 else ():
        setattr(layer, name, dropout)
    embedder = WordEmbedder(checkpoint, model, tokenizer)
    settings = [f"top={top}", f"odds={odds}", *([encoder.content] if encoder.content else [])]
    settings += [f"dropout={dropout}"] * (dropout != -1.0)
    settings += [f"labels={hex_id(content_id(named))}"] * bool(labels)
    settings += [f"tokenizer={embedder.content}"] * bool(tokenizer)
    kind = DropoutClassifier if has_dropout(model) else AnswerClassifier
    answer_labels = AnswerLabels(named, top, odds)
    return kind(checkpoint.identity(*settings), model, encoder, embedder, answer_labels, batch=batch)


class AnswerClassifier:
    """Answers from a list; each picture is encoded once for all queries of a batch that share it."""

    needs_picture = True

    def __init__(
        self,
        identity: ModelIdentity,
        model: Any,
        encoder: PatchOrRegionEncoder,
        embedder: "WordEmbedder",
        labels: AnswerLabels,
        *,
        batch: int,
    ) -> None:
        (self.fingerprint, self.former_fingerprints), self.batch_size = identity, batch
        self._model, self._encoder, self._embedder, self._labels = model, encoder, embedder, labels
        self._cache: dict[Picture, EncodedPicture] = {}

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers with their positions; a query whose picture cannot be read is a failed answer."""
        for places, seen, failing in self._portions(queries):
            asked = [queries[place] for place in places]
            if asked:
                yield from zip(places, self._answers(seen, self._embedder.words(asked), asked), strict=True)
            yield from failing

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """The patches or regions of each picture, zeros after the last; one that cannot be read is an error."""
        parts = [seen.parts for seen in self._required(queries)]
        return _array(_rows(parts, max(map(len, parts))))

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """The embedded words of each text, zeros after the last."""
        return _array(_rows(self._embedder.words(queries), self._embedder.most))

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers from features, cut to the number of parts and tokens that each query has."""
        for start in range(0, len(queries), self.batch_size):
            asked = queries[start : start + self.batch_size]
            seen, read = [], []
            for place, (plain, words) in enumerate(
                zip(self._required(asked), self._embedder.words(asked), strict=True), start
            ):
                seen.append(replace(plain, parts=_like(picture[place], plain.parts)))
                read.append(_like(text[place], words))
            yield from enumerate(self._answers(seen, read, asked), start)

    def _portions(
        self, queries: Sequence[Query]
    ) -> Iterator[tuple[list[int], list[EncodedPicture], list[PlacedAnswer]]]:
        """A batch at a time: positions and encoded pictures, and the failed answers."""
        for start in range(0, len(queries), self.batch_size):
            encoded: dict[int, EncodedPicture] = {}
            failed: list[PlacedAnswer] = []
            for place, result in enumerate(self._encoded(queries[start : start + self.batch_size]), start):
                if isinstance(result, PictureError):
                    failed.append((place, Answer.failed(result)))
                else:
                    encoded[place] = result
            yield list(encoded), list(encoded.values()), failed

    def _required(self, queries: Sequence[Query]) -> list[EncodedPicture]:
        """The encoded pictures; the first that cannot be read is raised."""
        encoded = []
        for result in self._encoded(queries):
            if isinstance(result, PictureError):
                raise result
            encoded.append(result)
        return encoded

    def _encoded(self, queries: Sequence[Query]) -> list[EncodedPicture | PictureError]:
        """The encoded picture of each query, cached from the batch before."""
        wanted = list(dict.fromkeys(query.picture for query in queries if query.picture is not None))
        results: dict[Picture, EncodedPicture | PictureError] = {
            picture: self._cache[picture] for picture in wanted if picture in self._cache
        }
        results |= dict(self._encoder.encode([picture for picture in wanted if picture not in results]))
        self._cache = {picture: result for picture, result in results.items() if isinstance(result, EncodedPicture)}
        blind = PictureError("the query has no picture")
        return [blind if query.picture is None else results[query.picture] for query in queries]

    def _answers(self, seen: Sequence[EncodedPicture], read: Sequence[Any], queries: Sequence[Query]) -> list[Answer]:
        """Answers from encoded pictures and embedded texts."""
        logits = self._logits(seen, read)
        return [self._labels.answer(query, row) for query, row in zip(queries, logits, strict=True)]

    def _logits(self, seen: Sequence[EncodedPicture], read: Sequence[Any]) -> Floats:
        """The logits of each query; rows are padded and masked."""
        import torch

        parts, words = [picture.parts for picture in seen], list(read)
        boxes = None if seen[0].boxes is None else _rows([picture.boxes for picture in seen])
        present, written = _mask(parts), _mask(words)
        with torch.inference_mode():
            output = self._model(
                inputs_embeds=_rows(words),
                attention_mask=written,
                token_type_ids=torch.zeros_like(written),
                **self._encoder.inputs(_rows(parts), present, boxes),
            )
        return _array(output[0])


class DropoutClassifier(AnswerClassifier):
    """A classifier with dropout, which has stochastic passes."""

    averages = True
    _last: tuple[Query | None, int, dict[int, AnswerDistribution | Answer]] = (None, 0, {})

    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[tuple[int, int, Answer]]:
        """Passes with dropout on, one query at a time; trial 0 is the plain pass."""
        for places, seen, failing in self._portions(queries):
            for place, picture in zip(places, seen, strict=True):
                results = self._passes(picture, queries[place], required_passes(trials), seed)
                yield from ((place, trial, answer_in_trial(trial, results, self._labels.top)) for trial in trials)
            yield from ((place, trial, answer) for place, answer in failing for trial in trials)

    def _passes(
        self, seen: EncodedPicture, query: Query, trials: Sequence[int], seed: int
    ) -> dict[int, AnswerDistribution | Answer]:
        """The result of each pass, cached for the last query, since a batch may end between its passes."""
        if self._last[:2] != (query, seed):
            self._last = query, seed, {}
        results = self._last[2]
        results.update((trial, self._passed(seen, query, trial, seed)) for trial in trials if trial not in results)
        return results

    def _passed(self, seen: EncodedPicture, query: Query, trial: int, seed: int) -> AnswerDistribution | Answer:
        with dropout_enabled(self._model, query, trial, seed) if trial else nullcontext():
            return self._labels.distribution(query, self._logits([seen], self._embedder.words([query]))[0])


class WordEmbedder:
    """Texts as token embeddings, truncated to the length of the model."""

    def __init__(self, checkpoint: Checkpoint, model: Any, tokenizer: str = "") -> None:
        self._tokenizer = checkpoint.tokenizer(tokenizer)
        self._embed = model.get_input_embeddings()
        self.most = min(int(model.config.max_position_embeddings), int(self._tokenizer.model_max_length))
        if len(self._tokenizer) > self._embed.num_embeddings:
            fact = f"the tokenizer knows {len(self._tokenizer):,} words, and the model {self._embed.num_embeddings:,}"
            raise ModelError(f"{checkpoint.name}: {fact}", hint="another tokenizer= may be meant")

    @property
    def content(self) -> str:
        """A digest of its vocabulary."""
        known = sorted(self._tokenizer.get_vocab().items(), key=lambda pair: pair[1])
        return hex_id(content_id([type(self._tokenizer).__name__, *(word for word, _ in known)]))

    def words(self, queries: Sequence[Query]) -> list[Any]:
        """For each text a tensor, tokens × width."""
        import torch

        rows = [self._numbers(query) for query in queries]
        with torch.inference_mode():
            embedded = self._embed(torch.tensor([n for row in rows for n in row], device=self._embed.weight.device))
        return list(embedded.split([len(row) for row in rows]))

    def _numbers(self, query: Query) -> list[int]:
        """The context comes first and is truncated at its start; a bare question is truncated at its end."""
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


def _encoder(checkpoint: Checkpoint, model: Any, pictures: Pictures, regions: str) -> PatchOrRegionEncoder:
    if checkpoint.config.model_type != "vilt":
        return RegionEncoder(checkpoint, model, regions)
    if regions:
        raise ModelError(f"{checkpoint.name} takes pixels, not regions", hint="leave regions= away")
    return PatchEncoder(checkpoint, model, pictures)


def _rows(tensors: Sequence[Any], most: int = 0) -> Any:
    """Tensors stacked, padded with zeros."""
    import torch

    rows = torch.nn.utils.rnn.pad_sequence(list(tensors), batch_first=True)
    return torch.nn.functional.pad(rows, (0, 0, 0, most - rows.shape[1])) if most else rows


def _mask(tensors: Sequence[Any]) -> Any:
    """The attention mask of such tensors."""
    import torch

    ones = [torch.ones(len(tensor), dtype=torch.long, device=tensor.device) for tensor in tensors]
    return torch.nn.utils.rnn.pad_sequence(ones, batch_first=True)


def _like(features: Floats, tensor: Any) -> Any:
    """Features as a tensor of the dtype, device and length of another."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(features[: len(tensor)])).to(tensor)


def _array(tensor: Any) -> Floats:
    return np.asarray(tensor.float().cpu().numpy())
