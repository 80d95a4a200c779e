"""The folder of a lab: its store, and the names of what is in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from counterpoint.lab.progress import ProgressCallback, ignore_progress

if TYPE_CHECKING:
    from counterpoint.store.versions import ModelVersion


class LabFolder:
    """A folder or address with suites, answers and runs, without what can be done with them."""

    def __init__(self, folder: Path | str, *, progress: ProgressCallback = ignore_progress) -> None:
        from counterpoint.store.lab import LabStore  # tables are loaded when a lab is opened

        self.store = LabStore(folder)
        self.progress = progress

    def __repr__(self) -> str:
        return f"Lab({self.address!r})"

    @property
    def address(self) -> str:
        """Where it is: the path of a folder, or an address such as `s3://bucket/lab`."""
        return self.store.address

    @property
    def folder(self) -> Path:
        """The folder that it is; StoreError for a lab in a bucket."""
        return self.store.folder

    @property
    def suites(self) -> list[str]:
        """The names of its suites."""
        return self.store.suites()

    @property
    def models(self) -> tuple[ModelVersion, ...]:
        """Every version of every model that was run or imported, by name and in the order of its versions."""
        return self.store.versions()
