"""The referee put to work: every pair of a suite is judged, and what it does not agree with is told line by line."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from referee import Referee

from counterpoint import catalog
from counterpoint.core.groups import Group

CARETS = ("rephrase", "order", "ontology", "visual", "negation", "antonym")
"""The six tests of the paper."""
GRAY = (118, 113, 105)
"""A middle color, for a source whose pictures nobody has measured; no answer depends on it."""


@dataclass(slots=True)
class Judged:
    """How many pairs and questions were judged, and which of them the referee answers otherwise, or not at all."""

    pairs: int = 0
    questions: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, group: Group, referee: Referee) -> None:
        """Judge one group."""
        self.pairs += len(group.variants)
        self.kinds[group.kind] += len(group.variants)
        self.questions += len(group.queries)
        self.wrong += disagreements(group, referee)


def suite_named(name: str) -> Any:
    """One of the six tests, ready for any source."""
    suite = catalog.find("suites", name)
    return suite.configured({"means": GRAY}) if "means" in suite.options else suite


def judged(groups: Iterable[tuple[str, Group]], referee: Referee) -> Judged:
    """Every group judged."""
    found = Judged()
    for _, group in groups:
        found.add(group, referee)
    return found


def disagreements(group: Group, referee: Referee) -> Iterator[str]:
    """A line for each question of a group whose gold is not what the referee says."""
    for query, gold in zip(group.queries, group.gold, strict=True):
        assert query.picture, "every question is about a picture"
        assert gold, "every question has a right answer"
        verdict = referee.answer(query.picture.address, query.text)
        if not (verdict.answer and gold.credit(verdict.answer)):
            said = verdict.answer or verdict.problem
            yield f"{query.picture.address} {query.text} gold {gold.best}, referee {said}; {group.proof}"
