"""Visual Genome: crowd-sourced objects, attributes and relations, in one file or in three."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from counterpoint.core.errors import SourceError
from counterpoint.core.pictures import Picture, Size
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.sources.dataset import DataSet, File, SplitFiles
from counterpoint.sources.formats.gqa import DANGLING, REMEDY
from counterpoint.sources.reading.json_files import KeyedJoin, elements
from counterpoint.sources.reading.json_stream import JsonValue
from counterpoint.sources.reading.records import LONGEST, Record, Skips, box_of, read_each, short_repr, size_of

NAMESPACE = "vg"
FOLDERS = ("VG_100K", "VG_100K_2")

ImageSizes: TypeAlias = Mapping[str, tuple[Size, str]]
"""Size and path of each picture, by its id."""


class AliasMaps(NamedTuple):
    """The name to use for each name that is an alias of it."""

    objects: Mapping[str, str]
    relations: Mapping[str, str]


def scenes(files: SplitFiles, skips: Skips) -> Iterator[Scene]:
    """Every scene, from `scene_graphs.json`, or from `objects.json` with what is said of each elsewhere.

    Names are in lower case, and an alias gives way to the name that stands first in its line. `image_data.json` has the
    sizes and the folders of the pictures; without it a picture is taken to reach as far as its boxes do, and to lie in
    the first folder.
    """
    names = AliasMaps(aliases(files.get("object aliases")), aliases(files.get("relation aliases")))
    pictures = files.get("pictures")
    entries = enumerate(elements(pictures) if pictures else ())
    sizes = dict(read_each(entries, "image_data.json, record", skips, _size))
    for key, record, relations in _graphs(files, skips):
        with skips:
            yield _scene(key, record, relations, sizes, names, skips)


def aliases(path: Path | None) -> dict[str, str]:
    """Each name with the one that stands first in its line, which is a list with commas."""
    if path is None:
        return {}
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise SourceError(f"{path.name} is no list of names: {problem}", hint="fetch the file again") from problem
    rows = [[name.strip().lower() for name in line.split(",") if name.strip()] for line in lines]
    return {name: row[0] for row in reversed(rows) for name in row}


def _size(record: Record) -> tuple[str, tuple[Size, str]]:
    return image_id(record), (size_of(record), picture_path(record))


def image_id(record: Record) -> str:
    """The number of a picture; early releases call it `id`."""
    return record.word("image_id" if "image_id" in record.content else "id")


def picture_path(record: Record) -> str:
    """Where a picture of `image_data.json` lies; its address tells which of the two folders it is in."""
    folder = next((name for name in FOLDERS if f"/{name}/" in record.text("url", "")), FOLDERS[0])
    return f"{folder}/{image_id(record)}.jpg"


def _graphs(files: SplitFiles, skips: Skips) -> Iterator[tuple[str, Record, Record]]:
    """Each picture's id, a record with its objects, and one with its relations."""
    if path := files.get("scene graphs"):
        yield from ((key, record, record) for key, record in _by_picture(path, skips))
        return
    objects, attributes, relations = (files.get(part) for part in ("objects", "attributes", "relations"))
    if objects is None:
        raise SourceError(
            "there is neither scene_graphs.json nor objects.json", hint="counterpoint data vg says what is expected"
        )
    attribute_join = KeyedJoin(_by_picture(attributes, skips)) if attributes else None
    relation_join = KeyedJoin(_by_picture(relations, skips)) if relations else None
    for key, record in _by_picture(objects, skips):
        words, links = attribute_join and attribute_join.take(key), relation_join and relation_join.take(key)
        if words:
            record = Record({**record.content, "attributes": words.content.get("attributes")}, record.place)
        yield key, record, links or Record({}, record.place)


def _by_picture(path: Path, skips: Skips) -> Iterator[tuple[str, Record]]:
    for number, content in enumerate(elements(path)):
        with skips:
            key = image_id(Record(content, f"{path.name}, record", number))
            yield key, Record(content, f"{path.name}, image", key)


