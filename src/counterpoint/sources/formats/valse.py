"""VALSE as its authors released it: a file for each instrument, with a caption, a foil and three votes a record.

Names of files and of instruments differ where the paper's do. Pictures are those of four data sets, and their names,
of five styles, tell which: `000000291619.jpg` is of COCO 2017, `COCO_val2014_…` and `COCO_train2014_…` of 2014,
`VisualDialog_val2018_…` of VisDial, `v7w_2371044.jpg` of Visual7W and `exercising_255.jpg` of SWiG. The words that were
changed are a text, a number or a list of numbers, which may be empty; one noun without a singular is false.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.items import ReadyGroup
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import DataSet, File, SplitFiles
from counterpoint.sources.formats import coco, swig, visdial, visual7w
from counterpoint.sources.reading.json_files import members
from counterpoint.sources.reading.records import Record, Skips


class Instrument(NamedTuple):
    """A test of the paper: its name, the piece that it belongs to, and its file."""

    name: str
    piece: str
    file: str


INSTRUMENTS = (
    Instrument("existence", "existence", "existence.json"),
    Instrument("plurals", "plurality", "plurals.json"),
    Instrument("counting-balanced", "counting", "counting-hard.json"),
    Instrument("counting-small", "counting", "counting-small-quant.json"),
    Instrument("counting-adversarial", "counting", "counting-adversarial.json"),
    Instrument("relations", "relations", "relations.json"),
    Instrument("action-replacement", "actions", "action-replacement.json"),
    Instrument("actant-swap", "actions", "actant-swap.json"),
    Instrument("coreference-standard", "coreference", "coreference-standard.json"),
    Instrument("coreference-clean", "coreference", "coreference-hard.json"),
    Instrument("foil-it", "foil-it", "foil-it.json"),
)
"""All eleven, in the order of the paper's tables."""

VOTES = {"valid": 2, "test": 2, "unanimous": 3, "all": 0}
"""How many of three annotators must have chosen the caption and not the foil; `test` is another name for `valid`."""

_STYLES = (
    (re.compile(r"\d{12}\.jpg"), f"{coco.NAMESPACE}:val2017/{{0}}"),
    (re.compile(r"COCO_(train2014|val2014)_\d{12}\.jpg"), f"{coco.NAMESPACE}:{{1}}/{{0}}"),
    (re.compile(r"(VisualDialog_val2018)_\d{12}\.jpg"), f"{visdial.NAMESPACE}:{{1}}/{{0}}"),
    (re.compile(r"v7w_\d+\.jpg"), f"{visual7w.NAMESPACE}:{{0}}"),
    (re.compile(r"[a-z-]+_\d+\.jpg"), f"{swig.NAMESPACE}:{swig.FOLDER}/{{0}}"),
)
_DIRECTIONS = {
    "zero_to_something": "none->some",
    "something_to_zero": "some->none",
    "checklist method, change NP to PL": "singular->plural",
    "checklist method, change NP to SG": "plural->singular",
}


class _Foil(NamedTuple):
    """One record, checked."""

    key: str
    picture: Picture
    texts: tuple[str, str]
    words: tuple[str, str]
    votes: int
    direction: str
    others: Mapping[str, int]  # votes for the foil alone, and for anything else


def groups(files: SplitFiles, skips: Skips) -> Iterator[ReadyGroup]:
    """Every caption with its foil for which there are votes enough, under the name of its instrument and its key.

    Tags are `word`, what was changed and what stands in its place (several are parted by " | "), `caption`, its key,
    `votes`, how many of three chose the caption, and where the file tells it `direction`.
    """
    needed = VOTES[files.split]
    for instrument, path in _paths(files["foils"]):
        for key, content in members(path):
            try:
                foil = _foil(Record(content, f"{path.name}, record", key), key)
            except SourceError as problem:
                skips.problem(problem)
                continue
            if foil.votes >= needed:
                yield ReadyGroup(f"{instrument.name}/{key}", partial(_group, instrument, foil))


def released_votes(path: Path) -> Iterator[tuple[Group, dict[str, int]]]:
    """Every pair of a file or folder with the numbers of its votes for `caption`, `foil` and `other`.

    The files do not say who voted, which text was shown first, or which of both, neither and cannot tell `other` is.
    """
    for instrument, file in _paths(path):
        for key, content in members(file):
            foil = _foil(Record(content, f"{file.name}, record", key), key)
            yield _group(instrument, foil), {"caption": foil.votes, **foil.others}


def _paths(path: Path) -> list[tuple[Instrument, Path]]:
    """The files that are there, in the order of the instruments."""
    folder = path.parent if path.is_file() else path
    named = [(instrument, folder / instrument.file) for instrument in INSTRUMENTS]
    paths = [(own, file) for own, file in named if (file == path if path.is_file() else file.is_file())]
    if not paths:
        expected = f"files are {', '.join(instrument.file for instrument in INSTRUMENTS)}"
        raise SourceError(f"{path} is, and holds, no file of VALSE", hint=expected)
    return paths


def _foil(record: Record, key: str) -> _Foil:
    method = record.text("provenance_of_foils", "") or record.text("foil_method", "")
    votes = record.record("mturk").number("caption")
    if not 0 <= votes <= 3:
        raise record.record("mturk").wrong("caption", "a number of votes, at most 3")
    picture, texts = Picture(_address(record)), (record.word("caption").strip(), record.word("foil").strip())
    words = _words(record, "classes"), _words(record, "classes_foil")
    others = {name: record.record("mturk").number(name, 0) for name in ("foil", "other")}
    return _Foil(key, picture, texts, words, votes, _DIRECTIONS.get(method, ""), others)


def _address(record: Record) -> str:
    """The address of a picture, by the style of its name."""
    name = record.word("image_file")
    for style, address in _STYLES:
        if match := style.fullmatch(name):
            return address.format(name, *match.groups())
    raise record.wrong("image_file", "a name such as v7w_1.jpg, exercising_255.jpg or COCO_val2014_000000165831.jpg")


def _words(record: Record, name: str) -> str:
    """What was changed, whatever it is, as text."""
    value = record.content.get(name)
    words = value if isinstance(value, list) else [value]
    if not all(isinstance(word, str | int) and str(word).strip() for word in words):
        raise record.wrong(name, "a word, a number or a list of them")
    return " | ".join(str(word).strip() for word in words)


def _group(instrument: Instrument, foil: _Foil) -> Group:
    about = (("caption", foil.key), ("votes", str(foil.votes)))
    shared = (*about, *((("direction", foil.direction),) if foil.direction else ()))
    return Group(
        Relation.RANKS,
        tuple(Query(foil.picture, text, mode=Mode.SCORE) for text in foil.texts),
        (None, None),
        proof=f"{foil.votes} of 3 annotators took the caption, and not the foil, to describe the picture",
        kind=instrument.piece,
        tags=tuple((*((("word", word),) if word else ()), *shared) for word in foil.words),
        test=instrument.name,
    )


_NAMES = ("existence.json", "data/existence.json", *(instrument.file for instrument in INSTRUMENTS[1:]))

valse = DataSet(
    name="valse",
    title="VALSE",
    files=(
        File("foils", dict.fromkeys(VOTES, _NAMES), "the authors' repository, data", kinds=("groups",), together=True),
    ),
    read={"groups": groups},
    namespace=coco.NAMESPACE,
    pictures=("images",),
    origin="the authors' repository; pictures of COCO 2014 and 2017, Visual7W, SWiG and VisDial, each from its site",
)
