"""Models and logs for tests, stricter than real ones.

>>> from counterpoint.core.groups import Query
>>> [answer.value for _, answer in Echo().answer([Query(None, "Is it?")])]
['Is it?']
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from counterpoint.core.groups import Answer, Gold, Mode, Query, State
from counterpoint.core.ids import canonical, content_id, hex_id
from counterpoint.core.ports import Floats, PlacedAnswer, SampledAnswer, Scale, score_array


class SimulatedKill(BaseException):
    """Stands for SIGKILL: no code under test may catch it."""


class MisuseError(BaseException):
    """A double was called in a way that no model may be called; the engine must not catch it as a failing model."""


class MemoryLog:
    """A log in memory; it refuses a settled answer that it already holds, and holds nothing before it is flushed."""

    def __init__(self) -> None:
        self.failures: list[tuple[int, int, str]] = []
        self._held: dict[tuple[int, int], tuple[Answer, str]] = {}
        self._settled: set[tuple[int, int, str]] = set()
        self._gathered: list[tuple[int, int, Answer, str, float]] = []

    @property
    def says(self) -> dict[tuple[int, int], Answer]:
        """The settled answers by query and trial."""
        return {key: answer for key, (answer, _) in sorted(self._held.items())}

    def add(self, rows: Iterable[tuple[int, int, Answer, str, float]]) -> None:
        """Gather answers."""
        for query, trial, answer, digest, seconds in rows:
            assert seconds >= 0, f"query {query:016x} took {seconds} seconds"
            key = (query, trial, digest)
            assert key not in self._settled, f"query {query:016x}, trial {trial} is answered already"
            if answer.state is not State.FAILED:
                self._settled.add(key)
            self._gathered.append((query, trial, answer, digest, seconds))

    def flush(self) -> None:
        """Hold what was gathered."""
        for query, trial, answer, digest, _ in self._gathered:
            if answer.state is State.FAILED:
                self.failures.append((query, trial, answer.reason))
            else:
                self._held[query, trial] = answer, digest
        self._gathered = []

    def missing(self, plan: pa.Table) -> pa.Table:
        """The rows of a plan without a settled answer about the same picture file."""
        keys = zip(*(plan[name].to_pylist() for name in ("query", "trial", "digest")), strict=True)
        missing = [self._held.get((query, trial), (None, None))[1] != digest for query, trial, digest in keys]
        return plan.filter(pa.array(missing, pa.bool_()))


class Echo:
    """Answers with the question, scores a text by its length, and adds the trial to a stochastic answer.

    It refuses empty batches, batches with a query twice, and queries in a mode that its method is not meant for.
    """

    fingerprint = "echo"
    scale = Scale.SIMILARITY

    def __init__(self) -> None:
        self.asked: list[Query] = []
        self.batches: list[int] = []

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """The question, from the last query to the first, since any order is allowed."""
        self._record(queries, Mode.ANSWER)
        for place in reversed(range(len(queries))):
            yield place, Answer.of(queries[place].text)

    def score(self, queries: Sequence[Query]) -> Floats:
        """The length of each text."""
        self._record(queries, Mode.SCORE)
        return np.array([len(query.text) for query in queries], np.float32)

    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[SampledAnswer]:
        """The question and the trial."""
        self._record(queries)
        if not trials or 0 in trials or len(set(trials)) < len(trials):
            raise MisuseError(f"the trials {trials} were sampled")
        for trial in trials:
            for place, query in enumerate(queries):
                yield place, trial, Answer.of(f"{query.text} #{trial} of {seed}")

    def _record(self, queries: Sequence[Query], mode: Mode | None = None) -> None:
        if not queries:
            raise MisuseError("the batch is empty")
        if mode and any(query.mode is not mode for query in queries):
            raise MisuseError(f"not every query of {len(queries)} has the mode {mode}")
        if len(set(queries)) < len(queries):
            raise MisuseError("a query is in the batch twice")
        self.asked += queries
        self.batches.append(len(queries))


class FlakyModel(Echo):
    """Fails by a rule, which gets a query and how often it was asked before, and returns a reason or "".

    With `raising` it raises what that makes of the reason; without, a failed query is a failed answer.
    """

    fingerprint = "flaky"

    def __init__(
        self, rule: Callable[[Query, int], str], raising: Callable[[str], BaseException] | None = None
    ) -> None:
        super().__init__()
        self._rule, self._raising = rule, raising
        self._times = Counter[Query]()

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """The question, unless the rule has a reason to fail."""
        for place, answer in super().answer(queries):
            reason = self._rule(queries[place], self._times[queries[place]])
            self._times[queries[place]] += 1
            if reason and self._raising:
                raise self._raising(reason)
            yield place, Answer.failed(reason) if reason else answer


class KilledModel(Echo):
    """Answers `after` queries, and is then killed."""

    fingerprint = "echo"  # its answers are those of Echo

    def __init__(self, after: int) -> None:
        super().__init__()
        self._left = after

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """The question, until it is killed."""
        for placed in super().answer(queries):
            if not self._left:
                raise SimulatedKill
            self._left -= 1
            yield placed


class GoldModel:
    """Gives the gold answer to each query, by query id; where it has none, it fails.

    >>> query = Query(None, "Is it?")
    >>> [answer.value for _, answer in GoldModel({query.id: Gold.of("no")}).answer([query])]
    ['no']
    """

    scale = Scale.PROBABILITY

    def __init__(self, gold: Mapping[int, Gold]) -> None:
        self._gold = dict(gold)
        rows = [[hex_id(number), *(value for value, _ in gold.answers)] for number, gold in sorted(self._gold.items())]
        self.fingerprint = f"gold-{hex_id(content_id(canonical(rows)))}"

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """The best gold answer; as a score, the credit of "yes"."""
        for position, query in enumerate(queries):
            gold = self._gold.get(query.id)
            if gold is None:
                yield position, Answer.failed("there is no gold for this query")
            elif query.mode is Mode.SCORE:
                yield position, Answer.scored(gold.credit("yes"))
            else:
                yield position, Answer.of(gold.best, top=((gold.best, 1.0),))

    def score(self, queries: Sequence[Query]) -> Floats:
        """1 where the text fits, 0 where it does not; NaN where there is no gold."""
        return score_array(self.answer([replace(query, mode=Mode.SCORE) for query in queries]), len(queries))
