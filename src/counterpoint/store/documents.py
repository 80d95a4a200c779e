"""JSON documents with digests, written whole or not at all, and integrity checks of what is stored."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from counterpoint.core.errors import StoreError
from counterpoint.store.storage import Storage

_DIGEST = "$digest"  # the key of a document under which its digest is


class DocumentAltered(StoreError):  # noqa: N818 - it reads as the sentence it is
    """A JSON document is not what was written: its digest does not fit."""


def read_object(storage: Storage, name: str, *, checked: bool = True) -> dict[str, Any]:
    """A JSON object in a file, without its digest; `checked` against it, where it has one (older labs have none)."""
    try:
        content = json.loads(storage.get(name))
    except (ValueError, RecursionError) as problem:
        fact = f"{storage.describe(name)} cannot be read as JSON: {problem}"
        raise StoreError(fact, hint="restore the file from a copy, or make it anew") from problem
    if not isinstance(content, dict):
        raise StoreError(f"{storage.describe(name)} holds no JSON object", hint="restore the file from a copy")
    digest = content.pop(_DIGEST, None)
    if checked and digest not in (None, _document_digest(content)):
        hint = "restore the file from a copy; counterpoint verify --repair says what else can be done"
        raise DocumentAltered(f"{storage.describe(name)} was altered: its digest does not fit", hint=hint)
    return content


def put_object(storage: Storage, name: str, content: Mapping[str, Any]) -> None:
    """Write a JSON object, indented, for people to read, with a digest of it as the last key."""
    storage.put(name, document_text(content).encode("utf-8", "backslashreplace"))


def document_text(content: Mapping[str, Any]) -> str:
    """A JSON object with its digest, as it is written."""
    digest = _document_digest(json.loads(json.dumps(content)))
    return f"{json.dumps({**content, _DIGEST: digest}, ensure_ascii=False, indent=2)}\n"


def _document_digest(content: Mapping[str, Any]) -> str:
    """The digest of a JSON object, 128 bits of BLAKE2b, whatever the order of its keys and its blanks."""
    return blake2b(json.dumps(content, sort_keys=True, separators=(",", ":")).encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Repair:
    """What makes a check hold again: a sentence in the imperative, and the function that does it."""

    description: str
    apply: Callable[[], None]


@dataclass(frozen=True, slots=True)
class IntegrityCheck:
    """One requirement of a suite or a lab, whether it holds, what was found, and how it can be repaired."""

    place: str
    name: str
    holds: bool
    found: str = ""
    hint: str = ""
    repair: Repair | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        repair = self.repair.description if self.repair else ""
        about = {"place": self.place, "name": self.name, "holds": self.holds}
        return about | {"found": self.found, "hint": self.hint, "repair": repair}


def is_listed(storage: Storage, name: str) -> bool:
    """Whether a file that was listed before still is: another process may have merged or deleted it since."""
    return name in storage.names(f"{name.rpartition('/')[0]}/" if "/" in name else "")


def check_readable(place: str, reading: Callable[[], object], repair: Repair | None = None) -> IntegrityCheck:
    """Whether a file can be read; `repair` is offered where it cannot."""
    try:
        reading()
    except StoreError as problem:
        return IntegrityCheck(place, "readable", False, str(problem), problem.hint, repair)
    return IntegrityCheck(place, "readable", True)


def is_readable(storage: Storage, name: str) -> bool:
    """Whether there is a JSON object of this name, altered or not."""
    try:
        read_object(storage, name, checked=False)
    except StoreError:
        return False
    return True


def check_document(storage: Storage, name: str, reading: Callable[[], object]) -> IntegrityCheck:
    """Whether a JSON document can be read and is what was written; what was altered can be accepted."""
    try:
        reading()
    except DocumentAltered as problem:
        content = read_object(storage, name, checked=False)
        accept = Repair(f"accept {name} as it is now", lambda: put_object(storage, name, content))
        return IntegrityCheck(name, "digest", False, str(problem), problem.hint, accept)
    except StoreError as problem:
        return IntegrityCheck(name, "readable", False, str(problem), problem.hint)
    return IntegrityCheck(name, "readable", True)
