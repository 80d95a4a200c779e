"""The run: what is missing is asked, once, whatever happens on the way."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from asked import a_table, some
from hypothesis import given
from hypothesis import strategies as st
from proving import examples
from strategies import queries

from counterpoint.core.errors import BudgetExhausted, ModelError, StoreError
from counterpoint.core.groups import Answer, Mode, Query
from counterpoint.core.pictures import Edit
from counterpoint.core.ports import PlacedAnswer
from counterpoint.engine import running, shard_worker
from counterpoint.engine.batch_runner import stop_if_most_fail
from counterpoint.engine.progress import Progress, ProgressMeter
from counterpoint.store import groups
from counterpoint.testing import Echo, FlakyModel, KilledModel, MemoryLog, SimulatedKill

run = partial(running.run, read=groups.read_queries)


def _storable(query: Query) -> bool:
    try:
        a_table([query])
    except StoreError:  # half a character
        return False
    return True


storable = queries().filter(_storable)


@examples(40)
@given(st.lists(storable, max_size=12), st.integers(1, 5), st.integers(0, 9))
def test_a_run_stopped_anywhere_and_started_again_ends_the_same(asked: list[Query], size: int, calls: int) -> None:
    whole, resumed = MemoryLog(), MemoryLog()
    table = a_table(asked)
    run(table, Echo(), whole, batch=size)
    with suppress(SimulatedKill):
        run(table, KilledModel(after=calls), resumed, batch=size)
    run(table, Echo(), resumed, batch=size)
    assert resumed.says == whole.says
    assert set(whole.says) == {(query.id, 0) for query in asked if not query.edits}


@examples(30)
@given(st.lists(storable, max_size=12), st.integers(1, 5))
def test_every_query_is_asked_once_and_a_second_run_asks_nothing(asked: list[Query], size: int) -> None:
    log, model = MemoryLog(), Echo()
    first = run(a_table(asked), model, log, batch=size, check=0)
    assert Counter(model.asked) == Counter({query for query in asked if not query.edits})
    again = Echo()
    second = run(a_table(asked), again, log, batch=size)
    assert again.asked == []
    assert (second.asked, second.cached) == (0, first.asked)


def test_a_third_run_asks_only_what_is_new() -> None:
    log, model = MemoryLog(), Echo()
    run(a_table(some(20)), Echo(), log)
    run(a_table(some(30)), model, log, check=0)
    assert sorted(query.text for query in model.asked) == sorted(query.text for query in set(some(30)) - set(some(20)))


def test_a_query_that_stands_twice_in_the_table_is_asked_once() -> None:
    model, table = Echo(), a_table(some(5))
    run(pa.concat_tables([table, table]), model, MemoryLog(), check=0)
    assert len(model.asked) == 5


def test_an_answer_about_another_picture_file_counts_as_missing() -> None:
    log, model, table = MemoryLog(), Echo(), a_table(some(4))
    for digests in (["a"] * 4, ["a", "b", "a", "a"]):
        model.asked.clear()
        run(table.append_column("digest", pa.array(digests)), model, log, check=0)
    assert len(model.asked) == 1


def test_queries_on_one_picture_are_neighbours() -> None:
    model = Echo()
    run(a_table(some(40)), model, MemoryLog(), batch=64, check=0)
    addresses = [query.picture.address for query in model.asked if query.picture]
    assert len([a for a, b in pairwise(addresses) if a != b]) == len(set(addresses)) - 1


def test_a_failed_query_costs_the_others_nothing_and_is_asked_again_by_the_next_run() -> None:
    log, model = MemoryLog(), FlakyModel(lambda query, times: "busy" if "7" in query.text and not times else "")
    outcome = run(a_table(some(10)), model, log, check=0)
    assert (outcome.asked, outcome.failed, outcome.reasons) == (10, 1, (("busy", 1),))
    outcome = run(a_table(some(10)), model, log, check=0)
    assert (outcome.asked, outcome.failed, outcome.cached) == (1, 0, 9)
    assert len(log.says) == 10


def test_a_query_that_makes_the_model_raise_is_found_out_and_fails_alone() -> None:
    log = MemoryLog()
    outcome = run(a_table(some(40)), FlakyModel(lambda q, times: "bad" * ("17" in q.text), ValueError), log, batch=16)
    assert (outcome.asked, outcome.failed, outcome.reasons) == (40, 1, (("ValueError: bad", 1),))
    assert len(log.says) == 39


class OutOfMemoryError(RuntimeError):
    """As torch names its own."""


class Small(Echo):
    """Has no memory for more than three queries."""

    def __init__(self, problem: Callable[[], Exception]) -> None:
        super().__init__()
        self._problem = problem

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        if len(queries) > 3:
            raise self._problem()
        return super().answer(queries)


@pytest.mark.parametrize("problem", [MemoryError, OutOfMemoryError])
def test_the_batch_is_halved_until_memory_is_enough_and_stays_so(problem: Callable[[], Exception]) -> None:
    log, model = MemoryLog(), Small(problem)
    outcome = run(a_table(some(50)), model, log, batch=16, check=0)
    assert (outcome.failed, outcome.batch, len(log.says)) == (0, 2, 50)
    assert set(model.batches) == {2}


def test_a_run_in_which_most_fails_stops_early_and_says_why() -> None:
    log, model = MemoryLog(), FlakyModel(lambda query, times: "no key" if len(query.text) % 3 else "no luck")
    with pytest.raises(ModelError, match=r"64 of 64 queries failed, \d+ of them because 'no key'") as raised:
        run(a_table(some(1000)), model, log, batch=16)
    assert "run again" in raised.value.hint
    assert len(log.failures) == 64


def test_where_no_worker_has_told_a_reason_yet_the_count_is_said_alone() -> None:
    with pytest.raises(ModelError, match="60 of 64 queries failed; the run was stopped"):
        stop_if_most_fail(64, 60, Counter())


def test_a_model_that_raises_at_everything_is_given_up_after_few_calls() -> None:
    model = FlakyModel(lambda query, times: "no weights", RuntimeError)
    with pytest.raises(ModelError, match="50 of 50 queries failed, 50 of them because 'RuntimeError: no weights'"):
        run(a_table(some(1000)), model, MemoryLog(), batch=256)


def test_half_of_the_queries_may_fail() -> None:
    log = MemoryLog()
    fails = {query.text for query in some(100)[::2]}
    outcome = run(a_table(some(100)), FlakyModel(lambda q, times: "odd" * (q.text in fails)), log, batch=100)
    assert outcome.failed == 50


class Told(Echo):
    """Answers what it is told to."""

    def __init__(self, placed: list[tuple[int, object]]) -> None:
        super().__init__()
        self._placed = placed

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        yield from self._placed  # type: ignore[misc]


@pytest.mark.parametrize(
    ("placed", "fact"),
    [
        ([(2, Answer.of("yes"))], "answered place 2 of 2"),
        ([(-1, Answer.of("yes"))], "answered place -1 of 2"),
        ([(0, Answer.of("yes")), (0, Answer.of("no"))], "answered place 0 of 2 twice"),
        ([(0, "yes")], "gave 'yes' where an Answer belongs"),
    ],
)
def test_a_model_that_answers_out_of_shape_is_not_trusted(placed: list[tuple[int, object]], fact: str) -> None:
    with pytest.raises(ModelError, match=fact):
        run(a_table(some(2)), Told(placed), MemoryLog())


def test_a_query_without_an_answer_has_failed() -> None:
    log = MemoryLog()
    outcome = run(a_table(some(3)), Told([(1, Answer.of("yes"))]), log)
    assert (outcome.asked, outcome.failed) == (3, 2)
    assert {reason for _, _, reason in log.failures} == {"the model gave no answer"}


class Full(MemoryLog):
    """A log on a full disk."""

    def add(self, rows: object) -> None:
        raise OSError("no space left")


def test_what_the_log_raises_is_no_failure_of_the_model() -> None:
    ticks = iter(range(10_000))
    with pytest.raises(OSError, match="no space left"):
        run(a_table(some(3)), Echo(), Full(), clock=lambda: float(next(ticks)))


def test_slow_answers_reach_the_log_within_a_second_and_not_only_with_their_batch() -> None:
    class Counting(MemoryLog):
        def add(self, rows: Iterable[tuple[int, int, Answer, str, float]]) -> None:
            listed = list(rows)
            added.append(len(listed))
            super().add(listed)

    ticks = iter(range(100_000))
    added: list[int] = []
    run(a_table(some(20)), Echo(), Counting(), clock=lambda: next(ticks) / 4)
    assert len(added) > 4
    assert sum(added) == 20


def test_the_batch_of_a_slow_model_is_safe_before_the_next_one_begins() -> None:
    now, log, safe = [0.0], MemoryLog(), []

    class Slow(Echo):
        def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
            safe.append(len(log.says))
            now[0] += 5
            return super().answer(queries)

    run(a_table(some(40)), Slow(), log, batch=10, clock=lambda: now[0], check=0)
    assert safe == [0, 10, 20, 30]


class Later(Echo):
    """Answers in the manner of endpoints, on one event loop for the whole run."""

    def __init__(self) -> None:
        super().__init__()
        self.loops: set[int] = set()

    async def answer(self, queries: Sequence[Query]) -> AsyncIterator[PlacedAnswer]:  # type: ignore[override]
        self.loops.add(id(asyncio.get_running_loop()))
        for placed in super().answer(queries):
            await asyncio.sleep(0)
            yield placed


def test_async_models_are_asked_like_others_and_keep_their_event_loop() -> None:
    plain, later, model = MemoryLog(), MemoryLog(), Later()
    run(a_table(some(20)), Echo(), plain, batch=4)
    run(a_table(some(20)), model, later, batch=4)
    assert later.says == plain.says
    assert len(model.loops) == 1


def test_async_models_can_be_asked_where_a_loop_is_running_already() -> None:
    async def notebook() -> MemoryLog:
        log = MemoryLog()
        run(a_table(some(5)), Later(), log, batch=2)
        return log

    with ThreadPoolExecutor(1) as thread:  # the one we are in may have a loop of its own
        assert len(thread.submit(lambda: asyncio.run(notebook())).result().says) == 5


class Speaker:
    """Only answers."""

    fingerprint = "speaker"

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        return Echo().answer(queries)


def test_a_model_is_not_asked_what_it_cannot_do_and_the_count_is_told() -> None:
    texts = [*some(4), *some(3, mode=Mode.SCORE)]
    noisy = Query(None, "Is it?", edits=(Edit("noise", ("0.1",)),))
    log = MemoryLog()
    outcome = run(a_table([*texts, noisy]), Speaker(), log, trials=(0, 1))
    assert (outcome.asked, outcome.failed, outcome.beyond) == (4, 0, 12)


def test_scores_and_stochastic_passes_are_asked_for_in_their_own_way() -> None:
    log, asked = MemoryLog(), [*some(7), *some(3, mode=Mode.SCORE)]
    run(a_table(asked), Echo(), log, trials=(0, 1, 2), batch=8, seed=5)
    assert len(log.says) == 30
    for query in asked:
        plain = Answer.scored(float(len(query.text))) if query.mode is Mode.SCORE else Answer.of(query.text)
        assert log.says[query.id, 0] == plain
        assert log.says[query.id, 2].value == f"{query.text} #2 of 5"


def test_a_score_that_is_no_number_is_a_failure() -> None:
    class Lost(Echo):
        def score(self, queries: Sequence[Query]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
            return np.full(len(queries), np.nan, np.float32)

    outcome = run(a_table(some(3, mode=Mode.SCORE)), Lost(), MemoryLog())
    assert outcome.reasons == (("the score is not a number", 3),)


class Swayed(Echo):
    """One query in four is answered by the size of its batch."""

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        for place, answer in super().answer(queries):
            yield place, Answer.of(str(len(queries))) if queries[place].text.endswith(("1?", "5?")) else answer


def test_the_rate_at_which_answers_depend_on_company_is_told() -> None:
    outcome = run(a_table(some(200)), Swayed(), MemoryLog(), check=200, clock=lambda: 0.0)
    assert outcome.batch_invariance is not None
    assert (outcome.batch_invariance.checked, outcome.batch_invariance.disagreement) == (200, 0.2)
    steady = run(a_table(some(200)), Echo(), MemoryLog(), clock=lambda: 0.0)
    assert steady.batch_invariance is not None
    assert (steady.batch_invariance.checked, steady.batch_invariance.differing) == (32, 0)
    assert run(a_table(some(9)), Swayed(), MemoryLog(), batch=1).batch_invariance is None


def test_answers_are_compared_for_no_longer_than_a_small_share_of_the_run() -> None:
    ticks = iter(range(1_000_000))
    outcome = run(a_table(some(200)), Swayed(), MemoryLog(), check=200, clock=lambda: next(ticks) / 4)
    assert outcome.batch_invariance is not None
    assert 4 <= outcome.batch_invariance.checked < 100


def test_progress_tells_what_is_done_cached_failed_and_left() -> None:
    told: list[Progress] = []
    ticks = iter(range(100_000))
    log = MemoryLog()
    run(a_table(some(10)), Echo(), log)
    model = FlakyModel(lambda query, times: "bad" * ("15" in query.text))
    run(a_table(some(30)), model, log, batch=5, progress=told.append, clock=lambda: next(ticks) / 100, check=0)
    assert [one.done for one in told] == sorted(one.done for one in told)
    last = told[-1]
    assert (last.done, last.total, last.cached, last.failed, last.left) == (20, 20, 10, 1, 0)
    assert str(last).startswith("20 of 20, ")
    assert str(last).endswith("/s, 10 cached, 1 failed")
    assert str(Progress(50, 1000, 0, 0, 10.0, 95.0)) == "50 of 1,000, 10/s, 1 min 35 s left"


def test_the_time_left_is_not_told_after_one_answer() -> None:
    told, now = list[Progress](), [0.0]
    meter = ProgressMeter(100, 0, told.append, clock=lambda: now[0])
    for seconds, answers in ((10.0, 1), (20.0, 49)):
        now[0] = seconds
        meter.count(answers, 0)
    assert [progress.left for progress in told] == [None, 20.0]


class Metered(Echo):
    """Answers so many queries, asks every third of them again, and has spent its budget then."""

    fingerprint = "echo"
    batch_size = 7

    def __init__(self, budget: int) -> None:
        super().__init__()
        self.retries = 0
        self._budget = budget

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        for place, answer in super().answer(queries):
            if not self._budget:
                raise BudgetExhausted("the budget is spent")
            self._budget -= 1
            self.retries += self._budget % 3 == 0
            yield place, answer


def test_a_spent_budget_ends_a_run_without_a_failure_and_the_next_one_asks_the_rest() -> None:
    log, told = MemoryLog(), list[Progress]()
    outcome = run(a_table(some(30)), Metered(budget=12), log, progress=told.append)
    assert (outcome.asked, outcome.failed, outcome.left, outcome.retries) == (12, 0, 18, 4)
    assert str(told[-1]).split(", ")[2] == "4 retried"
    assert outcome.batch_invariance is None
    again = Metered(budget=100)
    assert run(a_table(some(30)), again, log).asked == 18
    assert len(again.asked) == 18


def test_a_model_says_how_many_queries_it_is_best_asked_at_once_unless_somebody_else_does() -> None:
    for batch, sizes in ((None, [7, 7, 6]), (10, [10, 10])):
        model = Metered(budget=100)
        run(a_table(some(20)), model, MemoryLog(), batch=batch)
        assert model.batches == sizes


class Foreseeing(Echo):
    """Notes what it is told will come, beside what it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[list[Query]] = []

    def expect(self, queries: Sequence[Query]) -> None:
        self.told.append(list(queries))


def test_a_model_that_wants_to_know_is_told_what_it_is_asked_next() -> None:
    model = Foreseeing()
    run(a_table(some(20)), model, MemoryLog(), batch=8, check=0)
    assert model.batches == [8, 8, 4]
    assert {query for queries in model.told for query in queries} == set(model.asked[8:])


def test_it_is_told_so_also_where_the_next_batch_is_in_rows_that_are_read_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shard_worker, "CHUNK_ROWS", 8)
    model = Foreseeing()
    run(a_table(some(20)), model, MemoryLog(), batch=4, check=0)
    assert [query for queries in model.told for query in queries] == model.asked[4:]
