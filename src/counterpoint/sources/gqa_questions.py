"""Questions of GQA, with their programs and groups: `*_balanced_questions.json`, `*_all_questions.json`."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.json import Decoder

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold
from counterpoint.core.items import Question, Step
from counterpoint.core.pictures import Picture
from counterpoint.sources.bulk_values import decoded, quick
from counterpoint.sources.gqa_scenes import NAMESPACE
from counterpoint.sources.json_text import Portion
from counterpoint.sources.records import Record, portions, told
from counterpoint.sources.skips import Skips

_gold = lru_cache(4096)(Gold.of)  # few answers are given to many questions
_BALANCED = (("balanced", "no"), ("balanced", "yes"))
_QUICK = quick(Question)
_NUMBERED = re.compile(r"(.*_)\d+\.json")


def questions(path: Path, skips: Skips) -> Iterator[Question]:
    """Every question of a file, or of all files in a folder; one that cannot be read is left out.

    Its kind is what is done and what it is about, as in "query attr". Its tags are the rest of what GQA tells: the
    `detailed` kind, the `global` and `local` group, whether it is `balanced`, the ids of `entailed` and `equivalent`
    questions, which may be in another file, and which words of it point at which object, as in "4:6=389027".
    """
    for piece in pieces(path):
        one = f"{piece.name}, question"
        for _, found in portions(piece, "", "{", _usual):
            if isinstance(found, Portion):
                yield from found
                continue
            key, content = found
            try:
                yield _question(key, Record(content, one, key))
            except SourceError as problem:
                skips.problem(problem)


def pieces(path: Path) -> list[Path]:
    """The files that a large one was cut into, in their order: those in a folder, or those beside the first."""
    if path.is_dir():
        found = list(path.glob("*.json"))
        if not found:
            raise SourceError(f"the folder {path} holds no JSON files", hint="unpack the questions of GQA there")
    elif numbered := _NUMBERED.fullmatch(path.name):
        found = [one for one in path.parent.glob(f"{numbered[1]}*.json") if _NUMBERED.fullmatch(one.name)]
    else:
        return [path]
    return sorted(found, key=lambda one: (len(one.name), one.name))


class _Step(Struct, frozen=True, gc=False):
    operation: str
    argument: str = ""
    dependencies: tuple[int, ...] = ()


class _Types(Struct, frozen=True, gc=False):
    structural: str | None = None
    semantic: str | None = None
    detailed: str | None = None


class _Spans(Struct, frozen=True, gc=False):
    question: dict[str, str] = {}


class _Asked(Struct, frozen=True, gc=False):
    """A question as nearly all of them are."""

    imageId: str  # noqa: N815 - as GQA calls it
    question: str
    answer: str
    types: _Types
    semantic: list[_Step] = []
    groups: dict[str, str | None] = {}
    isBalanced: bool | None = None  # noqa: N815
    entailed: list[str] = []
    equivalent: list[str] = []
    annotations: _Spans = _Spans()
    fullAnswer: str = ""  # noqa: N815


@cache
def _decoder() -> Decoder[dict[str, _Asked]]:
    return Decoder(dict[str, _Asked])


def _usual(text: str) -> list[Question] | None:
    """The questions in a piece of the file, if all are as they should be."""
    found = decoded(_decoder(), text)
    try:
        return None if found is None else [_plain(key, asked) for key, asked in found.items()]
    except _Odd:
        return None


class _Odd(Exception):  # noqa: N818 - it reads as what it says
    """Something has to be read with care."""


def _plain(key: str, asked: _Asked) -> Question:
    """What `_question` makes of the same record."""
    image, text, answer = asked.imageId, asked.question, asked.answer
    if not (key.strip() and image.strip() and text.strip() and answer.strip()):
        raise _Odd
    types = asked.types
    for number, step in enumerate(asked.semantic):
        if (inputs := step.dependencies) and (min(inputs) < 0 or max(inputs) >= number):
            raise _Odd
    tags = [("detailed", types.detailed)] if types.detailed else []
    tags += [(name, group) for name, group in asked.groups.items() if group is not None]
    if asked.isBalanced is not None:
        tags.append(_BALANCED[asked.isBalanced])
    if asked.entailed:
        tags.append(("entailed", " ".join(asked.entailed)))
    if asked.equivalent:
        tags.append(("equivalent", " ".join(asked.equivalent)))
    if spans := asked.annotations.question:
        tags.append(("spans", " ".join([f"{span}={one}" for span, one in spans.items()])))
    return _QUICK(
        key,
        _picture(image),
        text,
        _gold(answer),
        kind=_kind(types.structural, types.semantic),
        scene=image,
        program=tuple([Step(step.operation, step.argument.strip(), step.dependencies) for step in asked.semantic]),
        full_answer=asked.fullAnswer,
        tags=tuple(tags),
    )


def _question(key: str, record: Record) -> Question:
    if not key or key.isspace():
        raise SourceError(f"{record.place} has no id", hint="the key of a question is its id")
    image = record.word("imageId")
    if record.content.get("answer") is None:
        raise SourceError(f"{record.place} has no answer", hint="those of test and challenge are not given out")
    types = record.mapping("types")
    return Question(
        key,
        _picture(image),
        record.word("question"),
        _gold(record.word("answer")),
        kind=f"{types.get('structural') or ''} {types.get('semantic') or ''}".strip(),
        scene=image,
        program=_program(record),
        full_answer=record.text("fullAnswer", ""),
        tags=_tags(record),
    )


@lru_cache(1 << 10)
def _picture(image: str) -> Picture:
    """The picture of this number; the questions about one come one after the other."""
    return Picture(f"{NAMESPACE}:{image}.jpg")


@cache
def _kind(structural: str | None, semantic: str | None) -> str:
    return f"{structural or ''} {semantic or ''}".strip()


def _program(record: Record) -> tuple[Step, ...]:
    """The operations; the places that each builds on are those of earlier ones."""
    steps: list[Step] = []
    for one in record.list("semantic"):
        if (
            type(one) is not dict
            or type(operation := one.get("operation")) is not str
            or type(argument := one.get("argument", "")) is not str
            or type(inputs := one.get("dependencies", [])) is not list
            or (inputs and not all(type(of) is int and 0 <= of < len(steps) for of in inputs))
        ):
            hint = "a step has an operation, an argument, and the dependencies that come before it"
            raise SourceError(f"{record.place}: step {len(steps)} is {told(one)}", hint=hint)
        steps.append(Step(operation, argument.strip(), tuple(inputs)))
    return tuple(steps)


def _tags(record: Record) -> tuple[tuple[str, str], ...]:
    tags = []
    if detailed := record.mapping("types").get("detailed"):
        tags.append(("detailed", str(detailed)))
    for name, group in record.mapping("groups").items():
        if group is not None:
            tags.append((name, str(group)))
    if (balanced := record.content.get("isBalanced")) is not None:
        tags.append(_BALANCED[bool(balanced)])
    for name in ("entailed", "equivalent"):
        if ids := record.texts(name):
            tags.append((name, " ".join(ids)))
    spans = record.mapping("annotations").get("question")
    if spans and isinstance(spans, dict):
        tags.append(("spans", " ".join([f"{span}={one}" for span, one in spans.items()])))
    return tuple(tags)
