"""Questions of GQA, with their programs and groups: `*_balanced_questions.json`, `*_all_questions.json`."""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold
from counterpoint.core.items import Question, Step
from counterpoint.core.pictures import Picture
from counterpoint.sources.gqa_scenes import NAMESPACE
from counterpoint.sources.records import Record, members, told
from counterpoint.sources.skips import Skips

_gold = lru_cache(4096)(Gold.of)  # few answers are given to many questions
_BALANCED = (("balanced", "no"), ("balanced", "yes"))
_NUMBERED = re.compile(r"(.*_)\d+\.json")


def questions(path: Path, skips: Skips) -> Iterator[Question]:
    """Every question of a file, or of all files in a folder; one that cannot be read is left out.

    Its kind is what is done and what it is about, as in "query attr". Its tags are the rest of what GQA tells: the
    `detailed` kind, the `global` and `local` group, whether it is `balanced`, the ids of `entailed` and `equivalent`
    questions, which may be in another file, and which words of it point at which object, as in "4:6=389027".
    """
    for piece in pieces(path):
        one = f"{piece.name}, question"
        for key, content in members(piece):
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


def _question(key: str, record: Record) -> Question:
    if not key or key.isspace():
        raise SourceError(f"{record.place} has no id", hint="the key of a question is its id")
    image = record.word("imageId")
    if record.content.get("answer") is None:
        raise SourceError(f"{record.place} has no answer", hint="those of test and challenge are not given out")
    return Question(
        key,
        Picture(f"{NAMESPACE}:{image}.jpg"),
        record.word("question"),
        _gold(record.word("answer")),
        kind=_kind(record),
        scene=image,
        program=_program(record),
        full_answer=record.text("fullAnswer", ""),
        tags=_tags(record),
    )


def _kind(record: Record) -> str:
    types = record.mapping("types")
    return f"{types.get('structural') or ''} {types.get('semantic') or ''}".strip()


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
