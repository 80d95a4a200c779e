"""Examples in the report: groups that models fail, with their pictures inside the file."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from counterpoint.core.errors import CounterpointError, shorten
from counterpoint.core.groups import Mode, State
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures
from counterpoint.lab.failing_suites import SuiteFailures, failing_groups, failing_suites, is_plain, tell_failure
from counterpoint.lab.picture_locations import find_worlds
from counterpoint.lab.reader import LabReader
from counterpoint.language.word_diff import TextPiece, mark_changes
from counterpoint.pictures.embedding import data_address
from counterpoint.reports.tables import ResultTable, percent_cell
from counterpoint.reports.templating import shorten_middle
from counterpoint.store.groups import read_queries
from counterpoint.store.outcomes.selection import GroupMatch

DOZEN = 12
"""Examples of a report."""

SURELY = 0.02
"""The lower bound of the share of failing pairs from which a failure is talked about."""

SIDE = 320
"""Pixels of the longer side of a picture."""

_ANSWER = 120  # characters


@dataclass(frozen=True, slots=True)
class ExampleLine:
    """A text of an example with what the model answered."""

    name: str
    text: tuple[TextPiece, ...]
    answer: str
    state: str  # of an answer that is no parsed answer
    is_right: bool | None  # None without gold or answer
    gold: str


@dataclass(frozen=True, slots=True)
class ReportExample:
    """A group that a model fails: what the model does in its suite, how often, and the pictures as data addresses."""

    model: str
    suite: str
    sentence: str
    count: str
    lines: tuple[ExampleLine, ...]
    pictures: tuple[str, ...]  # that of the base, and that of a variant that has another
    proof: str


def report_examples(reader: LabReader) -> tuple[ReportExample, ...]:
    """Return a dozen examples, or all there are: the surest failure of each suite, then further groups of the same."""
    failures = [
        case for case in failing_suites(reader, reader.baselines()) if case.low > SURELY or case.unit == "question"
    ]
    found = _first_matches(reader, failures)
    tables = [reader.rows_at(match.suite, [(match.place, match.variants)]) for _, match in found]
    addresses = [address for table in tables for address in table["picture"].to_pylist()]
    pictures = reader.lab.pictures(find_worlds(reader.lab, pa.table({"picture": pa.array(addresses, pa.string())})))
    return tuple(
        _example(reader, case, match, table, pictures) for (case, match), table in zip(found, tables, strict=True)
    )


def _first_matches(reader: LabReader, failures: Sequence[SuiteFailures]) -> list[tuple[SuiteFailures, GroupMatch]]:
    """Return a dozen groups of the surest cases: one of each suite, then of further models, then further groups."""
    first = {case.suite: case for case in reversed(failures)}
    cases = sorted(failures, key=lambda case: (case is not first[case.suite], -case.low))[:DOZEN]
    each = -(-DOZEN // len(cases)) if cases else 0
    found = [list(failing_groups(reader, case, each)) for case in cases]
    ranked = [(place, case, match) for case, own in zip(cases, found, strict=True) for place, match in enumerate(own)]
    ranked.sort(key=lambda entry: entry[0])
    return sorted(((case, match) for _, case, match in ranked[:DOZEN]), key=lambda own: cases.index(own[0]))


def failures_table(reader: LabReader) -> ResultTable | None:
    """Return where each model fails most surely, a line for each model, the worst first."""
    cases = {case.slug: case for case in reversed(failing_suites(reader, reader.baselines()))}
    rows = [
        (
            shorten_middle(reader.model(case.slug).name, 48),
            case.suite,
            case.sentence(matches[0].relation),
            f"{case.failed:,} of {case.of:,}",
            percent_cell(case.share, case.low, case.high),
        )
        for case in sorted(cases.values(), key=lambda case: -case.low)
        if (matches := failing_groups(reader, case))
    ]
    failing = "Questions that fail" if is_plain(reader) else "Pairs that fail"
    heads = ("Model", "Suite", "What it does", failing, "In per cent, lower is better")
    return ResultTable("", heads, rows, names=3) if rows else None


def _example(
    reader: LabReader, case: SuiteFailures, match: GroupMatch, table: pa.Table, pictures: Pictures
) -> ReportExample:
    rows, queries = table.to_pylist(), read_queries(table)
    answers = reader.answers_at(case.suite, case.slug, table["row"].to_numpy())
    texts = mark_changes(rows[0]["text"], [row["text"] for row in rows[1:]])
    lines = [_line(*line) for line in zip(rows, texts, answers, strict=True)]
    failing = next(
        (place for place, line in enumerate(lines) if place and line.is_right is False), min(1, len(rows) - 1)
    )
    shown = (0, failing) if failing else (0,)
    return ReportExample(
        model=reader.model(case.slug).name,
        suite=case.suite,
        sentence=tell_failure(reader, case, match.relation),
        count=f"{case.count} fail",
        lines=tuple(lines[place] for place in shown),
        pictures=tuple(_embed(dict.fromkeys(queries[place].picture for place in shown), pictures)),
        proof=rows[0]["proof"],
    )


def _line(row: Mapping[str, Any], text: tuple[TextPiece, ...], answer: Mapping[str, Any] | None) -> ExampleLine:
    said, state, right = "–", "", None
    if answer is not None:
        scored = row["mode"] == Mode.SCORE and answer["score"] is not None
        said = f"{answer['score']:.3f}" if scored else answer["value"] or answer["raw"] or "(empty)"
        state = "" if answer["state"] == State.OK else answer["state"]
        right = None if answer["correct"] is None else answer["correct"] >= 0.5
    gold = " / ".join(dict.fromkeys(option["answer"] for option in (row["gold"] or [])[:2]))
    return ExampleLine("base" if row["role"] == 0 else "variant", text, shorten(said, _ANSWER), state, right, gold)


def _embed(wanted: Sequence[Picture | None] | Mapping[Picture | None, None], pictures: Pictures) -> Iterator[str]:
    """Yield pictures as data addresses; what is not there, or cannot be decoded, is left out."""
    for picture in wanted:
        if picture is None:
            continue
        with suppress(CounterpointError):
            yield data_address(pictures.pixels(picture), SIDE)
