"""A model in memory is asked in batches, within its time, and kept in the lab as a version."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.core.ports import Pixels


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lab")
    lab = cp.Lab(folder)
    lab.generate("order", "negation", items=60, limit=40)
    lab.generate("existence", items=40, limit=6)
    return folder


@pytest.fixture
def lab(suites: Path, tmp_path: Path) -> cp.Lab:
    from shutil import copytree

    return cp.Lab(copytree(suites, tmp_path / "lab"))


class Clock:
    """Time that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Student:
    """A function of a batch that says yes, and keeps what it was shown."""

    def __init__(self, clock: Clock | None = None, reply: Any = "Yes.") -> None:
        self.batches: list[list[cp.Query]] = []
        self._clock, self._reply = clock or Clock(), reply

    def __call__(self, pictures: list[Pixels | None], queries: list[cp.Query]) -> Sequence[Any]:
        assert all(picture is not None and picture.dtype == np.uint8 and picture.ndim == 3 for picture in pictures)
        self.batches.append(queries)
        self._clock.now += 1
        return [self._reply for _ in queries]


def test_a_function_is_asked_in_batches_and_becomes_a_version(lab: cp.Lab) -> None:
    student = Student()
    evaluation = cp.evaluate(student, lab, suites=["order", "negation"], name="vlm", version="step-1", batch_size=16)
    assert {len(batch) for batch in student.batches[:-1]} == {16}
    assert (
        evaluation.run.outcome.asked
        == sum(map(len, student.batches))
        == len({q.id for b in student.batches for q in b})
    )
    assert [(model.name, model.version) for model in lab.models] == [("vlm", "step-1")]
    assert {score.slice["suite"] for score in evaluation} == {"order", "negation"}
    stored = lab.scores(models=["vlm"], suites=["order"], metrics=["accuracy"], by=())
    (value,) = [score.value for score in stored]
    assert evaluation.metrics["order/accuracy"] == value
    assert evaluation.metrics["order/accuracy_low"] <= evaluation.metrics["order/accuracy_high"]
    assert not evaluation.gate_fails


def test_the_same_version_is_not_asked_twice_and_another_is(lab: cp.Lab) -> None:
    first, again, other = Student(), Student(), Student(reply="no")
    cp.evaluate(first, lab, suites=["order"], name="vlm", version="step-1")
    repeated = cp.evaluate(again, lab, suites=["order"], name="vlm", version="step-1")
    assert not again.batches
    assert "were answered before" in repeated.text()
    cp.evaluate(other, lab, suites=["order"], name="vlm", version="step-2")
    assert sum(map(len, other.batches)) == sum(map(len, first.batches))
    assert [model.version for model in lab.models] == ["step-1", "step-2"]


def test_a_time_budget_stops_the_asking_keeps_the_answers_and_a_later_call_goes_on(lab: cp.Lab) -> None:
    how: dict[str, Any] = {"suites": ["order", "negation"], "name": "vlm", "version": "step-1", "batch_size": 8}
    clock = Clock()
    student = Student(clock)
    evaluation = cp.evaluate(student, lab, seconds=3, clock=clock, **how)
    assert len(student.batches) == 3
    assert evaluation.run.outcome.left
    assert "the time budget of 3 s is used up" in evaluation.text()
    assert {score.slice["suite"] for score in evaluation} == {"order", "negation"}, "a sample of pictures has both"
    later = Student(clock)
    whole = cp.evaluate(later, lab, clock=clock, **how)
    assert not whole.run.outcome.left
    asked = [query.id for batch in student.batches + later.batches for query in batch]
    assert len(asked) == len(set(asked))


def test_versions_that_get_as_far_are_asked_the_same(lab: cp.Lab) -> None:
    asked = []
    for version in ("step-1", "step-2"):
        clock = Clock()
        student = Student(clock)
        cp.evaluate(student, lab, name="vlm", version=version, suites=["order"], batch_size=8, seconds=2, clock=clock)
        asked.append([query.id for batch in student.batches for query in batch])
    assert asked[0] == asked[1]


def test_scores_are_asked_of_a_function_that_scores(lab: cp.Lab) -> None:
    def similarity(pictures: list[Pixels | None], queries: list[cp.Query]) -> Any:
        return np.array([len(query.text) for query in queries], np.float32)

    evaluation = cp.evaluate(similarity, lab, suites=["existence"], name="clip", version="1", mode="score")
    assert evaluation.run.outcome.asked
    assert "existence/acc_r" in evaluation.metrics


def test_a_model_with_a_fingerprint_needs_no_version_and_a_weight_digest_binds_one(lab: cp.Lab) -> None:
    class Sure:
        fingerprint = "sure 1"

        def answer(self, queries: Sequence[cp.Query]) -> Any:
            return ((place, cp.Answer.of("yes")) for place, _ in enumerate(queries))

    model = Sure()
    assert cp.evaluate(model, lab, suites=["order"], name="sure").run.fingerprint == "sure 1"
    cp.evaluate(model, lab, suites=["order"], name="sure", version="b", fingerprint="weights 1")
    assert model.fingerprint == "sure 1"
    with pytest.raises(cp.CounterpointError, match="has a version b already"):
        cp.evaluate(model, lab, suites=["order"], name="sure", version="b", fingerprint="weights 2")


def test_a_gate_is_held_against_the_version(lab: cp.Lab) -> None:
    evaluation = cp.evaluate(
        Student(reply="maybe"), lab, suites=["order"], name="vlm", version="1", gates=["order.accuracy >= 0.9"]
    )
    assert evaluation.gate_fails
    assert "the gate fails" in evaluation.text()
    assert evaluation.to_dict()["gate"]["verdict"] == "fails"


def test_a_rule_waits_until_its_baseline_is_there_and_a_wrong_rule_is_told_before_anything_is_asked(
    lab: cp.Lab,
) -> None:
    how: dict[str, Any] = {"suites": ["order"], "name": "vlm", "baseline": "vlm@step-1"}
    how["gates"] = ["order.accuracy not worse than baseline by 90 points", "unparsed <= 90 %"]
    first = cp.evaluate(Student(), lab, version="step-1", **how)
    assert first.gate is not None
    assert [check.rule.text for check in first.gate.checks] == ["unparsed <= 90 %"]
    assert "waits, vlm is its own baseline" in first.text()
    second = cp.evaluate(Student(), lab, version="step-2", **how)
    assert second.gate is not None
    assert (len(second.gate.checks), second.waiting) == (2, ())
    student = Student()
    for wrong in ({"gates": ["acuracy >= 0.5"]}, {"trackers": ["wandbb"]}):
        with pytest.raises(cp.CounterpointError):
            cp.evaluate(student, lab, version="step-3", **how | wrong)
    assert not student.batches


def _short(pictures: list[Any], queries: list[cp.Query]) -> list[str]:
    return ["yes"]


@pytest.mark.parametrize(
    ("model", "version", "said"),
    [
        (Student(), "", "its version has to be given"),
        (_short, "1", "gave 1 replies to"),
        (lambda pictures: None, "1", "vlm is no model"),
        ("fusion", "1", "vlm is no model"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(lab: cp.Lab, model: Any, version: str, said: str) -> None:
    with pytest.raises(cp.CounterpointError, match=said):
        cp.evaluate(model, lab, suites=["order"], name="vlm", version=version)


def test_an_unknown_mode_is_told(lab: cp.Lab) -> None:
    evaluate: Callable[..., Any] = cp.evaluate
    with pytest.raises(cp.UnknownName, match="no mode is called 'rank'"):
        evaluate(Student(), lab, name="vlm", version="1", mode="rank")
