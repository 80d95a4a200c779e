"""The examples on the first page: three findings, each with a group that shows it.

Until findings are searched, and where they are fewer, suites with a model that fails them: one is failed most surely,
on one the models differ most, and on one even the best model fails most.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from counterpoint.core.quantities import counted
from counterpoint.explorer.group_filters import browse_address
from counterpoint.explorer.group_parts import EntryLine, GroupEntry, group_entries, is_right
from counterpoint.explorer.pages.findings import finding_view, findings_address
from counterpoint.lab.failing_suites import (
    SuiteFailures,
    contrasting_cases,
    failing_groups,
    failing_suites,
    tell_failure,
)
from counterpoint.lab.failures import FailedGroup
from counterpoint.lab.findings_index import ToldFinding
from counterpoint.lab.reader import LabReader
from counterpoint.reports.tables import p_text

MOST = 3
"""Examples that the page shows."""


class FailingExample(Struct, frozen=True):
    """What a model fails, how often or how surely, and a group in which it does."""

    model: str
    sentence: str
    about: str
    suite: str
    address: str
    entry: GroupEntry
    lines: tuple[EntryLine, ...]  # the base, and a variant that fails


def failing_examples(reader: LabReader, baselines: Sequence[str] = ()) -> tuple[FailingExample, ...]:
    """Return up to three examples; `baselines` are slugs of models that are not talked about."""
    told = reader.findings.told(baselines)
    key = ("examples", *((own.model.slug, own.finding.features) for own in told))
    return reader.cached(key, lambda: tuple(_examples(reader, told, baselines)))


def _examples(reader: LabReader, told: Sequence[ToldFinding], baselines: Sequence[str]) -> list[FailingExample]:
    pictures = set[str]()
    found = [_finding_example(reader, own, pictures) for own in told]
    if len(found) < MOST:
        cases = list(contrasting_cases(failing_suites(reader, baselines)))
        each = -(-MOST // len(cases)) if cases and cases[0].unit == "question" else 1
        found += [example for case in cases for example in _suite_examples(reader, case, each)]
    return [example for example in found if example][:MOST]


def _finding_example(reader: LabReader, told: ToldFinding, pictures: set[str]) -> FailingExample | None:
    """Return a finding with a group on another picture than those, where there is one, and add its picture to them."""
    shown = finding_view(reader, told.finding, told.model.slug)
    if not shown.examples:
        return None
    groups = {group.group_id: group for group in told.finding.examples}
    addresses = [_picture(groups[entry.group_id]) for entry in shown.examples]
    place = next((place for place, address in enumerate(addresses) if address not in pictures), 0)
    pictures.add(addresses[place])
    entry = shown.examples[place]
    about = f"p {p_text(shown.p)}, on {counted(shown.pictures, 'picture')}"
    suite, address = groups[entry.group_id].suite, findings_address(told.model.slug)
    return _example(told.model.name, told.words.rstrip("."), about, suite, address, entry)


def _picture(group: FailedGroup) -> str:
    """Return the address of the picture of the base."""
    picture = group.members[0].query.picture
    return picture.address if picture else ""


def _suite_examples(reader: LabReader, case: SuiteFailures, limit: int) -> Iterator[FailingExample]:
    """Yield groups of a suite that a model fails: one tells of pairs what is alike in all, questions differ."""
    matches = failing_groups(reader, case, limit)
    model, address = reader.model(case.slug).name, browse_address(case.groups)
    for match, entry in zip(matches, group_entries(reader, matches, case.groups), strict=True):
        sentence = tell_failure(reader, case, match.relation)
        yield _example(model, sentence, f"{case.suite}: {case.count}", case.suite, address, entry)


def _example(model: str, sentence: str, about: str, suite: str, address: str, entry: GroupEntry) -> FailingExample:
    failing = [line for line in entry.lines[1:] if not is_right(line.answer)]
    lines = (entry.lines[0], *(failing or entry.lines[1:])[:1])
    return FailingExample(model, sentence, about, suite, address, entry, lines)
