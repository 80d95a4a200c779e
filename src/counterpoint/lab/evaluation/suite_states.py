"""Which suites of an evaluation file a lab has, and which were made by other settings than the file has now."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path
from typing import Any

from counterpoint import catalog
from counterpoint.lab.evaluation.settings import SuiteSettings
from counterpoint.lab.generated_suites import GeneratedSuite
from counterpoint.lab.generation import suite_names
from counterpoint.store.documents import put_object, read_object
from counterpoint.store.lab import LabStore
from counterpoint.store.storage import FileMissing
from counterpoint.store.suites import Manifest

_RECORD = "evaluation.json"
"""By which settings each suite was made from a file, since a manifest does not name folders of one machine."""
_LARGE = 2**25  # bytes of a file from which on it takes too long to read it for a digest
_IN_MANIFEST = {"source": "source", "items": "scenes", "limit": "groups"}
"""Settings that a manifest holds, by their keys there."""


class SuitePresence(StrEnum):
    """Whether a lab has a suite as the file describes it."""

    THERE = "there"
    MISSING = "missing"
    CHANGED = "changed"
    MADE = "made"


@dataclass(frozen=True, slots=True)
class SuiteState:
    """A suite or family of the file: the names that it has in the lab, and what the file says otherwise."""

    title: str
    presence: SuitePresence
    names: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()  # each a sentence


@dataclass(frozen=True, slots=True)
class SuiteRecords:
    """What a lab knows of the suites that were made from a file, by their titles there."""

    store: LabStore
    folder: Path  # to which paths of the file are relative
    content: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, store: LabStore, folder: Path) -> "SuiteRecords":
        """The records of a lab; none where there is no lab yet."""
        try:
            held = read_object(store.storage, _RECORD).get("suites", {})
        except FileMissing:
            held = {}
        return cls(store, folder, held if isinstance(held, dict) else {})

    def state(self, settings: SuiteSettings) -> SuiteState:
        """Whether a suite has to be made, and what the file says otherwise than it was made.

        A suite that was replaced by hand, or made without the file, is held against its manifest.
        """
        own = self.content.get(settings.title, {})
        stored = set(self.store.suites()) if self.store.exists else set()
        made = own.get("made", {}) if isinstance(own, dict) else {}
        if made and all(name in stored and self.store.manifest(name).fingerprint == made[name] for name in made):
            changes = tuple(_changes(own.get("settings", {}), settings.to_dict())) or self._new_data(own, settings)
            return SuiteState(settings.title, _presence(changes), tuple(made), changes)
        names = suite_names(settings.suite, settings.name)
        there = [name for name in names if name in stored]
        changes = tuple(dict.fromkeys(_manifest_changes([self.store.manifest(name) for name in there], settings)))
        presence = SuitePresence.MISSING if not changes and len(there) < len(names) else _presence(changes)
        return SuiteState(settings.title, presence, tuple(there), changes)

    def add(self, settings: SuiteSettings, generated: Sequence[GeneratedSuite]) -> SuiteState:
        """Keep by which settings a suite was made."""
        made = {suite.name: suite.manifest.fingerprint for suite in generated if suite.manifest}
        own = {"settings": settings.to_dict(), "made": made, "files": self._digests(settings)}
        before = SuiteRecords.of(self.store, self.folder).content
        put_object(self.store.storage, _RECORD, {"suites": {**before, settings.title: own}})
        return SuiteState(settings.title, SuitePresence.MADE, tuple(made))

    def _new_data(self, own: Mapping[str, Any], settings: SuiteSettings) -> tuple[str, ...]:
        """Which data have changed since a suite was made; data that are no longer there cannot have."""
        before = own.get("files", {})
        now = self._digests(settings)
        return tuple(
            f"the content of {now[key][0]} has changed" for key in now if before.get(key, now[key]) != now[key]
        )

    def _digests(self, settings: SuiteSettings) -> dict[str, list[str]]:
        """The data of a suite by key: the path in the file, and a digest of what is there."""
        paths = {"data": settings.data, "texts": settings.texts}
        there = {key: path for key, path in paths.items() if path and (self.folder / path).exists()}
        return {key: [path, _digest(self.folder / path)] for key, path in there.items()}


def _digest(path: Path) -> str:
    """A digest of a file, or of the files of a folder; of a large file, its size stands for its content."""
    digest = blake2b(digest_size=16)
    for file in sorted(own for own in path.iterdir() if own.is_file()) if path.is_dir() else [path]:
        size = file.stat().st_size
        digest.update(f"{file.name};{size};".encode())
        digest.update(file.read_bytes() if size <= _LARGE else b"")
    return digest.hexdigest()


def _presence(changes: tuple[str, ...]) -> SuitePresence:
    return SuitePresence.CHANGED if changes else SuitePresence.THERE


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for key in dict.fromkeys([*now, *before]):
        if now.get(key) != before.get(key):
            yield f"{key} was {_show(before.get(key))} and is {_show(now.get(key))} in the file"


def _show(value: object) -> str:
    return "not set" if value is None else repr(value)


def _manifest_changes(manifests: list[Manifest], settings: SuiteSettings) -> Iterator[str]:
    """What manifests and file say differently; a suite of a quota, or restored from an export, is taken as it is."""
    now = settings.to_dict()
    for manifest in manifests:
        before: dict[str, Any] = {"seed": manifest.seed}
        before |= {key: manifest.parameters[name] for key, name in _IN_MANIFEST.items() if name in manifest.parameters}
        if settings.pairs is not None or "limit" not in before:
            before.pop("limit", None)
        yield from _changes(before, {key: now.get(key) for key in before})
        wanted = catalog.rows("suites").get(settings.suite, manifest.generator)
        if manifest.generator and manifest.generator != wanted:
            yield f"it was made by {manifest.generator} and is {settings.suite!r} in the file"
