"""The verdict on a group is what a reader would say who looked at every answer."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from labs import MODELS

from counterpoint.core.groups import State
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.units import STATES
from counterpoint.metrics.verdicts import FAILING, FAILS, FLAGS, PASSES, PASSING, REFUSED, VERDICTS, group_verdicts
from counterpoint.store.lab import LabStore


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("suite", ["plain", "odd"])
def test_verdicts_are_those_of_a_naive_reader(lab: LabStore, suite: str, model: str) -> None:
    table = lab.suite(suite).table
    answers = {line["query"]: line for line in lab.read_answers(MODELS[model]).to_pylist()}
    found = group_verdicts(judge(table, lab.read_answers(MODELS[model])))
    groups: dict[int, list[Mapping[str, object]]] = {}
    for line in table.to_pylist():
        groups.setdefault(line["group_id"], []).append({**line, "said": answers.get(line["query"])})
    expected = {group: _naive(rows) for group, rows in groups.items()}
    given = {int(found.group_id[place]): found.name(place) for place in range(len(found.code))}
    assert {group: word for group, word in given.items() if word not in ("holds", "breaks")} == {
        group: word for group, word in expected.items() if word
    }


def _naive(rows: list[Mapping[str, object]]) -> str:
    right = []
    for row in rows:
        said, gold = row["said"], row["gold"]
        if not isinstance(said, dict) or said["state"] == "failed":
            return "unanswered"
        if isinstance(gold, list) and row["mode"] == "answer":
            credit = {one["answer"]: one["credit"] for one in gold}
            right.append(said["state"] == "ok" and credit.get(said["value"], 0) >= 0.5)
    if not right:
        return ""
    if right[0]:
        return "right" if all(right) else "broken"
    return "gained" if any(right) else "wrong"


def test_groups_without_gold_hold_or_break(lab: LabStore) -> None:
    found = group_verdicts(judge(lab.suite("odd").table, lab.read_answers(MODELS["careful"])))
    named = {test: found.name(place) for place, test in enumerate(found.test)}
    assert (named["foil"], named["blind"]) == ("holds", "holds")


def test_every_group_has_one_verdict_and_a_filter_finds_it(lab: LabStore) -> None:
    found = group_verdicts(judge(lab.suite("plain").table, lab.read_answers(MODELS["hasty"])))
    parts = [found.where(verdict=name) for name in VERDICTS]
    assert sorted(np.concatenate(parts)) == list(range(len(found.code)))
    assert set(found.where(test="turn", kind="odd")) == set(found.where(test="turn")) & set(found.where(kind="odd"))


def test_flags_say_all_that_is_true_of_a_group(lab: LabStore) -> None:
    outcomes = judge(lab.suite("plain").table, lab.read_answers(MODELS["<b>bold</b>/model"]))
    found = group_verdicts(outcomes)
    refused = {int(outcomes.base[row]) for row in np.flatnonzero(outcomes.state == STATES.index(State.REFUSED))}
    for place, flags in enumerate(found.flags):
        name = found.name(place)
        assert flags & FLAGS[name]
        assert bool(flags & FLAGS[PASSES]) == (name in PASSING)
        assert bool(flags & FLAGS[FAILS]) == (name in FAILING)
        assert bool(flags & FLAGS[REFUSED]) == (int(found.row[place]) in refused)
    assert refused


def test_a_hedged_answer_is_wrong_and_not_missing(lab: LabStore) -> None:
    hedged = lab.read_answers(MODELS["careful"])
    for name, text in (("state", State.HEDGED.value), ("raw", "I cannot tell.")):
        hedged = hedged.set_column(hedged.column_names.index(name), name, pa.array([text] * hedged.num_rows))
    found = group_verdicts(judge(lab.suite("plain").table, hedged))
    assert {found.name(place) for place in range(len(found.code))} == {"wrong"}


def test_a_suite_without_groups_has_no_verdicts(lab: LabStore) -> None:
    nothing = lab.suite("plain").table.slice(0, 0)
    assert len(group_verdicts(judge(nothing, lab.read_answers(MODELS["hasty"]))).code) == 0


def test_ids_of_the_lab_are_kept(lab: LabStore, tmp_path: Path) -> None:
    table = lab.suite("plain").table
    found = group_verdicts(judge(table, lab.read_answers(MODELS["hasty"])))
    assert set(found.group_id.tolist()) == set(table["group_id"].to_pylist())
