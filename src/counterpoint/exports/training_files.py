"""Questions for training in the layouts that training code reads: GQA and LXMERT, VQA v2, and chat.

Wherever a file names a picture, it does so by its path within the folder of pictures: `train/000007.png`.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture

Json: TypeAlias = dict[str, Any]
"""A JSON object."""
_VOTES = 10
_NUMBER = re.compile(r"(\d+)\.\w+$")
_STRUCTURES = {"choice": "choose", "conjunctive": "logical", "disjunctive": "logical"}


@dataclass(frozen=True, slots=True)
class TrainingQuestions:
    """Questions of one split, in the order in which they are written, and how a chat puts one into words."""

    questions: Sequence[Question]
    split: str = "train"
    prompt: Callable[[Question], str] = lambda question: question.text


def write_training_files(lessons: TrainingQuestions, form: str, folder: Path) -> tuple[str, ...]:
    """Write questions in one form into a folder; the names of the files."""
    names = []
    for name, lines in TRAINING_LAYOUTS[form](lessons).items():
        with (folder / name).open("w", encoding="utf-8") as file:
            file.writelines(lines)
        names.append(name)
    return tuple(names)


def _gqa(lessons: TrainingQuestions) -> Mapping[str, Iterator[str]]:
    """LXMERT's list, in which the released files of CARETS are too, and GQA's questions by id."""
    rows = (
        {
            "img_id": _stem(one.picture),
            "label": dict(one.gold.answers),
            "question_id": one.id,
            "sent": one.text,
            "question_type": one.kind,
        }
        for one in lessons.questions
    )
    by_id = ((one.id, _gqa_question(one)) for one in lessons.questions)
    return {
        f"{lessons.split}.json": _listed(rows),
        f"{lessons.split}_balanced_questions.json": _keyed(by_id),
    }


def _gqa_question(one: Question) -> Json:
    answer = one.gold.best
    return {
        "semantic": [],
        "entailed": [one.id],
        "equivalent": [one.id],
        "question": one.text,
        "imageId": _stem(one.picture),
        "isBalanced": True,
        "groups": {"global": None, "local": one.kind},
        "answer": answer,
        "semanticStr": "",
        "annotations": {"answer": {}, "question": {}, "fullAnswer": {}},
        "types": {"detailed": one.kind, "semantic": _meaning(one.kind), "structural": _structure(one.kind)},
        "fullAnswer": answer,
    }


def _vqa(lessons: TrainingQuestions) -> Mapping[str, Iterator[str]]:
    """The two files of VQA v2; every question has ten voices for its answer, and says where its picture is."""
    numbers = image_numbers(one.picture for one in lessons.questions)
    rows = list(_numbered(lessons.questions, numbers))
    asked = (
        {
            "image_id": numbers[one.picture.address],
            "question": one.text,
            "question_id": number,
            "image": one.picture.path,
        }
        for number, one in rows
    )
    told = (_annotation(one, number, numbers[one.picture.address]) for number, one in rows)
    head = {"data_type": "counterpoint", "data_subtype": lessons.split}
    return {
        f"v2_OpenEnded_{lessons.split}_questions.json": _filed(
            {"task_type": "Open-Ended", **head}, "questions", _listed(asked)
        ),
        f"v2_{lessons.split}_annotations.json": _filed(head, "annotations", _listed(told)),
    }


def _annotation(one: Question, number: int, image: int) -> Json:
    best = one.gold.best
    return {
        "question_type": one.kind,
        "multiple_choice_answer": best,
        "answers": [{"answer": best, "answer_confidence": "yes", "answer_id": k} for k in range(1, _VOTES + 1)],
        "image_id": image,
        "answer_type": "yes/no" if best in ("yes", "no") else "number" if best.isdecimal() else "other",
        "question_id": number,
    }


def _numbered(questions: Iterable[Question], numbers: Mapping[str, int]) -> Iterator[tuple[int, Question]]:
    """Questions with their numbers: that of the picture, then a running one, as in VQA."""
    seen = Counter[str]()
    for one in questions:
        yield numbers[one.picture.address] * 1000 + seen[one.picture.address], one
        seen[one.picture.address] += 1


def image_numbers(pictures: Iterable[Picture]) -> dict[str, int]:
    """A number for each picture: the one its name ends in, or where two would share one, its place among all.

    >>> image_numbers([Picture("coco:train2014/COCO_train2014_000000000009.jpg")])
    {'coco:train2014/COCO_train2014_000000000009.jpg': 9}
    """
    addresses = sorted({picture.address for picture in pictures})
    ends = [_NUMBER.search(address) for address in addresses]
    told = [int(end[1]) for end in ends if end]
    if len(set(told)) < len(addresses):
        told = list(range(1, len(addresses) + 1))
    return dict(zip(addresses, told, strict=True))


def _chat(lessons: TrainingQuestions) -> Mapping[str, Iterator[str]]:
    """LLaVA's conversations, and messages in the manner of OpenAI, a line each."""
    talks = (
        {
            "id": one.id,
            "image": one.picture.path,
            "conversations": [
                {"from": "human", "value": f"<image>\n{lessons.prompt(one)}"},
                {"from": "gpt", "value": one.gold.best},
            ],
        }
        for one in lessons.questions
    )
    messages = ({"messages": _messages(one, lessons.prompt(one))} for one in lessons.questions)
    return {"conversations.json": _listed(talks), "messages.jsonl": (f"{_line(one)}\n" for one in messages)}


def _messages(one: Question, words: str) -> list[Json]:
    shown = {"type": "image_url", "image_url": {"url": one.picture.path}}
    return [
        {"role": "user", "content": [shown, {"type": "text", "text": words}]},
        {"role": "assistant", "content": one.gold.best},
    ]


TRAINING_LAYOUTS: Mapping[str, Callable[[TrainingQuestions], Mapping[str, Iterator[str]]]] = MappingProxyType(
    {"gqa": _gqa, "vqa": _vqa, "chat": _chat}
)
"""The layouts by name: each gives the lines of its files."""


def _stem(picture: Picture) -> str:
    """A picture's id as GQA has it: its path without the ending."""
    return picture.path.rpartition(".")[0] or picture.path


def _structure(kind: str) -> str:
    return next((name for word, name in _STRUCTURES.items() if word in kind.split()), "verify")


def _meaning(kind: str) -> str:
    return "attr" if kind.startswith(("attribute", "action")) else "cat" if kind.endswith("choice") else "obj"


def _line(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _listed(rows: Iterable[Json]) -> Iterator[str]:
    """A JSON list, an element a line, without ever holding all of it."""
    yield "["
    for place, row in enumerate(rows):
        yield f"{',' if place else ''}\n{_line(row)}"
    yield "\n]\n"


def _keyed(rows: Iterable[tuple[str, Json]]) -> Iterator[str]:
    yield "{"
    for place, (key, row) in enumerate(rows):
        yield f"{',' if place else ''}\n{_line(key)}:{_line(row)}"
    yield "\n}\n"


def _filed(head: Json, name: str, rows: Iterator[str]) -> Iterator[str]:
    yield f"{_line(head)[:-1]},{_line(name)}:"
    yield from rows
    yield "}\n"
