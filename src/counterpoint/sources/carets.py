"""CARETS as its authors released it: files of questions in pairs, an original and the same question perturbed.

A file is a list of records. An id is `image-number-template`; that of a perturbed question has a letter more, and its
partner is the id without it. The letter tells the test. The question types do not: some files have them exchanged.
"""

from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeAlias

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.items import ReadyGroup
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import DataSet, File, Files
from counterpoint.sources.gqa_scenes import NAMESPACE
from counterpoint.sources.json_text import Json
from counterpoint.sources.records import Record, elements
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


_Member: TypeAlias = tuple[str, Picture, str, Gold, object, Tags, int]
"""A question of a file: its id, picture, text, label and type, the tags it shares with others, and its place."""


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
            if base[1] is not variant[1]:
                self._skip(_APART, own, variant[-1])
            elif not _fits(own[-1], base[3], variant[3]):
                self._skip(_CONTRARY, own, variant[-1])
            else:
                yield ReadyGroup(f"{self._stem}/{own}", partial(_group, self._name, base, variant))
        for own, base in originals.items():
            if own not in met:
                self._skip(_ALONE, own, base[-1])

    def _read(self) -> None:
        """Put every question among the originals or the perturbed, by the end of its id."""
        originals, perturbed, pictures = self._originals, self._perturbed, self._pictures
        for number, content in enumerate(elements(self._path)):
            try:
                own, image, text, gold = _usual(content) or _looked_at(Record(content, f"{self._name}, record", number))
                picture = pictures.get(image) or self._pictured(image, content, number)
            except SourceError as problem:
                self._skips.problem(problem)
                continue
            if own[-1:] in TESTS and own[-2:-1] == "-":
                members = perturbed
            elif own[-1:] in _DIGITS:
                members = originals
            else:
                self._skip(_NAMELESS, own, number)
                continue
            if own in members:
                repeated(self._skips, self._place(own, number))
                continue
            kind = told if type(told := content.get("question_type")) is str else ""
            tags = _asked(content, own, gold.best)
            members[own] = own, picture, text, gold, kind, tags, number

    def _pictured(self, image: str, content: Json, number: int) -> Picture:
        if not is_name(image):
            raise Record(content, f"{self._name}, record", number).wrong("img_id", "the name of a picture")
        return self._pictures.setdefault(image, Picture(f"{NAMESPACE}:{image}.jpg"))

    def _skip(self, why: tuple[str, str], own: str, number: int) -> None:
        self._skips.skip(why[0], self._place(own, number), why[1])

    def _place(self, own: str, number: int) -> str:
        return f"{self._name}, record {number} ({own})"


def _group(file: str, base: _Member, variant: _Member) -> Group:
    """The pair as a group."""
    (own, picture, text, gold, question_type, shared, _), (other, _, perturbed, right, _, tags, _) = base, variant
    test, relation = TESTS[other[-1]]
    if test == "ontology":  # what is there is so by a more general name; what is not, is not by a more special one
        tags = (*tags, ("direction", "down" if gold.best == "no" else "up"))
    stem = file.removesuffix(".json")
    return Group(
        relation,
        (Query(picture, text), Query(picture, perturbed)),
        (gold, right),
        proof=f"the labels in {file}",
        kind=_kind(question_type),
        tags=tuple(
            (("question_id", one), ("id", f"{stem}/{one}"), *more) for one, more in ((own, shared), (other, tags))
        ),
        test=test,
    )


def _fits(letter: str, base: Gold, variant: Gold) -> bool:
    """Whether labels are as the test has them: the same answers, or none in common."""
    if TESTS[letter][1] is Relation.SAME:
        return base is variant or dict(base.answers).keys() == dict(variant.answers).keys()
    return base is not variant and dict(base.answers).keys().isdisjoint(dict(variant.answers))


def _usual(content: Json) -> tuple[str, str, str, Gold] | None:
    """Id, picture, text and label of a record that is as nearly all are, looked at in one go."""
    try:
        own, image, text = content["question_id"], content["img_id"], content["sent"]
        ((answer, credit),) = content["label"].items()
    except (KeyError, TypeError, AttributeError, ValueError):
        return None
    if type(own) is type(image) is type(text) is str and type(credit) is float and credit == 1:
        return (own, image, text, _gold(answer)) if image.strip() and text.strip() and answer.strip() else None
    return None


def _looked_at(record: Record) -> tuple[str, str, str, Gold]:
    """The same of any record; what is wrong with it is said."""
    own, image, text = record.word("question_id"), record.word("img_id"), record.word("sent")
    label = record.mapping("label", needed=True)
    credits_ = [one for one in label.values() if type(one) in (int, float) and 0 < one <= 1]
    if not label or len(credits_) < len(label) or not all(map(str.strip, label)):
        raise record.wrong("label", 'answers with their credit, such as {"yes": 1.0}')
    return own, image, text, Gold(tuple((answer, float(credit)) for answer, credit in label.items()))


@lru_cache(256)
def _kind(told: str) -> str:
    """The kind as suites of scenes name it; a type that nobody knows is a kind of its own."""
    return next((kind for start, kind in _KINDS.items() if told.startswith(start)), told)


def _asked(content: Json, own: str, answer: str) -> Tags:
    """The tags that a question shares with many: its answer, its template, what its choices are of, and how many."""
    template = content.get("new_template_number")
    if type(template) not in (str, int):
        template = own[:-2].rpartition("-")[2] if own[-1] in TESTS else own.rpartition("-")[2]
    asked = content.get("assignment")
    if type(asked) is dict:
        if type(category := asked.get("category1")) is str:
            return _slices(answer, str(template), "class", category, _count(asked.get("category-options1")))
        if type(category := asked.get("obj-category1")) is str:
            return _slices(answer, str(template), "hypernym", category, _count(asked.get("obj-category-options1")))
    return _slices(answer, str(template))


def _count(options: Json) -> str:
    return str(len(options)) if type(options) is list and options else ""


@lru_cache(65_536)
def _slices(answer: str, template: str, sort: str = "", category: str = "", choices: str = "") -> Tags:
    told = ("answer", answer), ("template", template), (sort, category), ("choices", choices)
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
