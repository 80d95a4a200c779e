"""GQA, scene graphs of photographs and questions with programs, and GQA-OOD, its questions by frequency of answers."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold
from counterpoint.core.items import Question, Step
from counterpoint.core.pictures import Picture
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.sources.dataset import DataSet, File, split_names
from counterpoint.sources.reading.json_files import decoded_members, members
from counterpoint.sources.reading.json_stream import JsonValue
from counterpoint.sources.reading.records import Record, Skips, box_of, read_each, short_repr, size_of

NAMESPACE = "gqa"
DANGLING = "a relation without a name, or to an object that is not there"
REMEDY = "the rest of the scene stays; is the file whole?"


def scenes(path: Path, skips: Skips) -> Iterator[Scene]:
    """Every scene of a file; scenes, objects and relations that cannot be read are skipped and counted."""
    return read_each(members(path), f"{path.name}, image", skips, lambda record: _scene(record, skips))


def _scene(record: Record, skips: Skips) -> Scene:
    key = str(record.key)
    if not key or key.isspace():
        raise SourceError(f"{record.place} has no id", hint="the key of a scene is the name of its picture")
    size = size_of(record)
    objects, entries = {}, []
    for own, content in record.mapping("objects", needed=True).items():
        with skips:
            entry = Record(content, "object", own, record)
            listed = entry.content.get("relations")  # a list, or an object of them, as the documentation of GQA has it
            relations = listed.values() if isinstance(listed, dict) else entry.list("relations")
            objects[own] = SceneObject(own, entry.word("name"), entry.texts("attributes"), box_of(entry, size, skips))
            entries.append((entry, relations))
    links = tuple(_links(entries, objects, skips))
    place, weather = record.text("location", ""), record.content.get("weather")  # some files have an object with a name
    words = record.record("weather").text("name") if isinstance(weather, dict) else record.text("weather", "")
    return Scene(key, Picture(f"{NAMESPACE}:{key}.jpg"), size, tuple(objects.values()), links, place, words)


def _links(
    entries: Iterable[tuple[Record, Iterable[JsonValue]]], objects: Mapping[str, SceneObject], skips: Skips
) -> Iterator[Link]:
    for (record, relations), own in zip(entries, objects, strict=True):
        for relation in relations:
            if (
                type(relation) is dict
                and type(name := relation.get("name")) is str
                and name.strip()
                and type(other := relation.get("object")) is str
                and other in objects
            ):
                yield Link(own, name, other)
            else:
                skips.skip(DANGLING, f"{record.place}: {short_repr(relation)}", REMEDY)


_gold = lru_cache(4096)(Gold.of)  # few answers are given to many questions
_picture = lru_cache(1 << 10)(lambda image: Picture(f"{NAMESPACE}:{image}.jpg"))  # consecutive questions share one
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
                yield _question(key, record, noun)
            except SourceError as problem:
                skips.problem(problem)


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
    full, gold, tags = record.fullAnswer or "", _gold(str(answer)), (*tags, *_tags(record))
    return Question(key, _picture(image), text, gold, kind, image, program=tuple(program), full_answer=full, tags=tags)


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


_Names: TypeAlias = dict[str, tuple[str, ...]]

_SITE = "the GQA site at Stanford"
_GRAPHS: _Names = split_names(("train", "val"), "{}_sceneGraphs.json", "*sceneGraphs*.json")
_GRAPHS |= {f"{split}_all": names for split, names in _GRAPHS.items()}
_BALANCED_FILES: _Names = {
    split: (f"{split}_balanced_questions.json", f"{split}_questions*.json", f"{ours}_questions.json", "questions*.json")
    for split, ours in {"train": "train", "val": "validation", "testdev": "test"}.items()  # as the world names them
}
_ALL: _Names = {f"{split}_all": (f"{split}_all_questions.json",) for split in ("val", "testdev")}
_PIECES: _Names = {"train_all": ("train_all_questions", "train_all_questions_*.json", "train_all_questions.json")}

gqa = DataSet(
    name="gqa",
    title="GQA",
    files=(
        File("scenes", _GRAPHS, f"{_SITE}, Scene Graphs", kinds=("scenes",)),
        File("questions", _BALANCED_FILES | _PIECES | _ALL, f"{_SITE}, Questions", kinds=("questions",)),
    ),
    read={
        "scenes": lambda files, skips: scenes(files["scenes"], skips),
        "questions": lambda files, skips: questions(files["questions"], skips),
    },
    namespace=NAMESPACE,
    pictures=("images", "allImages/images"),
    origin=f"{_SITE}, Images",
    rules="gqa",
    withheld=("test", "test_all", "challenge", "challenge_all", "submission"),
    exhaustive="nothing for sure: what nobody annotated counts as absent where nothing annotated speaks against it",
)

_PARTS = tuple(f"{split}_{part}" for split in ("testdev", "val") for part in ("all", "head", "tail"))

gqa_ood = DataSet(
    name="gqa-ood",
    title="GQA-OOD",
    files=(File("questions", split_names(_PARTS, "data/ood_{}.json", "{}.json"), "the GQA-OOD repository, data"),),
    read={"questions": lambda files, skips: questions(files["questions"], skips)},
    namespace=NAMESPACE,
    pictures=gqa.pictures,
    origin=gqa.origin,
    rules="gqa",
)
