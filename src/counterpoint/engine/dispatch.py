"""Dispatch of a batch to the methods of a model: answered, scored or sampled; synchronous or asynchronous."""

import asyncio
from collections.abc import AsyncIterable, Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Generic, Self, TypeAlias, TypeVar

from counterpoint.core.errors import ModelError
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Answer, Mode, Query
from counterpoint.core.ports import (
    Answerer,
    LookaheadModel,
    Model,
    PlacedAnswer,
    SampledAnswer,
    Sampler,
    Scorer,
    StreamingScorer,
)

T = TypeVar("T")
Keep: TypeAlias = Callable[[int, Answer], None]
"""Called with each answer and the position of its query as soon as it arrives."""
FeatureEditAnswerer: TypeAlias = Callable[[Sequence[Query]], Iterable[PlacedAnswer]]
"""Answers queries with feature edits: answers with the positions of their queries."""
TICK_SECONDS = 0.2
_EDITED = "edited"


class ProtocolViolation(ModelError):  # noqa: N818 - it reads as what it says
    """A model violates its protocol, so that none of its answers can be trusted."""


@dataclass(frozen=True, slots=True)
class QueryBatch:
    """Queries that a model is asked together, and the trial of each."""

    queries: Sequence[Query]
    trials: Sequence[int]

    def __len__(self) -> int:
        return len(self.queries)

    def at(self, places: Sequence[int]) -> "QueryBatch":
        """The queries at some positions."""
        return QueryBatch([self.queries[place] for place in places], [self.trials[place] for place in places])


class Dispatcher:
    """Calls a model; its event loop lives as long as it does, so that async models keep their connections.

    The loop runs in a thread of its own, so that it works in a notebook too, where another loop is running.
    """

    def __init__(self, model: Model, *, seed: int = 0, edited: FeatureEditAnswerer | None = None) -> None:
        self._edited = edited
        self._answerer = model if isinstance(model, Answerer) else None
        self._scorer = model if isinstance(model, Scorer) else None
        self._sampler = model if isinstance(model, Sampler) else None
        self._lookahead = model if isinstance(model, LookaheadModel) else None
        self._seed = seed
        self._runner = asyncio.Runner()
        self._thread, self._taker = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        for thread in (self._thread, self._taker):
            thread.submit(lambda: None).result()  # started now: an interrupt while a thread starts would lose it
        self._tick: Callable[[], None] = lambda: None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()
        self._taker.shutdown()

    def expect(self, queries: Sequence[Query]) -> None:
        """Announce the next queries to a model that looks ahead."""
        if self._lookahead is not None and queries:
            self._lookahead.expect(queries)

    def ask(self, batch: QueryBatch, keep: Keep, tick: Callable[[], None] = lambda: None) -> None:
        """Ask a batch; answers are kept as they arrive, and exceptions of the model propagate.

        While an async model is awaited, `tick` is called about every TICK_SECONDS in the thread that keeps answers.
        """
        self._tick = tick
        calls = {Mode.ANSWER: self._answer, Mode.SCORE: self._score, _EDITED: self._answer_edited}
        if (mode := _common_mode(batch)) is not None:
            calls[mode](batch.queries, keep)
            return
        rows = list(enumerate(zip(batch.queries, batch.trials, strict=True)))
        by_method = group_pairs(
            (_EDITED if query.edits else query.mode, place) for place, (query, trial) in rows if not trial
        )
        for method, call in calls.items():
            places = by_method.get(method, [])
            if places and len(places) == len(batch):
                call(batch.queries, keep)
            elif places:
                call([batch.queries[place] for place in places], keep_at(keep, places))
        places_by_trial = {(query, trial): place for place, (query, trial) in rows if trial}
        trials_of = group_pairs(places_by_trial)
        for trials, queries in group_pairs((tuple(trials), query) for query, trials in trials_of.items()).items():
            self._sample(queries, trials, lambda query, trial, answer: keep(places_by_trial[query, trial], answer))

    def _answer(self, queries: Sequence[Query], keep: Keep) -> None:
        assert self._answerer is not None, "the plan holds only rows that the model supports"
        self._keep_all(self._answerer.answer(queries), keep)

    def _answer_edited(self, queries: Sequence[Query], keep: Keep) -> None:
        assert self._edited is not None, "the plan holds only rows that the model supports"
        for placed in self._edited(queries):
            keep(*placed)

    def _score(self, queries: Sequence[Query], keep: Keep) -> None:
        assert self._scorer is not None, "the plan holds only rows that the model supports"
        if isinstance(self._scorer, StreamingScorer):
            self._keep_all(self._scorer.stream_scores(queries), keep)
            return
        scores = [float(score) for score in self._scorer.score(queries)]
        if len(scores) != len(queries):
            raise ProtocolViolation(f"the model gave {len(scores)} scores for {len(queries)} queries")
        for place, score in enumerate(scores):
            keep(place, Answer.scored(score) if score == score else Answer.failed("the score is not a number"))

    def _sample(
        self, queries: Sequence[Query], trials: Sequence[int], keep: Callable[[Query, int, Answer], None]
    ) -> None:
        assert self._sampler is not None, "the plan holds only rows that the model supports"

        def take(sampled: SampledAnswer) -> None:
            place, trial, answer = sampled
            if not 0 <= place < len(queries) or trial not in trials:
                raise ProtocolViolation(f"the model sampled place {place} in trial {trial}, for which it was not asked")
            keep(queries[place], trial, answer)

        self._consume(self._sampler.sample(queries, trials, self._seed), take)

    def _keep_all(self, items: Iterable[PlacedAnswer] | AsyncIterable[PlacedAnswer], keep: Keep) -> None:
        if isinstance(items, AsyncIterable):
            self._consume(items, lambda placed: keep(*placed))
            return
        for place, answer in items:
            keep(place, answer)

    def _consume(self, items: Iterable[T] | AsyncIterable[T], take: Callable[[T], None]) -> None:
        """Take the items that a model yields; an interrupt cancels the requests in flight.

        Those of an async model are taken in a thread of their own, so that writing them holds up no request, and no
        interrupt falls into it.
        """
        if not isinstance(items, AsyncIterable):
            for item in items:
                take(item)
            return
        stream = _AsyncStream(items)
        futures: list[Future[None]] = []
        try:
            futures.append(self._thread.submit(lambda: self._runner.run(stream.run())))
            futures.append(self._taker.submit(stream.take_all, take, self._tick))
            for future in reversed(futures):
                future.result()
        except BaseException:
            if not futures or not futures[0].done():
                self._runner.get_loop().call_soon_threadsafe(stream.cancel)
            for thread in (self._thread, self._taker):
                thread.submit(lambda: None).result()  # waits for whatever was queued before it
            raise


