"""Questions of GQA, with their programs and groups: `*_balanced_questions.json`, `*_all_questions.json`."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold
from counterpoint.core.items import Question, Step
from counterpoint.core.pictures import Picture
from counterpoint.sources.formats.gqa_scenes import NAMESPACE
from counterpoint.sources.reading.json_files import decoded_members
from counterpoint.sources.reading.skips import Skips

_gold = lru_cache(4096)(Gold.of)  # few answers are given to many questions
_BALANCED = (("balanced", "no"), ("balanced", "yes"))
_NUMBERED = re.compile(r"(.*_)\d+\.json")


Tags: TypeAlias = tuple[tuple[str, str], ...]


class _Step(Struct, frozen=True, gc=False):
    operation: str
    argument: str = ""
    dependencies: tuple[int, ...] = ()


class _Types(Struct, frozen=True, gc=False):
    structural: str | None = None
    semantic: str | None = None
    detailed: str | None = None


class _Spans(Struct, frozen=True, gc=False):
    question: dict[str, str] | None = None


class _GqaQuestion(Struct, frozen=True, gc=False):
    """A question as the file has it."""

    imageId: str | int  # noqa: N815 - the release's own names
    question: str
    answer: str | int | None = None
    types: _Types | None = None
    semantic: list[_Step] | None = None
    groups: dict[str, str | None] | None = None
    isBalanced: bool | None = None  # noqa: N815
    entailed: list[str] | None = None
    equivalent: list[str] | None = None
    annotations: _Spans | None = None
    fullAnswer: str | None = None  # noqa: N815


def questions(path: Path, skips: Skips) -> Iterator[Question]:
    """Every question of a file, or of all files in a folder; a record that cannot be read is skipped and counted.

    Its kind is the structural and the semantic type, as in "query attr". Its tags are the `detailed` type, the `global`
    and `local` group, whether it is `balanced`, the ids of `entailed` and `equivalent` questions, which may be in
    another file, and which words of the question refer to which object, as in "4:6=389027".
    """
    for piece in pieces(path):
        noun = f"{piece.name}, question"
        for key, record in decoded_members(piece, _GqaQuestion, "question", skips):
            try:
                question = _question(key, record, noun)
            except SourceError as problem:
                skips.problem(problem)
            else:
                yield question


def pieces(path: Path) -> list[Path]:
    """The numbered files that a large release was cut into, in order: those in a folder, or those beside the first."""
    if path.is_dir():
        paths = list(path.glob("*.json"))
        if not paths:
            raise SourceError(f"the folder {path} holds no JSON files", hint="unpack the questions of GQA there")
    elif numbered := _NUMBERED.fullmatch(path.name):
        paths = [beside for beside in path.parent.glob(f"{numbered[1]}*.json") if _NUMBERED.fullmatch(beside.name)]
    else:
        return [path]
    return sorted(paths, key=lambda piece: (len(piece.name), piece.name))


def _question(key: str, record: _GqaQuestion, noun: str) -> Question:
    image, text, answer = str(record.imageId), record.question, record.answer
    if answer is None:
        raise SourceError(f"{noun} {key} has no answer", hint="answers of test and challenge are not published")
    if not (key.strip() and image.strip() and text.strip() and str(answer).strip()):
        words = {"the key": key, "imageId": image, "question": text, "answer": answer}
        name = next(name for name, word in words.items() if not str(word).strip())
        raise SourceError(f"{noun} {key}: {name} is {words[name]!r}, not a word")
    program = []
    for number, step in enumerate(record.semantic or ()):
        inputs = step.dependencies
        if inputs and (min(inputs) < 0 or max(inputs) >= number):
            hint = "the dependencies of a step are numbers of earlier steps"
            raise SourceError(f"{noun} {key}: step {number} depends on {list(inputs)}", hint=hint)
        program.append(Step(step.operation, step.argument.strip(), inputs))
    kind, tags = _typed(types.structural, types.semantic, types.detailed) if (types := record.types) else ("", ())
    return Question(
        key,
        _picture(image),
        text,
        _gold(str(answer)),
        kind,
        image,
        program=tuple(program),
        full_answer=record.fullAnswer or "",
        tags=(*tags, *_tags(record)),
    )


@lru_cache(1 << 10)
def _picture(image: str) -> Picture:
    """The picture with this number; consecutive questions share one."""
    return Picture(f"{NAMESPACE}:{image}.jpg")


@cache
def _typed(structural: str | None, semantic: str | None, detailed: str | None) -> tuple[str, Tags]:
    """The kind of a question of these types, and the tag of the detailed one."""
    return f"{structural or ''} {semantic or ''}".strip(), (("detailed", detailed),) if detailed else ()


def _tags(record: _GqaQuestion) -> list[tuple[str, str]]:
    groups = record.groups or {}
    tags = [(name, group) for name, group in groups.items() if group is not None]
    if record.isBalanced is not None:
        tags.append(_BALANCED[record.isBalanced])
    if record.entailed:
        tags.append(("entailed", " ".join(record.entailed)))
    if record.equivalent:
        tags.append(("equivalent", " ".join(record.equivalent)))
    if record.annotations and (spans := record.annotations.question):
        tags.append(("spans", " ".join([f"{span}={referent}" for span, referent in spans.items()])))
    return tags