def _scene(key: str, record: Record, relations: Record, sizes: ImageSizes, names: AliasMaps, skips: Skips) -> Scene:
    size, path = sizes.get(key) or (_extent(record), f"{FOLDERS[0]}/{key}.jpg")
    further_words = {
        entry.text("object_id", ""): _words(entry, "attributes") for entry in record.records("attributes")
    }  # of another file
    objects: dict[str, SceneObject] = {}
    merged: dict[str, str] = {}
    for number, content in enumerate(record.list("objects", needed=True)):
        with skips:
            entry = Record(content, "object", number, record)
            own = entry.word("object_id" if "object_id" in entry.content else "id")
            words = tuple(dict.fromkeys((*_words(entry, "attributes"), *further_words.get(own, ()))))
            objects[own] = SceneObject(own, _name(entry, names.objects), words, box_of(entry, size, skips))
            merged |= {str(other): own for other in entry.list("merged_object_ids")}
    links = tuple(_links(relations, {key: key for key in objects} | merged, names, skips))
    return Scene(key, Picture(f"{NAMESPACE}:{path}"), size, tuple(objects.values()), tuple(dict.fromkeys(links)))


def _extent(record: Record) -> Size:
    """The smallest size that contains every box."""
    width = height = 1
    for entry in record.records("objects", needed=True):
        width = max(width, entry.number("x", 0) + entry.number("w", 0))
        height = max(height, entry.number("y", 0) + entry.number("h", 0))
    return Size(min(width, LONGEST), min(height, LONGEST))


def _words(record: Record, name: str) -> tuple[str, ...]:
    return tuple(word for text in record.texts(name) if (word := text.strip().lower()))


def _name(record: Record, aliases: Mapping[str, str]) -> str:
    """The canonical form of its first name, its only name, or the word of its synset."""
    candidates = (*_words(record, "names"), record.text("name", "").strip().lower(), *_synset_words(record))
    name = next(filter(None, candidates), "")
    if not name:
        raise SourceError(f"{record.place} has no name", hint="an object has names, a name, or a synset")
    return aliases.get(name, name)


def _synset_words(record: Record) -> Iterator[str]:
    """The words of synsets, as in "clock.n.01", which early releases wrap in objects."""
    for synset in record.list("synsets"):
        text = synset.get("synset_name") if isinstance(synset, dict) else synset
        if isinstance(text, str):
            yield text.split(".")[0].replace("_", " ").lower()


def _links(record: Record, objects: Mapping[str, str], names: AliasMaps, skips: Skips) -> Iterator[Link]:
    for content in record.list("relationships"):
        with skips:
            relation = Record(content, "relation", None, record)
            predicate = relation.text("predicate", "").strip().lower() or next(_synset_words(relation), "")
            subject, to = objects.get(_end(relation, "subject")), objects.get(_end(relation, "object"))
            if predicate and subject and to:
                yield Link(subject, names.relations.get(predicate, predicate), to)
            else:
                skips.skip(DANGLING, f"{record.place}: {short_repr(content)}", REMEDY)


def _end(relation: Record, side: str) -> str:
    """The id of the object at one end of a relation, which is given by id or in full."""
    end: JsonValue = relation.content.get(side)
    return relation.record(side).text("object_id", "") if isinstance(end, dict) else relation.text(f"{side}_id", "")


_ORIGIN = "the Visual Genome site"


def _file(part: str, name: str) -> File:
    return File(part, {"all": (name,)}, _ORIGIN, needed=False)


visual_genome = DataSet(
    name="vg",
    title="Visual Genome",
    files=(
        _file("scene graphs", "scene_graphs.json"),
        _file("objects", "objects.json"),
        _file("attributes", "attributes.json"),
        _file("relations", "relationships.json"),
        _file("pictures", "image_data.json"),
        _file("object aliases", "object_alias.txt"),
        _file("relation aliases", "relationship_alias.txt"),
    ),
    read={"scenes": scenes},
    namespace=NAMESPACE,
    pictures=("images",),
    holds=FOLDERS,
    origin=f"{_ORIGIN}, images.zip and images2.zip",
    exhaustive="nothing for sure: what nobody annotated counts as absent where nothing annotated speaks against it",
)
