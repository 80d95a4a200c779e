"""Two-tower models such as CLIP, SigLIP and ALIGN: the score is a product of two embeddings."""

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
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
_FutureTokens: TypeAlias = "Future[dict[str, TokenFields]]"
"""The tokens of some texts, by text."""


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
        """Cache the vectors of new keys; where that fails, the cache is emptied, as keys lack their vectors."""
        try:
            self._put(keys, vectors)
        except BaseException:
            self._rows.clear()
            raise

    def _put(self, keys: Sequence[Key], vectors: Any) -> None:
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
        self._next: Sequence[Query] = ()
        self._tokenizing: list[tuple[Set[str], _FutureTokens]] = []  # of the announced queries, and those before
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
        """Announce the next queries, which are tokenized now and encoded before the current scores are fetched."""
        self._next = queries[:CHUNK]
        texts = self._text_vectors.missing(self._prompted(self._next))
        self._tokenizing = [(set(texts), self._thread.submit(self._tokenize, texts)), *self._tokenizing[:1]]

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
        """Results for queries, fetched from the device after the next pictures and texts are submitted."""
        import torch

        with torch.inference_mode():
            results = torch.cat([ask(queries[start : start + CHUNK]) for start in range(0, len(queries), CHUNK)])
            fetched = fetch_async(results)
            ahead, self._next = self._next, ()
            with suppress(CounterpointError, torch.OutOfMemoryError):  # which are raised when these queries are asked
                shown = [picture for picture in _shown(ahead) if picture]
                self._encode_pairs(shown[:LOOKAHEAD], self._prompted(ahead))  # as many as keep the device busy
            return np.asarray(fetched().numpy(), np.float32)

    def _scores(self, queries: Sequence[Query]) -> Any:
        texts = self._prompted(queries)
        self._encode_pairs(_shown(queries), texts)
        return self._match(self._picture_vectors.at([query.picture for query in queries]), self._text_vectors.at(texts))

    def _pictures(self, queries: Sequence[Query]) -> Any:
        self._encode_pairs(_shown(queries), ())
        return self._picture_vectors.at([query.picture for query in queries])

    def _sentences(self, queries: Sequence[Query]) -> Any:
        texts = self._prompted(queries)
        self._encode_pairs((), texts)
        return self._text_vectors.at(texts)

    def _encode_pairs(self, pictures: Iterable[Picture | None], texts: Iterable[str]) -> None:
        """Encode the new ones among pictures and texts; texts as soon as they are tokenized."""
        new = self._text_vectors.missing(texts)
        tokens = self._tokens(new)
        encoding = self._encode_texts(new, tokens)
        for _ in self._encode_pictures(pictures):
            if all(future.done() for future in tokens):
                next(encoding, None)
        deque(encoding, maxlen=0)

    def _prompted(self, queries: Sequence[Query]) -> list[str]:
        if not any(query.context for query in queries):
            texts = [query.text for query in queries]
            return texts if self._template == "{}" else [self._template.replace("{}", text) for text in texts]

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

    def _tokens(self, texts: list[str]) -> list[_FutureTokens]:
        """The futures that hold the tokens of new texts; a thread tokenizes those that were not announced."""
        futures: list[_FutureTokens] = []
        for announced, future in reversed(self._tokenizing):
            late = [text for text in texts if text not in announced]
            futures += [future] if len(late) < len(texts) else []
            texts = late
        return [*futures, self._thread.submit(self._tokenize, texts)] if texts else futures

    def _encode_texts(self, texts: Sequence[str], futures: Iterable[_FutureTokens]) -> Iterator[None]:
        """Encode texts, a batch of one length per step."""
        tokens = dict[str, TokenFields]()
        for future in futures:
            tokens |= future.result()
        groups = group_pairs(((len(tokens[text]), len(tokens[text]["input_ids"])), text) for text in texts).values()
        for batch in (group[at : at + TEXT_BATCH] for group in groups for at in range(0, len(group), TEXT_BATCH)):
            inputs = self._texts.batch([tokens[text] for text in batch], self._checkpoint.place)
            self._text_vectors.put(batch, _vectors(self._model.get_text_features(**inputs)))
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


def _shown(queries: Sequence[Query]) -> list[Picture | None]:
    """The pictures of queries; those that share one are told by its identity, since to hash a picture takes longer."""
    return list({id(query.picture): query.picture for query in queries}.values())


def _vectors(output: Any) -> Any:
    """The vectors in the output of a tower."""
    return getattr(output, "pooler_output", output).float()
