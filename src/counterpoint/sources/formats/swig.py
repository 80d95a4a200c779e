"""SWiG: grounded situation recognition, a verb with its semantic roles and a box for each.

Written to the layout that its repository describes: `SWiG_jsons/{train,dev,test}.json` and `imsitu_space.json`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Frame, Role
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.sources.dataset import DataSet, File, SplitFiles
from counterpoint.sources.reading.json_files import members
from counterpoint.sources.reading.records import LONGEST, Record, Skips, clip_box, short_repr, size_of, skip_box

NAMESPACE, FOLDER = "swig", "images_512"
NOWHERE = (-1.0,) * 4
"""The box of a role that is not visible."""
UNKNOWN = "a noun that imsitu_space.json does not have"
_SAME = "the role is skipped; take both files from one release"


@dataclass(frozen=True, slots=True)
class ImsituSpace:
    """The contents of `imsitu_space.json`: a word for each noun, and the ordered roles of each verb."""

    nouns: Mapping[str, str] = field(default_factory=dict)
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)


def frames(files: SplitFiles, skips: Skips) -> Iterator[Frame]:
    """Every picture as a frame, its roles in the order of the verb.

    The noun of a role is the majority of three annotators, the first of equals; a role without a noun is omitted. A
    noun is given by the first word of its WordNet gloss.
    """
    space = read_space(files["space"], skips)
    path = files["frames"]
    for key, content in members(path):
        with skips:
            yield _frame(key, Record(content, f"{path.name}, picture", key), space, skips)


def read_space(path: Path, skips: Skips) -> ImsituSpace:
    """The nouns and verbs of `imsitu_space.json`."""
    nouns, orders = {}, {}
    for key, content in members(path, "nouns"):
        try:
            words = Record(content, f"{path.name}, noun", key).texts("gloss")
            nouns[key] = next(word.strip() for word in words if word.strip())
        except StopIteration:
            skips.skip("a noun without a word", f"{path.name}, noun {short_repr(key)}", "take the whole file")
        except SourceError as problem:
            skips.problem(problem)
    for key, content in members(path, "verbs"):
        with skips:
            orders[key] = Record(content, f"{path.name}, verb", key).texts("order")
    return ImsituSpace(nouns, orders)


def majority(nouns: Sequence[str]) -> str:
    """The most frequent noun, the first of equals.

    >>> majority(["man", "", ""]), majority(["man", "boy", "boy"]), majority(["man", "boy", ""])
    ('', 'boy', 'man')
    """
    return Counter(nouns).most_common(1)[0][0]


def _frame(key: str, record: Record, space: ImsituSpace, skips: Skips) -> Frame:
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
            skips.skip(UNKNOWN, f"{record.place}, {name}: {short_repr(noun)}", _SAME)
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
