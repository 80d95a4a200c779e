"""Objects that garbage collections leave out, in a process of which other parts may leave some out at the same time."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_users = list[object]()


@contextmanager
def frozen_objects() -> Iterator[None]:
    """Leave the objects that there are out of garbage collections, until the last of those who asked for it ends."""
    user = object()
    with _lock:
        gc.freeze()
        _users.append(user)
    try:
        yield
    finally:
        with _lock:
            _users.remove(user)
            if not _users:
                gc.unfreeze()
