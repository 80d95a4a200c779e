"""COCO: boxes of 80 categories of objects in photographs, and five captions for each."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.sources.dataset import OWN, DataSet, File, SplitFiles
from counterpoint.sources.reading.json_files import object_keys, parts
from counterpoint.sources.reading.json_stream import Json
from counterpoint.sources.reading.records import LONGEST, Record, Skips, clip_box, size_of, skip_box

NAMESPACE = "coco"
SPLITS = ("val2017", "train2017", "val2014", "train2014")
UNLISTED = "an annotation of a picture that is not listed"
UNNAMED = "an annotation of a category that is not listed"
_ORIGIN, _ANNOTATIONS = "the COCO site", "Train/Val annotations"
_WHOLE = "the rest is read; was the file put together from others?"


class _BoxAnnotation(NamedTuple):
    """One annotation, before the names of the categories are known: the official files have them last."""

    id: str
    category: int
    box: tuple[int, int, int, int]


def scenes(files: SplitFiles, skips: Skips) -> Iterator[Scene]:
    """Every picture with its boxes, in the order of the list of pictures; there are no attributes and no relations.

    A box around a crowd is an object too, so that a single object of the same name does not count as the only one.
    """
    path = files["instances"]
    images: dict[int, tuple[Picture, Size]] = {}
    names: dict[int, str] = {}
    boxes: dict[int, list[_BoxAnnotation]] = {}
    for part, record in _records(path, skips, "images", "annotations", "categories"):
        with skips:
            if part == "images":
                picture = Picture(f"{NAMESPACE}:{path_of(record, files.split)}")
                images[record.number("id")] = picture, size_of(record)
            elif part == "categories":
                names[record.number("id")] = record.word("name").strip().lower()
            else:
                boxes.setdefault(record.number("image_id"), []).append(_annotation(record))
    for image, (picture, size) in images.items():
        objects = tuple(_objects(path, boxes.pop(image, []), names, size, skips))
        yield Scene(str(image), picture, size, objects)
    for image, annotations in boxes.items():
        for annotation in annotations:
            skips.skip(UNLISTED, f"{path.name}, annotation {annotation.id}: image {image}", _WHOLE)


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
    name = record.word("file_name")
    if "/" in name or split == OWN:
        return name
    if name.startswith("COCO_") and name.count("_") > 1:
        return f"{name.split('_')[1]}/{name}"
    folder = record.text("coco_url", "").removesuffix(f"/{name}").rpartition("/")[2]
    return f"{folder if folder in SPLITS else split}/{name}"


def _annotation(record: Record) -> _BoxAnnotation:
    x, y, width, height = record.decimals("bbox", 4)
    if max(map(abs, (x, y, width, height))) > LONGEST:
        raise record.wrong("bbox", "a box in pixels")
    left, top, right, bottom = round(x), round(y), round(x + width), round(y + height)
    if width > 0 and height > 0:
        right, bottom = max(right, left + 1), max(bottom, top + 1)
    return _BoxAnnotation(record.word("id"), record.number("category_id"), (left, top, right - left, bottom - top))


def _objects(
    path: Path, annotations: list[_BoxAnnotation], names: dict[int, str], size: Size, skips: Skips
) -> Iterator[SceneObject]:
    for annotation in {annotation.id: annotation for annotation in annotations}.values():
        if (name := names.get(annotation.category)) is None:
            skips.skip(UNNAMED, f"{path.name}, annotation {annotation.id}: category {annotation.category}", _WHOLE)
            continue
        box: Box | None = clip_box(*annotation.box, size)
        if box is None:
            skip_box(f"{path.name}, annotation {annotation.id}: {annotation.box}", skips)
        yield SceneObject(annotation.id, name, (), box)


def part_of(path: Path) -> str:
    """What a file of any name holds in COCO's layout: instances, captions, or neither."""
    try:
        keys = {key for key, sign in object_keys(path) if sign == "["}
        records = parts(path, "annotations") if "annotations" in keys else iter([("", None)])
        first: Json = next((content for _, content in records), {})
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
