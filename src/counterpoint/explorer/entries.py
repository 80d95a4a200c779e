"""Groups as a list shows them: a small picture, the texts that tell most, and what a model said to each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np

from counterpoint.core.ids import hex_id
from counterpoint.explorer.choices import Filter
from counterpoint.explorer.differences import marked
from counterpoint.explorer.groups import THRESHOLD, own_tags, said
from counterpoint.explorer.reading import Reading
from counterpoint.explorer.selections import Found, Key
from counterpoint.explorer.verdicts import VERDICTS
from counterpoint.explorer.views import Asked, Entry, Said

_MOST = 3  # texts of one group in a list
_COLUMNS = ("group_id", "test", "kind", "picture", "query", "text", "width", "height", "tags")


def entries(reading: Reading, found: Sequence[Found], chosen: Filter) -> list[Entry]:
    """The groups in their order, each with what its model said; rows of one suite and model are read together."""
    made: dict[Key, Entry] = {}
    for (suite, slug), own in groupby(sorted(found, key=_whose), key=_whose):
        made |= _entries(reading, suite, slug, list(own), chosen)
    return [made[one.key] for one in found]


def _whose(found: Found) -> tuple[str, str]:
    return found.suite, found.model


def _entries(reading: Reading, suite: str, slug: str, found: Sequence[Found], chosen: Filter) -> dict[Key, Entry]:
    rows = reading.rows_at(suite, [(one.place, one.variants) for one in found])
    every, _ = said(rows, reading.said_at(suite, slug, rows["row"].to_numpy().astype(np.int64)))
    lines = rows.select(_COLUMNS).to_pylist()
    made, start = {}, 0
    for one in found:
        end = start + one.variants + 1
        made[one.key] = _entry(one, lines[start:end], every[start:end], chosen)
        start = end
    return made


def _entry(found: Found, lines: Sequence[Mapping[str, Any]], every: Sequence[Said | None], chosen: Filter) -> Entry:
    first, names = lines[0], ["base", *(f"variant {number}" for number in range(1, len(lines)))]
    texts = marked(first["text"], [line["text"] for line in lines[1:]])
    new = ["", *map(" · ".join, own_tags([line["tags"] for line in lines])[1:])]  # tells equal texts apart
    own = [tags if line["text"] == first["text"] else "" for line, tags in zip(lines, new, strict=True)]
    asked = [Asked(*one) for one in zip(names, texts, every, own, strict=True)]
    ratio = first["height"] / first["width"] if first["width"] else 0.75
    suite, among = quote(found.suite), replace(chosen, of="" if chosen.model or not chosen.find else found.model)
    address = f"/suites/{suite}/groups/{hex_id(found.group_id)}"
    return Entry(
        group_id=hex_id(found.group_id),
        test=found.test,
        kind=found.kind,
        verdict=VERDICTS[found.verdict],
        about=" · ".join(filter(None, [found.test if found.test != found.suite else "", found.kind])),
        address=f"{address}?{urlencode(among.said())}" if among.said() else address,
        picture=f"/suites/{suite}/pictures/{hex_id(first['query'])}.png?width=320" if first["picture"] else "",
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
