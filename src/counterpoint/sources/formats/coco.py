"""COCO: boxes of 80 categories of objects in photographs, and five captions for each."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.placement import horizontal_placement, is_tiny, vertical_placement
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.sources.dataset import OWN, DataSet, File, SplitFiles
from counterpoint.sources.reading.json_files import object_keys, parts
from counterpoint.sources.reading.json_stream import JsonValue
from counterpoint.sources.reading.records import LONGEST, Record, Skips, clip_box, size_of, skip_box

NAMESPACE = "coco"
SPLITS = ("val2017", "train2017", "val2014", "train2014")
UNLISTED = "an annotation of a picture that is not listed"
UNNAMED = "an annotation of a category that is not listed"
_ORIGIN, _ANNOTATIONS = "the COCO site", "Train/Val annotations"
_LAST = 90, "toothbrush"  # of COCO's own categories; it does not annotate each driver in a car
_NOUN = re.compile(r"(?!(?:no|non|not|other|unknown|with|without)\b)[a-z](?:[a-z' -]*[a-z])?")
_WHOLE = "the rest is read; was the file put together from others?"


class _BoxAnnotation(NamedTuple):
    """One annotation, before the names of the categories are known: the official files have them last."""

    id: str
    category: int
    box: tuple[int, int, int, int] | None
    is_crowd: bool


class _Image(NamedTuple):
    """A picture, and the categories that its record marks, as LVIS does."""

    picture: Picture
    size: Size
    incomplete: tuple[int, ...]  # annotated, but not wherever they are visible
    absent: tuple[int, ...] | None  # surely; if given, all other categories without a box are open


def scenes(files: SplitFiles, skips: Skips) -> Iterator[Scene]:
    """Every picture with its boxes, in the order of the list of pictures, and with its captions where these are there.

    Relations are those of place that boxes prove; there are no attributes. The list of categories is exhaustive, but
    for what a category ("exhaustive": false) or a picture (`not_exhaustive_category_ids`, `neg_category_ids`) marks. A
    box around a crowd is an object too, so that a single object of the same name does not count as the only one.
    """
    path = files["instances"]
    images: dict[int, _Image] = {}
    names: dict[int, str] = {}
    exhaustive = set[int]()
    boxes: dict[int, list[_BoxAnnotation]] = {}
    for part, record in _records(path, skips, "images", "annotations", "categories"):
        with skips:
            if part == "images":
                images[record.number("id")] = _image(record, files.split)
            elif part == "categories":
                names[record.number("id")] = category_name(record.word("name"))
                exhaustive |= {record.number("id")} if record.content.get("exhaustive") is not False else set()
            else:
                boxes.setdefault(record.number("image_id"), []).append(_annotation(record, skips))
    texts = _captions_by_picture(files)
    listed, is_official = frozenset(names[number] for number in exhaustive), names.get(_LAST[0]) == _LAST[1]
    for number, image in images.items():
        own = boxes.pop(number, [])
        objects = tuple(_objects(path, own, names, image.size, skips))
        yield Scene(
            str(number),
            image.picture,
            image.size,
            objects,
            tuple(_placements(objects, image.size)),
            categories=_categories(image, own, names, exhaustive, listed),
            annotates_parts=not is_official,
            captions=texts.get(image.picture, ()),
        )
    for number, annotations in boxes.items():
        for annotation in annotations:
            skips.skip(UNLISTED, f"{path.name}, annotation {annotation.id}: image {number}", _WHOLE)


def category_name(name: str) -> str:
    """The name of a category as a noun; one that reads as none keeps underscores, so that nothing asks for it.

    >>> category_name("Hard_Hat"), category_name("without mask"), category_name("class_7")
    ('hard hat', 'without_mask', 'class_7')
    """
    words = " ".join(name.lower().replace("_", " ").split())
    return words if _NOUN.fullmatch(words) else words.replace(" ", "_")


def _image(record: Record, split: str) -> _Image:
    picture = Picture(f"{NAMESPACE}:{path_of(record, split)}")
    incomplete, absent = (_numbers(record, key) for key in ("not_exhaustive_category_ids", "neg_category_ids"))
    return _Image(picture, size_of(record), incomplete or (), absent)


def _numbers(record: Record, key: str) -> tuple[int, ...] | None:
    """The ids of a list, or None where there is no such list."""
    if record.content.get(key) is None:
        return None
    numbers = record.list(key)
    if not all(type(number) is int for number in numbers):
        raise record.wrong(key, "a list of ids")
    return tuple(numbers)


def _categories(
    image: _Image,
    boxes: Sequence[_BoxAnnotation],
    names: Mapping[int, str],
    exhaustive: set[int],
    listed: frozenset[str],
) -> frozenset[str]:
    """The names that are annotated wherever they are visible in a picture; the same set where nothing is marked."""
    if image.absent is None and not image.incomplete:
        return listed
    sure = exhaustive if image.absent is None else {*image.absent, *(box.category for box in boxes)} & exhaustive
    return frozenset(names[number] for number in sure.difference(image.incomplete) if number in names)


def _placements(objects: Sequence[SceneObject], size: Size) -> Iterator[Link]:
    """The relations of place to each object that is the only one of its name, as far as boxes prove them."""
    counts = Counter(thing.name for thing in objects)
    sure = [
        (thing, thing.box) for thing in objects if thing.box and not thing.is_crowd and not is_tiny(thing.box, size)
    ]
    for other, anchor in sure:
        for thing, box in sure if counts[other.name] == 1 else ():
            for place in (horizontal_placement(box, anchor, size), vertical_placement(box, anchor, size)):
                if place:
                    yield Link(thing.id, place, other.id)


def _captions_by_picture(files: SplitFiles) -> Mapping[Picture, tuple[str, ...]]:
    """What captions say of each picture; a file of captions is optional, and damage in it is said where it is read."""
    path, texts = files.get("captions"), dict[Picture, list[str]]()
    for caption in _captions(path, files.split, Skips()) if path else ():
        texts.setdefault(caption.picture, []).append(caption.text)
    return {picture: tuple(lines) for picture, lines in texts.items()}


def captions(files: SplitFiles, skips: Skips) -> Iterator[Caption]:
    """Every caption of a split."""
    return _captions(files["captions"], files.split, skips)


def captions_beside(files: SplitFiles, skips: Skips, expected: Sequence[File]) -> Iterator[Caption]:
    """Every caption in COCO's files beside those of a data set about its pictures."""
    there = [path for file in expected if (path := files.get(file.part))]
    if not there:
        fact = f"there is no {expected[0].names[files.split][0]}, which has COCO's captions"
        raise SourceError(fact, hint=f"{expected[0].origin} has it; put it beside the questions")
    for path in there:
        yield from _captions(path, path.stem.rpartition("_")[2], skips)


