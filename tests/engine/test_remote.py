"""Models that are elsewhere: scores and samples that come one by one, doors that stay closed, keys that are pressed."""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Iterable, Sequence
from functools import partial

import pytest
from asked import a_table, some

from counterpoint.core.errors import ModelUnreachable, StoreError
from counterpoint.core.groups import Answer, Mode, Query
from counterpoint.core.ports import Floats, PlacedAnswer, SampledAnswer, Scale
from counterpoint.engine import running
from counterpoint.engine.progress import Progress
from counterpoint.store import groups
from counterpoint.testing import MemoryLog

run = partial(running.run, read=groups.read_queries)


class Remote:
    """Answers, scores and samples by an event loop."""

    fingerprint = "remote"
    scale = Scale.PROBABILITY

    async def answer(self, queries: Sequence[Query]) -> AsyncIterator[PlacedAnswer]:
        for place, query in enumerate(queries):
            await asyncio.sleep(0)
            yield place, Answer.of(query.text)

    def score(self, queries: Sequence[Query]) -> Floats:
        raise AssertionError("who can rate is not asked to score")

    async def stream_scores(self, queries: Sequence[Query]) -> AsyncIterator[PlacedAnswer]:
        for place, query in enumerate(queries):
            await asyncio.sleep(0)
            yield place, Answer.failed("no number") if "3" in query.text else Answer.scored(0.25)

    async def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> AsyncIterator[SampledAnswer]:
        for trial in trials:
            for place, query in enumerate(queries):
                await asyncio.sleep(0)
                yield place, trial, Answer.of(f"{query.text} #{trial}")


def test_a_score_that_cannot_be_had_says_why_and_costs_the_others_nothing() -> None:
    log = MemoryLog()
    outcome = run(a_table(some(10, mode=Mode.SCORE)), Remote(), log)
    assert (outcome.asked, outcome.failed, outcome.reasons) == (10, 1, (("no number", 1),))
    assert {answer.score for answer in log.says.values()} == {0.25}


def test_samples_may_come_by_an_event_loop_too() -> None:
    log, asked = MemoryLog(), some(5)
    run(a_table(asked), Remote(), log, trials=(0, 1, 2), check=0)
    said = {(query.text, trial): log.says[query.id, trial].raw for query in asked for trial in range(3)}
    assert said == {(text, trial): f"{text} #{trial}" if trial else text for text, trial in said}


class Closed(Remote):
    """Answers some, and then lets nobody in any more."""

    async def answer(self, queries: Sequence[Query]) -> AsyncIterator[PlacedAnswer]:
        for place in range(3):
            yield place, Answer.of("yes")
        raise ModelUnreachable("the door is closed", hint="ring the bell")


def test_a_model_that_lets_nobody_in_ends_the_run_and_nothing_counts_as_failed() -> None:
    log = MemoryLog()
    with pytest.raises(ModelUnreachable, match="the door is closed"):
        run(a_table(some(100)), Closed(), log)
    assert len(log.says) == 3
    assert log.failures == []
    assert run(a_table(some(100)), Remote(), log, check=0).cached == 3


class Stalling(Remote):
    """Answers one, and asks again and again for the others until somebody has heard of it."""

    def __init__(self, log: MemoryLog) -> None:
        self.retries, self.heard, self._log = 0, 0, log

    async def answer(self, queries: Sequence[Query]) -> AsyncIterator[PlacedAnswer]:
        yield 0, Answer.of("yes")
        while self.heard < 5 or not self._log.says:
            self.retries += 1
            await asyncio.sleep(0.01)
        yield 1, Answer.of("no")


def test_while_a_server_stalls_what_has_arrived_is_made_safe_and_retries_are_told() -> None:
    log = MemoryLog()
    model, times = Stalling(log), iter(range(10_000))

    def watch(now: Progress) -> None:
        model.heard = now.retries

    run(a_table(some(2)), model, log, progress=watch, clock=lambda: float(next(times)))
    assert len(log.says) == 2
    assert model.heard >= 5


class Full(MemoryLog):
    """Cannot be written to."""

    def add(self, rows: Iterable[tuple[int, int, Answer, str, float]]) -> None:
        raise StoreError("the disk is full")


def test_what_cannot_be_kept_while_a_server_stalls_ends_the_run() -> None:
    times = iter(range(10_000))
    with pytest.raises(StoreError, match="the disk is full"):
        run(a_table(some(2)), Stalling(MemoryLog()), Full(), clock=lambda: next(times) / 10)


class Onward(Remote):
    """Answers one, and says when it goes on to the next."""

    def __init__(self) -> None:
        self.went_on = threading.Event()

    async def answer(self, queries: Sequence[Query]) -> AsyncIterator[PlacedAnswer]:
        yield 0, Answer.of("yes")
        self.went_on.set()
        yield 1, Answer.of("no")


def test_a_server_is_asked_on_while_answers_are_written() -> None:
    model, times = Onward(), iter(range(10_000))

    class Patient(MemoryLog):
        def add(self, rows: Iterable[tuple[int, int, Answer, str, float]]) -> None:
            assert model.went_on.wait(AGAIN), "writing does not hold up the model"
            super().add(rows)

    log = Patient()
    run(a_table(some(2)), model, log, check=0, clock=lambda: float(next(times)))
    assert len(log.says) == 2


AGAIN = 20.0
"""Seconds after which a key is pressed again if nothing came of it."""


class Slow(Remote):
    """Answers one, and then nothing more; a key is pressed meanwhile."""

    cancelled = False

    async def answer(self, queries: Sequence[Query]) -> AsyncIterator[PlacedAnswer]:
        yield 0, Answer.of("yes")
        main = threading.main_thread().ident
        assert main is not None
        try:
            while True:  # a key that is pressed while garbage is collected is lost, so it is pressed again
                asyncio.get_running_loop().call_soon(signal.pthread_kill, main, signal.SIGINT)
                await asyncio.sleep(AGAIN)
        except asyncio.CancelledError:
            self.cancelled = True
            raise


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="keys are heard by one thread")
def test_a_key_ends_a_run_at_once_and_keeps_what_has_arrived() -> None:
    log, model = MemoryLog(), Slow()
    with pytest.raises(KeyboardInterrupt):
        run(a_table(some(10)), model, log)
    assert model.cancelled
    assert len(log.says) == 1
