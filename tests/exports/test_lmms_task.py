"""A suite as a task of lmms-eval: its files say what the runner needs, and its functions do as the runner asks."""

import ast
import sys
from importlib.util import module_from_spec, spec_from_file_location
from math import isnan
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from export_labs import BLURRED, asked, opened, put, read_yaml, rows_in, scored, toy_lab

from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.pictures import Edit
from counterpoint.exports import lmms_functions
from counterpoint.exports.lmms_task import METRICS, export_task, task_functions
from counterpoint.models.prompts import Prompt
from counterpoint.store.groups import read_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import StoredSuite


@pytest.fixture
def lab(tmp_path: Path) -> LabStore:
    return toy_lab(tmp_path / "lab")


@pytest.fixture
def suite(lab: LabStore) -> StoredSuite:
    return put(lab, "mixed-2", asked())


@pytest.fixture
def task(lab: LabStore, suite: StoredSuite, tmp_path: Path) -> dict[str, Any]:
    """The task as the runner reads it: each `!function` looked up in the Python file beside the YAML file."""
    export_task(suite, tmp_path / "tasks", lab.pictures())
    modules: dict[str, ModuleType] = {}

    def found(name: str) -> object:
        module, _, function = name.rpartition(".")
        if module not in modules:
            spec = spec_from_file_location(module, tmp_path / "tasks" / f"{module}.py")
            assert spec is not None
            assert spec.loader is not None
            modules[module] = module_from_spec(spec)
            spec.loader.exec_module(modules[module])
        return getattr(modules[module], function)

    read = read_yaml((tmp_path / "tasks" / "counterpoint_mixed_2.yaml").read_text(encoding="utf-8"), found)
    assert isinstance(read, dict)
    return read


@pytest.fixture
def docs(task: dict[str, Any], tmp_path: Path) -> list[dict[str, Any]]:
    """The rows as the runner sees them: pictures opened."""
    rows = rows_in(tmp_path / "tasks" / "counterpoint_mixed_2")
    return [row | {"image": row["image"] and opened(row["image"])} for row in rows]


def test_the_task_file_says_where_the_rows_are_and_what_to_call(task: dict[str, Any], tmp_path: Path) -> None:
    assert task["task"] == "counterpoint_mixed_2"
    assert (task["output_type"], task["test_split"], task["dataset_path"]) == ("generate_until", "test", "parquet")
    (file,) = task["dataset_kwargs"]["data_files"]["test"]
    assert (tmp_path / "tasks" / file).is_file()
    assert task["generation_kwargs"] == {"max_new_tokens": 64, "temperature": 0, "do_sample": False}
    assert [one["metric"] for one in task["metric_list"]] == list(METRICS)
    assert all(callable(one["aggregation"]) and one["higher_is_better"] for one in task["metric_list"])
    assert set(task) == {
        *("task", "dataset_path", "dataset_kwargs", "test_split", "output_type", "generation_kwargs", "metric_list"),
        *("doc_to_visual", "doc_to_text", "doc_to_target", "process_results", "lmms_eval_specific_kwargs", "metadata"),
    }, "the runner refuses a task with a key that it does not know"


def test_the_functions_need_nothing_but_python() -> None:
    tree = ast.parse(task_functions())
    used = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    used |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert {str(name).split(".")[0] for name in used} <= sys.stdlib_module_names


def test_a_model_is_shown_and_asked_what_our_models_are(
    lab: LabStore, suite: StoredSuite, task: dict[str, Any], docs: list[dict[str, Any]]
) -> None:
    wording = task["lmms_eval_specific_kwargs"]["default"]
    for query, doc in zip(read_queries(suite.table), docs, strict=True):
        shown = task["doc_to_visual"](doc)
        assert len(shown) == (query.picture is not None)
        if query.picture is not None:
            np.testing.assert_array_equal(np.asarray(shown[0]), lab.pictures().pixels(query.picture))
        assert task["doc_to_text"](doc, wording) == task["doc_to_text"](doc) == Prompt().text(query)
    assert BLURRED in {query.picture for query in read_queries(suite.table)}


def test_the_task_file_can_word_the_question_for_a_model(task: dict[str, Any], docs: list[dict[str, Any]]) -> None:
    words = {"pre_prompt": "Q: ", "post_prompt": " A:", "choice_prompt": " ({choices})"}
    assert task["doc_to_text"](docs[0], words) == "Q: Is it gray? A:"
    assert task["doc_to_text"](docs[-1], words) == "It has a color.\n\nQ: Is it “red” or blue? (red, blue)"


def test_right_answers_are_known_and_their_absence_too(task: dict[str, Any], docs: list[dict[str, Any]]) -> None:
    assert [task["doc_to_target"](doc) for doc in docs] == ["yes", "yes", "yes", "no", "", "", "yes", "", "red"]


def judged(task: dict[str, Any], docs: list[dict[str, Any]], said: list[str]) -> dict[str, float]:
    """What the runner counts: results of each row, which are given no picture, then the aggregation of each measure."""
    blind = [{name: value for name, value in doc.items() if name != "image"} for doc in docs]
    results = [task["process_results"](doc, [one]) for doc, one in zip(blind, said, strict=True)]
    assert all(set(result) == set(METRICS) for result in results)
    return {one["metric"]: one["aggregation"]([r[one["metric"]] for r in results]) for one in task["metric_list"]}


