"""The gate: rules on scores with a verdict of three, exit codes for CI, and a baseline."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

import counterpoint as cp
from counterpoint.cli import baseline as baseline_command
from counterpoint.cli import gate as gate_command
from counterpoint.cli import sample_size as sample_size_command
from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Answer, Gold, Group, Query, Relation, State
from counterpoint.core.pictures import Picture
from counterpoint.metrics.gates import GateRule, GateVerdict
from counterpoint.store.versions import RunRecord

GROUPS = 200


def _groups(suite: str) -> list[Group]:
    return [
        Group(
            Relation.SAME,
            tuple(Query(Picture(f"{suite}:{number}.png"), text) for text in ("Is there a cat?", "Do you see a cat?")),
            (Gold.of("yes"),) * 2,
            kind="color" if number % 2 else "exist",
        )
        for number in range(GROUPS)
    ]


def _answer(lab: cp.Lab, name: str, version: str, right: Mapping[str, Sequence[bool]], unparsed: int = 0) -> None:
    """Answers of a version: both queries of a group are right or wrong together."""
    fingerprint, run = f"{name} {version}", f"20261116T00000{len(lab.models)}-{version}"
    with lab.store.answers(fingerprint, run=run) as log:
        for suite, own in right.items():
            for number, (group, hit) in enumerate(zip(_groups(suite), own, strict=True)):
                answer = Answer.of("yes" if hit else "no")
                if number >= GROUPS - unparsed:
                    answer = Answer(raw="well", value="well", state=State.UNPARSED)
                log.add((query.id, 0, answer, "", 0.0) for query in group.queries)
    lab.store.put_run(RunRecord(run, name, fingerprint, {}, version))


def _share(share: float, shift: int = 0) -> list[bool]:
    return [(number + shift) % GROUPS < share * GROUPS for number in range(GROUPS)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lab of two versions of a model."""
    lab = cp.Lab(tmp_path_factory.mktemp("gates") / "lab")
    for suite in ("order", "negation"):
        lab.add_groups(_groups(suite), suite)
    _answer(lab, "vlm", "v1", {"order": _share(0.80), "negation": _share(0.80)})
    _answer(lab, "vlm", "v2", {"order": _share(0.81), "negation": _share(0.60)}, unparsed=20)
    return lab.folder


@pytest.fixture
def lab(whole: Path, tmp_path: Path) -> cp.Lab:
    shutil.copytree(whole, tmp_path / "lab")
    return cp.Lab(tmp_path / "lab")


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("negation.accuracy >= 0.45", "holds"),
        ("negation.accuracy >= 70 %", "fails"),
        ("negation.accuracy >= 0.58", "cannot tell"),
        ("accuracy >= 0.6", "holds"),
        ("accuracy[kind=color] >= 0.95", "fails"),
        ("accuracy[suite=negation] >= 70 %", "fails"),
        ("accuracy[gold=yes] >= 0.95", "fails"),
        ("unparsed <= 2 %", "fails"),
        ("unparsed <= 30 %", "holds"),
        ("order.accuracy not worse than vlm@v1 by 15 points", "holds"),
        ("negation.accuracy not worse than vlm@v1 by 5 points", "fails"),
    ],
)
def test_a_rule_holds_fails_or_cannot_be_told(lab: cp.Lab, rule: str, verdict: str) -> None:
    (check,) = lab.gate("vlm", [rule]).checks
    assert check.verdict.value == verdict, check


def test_the_largest_drop_is_one_rule_for_each_suite(lab: cp.Lab) -> None:
    report = lab.gate("vlm@v2", ["max drop on any suite <= 3 points"], baseline="vlm@v1")
    verdicts = {check.suite: check.verdict for check in report.checks}
    assert verdicts == {"negation": GateVerdict.FAILS, "order": GateVerdict.HOLDS}
    assert report.verdict is GateVerdict.FAILS


