"""Models that fail and die as they are told, for tests of workers: each process imports this alone."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from counterpoint.core.groups import Answer, Query
from counterpoint.core.ports import Pictures, PlacedAnswer


class Dying:
    """Repeats the text in capitals; kills its process at some queries, once each."""

    fingerprint, batch_size = "dying", 8

    def __init__(self, pictures: Pictures, folder: str = "", once: str = "") -> None:
        self._folder, self._once = Path(folder), once.split("+")

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        for place, query in enumerate(queries):
            time.sleep(0.002)
            number = query.text.removeprefix("Is it ").rstrip("?")
            if number in self._once and self._is_first(number):
                time.sleep(1.1)  # so that a part is written before
                os.kill(os.getpid(), signal.SIGKILL)
            yield place, Answer.of(query.text.upper())

    def _is_first(self, number: str) -> bool:
        try:
            (self._folder / number).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True
