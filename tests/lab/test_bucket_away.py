"""A store that goes away in the middle of a run: what was put stays, and nothing is asked twice."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace

import pytest
from object_stores import BUCKET, SmallStore, bucket_environment, small_store

from counterpoint import Lab
from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Answer, Query
from counterpoint.core.ports import PlacedAnswer
from counterpoint.lab.running import RunReport, RunRequest, run_model
from counterpoint.store.bucket import StorageBucket, _client

ADDRESS = f"s3://{BUCKET}/lab"
FOR_EVER = 1_000_000


class Teller:
    """Says yes to everything, and calls something before its tenth query."""

    fingerprint = "teller"

    def __init__(self, tenth: Callable[[], None]) -> None:
        self._tenth, self.asked = tenth, list[str]()

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        for place, query in enumerate(queries):
            if len(self.asked) == 10:
                self._tenth()
            self.asked.append(query.text)
            yield place, Answer("yes")


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[SmallStore]]:
    with small_store() as (server, handler):
        for name, value in bucket_environment(server).items():
            monkeypatch.setenv(name, value)
        yield handler


@pytest.fixture
def lab(store: type[SmallStore]) -> Lab:
    """A lab of twenty queries, in parts of two."""
    lab = Lab(ADDRESS)
    lab.generate("negation", items=20, limit=10)
    _bucket(lab).part_seconds = 0.0
    return lab


def _bucket(lab: Lab) -> StorageBucket:
    assert isinstance(lab.store.storage, StorageBucket)
    return lab.store.storage


def _run(lab: Lab, model: Teller) -> RunReport:
    request = replace(RunRequest.of("teller", name="teller", batch_size=2), check=0)
    return run_model(lab.store.opened(), request, load=lambda pictures: nullcontext((model, None)))


def test_a_run_outlasts_a_store_that_comes_back(lab: Lab, store: type[SmallStore]) -> None:
    model = Teller(lambda: setattr(store, "away", 3))
    outcome = _run(lab, model).outcome
    assert store.away == 0
    assert (outcome.asked, len(model.asked), outcome.failed) == (20, 20, 0)
    assert lab.store.read_answers("teller").num_rows == 20


def test_a_store_that_stays_away_ends_the_run_and_the_next_asks_the_rest(lab: Lab, store: type[SmallStore]) -> None:
    _bucket(lab)._patient = _client("s3", BUCKET, "lab", 2.5)
    _bucket(lab)._lease_seconds = 1.0  # that of the first run cannot be given back, and has to expire
    model = Teller(lambda: setattr(store, "away", FOR_EVER))
    with pytest.raises(StoreError, match="does not answer") as problem:
        _run(lab, model)
    assert _bucket(lab)._is_away  # so that the record of the run and its lease are tried once, not for minutes
    store.away = 0
    put = lab.store.read_answers("teller").num_rows
    assert 0 < put <= len(model.asked)
    assert problem.value.hint == f"{put} answers of this run are stored and whole; run it again: only the rest is asked"
    again = Teller(lambda: None)
    assert _run(lab, again).outcome.asked == 20 - put
    assert lab.store.read_answers("teller").num_rows == 20
    assert not _bucket(lab)._is_away
    assert lab.verify().holds