def test_what_cannot_be_told_says_how_many_more_would_tell(lab: cp.Lab) -> None:
    (check,) = lab.gate("vlm", ["negation.accuracy >= 0.58"]).checks
    assert check.verdict is GateVerdict.UNDECIDED
    reach = check.test.value - check.test.low
    assert check.further == pytest.approx(check.test.n * ((reach / 0.02) ** 2 - 1), abs=1)
    assert str(check.further) in lab.gate("vlm", ["negation.accuracy >= 0.58"]).text().replace(",", "")


@pytest.mark.parametrize(
    ("pictures", "cell", "sentence"),
    [
        (19, "1 picture", "at least 1 further picture is needed"),
        (6, "14 pictures", "at least 14 further pictures are needed"),
    ],
)
def test_too_few_pictures_are_what_is_missing(tmp_path: Path, pictures: int, cell: str, sentence: str) -> None:
    lab = cp.Lab(tmp_path / "lab")
    lab.add_groups(_groups("order")[:pictures], "order")
    _answer(lab, "vlm", "v1", {"order": _share(1.0)})
    report = lab.gate("vlm", ["accuracy >= 0.5"])
    (check,) = report.checks
    assert (check.verdict, check.further, check.missing) == (GateVerdict.UNDECIDED, None, sentence)
    assert cell in report.text()
    assert sentence in report.junit()
    assert report.to_dict()["checks"][0]["further_pictures"] == 20 - pictures


def test_cases_without_an_answer_of_either_model_are_told(lab: cp.Lab) -> None:
    """A model that failed on the hard half holds what it holds on the easy one, and not in silence."""
    fingerprint, run = "flaky 1", "20261116T000009-1"
    with lab.store.answers(fingerprint, run=run) as log:
        for number, group in enumerate(_groups("order")):
            answer = Answer.of("yes") if number < 150 else Answer.failed("error 500")
            log.add((query.id, 0, answer, "", 0.0) for query in group.queries)
    lab.store.put_run(RunRecord(run, "flaky", fingerprint, {}, "1"))
    report = lab.gate("flaky", ["order.accuracy >= 0.9", "order.accuracy not worse than vlm@v1 by 3 points"])
    assert [(check.verdict.value, check.test.n, check.test.left_out) for check in report.checks] == [
        ("holds", 150, 50),
        ("holds", 150, 50),
    ]
    note = "order.accuracy >= 0.9 on order: 50 cases are left out, of which a query failed or was not asked"
    assert note in report.notes()
    assert report.to_dict()["checks"][0]["left_out"] == 50
    assert not any("left out" in note for note in lab.gate("vlm@v1", ["order.accuracy >= 0.9"]).notes())


def test_failing_is_corrected_over_the_rules_and_holding_is_not(lab: cp.Lab) -> None:
    alone = lab.gate("vlm", ["negation.accuracy >= 0.61"]).checks[0]
    line = next(
        text
        for text in (f"negation.accuracy >= 0.{number}" for number in range(610, 700, 2))
        if lab.gate("vlm", [text]).checks[0].verdict is GateVerdict.FAILS
    )
    together = lab.gate("vlm", [line, *["order.accuracy >= 0.5"] * 9]).checks
    assert alone.verdict is GateVerdict.UNDECIDED
    assert together[0].verdict is GateVerdict.UNDECIDED, "one of ten rules just over the line is no alarm"
    assert {check.verdict for check in together[1:]} == {GateVerdict.HOLDS}


