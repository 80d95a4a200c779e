"""The tables of the five papers from one lab of built-in models on the built-in world, held against its scores."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from proving import sample

import counterpoint as cp
from counterpoint.cli.main import commands
from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.core.votes import Vote
from counterpoint.reports.papers import beyond_accuracy, rad
from counterpoint.reports.papers.paper_table import PaperCell, PaperRow, PaperTable, read_published_values
from counterpoint.store.votes import append_votes

PAPERS = ("beyond-accuracy", "carets", "contrast", "rad", "valse")
MODELS = ("fusion", "constant")
_NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)

Cells = Mapping[tuple[str, ...], Mapping[str, Any]]
"""The rows of a table by their names."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> cp.Lab:
    lab = cp.Lab(tmp_path_factory.mktemp("papers") / "lab")
    lab.generate("order", "negation", items=4, limit=4)
    lab.generate("contrast", items=4, limit=6)
    lab.generate("existence", items=8, limit=4)
    lab.generate("beyond-accuracy", items=3, limit=3, variants=1)
    lab.generate("rad-counterfactuals", source="world-vqa", items=8, limit=8)
    lab.generate("rad-dialogues", items=3, limit=4)
    lab.generate("plain", source="world-vqa", items=3, limit=6, name="vqa-plain")
    for model in MODELS:
        lab.run(model)
    lab.run("fusion", suites=["plain"], trials=2)
    lab.run("two-tower", suites=["existence"])
    return lab


def _rows(lab: cp.Lab, paper: str, label: str, names: int, **request: Any) -> Cells:
    [table] = lab.paper(paper, tables=(label,), **request).to_dict()["tables"]
    return {tuple(list(row.values())[:names]): row for row in table["rows"]}


def _scores(lab: cp.Lab, suite: str, by: str, *metrics: str) -> dict[tuple[str, str, str], Mapping[str, Any]]:
    rows = lab.scores(suites=[suite], by=[by], metrics=metrics).records()
    return {(row["model"], row[by], row["metric"]): row for row in rows}


def _same(cell: Mapping[str, Any] | str | int, score: Mapping[str, Any]) -> None:
    """A cell has the value and the interval of a score; a cell without a value is a score that counts nothing."""
    if score["n"] == 0:
        assert cell == "–"
        return
    assert isinstance(cell, Mapping)
    assert (cell["value"], cell["n"]) == (score["value"], score["n"])
    assert (cell["low"], cell["high"]) == pytest.approx((score["low"], score["high"]), abs=1e-9)


@pytest.mark.parametrize("paper", sample(PAPERS, 2))
def test_one_command_prints_all_tables_of_a_paper(lab: cp.Lab, paper: str) -> None:
    done = CliRunner().invoke(commands, ["paper", paper, str(lab.folder), "--json"])
    assert done.exit_code == 0, done.output
    (labels,) = (entry["tables"] for entry in cp.list_catalog("papers") if entry["name"] == paper)
    assert [table["table"] for table in json.loads(done.stdout)["tables"]] == labels
    assert "fusion" in done.stdout


@pytest.mark.parametrize("form", ["", "--markdown", "--latex"])
def test_tables_are_printed_as_text_markdown_and_latex(lab: cp.Lab, form: str) -> None:
    done = CliRunner().invoke(commands, ["paper", "rad", str(lab.folder), *filter(None, [form])])
    assert done.exit_code == 0, done.output
    assert done.stdout.count("Table ") == 3
    assert {"--markdown": "| --- |", "--latex": "\\toprule", "": "-----"}[form] in done.stdout


def test_rad_and_accuracy_on_originals_are_the_scores_of_the_lab(lab: cp.Lab) -> None:
    scores = _scores(lab, "rad-counterfactuals", "kind", "rad_forward", "base_accuracy")
    robust, originals = (_rows(lab, "rad", label, 2) for label in ("2", "3"))
    kinds = {kind for _, kind, _ in scores}
    assert "how-many" in kinds
    for model in MODELS:
        for kind in kinds:
            row = "world-vqa test", model
            _same(robust[row][rad.HEADS[kind]], scores[model, kind, "rad_forward"])
            _same(originals[row][rad.HEADS[kind]], scores[model, kind, "base_accuracy"])
        plain = _scores(lab, "vqa-plain", "suite", "answer_accuracy")[model, "vqa-plain", "answer_accuracy"]
        _same(robust["world-vqa test", model]["Acc."], plain)


def test_table_5_of_rad_counts_augmented_and_plain_questions_and_needs_no_model(lab: cp.Lab) -> None:
    groups = lab.groups("rad-counterfactuals").to_arrow().to_pylist()
    counted = _rows(lab, "rad", "5", 1)[("world-vqa test",)]
    assert counted["Y/N ← HM"] == sum(row["kind"] == "how-many" and row["role"] > 0 for row in groups)
    assert counted["validation"] == 6
    assert _rows(lab, "rad", "5", 1, printed=True)[("VQA (paper)",)]["Y/N ← C"] == 12_835


