"""One batch put to a model, in whichever way its queries need: answered, scored, or sampled; plain or async."""

import asyncio
from collections.abc import AsyncIterable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Generic, Self, TypeAlias, TypeVar

from counterpoint.core.answers import Answer
from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Mode, Query
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
"""What is done with an answer and the position of its query as soon as it is there."""
FeatureEditAnswerer: TypeAlias = Callable[[Sequence[Query]], Iterable[PlacedAnswer]]
"""Whoever asks a model queries with edits of its features: answers with the positions of their queries."""
TICK_SECONDS = 0.2
"""Seconds."""


class ProtocolViolation(ModelError):  # noqa: N818 - it reads as what it says
    """A model broke the promise of its protocol, so that none of its answers can be trusted."""


@dataclass(frozen=True, slots=True)
class QueryBatch:
    """What is put to a model at once: queries, and the trial of each."""

    queries: Sequence[Query]
    trials: Sequence[int]

    def __len__(self) -> int:
        return len(self.queries)

    def at(self, places: Sequence[int]) -> "QueryBatch":
        """What stands at some places."""
        return QueryBatch([self.queries[place] for place in places], [self.trials[place] for place in places])


class Dispatcher:
    """Knows how to ask a model; an event loop lives as long as it does, so that async models keep their connections.

    The loop has a thread of its own, so that it runs in a notebook too, where another loop is running already.
    """

    def __init__(self, model: Model, *, seed: int = 0, edited: FeatureEditAnswerer | None = None) -> None:
        self._edited = edited
        self._answerer = model if isinstance(model, Answerer) else None
        self._scorer = model if isinstance(model, Scorer) else None
        self._sampler = model if isinstance(model, Sampler) else None
        self._expecting = model if isinstance(model, LookaheadModel) else None
        self._seed = seed
        self._runner = asyncio.Runner()
        self._thread = ThreadPoolExecutor(1)
        self._tick: Callable[[], None] = lambda: None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()

    def expect(self, queries: Sequence[Query]) -> None:
        """Tell a model that wants to know it what it will be asked next."""
        if self._expecting is not None and queries:
            self._expecting.coming(queries)

    def ask(self, asked: QueryBatch, keep: Keep, tick: Callable[[], None] = lambda: None) -> None:
        """Put a batch to the model; answers are kept as they come, and whatever the model raises flies on.

        While an async model is waited for, there is a tick every now and then, in the thread in which answers are kept.
        """
        self._tick = tick
        ways = _ways(asked)
        for way, put in ((Mode.ANSWER, self._answer), (Mode.SCORE, self._score), (_EDITED, self._from_edited)):
            places = ways.get(way, [])
            if places and len(places) == len(asked):
                put(asked.queries, keep)
            elif places:
                put([asked.queries[place] for place in places], keep_at(keep, places))
        for trials, queries in _passes(asked).items():
            self._sample(queries, trials, _by_trial(asked, queries, keep))

    def _answer(self, queries: Sequence[Query], keep: Keep) -> None:
        assert self._answerer is not None, "a model is asked for no more than it can do"
        self._walk(self._answerer.answer(queries), lambda placed: keep(*placed))

    def _from_edited(self, queries: Sequence[Query], keep: Keep) -> None:
        assert self._edited is not None, "a model is asked for no more than it can do"
        for placed in self._edited(queries):
            keep(*placed)

    def _score(self, queries: Sequence[Query], keep: Keep) -> None:
        assert self._scorer is not None, "a model is asked for no more than it can do"
        if isinstance(self._scorer, StreamingScorer):
            self._walk(self._scorer.rate(queries), lambda placed: keep(*placed))
            return
        scores = [float(score) for score in self._scorer.score(queries)]
        if len(scores) != len(queries):
            raise ProtocolViolation(f"the model gave {len(scores)} scores for {len(queries)} queries")
        for place, score in enumerate(scores):
            keep(place, Answer.scored(score) if score == score else Answer.failed("the score is not a number"))

    def _sample(
        self, queries: Sequence[Query], trials: Sequence[int], keep: Callable[[int, int, Answer], None]
    ) -> None:
        assert self._sampler is not None, "a model is asked for no more than it can do"

        def take(sampled: SampledAnswer) -> None:
            place, trial, answer = sampled
            if not 0 <= place < len(queries) or trial not in trials:
                raise ProtocolViolation(f"the model sampled place {place} in trial {trial}, for which it was not asked")
            keep(place, trial, answer)

        self._walk(self._sampler.sample(queries, trials, self._seed), take)

    def _walk(self, given: Iterable[T] | AsyncIterable[T], take: Callable[[T], None]) -> None:
        """Take what a model gives, as it comes; a key that is pressed meanwhile lets go of what is on its way."""
        if not isinstance(given, AsyncIterable):
            for one in given:
                take(one)
            return
        drained = _Drained(given, take, self._tick)
        done = self._thread.submit(lambda: self._runner.run(drained.all()))
        try:
            done.result()
        except BaseException:
            if not done.done():
                self._runner.get_loop().call_soon_threadsafe(drained.cancel)
                wait([done])
            raise


