"""Which column holds what: one table of roles with the names that data sets and tools use, for sources and results."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from counterpoint.core.errors import SourceError, UnknownName
from counterpoint.sources.reading.cells import text_of

KEY, ITEMS, FILE = "__key__", "__items__", "__file__"
"""The columns of a row for the key under which it stands in a JSON object, a list there, and the stem of its file."""

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
            *("model_output", "output", "outputs", "completion", "generated_text", "pred*"),
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
        "group": ("group_id", "group", "pair_id", "pair"),
        "role": ("role",),
        "relation": ("relation",),
        "mode": ("mode",),
        "test": (),
        "tags": (),
        "truth": (),
        "variants": (),
        "votes": (),
    }
)
"""For each role the names that a column of this role may have, the surest first; roles without names have to be given.

Case and punctuation do not count: `imageId` is `image_id`. What a model answered is never taken for the right answer
under a name that says so (`prediction`, `pred`, `model_output`); `output`, `response` and `completion` can be either.
"""
SETTINGS = ("list", "namespace", "config", "files", "with", "on", "rows", "pairs", "base", "orders")
"""What else can be given for a source: the list that has the rows, the namespace of its pictures, its config, a pattern
of file names in its folder, a second file with the key on which it is joined, and for groups how many rows in turn are
one, a file with the ids of each, the role of the base, and the orders in which choices are offered."""
_TERM = re.compile(r"""'[^']*'|"[^"]*"|[^+]+""")
SYNONYMS: Mapping[str, str] = MappingProxyType({"image": "picture", "question": "text"})
"""Other names of roles that people may say; a role that a layout has itself stays, as the question of a source does."""

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
_QUESTION = {
    "id": ROLE_NAMES["id"],
    "question": ROLE_NAMES["question"],
    "answer": ROLE_NAMES["gold"],
    "truth": ROLE_NAMES["truth"],
}
_CAPTION = {role: ROLE_NAMES[role] for role in ("caption", "foil")}
_GROUP = {role: ROLE_NAMES[role] for role in ("group", "role", "relation", "mode", "test", "tags", "variants")}

QUESTIONS = ColumnLayout(
    _QUESTION | _SHARED | {"tags": ROLE_NAMES["tags"]},
    lambda found: bool(found["question"] and (found["answer"] or found["votes"] or found["truth"])),
    (*SETTINGS, *_CAPTION, *_GROUP),
)
CAPTIONS = ColumnLayout(_CAPTION | _QUESTION | _SHARED, lambda found: bool(found["caption"]), (*SETTINGS, *_GROUP))
GROUPS = ColumnLayout(
    _GROUP | _QUESTION | _CAPTION | _SHARED,
    lambda found: bool(found["question"] or found["caption"] or found["variants"]),
    SETTINGS,
)


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
    "choices": ROLE_NAMES["choices"],
    "score": ROLE_NAMES["score"],
    "trial": ROLE_NAMES["trial"],
}
PREDICTIONS = _predictions()
VQA_RESULTS = _predictions(id=("query_id", "question_id"), answer=("answer", "prediction"))
ASKED = ColumnLayout(
    {
        "id": ROLE_NAMES["id"],
        "picture": _PREDICTION["picture"],
        "text": (*ROLE_NAMES["question"], *ROLE_NAMES["caption"], "conversations"),
        "choices": ROLE_NAMES["choices"],
    },
    lambda found: bool(found["id"] and found["text"]),
)
"""What a model was asked, in a file of its own beside the answers."""
LLAVA_ANSWERS = _predictions(id=("query_id", "question_id"), answer=("text",), text=("prompt",))
VLMEVALKIT_RESULTS = _predictions(id=("query_id", "index"), answer=("prediction",), text=("question",))


