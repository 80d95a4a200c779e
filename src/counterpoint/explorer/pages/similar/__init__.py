"""Groups like one: those of its suite whose pictures, and those whose texts, are nearest to its own by features."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from msgspec import Struct

from counterpoint.core.errors import UnknownName
from counterpoint.core.ids import hex_id
from counterpoint.explorer.group_filters import group_address
from counterpoint.explorer.group_parts import thumbnail
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.responses import parse_id
from counterpoint.lab.feature_index import IndexProgress, SimilarPlace
from counterpoint.lab.reader import LabReader
from counterpoint.store.outcomes.queries import pass_counts

MOST = 6
"""Groups that are listed by picture, and by text."""

NO_INDEX = IndexProgress(0.0, "this server has no encoder")

_COLUMNS = ("row", "group_id", "query", "picture", "text", "width", "height")


class SimilarGroup(Struct, frozen=True):
    """A group that is like another, with how many models pass and fail it."""

    group_id: str
    address: str
    picture: str
    width: int
    height: int
    text: str
    similarity: float
    passing: int
    failing: int


@dataclass(frozen=True, slots=True)
class SimilarView(PageView):
    """The groups like one, or how far the index of its suite is."""

    suite: str = ""
    group_id: str = ""
    text: str = ""
    encoder: str = ""
    progress: IndexProgress | None = None
    by_picture: tuple[SimilarGroup, ...] = ()
    by_text: tuple[SimilarGroup, ...] = ()


def similar_view(reader: LabReader, request: PageRequest) -> SimilarView:
    """The groups of a suite that are most like one of them, by picture and by text."""
    suite, group_id = reader.require_suite(request.path["suite"]), parse_id(request.path["group"])
    rows = reader.group_rows(suite, group_id).slice(0, 1).to_pylist()
    if not rows:
        raise UnknownName("group", hex_id(group_id), [])
    place, here = rows[0]["place"], group_address(suite, hex_id(group_id))
    found = reader.features.suite(suite) if reader.features else NO_INDEX
    view = SimilarView(
        title="Groups like this one",
        sentence="Cosine similarity of features; under each group, how many models pass and fail it.",
        twin=f"{here}/similar.json",
        above=here,
        suite=suite,
        group_id=hex_id(group_id),
        text=rows[0]["text"],
        encoder=reader.features.encoder if reader.features else "",
    )
    if isinstance(found, IndexProgress):
        return replace(view, progress=found)
    return replace(
        view,
        by_picture=_groups(reader, suite, found.near_pictures(place, MOST)),
        by_text=_groups(reader, suite, found.near_texts(place, MOST)),
    )


def _groups(reader: LabReader, suite: str, near: Sequence[SimilarPlace]) -> tuple[SimilarGroup, ...]:
    places = [found.place for found in near]
    rows = {row["row"]: row for row in reader.rows_at(suite, [(place, 0) for place in places], _COLUMNS).to_pylist()}
    counts = pass_counts(reader, suite, places)
    groups = []
    for found in near:
        row = rows[found.place]
        picture, height = thumbnail(suite, row)
        group_id = hex_id(row["group_id"])
        groups.append(
            SimilarGroup(
                *(group_id, group_address(suite, group_id), picture, 128, height, row["text"], found.similarity),
                *counts.get(found.place, (0, 0)),
            )
        )
    return tuple(groups)
