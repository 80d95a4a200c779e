"""What is remembered of one version of a lab: each thing is made once, however many ask for it at the same time."""

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

import pyarrow as pa

from counterpoint.store.cache import Recent

T = TypeVar("T")

RECENT = 100
"""How many of the things that visitors can ask for in any number are kept."""


TABLES = 64_000_000
"""Bytes of the tables among them, which can be long."""


class Memory:
    """Values by key, for the version of a lab that it is named after."""

    def __init__(self, version: str = "") -> None:
        self.version = version
        self._kept, self._locks, self._lock = dict[Any, Any](), dict[Any, Lock](), Lock()
        self._recent = dict[Any, None]()
        self._tables = Recent[Any, pa.Table](lambda table: int(table.nbytes), TABLES)

    def remembered(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """The value of a key, made at the first use; others who ask for it meanwhile wait."""
        with self._lock:
            if key in self._kept:
                return self._kept[key]  # type: ignore[no-any-return]
            own = self._locks.setdefault(key, Lock())
        with own:
            with self._lock:
                if key in self._kept:
                    return self._kept[key]  # type: ignore[no-any-return]
            found = make()
            with self._lock:
                self._kept[key] = found
            return found

    def lately(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """The same for one of any number of things, of which those that were asked for last are kept."""
        found = self.remembered(key, make)
        with self._lock:
            self._recent.pop(key, None)
            self._recent[key] = None
            while len(self._recent) > RECENT:
                oldest = next(iter(self._recent))
                for held in (self._recent, self._kept, self._locks):
                    held.pop(oldest, None)
        return found

    def table(self, key: tuple[Any, ...], make: Callable[[], pa.Table]) -> pa.Table:
        """The same for a table, of which as many are kept as there is room for."""
        return self._tables.made(key, make)
