"""Pictures of one shade each, and functions for worker processes; imported by these, so it imports little."""

import os
import threading
from collections import Counter
from multiprocessing import parent_process
from signal import SIGKILL

import numpy as np

from counterpoint.core.errors import PictureError
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pixels


class Slides:
    """A picture for each address; counts how often each is decoded, and by which threads.

    The first decodings wait for each other until `together` threads are at it.
    """

    def __init__(self, bad: frozenset[str] = frozenset(), together: int = 0) -> None:
        self.decoded = Counter[str]()
        self.threads: set[int] = set()
        self._bad, self._together = bad, together
        self._barrier = threading.Barrier(max(1, together), action=self._open)

    def __reduce__(self) -> tuple[type["Slides"], tuple[frozenset[str]]]:
        return Slides, (self._bad,)

    def pixels(self, picture: Picture) -> Pixels:
        """The shade that the picture is named after."""
        self.decoded[picture.address] += 1
        self.threads.add(threading.get_ident())
        if self._together:
            self._barrier.wait()
        if picture.path in self._bad:
            raise PictureError(f"{picture.address} is torn")
        return np.full((2, 2, 3), int(picture.path.removesuffix(".png")), np.uint8)

    def _open(self) -> None:
        self._together = 0


def doubled(pixels: Pixels) -> tuple[int, int]:
    """Twice the shade, and the process that computed it."""
    return 2 * int(pixels[0, 0, 0]), os.getpid()


def killed(pixels: Pixels) -> int:
    """The shade; a process is killed over one of them, as happens when memory runs out."""
    if pixels[0, 0, 0] == 30 and parent_process() is not None:
        os.kill(os.getpid(), SIGKILL)
    return int(pixels[0, 0, 0])