def test_the_runner_takes_a_first_look(task: dict[str, Any], docs: list[dict[str, Any]]) -> None:
    right = ["Yes.", "yes, it is", "Yes", "No!", "noise", "noise", "yes", "yes", "I would say red."]
    assert judged(task, docs, right) == {"answer_accuracy": 1.0, "all_right": 1.0, "self_consistency": 1.0}
    wrong = ["yes", "no", "yes", "yes", "noise", "a dog", "yes", "", "red or blue"]
    assert judged(task, docs, wrong) == {"answer_accuracy": 3 / 6, "all_right": 1 / 4, "self_consistency": 0.0}
    assert judged(task, docs, [*right[:-1], "a pink"])["answer_accuracy"] == pytest.approx(5.3 / 6)


def test_every_result_carries_the_id_of_its_query_and_no_score_where_none_is_due(
    task: dict[str, Any], docs: list[dict[str, Any]]
) -> None:
    for doc in docs:
        results = task["process_results"](doc, ["yes"])
        assert {result["query_id"] for result in results.values()} == {doc["query_id"]}
        assert ("score" in results["answer_accuracy"]) == (doc["answers"] is not None)
        assert not any("score" in results[name] for name in ("all_right", "self_consistency"))


def test_what_cannot_be_counted_is_no_number(task: dict[str, Any], docs: list[dict[str, Any]]) -> None:
    assert all(isnan(value) for value in judged(task, docs[7:8], ["yes"]).values())


@pytest.mark.parametrize(
    ("said", "choices", "value"),
    [
        ("Yes.", [], "yes"),
        ("No, there is none; yes, none.", [], "no"),
        ("nothing", [], "nothing"),
        ("The red one", ["red", "blue"], "red"),
        ("reddish", ["red", "blue"], "reddish"),
        ("either red or blue", ["red", "blue"], "either red or blue"),
        ("an apple", [], "apple"),
        ("", ["red"], ""),
    ],
)
def test_a_value_is_taken_from_what_was_said_without_a_look_at_the_right_one(
    said: str, choices: list[str], value: str
) -> None:
    assert lmms_functions.value(said, choices) == value


def test_sentences_to_be_scored_are_refused_and_nothing_is_written(lab: LabStore, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="foils: 2 of 2 rows ask for the score of a sentence") as problem:
        export_task(put(lab, "foils", scored()), tmp_path / "tasks", lab.pictures())
    assert "--layout datasets" in problem.value.hint
    assert not (tmp_path / "tasks").exists()


def test_noise_in_features_is_refused(lab: LabStore, tmp_path: Path) -> None:
    noisy = Query(BLURRED, "Is it?", edits=(Edit("features", ("0.1",)),))
    suite = put(lab, "noisy", iter([("noise", Group(Relation.SAME, (noisy,), (Gold.of("yes"),)))]))
    with pytest.raises(StoreError, match="ask for changes to a model's own features"):
        export_task(suite, tmp_path / "tasks", lab.pictures())


def test_a_folder_holds_several_tasks_and_none_is_overwritten(
    lab: LabStore, suite: StoredSuite, tmp_path: Path
) -> None:
    export_task(suite, tmp_path / "tasks", lab.pictures())
    written = export_task(put(lab, "other", asked()), tmp_path / "tasks", lab.pictures())
    assert written.files == (
        "counterpoint_other.py",
        "counterpoint_other.yaml",
        "counterpoint_other/test-00000-of-00001.parquet",
    )
    assert {path.name for path in (tmp_path / "tasks").iterdir()} == {
        *("counterpoint_mixed_2", "counterpoint_mixed_2.py", "counterpoint_mixed_2.yaml"),
        *("counterpoint_other", "counterpoint_other.py", "counterpoint_other.yaml"),
    }
    with pytest.raises(StoreError, match="exists already"):
        export_task(suite, tmp_path / "tasks", lab.pictures())


def test_two_right_answers_by_the_same_gold_are_one_answer(task: dict[str, Any], docs: list[dict[str, Any]]) -> None:
    gold = [{"answer": word, "credit": 1.0} for word in ("gray", "grey")]
    pair = [docs[0] | {"answers": gold, "relation": "same", "group_id": "1", "role": role} for role in (0, 1)]
    assert judged(task, pair, ["gray", "grey"])["self_consistency"] == 1.0
    assert judged(task, pair, ["gray", "green"])["self_consistency"] == 0.0
    unlike = [pair[0], pair[1] | {"answers": gold[1:]}]
    assert judged(task, unlike, ["gray", "grey"])["self_consistency"] == 0.0


def test_lmms_eval_itself_loads_the_task(
    task: dict[str, Any], docs: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loader = pytest.importorskip("lmms_eval.tasks", reason="lmms-eval is not among the packages that tests install")
    monkeypatch.chdir(tmp_path / "tasks")
    manager = loader.TaskManager(include_path=".", include_defaults=False)
    loaded = loader.get_task_dict(["counterpoint_mixed_2"], manager)["counterpoint_mixed_2"]
    rows = list(loaded.test_docs())
    assert [row["query_id"] for row in rows] == [row["query_id"] for row in docs]
    assert [loaded.doc_to_text(row) for row in rows] == [
        task["doc_to_text"](row, task["lmms_eval_specific_kwargs"]["default"]) for row in docs
    ]
    replies = [row["answer"] or "" for row in docs]
    results = [loaded.process_results(row, [reply]) for row, reply in zip(rows, replies, strict=True)]
    assert {name: value([own[name] for own in results]) for name, value in loaded.aggregation().items()} == {
        name: pytest.approx(getattr(lmms_functions, name)([own[name] for own in results])) for name in METRICS
    }
