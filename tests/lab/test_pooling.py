"""Suites pooled in one figure: shared groups and queries count once, in scores, comparisons and coverage."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import counterpoint as cp
from counterpoint.cli.main import commands
from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import RunRecord


def _query(number: int, text: str = "Is it red?") -> Query:
    return Query(Picture(f"p:{number}.png"), text)


def _plain(number: int) -> Group:
    return Group(Relation.GOLD, (_query(number),), (Gold.of("yes"),))


def _pair(number: int) -> Group:
    return Group(Relation.SAME, (_query(number), _query(number, "Is its color red?")), (Gold.of("yes"),) * 2)


@pytest.fixture
def lab(tmp_path: Path) -> cp.Lab:
    """Three suites that share plain questions 5 to 9, and one of pairs on 0 to 3; a model errs on 7 and up."""
    lab = cp.Lab(tmp_path / "lab")
    suites = {"random": range(10), "popular": range(5, 15), "adversarial": range(5, 10)}
    for name, numbers in suites.items():
        lab.add_groups([_plain(number) for number in numbers], name)
    lab.add_groups([_pair(number) for number in range(4)], "pairs")
    for model, wrong in (("good", 12), ("bad", 7)):
        with LabStore(lab.folder).answers(f"{model} 1", run=model) as log:
            for number in range(15):
                value = "yes" if number < wrong else "no"
                for query in (_query(number), _query(number, "Is its color red?")):
                    log.add([(query.id, 0, Answer.of(value), "", 0.0)])
        LabStore(lab.folder).put_run(RunRecord(model, model, f"{model} 1"))
    return lab


def test_what_suites_share_counts_once(lab: cp.Lab) -> None:
    subsets = ("random", "popular", "adversarial")
    (score,) = lab.scores(models=["bad"], suites=subsets, metrics=["answer_accuracy"], pool=True)
    assert (score.value, score.n) == (7 / 15, 15)
    assert score.slice == {"suite": "random + popular + adversarial"}
    assert (score.record["answers"], score.record["clusters"], score.record["left_out"]) == (15, 15, 0)
    apart = lab.scores(models=["bad"], suites=subsets, metrics=["answer_accuracy"])
    assert [(own.value, own.n) for own in apart] == [(0.4, 5), (0.2, 10), (0.7, 10)]


def test_a_query_in_another_group_counts_once_among_single_answers_and_in_its_pair(lab: cp.Lab) -> None:
    scores = lab.scores(models=["good"], suites=["random", "pairs"], metrics=["answer_accuracy", "accuracy"], pool=True)
    assert {own.metric: own.n for own in scores} == {"answer_accuracy": 14, "accuracy": 4}


def test_queries_whose_golds_differ_between_pooled_suites_are_told_and_the_first_suite_counts(lab: cp.Lab) -> None:
    denied = [Group(Relation.GOLD, (_query(number),), (Gold.of("no"),)) for number in (8, 9, 20)]
    paired = Group(Relation.SAME, (_query(1), _query(1, "Is its color red?")), (Gold.of("no"),) * 2)
    lab.add_groups([*denied, paired], "other")
    scores = lab.scores(models=["bad"], suites=["random", "other"], metrics=["answer_accuracy"], pool=True)
    assert [(own.value, own.n) for own in scores] == [(7 / 11, 11)]  # 8 and 9 are wrong by the gold of random
    told = (
        "3 queries have different golds in the pooled suites: that of the first one counts, in the order random, other"
    )
    assert scores.notes() == [told]
    (score,) = lab.scores(models=["bad"], suites=["other", "random"], metrics=["answer_accuracy"], pool=True)
    assert (score.value, score.n) == (8 / 11, 11)
    compared = lab.compare("good", "bad", suites=["random", "other"], pool=True)
    assert any(note.startswith("3 queries have different golds") for note in compared.notes())
    assert lab.scores(models=["bad"], suites=["random", "popular"], pool=True).notes() == []


def test_one_suite_in_a_pool_is_itself(lab: cp.Lab) -> None:
    (pooled,) = lab.scores(models=["bad"], suites=["popular"], metrics=["answer_accuracy"], pool=True)
    (alone,) = lab.scores(models=["bad"], suites=["popular"], metrics=["answer_accuracy"], by="")
    assert pooled.record == alone.record


def test_a_pool_can_be_cut(lab: cp.Lab) -> None:
    scores = lab.scores(models=["bad"], suites=["random", "popular"], metrics=["answer_accuracy"], by="test", pool=True)
    assert {own.slice["test"]: own.n for own in scores} == {"random": 10, "popular": 5}


def test_commands_pool_scores_comparisons_and_coverage(lab: cp.Lab) -> None:
    chosen = ["--suite", "random", "--suite", "popular", "--pool", "--json"]

    def run(*words: str) -> dict[str, list[dict[str, object]]]:
        result = CliRunner().invoke(commands, [*words, *chosen], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        content: dict[str, list[dict[str, object]]] = json.loads(result.stdout)
        return content

    scored = run("score", str(lab.folder), "--metric", "answer_accuracy")["scores"]
    assert {row["model"]: row["n"] for row in scored} == {"bad": 15, "good": 15}
    (row,) = run("compare", str(lab.folder), "good", "bad", "--metric", "answer_accuracy")["differences"]
    assert (row["suite"], row["n"], row["difference"]) == ("random + popular", 15, pytest.approx(1 / 3))
    coverage = run("compare", str(lab.folder), "good", "bad", "--coverage")["coverage"]
    assert {row["model"]: row["n"] for row in coverage} == {"good": 7, "bad": 12}
