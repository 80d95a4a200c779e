"""Gates that ask until they are decided: portions of pictures in one random order, and what is saved."""

from math import log
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import counterpoint as cp
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.engine.plan import picture_ranks
from counterpoint.lab.gating import GateReport, SequentialCourse
from counterpoint.lab.running import RunRequest
from counterpoint.lab.sequential_gate import GateRules, SequentialRequest, gate_sequentially
from counterpoint.metrics.gates import GateVerdict
from counterpoint.store.versions import RunRecord

PICTURES = 300
MODEL = "constant"
"""A model that always answers yes, so that its accuracy is the share of groups whose gold is yes."""


def _groups(suite: str, share: float) -> list[Group]:
    """One to three groups on each picture, of which some share is answered by yes."""
    rng = Random(suite)
    return [
        Group(
            Relation.SAME,
            tuple(Query(Picture(f"{suite}:{number}.png"), f"{start} cat {place}?") for start in ("Is it", "Is this")),
            (Gold.of("yes" if rng.random() < share else "no"),) * 2,
            kind="color" if number % 2 else "exist",
        )
        for number in range(PICTURES)
        for place in range(1 + number % 3)
    ]


@pytest.fixture
def lab(tmp_path: Path) -> cp.Lab:
    lab = cp.Lab(tmp_path / "lab")
    for suite in ("order", "negation"):
        lab.add_groups(_groups(suite, 0.8), suite)
    return lab


def _verdicts(report: GateReport) -> dict[str, str]:
    return {check.rule.text: check.verdict.value for check in report.checks}


def _asked(lab: cp.Lab) -> list[str]:
    """The pictures with answers of the model."""
    answered = set(lab.answers(MODEL).to_arrow()["query"].to_pylist())
    rows = lab.groups().records()
    return sorted({row["picture"] for row in rows if row["query"] in answered})


def test_a_suite_is_left_when_its_rules_are_decided_and_the_others_go_on(lab: cp.Lab) -> None:
    easy, hard = "order.accuracy >= 0.5", "negation.accuracy >= 0.79"
    report = lab.gate_sequentially(MODEL, [easy, hard])
    assert _verdicts(report) == {easy: "holds", hard: "cannot tell"}
    asked = _asked(lab)
    assert sum(address.startswith("negation:") for address in asked) == PICTURES, "nothing else is left to ask"
    assert 50 <= sum(address.startswith("order:") for address in asked) < PICTURES / 2
    course = report.course
    assert course is not None
    assert (course.pictures, course.present) == (len(asked), 2 * PICTURES)
    assert course.asked == len(lab.answers(MODEL))
    assert course.asked + course.saved == len({row["query"] for row in lab.groups().records()})
    assert f"{course.saved:,} saved" in report.text()
    assert report.to_dict()["sequential"]["method"] == "asymptotic"


def test_everything_stops_at_the_first_rule_that_fails(lab: cp.Lab) -> None:
    report = lab.gate_sequentially(MODEL, ["order.accuracy >= 0.99", "negation.accuracy >= 0.79"], portion=25)
    assert report.verdict is GateVerdict.FAILS
    assert report.exit_code() == 3
    assert report.course is not None
    assert report.course.saved > 2 * report.course.asked
    assert len(_asked(lab)) < PICTURES


def test_a_comparison_says_that_a_model_was_asked_until_a_gate_was_decided(lab: cp.Lab) -> None:
    lab.run("random")
    lab.gate_sequentially(MODEL, ["order.accuracy >= 0.5"], suites=["order"])
    (note,) = [note for note in lab.compare(MODEL, "random").notes() if "until a gate" in note]
    assert note.startswith(f"{MODEL} was asked about order until a gate was decided")
    lab.run(MODEL)
    assert not [note for note in lab.compare(MODEL, "random").notes() if "until a gate" in note]


def test_models_are_compared_while_an_import_has_counted_nothing_yet(lab: cp.Lab) -> None:
    lab.run("random")
    lab.run(MODEL)
    (version,) = (own for own in lab.store.versions() if own.name == MODEL)
    lab.store.put_run(RunRecord("later", MODEL, version.fingerprint, {"state": "running", "suites": {"order": ""}}))
    assert not [note for note in lab.compare(MODEL, "random").notes() if "until a gate" in note]


@pytest.mark.parametrize("method", ["asymptotic", "betting"])
def test_a_portion_is_the_next_pictures_of_one_order_and_a_second_gate_goes_on_in_it(lab: cp.Lab, method: str) -> None:
    first = lab.gate_sequentially(MODEL, ["order.accuracy >= 0.5"], method=method)
    pictures = sorted({f"order:{number}.png" for number in range(PICTURES)})
    ranks = picture_ranks(pa.chunked_array([pictures]), 0)
    order = [pictures[place] for place in np.argsort(ranks)]
    asked = _asked(lab)
    assert asked == sorted(order[: len(asked)])
    again = lab.gate_sequentially(MODEL, ["order.accuracy >= 0.5"], method=method)
    assert again.course is not None
    assert again.course.asked == 0
    assert again.checks == first.checks, "the same pictures decide, however many answers there are"
    lab.run(MODEL)
    assert lab.gate_sequentially(MODEL, ["order.accuracy >= 0.5"], method=method).checks == first.checks


