"""`score` and `compare` over a lab on disk, as people call them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import counterpoint as cp
from counterpoint.cli import compare, score
from counterpoint.core.errors import CounterpointError, StoreError, UnknownName
from counterpoint.core.groups import Answer, Gold, Group, Query, Relation, State
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Picture
from counterpoint.metrics import contrast
from counterpoint.metrics.accuracy import ACCURACY_METRICS, answer_accuracy
from counterpoint.metrics.metric import Metric, columns_read
from counterpoint.metrics.ranking import RANKING
from counterpoint.reports.papers.carets_results import gap
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord


def _suite(lab: LabStore, pictures: int = 40) -> list[Query]:
    groups = []
    for number in range(pictures):
        picture = Picture(f"world:test/{number:06}.png")
        asked = tuple(Query(picture, text) for text in ("Is there a cat?", "Do you see a cat?", "Is a cat there?"))
        tags = ((("words", "3"),), (("words", "4"),), (("words", "3"),))
        groups.append(Group(Relation.SAME, asked, (Gold.of("yes"),) * 3, kind="exist", tags=tags))
    table = groups_table([("rephrase", group) for group in groups], "rephrase")
    lab.put_suite(Manifest.of(table, generator="here", seed=0), table)
    return [query for group in groups for query in group.queries]


def _said(lab: LabStore, model: str, run: str, answers: list[tuple[Query, Answer]]) -> None:
    with lab.answers(model + " 1", run=run) as log:
        log.add((query.id, 0, answer, "", 0.0) for query, answer in answers)
    lab.put_run(RunRecord(run, model, model + " 1"))


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    lab = LabStore(tmp_path / "lab")
    asked = _suite(lab)
    _said(lab, "sure", "r1", [(query, Answer.of("yes")) for query in asked])
    torn = [Answer.of("yes" if place % 3 else "no") for place in range(len(asked))]
    torn[0] = Answer(raw="Sorry.", state=State.REFUSED)
    _said(lab, "torn", "r2", list(zip(asked, torn, strict=True)))
    return tmp_path / "lab"


def _call(command: str, *arguments: object) -> Result:
    main = {"score": score.command, "compare": compare.command}[command]
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_score_prints_a_line_for_each_model_with_intervals_and_odd_states(lab: Path) -> None:
    done = _call("score", lab)
    assert done.exit_code == 0, done.output
    title, _, heads, _, *lines = done.output.splitlines()
    assert "correct is a credit of at least 0.5" in title
    assert heads.split()[:3] == ["model", "suite", "test"]
    assert heads.split()[-2:] == ["n", "refused"]
    sure, torn = lines
    assert sure.split()[:4] == ["sure", "rephrase", "rephrase", "100.0"]
    assert torn.split()[-1] == "0.8"
    assert torn.split()[3] == "0.0"  # both correct
    assert torn.split()[5] == "50.0"  # every variant right, every base wrong


def test_scores_come_as_json_markdown_and_latex(lab: Path) -> None:
    rows = json.loads(_call("score", lab, "--model", "torn", "--json").output)["scores"]
    assert {row["metric"] for row in rows} >= {"accuracy", "self_consistency", "worst_case", "answer_accuracy"}
    assert {row["model"] for row in rows} == {"torn"}
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)
    markdown = _call("score", lab, "--markdown").output
    assert "| --- | --- | --- | ---: |" in markdown
    latex = _call("score", lab, "--latex").output
    assert latex.count(r"\\") == 3
    assert r"\toprule" in latex


def test_scores_are_cut_by_tags_and_filtered(lab: Path) -> None:
    rows = json.loads(_call("score", lab, "--by", "kind,tag:words", "--metric", "accuracy", "--json").output)["scores"]
    assert [(row["model"], row["kind"], row["tag:words"], row["n"]) for row in rows] == [
        ("sure", "exist", "3", 40),
        ("sure", "exist", "4", 40),
        ("torn", "exist", "3", 40),
        ("torn", "exist", "4", 40),
    ]
    kept = json.loads(_call("score", lab, "--filter", "tag:words=4", "--metric", "accuracy", "--json").output)["scores"]
    assert [row["n"] for row in kept] == [40, 40]
    assert {row["method"] for row in kept} == {"Korn-Graubard"}


def test_a_slice_of_variants_has_a_dash_where_only_whole_groups_count(lab: Path) -> None:
    said = _call("score", lab, "--by", "tag:words", "--metric", "accuracy", "--metric", "all_right").output
    lines = [line.split() for line in said.splitlines() if line.startswith(("sure", "torn"))]
    assert {line[2]: "–" in line for line in lines if line[0] == "sure"} == {"3": False, "4": True}


def test_a_tag_that_no_group_has_is_an_unknown_name(lab: Path) -> None:
    problem = _call("score", lab, "--by", "tag:wrods").exception
    assert isinstance(problem, UnknownName)
    assert (str(problem), problem.hint) == ("no tag of rephrase is called 'wrods'", "did you mean words?")


def test_a_column_or_a_value_that_no_group_has_is_told(lab: Path) -> None:
    with pytest.raises(UnknownName, match="no column of slices is called 'knd'"):
        cp.Lab(lab).scores(by="knd")
    with pytest.raises(UnknownName, match="no test of rephrase is called 'rephrse'"):
        cp.Lab(lab).scores(filter={"test": "rephrse"})


def test_a_metric_of_pairs_does_not_apply_to_single_questions(tmp_path: Path) -> None:
    lab = cp.Lab(tmp_path / "lab")
    group = Group(Relation.GOLD, (Query(Picture("photos:1.png"), "Is it red?"),), (Gold.of("yes"),))
    lab.add_groups([group], "mine")
    (tmp_path / "a.csv").write_text(f"query_id,answer\n{hex_id(group.base.id)},yes\n")
    lab.import_predictions(tmp_path / "a.csv", name="sure")
    problem = _call("score", tmp_path / "lab", "--metric", "accuracy").exception
    assert isinstance(problem, CounterpointError)
    assert str(problem) == "accuracy does not apply to mine"
    assert "answer_accuracy" in problem.hint


def test_a_metric_can_be_named_by_its_place(lab: Path, workdir: Path) -> None:
    source = "from counterpoint.metrics.outcomes import Pairs\nfrom counterpoint.metrics.metric import Ratio\n"
    (workdir / "my_metrics.py").write_text(
        source + "rad = Ratio('rad', Pairs, lambda p: p.variant_right, lambda p: p.base_right)\n"
    )
    rows = json.loads(_call("score", lab, "--metric", "my_metrics:rad", "--json").output)["scores"]
    assert [(row["metric"], row["value"], row["n"]) for row in rows] == [("rad", 1.0, 80), ("rad", None, 0)]
    assert "is no metric" in str(_call("score", lab, "--metric", "counterpoint.core.ids:seeded_rng").exception)


@pytest.mark.parametrize("wrong", [["--by", "color"], ["--filter", "kind"], ["--threshold", "2"]])
def test_a_wrong_flag_is_a_wrong_call(lab: Path, wrong: list[str]) -> None:
    assert _call("score", lab, *wrong).exit_code == 2


def test_what_is_not_there_is_said_with_what_to_do(lab: Path, tmp_path: Path) -> None:
    absent = _call("score", tmp_path / "nowhere").exception
    assert isinstance(absent, StoreError)
    assert "there is no lab" in str(absent)
    unknown = _call("score", lab, "--model", "shure").exception
    assert isinstance(unknown, UnknownName)
    assert unknown.hint == "did you mean sure?"
    assert isinstance(_call("score", lab, "--suite", "order").exception, UnknownName)
    empty = LabStore(tmp_path / "empty")
    empty.set_root("coco", tmp_path)
    nothing = _call("score", tmp_path / "empty").exception
    assert isinstance(nothing, StoreError)
    assert "no model was run" in str(nothing)
    assert "counterpoint run" in nothing.hint


def test_a_model_that_was_asked_nothing_of_this_is_no_number(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    _suite(lab)
    lab.put_run(RunRecord("r1", "idle", "idle 1"))
    assert "no answers of idle" in str(_call("score", tmp_path / "lab").exception)


def test_compare_names_the_better_model_and_what_could_be_seen(lab: Path) -> None:
    done = _call("compare", lab, "sure", "torn")
    assert done.exit_code == 0, done.output
    assert done.output.count(" sure ") >= 3
    rows = json.loads(_call("compare", lab, "torn", "sure", "--json").output)["differences"]
    assert {row["verdict"] for row in rows} == {"sure"}
    assert all(row["difference"] < 0 < row["detectable"] for row in rows)
    assert {row["metric"] for row in rows} == {"accuracy", "self_consistency", "comprehensive_accuracy"}
    assert {row["metric"]: row["version"] for row in rows} == {
        "accuracy": 1,
        "self_consistency": 2,
        "comprehensive_accuracy": 1,
    }


def test_compare_reads_what_a_metric_needs_and_knows_which_way_is_better(tmp_path: Path) -> None:
    lab = tmp_path / "lab"
    asked = _suite(LabStore(lab))
    for name, chance in (("calm", 0.9), ("rash", 0.4)):
        sure = Answer.of("yes", top=(("yes", chance), ("no", 1 - chance)))
        _said(LabStore(lab), name, f"r-{name}", [(query, sure) for query in asked])
    (row,) = json.loads(_call("compare", lab, "rash", "calm", "--metric", "brier", "--json").output)["differences"]
    assert (row["first"], row["second"]) == (pytest.approx(0.36), pytest.approx(0.01))
    assert (row["difference"] > 0, row["verdict"]) == (True, "calm")  # less is better


def test_compare_says_why_a_metric_cannot_be_compared(lab: Path) -> None:
    problem = _call("compare", lab, "sure", "torn", "--metric", "brier").exception
    assert isinstance(problem, CounterpointError)
    assert problem.hint == "sure has no brier: it gives no probabilities of its answers"


@pytest.mark.parametrize(
    "metrics", [(*ACCURACY_METRICS, gap, answer_accuracy), contrast.contrast_metrics((1, 3)), RANKING]
)
def test_the_tables_of_papers_need_no_further_columns(metrics: tuple[Metric, ...]) -> None:
    assert columns_read(metrics) == ()  # which `paper` does not read


def test_compare_shows_coverage_both_ways(lab: Path) -> None:
    rows = json.loads(_call("compare", lab, "sure", "torn", "--coverage", "--json").output)["coverage"]
    assert [(row["model"], row["of"], round(row["value"], 3), row["n"]) for row in rows] == [
        ("sure", "torn", 1.0, 80),
        ("torn", "sure", 0.667, 120),
    ]
    pairs = _call("compare", lab, "sure", "torn", "--pairs")
    assert pairs.exit_code == 0
    assert "–" in pairs.output  # torn has no pair right


def test_a_model_is_not_compared_with_itself(lab: Path) -> None:
    assert "the same model" in str(_call("compare", lab, "sure", "sure").exception)
