"""Models that say where they are and fail as they are told, for tests of workers: each process imports this alone."""

import os
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence

from counterpoint.core.errors import ModelError, UnknownName
from counterpoint.core.groups import Answer, Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Model, PlacedAnswer

Expect = Callable[[Iterable[Picture]], None]


def built_in(device: str, name: str) -> tuple[Model, Expect]:
    from counterpoint import catalog
    from counterpoint.world.source import World

    return catalog.model(name, World(scenes=4)), nobody


def nobody(pictures: Iterable[Picture]) -> None:
    """Told which pictures come next, and does nothing about it."""


class Telling:
    """Says on which device and in which process it is, and how many pictures it was told of; does what it is told."""

    fingerprint = "telling"
    batch_size = 8

    def __init__(self, device: str) -> None:
        self.device, self.told = device, 0

    def expect(self, pictures: Iterable[Picture]) -> None:
        self.told = len(list(pictures))

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        for place, query in enumerate(queries):
            if self.device == "bad":
                self._fail(query.text)
            yield place, Answer.of(f"{os.getpid()} {self.told} {query.text}")

    def _fail(self, text: str) -> None:
        match text:
            case "die":
                os._exit(3)
            case "wait":
                time.sleep(60)
            case "unheard of":
                raise UnknownName("thing", "this", ["that"])
            case "wrong":
                raise ZeroDivisionError("by zero")
            case "odd":
                raise OddError(1, 2)


class OddError(Exception):
    """It cannot be made again from what it says."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


class Late:
    """Answers asynchronously."""

    fingerprint = "late"

    async def answer(self, queries: Sequence[Query]) -> AsyncIterator[PlacedAnswer]:
        yield 0, Answer.of("late")


def telling(device: str) -> tuple[Model, Expect]:
    made = Telling(device)
    return made, made.expect


def late(device: str) -> tuple[Model, Expect]:
    return Late(), nobody


def failing(device: str) -> tuple[Model, Expect]:
    if device == "bad":
        raise ModelError("no such device", hint="another")
    return telling(device)


def differing(device: str) -> tuple[Model, Expect]:
    made = Telling(device)
    made.fingerprint = device
    return made, made.expect