def _capital(credit: list[float], line: float) -> float:
    """What a gambler has who bets on a value above a line, one question after the other."""
    capital, before = 1.0, (line / 2) ** 2
    for number, own in enumerate(credit):
        deviation = (before / (number + 1)) ** 0.5
        stake = min((2 * log(20) / (0.4 * len(credit))) ** 0.5 / deviation, 0.96 / line)
        capital *= 1 + stake * (own - line)
        before += (own - line) ** 2
    return capital


def test_bets_are_made_in_the_order_in_which_pictures_are_asked(tmp_path: Path) -> None:
    """The easy half comes first in the table. By that order a value on its line was found to hold in most labs."""
    questions = [
        Group(
            Relation.GOLD,
            (Query(Picture(f"mine:{number}.png") if number % 3 else None, f"Is it cat {number}?"),),
            (Gold.of("yes" if number < 300 or number % 5 < 3 else "no"),),
        )
        for number in range(600)
    ]
    lab = cp.Lab(tmp_path / "lab")
    lab.add_groups(questions, "sorted")
    report = lab.gate_sequentially(MODEL, ["answer_accuracy >= 0.72"], method="betting", portion=600)
    rows = lab.groups("sorted").to_arrow()
    has_none = rows["picture"].is_null().to_numpy()
    ranks = np.where(has_none, rows["group_id"].to_numpy(), picture_ranks(rows["picture"], 0))
    right = [float(gold[0]["answer"] == "yes") for gold in rows["gold"].to_pylist()]
    credit = [right[place] for place in np.argsort(ranks)]
    assert report.checks[0].test.above == pytest.approx(1 / _capital(credit, 0.72))


def test_a_margin_asks_only_what_the_baseline_has_answered(lab: cp.Lab) -> None:
    lab.run("random", suites=["order"], limit=250)
    rule = "max drop on any suite <= 3 points"
    report = lab.gate_sequentially(MODEL, [rule], baseline="random")
    assert [(check.suite, check.verdict) for check in report.checks] == [("order", GateVerdict.HOLDS)]
    assert report.baseline == "random"
    answered = {row["picture"] for row in lab.groups("order").records()[:500]}
    assert set(_asked(lab)) <= answered


def test_a_rule_on_all_suites_takes_pictures_of_all_and_one_in_a_slice_its_own(lab: cp.Lab) -> None:
    report = lab.gate_sequentially(MODEL, ["accuracy >= 0.6", "accuracy[kind=color] >= 0.6", "unparsed <= 20 %"])
    assert set(_verdicts(report).values()) == {"holds"}
    suites = {address.partition(":")[0] for address in _asked(lab)}
    assert suites == {"order", "negation"}
    whole, color, unparsed = report.checks
    assert color.test.clusters < whole.test.clusters
    assert unparsed.test.value == 0


def test_what_a_budget_leaves_is_not_called_saved_and_decides_nothing(lab: cp.Lab) -> None:
    request = SequentialRequest((GateRules(("order.accuracy >= 0.5",)),))
    run, (report,) = gate_sequentially(lab.store, RunRequest(MODEL, seconds=0.0), request)
    assert report.verdict is GateVerdict.UNDECIDED
    assert report.course == SequentialCourse("asymptotic", 0, PICTURES, 0, saved=0, left=run.outcome.left)
    assert f"{run.outcome.left:,} left" in report.text()


@pytest.mark.parametrize(
    ("rules", "how", "message"),
    [
        (["accuracy"], {}, "no rule of a gate"),
        ([], {}, "needs a rule"),
        (["auroc >= 0.5"], {}, "no share of cases"),
        (["rad_forward not worse than random"], {"method": "betting"}, "depend on the model"),
        (["accuracy >= 0.5"], {"method": "wald"}, "no method of a sequential gate"),
        (["accuracy >= 0.5"], {"portion": 0}, "is none"),
        (["accuracy[kind=colour] >= 0.5"], {}, "no kind of negation and order is called 'colour'"),
        (["accuracy[slice=rare] >= 0.5"], {}, "no group of negation and order is in this slice"),
        (["acc_r >= 0.5"], {}, "acc_r does not apply"),
    ],
)
def test_what_cannot_be_decided_is_told_before_anything_is_asked(
    lab: cp.Lab, rules: list[str], how: dict[str, Any], message: str
) -> None:
    lab.save_slice("rare", {"text": "zebra"})
    with pytest.raises(cp.CounterpointError, match=message):
        lab.gate_sequentially(MODEL, rules, **how)
    assert not lab.models
