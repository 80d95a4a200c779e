"""Two-tower models such as CLIP, SigLIP and ALIGN: the score is a product of two embeddings."""

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from counterpoint.core.errors import CounterpointError, ModelError
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Answer, Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Pictures, PlacedAnswer, Scale, picture_loader
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.picture_processing import (
    PictureProcessor,
    fetch_async,
    group_by_shape,
    load_pictures,
    stack_inputs,
    stack_on_device,
)
from counterpoint.models.hf.processors import TextTokenizer, TokenFields, drop_full_mask

PICTURE_BATCH, TEXT_BATCH, LOOKAHEAD = 128, 1024, 256
"""Batch sizes of the two towers, and pictures encoded ahead."""
CACHED_VECTORS, CHUNK = 2**16, 2**12
"""Cached vectors per tower, and queries scored before any vector may be evicted."""

Key = TypeVar("Key", bound=Hashable)
_TokensByText: TypeAlias = "dict[str, Future[dict[str, TokenFields]]]"
"""For each text the future that holds its tokens."""


class CudaGraphForward:
    """A forward pass that is one launch on CUDA instead of hundreds; on other devices it runs as usual.

    The pass is recorded for the first inputs, and replayed for inputs of the same shapes. Results are bit-identical,
    since the same kernels run on the same numbers. A pass that cannot be recorded runs as usual.
    """

    def __init__(self, forward: Callable[[Mapping[str, Any]], Any]) -> None:
        self._forward = forward
        self._recorded: tuple[Mapping[str, Any], Any, Any] | None = None  # input buffers, graph, output buffer
        self._tried = False

    def __call__(self, inputs: Mapping[str, Any]) -> Any:
        """The output of the pass."""
        if not self._tried and all(tensor.is_cuda for tensor in inputs.values()):
            self._tried, self._recorded = True, self._record(inputs)
        if self._recorded is None:
            return self._forward(inputs)
        buffers, graph, output = self._recorded
        if any(tensor.shape != buffers[name].shape for name, tensor in inputs.items()):
            return self._forward(inputs)
        for name, tensor in inputs.items():
            buffers[name].copy_(tensor, non_blocking=True)
        graph.replay()
        return output.clone()

    def _record(self, inputs: Mapping[str, Any]) -> tuple[Mapping[str, Any], Any, Any] | None:
        import torch

        held = {name: tensor.clone() for name, tensor in inputs.items()}
        aside, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
        aside.wait_stream(torch.cuda.current_stream())
        try:
            with torch.cuda.stream(aside):
                self._forward(held)  # one-time work of a first pass must not be recorded
            torch.cuda.current_stream().wait_stream(aside)
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                output = self._forward(held)
        except RuntimeError:
            return None
        return held, graph, output