_EDITED = "edited"


def _ways(asked: QueryBatch) -> dict[str, list[int]]:
    """The places of plain queries by how they are put: by their mode, or from features where these are edited."""
    found: dict[str, list[int]] = {}
    for place, (query, trial) in enumerate(zip(asked.queries, asked.trials, strict=True)):
        if not trial:
            found.setdefault(_EDITED if query.edits else query.mode, []).append(place)
    return found


def _passes(asked: QueryBatch) -> dict[tuple[int, ...], list[Query]]:
    """The queries to sample, by the trials that each is to go through."""
    trials: dict[Query, tuple[int, ...]] = {}
    for query, trial in zip(asked.queries, asked.trials, strict=True):
        if trial:
            trials[query] = (*trials.get(query, ()), trial)
    found: dict[tuple[int, ...], list[Query]] = {}
    for query, passes in trials.items():
        found.setdefault(passes, []).append(query)
    return found


def keep_at(keep: Keep, places: Sequence[int]) -> Keep:
    """Keeps what has a place in a part of a batch at its place in the whole."""

    def kept(place: int, answer: Answer) -> None:
        if not 0 <= place < len(places):
            raise ProtocolViolation(f"the model answered place {place} of {len(places)}")
        keep(places[place], answer)

    return kept


def _by_trial(asked: QueryBatch, queries: Sequence[Query], keep: Keep) -> Callable[[int, int, Answer], None]:
    rows = enumerate(zip(asked.queries, asked.trials, strict=True))
    where = {(query, trial): place for place, (query, trial) in rows if trial}
    return lambda place, trial, answer: keep(where[queries[place], trial], answer)


class _Drained(Generic[T]):
    """All that comes from somewhere, taken one by one, until somebody cancels it."""

    def __init__(self, given: AsyncIterable[T], take: Callable[[T], None], tick: Callable[[], None]) -> None:
        self._given, self._take, self._tick = given, take, tick
        self._task: asyncio.Task[None] | None = None
        self._over = False
        self._broken: BaseException | None = None

    async def all(self) -> None:
        self._task = asyncio.current_task()
        ticking = asyncio.ensure_future(self._ticking())
        try:
            if not self._over:
                async for one in self._given:
                    self._take(one)
        except asyncio.CancelledError:
            if self._broken is not None:
                raise self._broken from None
            raise
        finally:
            ticking.cancel()

    async def _ticking(self) -> None:
        try:
            while True:
                await asyncio.sleep(TICK_SECONDS)
                self._tick()
        except Exception as problem:
            self._broken = problem
            self.cancel()

    def cancel(self) -> None:
        self._over = True
        if self._task is not None:
            self._task.cancel()
