"""Which column holds what: one table of roles with the names that data sets and tools use, for sources and results."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from counterpoint.core.errors import SourceError, UnknownName

KEY = "__key__"
"""The column in which a row has the key under which it stands in a JSON object."""

ROLE_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "id": ("question_id", "query_id", "qid", "caption_id", "sample_id", "id", "index", "uid", KEY),
        "question": ("question", "sent", "query", "prompt", "instruction", "text"),
        "gold": (
            *("correct_answer", "gold_answer", "answers", "answer", "gold", "ground_truth"),
            *("label", "target", "multiple_choice_answer", "output", "response", "completion"),
        ),
        "prediction": (
            *("prediction", "pred", "predicted_answer", "predicted", "model_answer", "model_response", "response"),
            *("model_output", "output", "completion", "generated_text"),
        ),
        "picture": (
            *("image", "picture", "image_path", "image_file", "image_filename", "image_name"),
            *("file_name", "filename", "img", "img_path", "image_id", "img_id", "picture_id"),
        ),
        "choices": ("choices", "options", "answer_choices", "multiple_choices", "candidates"),
        "caption": ("caption", "captions", "sentence", "sent", "description", "text"),
        "foil": ("foil", "foils", "negative_caption", "hard_negative"),
        "word": ("word", "target_word"),
        "foil_word": ("foil_word",),
        "kind": ("kind", "question_type", "type", "category"),
        "context": ("context", "hint"),
        "split": ("split",),
        "score": ("score", "similarity", "itm_score"),
        "trial": ("trial",),
        "votes": (),
    }
)
"""For each role the names that a column of this role may have, the surest first; `votes` has to be given.

Case and punctuation do not count: `imageId` is `image_id`. What a model answered is never taken for the right answer
under a name that says so (`prediction`, `pred`, `model_output`); `output`, `response` and `completion` can be either.
"""
SETTINGS = ("list", "namespace", "config")
"""What else can be given for a source: the list that has the rows, the namespace of its pictures, its config."""
_SYNONYMS = MappingProxyType({"image": "picture"})

ColumnMap: TypeAlias = Mapping[str, str]
"""The column of each role; empty where there is none."""


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """The roles that the columns of a file can have, and which of them a row needs."""

    names: Mapping[str, Sequence[str]]  # by role, in the order in which columns are assigned to roles
    is_complete: Callable[[ColumnMap], bool]
    settings: tuple[str, ...] = ()  # what else can be given


_SHARED = {
    role: ROLE_NAMES[role] for role in ("picture", "choices", "word", "foil_word", "kind", "context", "split", "votes")
}
_QUESTION = {"id": ROLE_NAMES["id"], "question": ROLE_NAMES["question"], "answer": ROLE_NAMES["gold"]}
_CAPTION = {role: ROLE_NAMES[role] for role in ("caption", "foil")}

QUESTIONS = ColumnLayout(
    _QUESTION | _SHARED,
    lambda found: bool(found["question"] and (found["answer"] or found["votes"])),
    (*SETTINGS, *_CAPTION),
)
CAPTIONS = ColumnLayout(_CAPTION | _QUESTION | _SHARED, lambda found: bool(found["caption"]), SETTINGS)


def _predictions(**names: tuple[str, ...]) -> ColumnLayout:
    def is_complete(found: ColumnMap) -> bool:
        is_known = found["id"] or (found["picture"] and found["text"])
        return bool((found["answer"] or found["score"]) and is_known)

    return ColumnLayout(_PREDICTION | names, is_complete)


_PREDICTION = {
    "id": ("query_id", *ROLE_NAMES["id"], "query"),  # our own id is the surest
    "answer": (*ROLE_NAMES["prediction"], "answer", "text"),  # beside a prediction `answer` is the right answer
    "picture": ("picture", "image_path", *ROLE_NAMES["picture"]),  # `image` may hold the picture itself
    "text": (*ROLE_NAMES["question"], *ROLE_NAMES["caption"]),
    "score": ROLE_NAMES["score"],
    "trial": ROLE_NAMES["trial"],
}
PREDICTIONS = _predictions()
VQA_RESULTS = _predictions(id=("query_id", "question_id"), answer=("answer", "prediction"))
LLAVA_ANSWERS = _predictions(id=("query_id", "question_id"), answer=("text",), text=("prompt",))
VLMEVALKIT_RESULTS = _predictions(id=("query_id", "index"), answer=("prediction",), text=("question",))


@dataclass(slots=True)
class ColumnFinder:
    """Finds the column of each role among the columns of a row, once for each set of names."""

    layout: ColumnLayout
    given: Mapping[str, str] = field(default_factory=dict)  # columns by role, as people say
    _found: dict[tuple[str, ...], ColumnMap] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = (*self.layout.names, *self.layout.settings)
        self.given = {_SYNONYMS.get(role, role): name for role, name in self.given.items()}
        for role in self.given:
            if role not in known:
                raise UnknownName("role of a column", role, known)

    def is_complete(self, names: Sequence[str]) -> bool:
        """Whether a row with these columns can be read."""
        return self.layout.is_complete(self.find(tuple(names)))

    def find(self, names: tuple[str, ...]) -> ColumnMap:
        """The column of each role; no column is guessed for two roles.

        >>> dict(ColumnFinder(PREDICTIONS).find(("questionId", "prediction", "answer")))["answer"]
        'prediction'
        """
        if names not in self._found:
            self._found[names] = self._assign(names)
        return self._found[names]

    def value(self, content: Mapping[str, Any], role: str, place: str = "") -> Any:
        """What a row has in a role; a given column may be a pattern, as `COCO_val2014_{image_id:012}.jpg`."""
        name = self.find(tuple(content))[role]
        if not name:
            return None
        if "{" not in name:
            return value_at(content, name)
        try:
            return name.format_map(content)
        except (KeyError, ValueError, IndexError, AttributeError, TypeError):
            raise SourceError(f"{place}: nothing fits {name}", hint=f"--columns {role}=… names a column") from None

    def _assign(self, names: tuple[str, ...]) -> ColumnMap:
        spelled = {_spelling(name): name for name in reversed(names)}
        given = ((role, name, {name, name.split(".")[0]}) for role, name in self.given.items())
        found = {role: name for role, name, starts in given if "{" in name or not starts.isdisjoint(names)}
        for role, candidates in self.layout.names.items():
            known = () if role in self.given else candidates
            free = (spelled[key] for name in known if (key := _spelling(name)) in spelled)
            found.setdefault(role, next((name for name in free if name not in found.values()), ""))
        return found


def describe_columns(columns: ColumnMap) -> str:
    """Roles and columns in one line.

    >>> describe_columns({"id": "question_id", "answer": "pred", "picture": ""})
    'id=question_id, answer=pred'
    """
    return ", ".join(f"{role}={name}" for role, name in columns.items() if name)


def value_at(content: Mapping[str, Any], name: str) -> Any:
    """The value under a name, or under names joined by dots, one within the other."""
    if not name or name in content:
        return content.get(name)
    value: Any = content
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _spelling(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
