"""Scenes of GQA: `train_sceneGraphs.json` and `val_sceneGraphs.json`, as the Stanford release has them."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from counterpoint.core.errors import SourceError
from counterpoint.core.pictures import Picture
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.sources.reading.boxes import box_of, size_of
from counterpoint.sources.reading.json_files import members
from counterpoint.sources.reading.json_record import Record, short_repr
from counterpoint.sources.reading.json_stream import Json
from counterpoint.sources.reading.skips import Skips

NAMESPACE = "gqa"
DANGLING = "a relation without a name, or to an object that is not there"
REMEDY = "the rest of the scene stays; is the file whole?"


def scenes(path: Path, skips: Skips) -> Iterator[Scene]:
    """Every scene of a file; what cannot be read is left out: a scene, an object, a relation that leads nowhere."""
    for key, content in members(path):
        try:
            yield _scene(key, Record(content, f"{path.name}, image", key), skips)
        except SourceError as problem:
            skips.problem(problem)


def _scene(key: str, record: Record, skips: Skips) -> Scene:
    if not key or key.isspace():
        raise SourceError(f"{record.place} has no id", hint="the key of a scene is the name of its picture")
    size = size_of(record)
    objects, listed = {}, []
    for own, content in record.mapping("objects", needed=True).items():
        try:
            one = Record(content, "object", own, record)
            relations = _relations(one)
            objects[own] = SceneObject(own, one.word("name"), one.texts("attributes"), box_of(one, size, skips))
            listed.append((one, relations))
        except SourceError as problem:
            skips.problem(problem)
    return Scene(
        key,
        Picture(f"{NAMESPACE}:{key}.jpg"),
        size,
        tuple(objects.values()),
        tuple(_links(listed, objects, skips)),
        record.text("location", ""),
        _weather(record),
    )


def _relations(one: Record) -> Iterable[Json]:
    """A list of names and objects; the page that describes the files shows an object of them instead."""
    found = one.content.get("relations")
    return found.values() if isinstance(found, dict) else one.list("relations")


def _links(
    listed: Iterable[tuple[Record, Iterable[Json]]], objects: Mapping[str, SceneObject], skips: Skips
) -> Iterator[Link]:
    for (one, relations), own in zip(listed, objects, strict=True):
        for relation in relations:
            if (
                type(relation) is dict
                and type(name := relation.get("name")) is str
                and name.strip()
                and type(other := relation.get("object")) is str
                and other in objects
            ):
                yield Link(own, name, other)
            else:
                skips.skip(DANGLING, f"{one.place}: {short_repr(relation)}", REMEDY)


def _weather(record: Record) -> str:
    """A word; some files have an object with name and type in its place."""
    found = record.content.get("weather")
    return record.record("weather").text("name") if isinstance(found, dict) else record.text("weather", "")
