"""Scenes of GQA: `train_sceneGraphs.json` and `val_sceneGraphs.json`, as the Stanford release has them."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from counterpoint.core.errors import SourceError
from counterpoint.core.pictures import Picture
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.sources.reading.json_files import members
from counterpoint.sources.reading.json_record import Record, box_of, short_repr, size_of
from counterpoint.sources.reading.json_stream import Json
from counterpoint.sources.reading.skips import Skips

NAMESPACE = "gqa"
DANGLING = "a relation without a name, or to an object that is not there"
REMEDY = "the rest of the scene stays; is the file whole?"


def scenes(path: Path, skips: Skips) -> Iterator[Scene]:
    """Every scene of a file; scenes, objects and relations that cannot be read are skipped and counted."""
    for key, content in members(path):
        try:
            yield _scene(key, Record(content, f"{path.name}, image", key), skips)
        except SourceError as problem:
            skips.problem(problem)


def _scene(key: str, record: Record, skips: Skips) -> Scene:
    if not key or key.isspace():
        raise SourceError(f"{record.place} has no id", hint="the key of a scene is the name of its picture")
    size = size_of(record)
    objects, entries = {}, []
    for own, content in record.mapping("objects", needed=True).items():
        try:
            entry = Record(content, "object", own, record)
            relations = _relations(entry)
            objects[own] = SceneObject(own, entry.word("name"), entry.texts("attributes"), box_of(entry, size, skips))
            entries.append((entry, relations))
        except SourceError as problem:
            skips.problem(problem)
    return Scene(
        key,
        Picture(f"{NAMESPACE}:{key}.jpg"),
        size,
        tuple(objects.values()),
        tuple(_links(entries, objects, skips)),
        record.text("location", ""),
        _weather(record),
    )


def _relations(record: Record) -> Iterable[Json]:
    """The relations of an object: a list, or an object of them, as the documentation of GQA has it."""
    relations = record.content.get("relations")
    return relations.values() if isinstance(relations, dict) else record.list("relations")


def _links(
    entries: Iterable[tuple[Record, Iterable[Json]]], objects: Mapping[str, SceneObject], skips: Skips
) -> Iterator[Link]:
    for (record, relations), own in zip(entries, objects, strict=True):
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
                skips.skip(DANGLING, f"{record.place}: {short_repr(relation)}", REMEDY)


def _weather(record: Record) -> str:
    """A word; some files have an object with name and type in its place."""
    weather = record.content.get("weather")
    return record.record("weather").text("name") if isinstance(weather, dict) else record.text("weather", "")