def test_exit_codes_and_files_are_those_that_ci_needs(lab: cp.Lab, tmp_path: Path) -> None:
    def call(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(gate_command.command, [str(lab.folder), "--model", "vlm", *words])
        return done.exit_code, done.output

    assert call("--rule", "accuracy >= 0.5")[0] == 0
    assert call("--rule", "accuracy >= 0.9")[0] == 3
    undecided = ("--rule", "negation.accuracy >= 0.58")
    assert call(*undecided)[0] == 0
    assert call(*undecided, "--undecided", "fail")[0] == 4
    _, text = call("--rule", "accuracy >= 0.9", *undecided, "--junit", str(tmp_path / "gate.xml"), "--json")
    assert json.loads(text)["verdict"] == "fails"
    cases = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert (cases.get("tests"), cases.get("failures")) == ("2", "1")
    assert [node.tag for case in cases for node in case] == ["failure", "skipped"]


def test_a_marked_baseline_is_what_rules_compare_with(lab: cp.Lab) -> None:
    rule = "negation.accuracy not worse than baseline by 5 points"
    with pytest.raises(cp.CounterpointError, match="no version of vlm is marked") as problem:
        lab.gate("vlm", [rule])
    assert "counterpoint baseline" in problem.value.hint
    done = CliRunner().invoke(baseline_command.command, [str(lab.folder), "vlm@v1"], catch_exceptions=False)
    assert "vlm@v1 is the baseline" in done.output
    report = lab.gate("vlm", [rule])
    assert report.baseline == "vlm@v1"
    assert report.verdict is GateVerdict.FAILS
    assert lab.compare("vlm@baseline", "vlm@latest").models == ("vlm@v1", "vlm@v2")
    with pytest.raises(cp.CounterpointError, match="its own baseline"):
        lab.gate("vlm@v1", [rule])


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("accuracy", "no rule of a gate"),
        ("accuracy > 0.5", "no rule of a gate"),
        ("accuracy >= 60", "is above 1"),
        ("accuracy[color] >= 0.6", "is no slice"),
        ("ordr.accuracy >= 0.6", "order"),
        ("acuracy >= 0.6", "accuracy"),
        ("accuracy[knd=color] >= 0.6", "kind"),
        ("accuracy[kind=colour] >= 0.6", "did you mean color?"),
        ("order.accuracy[test=ordr] not worse than vlm@v1", "did you mean order?"),
        ("accuracy[tag:wether=rain] >= 0.6", "no tag of"),
        ("accuracy[gold=Yes] >= 0.6", "did you mean yes?"),
        ("accuracy[suite=oder] >= 0.6", "did you mean order?"),
        ("order.accuracy[suite=negation] >= 0.6", "names two suites"),
        ("ece <= 0.1", "ece is raised by chance"),
        ("acc_r >= 0.6", "acc_r does not apply to negation and order"),
    ],
)
def test_what_is_no_rule_says_what_rules_look_like(lab: cp.Lab, rule: str, message: str) -> None:
    with pytest.raises(cp.CounterpointError) as problem:
        lab.gate("vlm", [rule])
    assert message in f"{problem.value} {problem.value.hint}"


@pytest.mark.parametrize("filter_", [{"kind": "shape"}, {"text": "zebra"}, {"kind": "color", "text": "zebra"}])
def test_a_rule_on_a_slice_without_groups_does_not_pass(lab: cp.Lab, filter_: dict[str, str]) -> None:
    lab.save_slice("rare", filter_)
    with pytest.raises(cp.CounterpointError, match="no group of negation and order is in this slice"):
        lab.gate("vlm", ["accuracy[slice=rare] >= 0.6"])


def test_a_suite_that_the_baseline_has_not_answered_is_told(lab: cp.Lab) -> None:
    """As one that was made again with other groups: the rule on each suite would hold by the others in silence."""
    lab.add_groups(_groups("other"), "negation", replace=True)
    report = lab.gate("vlm@v2", ["max drop on any suite <= 3 points"], baseline="vlm@v1")
    assert [check.suite for check in report.checks] == ["order"]
    assert report.to_dict()["not_compared"] == ["negation"]
    assert "negation is left out: vlm@v2 and vlm@v1 share no case of it" in report.notes()
    with pytest.raises(cp.CounterpointError, match="vlm@v2 and vlm@v1 share no group that both answered"):
        lab.findings("vlm@v2", against="vlm@v1", suites=["negation"])


