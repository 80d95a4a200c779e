"""Answers that an older release stored under another fingerprint of the same model are found, and not asked again."""

from pathlib import Path

import pytest

import counterpoint as cp
from counterpoint import catalog
from counterpoint.core.ports import RenamedModel
from counterpoint.store.groups import unique_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import RunRecord
from counterpoint.testing import ChatServer


@pytest.mark.parametrize("place", range(4), ids=["PNG", "PNG of any size", "address", "PNG and address"])
def test_answers_under_a_former_fingerprint_are_adopted_once(place: int, tmp_path: Path) -> None:
    lab = cp.Lab(tmp_path / "lab")
    lab.generate("negation", items=10, limit=6)
    with ChatServer(lambda asked: "Yes.", models=("served",)) as server:
        model = catalog.model("openai/served", lab.store.pictures(), {"base_url": server.base_url})
        assert isinstance(model, RenamedModel)
        former = model.former_fingerprints[place]
        queries = unique_queries(lab.groups("negation").to_arrow())["query"].to_pylist()
        with lab.store.answers(former, run="20260101T000000.000000-aa") as log:
            log.add((query, 0, cp.Answer.of("no"), "", 0.1) for query in queries)
        lab.store.put_run(RunRecord("20260101T000000.000000-aa", "openai/served", former))
        for _ in range(2):
            report = lab.run("openai/served", base_url=server.base_url)
            assert (report.outcome.asked, report.outcome.cached) == (0, len(queries))
    (version,) = lab.models
    assert version.former == (former,)
    assert set(lab.answers("openai/served").to_arrow()["value"].to_pylist()) == {"no"}
    assert len(LabStore(lab.folder).read_answers(former)) == len(queries), "the old answers stay where they are"


def test_answers_under_several_former_fingerprints_are_all_adopted(tmp_path: Path) -> None:
    lab = cp.Lab(tmp_path / "lab")
    lab.generate("negation", items=10, limit=6)
    with ChatServer(lambda asked: "Yes.", models=("served",)) as server:
        model = catalog.model("openai/served", lab.store.pictures(), {"base_url": server.base_url})
        assert isinstance(model, RenamedModel)
        queries = unique_queries(lab.groups("negation").to_arrow())["query"].to_pylist()
        for place, former in enumerate(model.former_fingerprints[:3]):
            run = f"2026010{1 + place}T000000.000000-aa"
            with lab.store.answers(former, run=run) as log:
                log.add((query, 0, cp.Answer.of("no"), "", 0.1) for query in queries[3 * place : 3 * place + 4])
            lab.store.put_run(RunRecord(run, "openai/served", former))
        report = lab.run("openai/served", base_url=server.base_url)
    assert (report.outcome.asked, report.outcome.cached) == (len(queries) - 10, 10)
    answers = lab.answers("openai/served").to_arrow()
    assert sorted(answers["query"].to_pylist()) == sorted(queries), "each once"
    assert answers["value"].to_pylist().count("no") == 10
