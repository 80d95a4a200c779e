"""CARETS as its authors released it: files of questions in pairs, an original and the same question perturbed.

A file is a list of records. An id is `image-number-template`; that of a perturbed question has a letter more, and its
partner is the id without it. The letter tells the test. The question types do not: some files have them exchanged.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TypeAlias

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.items import ReadyGroup
from counterpoint.core.pictures import Picture
from counterpoint.sources.bulk_values import decoded
from counterpoint.sources.dataset import DataSet, File, Files
from counterpoint.sources.gqa_scenes import NAMESPACE
from counterpoint.sources.json_text import Json, Portion
from counterpoint.sources.records import Record, elements, first_sign, portions
from counterpoint.sources.skips import Skips, repeated
from counterpoint.sources.vqa_layout import is_name

TESTS = {
    "t": ("rephrase", Relation.SAME),
    "s": ("order", Relation.SAME),
    "h": ("ontology", Relation.SAME),
    "n": ("negation", Relation.DIFFERS),
    "a": ("antonym", Relation.DIFFERS),
}
"""The test and the relation behind each letter; the pictures of the visual test were not released."""

_KINDS = {
    "object_verification_conjunction": "conjunctive verification",
    "object_verification_disjunction": "disjunctive verification",
    "object_verification": "object verification",
    "attribute_verification": "attribute verification",
    "object": "object choice",
    "attribute": "attribute choice",
    "action": "action choice",
}
"""The kinds of questions by how the names of their types begin; the first that fits is meant."""

_NAMELESS = (
    "an id that tells no test",
    "originals end in a number, others in -t, -s, -h, -n or -a; the questions of the visual test were not released",
)
_WIDOWED = "a perturbed question without its original", "their ids differ in the letter at the end, within one file"
_ALONE = "an original without a perturbed question", "their ids differ in the letter at the end, within one file"
_APART = "a pair about two pictures", "both questions of a pair are about one picture"
_CONTRARY = (
    "a pair whose labels contradict its test",
    ("the answers of -t, -s and -h are their originals', those of -n and -a are not"),
)

_DIGITS = frozenset("0123456789")

Tags: TypeAlias = tuple[tuple[str, str], ...]

_gold = lru_cache(4096)(Gold.of)  # few answers are given to many questions


class _Assigned(Struct, frozen=True, gc=False):
    """What the questions of choices are about; their other assignments are of no use here."""

    sort: str = field(name="category1", default="")
    options: list[Raw] = field(name="category-options1", default_factory=list)
    hypernym: str = field(name="obj-category1", default="")
    names: list[Raw] = field(name="obj-category-options1", default_factory=list)


class _Released(Struct, frozen=True, gc=False):
    """A record as nearly all of them are, or what was read of one with care."""

    question_id: str
    img_id: str
    sent: str
    label: dict[str, float]
    question_type: str = ""
    assignment: _Assigned = _Assigned()
    new_template_number: int | str = ""


_Member: TypeAlias = tuple[_Released, Gold, Picture, int]
"""A question of a file: its record, its label, its picture and its place."""


def groups(files: Files, skips: Skips) -> Iterator[ReadyGroup]:
    """Every pair of every file, under the name of its file and the id of its perturbed question.

    Tags are `question_id` and `id` (with the name of the file, since ids are unique only there), `template`, `answer`,
    and where there are any `class`, `hypernym` and the number of `choices`; a pair of the ontology test has `direction`
    too: up from hyponym to hypernym, or down.
    """
    for path in _paths(files["questions"]):
        yield from _Sheet(path, skips).pairs()


def _paths(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.json"))
    if not found:
        raise SourceError(f"the folder {path} holds no JSON files", hint="copy the question files of CARETS there")
    return found


class _Sheet:
    """One file: its questions by id, the originals and the perturbed, until they are paired."""

    def __init__(self, path: Path, skips: Skips) -> None:
        self._path, self._name, self._stem, self._skips = path, path.name, path.stem, skips
        self._pictures: dict[str, Picture] = {}
        self._originals: dict[str, _Member] = {}
        self._perturbed: dict[str, _Member] = {}

    def pairs(self) -> Iterator[ReadyGroup]:
        """The pairs, in the order of the perturbed questions."""
        self._read()
        originals, met = self._originals, set[str]()
        for own, variant in self._perturbed.items():
            partner = own[:-2]
            base = originals.get(partner)
            if base is None:
                self._skip(_WIDOWED, own, variant[-1])
                continue
            met.add(partner)
            if base[2] is not variant[2]:
                self._skip(_APART, own, variant[-1])
            elif not _fits(own[-1], base[1], variant[1]):
                self._skip(_CONTRARY, own, variant[-1])
            else:
                yield ReadyGroup(f"{self._stem}/{own}", partial(_group, self._name, base, variant))
        for own, base in originals.items():
            if own not in met:
                self._skip(_ALONE, own, base[-1])

    def _read(self) -> None:
        """Put every question among the originals or the perturbed, by the end of its id."""
        for number, found in self._records():
            if isinstance(found, Portion):
                self._put(found, number)
                continue
            try:
                self._put([_looked_at(Record(found, f"{self._name}, record", number))], number)
            except SourceError as problem:
                self._skips.problem(problem)

    def _records(self) -> Iterator[tuple[int, Portion[_Released] | Json]]:
        """Most of them in their usual form and many at once; where records are lines, one by one."""
        if first_sign(self._path) == b"[":
            return portions(self._path, "", "[", _usual)
        return enumerate(elements(self._path))

    def _put(self, records: Sequence[_Released], number: int) -> None:
        originals, perturbed, pictures = self._originals, self._perturbed, self._pictures
        for place, one in enumerate(records, number):
            own = one.question_id
            if own[-1:] in TESTS and own[-2:-1] == "-":
                members = perturbed
            elif own[-1:] in _DIGITS:
                members = originals
            else:
                self._skip(_NAMELESS, own, place)
                continue
            if own in members:
                repeated(self._skips, self._place(own, place))
            else:
                picture = pictures.get(one.img_id) or self._pictured(one.img_id)
                members[own] = one, _labelled(one.label), picture, place

    def _pictured(self, image: str) -> Picture:
        return self._pictures.setdefault(image, Picture(f"{NAMESPACE}:{image}.jpg"))

    def _skip(self, why: tuple[str, str], own: str, number: int) -> None:
        self._skips.skip(why[0], self._place(own, number), why[1])

    def _place(self, own: str, number: int) -> str:
        return f"{self._name}, record {number} ({own})"


def _group(file: str, base: _Member, variant: _Member) -> Group:
    """The pair as a group."""
    (original, gold, picture, _), (perturbed, right, _, _) = base, variant
    test, relation = TESTS[perturbed.question_id[-1]]
    tags = [_tags(one, right_of.best) for one, right_of in ((original, gold), (perturbed, right))]
    if test == "ontology":  # what is there is so by a more general name; what is not, is not by a more special one
        tags[1] = (*tags[1], ("direction", "down" if gold.best == "no" else "up"))
    stem = file.removesuffix(".json")
    return Group(
        relation,
        (Query(picture, original.sent), Query(picture, perturbed.sent)),
        (gold, right),
        proof=f"the labels in {file}",
        kind=_kind(original.question_type),
        tags=tuple(
            (("question_id", one.question_id), ("id", f"{stem}/{one.question_id}"), *more)
            for one, more in zip((original, perturbed), tags, strict=True)
        ),
        test=test,
    )


def _fits(letter: str, base: Gold, variant: Gold) -> bool:
    """Whether labels are as the test has them: the same answers, or none in common."""
    if TESTS[letter][1] is Relation.SAME:
        return base is variant or dict(base.answers).keys() == dict(variant.answers).keys()
    return base is not variant and dict(base.answers).keys().isdisjoint(dict(variant.answers))


@cache
def _decoder() -> Decoder[list[_Released]]:
    return Decoder(list[_Released])


def _usual(text: str) -> list[_Released] | None:
    """The records in a piece of a file, if all are as they should be."""
    found = decoded(_decoder(), text)
    return found if found is not None and all(map(_is_plain, found)) else None


def _is_plain(one: _Released) -> bool:
    label = one.label
    return (
        len(label) == 1
        and 1.0 in label.values()
        and "" not in (one.question_id.strip(), one.sent.strip(), next(iter(label)).strip())
        and _is_picture(one.img_id)
    )


@lru_cache(4096)
def _is_picture(image: str) -> bool:
    return is_name(image) and not image.isspace()


def _labelled(label: Mapping[str, float]) -> Gold:
    if len(label) == 1 and 1.0 in label.values():
        return _gold(*label)
    return Gold(tuple(label.items()))


def _looked_at(record: Record) -> _Released:
    """A record that is read with care; what is wrong with it is said."""
    own, image, text = record.word("question_id"), record.word("img_id"), record.word("sent")
    label = record.mapping("label", needed=True)
    credits_ = [one for one in label.values() if type(one) in (int, float) and 0 < one <= 1]
    if not label or len(credits_) < len(label) or not all(map(str.strip, label)):
        raise record.wrong("label", 'answers with their credit, such as {"yes": 1.0}')
    if not is_name(image):
        raise record.wrong("img_id", "the name of a picture")
    kind, template = record.content.get("question_type"), record.content.get("new_template_number")
    return _Released(
        own,
        image,
        text,
        {answer: float(credit) for answer, credit in label.items()},
        kind if type(kind) is str else "",
        _assigned(record.content.get("assignment")),
        template if isinstance(template, str) or type(template) is int else "",
    )


def _assigned(told: Json) -> _Assigned:
    asked = told if type(told) is dict else {}
    sort, hypernym = (one if type(one := asked.get(name)) is str else "" for name in ("category1", "obj-category1"))
    options, names = (
        one if type(one := asked.get(name)) is list else [] for name in ("category-options1", "obj-category-options1")
    )
    return _Assigned(sort, options, hypernym, names)


@lru_cache(256)
def _kind(told: str) -> str:
    """The kind as suites of scenes name it; a type that nobody knows is a kind of its own."""
    return next((kind for start, kind in _KINDS.items() if told.startswith(start)), told)


def _tags(one: _Released, answer: str) -> Tags:
    """The tags that a question shares with many: its answer, its template, what its choices are of, and how many."""
    template, about = str(one.new_template_number), one.assignment
    if not template:
        own = one.question_id
        template = own[:-2].rpartition("-")[2] if own[-1] in TESTS else own.rpartition("-")[2]
    if about.sort:
        return _slices(answer, template, "class", about.sort, len(about.options))
    if about.hypernym:
        return _slices(answer, template, "hypernym", about.hypernym, len(about.names))
    return _slices(answer, template)


@lru_cache(65_536)
def _slices(answer: str, template: str, sort: str = "", category: str = "", choices: int = 0) -> Tags:
    told = ("answer", answer), ("template", template), (sort, category), ("choices", str(choices or ""))
    return tuple((name, value) for name, value in told if value)


carets = DataSet(
    name="carets",
    title="CARETS",
    files=(
        File(
            "questions",
            {"test": ("questions", "data/questions", "*_test.json", "*.json")},
            "the authors' repository, data/questions",
            kinds=("groups",),
            together=True,
        ),
    ),
    read={"groups": groups},
    namespace=NAMESPACE,
    origin="the GQA site at Stanford, Images; or the authors' smaller archive of the pictures in use",
)
