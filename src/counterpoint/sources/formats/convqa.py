"""ConVQA: sets of questions about one picture whose answers follow from each other, by logic or by common sense."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import DataSet, File, SplitFiles
from counterpoint.sources.formats import visual_genome, vqa_layout
from counterpoint.sources.formats.vqa_layout import NO_PICTURE, NO_WORDS, skip_question
from counterpoint.sources.reading.json_files import elements, members
from counterpoint.sources.reading.json_stream import JsonValue
from counterpoint.sources.reading.records import Record, Skips, read_each, short_repr

_COCO = re.compile(r"(?:.*/)?COCO_(train2014|val2014)_([0-9]{1,12})\.jpg")


def logical(files: SplitFiles, skips: Skips) -> Iterator[Question]:
    """Every question of L-ConVQA: an object from the number of a picture of Visual Genome to a list of sets.

    A set is a list of records with question and answer. An id is made of the picture, the place of the set and the
    place in the set, as in "2342914-0-1"; the tag `set` is "2342914-0", which all questions of the set share.
    """
    listed = files.get("pictures")
    entries = enumerate(elements(listed) if listed else ())
    paths = dict(read_each(entries, "image_data.json, record", skips, _picture_path))
    for image, sets, place in _images(files["questions"], skips):
        if not (image.isascii() and image.isdecimal()):
            skip_question(skips, NO_PICTURE, place)
            continue
        path = paths.get(image, f"{visual_genome.FOLDERS[0]}/{image}.jpg")
        for number, pairs in enumerate(sets):
            where = f"{place}, set {number}"
            yield from _set(
                f"{image}-{number}", image, Picture(f"{visual_genome.NAMESPACE}:{path}"), pairs, where, skips
            )


def common_sense(files: SplitFiles, skips: Skips) -> Iterator[Question]:
    """Every question of CS-ConVQA: an object from the address of a picture of COCO to one set.

    A set is a list of pairs of question and answer, the first of which is of VQA v2 and the others follow from it. An
    id is made of the picture and the place in the set, as in "543385-0"; the tag `set` is the picture. Those of the
    test are the ones whose pictures `highlevel_test_split.json` lists.
    """
    kept = set(map(str, elements(files["split"]))) if files.split == "test" else None
    for address, pairs, place in _images(files["questions"], skips):
        if kept is not None and address not in kept:
            continue
        match = _COCO.fullmatch(address)
        picture = match and vqa_layout.coco_picture(match[2], match[1])
        if match is None or picture is None:
            skip_question(skips, NO_PICTURE, place)
        else:
            image = str(int(match[2]))
            yield from _set(image, image, picture, pairs, place, skips)


def _images(path: Path, skips: Skips) -> Iterator[tuple[str, Sequence[JsonValue], str]]:
    """What the file has for each picture, which is a list, and where."""
    for image, sets in members(path):
        place = f"{path.name}, image {image}"
        if isinstance(sets, list):
            yield image, sets, place
        else:
            skips.problem(SourceError(f"{place} is {short_repr(sets)}, not a list"))


def _set(stem: str, image: str, picture: Picture, pairs: JsonValue, where: str, skips: Skips) -> Iterator[Question]:
    if not isinstance(pairs, list):
        skips.problem(SourceError(f"{where} is {short_repr(pairs)}, not a list", hint="a set is a list of questions"))
        return
    for number, pair in enumerate(pairs):
        if isinstance(pair, list) and len(pair) == 2:  # others have a record in its place
            pair = {"question": pair[0], "answer": pair[1]}
        with skips:
            record = Record(pair, f"{where}, question", number)
            if not (text := record.text("question", "")).strip():
                skip_question(skips, NO_WORDS, record.place)
                continue
            answer = record.word("answer")
            kind = "yes/no" if answer in ("yes", "no") else "number" if answer.isdecimal() else "other"
            tags = (("set", stem),)
            yield Question(f"{stem}-{number}", picture, text, Gold.of(answer), kind=kind, scene=image, tags=tags)


def _picture_path(record: Record) -> tuple[str, str]:
    return visual_genome.image_id(record), visual_genome.picture_path(record)


_SITE = "the ConVQA page"

l_convqa = DataSet(
    name="l-convqa",
    title="L-ConVQA",
    files=(
        File("questions", {"test": ("cleaned_Logical_ConVQA_test.json",)}, f"{_SITE}, cleaned logical test set"),
        File("pictures", {"test": ("image_data.json",)}, "the Visual Genome site", needed=False),
    ),
    read={"questions": logical},
    namespace=visual_genome.NAMESPACE,
    holds=visual_genome.FOLDERS,
    origin="the Visual Genome site, images.zip and images2.zip",
)

cs_convqa = DataSet(
    name="cs-convqa",
    title="CS-ConVQA",
    files=(
        File(
            "questions",
            dict.fromkeys(("test", "all"), ("CommonSense_ConVQA_consistent.json",)),
            f"{_SITE}, consistent sets by common sense",
        ),
        File("split", {"test": ("highlevel_test_split.json",)}, f"{_SITE}, split"),
    ),
    read={"questions": common_sense},
    namespace=vqa_layout.NAMESPACE,
    holds=vqa_layout.FOLDERS[:2],
    origin="the COCO site, images of 2014",
)
