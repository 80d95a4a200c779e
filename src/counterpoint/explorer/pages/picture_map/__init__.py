"""The map of a suite's pictures: similar ones are near to each other, and each shows whether a model fails on it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

import numpy as np
from msgspec import Struct

from counterpoint.core.ids import hex_id
from counterpoint.explorer.group_filters import group_address
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.pages.similar import NO_INDEX
from counterpoint.explorer.views import SelectBox, SelectOption
from counterpoint.lab.feature_index import IndexProgress, SuiteFeatures, plane_of
from counterpoint.lab.reader import LabReader
from counterpoint.store.outcomes.queries import pass_counts

MOST = 1200
"""Pictures that have a point; of more, every second, every third and so on."""

WIDTH, HEIGHT, EDGE = 1000, 560, 12
"""The size of the map, and its margin."""


class PicturePoint(Struct, frozen=True):
    """A picture on the map: how many groups it has, how many of them the model fails, and where the first is."""

    x: int
    y: int
    address: str
    query: str
    picture: str
    groups: int
    passing: int
    failing: int


@dataclass(frozen=True, slots=True)
class PictureMapView(PageView):
    """The pictures of a suite on a plane, by one model."""

    suite: str = ""
    model: str = ""
    here: str = ""
    encoder: str = ""
    choice: SelectBox | None = None
    progress: IndexProgress | None = None
    width: int = WIDTH
    height: int = HEIGHT
    points: tuple[PicturePoint, ...] = ()
    pictures: int = 0


def picture_map_view(reader: LabReader, request: PageRequest) -> PictureMapView:
    """The pictures of a suite, similar ones near to each other, and on which of them a model fails."""
    suite = reader.require_suite(request.path["suite"])
    answered = [model for model in reader.models() if reader.has_answers(suite, model.slug)]
    asked = request.values.get("model", "")
    model = reader.model(asked) if asked else next(iter(answered), None)
    here = f"/suites/{quote(suite)}/map"
    given = f"?{urlencode({'model': model.slug})}" if model else ""
    found = reader.features.suite(suite) if reader.features else NO_INDEX
    view = PictureMapView(
        title=f"Map of {suite}",
        sentence="Each mark is a picture; pictures with similar features are near to each other. A picture fails where "
        "the model fails any of its groups.",
        twin=f"{here}.json{given}",
        above=f"/suites/{quote(suite)}",
        suite=suite,
        model=model.name if model else "",
        here=here,
        encoder=reader.features.encoder if reader.features else "",
        choice=SelectBox("model", "Model", tuple(SelectOption(own.slug, own.name, own == model) for own in answered)),
    )
    if isinstance(found, IndexProgress):
        return replace(view, progress=found)
    counts = pass_counts(reader, suite, found.places.tolist(), model.slug) if model else {}
    return replace(view, points=_points(reader, suite, found, counts), pictures=len(found.pictures))


def _points(
    reader: LabReader, suite: str, features: SuiteFeatures, counts: Mapping[int, tuple[int, int]]
) -> tuple[PicturePoint, ...]:
    groups: dict[int, list[int]] = {}
    for picture, place in zip(features.picture_of.tolist(), features.places.tolist(), strict=True):
        groups.setdefault(picture, []).append(place)
    known = sorted(row for row in groups if row >= 0)
    chosen = known[:: -(-len(known) // MOST) or 1]
    plane = dict(zip(chosen, plane_of(features.pictures[chosen]), strict=True))
    shown = [row for row in chosen if not np.isnan(plane[row][0])]
    first = {row: max(groups[row], key=lambda place: (counts.get(place, (0, 0))[1], -place)) for row in shown}
    columns = ("row", "group_id", "query", "picture")
    rows = reader.rows_at(suite, [(place, 0) for place in sorted(first.values())], columns).to_pylist()
    bases = {row["row"]: row for row in rows}
    points = []
    for row in shown:
        base, own = bases[first[row]], [counts.get(place, (0, 0)) for place in groups[row]]
        points.append(
            PicturePoint(
                x=EDGE + round(float(plane[row][0]) * (WIDTH - 2 * EDGE)),
                y=HEIGHT - EDGE - round(float(plane[row][1]) * (HEIGHT - 2 * EDGE)),
                address=group_address(suite, hex_id(base["group_id"])),
                query=hex_id(base["query"]),
                picture=base["picture"],
                groups=len(own),
                passing=sum(passed for passed, _ in own),
                failing=sum(failed for _, failed in own),
            )
        )
    return tuple(sorted(points, key=lambda point: point.failing > 0))  # failures are drawn above the others
