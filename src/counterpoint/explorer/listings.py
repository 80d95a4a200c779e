"""One suite of one model: its scores by test and kind, and its groups, filtered and in pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np

from counterpoint.core.ids import hex_id
from counterpoint.explorer import measures
from counterpoint.explorer.board_choices import BoardChoice
from counterpoint.explorer.breakdowns import finding, parts_by_kind
from counterpoint.explorer.choices import Filter
from counterpoint.explorer.differences import marked
from counterpoint.explorer.groups import THRESHOLD, own_tags, said
from counterpoint.explorer.leaderboards import scored_cell
from counterpoint.explorer.reading import Counted, Known, Reading
from counterpoint.explorer.selections import Found, Key, numbered
from counterpoint.explorer.verdicts import INCONSISTENT, VERDICTS
from counterpoint.explorer.views import (
    Asked,
    Chart,
    Choice,
    Column,
    Entry,
    Line,
    Option,
    Said,
    Select,
    SuiteOfModel,
)

PAGE = 25
"""How many groups a page lists."""

_MOST = 3  # texts of one group in a list


def suite_of_model(reading: Reading, suite: str, slug: str, query: Mapping[str, str]) -> SuiteOfModel:
    """The page of one suite of one model, as its address asks for it."""
    model, chosen = reading.model(slug), Filter.read(query, model=slug)
    here = f"/suites/{quote(reading.known_suite(suite))}/models/{quote(slug)}"
    counted = reading.counts(suite, slug)
    found = fitting(counted, test=chosen.test, kind=chosen.kind, verdict=chosen.verdict)
    page = min(max(_number(query.get("page", "")), 1), max(-(-found // PAGE), 1))
    shown = numbered(reading, replace(chosen, suite=suite), PAGE, (page - 1) * PAGE)
    columns = tuple(Column(suite, "", name, measures.label(name), measures.term(name)) for name in measures.MAIN)

    def address(number: int) -> str:
        asked = {**chosen.said(), **({"page": str(number)} if number > 1 else {})}
        asked.pop("model", None)
        return f"{here}?{urlencode(asked)}#groups" if asked else f"{here}#groups"

    return SuiteOfModel(
        view="suite",
        title=f"{suite} · {model.name}",
        sentence=_sentence(reading.sentence(suite)),
        twin=_asked(f"{here}.json", {**chosen.said(), "page": str(page)}),
        before=address(page - 1) if page > 1 else "",
        after=address(page + 1) if page * PAGE < found else "",
        above=BoardChoice((suite,)).address(),
        suite=suite,
        model=model.name,
        here=here,
        models=_models(reading, suite, slug),
        columns=columns,
        lines=_lines(reading, suite, model, columns, here),
        notes=_notes(reading, suite, model),
        chart=_chart(reading, suite, slug, here),
        choices=_choices(counted, chosen),
        groups=tuple(entries(reading, shown, chosen)),
        found=found,
        first=(page - 1) * PAGE + 1 if found else 0,
        last=(page - 1) * PAGE + len(shown),
    )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 1


def _sentence(text: str) -> str:
    says = f"{text[:1].upper()}{text[1:].rstrip('.')}. " if text else ""
    return f"{says}Share of pairs, in per cent, with 95 % intervals over pictures."


def _models(reading: Reading, suite: str, slug: str) -> tuple[Choice, ...]:
    path = f"/suites/{quote(suite)}/models"
    return tuple(Choice(model.name, f"{path}/{quote(model.slug)}", model.slug == slug) for model in reading.models())


def _lines(reading: Reading, suite: str, model: Known, columns: Iterable[Column], here: str) -> tuple[Line, ...]:
    found = []
    for test, kind in reading.slices(suite):
        cells = [scored_cell(reading, suite, model, column.measure, test=test, kind=kind) for column in columns]
        asked = urlencode({name: value for name, value in (("test", test), ("kind", kind)) if value})
        counted = max(cells, key=lambda cell: cell.n)
        found.append(
            Line(
                model.name,
                kind or test or "all",
                _detail(test, kind, several=len(reading.tests(suite)) > 1),
                tuple(cells),
                f"{here}?{asked}#groups" if asked else f"{here}#groups",
                counted.n,
                counted.clusters,
            )
        )
    return tuple(found)


def _detail(test: str, kind: str, *, several: bool) -> str:
    """What a line is cut from, where that is not said by its page."""
    if kind:
        return test if several else ""
    return "all kinds" if test else "all tests"


def _notes(reading: Reading, suite: str, model: Known) -> tuple[str, ...]:
    """What is not an answer, beside the scores: it counts as wrong, or not at all, and is said."""
    states = reading.states(suite, model.slug)
    total = sum(states.values())
    said = [f"{states[name]:,} {name}" for name in ("unparsed", "refused", "failed", "missing") if states.get(name)]
    if not said:
        return (f"All {total:,} queries were answered in form.",) if total else ()
    return (
        f"Of {total:,} queries: {', '.join(said)}. What is unparsed or refused is wrong; a pair with a failed or "
        "missing member is not counted.",
    )


def _chart(reading: Reading, suite: str, slug: str, here: str) -> Chart | None:
    found = parts_by_kind(reading, suite, slug)
    return Chart(finding(found), f"{here}.vl.json", f"{here}.svg") if found and reading.asked(suite, slug) else None


def _choices(counted: Sequence[Counted], chosen: Filter) -> tuple[Select, ...]:
    """Boxes for test, kind and verdict, each option with how many groups it would show."""

    def count(**changes: str) -> int:
        return fitting(counted, **({"test": chosen.test, "kind": chosen.kind, "verdict": chosen.verdict} | changes))

    def box(name: str, label: str, values: Iterable[tuple[str, str]], now: str) -> Select:
        options = [Option(value, text, value == now, count(**{name: value})) for value, text in values]
        return Select(name, label, tuple(one for one in options if one.count or one.chosen or not one.value))

    tests, kinds = sorted({one.test for one in counted}), sorted({one.kind for one in counted})
    named = [*VERDICTS.items(), (INCONSISTENT, INCONSISTENT)]
    boxes = (
        box("test", "Test", [("", "all tests"), *((one, one) for one in tests)], chosen.test),
        box("kind", "Kind", [("", "all kinds"), *((one, one) for one in kinds if one)], chosen.kind),
        box("verdict", "Verdict", [("", "any verdict"), *named], chosen.verdict),
    )
    return tuple(one for one in boxes if len(one.options) > 2 or one.name == "verdict")


def fitting(counted: Sequence[Counted], *, test: str = "", kind: str = "", verdict: str = "") -> int:
    """How many of the counted groups fit; what is empty fits all."""
    own = (one for one in counted if test in ("", one.test) and kind in ("", one.kind))
    if verdict == INCONSISTENT:
        return sum(one.inconsistent for one in own)
    return sum(one.groups for one in own if verdict in ("", one.verdict))


def entries(reading: Reading, found: Sequence[Found], chosen: Filter) -> list[Entry]:
    """Groups as a list shows them, each with what its model said; the rows of each suite are read together."""
    made: dict[Key, Entry] = {}
    for (suite, slug), own in groupby(sorted(found, key=_whose), key=_whose):
        made |= _entries(reading, suite, slug, list(own), chosen)
    return [made[one.key] for one in found]


def _whose(found: Found) -> tuple[str, str]:
    return found.suite, found.model


def _entries(reading: Reading, suite: str, slug: str, found: Sequence[Found], chosen: Filter) -> dict[Key, Entry]:
    rows = reading.rows_at(suite, [(one.place, one.variants) for one in found])
    every, _ = said(rows, reading.said_at(suite, slug, rows["row"].to_numpy().astype(np.int64)))
    lines = rows.select(["group_id", "test", "kind", "picture", "query", "text", "width", "height", "tags"]).to_pylist()
    made, start = {}, 0
    for one in found:
        end = start + one.variants + 1
        made[one.key] = _entry(suite, lines[start:end], every[start:end], one.verdict, chosen)
        start = end
    return made


def _entry(
    suite: str, lines: Sequence[Mapping[str, Any]], every: Sequence[Said | None], verdict: str, chosen: Filter
) -> Entry:
    first, names = lines[0], ["base", *(f"variant {number}" for number in range(1, len(lines)))]
    texts = marked(first["text"], [line["text"] for line in lines[1:]])
    new = ["", *map(" · ".join, own_tags([line["tags"] for line in lines])[1:])]  # tells equal texts apart
    own = [tags if line["text"] == first["text"] else "" for line, tags in zip(lines, new, strict=True)]
    asked = [Asked(*one) for one in zip(names, texts, every, own, strict=True)]
    ratio = first["height"] / first["width"] if first["width"] else 0.75
    return Entry(
        group_id=hex_id(first["group_id"]),
        test=first["test"],
        kind=first["kind"],
        verdict=VERDICTS[verdict],
        about=" · ".join(filter(None, [first["test"] if first["test"] != suite else "", first["kind"]])),
        address=_asked(f"/suites/{quote(suite)}/groups/{hex_id(first['group_id'])}", chosen.said()),
        picture=f"/suites/{quote(suite)}/pictures/{hex_id(first['query'])}.png?width=320" if first["picture"] else "",
        width=128,
        height=round(128 * ratio),
        lines=tuple(_telling(asked)),
        more=max(len(texts) - _MOST, 0),
    )


def _telling(asked: Sequence[Asked]) -> list[Asked]:
    """The base and the variants that tell most, those that went wrong before the others, in their order."""
    told = sorted(range(1, len(asked)), key=lambda place: (_went_well(asked[place].answer), place))
    return [asked[0], *(asked[place] for place in sorted(told[: _MOST - 1]))]


def _went_well(answer: Said | None) -> bool:
    return answer is not None and answer.correct is not None and answer.correct >= THRESHOLD


def _asked(path: str, said: Mapping[str, str]) -> str:
    return f"{path}?{urlencode(said)}" if said else path
