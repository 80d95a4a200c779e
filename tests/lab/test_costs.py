"""What models cost: from what runs and answers say, blank with the reason where they do not."""

from pathlib import Path

import pytest

from counterpoint import Lab
from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.lab.model_costs import (
    IMPORTED,
    NOT_TIMED,
    SIZE_UNKNOWN,
    SIZE_UNKNOWN_AT_SERVER,
    explain_missing_costs,
    lab_costs,
    model_cost,
)
from counterpoint.metrics.scoring import ALL_FAILED
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import RunRecord


def _run(number: int, model: str = "m", **details: object) -> RunRecord:
    return RunRecord(str(number), model, "m 1", details)


def test_queries_a_second_are_those_of_all_timed_runs_and_the_size_is_the_last_one_told() -> None:
    runs = [
        _run(1, counts={"asked": 100}, seconds=1.0, parameters=7),
        _run(2, counts={"asked": 200}, seconds=2.0, parameters=8),
        _run(3, counts={"asked": 5000}),  # stopped, and so not timed
        _run(4, counts={"asked": 0}, seconds=9.0),
    ]
    found = model_cost(runs, 0.004)
    assert (found.parameters, found.queries_per_second, found.seconds_per_query) == (8, 100.0, 0.004)
    assert found.reasons == {}


@pytest.mark.parametrize(
    ("runs", "seconds", "reasons"),
    [
        ([_run(1, counts={"asked": 3}, seconds=1)], 0.1, {"parameters": SIZE_UNKNOWN}),
        ([_run(1, "openai/x", counts={"asked": 3}, seconds=1)], 0.1, {"parameters": SIZE_UNKNOWN_AT_SERVER}),
        ([_run(1, parameters=7)], 0.1, {"queries_per_second": NOT_TIMED}),
        (
            [_run(1, counts={"asked": 3, "failed": 3}, parameters=7)],  # every answer failed
            None,
            dict.fromkeys(("queries_per_second", "seconds_per_query"), NOT_TIMED),
        ),
        (
            [_run(1, counts={"added": 5})],
            None,
            dict.fromkeys(("parameters", "queries_per_second", "seconds_per_query"), IMPORTED),
        ),
    ],
)
def test_what_is_not_known_is_blank_with_the_reason(
    runs: list[RunRecord], seconds: float | None, reasons: dict[str, str]
) -> None:
    found = model_cost(runs, seconds)
    assert found.reasons == reasons
    assert all(getattr(found, name) is None for name in reasons)


def test_reasons_are_told_once_for_models_that_share_them() -> None:
    lines = list(
        explain_missing_costs({"a": model_cost([_run(1)], None), "b": model_cost([_run(1, parameters=1)], 0.1)})
    )
    assert lines == [
        f"a: parameters, queries per second, seconds per query: {IMPORTED}",
        f"b: queries per second: {NOT_TIMED}",
    ]
    many = {f"model-{number}": model_cost([_run(1)], None) for number in range(40)}
    (line,) = explain_missing_costs(many)
    assert line.startswith("model-0, model-1, model-2 and 37 others: parameters, ")


def test_a_model_of_which_every_query_failed_says_so_with_the_most_frequent_reason(tmp_path: Path) -> None:
    lab = Lab(tmp_path / "lab")
    pair = tuple(Query(Picture("p:1.png"), text) for text in ("Is there a cat?", "Do you see a cat?"))
    lab.add_groups([Group(Relation.SAME, pair, (Gold.of("yes"),) * 2)], "order")
    for name, answer in (("lost", Answer.failed("no such model")), ("good", Answer.of("yes"))):
        with lab.store.answers(f"{name} 1", run=f"20261118T000000-{name}") as log:
            log.add((query.id, 0, answer, "", 0.1) for query in pair)
        counts = {"asked": 2, "failed": 2 * (name == "lost")}
        lab.store.put_run(RunRecord(f"20261118T000000-{name}", name, f"{name} 1", {"counts": counts}))
    notes = [note for note in lab.leaderboard().notes() if "lost" in note]
    scores, size, times = notes
    assert scores.startswith("lost: order ")
    assert scores.endswith(f": {ALL_FAILED}")
    assert size == f"good, lost: parameters: {SIZE_UNKNOWN}"
    assert times == f"lost: queries per second, seconds per query: {ALL_FAILED}, 2 of 2 with 'no such model'"


def test_a_lab_gives_the_cost_of_each_model_and_failed_answers_do_not_count(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    lab.put_run(RunRecord("1", "m", "m 1", {"counts": {"asked": 4}, "seconds": 2.0, "parameters": 12}))
    with lab.answers("m 1") as log:
        log.add([(1, 0, Answer.of("yes"), "", 0.25), (2, 0, Answer.of("no"), "", 0.75)])
        log.add([(3, 0, Answer.failed("time-out"), "", 30.0)])
    (found,) = lab_costs(lab).values()
    assert (found.parameters, found.queries_per_second, found.seconds_per_query) == (12, 2.0, 0.5)
    assert found.to_dict()["reasons"] == {}


def test_only_the_answers_of_the_chosen_models_are_read(tmp_path: Path) -> None:
    lab = Lab(tmp_path / "lab")
    lab.generate("order", items=20, limit=5)
    for name in ("constant", "random"):
        lab.run(name)
    asked: list[str] = []

    def seconds(fingerprint: str) -> float:
        asked.append(fingerprint)
        return 1.0

    chosen = lab.models[0].fingerprint
    assert list(lab_costs(lab.store, seconds, fingerprints={chosen})) == [chosen] == asked
    assert len(lab_costs(lab.store, seconds)) == 2