def caption_files(*folders: Mapping[str, str]) -> tuple[File, ...]:
    """COCO's files of captions, optional for data sets about its pictures, by split and folder."""
    return tuple(
        File(
            part,
            {split: (f"annotations/captions_{folder}.json",) for split, folder in own.items()},
            f"{_ORIGIN}, {_ANNOTATIONS}",
            needed=False,
            kinds=("captions",),
        )
        for part, own in zip(("captions", "further captions"), folders, strict=False)
    )


def _captions(path: Path, split: str, skips: Skips) -> Iterator[Caption]:
    """Every caption of a file; captions that precede the list of pictures are buffered."""
    pictures: dict[int, Picture] = {}
    waiting: list[tuple[int, str, str]] = []
    for part, record in _records(path, skips, "images", "annotations"):
        with skips:
            if part == "images":
                pictures[record.number("id")] = Picture(f"{NAMESPACE}:{path_of(record, split)}")
                continue
            image, own, text = record.number("image_id"), record.word("id"), record.word("caption").strip()
            if picture := pictures.get(image):
                yield Caption(own, picture, text)
            else:
                waiting.append((image, own, text))
    for image, own, text in waiting:
        if picture := pictures.get(image):
            yield Caption(own, picture, text)
        else:
            skips.skip(UNLISTED, f"{path.name}, annotation {own}: image {image}", _WHOLE)