def test_cells_without_a_value_are_explained_below_their_table(lab: cp.Lab) -> None:
    [table] = lab.paper("rad", tables=("2",)).printed
    notes = "\n".join(table.remarks)
    assert "world test dialogues / constant" in notes
    assert "no base here is answered correctly" in notes, "yes is the answer to no how-many question"
    assert "Reph, L-ConVQA, CS-ConVQA: the paper has no such augmentation of dialogues." in notes
    assert "BT, Reph, L-ConVQA, CS-ConVQA: no suite of this lab has it." in notes
    shown = repr(lab.paper("beyond-accuracy", tables=("1",)))
    assert "constant: robustness: image features, robustness: question: it does not let its features be changed." in (
        shown
    )


def test_reasons_are_told_once_for_the_cells_that_share_them() -> None:
    undefined = PaperCell(text="–", reason="nothing is correct")
    rows = tuple(PaperRow((name,), (undefined, PaperCell(0.5), undefined)) for name in ("a", "b"))
    table = PaperTable("1", "title", ("model",), ("x", "y", "z"), rows, ("A note.",))
    assert table.remarks == ("A note.", "x, z: nothing is correct.")
    with_more = replace(table, rows=(*rows, PaperRow(("c",), (PaperCell(0.5),) * 3)))
    assert with_more.remarks == ("A note.", "a, b: x, z: nothing is correct.")
    assert table.to_dict()["notes"] == list(table.remarks)


@pytest.mark.prove
def test_beyond_accuracy_has_the_scores_of_each_data_set_and_their_unweighted_means(lab: cp.Lab) -> None:
    by_data_set, means = _rows(lab, "beyond-accuracy", "figure-2", 2), _rows(lab, "beyond-accuracy", "1", 1)
    columns = {
        "accuracy": ("plain", "answer_accuracy"),
        "bias: image": ("picture-bias", "picture_bias"),
        "bias: question": ("question-bias", "question_bias"),
        "robustness: image": ("noise", "mean_robustness"),
        "robustness: image features": ("feature-noise", "picture_feature_robustness"),
        "robustness: question": ("feature-noise", "question_feature_robustness"),
        "SEARs": ("sears", "robustness"),
        "uncertainty": ("plain", "uncertainty"),
    }
    assert list(columns) == list(beyond_accuracy.HEADS.values())
    for head, (suite, metric) in columns.items():
        if suite not in lab.store.suites():
            assert means["fusion",][head] == "not run"
            continue
        for model in MODELS:
            score = _scores(lab, suite, "test", metric)[model, suite, metric]
            _same(by_data_set[model, "world test"][head], score)
            if score["n"] and head != "accuracy":  # the other data set has plain questions alone
                _same(means[model,][head] | {"n": score["n"]}, score)
    accuracies = [by_data_set["fusion", name]["accuracy"]["value"] for name in ("vqa", "world test")]
    assert means["fusion",]["accuracy"]["value"] == pytest.approx(sum(accuracies) / 2)
    assert _rows(lab, "beyond-accuracy", "2", 1)["fusion",]["vqa"]["value"] == accuracies[0]
    assert means["fusion",]["parameters"] > 10**6


def test_carets_contrast_and_valse_have_the_scores_of_the_lab(lab: cp.Lab) -> None:
    consistency = _rows(lab, "carets", "1", 1)
    templates = _rows(lab, "contrast", "2", 2)
    captions = _rows(lab, "valse", "4", 2)
    for model in MODELS:
        for test in ("order", "negation"):
            score = _scores(lab, test, "test", "self_consistency")[model, test, "self_consistency"]
            _same(consistency[model,][test], score)
        for (name, template, _), score in _scores(lab, "contrast", "kind", "base_accuracy").items():
            if name == model:
                assert 0 <= templates[template, model]["originals"]["value"] <= 1, score
        score = _scores(lab, "existence", "test", "acc_r")[model, "existence", "acc_r"]
        _same(captions["acc_r", model]["existence"], score)
    overall = _scores(lab, "contrast", "suite", "contrast_consistency_1")
    sets = _rows(lab, "contrast", "4", 2, ks=(1,))
    for model in MODELS:
        _same(sets[model, "1"]["consistency"], overall[model, "contrast", "contrast_consistency_1"])


def test_a_model_that_was_asked_none_of_the_tests_has_no_row_unless_it_is_named(lab: cp.Lab) -> None:
    assert {name for _, name in _rows(lab, "valse", "4", 2)} == {*MODELS, "two-tower"}
    assert {name for _, name in _rows(lab, "rad", "2", 2)} == {*MODELS}
    assert {name for (name,) in _rows(lab, "carets", "1", 1)} == {*MODELS, "Human (paper)"}
    named = _rows(lab, "rad", "2", 2, models=("two-tower",))
    assert named["world-vqa test", "two-tower"]["Y/N ← HM"] == "not run"


