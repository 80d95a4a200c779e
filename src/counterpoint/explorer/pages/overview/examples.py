"""The examples on the first page: three suites of a lab with a model that fails them, and one group of each.

One suite is failed most surely, on one the models differ most, and on one even the best model fails most.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from counterpoint.core.groups import Relation
from counterpoint.explorer.group_filters import browse_address
from counterpoint.explorer.group_parts import EntryLine, GroupEntry, group_entries, is_right
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.verdicts import INCONSISTENT
from counterpoint.store.outcomes.selection import GroupFilter, list_groups

FEWEST = 20
"""Pairs from which a suite is talked about."""

METRICS = ("self_consistency", "acc_r")
"""The metrics by which a pair passes."""

SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        Relation.SAME: "changes its answer though the question stays the same",
        Relation.DIFFERS: "gives one answer to a question and to its opposite",
        Relation.RANKS: "prefers a sentence that does not fit the picture",
    }
)
"""What a model does whose answers violate a relation."""


class SuiteFailures(Struct, frozen=True):
    """How many pairs of a suite a model fails, with the bounds of the share."""

    suite: str
    slug: str
    failed: int
    pairs: int
    low: float
    high: float


class FailingExample(Struct, frozen=True):
    """A model that fails a suite: what it does, how often, and a group in which it does."""

    model: str
    sentence: str
    count: str
    suite: str
    address: str
    entry: GroupEntry
    lines: tuple[EntryLine, ...]  # the base, and a variant that fails


def failing_examples(reader: LabReader, baselines: Iterable[str] = ()) -> tuple[FailingExample, ...]:
    """Return up to three examples, each of another suite; `baselines` are slugs of models that are not talked about."""
    shown, slugs = [], set(baselines)
    for case in _cases([case for case in _failures(reader) if case.slug not in slugs]):
        example = _example(reader, case)
        if example:
            shown.append(example)
    return tuple(shown)


def _failures(reader: LabReader) -> Iterator[SuiteFailures]:
    for (suite, test, metric, slug), row in reader.score_rows().items():
        if not test and metric in METRICS and row["low"] is not None and row["n"] >= FEWEST:
            failed = round((1 - row["value"]) * row["n"])
            yield SuiteFailures(suite, slug, failed, row["n"], 1 - row["high"], 1 - row["low"])


def _cases(failures: Sequence[SuiteFailures]) -> Iterator[SuiteFailures]:
    """Yield one case of each of three suites, if there are so many."""
    left = [case for case in failures if case.failed]
    surely = max(left, key=lambda case: (case.low, case.suite), default=None)
    if surely:
        yield surely
        left = [case for case in left if case.suite != surely.suite]
    suites = {case.suite: [other for other in left if other.suite == case.suite] for case in left}
    gaps = {suite: max(c.low for c in own) - min(c.high for c in own) for suite, own in suites.items()}
    if gaps:
        suite = max(gaps, key=lambda name: (gaps[name], name))
        yield max(suites.pop(suite), key=lambda case: (case.low, case.slug))
    hardest = {suite: min(own, key=lambda case: (case.failed / case.pairs, case.slug)) for suite, own in suites.items()}
    if hardest:
        yield max(hardest.values(), key=lambda case: (case.low, case.suite))


def _example(reader: LabReader, case: SuiteFailures) -> FailingExample | None:
    chosen = GroupFilter(model=case.slug, suite=case.suite, verdict="broken", browse="1")
    matches = list_groups(reader, chosen, 1)
    if not matches:
        chosen = GroupFilter(model=case.slug, suite=case.suite, verdict=INCONSISTENT, browse="1")
        matches = list_groups(reader, chosen, 1)
    if not matches or matches[0].relation not in SENTENCES:
        return None
    entry = group_entries(reader, matches, chosen)[0]
    failing = [line for line in entry.lines[1:] if not is_right(line.answer)]
    return FailingExample(
        lines=(entry.lines[0], *(failing or entry.lines[1:])[:1]),
        model=reader.model(case.slug).name,
        sentence=SENTENCES[matches[0].relation],
        count=f"{case.failed:,} of {case.pairs:,} pairs",
        suite=case.suite,
        address=browse_address(GroupFilter(model=case.slug, suite=case.suite, verdict=INCONSISTENT)),
        entry=entry,
    )
