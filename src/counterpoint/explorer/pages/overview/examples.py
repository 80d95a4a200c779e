"""The examples on the first page: three suites of a lab with a model that fails them, and one group of each.

One suite is failed most surely, on one the models differ most, and on one even the best model fails most.
"""

from collections.abc import Iterable

from msgspec import Struct

from counterpoint.explorer.group_filters import browse_address
from counterpoint.explorer.group_parts import EntryLine, GroupEntry, group_entries, is_right
from counterpoint.lab.failing_suites import (
    SuiteFailures,
    contrasting_cases,
    failing_groups,
    failing_suites,
    tell_failure,
)
from counterpoint.lab.reader import LabReader


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
    examples = (_example(reader, case) for case in contrasting_cases(failing_suites(reader, baselines)))
    return tuple(example for example in examples if example)


def _example(reader: LabReader, case: SuiteFailures) -> FailingExample | None:
    matches = failing_groups(reader, case)
    if not matches:
        return None
    entry = group_entries(reader, matches, case.groups)[0]
    failing = [line for line in entry.lines[1:] if not is_right(line.answer)]
    return FailingExample(
        lines=(entry.lines[0], *(failing or entry.lines[1:])[:1]),
        model=reader.model(case.slug).name,
        sentence=tell_failure(reader, case, matches[0].relation),
        count=f"{case.failed:,} of {case.pairs:,} pairs",
        suite=case.suite,
        address=browse_address(case.groups),
        entry=entry,
    )
