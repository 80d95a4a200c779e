"""Which column of a row holds what: as people say, or else as columns are mostly called."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from counterpoint.core.errors import UnknownName
from counterpoint.sources.records import Record
from counterpoint.sources.tables import KEY, value_at

NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "id": ("question_id", "query_id", "qid", "caption_id", "sample_id", "id", "index", "uid", KEY),
        "question": ("question", "query", "prompt", "instruction", "text"),
        "answer": (
            *("correct_answer", "gold_answer", "answers", "answer", "gold", "ground_truth"),
            *("label", "target", "multiple_choice_answer"),
        ),
        "picture": (
            *("image", "picture", "image_path", "image_file", "image_filename", "image_name"),
            *("file_name", "filename", "img", "img_path", "image_id", "picture_id"),
        ),
        "choices": ("choices", "options", "answer_choices", "multiple_choices", "candidates"),
        "caption": ("caption", "captions", "sentence", "description", "text"),
        "foil": ("foil", "foils", "negative_caption", "hard_negative"),
        "word": ("word", "target_word"),
        "foil_word": ("foil_word",),
        "kind": ("kind", "question_type", "type", "category"),
        "context": ("context", "hint"),
        "split": ("split",),
        "votes": (),
    }
)
"""For each role the names that a column of this role may have, the surest first; `votes` has to be said."""
SETTINGS = ("list", "namespace", "config")
"""What else can be said of a file: the list that has the rows, the namespace of its pictures, which of its parts."""
_ALIKE = MappingProxyType({"image": "picture"})
_NEEDED = MappingProxyType({"questions": ("question", "answer"), "captions": ("caption",)})


@dataclass(slots=True)
class Columns:
    """Looks up the columns of a kind, once for each set of names."""

    kind: str
    given: Mapping[str, str]
    _seen: dict[tuple[str, ...], Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = (*NAMES, *SETTINGS)
        self.given = {_ALIKE.get(role, role): name for role, name in self.given.items()}
        for role in self.given:
            if role not in known:
                raise UnknownName("role of a column", role, known)

    def fit(self, names: Sequence[str]) -> bool:
        """Whether a row with these names can be read."""
        found = self.of(tuple(names))
        return all(found[role] or (role == "answer" and found["votes"]) for role in _NEEDED[self.kind])

    def of(self, names: tuple[str, ...]) -> Mapping[str, str]:
        """The column of each role; empty where there is none. No column is guessed for two roles."""
        if names not in self._seen:
            self._seen[names] = self._chosen(names)
        return self._seen[names]

    def value(self, record: Record, role: str) -> Any:
        """What a row has in a role; a column that is said may be a pattern, as `COCO_val2014_{image_id:012}.jpg`."""
        name = self.of(tuple(record.content))[role]
        if not name:
            return None
        if "{" not in name:
            return value_at(record.content, name)
        try:
            return name.format_map(record.content)
        except (KeyError, ValueError, IndexError, AttributeError, TypeError):
            raise record.wrong(role, f"something that fits {name}") from None

    def _chosen(self, names: tuple[str, ...]) -> dict[str, str]:
        spelled = {_spelling(name): name for name in reversed(names)}
        found = {role: name for role, name in self.given.items() if self._is_there(name, names)}
        ours = [role for role in NAMES if role not in ("caption", "foil")]
        for role in ours if self.kind == "questions" else ["caption", "foil", *ours]:
            known = () if role in self.given else NAMES[role]
            free = (spelled[one] for name in known if (one := _spelling(name)) in spelled)
            found.setdefault(role, next((name for name in free if name not in found.values()), ""))
        return found

    @staticmethod
    def _is_there(name: str, names: tuple[str, ...]) -> bool:
        return "{" in name or name in names or name.split(".")[0] in names


def _spelling(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
