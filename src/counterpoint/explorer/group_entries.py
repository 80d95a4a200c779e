"""Groups as a list shows them: a small picture, the texts that tell most, and what a model said to each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np

from counterpoint.core.ids import hex_id
from counterpoint.explorer.group_filters import (
    filter_parameters,
)
from counterpoint.explorer.pages.group import THRESHOLD, answer_view, own_tags
from counterpoint.explorer.views import AnswerView, EntryLine, GroupEntry
from counterpoint.lab.reader import LabReader
from counterpoint.language.word_diff import mark_changes
from counterpoint.metrics.verdicts import VERDICTS
from counterpoint.store.outcomes.selection import (
    GroupFilter,
    GroupKey,
    GroupMatch,
)

_MOST = 3  # texts of one group in a list
_COLUMNS = ("row", "picture", "query", "text", "width", "height", "tags", "mode")


def group_entries(reader: LabReader, found: Sequence[GroupMatch], chosen: GroupFilter) -> list[GroupEntry]:
    """The groups in their order, each with what its model said; the rows of a suite are read once for all models."""
    made: dict[GroupKey, GroupEntry] = {}
    for suite in dict.fromkeys(one.suite for one in found):
        made |= _entries(reader, suite, [one for one in found if one.suite == suite], chosen)
    return [made[one.key] for one in found]


def _entries(
    reader: LabReader, suite: str, found: Sequence[GroupMatch], chosen: GroupFilter
) -> dict[GroupKey, GroupEntry]:
    spans = sorted({(one.place, one.variants) for one in found})
    lines = {line["row"]: line for line in reader.rows_at(suite, spans, _COLUMNS).to_pylist()}
    made = {}
    for slug in dict.fromkeys(one.model for one in found):
        own = [one for one in found if one.model == slug]
        places = [place for one in own for place in range(one.place, one.place + one.variants + 1)]
        said = dict(zip(places, reader.answers_at(suite, slug, np.array(places, np.int64)), strict=True))
        for one in own:
            span = range(one.place, one.place + one.variants + 1)
            every = [_said(said[place], lines[place]["mode"]) for place in span]
            made[one.key] = _entry(one, [lines[place] for place in span], every, chosen)
    return made


def _said(line: Mapping[str, Any] | None, mode: str) -> AnswerView | None:
    return answer_view(line, line["correct"], mode) if line else None


def _entry(
    found: GroupMatch, lines: Sequence[Mapping[str, Any]], every: Sequence[AnswerView | None], chosen: GroupFilter
) -> GroupEntry:
    first, names = lines[0], ["base", *(f"variant {number}" for number in range(1, len(lines)))]
    texts = mark_changes(first["text"], [line["text"] for line in lines[1:]])
    new = ["", *map(" · ".join, own_tags([line["tags"] for line in lines])[1:])]  # tells equal texts apart
    own = [tags if line["text"] == first["text"] else "" for line, tags in zip(lines, new, strict=True)]
    asked = [EntryLine(*one) for one in zip(names, texts, every, own, strict=True)]
    ratio = first["height"] / first["width"] if first["width"] else 0.75
    suite, among = quote(found.suite), replace(chosen, focus="" if chosen.model or not chosen.browse else found.model)
    address = f"/suites/{suite}/groups/{hex_id(found.group_id)}"
    return GroupEntry(
        group_id=hex_id(found.group_id),
        test=found.test,
        kind=found.kind,
        verdict=VERDICTS[found.verdict],
        about=" · ".join(filter(None, [found.test if found.test != found.suite else "", found.kind])),
        address=f"{address}?{urlencode(filter_parameters(among))}" if filter_parameters(among) else address,
        picture=f"/suites/{suite}/pictures/{hex_id(first['query'])}.png?width=320" if first["picture"] else "",
        width=128,
        height=round(128 * ratio),
        lines=tuple(_telling(asked)),
        more=max(len(texts) - _MOST, 0),
    )


def _telling(asked: Sequence[EntryLine]) -> list[EntryLine]:
    """The base and the variants that tell most, those that went wrong before the others, in their order."""
    told = sorted(range(1, len(asked)), key=lambda place: (_went_well(asked[place].answer), place))
    return [asked[0], *(asked[place] for place in sorted(told[: _MOST - 1]))]


def _went_well(answer: AnswerView | None) -> bool:
    return answer is not None and answer.correct is not None and answer.correct >= THRESHOLD