def _records(path: Path, skips: Skips, *names: str) -> Iterator[tuple[str, Record]]:
    """The records in some lists of a file, each with the name of its list; a place is an id, or else a number."""
    numbers = dict.fromkeys(names, 0)
    for part, content in parts(path, *names):
        own = content.get("id") if isinstance(content, dict) else None
        with skips:
            yield part, Record(content, f"{path.name}, {part}", own if type(own) is int else numbers[part])
        numbers[part] += 1


def path_of(record: Record, split: str) -> str:
    """Where a picture lies: in the folder that its name or its address tells, or else in that of the split."""
    name = record.word("file_name").replace("\\", "/")  # some programs write it on Windows
    if "/" in name or split == OWN:
        return name
    if name.startswith("COCO_") and name.count("_") > 1:
        return f"{name.split('_')[1]}/{name}"
    folder = record.text("coco_url", "").removesuffix(f"/{name}").rpartition("/")[2]
    return f"{folder if folder in SPLITS else split}/{name}"


def _annotation(record: Record, skips: Skips) -> _BoxAnnotation:
    """One annotation; an object whose box cannot be read stays without a box, since its category is there."""
    own, box = record.text("id", str(record.key)), None
    category, is_crowd = record.number("category_id"), record.content.get("iscrowd") in (1, True)
    with skips:
        x, y, width, height = record.decimals("bbox", 4)
        if max(map(abs, (x, y, width, height))) > LONGEST:
            raise record.wrong("bbox", "a box in pixels")
        left, top, right, bottom = round(x), round(y), round(x + width), round(y + height)
        if width > 0 and height > 0:
            right, bottom = max(right, left + 1), max(bottom, top + 1)
        box = (left, top, right - left, bottom - top)
    return _BoxAnnotation(own, category, box, is_crowd)


def _objects(
    path: Path, annotations: list[_BoxAnnotation], names: dict[int, str], size: Size, skips: Skips
) -> Iterator[SceneObject]:
    """The objects of a picture; of two with the same id, one that differs from the first is an object too."""
    ids = Counter[str]()
    for annotation in dict.fromkeys(annotations):
        if (name := names.get(annotation.category)) is None:
            skips.skip(UNNAMED, f"{path.name}, annotation {annotation.id}: category {annotation.category}", _WHOLE)
            continue
        ids[annotation.id] += 1
        own = annotation.id if ids[annotation.id] == 1 else f"{annotation.id}-{ids[annotation.id]}"
        box: Box | None = clip_box(*annotation.box, size) if annotation.box else None
        if box is None and annotation.box:
            skip_box(f"{path.name}, annotation {annotation.id}: {annotation.box}", skips)
        yield SceneObject(own, name, (), box, annotation.is_crowd)


def part_of(path: Path) -> str:
    """What a file of any name holds in COCO's layout: instances, captions, or neither."""
    try:
        keys = {key for key, sign in object_keys(path) if sign == "["}
        records = parts(path, "annotations") if "annotations" in keys else iter([("", None)])
        first: JsonValue = next((content for _, content in records), {})
    except SourceError:
        return ""
    if "images" not in keys or not isinstance(first, dict):
        return ""
    return "captions" if "caption" in first else "instances" if "categories" in keys else ""


def _file(part: str, kind: str) -> File:
    names = {split: (f"annotations/{part}_{split}.json", f"annotations/{part}_*.json") for split in SPLITS}
    return File(part, names, f"{_ORIGIN}, {_ANNOTATIONS}", kinds=(kind,))


coco = DataSet(
    name="coco",
    title="COCO",
    files=(_file("instances", "scenes"), _file("captions", "captions")),
    read={"scenes": scenes, "captions": captions},
    namespace=NAMESPACE,
    pictures=("images",),
    holds=SPLITS,
    origin=f"{_ORIGIN}, images by split",
    withheld=("test2014", "test2015", "test2017"),
    exhaustive="its 80 categories, or those of a file of one's own; nothing else is ever taken to be absent",
    part_of=part_of,
)
