"""Releases of labs: a file with the digest of every file, as `sha256sum` has it, that one can publish and sign."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from counterpoint.core.errors import StoreError, shorten
from counterpoint.core.quantities import counted
from counterpoint.store.documents import IntegrityCheck
from counterpoint.store.folder import StorageFolder
from counterpoint.store.storage import is_address, open_storage

_BLOCK = 1 << 20  # bytes that are read at once
_LINE = re.compile(r"(\\?)([0-9a-f]{64}) [ *](.+)")


@dataclass(frozen=True, slots=True)
class ReleaseDigest:
    """The digest of a file of digests, which stands for the whole lab."""

    path: Path
    files: int
    sha256: str

    def to_dict(self) -> dict[str, str | int]:
        """Plain values."""
        return {"path": str(self.path), "files": self.files, "sha256": self.sha256}

    def __str__(self) -> str:
        return f"{self.path} has the digests of {counted(self.files, 'file')}; its own SHA-256 is {self.sha256}"


def put_release(place: Path | str, path: Path) -> ReleaseDigest:
    """Write the digests of all files of a lab, without locks and drafts, sorted by name."""
    if not is_address(place) and path.resolve().is_relative_to(Path(place).resolve()):
        raise StoreError(f"{path} is inside {place}, whose digests it holds", hint="write it beside the lab")
    lines = [_line(name, digest) for name, digest in _digests(place)]
    content = "".join(lines).encode("utf-8", "replace")
    StorageFolder(path.parent).put(path.name, content)
    return ReleaseDigest(path, len(lines), sha256(content).hexdigest())


def check_release(place: Path | str, path: Path) -> Iterator[IntegrityCheck]:
    """Whether every file of a lab is the one of a release, none is missing, and none was added."""
    released, found = _read_release(path), dict(_digests(place))
    for name in sorted({*released, *found}):
        if name not in released:
            fact, hint = "it was added after the release", "delete it, or write the digests anew"
        elif released[name] != found.get(name):
            fact, hint = "it is altered" if name in found else "it is missing", "restore the file from the release"
        else:
            fact = hint = ""
        yield IntegrityCheck(name, "release", not fact, fact, hint)


def _read_release(path: Path) -> dict[str, str]:
    """The digests in a file by name."""
    released = {}
    for number, line in enumerate(StorageFolder(path.parent).get(path.name).decode("utf-8", "replace").splitlines(), 1):
        match = _LINE.fullmatch(line)
        if not match:
            fact = f"{path}, line {number}: no digest and name: {shorten(line)!r}"
            raise StoreError(fact, hint="counterpoint verify --write-digests writes such a file")
        name = re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], match[3]) if match[1] else match[3]
        released[name] = match[2]
    return released


def _digests(place: Path | str) -> Iterator[tuple[str, str]]:
    storage = open_storage(place)
    for name in storage.names():
        digest = sha256()
        with storage.open(name) as file:
            while content := file.read(_BLOCK):
                digest.update(content)
        yield name, digest.hexdigest()


def _line(name: str, digest: str) -> str:
    """A line as `sha256sum --check` reads it; a name with a line break is escaped, and its line begins so."""
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n")
    return f"{'' if escaped == name else chr(92)}{digest}  {escaped}\n"
