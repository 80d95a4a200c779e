"""Foils that a masked language model proposes: the model that is named, and what it is asked for a suite."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Protocol

from counterpoint import catalog
from counterpoint.cli.progress import counted
from counterpoint.core.errors import CounterpointError
from counterpoint.suites.suite import GAP, MASKED_LM, OPTIONS, FoilProposals, Suite

_AT_ONCE = 128  # gaps that are filled between two looks at the clock


class Filler(Protocol):
    """Who says what would fit into the gap of a text."""

    @property
    def fingerprint(self) -> str:
        """Its name, and what its proposals depend on."""
        ...

    def proposals(
        self, texts: Sequence[str], k: int, longest: int = 1, among: Collection[str] | None = None
    ) -> Sequence[Sequence[tuple[str, float]]]:
        """For each text those of certain fillers that are among the k likeliest, with how likely each is."""
        ...


def filler(name: str, suites: Iterable[str]) -> Filler | None:
    """The masked language model of a name or folder, if one is named; one of the suites must have a use for it."""
    if not name:
        return None
    if not any(MASKED_LM in catalog.find("suites", suite).options for suite in suites):
        fact = f"{', '.join(suites)} would ask no masked language model"
        raise CounterpointError(fact, hint=f"--masked-lm is for {OPTIONS[MASKED_LM].takers}")
    from counterpoint.models.hf.masked_lm import MaskedLanguageModel  # which wants torch

    return MaskedLanguageModel(name.removeprefix("hf/"))


def proposed(
    suite: Suite[Any, Any], asked: Filler | None, items: Iterable[Any]
) -> tuple[Suite[Any, Any], dict[str, Any]]:
    """A suite that takes what was proposed for the gaps of its items, and what its manifest says of who was asked."""
    if asked is None or suite.proposals is None:
        return suite, {}
    gaps = [gap for item in items for gap in suite.proposals.gaps(item) if gap.text.count(GAP) == 1]
    texts, known = sorted({gap.text for gap in gaps}), frozenset(gap.filler for gap in gaps)
    found = dict(counted(_filled(texts, known, suite.proposals, asked), "proposing foils", total=len(texts)))
    about = {"model": asked.fingerprint, "proposals": suite.proposals.top_k, "words": suite.proposals.max_words}
    return suite.configured({MASKED_LM: found}), {"masked_lm": about}


def _filled(
    texts: Sequence[str], known: Collection[str], how: FoilProposals, asked: Filler
) -> Iterator[tuple[str, frozenset[str]]]:
    for start in range(0, len(texts), _AT_ONCE):
        some = texts[start : start + _AT_ONCE]
        for text, own in zip(some, asked.proposals(some, how.top_k, how.max_words, known), strict=True):
            yield text, frozenset(said.lower() for said, _ in own)
