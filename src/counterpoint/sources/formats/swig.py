"""SWiG: grounded situation recognition, a verb with its semantic roles and a box for each.

Written to the layout that its repository describes: `SWiG_jsons/{train,dev,test}.json` and `imsitu_space.json`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from counterpoint.core.errors import SourceError, shorten
from counterpoint.core.items import Frame, Role
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.sources.dataset import DataSet, File, SplitFiles
from counterpoint.sources.reading.json_files import members
from counterpoint.sources.reading.records import LONGEST, Record, Skips, clip_box, read_each, size_of, skip_box

NAMESPACE, FOLDER = "swig", "images_512"
NOWHERE = (-1.0,) * 4
"""The box of a role that is not visible."""
UNKNOWN = "a noun that imsitu_space.json does not have"
_SAME = "the role is skipped; take both files from one release"


class ImsituSpace(NamedTuple):
    """The contents of `imsitu_space.json`: a word for each noun, and the ordered roles of each verb."""

    nouns: Mapping[str, str]
    orders: Mapping[str | int | None, Sequence[str]]


def frames(files: SplitFiles, skips: Skips) -> Iterator[Frame]:
    """Every picture as a frame, its roles in the order of the verb.

    The noun of a role is the majority of three annotators, the first of equals; a role without a noun is omitted. A
    noun is given by the first word of its WordNet gloss.
    """
    space = read_space(files["space"], skips)
    path = files["frames"]
    yield from read_each(members(path), f"{path.name}, picture", skips, lambda record: _frame(record, space, skips))


def read_space(path: Path, skips: Skips) -> ImsituSpace:
    """The nouns and verbs of `imsitu_space.json`."""
    nouns = {}
    for key, content in members(path, "nouns"):
        with skips:
            gloss = Record(content, f"{path.name}, noun", key).texts("gloss")
            if words := [word.strip() for word in gloss if word.strip()]:
                nouns[key] = words[0]
            else:
                skips.skip("a noun without a word", f"{path.name}, noun {shorten(repr(key))}", "take the whole file")
    verbs = read_each(members(path, "verbs"), f"{path.name}, verb", skips, lambda verb: (verb.key, verb.texts("order")))
    return ImsituSpace(nouns, dict(verbs))


def majority(nouns: Sequence[str]) -> str:
    """The most frequent noun, the first of equals.

    >>> majority(["man", "", ""]), majority(["man", "boy", "boy"]), majority(["man", "boy", ""])
    ('', 'boy', 'man')
    """
    return Counter(nouns).most_common(1)[0][0]


def _frame(record: Record, space: ImsituSpace, skips: Skips) -> Frame:
    key = str(record.key)
    verb, size = record.word("verb"), size_of(record)
    annotations = list(record.records("frames", needed=True))
    boxes = record.record("bb") if "bb" in record.content else Record({}, record.place)
    present = dict.fromkeys(name for annotation in annotations for name in annotation.content)
    order = [name for name in space.orders.get(verb, ()) if name in present]
    roles = []
    for name in dict.fromkeys((*order, *present)):
        noun = majority([annotation.text(name, "") for annotation in annotations])
        if noun in space.nouns:
            roles.append(Role(name, space.nouns[noun], _box(name, boxes, size, skips)))
        elif noun:
            skips.skip(UNKNOWN, f"{record.place}, {name}: {shorten(repr(noun))}", _SAME)
    if not roles:
        raise SourceError(f"{record.place} has no roles", hint="frames should be the annotations of three people")
    return Frame(key.rpartition(".")[0] or key, Picture(f"{NAMESPACE}:{FOLDER}/{key}"), verb, tuple(roles), size)


def _box(name: str, boxes: Record, size: Size, skips: Skips) -> Box | None:
    """Two corners, in pixels of the size that the record tells."""
    if boxes.content.get(name) is None:
        return None
    corners = boxes.decimals(name, 4)
    if corners == NOWHERE:
        return None
    if max(map(abs, corners)) > LONGEST:
        raise boxes.wrong(name, "two corners in pixels")
    left, top, right, bottom = map(round, corners)
    box = clip_box(left, top, right - left, bottom - top, size)
    if box is None:
        skip_box(f"{boxes.place}, {name}: {[left, top, right, bottom]}", skips)
    return box


_ORIGIN = "the repository of SWiG, SWiG_jsons"
_NAMES = {split: (f"SWiG_jsons/{split}.json",) for split in ("train", "dev", "test")}

swig = DataSet(
    name="swig",
    title="SWiG",
    files=(
        File("frames", _NAMES, _ORIGIN),
        File("space", dict.fromkeys(_NAMES, ("SWiG_jsons/imsitu_space.json",)), _ORIGIN),
    ),
    read={"frames": frames},
    namespace=NAMESPACE,
    pictures=(".",),
    holds=(FOLDER,),
    origin=f"{_ORIGIN}, and images_512.zip, which its page links to",
)
