"""The suites that models fail: how often, how surely, what the model does there, and groups in which it does.

What fails is a pair; in a lab of plain questions alone, which have no pairs, it is a question that is answered
incorrectly.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from counterpoint.core.groups import Relation
from counterpoint.core.quantities import counted
from counterpoint.lab.reader import LabReader
from counterpoint.language.word_diff import mark_changes
from counterpoint.metrics.verdicts import INCONSISTENT
from counterpoint.store.outcomes.selection import GroupFilter, GroupMatch, list_groups

FEWEST = 20
"""Pairs from which a suite is talked about."""

METRICS = ("self_consistency", "acc_r")
"""The metrics by which a pair passes."""

QUESTIONS = ("answer_accuracy",)
"""The metric by which a question passes."""

SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        Relation.SAME: "changes its answer though the question stays the same",
        Relation.DIFFERS: "gives one answer to a question and to its opposite",
        Relation.RANKS: "prefers a sentence that does not fit the picture",
    }
)
"""What a model does whose answers violate a relation."""

SAMPLE = 50
"""Failing groups in which the words are looked for that a model stumbles over."""

OFTEN = 3
"""Failing groups from which a word is named."""


@dataclass(frozen=True, slots=True)
class SuiteFailures:
    """How many pairs, or questions, of a suite a model fails, and its mean failure with bounds."""

    suite: str
    slug: str
    failed: int
    of: int
    share: float  # other than the count of the failed where credit is partial
    low: float
    high: float
    unit: str = "pair"  # or question

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdicts on groups that fail, those first that show it best."""
        return ("broken", INCONSISTENT) if self.unit == "pair" else ("wrong",)

    @property
    def groups(self) -> GroupFilter:
        """The groups that fail."""
        return GroupFilter(model=self.slug, suite=self.suite, verdict=self.verdicts[-1], browse="1")

    def sentence(self, relation: str) -> str:
        """What the model does in a group of a relation that fails; empty where there are no words for it."""
        return SENTENCES.get(relation, "") if self.unit == "pair" else "answers incorrectly"

    @property
    def count(self) -> str:
        """How many fail of how many."""
        return f"{self.failed:,} of {counted(self.of, self.unit)}"


def is_plain(reader: LabReader) -> bool:
    """Return whether a lab has plain questions alone, and no pairs."""
    return bool(reader.suites()) and not any(reader.contents(suite).relations for suite in reader.suites())


def failing_suites(reader: LabReader, baselines: Iterable[str] = ()) -> tuple[SuiteFailures, ...]:
    """Return every suite that a model fails at all, the surest first; `baselines` are slugs that are left out."""
    left_out, pairs = set(baselines), not is_plain(reader)
    metrics, fewest = (METRICS, FEWEST) if pairs else (QUESTIONS, 1)
    cases = [
        SuiteFailures(suite, slug, *_failed(reader, suite, slug, row, pairs=pairs))
        for (suite, test, metric, slug), row in reader.score_rows().items()
        if not test and metric in metrics and row["low"] is not None and row["n"] >= fewest and slug not in left_out
    ]
    return tuple(sorted((case for case in cases if case.failed), key=lambda case: (-case.low, case.suite, case.slug)))


def _failed(
    reader: LabReader, suite: str, slug: str, row: Mapping[str, Any], *, pairs: bool
) -> tuple[int, int, float, float, float, str]:
    """Return how many fail of how many, the mean failure with its bounds, and what is counted."""
    share, low, high = 1 - row["value"], 1 - row["high"], 1 - row["low"]
    if pairs:
        return round(share * row["n"]), row["n"], share, low, high, "pair"
    counts = Counter[str]()
    for own in reader.verdict_counts(suite, slug):
        counts[own.verdict] += own.groups
    return counts["wrong"], counts["wrong"] + counts["right"], share, low, high, "question"


def contrasting_cases(failures: Sequence[SuiteFailures]) -> Iterator[SuiteFailures]:
    """Yield one case of each of three suites: failed most surely, with the largest gap, and by the best model."""
    left = list(failures)
    if left:
        surely = left[0]
        yield surely
        left = [case for case in left if case.suite != surely.suite]
    suites = {case.suite: [other for other in left if other.suite == case.suite] for case in left}
    gaps = {suite: max(c.low for c in own) - min(c.high for c in own) for suite, own in suites.items()}
    if gaps:
        suite = max(gaps, key=lambda name: (gaps[name], name))
        yield max(suites.pop(suite), key=lambda case: (case.low, case.slug))
    hardest = {suite: min(own, key=lambda case: (case.share, case.slug)) for suite, own in suites.items()}
    if hardest:
        yield max(hardest.values(), key=lambda case: (case.low, case.suite))


def failing_groups(reader: LabReader, case: SuiteFailures, limit: int = 1) -> list[GroupMatch]:
    """Return groups that a model fails, those first whose base it has right; none of a relation without a sentence."""
    filters = (replace(case.groups, verdict=verdict) for verdict in case.verdicts)
    matches = {match.place: match for chosen in filters for match in list_groups(reader, chosen, limit)}
    return [match for match in matches.values() if case.sentence(match.relation)][:limit]


def frequent_words(reader: LabReader, case: SuiteFailures) -> tuple[str, ...]:
    """Return the changed words of variants that occur most often in the groups that a model fails, at most two."""
    matches = list_groups(reader, case.groups, SAMPLE)
    texts = reader.rows_at(case.suite, [(match.place, match.variants) for match in matches], ["text", "role"])
    groups: list[list[str]] = []
    for row in texts.to_pylist():
        groups.append([]) if row["role"] == 0 else None
        groups[-1].append(row["text"])
    counts = Counter(words for base, *variants in groups for words in set(_changed_words(base, variants)))
    return tuple(words for words, number in counts.most_common(2) if number >= max(OFTEN, len(groups) / 10))


def _changed_words(base: str, variants: Sequence[str]) -> Iterator[str]:
    for pieces in mark_changes(base, variants)[1:]:
        words = " … ".join(piece.text.strip() for piece in pieces if piece.changed)
        if words and len(words) <= 24:
            yield words


def tell_failure(reader: LabReader, case: SuiteFailures, relation: str) -> str:
    """Return what a model does in a suite, with the words that it most often does it at."""
    words = frequent_words(reader, case)
    at = f", most often at {' and '.join(f'“{word}”' for word in words)}" if words else ""
    return f"{case.sentence(relation)}{at}"
