"""Queries with edits of features: asked where somebody makes them, once, and gone on with after a stop."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from asked import a_table, some

from counterpoint.core.groups import Answer, Mode, Query, Side, noise_edit
from counterpoint.core.ports import PlacedAnswer
from counterpoint.engine.running import run
from counterpoint.store.groups import read_queries
from counterpoint.testing import Echo, MemoryLog, SimulatedKill

EDITED = [replace(query, edits=(noise_edit(Side.TEXT, "1", "all", n),)) for n, query in enumerate(some(10))]


class Editing:
    """Says the seed of the edit, until it is stopped."""

    def __init__(self, after: int = 1000) -> None:
        self.asked: list[Query] = []
        self._left = after

    def __call__(self, given: Sequence[Query]) -> Iterator[PlacedAnswer]:
        self.asked += given
        for place, query in enumerate(given):
            if not self._left:
                raise SimulatedKill
            self._left -= 1
            yield place, Answer.of(f"{query.text} {query.edits[0].seed}")


def test_edited_queries_go_to_whoever_makes_the_edits_and_plain_ones_to_the_model() -> None:
    log, model, editing = MemoryLog(), Echo(), Editing()
    scored = some(3, mode=Mode.SCORE)
    run(a_table([*some(10), *EDITED, *scored]), model, log, read=read_queries, edited=editing, batch=4, check=0)
    assert set(model.asked) == {*some(10), *scored}
    assert set(editing.asked) == set(EDITED)
    assert [log.says[query.id, 0].value for query in EDITED] == [f"Is it {n}? {n}" for n in range(10)]


def test_without_somebody_who_makes_them_they_are_beyond_the_model() -> None:
    outcome = run(a_table([*some(10), *EDITED]), Echo(), MemoryLog(), read=read_queries)
    assert (outcome.asked, outcome.beyond) == (10, 10)


def test_stochastic_passes_leave_features_alone() -> None:
    log = MemoryLog()
    outcome = run(a_table(EDITED), Echo(), log, read=read_queries, edited=Editing(), trials=(0, 1))
    assert (outcome.asked, outcome.beyond) == (10, 10)


def test_a_run_that_was_stopped_goes_on_with_what_is_missing() -> None:
    whole, resumed = MemoryLog(), MemoryLog()
    run(a_table(EDITED), Echo(), whole, read=read_queries, edited=Editing(), batch=3)
    with suppress(SimulatedKill):
        run(a_table(EDITED), Echo(), resumed, read=read_queries, edited=Editing(after=5), batch=3)
    again = Editing()
    outcome = run(a_table(EDITED), Echo(), resumed, read=read_queries, edited=again, batch=3, check=0)
    assert resumed.says == whole.says
    assert outcome.cached == 5
    assert len(again.asked) == 5


def test_answers_alone_and_in_company_are_compared_for_them_too() -> None:
    outcome = run(a_table(EDITED), Echo(), MemoryLog(), read=read_queries, edited=Editing(), check=4)
    assert outcome.batch_invariance is not None
    assert (outcome.batch_invariance.checked, outcome.batch_invariance.differing) == (4, 0)
