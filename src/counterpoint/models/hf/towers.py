"""Two-tower models: CLIP, SigLIP, ALIGN and their kin, where a picture and a text meet only in a product."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from counterpoint.core.answers import Answer
from counterpoint.core.errors import CounterpointError, ModelError
from counterpoint.core.groups import Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Pictures, Placed, Scale
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.fitting import Fitter, alike, sent, shown, source
from counterpoint.models.hf.texts import Texts, words

PICTURES, TEXTS = 128, 256
"""How many go through a tower at once."""
KEPT, AT_ONCE = 2**16, 2**12
"""How many vectors of each tower are kept, and how many queries are looked at before any may be forgotten."""

Key = TypeVar("Key", bound=Hashable)


def make(checkpoint: Checkpoint, pictures: Pictures, *, template: str = "{}", batch: int = 0) -> "Towers":
    """A model with features of pictures and of texts; `template` is what is said around a text, as `a photo of {}`."""
    if "{}" not in template:
        raise ModelError(f"the template {template!r} has no place for a text", hint="write {} where it goes")
    return Towers(checkpoint, pictures, template=template, batch=batch)


class Vectors(Generic[Key]):
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
        return sent([np.array([self._rows[key] for key in keys], np.int64)], self._table.device)[0]

    def _grow(self, vectors: Any) -> None:
        held = 0 if self._table is None else len(self._table)
        if held < len(self._rows):
            table = vectors.new_empty((min(self._most, max(2 * held, 1024, len(self._rows))), vectors.shape[1]))
            if held:
                table[:held] = self._table
            self._table = table


class Towers:
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
        self._fitter, self._texts = Fitter.of(checkpoint), Texts.of(checkpoint)
        self._look = source(pictures, self._fitter.fit)
        self._seen, self._read = Vectors[Picture | None](KEPT), Vectors[str](KEPT)
        self.batch = batch or (1024 if checkpoint.place.startswith("cuda") else 64)

    @cached_property
    def fingerprint(self) -> str:
        """The name, and a digest of weights, processor, tokenizer, dtype and template."""
        return self._checkpoint.fingerprint("towers", self._template)

    @property
    def scale(self) -> Scale:
        """A probability where the model learned a bias, else a similarity."""
        return Scale.PROBABILITY if hasattr(self._model, "logit_bias") else Scale.SIMILARITY

    def score(self, queries: Sequence[Query]) -> Floats:
        """How well each text fits its picture; if a picture cannot be shown, the others are encoded all the same."""
        return self._gathered(queries, lambda some: self._concluded(self._pictures(some), self._sentences(some)))

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """The vectors of the pictures, of whatever length the model gives them."""
        return self._gathered(queries, self._pictures)

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """The vectors of the texts, likewise."""
        return self._gathered(queries, self._sentences)

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterator[Placed]:
        """Scores from vectors."""
        place = self._checkpoint.place
        scores = self._concluded(sent([picture], place)[0], sent([text], place)[0]).tolist()
        yield from ((number, Answer.scored(score)) for number, score in enumerate(scores[: len(queries)]))

    def _gathered(self, queries: Sequence[Query], ask: Callable[[Sequence[Query]], Any]) -> Floats:
        """What is made of queries; the device is not waited for before the last."""
        import torch

        with torch.inference_mode():
            found = [ask(queries[start : start + AT_ONCE]) for start in range(0, len(queries), AT_ONCE)]
            return np.asarray(torch.cat(found).cpu().numpy(), np.float32)

    def _pictures(self, queries: Sequence[Query]) -> Any:
        failing: list[CounterpointError] = []
        new = self._seen.missing(query.picture for query in queries)
        for some in alike(shown(self._look, new, failing), PICTURES):
            names, fitted = zip(*some, strict=True)
            inputs = self._fitter.batch(fitted, self._checkpoint.place, self._checkpoint.kind)
            self._seen.put(names, _vectors(self._model.get_image_features(**inputs)))
        if failing:
            raise failing[0]
        return self._seen.at([query.picture for query in queries])

    def _sentences(self, queries: Sequence[Query]) -> Any:
        said = [self._template.replace("{}", words(query)) for query in queries]
        new = self._read.missing(said)
        tokens = dict(zip(new, self._texts.tokens(new), strict=True)) if new else {}
        new.sort(key=lambda text: len(tokens[text]["input_ids"]))
        for start in range(0, len(new), TEXTS):
            some = new[start : start + TEXTS]
            inputs = self._texts.batch([tokens[text] for text in some], self._checkpoint.place)
            self._read.put(some, _vectors(self._model.get_text_features(**inputs)))
        return self._read.at(said)

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