def _common_mode(batch: QueryBatch) -> Mode | None:
    """The mode of all queries, if there is one, and all are asked in the plain pass and without feature edits."""
    mode = batch.queries[0].mode if batch.queries else Mode.ANSWER
    for query in batch.queries:  # a loop takes half the time of `all`, and most batches are plain
        if query.edits or query.mode is not mode:
            return None
    return None if any(batch.trials) else mode


def keep_at(keep: Keep, places: Sequence[int]) -> Keep:
    """Maps positions in a part of a batch to positions in the whole."""

    def keep_mapped(place: int, answer: Answer) -> None:
        if not 0 <= place < len(places):
            raise ProtocolViolation(f"the model answered place {place} of {len(places)}")
        keep(places[place], answer)

    return keep_mapped


class _AsyncStream(Generic[T]):
    """The items of an async iterable, passed from the thread of its event loop to the one that takes them."""

    def __init__(self, items: AsyncIterable[T]) -> None:
        self._items = items
        self._arrived = SimpleQueue[tuple[T, ...] | None]()  # one by one; None is the end
        self._task: asyncio.Task[None] | None = None
        self._cancelled = False

    async def run(self) -> None:
        """Pass items on as they arrive, until the end or until it is cancelled."""
        self._task = asyncio.current_task()
        try:
            if not self._cancelled:
                async for item in self._items:
                    self._arrived.put((item,))
        finally:
            self._arrived.put(None)

    def take_all(self, take: Callable[[T], None], tick: Callable[[], None]) -> None:
        """Take every item that arrives, and call `tick` every TICK_SECONDS."""
        ticked = monotonic()
        while True:
            try:
                arrived = self._arrived.get(timeout=TICK_SECONDS)
            except Empty:
                arrived = ()
            if arrived is None:
                return
            for item in arrived:
                take(item)
            if monotonic() - ticked >= TICK_SECONDS:
                tick()
                ticked = monotonic()

    def cancel(self) -> None:
        """End early; called in the thread of the loop."""
        self._cancelled = True
        if self._task is not None:
            self._task.cancel()
