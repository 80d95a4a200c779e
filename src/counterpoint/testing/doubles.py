"""Models and logs that stand in for others in tests, and are stricter than these.

>>> from counterpoint.core.groups import Query
>>> [answer.value for _, answer in Echo().answer([Query(None, "Is it?")])]
['Is it?']
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from counterpoint.core.answers import Answer, State
from counterpoint.core.groups import Mode, Query
from counterpoint.core.ports import Floats, PlacedAnswer, Scale


class SimulatedKill(BaseException):
    """Stands for a kill: nobody catches it who would not catch a kill."""


class MisuseError(BaseException):
    """Somebody asked what nobody may ask; no engine that survives failing models survives this."""


class MemoryLog:
    """A log in memory. It refuses a settled answer that it already holds, and holds nothing before it is flushed."""

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
        """The rows of a plan without a settled answer about the very same picture file."""
        keys = zip(*(plan[name].to_pylist() for name in ("query", "trial", "digest")), strict=True)
        unheld = [self._held.get((query, trial), (None, None))[1] != digest for query, trial, digest in keys]
        return plan.filter(pa.array(unheld, pa.bool_()))


class Echo:
    """Says what it is asked, scores a text by its length, and adds the number of the trial to a stochastic answer.

    It refuses empty batches, batches with a query twice, and queries in a mode that its method is not meant for.
    """

    fingerprint = "echo"
    scale = Scale.SIMILARITY

    def __init__(self) -> None:
        self.asked: list[Query] = []
        self.batches: list[int] = []

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """The question, from the last query to the first, since any order is allowed."""
        self._note(queries, Mode.ANSWER)
        for place in reversed(range(len(queries))):
            yield place, Answer.of(queries[place].text)

    def score(self, queries: Sequence[Query]) -> Floats:
        """How many characters a text has."""
        self._note(queries, Mode.SCORE)
        return np.array([len(query.text) for query in queries], np.float32)

    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[tuple[int, int, Answer]]:
        """The question and the trial."""
        self._note(queries)
        if not trials or 0 in trials or len(set(trials)) < len(trials):
            raise MisuseError(f"somebody sampled in the trials {trials}")
        for trial in trials:
            for place, query in enumerate(queries):
                yield place, trial, Answer.of(f"{query.text} #{trial} of {seed}")

    def _note(self, queries: Sequence[Query], mode: Mode | None = None) -> None:
        if not queries:
            raise MisuseError("somebody asked nothing")
        if mode and any(query.mode is not mode for query in queries):
            raise MisuseError(f"not every query of {len(queries)} is one to {mode}")
        if len(set(queries)) < len(queries):
            raise MisuseError("a query stands twice in a batch")
        self.asked += queries
        self.batches.append(len(queries))


class FlakyModel(Echo):
    """Fails by a rule, which is given a query and how often it has been asked before, and says why it fails, or "".

    What it raises instead is up to `raising`; without it a failed query is an answer that says so.
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
    """Answers so many queries, and is then stopped in the middle of whatever it does, as by a kill."""

    fingerprint = "echo"  # it says the same as long as it lives

    def __init__(self, after: int) -> None:
        super().__init__()
        self._left = after

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """The question, until it is stopped."""
        for placed in super().answer(queries):
            if not self._left:
                raise SimulatedKill
            self._left -= 1
            yield placed
