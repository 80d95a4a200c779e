"""CARETS as its authors released it: files of questions in pairs, an original and the same question perturbed.

A file is a list of records. An id is `image-number-template`; that of a perturbed question has a letter more, and its
partner is the id without it. The letter tells the test. The question types do not: some files have them exchanged.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct, field

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.items import ReadyGroup
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import DataSet, File, SplitFiles
from counterpoint.sources.formats.gqa import NAMESPACE
from counterpoint.sources.formats.vqa_layout import is_name
from counterpoint.sources.reading.json_files import decoded_elements
from counterpoint.sources.reading.records import Skips, skip_repeated

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

_UNKNOWN_TEST = (
    "an id of no known test",
    "originals end in a number, others in -t, -s, -h, -n or -a; the questions of the visual test were not released",
)
_NO_ORIGINAL = "a perturbed question without its original", "their ids differ in the letter at the end, within one file"
_NO_PERTURBED = "an original without a perturbed question", "their ids differ in the letter at the end, within one file"
_TWO_PICTURES = "a pair about two pictures", "both questions of a pair are about one picture"
_CONTRADICTION = (
    "a pair whose labels contradict its test",
    ("the answers of -t, -s and -h are their originals', those of -n and -a are not"),
)

_DIGITS = frozenset("0123456789")

Tags: TypeAlias = tuple[tuple[str, str], ...]


class _Assignment(Struct, frozen=True, gc=False):
    """The class or hypernym of the choices of a question, and the choices; other assignments are not read."""

    category: str | None = field(name="category1", default=None)
    options: Sequence[Any] = field(name="category-options1", default=())
    hypernym: str | None = field(name="obj-category1", default=None)
    hyponyms: Sequence[Any] = field(name="obj-category-options1", default=())


class _CaretsQuestion(Struct, frozen=True, gc=False):
    """A question as the file has it."""

    question_id: str | int
    img_id: str | int
    sent: str
    label: dict[str, float]
    question_type: str | None = None
    assignment: _Assignment | None = None
    new_template_number: int | str | None = None


class _Member(NamedTuple):
    """What is used of a question of a file, and its number there."""

    id: str
    text: str
    gold: Gold
    picture: Picture
    number: int
    kind: str
    choices: tuple[str, ...]
    slices: Tags


def groups(files: SplitFiles, skips: Skips) -> Iterator[ReadyGroup]:
    """Every pair of every file, under the name of its file and the id of its perturbed question.

    Tags are `question_id` and `id` (with the name of the file, since ids are unique only there), `template`, `answer`,
    and where there are any `class`, `hypernym` and the number of `choices`; a pair of the ontology test has `direction`
    too: up from hyponym to hypernym, or down.
    """
    path = files["questions"]
    paths = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not paths:
        raise SourceError(f"the folder {path} holds no JSON files", hint="copy the question files of CARETS there")
    for file in paths:
        yield from _pairs(file, skips)


def _pairs(path: Path, skips: Skips) -> Iterator[ReadyGroup]:
    """The pairs of a file, in the order of its perturbed questions; the end of an id tells these from the originals."""
    originals, perturbed = dict[str, _Member](), dict[str, _Member]()
    name, stem, proof = path.name, path.stem, f"the labels in {path.name}"

    def skip(why: tuple[str, str], own: str, number: int) -> None:
        skips.skip(why[0], f"{name}, record {number} ({own})", why[1])

    for number, record in decoded_elements(path, _CaretsQuestion, "record", skips):
        try:
            member = _member(record, number)
        except SourceError as problem:
            skips.problem(SourceError(f"{name}, record {number}: {problem}"))
            continue
        own = member.id
        is_perturbed = own[-1] in TESTS and own[-2:-1] == "-"
        members = perturbed if is_perturbed else originals
        if not is_perturbed and own[-1] not in _DIGITS:
            skip(_UNKNOWN_TEST, own, number)
        elif own in members:
            skip_repeated(skips, f"{name}, record {number} ({own})")
        else:
            members[own] = member
    paired = set[str]()
    for own, variant in perturbed.items():
        base = originals.get(own[:-2])
        if base is None:
            skip(_NO_ORIGINAL, own, variant.number)
            continue
        paired.add(base.id)
        if base.picture is not variant.picture and base.picture != variant.picture:
            skip(_TWO_PICTURES, own, variant.number)
        elif not _fits(own[-1], base.gold, variant.gold):
            skip(_CONTRADICTION, own, variant.number)
        else:
            group_id = f"{stem}/{own}"
            yield ReadyGroup(group_id, partial(_group, proof, group_id, base, variant))
    for own, base in originals.items():
        if own not in paired:
            skip(_NO_PERTURBED, own, base.number)


def _member(record: _CaretsQuestion, number: int) -> _Member:
    """What is used of a question, checked."""
    own, image, text = str(record.question_id), str(record.img_id), record.sent
    if not (own.strip() and image.strip() and text.strip()):
        words = {"question_id": own, "img_id": image, "sent": text}
        name = next(name for name, word in words.items() if not word.strip())
        raise SourceError(f"{name} is {words[name]!r}, not a word")
    picture, gold, listed = _picture(image), _gold(*record.label.items()), record.assignment
    choices = _choices(listed, gold) if listed and (listed.options or listed.hyponyms) else ()
    kind, slices = _kind(record.question_type or ""), _tags(own, record, gold)
    return _Member(own, text, gold, picture, number, kind, choices, slices)


@lru_cache(4096)
def _picture(image: str) -> Picture:
    if not is_name(image):
        raise SourceError(f"img_id is {image!r}, not the name of a picture")
    return Picture(f"{NAMESPACE}:{image}.jpg")


@lru_cache(4096)  # few answers are given to many questions
def _gold(*label: tuple[str, float]) -> Gold:
    if not label or not all(answer.strip() and 0 < credit <= 1 for answer, credit in label):
        raise SourceError(f'label is {dict(label)}, not answers with their credit, such as {{"yes": 1.0}}')
    return Gold(label)


def _group(proof: str, own: str, base: _Member, variant: _Member) -> Group:
    """The pair as a group; its id is that of the variant, with the name of the file."""
    test, relation = TESTS[variant.id[-1]]
    more: Tags = ()
    if test == "ontology":  # an object that is present has every hypernym too; one that is absent has no hyponym
        more = (("direction", "down" if base.gold.best == "no" else "up"),)
    base_ids = ("question_id", base.id), ("id", own[:-2])
    variant_ids = ("question_id", variant.id), ("id", own)
    return Group(
        relation,
        (
            Query(base.picture, base.text, Mode.ANSWER, base.choices),
            Query(variant.picture, variant.text, Mode.ANSWER, variant.choices),
        ),
        (base.gold, variant.gold),
        proof=proof,
        kind=base.kind,
        tags=(base_ids + base.slices, variant_ids + variant.slices + more),
        test=test,
    )


def _choices(listed: _Assignment, gold: Gold) -> tuple[str, ...]:
    """The choices that the file lists for a question, where its answer is one of them."""
    options = tuple(map(str, listed.options or listed.hyponyms))
    return options if len(options) > 1 and gold.best in options else ()


def _fits(letter: str, base: Gold, variant: Gold) -> bool:
    """Whether labels are as the test has them: the same answers, or none in common."""
    if TESTS[letter][1] is Relation.SAME:
        return base is variant or dict(base.answers).keys() == dict(variant.answers).keys()
    return base is not variant and dict(base.answers).keys().isdisjoint(dict(variant.answers))


@lru_cache(256)
def _kind(question_type: str) -> str:
    """The kind as suites made from scenes name it; an unknown type is a kind of its own."""
    return next((kind for start, kind in _KINDS.items() if question_type.startswith(start)), question_type)


def _tags(own: str, record: _CaretsQuestion, gold: Gold) -> Tags:
    """The tags that a question shares with others: its answer, its template, the class of its choices, how many."""
    answer = gold.best
    template = "" if record.new_template_number is None else str(record.new_template_number)
    if not template:
        template = own[:-2].rpartition("-")[2] if own[-1] in TESTS else own.rpartition("-")[2]
    choices = record.assignment
    if choices and choices.category:
        return _slices(answer, template, "class", choices.category, len(choices.options))
    if choices and choices.hypernym:
        return _slices(answer, template, "hypernym", choices.hypernym, len(choices.hyponyms))
    return _slices(answer, template)


@lru_cache(65_536)
def _slices(answer: str, template: str, name: str = "", category: str = "", choices: int = 0) -> Tags:
    slices = ("answer", answer), ("template", template), (name, category), ("choices", str(choices or ""))
    return tuple((name, value) for name, value in slices if value)


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
