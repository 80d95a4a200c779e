"""Leases in an object store: one object, put on conditions, renewed by its holder, taken over after it has expired.

A lease saves double work and guards nothing: where it is lost, or the store ignores conditions, two runs ask the same
queries, and the answers are settled when they are read.
"""

import json
import logging
import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from secrets import token_hex
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from obstore.store import ObjectStore

LEASE_SECONDS = 30.0
"""After so many seconds without renewal a lease belongs to nobody."""
_GRAIN = 1.0  # second: how finely object stores tell the time of a change
_FIRST_POLL, _LAST_POLL = 0.05, 2.0  # seconds between two attempts, which cost a request each
_NO_TAG = '"00000000000000000000000000000000"'

logger = logging.getLogger("counterpoint")


class ObjectLease:
    """The lease of one name, for one holder; expiry is judged by the times that the store itself gives to objects."""

    def __init__(
        self, client: "Callable[[], ObjectStore]", name: str, place: str, seconds: float = LEASE_SECONDS
    ) -> None:
        self._client, self._name, self._place, self._seconds = client, name, place, seconds
        self._token, self._count, self._tag = token_hex(8), 0, ""
        self._stop, self._renewer = Event(), Thread(target=self._renew, daemon=True)

    def acquire(self, waiting: Callable[[str], None] = lambda holder: None, *, is_honored: bool | None = None) -> bool:
        """Wait until nobody holds the lease, and take it; `waiting` is called once with who has it.

        Returns whether the store honors conditions, which is found out unless it is known.
        """
        pause = _FIRST_POLL
        while not self._create() and not self._take_over():
            if pause == _FIRST_POLL:
                waiting(str(self._content().get("holder", "another process")))
            time.sleep(pause)
            pause = min(2 * pause, _LAST_POLL)
        honored = self._is_honored() if is_honored is None else is_honored
        if honored:
            self._renewer.start()
        return honored

    def release(self) -> None:
        """Give the lease back, if it is still held; errors leave it to expire."""
        from obstore.exceptions import BaseError

        self._stop.set()
        if self._renewer.is_alive():
            self._renewer.join()
        with suppress(BaseError, OSError):
            if self._client().head(self._name)["e_tag"] == self._tag:
                self._client().delete(self._name)

    def _create(self) -> bool:
        """Put the lease where there is none."""
        from obstore.exceptions import AlreadyExistsError

        try:
            return self._put("create")
        except (AlreadyExistsError, FileExistsError):
            return False

    def _take_over(self) -> bool:
        """Put the lease in the place of one that has expired."""
        from obstore.exceptions import PreconditionError

        try:
            held = self._client().head(self._name)
            age = self._store_time() - held["last_modified"].timestamp()
            if age < float(self._content().get("seconds", self._seconds)) + _GRAIN:
                return False
            return self._put({"e_tag": held["e_tag"]})
        except (PreconditionError, FileNotFoundError):  # another one was quicker, or it was given back
            return False

    def _is_honored(self) -> bool:
        """Whether the store refuses what its conditions exclude: creating what is there, replacing what is not."""
        from obstore.exceptions import AlreadyExistsError, NotSupportedError, PreconditionError

        for mode in ("create", {"e_tag": _NO_TAG}):
            try:
                self._put(mode)
            except (AlreadyExistsError, FileExistsError, PreconditionError):
                continue
            except NotSupportedError:
                pass
            return False
        return True

    def _renew(self) -> None:
        """Put the lease again, in good time, until it is given back or lost."""
        from obstore.exceptions import BaseError, PreconditionError

        while not self._stop.wait(self._seconds / 3):
            try:
                self._put({"e_tag": self._tag})
            except (PreconditionError, FileNotFoundError):
                logger.warning("the lease of %s was taken over; some answers may be asked for twice", self._place)
                return
            except (BaseError, OSError):
                continue  # the store is away; the next renewal may reach it

    def _put(self, mode: Any) -> bool:
        self._count += 1
        holder = f"process {os.getpid()} on {socket.gethostname()}"
        content = {"holder": holder, "seconds": self._seconds, "token": self._token, "renewals": self._count}
        result = self._client().put(self._name, json.dumps(content).encode(), mode=mode, use_multipart=False)
        self._tag = result["e_tag"] or ""
        return True

    def _content(self) -> Mapping[str, Any]:
        with suppress(FileNotFoundError, ValueError):
            content = json.loads(bytes(self._client().get(self._name).bytes()))
            return content if isinstance(content, dict) else {}
        return {}

    def _store_time(self) -> float:
        """The time of the store, from an object that is put now."""
        name = f"{self._name}-{self._token}"
        self._client().put(name, b"")
        put = self._client().head(name)["last_modified"].timestamp()
        self._client().delete(name)
        return float(put)