def test_a_value_of_a_slice_may_have_a_comma() -> None:
    rule = GateRule.parse("accuracy[tag:weather=snow, heavy, kind=color] >= 0.6")
    assert rule.where == {"tag:weather": "snow, heavy", "kind": "color"}


def test_a_rule_reads_numbers_in_every_usual_way() -> None:
    lines = [GateRule.parse(f"accuracy >= {number}").line for number in ("0.6", "60 %", "60%", "60 points")]
    assert np.allclose(lines, 0.6)
    assert GateRule.parse("accuracy not worse than baseline").line == -0.03


def test_a_model_equal_to_its_baseline_is_not_worse(lab: cp.Lab) -> None:
    _answer(lab, "vlm", "v3", {"order": _share(0.80), "negation": _share(0.80)})
    report = lab.gate("vlm@v3", ["accuracy not worse than vlm@v1 by 3 points"])
    assert report.verdict is GateVerdict.HOLDS


def test_a_model_that_never_says_yes_has_no_precision_to_compare(lab: cp.Lab) -> None:
    _answer(lab, "never", "v1", {"order": [False] * GROUPS})
    with pytest.raises(StoreError, match="never and vlm@v1 cannot be compared") as problem:
        lab.compare("never", "vlm@v1", metrics=["yes_precision"])
    assert problem.value.hint.startswith("never has no yes_precision: ")
    assert "no answer is yes" in problem.value.hint
    scores = lab.scores(models=["never"], suites=["order"], metrics=["yes_precision", "yes_recall"])
    assert scores.notes() == ["never has no yes_precision: no answer is yes"]


def test_a_score_that_only_some_slices_lack_has_its_reason_once(lab: cp.Lab) -> None:
    _answer(lab, "never", "v1", {"order": [False] * GROUPS, "negation": [True] * GROUPS})
    scores = lab.scores(models=["never"], metrics=["rad_forward"])
    assert [(own.slice["suite"], own.value) for own in scores] == [("negation", 1.0), ("order", None)]
    assert scores.notes() == ["never has no rad_forward in some slices: no base here is answered correctly"]


def test_a_sample_size_is_that_of_the_test_whose_answers_vary_most(lab: cp.Lab) -> None:
    sizes = {(size.suite, size.rule): size for size in lab.sample_size(0.1, metrics=["accuracy"])}
    assert set(sizes) == {(suite, rule) for suite in ("order", "negation") for rule in ("line", "baseline")}
    line = sizes["negation", "line"]
    assert line.models == ("vlm@v2",), "0.6 varies more than 0.8"
    normal = (1.645 + 0.842) ** 2 * 0.24 / 0.1**2
    assert normal < line.pictures == line.groups < 1.3 * normal
    (finer,) = lab.sample_size(0.05, suites=["negation"], models=["vlm@v2"], metrics=["accuracy"])
    assert 3.7 * line.groups < finer.groups < 4.1 * line.groups
    (corrected,) = lab.sample_size(0.05, suites=["negation"], models=["vlm@v2"], metrics=["accuracy"], rules=20)
    assert 1.5 * finer.groups < corrected.groups < 2.5 * finer.groups


def test_a_sample_size_is_printed_and_faults_are_told(lab: cp.Lab) -> None:
    def call(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(sample_size_command.command, [str(lab.folder), *words])
        return done.exit_code, done.output

    code, text = call("--detect", "2", "--suite", "order")
    assert code == 0
    assert "Groups that find 2 points with a power of 80 %" in text
    assert "vlm@v1 – vlm@v2" in text
    parts = json.loads(call("--detect", "2", "--json")[1])
    assert parts["detect"] == 0.02
    assert {"suite", "metric", "rule", "models", "groups", "pictures", "present", "seen"} == set(parts["sizes"][0])
    assert call("--detect", "0")[0] == 2
    with pytest.raises(cp.CounterpointError, match="2 is no difference"):
        lab.sample_size(2)
    with pytest.raises(cp.CounterpointError, match="no share of cases"):
        lab.sample_size(0.02, metrics=["auroc"])