class VectorCache(Generic[Key]):
    """An LRU cache of vectors, as rows of one tensor on the device."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._rows: OrderedDict[Key, int] = OrderedDict()
        self._table: Any = None

    def __len__(self) -> int:
        return len(self._rows)

    def missing(self, keys: Iterable[Key]) -> list[Key]:
        """The keys without a vector, each once; the others count as used."""
        wanted = dict.fromkeys(keys)
        for key in wanted:
            if key in self._rows:
                self._rows.move_to_end(key)
        return [key for key in wanted if key not in self._rows]

    def put(self, keys: Sequence[Key], vectors: Any) -> None:
        """Cache the vectors of new keys."""
        for key in keys:
            full = len(self._rows) == self._most
            self._rows[key] = self._rows.popitem(last=False)[1] if full else len(self._rows)
        held = 0 if self._table is None else len(self._table)
        if held < len(self._rows):
            table = vectors.new_empty((min(self._most, max(2 * held, 1024, len(self._rows))), vectors.shape[1]))
            if held:
                table[:held] = self._table
            self._table = table
        self._table[self._places(keys)] = vectors

    def at(self, keys: Sequence[Key]) -> Any:
        """The vectors of keys, one row each."""
        return self._table[self._places(keys)]

    def _places(self, keys: Sequence[Key]) -> Any:
        return stack_on_device([np.array([self._rows[key] for key in keys], np.int64)], self._table.device)[0]


class TwoTowerModel:
    """Each picture and each text is encoded once and cached; a score is the product of two vectors.

    Scores are those of the model's forward pass: the cosine times the learned scale; with a learned bias, as in SigLIP,
    the probability of a match. `template` is put around a text, as in `a photo of {}`.
    """

    needs_picture = True

    def __init__(self, checkpoint: Checkpoint, pictures: Pictures, *, template: str = "{}", batch: int = 0) -> None:
        from transformers import AutoModel

        if "{}" not in template:
            raise ModelError(f"the template {template!r} has no slot for a text", hint="write {} where it goes")
        self.fingerprint, self.former_fingerprints = checkpoint.identity("towers", template)
        self._checkpoint, self._template = checkpoint, template
        self._model = checkpoint.weights(AutoModel)
        if not hasattr(self._model, "get_image_features") or not hasattr(self._model, "get_text_features"):
            kind = type(self._model).__name__
            raise ModelError(f"{checkpoint.name} is a {kind}, which has no features of pictures and of texts")
        self._processor, self._texts = PictureProcessor.of(checkpoint), TextTokenizer.of(checkpoint)
        away = checkpoint.place.startswith("cuda")
        self._load = picture_loader(
            pictures, self._processor.fit, in_processes=away and self._processor.recipe is not None
        )
        self._replay, self._thread = CudaGraphForward(self._forward), ThreadPoolExecutor(1, "tokens")
        self._next: list[Picture | None] = []
        self._tokenizing: tuple[_TokensByText, _TokensByText] = {}, {}  # of the announced queries, and those before
        self._picture_vectors = VectorCache[Picture | None](CACHED_VECTORS)
        self._text_vectors = VectorCache[str](CACHED_VECTORS)
        self.batch_size = batch or (2048 if away else 64)
        if away:
            self._warm_up()

    @property
    def scale(self) -> Scale:
        """A probability where the model learned a bias, else a similarity."""
        return Scale.PROBABILITY if hasattr(self._model, "logit_bias") else Scale.SIMILARITY

    def expect(self, queries: Sequence[Query]) -> None:
        """Announce the next queries, to tokenize their texts and encode their pictures before scores are fetched."""
        self._next = list(dict.fromkeys(query.picture for query in queries))
        texts = self._text_vectors.missing(self._prompted(queries))
        self._tokenizing = dict.fromkeys(texts, self._thread.submit(self._tokenize, texts)), self._tokenizing[0]

    def score(self, queries: Sequence[Query]) -> Floats:
        """One score per query; if a picture cannot be read, the others are encoded all the same."""
        return self._gather(queries, self._scores)

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """The vectors of the pictures, not normalized."""
        return self._gather(queries, self._pictures)

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """The vectors of the texts, likewise."""
        return self._gather(queries, self._sentences)

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Scores from vectors."""
        place = self._checkpoint.place
        scores = self._match(stack_on_device([picture], place)[0], stack_on_device([text], place)[0]).tolist()
        yield from ((number, Answer.scored(score)) for number, score in enumerate(scores[: len(queries)]))

    def _gather(self, queries: Sequence[Query], ask: Callable[[Sequence[Query]], Any]) -> Floats:
        """Results for queries, fetched from the device after the next pictures are submitted."""
        import torch

        with torch.inference_mode():
            results = torch.cat([ask(queries[start : start + CHUNK]) for start in range(0, len(queries), CHUNK)])
            fetched = fetch_async(results)
            ahead, self._next = self._next[:LOOKAHEAD], []  # as many as keep the device busy
            with suppress(CounterpointError):  # errors are raised when these pictures are asked for
                _drain(self._encode_pictures(picture for picture in ahead if picture))
            return np.asarray(fetched().numpy(), np.float32)

    def _scores(self, queries: Sequence[Query]) -> Any:
        texts = self._prompted(queries)
        tokens = self._tokens(self._text_vectors.missing(texts))
        encoding = self._encode_texts(tokens)
        for _ in self._encode_pictures([query.picture for query in queries]):
            if all(future.done() for future in tokens.values()):
                next(encoding, None)
        _drain(encoding)
        return self._match(self._picture_vectors.at([query.picture for query in queries]), self._text_vectors.at(texts))

    def _pictures(self, queries: Sequence[Query]) -> Any:
        _drain(self._encode_pictures([query.picture for query in queries]))
        return self._picture_vectors.at([query.picture for query in queries])

    def _sentences(self, queries: Sequence[Query]) -> Any:
        texts = self._prompted(queries)
        _drain(self._encode_texts(self._tokens(self._text_vectors.missing(texts))))
        return self._text_vectors.at(texts)

    def _prompted(self, queries: Sequence[Query]) -> list[str]:
        if not any(query.context for query in queries):
            return [self._template.replace("{}", query.text) for query in queries]

        def prompted() -> list[str]:
            return [self._texts.full_text(query, self._template) for query in queries]

        return self._thread.submit(prompted).result()  # which alone uses the tokenizer

    def _encode_pictures(self, pictures: Iterable[Picture | None]) -> Iterator[None]:
        """Encode the new pictures, a batch per step; one that cannot be read is an error at the end."""
        failing: list[CounterpointError] = []
        loaded = load_pictures(self._load, self._picture_vectors.missing(pictures), failing)
        for batch in group_by_shape(loaded, PICTURE_BATCH):
            inputs = stack_inputs([processed for _, processed in batch], self._checkpoint.place)
            self._picture_vectors.put([picture for picture, _ in batch], self._encode(inputs))
            yield
        if failing:
            raise failing[0]

    def _tokenize(self, texts: list[str]) -> dict[str, TokenFields]:
        return dict(zip(texts, map(drop_full_mask, self._texts.tokens(texts)), strict=True))

    def _tokens(self, texts: list[str]) -> _TokensByText:
        """The tokens to come of new texts; a thread tokenizes those that were not announced."""
        ahead, before = self._tokenizing
        late = [text for text in texts if text not in before and text not in ahead]
        now = dict.fromkeys(late, self._thread.submit(self._tokenize, late)) if late else {}
        return {text: before.get(text) or ahead.get(text) or now[text] for text in texts}

    def _encode_texts(self, tokenized: _TokensByText) -> Iterator[None]:
        """Encode texts, a batch of one length per step."""
        pairs = ((text, future.result()[text]) for text, future in tokenized.items())
        groups = group_pairs(
            ((len(tokens), len(tokens["input_ids"])), (text, tokens)) for text, tokens in pairs
        ).values()
        for batch in (group[at : at + TEXT_BATCH] for group in groups for at in range(0, len(group), TEXT_BATCH)):
            inputs = self._texts.batch([tokens for _, tokens in batch], self._checkpoint.place)
            self._text_vectors.put([text for text, _ in batch], _vectors(self._model.get_text_features(**inputs)))
            yield

    def _warm_up(self) -> None:
        """Run a first pass on a blank picture, since it takes seconds on CUDA."""
        import torch

        nothing = self._processor.fit(np.zeros((64, 64, 3), np.uint8))
        with torch.inference_mode():
            self._encode(stack_inputs([nothing] * PICTURE_BATCH, self._checkpoint.place))

    def _forward(self, inputs: Mapping[str, Any]) -> Any:
        return _vectors(self._model.get_image_features(**self._processor.numbers(inputs, self._checkpoint.torch_dtype)))

    def _encode(self, inputs: Mapping[str, Any]) -> Any:
        """Encode full batches of a fixed size by a CUDA graph, and all others directly."""
        whole = self._processor.recipe is not None and len(inputs["pixel_values"]) == PICTURE_BATCH
        return self._replay(inputs) if whole else self._forward(inputs)

    def _match(self, picture: Any, text: Any) -> Any:
        from torch.nn.functional import cosine_similarity

        model, cosine = self._model, cosine_similarity(picture, text)
        if hasattr(model, "temperature"):
            return cosine / model.temperature.float()
        logits = cosine * model.logit_scale.float().exp()
        return (logits + model.logit_bias.float()).sigmoid() if hasattr(model, "logit_bias") else logits


def _drain(steps: Iterable[None]) -> None:
    deque(steps, maxlen=0)


def _vectors(output: Any) -> Any:
    """The vectors in the output of a tower."""
    return getattr(output, "pooler_output", output).float()