def test_a_lab_without_the_tests_of_a_paper_says_how_to_make_them(tmp_path: Path) -> None:
    lab = cp.Lab(tmp_path / "lab")
    lab.generate("order", items=3, limit=2)
    lab.run("constant")
    with pytest.raises(StoreError, match="none of the tests rad-counterfactuals") as missing:
        lab.paper("rad")
    assert "--suite rad-counterfactuals" in missing.value.hint
    with pytest.raises(StoreError, match="none of the tests plain"):
        lab.paper("beyond-accuracy")
    with pytest.raises(UnknownName, match="no paper is called 'caret'") as unknown:
        lab.paper("caret")
    assert "carets" in unknown.value.hint


def test_an_augmentation_in_two_suites_of_one_data_set_has_to_be_chosen(lab: cp.Lab, tmp_path: Path) -> None:
    twice = cp.Lab(tmp_path / "lab")
    for name in ("one", "two"):
        twice.generate("rad-counterfactuals", source="world-vqa", items=8, limit=2, name=name)
    with pytest.raises(StoreError, match="of world-vqa test is in two suites, one and two"):
        twice.paper("rad", tables=("5",))
    assert twice.paper("rad", tables=("5",), suites=("one",)).printed


def _values(paper: str, label: str) -> Iterator[tuple[str, list[float]]]:
    for name, cells in read_published_values(f"{paper}.toml")[label].items():
        yield name, [100 * cell.value if cell.value is not None else float("nan") for cell in cells]


def test_the_means_that_beyond_accuracy_prints_follow_from_its_data_sets() -> None:
    means = dict(_values("beyond_accuracy", "1"))
    for model, accuracies in _values("beyond_accuracy", "2"):
        assert means[model][0] == pytest.approx(sum(accuracies) / 8, abs=0.0101)
    columns = zip(*(row for _, row in _values("beyond_accuracy", "figure-2")), strict=True)
    of_columns = [sum(column) / 8 for column in columns]
    assert of_columns[2] == pytest.approx(3.38), "the paper prints 3.31"
    of_columns[2] = 3.31
    assert of_columns == pytest.approx(means["BAN-8"][:-1], abs=0.0101)


def test_the_printed_rows_of_rad_have_a_cell_for_every_column() -> None:
    for label, heads in (("2", 8), ("3", 7), ("5", 8)):
        for name, row in _values("rad", label):
            assert len(row) == heads
            dashes = [value != value for value in row]
            assert any(dashes) == name.startswith("VisDial")


def test_people_judge_the_pairs_of_valse_and_answer_the_questions_of_other_papers(tmp_path: Path) -> None:
    lab = cp.Lab(tmp_path / "lab")
    lab.generate("existence", items=8, limit=4)
    lab.generate("order", items=4, limit=4)
    lab.generate("contrast", items=4, limit=4)
    votes = [*_judgements(lab, "cccccbffffff"), *_correct_answers(lab, "order"), *_correct_answers(lab, "contrast")]
    append_votes(lab.store.storage, votes)
    lab.add_people()
    pairs = _rows(lab, "valse", "5", 1)["existence",]
    assert [pairs[name] for name in ("instances", "valid", "unanimous")] == [4, 2, 1]
    assert pairs["JS valid"] != "–"
    assert [float(pairs[name]) for name in ("α", "α valid")] == pytest.approx([0.732, 0.0], abs=0.001)
    assert _rows(lab, "valse", "4", 2)["acc_r", "people"]["existence"]["n"] == 2, "valid pairs alone"
    lab.correct("existence", "valid")
    assert _rows(lab, "valse", "5", 1)["existence",] == pairs, "a corrected version is not counted again"
    assert _rows(lab, "valse", "5", 1, suites=["existence-valid"])["existence",]["instances"] == 2
    assert _rows(lab, "carets", "1", 1)["people",]["order"]["value"] == 1
    assert _rows(lab, "contrast", "2", 2)["overall", "people"]["contrasts"]["value"] == 1


def _judgements(lab: cp.Lab, letters: str) -> Iterator[Vote]:
    """Three votes on each pair of existence: c caption, f foil, b both."""
    groups = dict.fromkeys(lab.groups("existence").to_arrow()["group_id"].to_pylist())
    for number, (group, choice) in enumerate(zip((group for group in groups for _ in range(3)), letters, strict=True)):
        chosen = {"c": "caption", "f": "foil", "b": "both"}[choice]
        yield Vote(f"{number:032x}", "judge", "existence", group, None, f"voter {number % 3}", chosen, _NOON)


def _correct_answers(lab: cp.Lab, suite: str) -> Iterator[Vote]:
    """Two votes for the gold of every query."""
    for row in lab.groups(suite).to_arrow().to_pylist():
        for voter in ("ann", "bob"):
            name = blake2b(f"{suite} {row['query']} {voter}".encode(), digest_size=16).hexdigest()
            gold = row["gold"][0]["answer"]
            yield Vote(name, "answer", suite, row["group_id"], row["query"], voter, gold, _NOON)
