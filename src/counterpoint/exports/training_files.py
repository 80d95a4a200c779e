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
    """Questions of one split, in the order in which they are written, and the prompt of each in a chat."""

    questions: Sequence[Question]
    split: str = "train"
    prompt: Callable[[Question], str] = lambda question: question.text


def write_training_files(training: TrainingQuestions, layout: str, folder: Path) -> tuple[str, ...]:
    """Write questions in one layout into a folder; returns the names of the files."""
    names = []
    for name, lines in TRAINING_LAYOUTS[layout](training).items():
        with (folder / name).open("w", encoding="utf-8") as file:
            file.writelines(lines)
        names.append(name)
    return tuple(names)


def _gqa(training: TrainingQuestions) -> Mapping[str, Iterator[str]]:
    """LXMERT's list, which is the layout of the released CARETS files, and GQA's questions by id."""
    rows = (
        {
            "img_id": _stem(question.picture),
            "label": dict(question.gold.answers),
            "question_id": question.id,
            "sent": question.text,
            "question_type": question.kind,
        }
        for question in training.questions
    )
    by_id = ((question.id, _gqa_question(question)) for question in training.questions)
    return {
        f"{training.split}.json": _listed(rows),
        f"{training.split}_balanced_questions.json": _keyed(by_id),
    }


def _gqa_question(question: Question) -> Json:
    answer, kind = question.gold.best, question.kind
    meaning = "attr" if kind.startswith(("attribute", "action")) else "cat" if kind.endswith("choice") else "obj"
    structure = next((name for word, name in _STRUCTURES.items() if word in kind.split()), "verify")
    return {
        "semantic": [],
        "entailed": [question.id],
        "equivalent": [question.id],
        "question": question.text,
        "imageId": _stem(question.picture),
        "isBalanced": True,
        "groups": {"global": None, "local": kind},
        "answer": answer,
        "semanticStr": "",
        "annotations": {"answer": {}, "question": {}, "fullAnswer": {}},
        "types": {"detailed": kind, "semantic": meaning, "structural": structure},
        "fullAnswer": answer,
    }


def _vqa(training: TrainingQuestions) -> Mapping[str, Iterator[str]]:
    """The two files of VQA v2; every question has ten equal votes, and the path of its picture."""
    numbers = image_numbers(question.picture for question in training.questions)
    rows = list(_numbered(training.questions, numbers))
    questions = (
        {
            "image_id": numbers[question.picture.address],
            "question": question.text,
            "question_id": number,
            "image": question.picture.path,
        }
        for number, question in rows
    )
    annotations = (_annotation(question, number, numbers[question.picture.address]) for number, question in rows)
    head = {"data_type": "counterpoint", "data_subtype": training.split}
    return {
        f"v2_OpenEnded_{training.split}_questions.json": _filed(
            {"task_type": "Open-Ended", **head}, "questions", _listed(questions)
        ),
        f"v2_{training.split}_annotations.json": _filed(head, "annotations", _listed(annotations)),
    }


def _annotation(question: Question, number: int, image: int) -> Json:
    best = question.gold.best
    return {
        "question_type": question.kind,
        "multiple_choice_answer": best,
        "answers": [{"answer": best, "answer_confidence": "yes", "answer_id": k} for k in range(1, _VOTES + 1)],
        "image_id": image,
        "answer_type": "yes/no" if best in ("yes", "no") else "number" if best.isdecimal() else "other",
        "question_id": number,
    }


def _numbered(questions: Iterable[Question], numbers: Mapping[str, int]) -> Iterator[tuple[int, Question]]:
    """Questions with their numbers: that of the picture, then a running one of three digits, as in VQA, or of more."""
    counts, listed = Counter[str](), list(questions)
    most = max(Counter(question.picture.address for question in listed).values(), default=1)
    step = max(1000, 10 ** len(str(most - 1)))
    for question in listed:
        yield numbers[question.picture.address] * step + counts[question.picture.address], question
        counts[question.picture.address] += 1


def image_numbers(pictures: Iterable[Picture]) -> dict[str, int]:
    """A number for each picture: the one that ends its name, or its position among all where two would collide.

    >>> image_numbers([Picture("coco:train2014/COCO_train2014_000000000009.jpg")])
    {'coco:train2014/COCO_train2014_000000000009.jpg': 9}
    """
    addresses = sorted({picture.address for picture in pictures})
    ends = [_NUMBER.search(address) for address in addresses]
    numbers = [int(end[1]) for end in ends if end]
    if len(set(numbers)) < len(addresses):
        numbers = list(range(1, len(addresses) + 1))
    return dict(zip(addresses, numbers, strict=True))


def _chat(training: TrainingQuestions) -> Mapping[str, Iterator[str]]:
    """LLaVA's conversations, and chat messages in the format of OpenAI as JSON lines."""
    conversations = (
        {
            "id": question.id,
            "image": question.picture.path,
            "conversations": [
                {"from": "human", "value": f"<image>\n{training.prompt(question)}"},
                {"from": "gpt", "value": question.gold.best},
            ],
        }
        for question in training.questions
    )
    messages = ({"messages": _messages(question, training.prompt(question))} for question in training.questions)
    return {
        "conversations.json": _listed(conversations),
        "messages.jsonl": (f"{_line(question)}\n" for question in messages),
    }


def _messages(question: Question, words: str) -> list[Json]:
    image = {"type": "image_url", "image_url": {"url": question.picture.path}}
    return [
        {"role": "user", "content": [image, {"type": "text", "text": words}]},
        {"role": "assistant", "content": question.gold.best},
    ]


TRAINING_LAYOUTS: Mapping[str, Callable[[TrainingQuestions], Mapping[str, Iterator[str]]]] = MappingProxyType(
    {"gqa": _gqa, "vqa": _vqa, "chat": _chat}
)
"""The layouts by name; each yields the lines of its files."""


def _stem(picture: Picture) -> str:
    """A picture's id as GQA has it: its path without the ending."""
    return picture.path.rpartition(".")[0] or picture.path


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
