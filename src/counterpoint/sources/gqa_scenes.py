"""Scenes of GQA: `train_sceneGraphs.json` and `val_sceneGraphs.json`, as the Stanford release has them."""

from collections.abc import Iterator
from pathlib import Path

from counterpoint.core.errors import SourceError
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.sources.records import Record, members, told
from counterpoint.sources.skips import Skips

NAMESPACE = "gqa"
_REASON = "a relation without a name, or to an object that is not there"


def scenes(path: Path, skips: Skips) -> Iterator[Scene]:
    """Every scene of a file; one that cannot be read is left out, and so are relations that lead nowhere."""
    for key, content in members(path):
        try:
            yield _scene(key, Record(content, f"{path.name}, image", key), skips)
        except SourceError as problem:
            skips.problem(problem)


def _scene(key: str, record: Record, skips: Skips) -> Scene:
    size = Size(record.number("width"), record.number("height"))
    objects, relations = [], []
    found = dict(record.members("objects", needed=True))
    for own, one in found.items():
        objects.append(SceneObject(own, one.text("name"), one.texts("attributes"), _box(one, size, skips)))
        for link in one.list("relations"):
            if (
                type(link) is dict
                and type(name := link.get("name")) is str
                and type(other := link.get("object")) is str
                and other in found
            ):
                relations.append(Link(own, name, other))
            else:
                skips.skip(_REASON, f"{one.place}: {told(link)}")
    return Scene(
        key,
        Picture(f"{NAMESPACE}:{key}.jpg"),
        size,
        tuple(objects),
        tuple(relations),
        record.text("location", ""),
        _weather(record),
    )


def _weather(record: Record) -> str:
    """A word; some files have an object with name and type in its place."""
    found = record.content.get("weather")
    return record.record("weather").text("name") if isinstance(found, dict) else record.text("weather", "")


def _box(one: Record, size: Size, skips: Skips) -> Box | None:
    """The box within the picture; one that lies outside, or has no width or height, is no box."""
    x, y, width, height = one.number("x"), one.number("y"), one.number("w"), one.number("h")
    left, top = max(x, 0), max(y, 0)
    right, bottom = min(x + width, size.width), min(y + height, size.height)
    if right <= left or bottom <= top:
        skips.skip("a box outside its picture", f"{one.place}: x={x}, y={y}, w={width}, h={height}")
        return None
    return Box(left, top, right - left, bottom - top)
