"""Questions of the world in the layout of GQA's `*_questions.json`, with spans of what each mention points to."""

import re
from collections.abc import Iterable
from types import MappingProxyType
from typing import Any, TypeAlias

from counterpoint.core.items import Question, Step
from counterpoint.language.english import plural
from counterpoint.world.kinds import kinds

Json: TypeAlias = dict[str, Any]
"""A JSON object."""

_MENTION = re.compile(r"(?P<words>.*?)\s*\((?P<ids>[\w,]+|-)\)$")
_STRUCTURES = MappingProxyType(
    {
        "exist": "verify",
        "verify": "verify",
        "query": "query",
        "count": "query",
        "choose": "choose",
        "compare": "compare",
    }
)
_DETAILS = MappingProxyType(
    {
        "exist": "exist",
        "exist relation": "existRelS",
        "and": "existAnd",
        "or": "existOr",
        "verify relation": "relVerify",
        "choose relation": "relChooser",
        "choose name": "categoryAttr",
        "choose side": "positionChoose",
        "query side": "positionQuery",
        "query name": "relO",
        "query support": "relO",
        "query activity": "activity",
        "query color": "directOf",
        "query material": "material",
        "query place": "place",
        "query weather": "weather",
        "verify place": "placeVerify",
        "verify weather": "weatherVerify",
        "choose place": "placeChoose",
        "choose weather": "weatherChoose",
        "compare": "twoSame",
        "count": "count",
    }
)


def gqa_questions_file(questions: Iterable[Question]) -> Json:
    """`*_questions.json`: questions by id."""
    return {question.id: gqa_question(question) for question in questions}


def gqa_question(question: Question) -> Json:
    """One question with all that GQA tells about it; questions of the world entail nothing but themselves."""
    mentions = _mentions(question.program)
    return {
        "semantic": [
            {"operation": step.operation, "dependencies": list(step.inputs), "argument": step.argument}
            for step in question.program
        ],
        "entailed": [question.id],
        "equivalent": [question.id],
        "question": question.text,
        "imageId": question.scene,
        "isBalanced": True,
        "groups": {
            "global": _global_group(question),
            "local": f"{question.kind}-{'_'.join(w for w, _, _ in mentions)}",
        },
        "answer": question.gold.best,
        "semanticStr": semantic_text(question.program),
        "annotations": {
            "answer": _answer_span(question, mentions),
            "question": _spans(question.text, mentions),
            "fullAnswer": _spans(question.full_answer, mentions),
        },
        "types": {
            "detailed": _detail(question.kind),
            "semantic": _meaning(question),
            "structural": _structure(question),
        },
        "fullAnswer": question.full_answer,
    }


def semantic_text(program: Iterable[Step]) -> str:
    """A program in one line, as GQA writes it.

    >>> semantic_text([Step("select", "cup (17)"), Step("query", "color", (0,))])
    'select: cup (17)->query: color [0]'
    """
    return "->".join(
        f"{step.operation}: {step.argument}" + (f" [{', '.join(map(str, step.inputs))}]" if step.inputs else "")
        for step in program
    )


def _mentions(program: Iterable[Step]) -> list[tuple[str, str, str]]:
    """Name, object id and quality of each single thing that a program names."""
    steps = list(program)
    mentions = []
    for place, step in enumerate(steps):
        match = _MENTION.match(step.argument)
        if match and match["ids"] != "-" and "," not in match["ids"]:
            name = match["words"].split(",")[0]
            following = steps[place + 1] if place + 1 < len(steps) else None
            quality = following.argument if following and following.operation.startswith("filter") else ""
            mentions.append((name, match["ids"], quality))
    return mentions


def _spans(text: str, mentions: list[tuple[str, str, str]]) -> dict[str, str]:
    """Where the words of a text speak of an object: a token, or the first and the one after the last."""
    tokens = [token.lower().strip(".,?").removesuffix("'s").removesuffix("'") for token in text.split()]
    spans: dict[str, str] = {}
    for name, object_id, quality in mentions:
        for words in ([*quality.split(), *name.split()], name.split(), plural(name).split()):
            start = _start(tokens, words)
            if start is not None:
                spans[str(start) if len(words) == 1 else f"{start}:{start + len(words)}"] = object_id
                break
    return spans


def _start(tokens: list[str], words: list[str]) -> int | None:
    return next((i for i in range(len(tokens)) if tokens[i : i + len(words)] == words), None)


def _answer_span(question: Question, mentions: list[tuple[str, str, str]]) -> dict[str, str]:
    words = question.gold.best.split()
    asks_name = bool(question.program) and question.program[-1].argument == "name"
    if not asks_name or not mentions:
        return {}
    return {"0" if len(words) == 1 else f"0:{len(words)}": mentions[-1][1]}


def _structure(question: Question) -> str:
    return "logical" if question.kind in ("and", "or") else _STRUCTURES[question.kind.partition(" ")[0]]


def _meaning(question: Question) -> str:
    words = question.kind.split()
    if words[-1] in ("place", "weather"):
        return "global"
    if words[-1] in ("relation", "support") or question.kind == "query name":
        return "rel"
    return "obj" if words[0] in ("exist", "and", "or", "count") else "cat" if words[-1] == "name" else "attr"


def _detail(kind: str) -> str:
    return _DETAILS.get(kind) or {"verify": "verifyAttr", "choose": "chooseAttr"}.get(kind.partition(" ")[0], "direct")


def _global_group(question: Question) -> str | None:
    answer = question.gold.best
    if answer in kinds():
        return kinds()[answer].family
    attribute = question.kind.partition(" ")[2]
    return (
        attribute
        if question.kind.startswith(("query", "choose")) and attribute not in ("side", "relation", "name")
        else None
    )
