"""Two-tower models: CLIP, SigLIP, ALIGN and their kin, where a picture and a text meet only in a product."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from counterpoint.core.answers import Answer
from counterpoint.core.errors import CounterpointError, ModelError
from counterpoint.core.groups import Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Pictures, PlacedAnswer, Scale
from counterpoint.models.hf.checkpoint import Checkpoint, ModelIdentity
from counterpoint.models.hf.cuda_graphs import CudaGraphForward
from counterpoint.models.hf.picture_processing import (
    PictureProcessor,
    fetch_async,
    group_by_shape,
    load_pictures,
    picture_loader,
    stack_inputs,
    stack_on_device,
)
from counterpoint.models.hf.tokenizing import TextTokenizer, Tokens, drop_full_mask, full_text

PICTURE_BATCH, TEXT_BATCH, LOOKAHEAD = 128, 256, 256
"""How many go through a tower at once, and how many pictures are begun before they are asked for."""
CACHED_VECTORS, CHUNK = 2**16, 2**12
"""How many vectors of each tower are kept, and how many queries are looked at before any may be forgotten."""

Key = TypeVar("Key", bound=Hashable)


def make(checkpoint: Checkpoint, pictures: Pictures, *, template: str = "{}", batch: int = 0) -> "TwoTowerModel":
    """A model with features of pictures and of texts; `template` is what is said around a text, as `a photo of {}`."""
    if "{}" not in template:
        raise ModelError(f"the template {template!r} has no place for a text", hint="write {} where it goes")
    return TwoTowerModel(checkpoint, pictures, template=template, batch=batch)


class VectorCache(Generic[Key]):
    """Vectors as the rows of one table on the device; where it is full, those used longest ago make room."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._rows: OrderedDict[Key, int] = OrderedDict()
        self._table: Any = None

    def __len__(self) -> int:
        return len(self._rows)

    def missing(self, keys: Iterable[Key]) -> list[Key]:
        """The keys that have no vector yet, each once; all others are as good as new from now on."""
        found = dict.fromkeys(keys)
        for key in found:
            if key in self._rows:
                self._rows.move_to_end(key)
        return [key for key in found if key not in self._rows]

    def put(self, keys: Sequence[Key], vectors: Any) -> None:
        """Keep the vectors of new keys."""
        for key in keys:
            full = len(self._rows) == self._most
            self._rows[key] = self._rows.popitem(last=False)[1] if full else len(self._rows)
        self._grow(vectors)
        self._table[self._places(keys)] = vectors

    def at(self, keys: Sequence[Key]) -> Any:
        """The vectors of keys, a row each."""
        return self._table[self._places(keys)]

    def _places(self, keys: Sequence[Key]) -> Any:
        return stack_on_device([np.array([self._rows[key] for key in keys], np.int64)], self._table.device)[0]

    def _grow(self, vectors: Any) -> None:
        held = 0 if self._table is None else len(self._table)
        if held < len(self._rows):
            table = vectors.new_empty((min(self._most, max(2 * held, 1024, len(self._rows))), vectors.shape[1]))
            if held:
                table[:held] = self._table
            self._table = table