@dataclass(slots=True)
class ColumnFinder:
    """Finds the column of each role among the columns of a row, once for each set of names."""

    layout: ColumnLayout
    given: Mapping[str, str] = field(default_factory=dict)  # columns by role, as people say
    _found: dict[tuple[str, ...], ColumnMap] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.given, Mapping):  # as a caller from Python may write it
            raise SourceError(f"columns is {self.given!r}", hint='write {"question": "Q", "answer": "A"}')
        known = (*self.layout.names, *self.layout.settings)
        self.given = {self._role(role): name for role, name in self.given.items()}
        for role in self.given:
            if role not in known:
                raise UnknownName("role of a column", role, known)

    def _role(self, name: str) -> str:
        """The role that people mean by a name: of two names for one thing, the one that the layout has."""
        other = SYNONYMS.get(name, name)
        return other if name not in self.layout.names and other in self.layout.names else name

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
        """What a row has in a role; of several columns, in the first."""
        return next(iter(self.values(content, role, place)), None)

    def terms(self, content: Collection[str], role: str) -> list[str]:
        """The columns, patterns and constants of a role, which are given with + between them.

        >>> ColumnFinder(GROUPS, {"question": "asked+'Is it?'"}).terms({"asked": "Is it red?"}, "question")
        ['asked', "'Is it?'"]
        """
        name = self.find(tuple(content))[role]
        return [name] if name and name in content else [term.strip() for term in _TERM.findall(name)]

    def values(self, content: Mapping[str, Any], role: str, place: str = "") -> list[Any]:
        """What a row has in each of several columns of a role."""
        return [self.term_value(content, role, name, place) for name in self.terms(content, role)]

    def tags(self, content: Mapping[str, Any], place: str) -> tuple[tuple[str, str], ...]:
        """The columns by which scores can be cut, each with what a row has there; a list is one text, with commas."""
        cells = zip(self.terms(content, "tags"), self.values(content, "tags", place), strict=True)
        parts = ((name, cell if isinstance(cell, list) else [cell]) for name, cell in cells)
        return tuple((name, text) for name, own in parts if (text := ", ".join(filter(None, map(text_of, own)))))

    def term_value(self, content: Mapping[str, Any], role: str, name: str, place: str) -> Any:
        """A constant in quotation marks, a pattern such as `COCO_val2014_{image_id:012}.jpg`, or a column."""
        if name in content:
            return content[name]
        constant = constant_of(name)
        if "{" not in name:
            return value_at(content, name) if constant is None else constant
        try:
            return (name if constant is None else constant).format_map(_PatternCells(content))
        except (KeyError, ValueError, IndexError, AttributeError, TypeError):
            raise SourceError(f"{place}: nothing fits {name}", hint=f"--columns {role}=… names a column") from None

    def _assign(self, names: tuple[str, ...]) -> ColumnMap:
        spelled = {_spelling(name): name for name in reversed(names)}
        roles = ((role, name) for role, name in self.given.items() if role not in SETTINGS)
        found = {role: name for role, name in roles if name in names or _is_among(name, names)}
        for role, candidates in self.layout.names.items():
            known = () if role in self.given else candidates
            free = (spelled[key] for name in known for key in _matching(name, spelled))
            found.setdefault(role, next((name for name in free if name not in found.values()), ""))
        return found


class _PatternCells(dict[str, Any]):
    """Cells for a pattern: a number that is written as text, as all are in text files, is padded as a number."""

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        if isinstance(value, float) and value.is_integer():  # a column of numbers with gaps
            return int(value)
        return _PatternText(value) if isinstance(value, str) else value


class _PatternText(str):
    def __format__(self, form: str) -> str:
        return format(int(self), form) if self.isdecimal() and _PADDED.fullmatch(form) else super().__format__(form)


_PADDED = re.compile(r"0\d*d?|d")


def _is_among(expression: str, names: Sequence[str]) -> bool:
    """Whether a row with these columns has something for at least one term."""
    terms = [term.strip() for term in _TERM.findall(expression)]
    return any("{" in term or constant_of(term) is not None or {term, term.split(".")[0]} & {*names} for term in terms)


def constant_of(term: str) -> str | None:
    """The text of a constant, which stands in quotation marks; none of a column.

    >>> constant_of("'same'"), constant_of("relation")
    ('same', None)
    """
    return term[1:-1] if len(term) > 1 and term[0] == term[-1] and term[0] in "'\"" else None


def describe_columns(columns: ColumnMap) -> str:
    """Roles and columns in one line.

    >>> describe_columns({"id": "question_id", "answer": "pred", "picture": ""})
    'id=question_id, answer=pred'
    """
    return ", ".join(f"{role}={name}" for role, name in columns.items() if name)


def value_at(content: Mapping[str, Any], name: str) -> Any:
    """The value under a name, or under names joined by dots, one within the other; in a list, a place from 0.

    >>> value_at({"body": {"choices": [{"text": "yes"}]}}, "body.choices.0.text")
    'yes'
    """
    if name in content:
        return content[name] if name else None  # a role without a column is not the one without a name
    value: Any = content if name else {}
    for part in name.split("."):
        if isinstance(value, list) and part.isdecimal():
            value = value[int(part)] if int(part) < len(value) else None
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value


_NO_REPLY = re.compile(r"predicate.*|.*(id|idx|index|score|scores|prob|probs|probability|confidence|conf|logits?|time)")


def _matching(name: str, spelled: Mapping[str, str]) -> Iterable[str]:
    """The spellings that a known name has among some; `pred*` is any that begins so and holds a reply."""
    if not name.endswith("*"):
        return [key] if (key := _spelling(name)) in spelled else []
    return [key for key in spelled if key.startswith(name[:-1]) and not _NO_REPLY.fullmatch(key)]


def _spelling(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
