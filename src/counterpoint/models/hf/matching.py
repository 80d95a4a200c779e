"""Models with an image-text matching head: BLIP, BLIP-2, ViLT, VisualBERT, LXMERT."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from counterpoint.core.errors import CounterpointError, ModelError
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Pictures
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.heads import HEADS, HeadContext, HeadInputs, MatchingHead
from counterpoint.models.hf.picture_processing import group_by_shape, load_pictures
from counterpoint.models.hf.processors import TextTokenizer

CACHED_PICTURES = 256
"""Pictures of which is kept what the model made of them, those last context for."""


def make(
    checkpoint: Checkpoint, pictures: Pictures, *, head: str = "itm", regions: str = "", fits: int = 1, batch: int = 64
) -> "MatchingModel":
    """A model with a matching head; `head=itc` takes the cosine that BLIP and BLIP-2 have beside it.

    `regions` is a file of region features, for VisualBERT and LXMERT; `fits` is the index of the logit for a match: 1
    in the training code of all authors, also for VisualBERT, where transformers documents 0.
    """
    import transformers

    architecture = (checkpoint.config.architectures or [""])[0]
    if architecture not in HEADS:
        raise ModelError(f"{architecture or checkpoint.name} has no matching head", hint=f"one of {', '.join(HEADS)}")
    if head not in ("itm", "itc") or (head == "itc" and not architecture.startswith("Blip")):
        raise ModelError(f"{architecture} has no head {head!r}", hint="itm, or itc for BLIP and BLIP-2")
    if fits not in (0, 1) or batch < 1:
        raise ModelError(f"fits is {fits} and batch is {batch}", hint="fits is 0 or 1, and batch at least 1")
    context = HeadContext(checkpoint, pictures, head, regions, fits)
    model = checkpoint.weights(getattr(transformers, architecture))
    built, settings = HEADS[architecture](model, context)
    return MatchingModel(checkpoint, built, batch=batch, settings=["matching", *settings])


class MatchingModel:
    """Scores a text against a picture; the encoding of a picture is shared by all its texts."""

    needs_picture = True

    def __init__(self, checkpoint: Checkpoint, head: MatchingHead, *, batch: int, settings: Sequence[str]) -> None:
        self.fingerprint, self.former_fingerprints = checkpoint.identity(*settings)
        self.scale, self.batch_size = head.scale, batch
        self._place, self._head, self._texts = checkpoint.place, head, TextTokenizer.of(checkpoint)
        self._cache: OrderedDict[Picture | None, HeadInputs] = OrderedDict()

    def score(self, queries: Sequence[Query]) -> Floats:
        """One score per query; if a picture cannot be read, the others are encoded all the same."""
        import torch

        scores = np.empty(len(queries), np.float32)
        with torch.inference_mode():
            for start in range(0, len(queries), self.batch_size):
                batch = queries[start : start + self.batch_size]
                for places, numbers in list(self._scored(batch)):
                    scores[[start + place for place in places]] = numbers.float().cpu().numpy()
        return scores

    def _scored(self, queries: Sequence[Query]) -> Iterator[tuple[list[int], Any]]:
        """Pairs with pictures of one shape, sorted by text length."""
        seen, tokens = self._encoded(queries), self._texts.tokens([self._texts.full_text(query) for query in queries])
        shortest_first = sorted(range(len(tokens)), key=lambda place: len(tokens[place]["input_ids"]))
        shapes = {
            picture: tuple((name, tuple(tensor.shape)) for name, tensor in tensors.items())
            for picture, tensors in seen.items()
        }
        for places in group_pairs((shapes[queries[place].picture], place) for place in shortest_first).values():
            rows = [seen[queries[place].picture] for place in places]
            texts = self._texts.batch([tokens[place] for place in places], self._place)
            yield places, self._head.match(_rows(rows), texts)

    def _encoded(self, queries: Sequence[Query]) -> dict[Picture | None, HeadInputs]:
        """The encoding of each picture, from the cache where it is there."""
        failing: list[CounterpointError] = []
        encoded: dict[Picture | None, HeadInputs] = {}
        new: list[Picture | None] = []
        for picture in dict.fromkeys(query.picture for query in queries):
            if picture in self._cache:
                self._cache.move_to_end(picture)
                encoded[picture] = self._cache[picture]
            else:
                new.append(picture)
        for group in group_by_shape(load_pictures(self._head.look, new, failing), len(queries)):
            outputs = self._head.see([processed for _, processed in group])
            for place, (picture, _) in enumerate(group):
                encoded[picture] = self._cache[picture] = {name: tensor[place] for name, tensor in outputs.items()}
        while len(self._cache) > CACHED_PICTURES:
            self._cache.popitem(last=False)
        if failing:
            raise failing[0]
        return encoded


def _rows(inputs: Sequence[HeadInputs]) -> HeadInputs:
    import torch

    return {name: torch.stack([row[name] for row in inputs]) for name in inputs[0]}