class TwoTowerModel:
    """Each picture and each text is encoded once, and kept; a score is the product of two vectors.

    Scores are what the model's own forward pass gives for a picture and a text: the cosine, times the scale that was
    learned; where a bias was learned as well, as for SigLIP, the probability that the two belong together.
    """

    def __init__(self, checkpoint: Checkpoint, pictures: Pictures, *, template: str = "{}", batch: int = 0) -> None:
        from transformers import AutoModel

        self._checkpoint, self._template = checkpoint, template
        self._model = checkpoint.weights(AutoModel)
        if not hasattr(self._model, "get_image_features") or not hasattr(self._model, "get_text_features"):
            kind = type(self._model).__name__
            raise ModelError(f"{checkpoint.name} is a {kind}, which has no features of pictures and of texts")
        self._fitter, self._texts = PictureProcessor.of(checkpoint), TextTokenizer.of(checkpoint)
        away = checkpoint.place.startswith("cuda")
        self._look = picture_loader(pictures, self._fitter.fit, in_processes=away and self._fitter.recipe is not None)
        self._replayed, self._thread = CudaGraphForward(self._forward), ThreadPoolExecutor(1, "tokens")
        self._next: list[Picture | None] = []
        self._seen, self._read = VectorCache[Picture | None](CACHED_VECTORS), VectorCache[str](CACHED_VECTORS)
        self.batch_size = batch or (1024 if away else 64)
        if away:
            self._warm_up()

    @property
    def fingerprint(self) -> str:
        """The model type, and a digest of weights, processor, tokenizer, dtype and template."""
        return self._identity.fingerprint

    @property
    def former_fingerprints(self) -> tuple[str, ...]:
        """The fingerprints of earlier releases."""
        return self._identity.former

    @cached_property
    def _identity(self) -> ModelIdentity:
        return self._checkpoint.identity("towers", self._template)

    @property
    def scale(self) -> Scale:
        """A probability where the model learned a bias, else a similarity."""
        return Scale.PROBABILITY if hasattr(self._model, "logit_bias") else Scale.SIMILARITY

    def expect(self, queries: Sequence[Query]) -> None:
        """What will be asked next: the device begins with its pictures before the scores asked for now are fetched."""
        self._next = list(dict.fromkeys(query.picture for query in queries))

    def score(self, queries: Sequence[Query]) -> Floats:
        """How well each text fits its picture; if a picture cannot be shown, the others are encoded all the same."""
        return self._gathered(queries, self._scores)

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """The vectors of the pictures, of whatever length the model gives them."""
        return self._gathered(queries, self._pictures)

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """The vectors of the texts, likewise."""
        return self._gathered(queries, self._sentences)

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Scores from vectors."""
        place = self._checkpoint.place
        scores = self._concluded(stack_on_device([picture], place)[0], stack_on_device([text], place)[0]).tolist()
        yield from ((number, Answer.scored(score)) for number, score in enumerate(scores[: len(queries)]))

    def _gathered(self, queries: Sequence[Query], ask: Callable[[Sequence[Query]], Any]) -> Floats:
        """What is made of queries; the device is not waited for before it has all of them, and more."""
        import torch

        with torch.inference_mode():
            found = torch.cat([ask(queries[start : start + CHUNK]) for start in range(0, len(queries), CHUNK)])
            fetched = fetch_async(found)
            self._look_ahead()
            return np.asarray(fetched().numpy(), np.float32)

    def _scores(self, queries: Sequence[Query]) -> Any:
        said = self._said(queries)
        new = self._read.missing(said)
        tokens = self._thread.submit(self._texts.tokens, new)
        reading = self._reading(new, tokens)
        for _ in self._looking([query.picture for query in queries]):
            if tokens.done():
                next(reading, None)
        for _ in reading:
            pass
        return self._concluded(self._seen.at([query.picture for query in queries]), self._read.at(said))

    def _pictures(self, queries: Sequence[Query]) -> Any:
        for _ in self._looking([query.picture for query in queries]):
            pass
        return self._seen.at([query.picture for query in queries])

    def _sentences(self, queries: Sequence[Query]) -> Any:
        said = self._said(queries)
        new = self._read.missing(said)
        for _ in self._reading(new, self._thread.submit(self._texts.tokens, new)):
            pass
        return self._read.at(said)

    def _said(self, queries: Sequence[Query]) -> list[str]:
        return [self._template.replace("{}", full_text(query)) for query in queries]

    def _looking(self, pictures: Iterable[Picture | None]) -> Iterator[None]:
        """Encode the pictures that are new, some at each step; one that cannot be shown is an error at the end."""
        failing: list[CounterpointError] = []
        for some in group_by_shape(load_pictures(self._look, self._seen.missing(pictures), failing), PICTURE_BATCH):
            inputs = stack_inputs([fitted for _, fitted in some], self._checkpoint.place)
            self._seen.put([picture for picture, _ in some], self._encode(inputs))
            yield
        if failing:
            raise failing[0]

    def _reading(self, new: list[str], made: "Future[list[Tokens]]") -> Iterator[None]:
        """Encode new texts, some at each step, those of one length together; a thread makes them tokens meanwhile."""
        by_shape: dict[tuple[int, int], list[tuple[str, Tokens]]] = {}
        for text, tokens in zip(new, map(drop_full_mask, made.result()), strict=True):
            by_shape.setdefault((len(tokens), len(tokens["input_ids"])), []).append((text, tokens))
        for some in (
            like[at : at + TEXT_BATCH] for like in by_shape.values() for at in range(0, len(like), TEXT_BATCH)
        ):
            inputs = self._texts.batch([tokens for _, tokens in some], self._checkpoint.place)
            self._read.put([text for text, _ in some], _vectors(self._model.get_text_features(**inputs)))
            yield

    def _look_ahead(self) -> None:
        """Begin with what comes next, as far as keeps the device busy; what cannot be shown is met when it is asked."""
        ahead, self._next = self._next[:LOOKAHEAD], []
        with suppress(CounterpointError):
            for _ in self._looking(picture for picture in ahead if picture):
                pass

    def _warm_up(self) -> None:
        """The first pass on a device takes seconds: it is made while the model is loaded, with nothing to see."""
        import torch

        nothing = self._fitter.fit(np.zeros((64, 64, 3), np.uint8))
        with torch.inference_mode():
            self._encode(stack_inputs([nothing] * PICTURE_BATCH, self._checkpoint.place))

    def _forward(self, inputs: Mapping[str, Any]) -> Any:
        return _vectors(self._model.get_image_features(**self._fitter.numbers(inputs, self._checkpoint.torch_dtype)))

    def _encode(self, inputs: Mapping[str, Any]) -> Any:
        """Many pictures of a fixed size by playing back how the first were encoded, all others as they come."""
        whole = self._fitter.recipe is not None and len(inputs["pixel_values"]) == PICTURE_BATCH
        return self._replayed(inputs) if whole else self._forward(inputs)

    def _concluded(self, picture: Any, text: Any) -> Any:
        from torch.nn.functional import cosine_similarity

        model, cosine = self._model, cosine_similarity(picture, text)
        if hasattr(model, "temperature"):
            return cosine / model.temperature.float()
        logits = cosine * model.logit_scale.float().exp()
        return (logits + model.logit_bias.float()).sigmoid() if hasattr(model, "logit_bias") else logits


def _vectors(found: Any) -> Any:
    """What a tower gives, whether it comes alone or among other things."""
    return getattr(found, "pooler_output", found).float()
