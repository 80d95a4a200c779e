"""Foils that a masked language model proposes for the gaps in a suite's texts."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Protocol

from counterpoint.lab.progress import ProgressCallback, track
from counterpoint.suites.suite import GAP, MASKED_LM, FoilProposals, Suite

_BATCH = 128  # texts


class FillMaskModel(Protocol):
    """A masked language model that ranks fillers for the gap of a text."""

    @property
    def fingerprint(self) -> str:
        """Its name, and what its proposals depend on."""
        ...

    def proposals(
        self, texts: Sequence[str], k: int, longest: int = 1, among: Collection[str] | None = None
    ) -> Sequence[Sequence[tuple[str, float]]]:
        """For each text those of the allowed fillers that are among the k likeliest, with their probabilities."""
        ...


def load_fill_mask(model: str | FillMaskModel) -> FillMaskModel:
    """The masked language model of a name or folder."""
    if not isinstance(model, str):
        return model
    from counterpoint.models.hf.text_models import MaskedLanguageModel  # imports torch

    return MaskedLanguageModel(model.removeprefix("hf/"))


def propose_foils(
    suite: Suite[Any, Any], model: FillMaskModel | None, items: Iterable[Any], progress: ProgressCallback
) -> tuple[Suite[Any, Any], dict[str, Any]]:
    """The suite with the foils that a model proposes for the gaps of its items, and what its manifest records of it."""
    if model is None or suite.proposals is None:
        return suite, {}
    how = suite.proposals
    gaps = [gap for item in items for gap in how.gaps(item) if gap.text.count(GAP) == 1]
    texts, allowed = sorted({gap.text for gap in gaps}), frozenset(gap.filler for gap in gaps)
    fillers = dict(track(_fill(texts, allowed, how, model), "proposing foils", progress, total=len(texts)))
    record = {"model": model.fingerprint, "proposals": how.top_k, "words": how.max_words}
    return suite.configured({MASKED_LM: fillers}), {MASKED_LM: record}


def _fill(
    texts: Sequence[str], allowed: Collection[str], how: FoilProposals, model: FillMaskModel
) -> Iterator[tuple[str, frozenset[str]]]:
    for start in range(0, len(texts), _BATCH):
        batch = texts[start : start + _BATCH]
        for text, ranked in zip(batch, model.proposals(batch, how.top_k, how.max_words, allowed), strict=True):
            yield text, frozenset(filler.lower() for filler, _ in ranked)
