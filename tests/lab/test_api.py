"""The public API as people write it: one script, and the same figures everywhere."""

import json
import logging
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import counterpoint as cp
from counterpoint.cli.main import commands
from counterpoint.lab import reader, table_updates

RULE = "answer_accuracy >= 0"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> cp.Lab:
    """A lab that the script of the README makes, with two versions of one model."""
    lab = cp.Lab(tmp_path_factory.mktemp("api") / "lab")
    lab.generate("negation", "plain", source="world", items=30, limit=40, seed=7)
    lab.run("cnn-lstm", suites=["negation"], name="mine", version="week-45")
    lab.run("fusion", name="mine", version="week-46")
    lab.run("question-only", suites=["negation"])
    return lab


def _command(*words: object) -> Result:
    return CliRunner().invoke(commands, [str(word) for word in words], catch_exceptions=False)


def test_a_lab_is_made_when_something_is_put_into_it(tmp_path: Path) -> None:
    lab = cp.Lab(tmp_path / "new")
    assert not (tmp_path / "new").exists()
    generated = lab.generate("order", items=20, limit=5)
    assert lab.suites == ["order"]
    assert [suite.name for suite in generated] == ["order"]


def test_a_model_that_is_an_object_is_refused_with_the_way_to_pass_it(lab: cp.Lab) -> None:
    with pytest.raises(cp.CounterpointError, match="a lab asks a model by its name") as raised:
        lab.run(cp.World)  # type: ignore[arg-type]
    assert "counterpoint.evaluate" in raised.value.hint


def test_groups_without_a_tag_are_counted_where_scores_are_cut_by_it(tmp_path: Path) -> None:
    own = cp.Lab(tmp_path / "tagged")
    queries = [cp.Query(cp.Picture(f"photos:{number}.png"), "Is it red?") for number in range(5)]
    tags = [(("weather", "rain"),), (("weather", "sun"),), (("weather", "rain"),), (), ()]
    golds = (cp.Gold.of("yes"),)
    groups = [
        cp.Group(cp.Relation.GOLD, (query,), golds, proof="seen", tags=(tag,))
        for query, tag in zip(queries, tags, strict=True)
    ]
    own.add_groups(groups, "mine")
    own.add_groups(groups[3:], "bare")
    own.run("constant")
    scores = own.scores(by="tag:weather", metrics=["answer_accuracy"])
    assert {row.slice["tag:weather"]: row.n for row in scores} == {"rain": 2, "sun": 1}
    note = "2 of 5 groups of mine have no tag:weather, and are in no slice"
    assert scores.notes() == [note]
    own.run("question-only")
    assert note in own.compare("constant", "question-only", by="tag:weather", metrics=["answer_accuracy"]).notes()
    assert note in own.coverage("constant", "question-only", by="tag:weather").notes()


def test_versions_of_one_model_are_told_apart_everywhere(lab: cp.Lab) -> None:
    assert [model.title for model in lab.models] == ["mine@week-45", "mine@week-46", "question-only"]
    assert {score.model for score in lab.scores(models=["mine"], suites=["negation"])} == {"mine@week-46"}
    assert {score.model for score in lab.scores(models=["mine@previous"])} == {"mine@week-45"}
    assert "mine is mine@week-46, its latest version" in repr(lab.scores(models=["mine"]))
    assert repr(lab.compare("mine@previous", "mine")).count("its latest version") == 1
    assert lab.compare("mine@week-45", "mine@week-46").models == ("mine@week-45", "mine@week-46")
    listed = _command("ls", lab.folder).output
    assert "week-45" in listed
    assert "week-46" in listed


def test_the_same_figures_come_from_python_terminal_json_report_and_leaderboard(lab: cp.Lab, tmp_path: Path) -> None:
    (score,) = lab.scores(models=["mine"], suites=["negation"], metrics=["comprehensive_accuracy"])
    assert score.value is not None
    shown = f"{100 * score.value:.1f}"
    words = ("score", lab.folder, "--model", "mine", "--suite", "negation", "--metric", "comprehensive_accuracy")
    assert json.loads(_command(*words, "--json").output)["scores"][0]["value"] == score.value
    assert shown in _command(*words).output
    board = lab.leaderboard(suites=["negation"], metrics=["comprehensive_accuracy"]).to_dict()
    cells = {row["model"]: row["cells"]["negation/comprehensive_accuracy"] for row in board["rows"]}
    assert cells["mine@week-46"]["value"] == score.value
    whole = json.loads(json.dumps(lab.leaderboard().to_dict()))
    assert json.loads(_command("leaderboard", lab.folder, "--json").output) == whole
    lab.report(tmp_path / "report.html")
    assert shown in (tmp_path / "report.html").read_text("utf-8")


def test_a_lab_of_plain_questions_shows_accuracy(lab: cp.Lab) -> None:
    scores = lab.scores(models=["mine"], suites=["plain"])
    assert "accuracy" in repr(scores)
    assert "–" not in repr(scores).splitlines()[-1]


def test_results_become_data_and_show_themselves_in_a_notebook(lab: cp.Lab) -> None:
    import pandas as pd

    scores = lab.scores(suites=["negation"])
    assert isinstance(scores.to_pandas(), pd.DataFrame)
    assert scores.to_arrow().num_rows == len(scores) == len(scores.to_dict()["scores"])
    assert "<table>" in scores._repr_html_()
    for result in (
        lab.compare("mine", "question-only"),
        lab.contents(),
        lab.leaderboard(),
        lab.coverage("mine", "question-only"),
    ):
        assert repr(result).strip()
        assert "<table>" in result._repr_html_()
        assert json.dumps(result.to_dict()), "plain values alone"


def test_leading_metrics_of_all_tests_and_models_have_names_of_their_own(lab: cp.Lab) -> None:
    one = lab.scores(models=["mine"], suites=["plain"], by=())
    assert {name.count("/") for name in one.leading()} == {1}
    assert "plain/answer_accuracy_low" in one.leading()
    for scores in (lab.scores(models=["mine"]), lab.scores(models=["mine"], by="kind"), lab.scores(by=())):
        values = [row[end] for row in scores.leading_rows() for end in ("value", "low", "high")]
        assert len(scores.leading()) == len([value for value in values if value is not None])
    assert "mine@week-46/plain/answer_accuracy" in lab.scores(by=()).leading()


def test_tables_of_groups_answers_and_outcomes(lab: cp.Lab) -> None:
    groups, outcomes = lab.groups("negation").to_arrow(), lab.outcomes("mine", "negation").to_arrow()
    assert groups.num_rows == outcomes.num_rows
    assert len(lab.answers("mine@week-45")) <= len(lab.answers("mine"))
    correct = outcomes["correct"].to_pylist()
    pairs = [tuple(share >= 0.5 for share in correct[row : row + 2]) for row in range(0, len(correct), 2)]
    (score,) = lab.scores(models=["mine"], suites=["negation"], metrics=["comprehensive_accuracy"])
    assert score.value == pytest.approx(sum(map(all, pairs)) / len(pairs))


def test_failures_have_pictures_texts_gold_and_answers(lab: cp.Lab) -> None:
    failures = lab.failures("mine", suite="negation", limit=3)
    assert len(failures) <= 3 <= failures.total
    first = failures[0]
    assert any(member.correct is False for member in first.members)
    assert first.members[0].query.text in repr(failures)
    assert "data:image/webp;base64," in failures._repr_html_()


def test_groups_made_in_python_are_a_suite(lab: cp.Lab) -> None:
    picture = cp.World("test", scenes=1)[0].scene.picture
    texts = ("Is there a cat?", "Is there no cat?")
    group = cp.Group(
        cp.Relation.DIFFERS,
        tuple(cp.Query(picture, text) for text in texts),
        (cp.Gold.of("yes"), cp.Gold.of("no")),
    )
    lab.add_groups([group], "mine-own")
    assert lab.groups("mine-own").to_arrow()["text"].to_pylist() == list(texts)


QUERY = cp.Query(None, "Is it red?")


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (cp.Group(cp.Relation.GOLD, (QUERY,), (None,)), "one group is no list of groups"),
        ([{"text": "Is it red?"}], "is no group"),
        ([cp.Group("equal", (QUERY,), (None,))], "group 0: 'equal' is no relation"),  # type: ignore[arg-type]
        ([cp.Group(cp.Relation.GOLD, ("Is it?",), (None,))], "is no query"),  # type: ignore[arg-type]
        ([cp.Group(cp.Relation.GOLD, (cp.Query("a.jpg", "What?"),), (None,))], "is no picture"),  # type: ignore[arg-type]
        ([cp.Group(cp.Relation.GOLD, (cp.Query(None, "What?", choices="red"),), (None,))], "no texts"),  # type: ignore[arg-type]
        ([cp.Group(cp.Relation.GOLD, (QUERY,), ("red",))], "'red' is no gold"),  # type: ignore[arg-type]
        ([cp.Group(cp.Relation.GOLD, (QUERY,), (cp.Gold.of(3),))], "has no texts"),  # type: ignore[arg-type]
        ([cp.Group(cp.Relation.GOLD, (QUERY,), (cp.Gold.of(),))], "has no texts"),
        ([cp.Group(cp.Relation.GOLD, (QUERY,), (None,), tags={"weather": "rain"})], "'rain'} are no tags"),  # type: ignore[arg-type]
        ([cp.Group(cp.Relation.GOLD, (QUERY,), (None,), tags=({"weather": "rain"},))], "are no tags"),  # type: ignore[arg-type]
        ([cp.Group(cp.Relation.GOLD, (QUERY,), (None,), tags=((("row", 3),),))], "are no tags"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_group_is_refused_before_anything_is_stored(tmp_path: Path, groups: Any, said: str) -> None:
    own = cp.Lab(tmp_path / "lab")
    with pytest.raises(cp.CounterpointError, match=said) as raised:
        own.add_groups(groups, "mine")
    assert raised.value.hint
    assert not (tmp_path / "lab").exists()


def test_numbers_that_are_none_are_refused_and_leave_the_lab_as_it_was(tmp_path: Path) -> None:
    """A seed that cannot be read again would make every later command fail."""
    own = cp.Lab(tmp_path / "lab")
    for request in ({"seed": 1.5}, {"seed": None}, {"seed": "a"}, {"items": "15"}, {"items": 8.0}, {"limit": "3"}):
        with pytest.raises(cp.CounterpointError, match=f"{next(iter(request))} is ") as raised:
            own.generate("order", **{"items": 8, **request})  # type: ignore[arg-type]
        assert raised.value.hint
    (tmp_path / "a.csv").write_text("Q,A,image\nIs it?,yes,1.jpg\n", encoding="utf-8")
    with pytest.raises(cp.CounterpointError, match="columns is 'question=Q'"):
        own.generate("plain", source="plain", data=tmp_path / "a.csv", columns="question=Q")  # type: ignore[arg-type]
    assert not (tmp_path / "lab").exists()
    own.generate("order", items=np.int64(8), limit=np.int64(4), seed=np.int64(3))  # type: ignore[arg-type]
    assert own.contents().suites[0].seed == 3
    with pytest.raises(cp.CounterpointError, match=r"trials is 1\.5"):
        own.run("constant", trials=1.5)  # type: ignore[arg-type]


def test_a_folder_without_a_namespace_and_an_import_without_a_file_are_refused(lab: cp.Lab) -> None:
    with pytest.raises(cp.CounterpointError, match="photos is a folder of no namespace") as raised:
        lab.pictures("photos")  # type: ignore[arg-type]
    assert raised.value.hint == 'write {"plain": "photos"}'
    with pytest.raises(cp.CounterpointError, match="no file of predictions is named"):
        lab.import_predictions(name="other")


def test_a_threshold_in_per_cent_other_bins_and_layouts_are_refused(lab: cp.Lab) -> None:
    for threshold in (50, -0.1, "0.5"):
        with pytest.raises(cp.CounterpointError, match="threshold is") as raised:
            lab.scores(threshold=threshold)  # type: ignore[arg-type]
        assert raised.value.hint == "it is from 0 to 1"
    with pytest.raises(cp.CounterpointError, match="bins is 0"):
        lab.reliability("mine", bins=0)
    with pytest.raises(cp.CounterpointError, match="limit is '3'"):
        lab.failures("mine", limit="3")  # type: ignore[arg-type]
    with pytest.raises(cp.UnknownName, match="no layout is called 'x'"):
        lab.leaderboard(layout="x")
    with pytest.raises(cp.UnknownName, match="is called None"):
        lab.scores(suites=[None])  # type: ignore[list-item]


def test_progress_reaches_a_callback_and_warnings_the_logger(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    events: list[cp.ProgressEvent] = []
    lab = cp.Lab(tmp_path / "lab", progress=events.append)
    lab.generate("order", items=10, limit=4)
    lab.run("constant")
    assert {event.task for event in events} >= {"constant"}
    with caplog.at_level(logging.WARNING, "counterpoint"):
        cp.ask("fusion", "world:test/000003.png", "Is there a zeppelin?")
    assert "zeppelin" in caplog.text


def test_verify_says_whether_a_lab_is_what_it_was(lab: cp.Lab) -> None:
    assert lab.verify().holds
    assert "checks hold" in repr(lab.verify())


def test_tables_for_the_pages_are_made_where_answers_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environ: MutableMapping[str, str]
) -> None:
    environ["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    told: list[str] = []
    lab = cp.Lab(tmp_path / "lab", progress=lambda event: told.append(event.task))
    lab.generate("order", items=20, limit=5)
    assert not (tmp_path / "cache").exists()  # so small that the first page makes them in a moment
    monkeypatch.setattr(table_updates, "AT_ONCE", 1)
    lab.generate("negation", items=20, limit=5)
    lab.run("constant")
    assert not (tmp_path / "cache").exists()  # two tables are few
    monkeypatch.setattr(table_updates, "FEW_TABLES", 1)
    lab.run("constant")
    assert not reader.LabReader(lab.store)._plan().missing
    assert "making tables for the pages" in told
    lab.rescore("exact", suites=["order"])
    left = {folder.about for folder in reader.LabReader(lab.store)._plan().missing}
    assert left == {
        *("the answers of constant to negation", "constant on negation"),
        *("comparing the models on negation", "indexing all groups"),
    }
    monkeypatch.setattr(reader.LabReader, "update", lambda own, suites: 1 / 0)
    assert lab.run("random").complete  # whatever happens to the tables


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        ({"workers": -1}, "workers is -1"),
        ({"batch_size": -1}, "batch_size is -1"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"limit": 0}, "limit is 0"),
        ({"trials": -1}, "trials is -1"),
        ({"engine": "Ray"}, "no engine is called 'Ray'"),
        ({"cpus_per_worker": 0}, "cpus_per_worker is 0"),
        ({"gpus_per_worker": -0.5}, "gpus_per_worker is -0.5"),
    ],
)
def test_a_run_that_cannot_be_is_refused_before_anything_is_asked(
    lab: cp.Lab, request_: dict[str, Any], problem: str
) -> None:
    with pytest.raises(cp.CounterpointError, match=problem):
        lab.run("constant", **request_)
    with pytest.raises(cp.CounterpointError, match=problem):
        lab.estimate_run("constant", **request_)


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        ({"workers": -1}, "workers is -1"),
        ({"items": 0}, "items is 0"),
        ({"limit": -3}, "limit is -3"),
        ({"engine": "Ray"}, "no engine is called 'Ray'"),
    ],
)
def test_suites_that_cannot_be_are_refused_before_anything_is_read(
    tmp_path: Path, request_: dict[str, Any], problem: str
) -> None:
    with pytest.raises(cp.CounterpointError, match=problem):
        cp.Lab(tmp_path / "lab").generate("order", **request_)
    assert not (tmp_path / "lab").exists()


def test_a_sample_size_names_the_argument_that_is_wrong(lab: cp.Lab) -> None:
    with pytest.raises(cp.CounterpointError, match="rules is 0"):
        lab.sample_size(0.02, rules=0)
    with pytest.raises(cp.CounterpointError, match=r"1\.5 is no power"):
        lab.sample_size(0.02, power=1.5)


def test_files_may_be_named_as_text(lab: cp.Lab, tmp_path: Path) -> None:
    release, captions, questions = (str(tmp_path / name) for name in ("release.json", "captions.txt", "asked.jsonl"))
    assert cp.verify_folder(lab.address, write_release=release).holds
    assert cp.verify_folder(lab.address, release=release).holds
    made = cp.Lab(tmp_path / "own")
    made.generate("existence", items=20, limit=10)
    Path(captions).write_text("a dog on a sofa\n", "utf-8")
    assert made.study("blind", captions=captions).records()
    query = lab.groups("plain").to_arrow().slice(0, 1).to_pylist()[0]
    Path(questions).write_text(json.dumps({"id": "1", "question": query["text"], "image": query["picture"]}), "utf-8")
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"id": "1", "answer": "yes"}), "utf-8")
    imported = made.import_predictions(str(answers), name="others", questions=questions)
    imported.write_notes(str(tmp_path / "notes.csv"))
    lab.gate("mine", ["answer_accuracy >= 0"], suites=["plain"]).write_junit(str(tmp_path / "gate.xml"))
    assert {"notes.csv", "gate.xml"} <= {path.name for path in tmp_path.iterdir()}


def test_one_name_is_no_list_of_letters(lab: cp.Lab) -> None:
    one: dict[str, Any] = {"models": "mine", "suites": "plain"}
    several: dict[str, Any] = {"models": ["mine"], "suites": ["plain"]}
    assert lab.scores(**one, metrics="answer_accuracy").rows == lab.scores(**several, metrics=["answer_accuracy"]).rows
    assert lab.leaderboard(**one).to_dict() == lab.leaderboard(**several).to_dict()
    assert lab.run("question-only", suites="negation").outcome.asked == 0
    gates = [lab.gate("mine", rules, suites=suites) for rules, suites in ((RULE, "plain"), ([RULE], ["plain"]))]
    assert gates[0].to_dict() == gates[1].to_dict()
    assert lab.findings("mine", suites="negation").to_dict() == lab.findings("mine", suites=["negation"]).to_dict()
    assert lab.history("mine", suites="negation", metrics="accuracy").scores
    assert len(lab.rescore("auto", models="mine", suites="plain")) == 1
    assert cp.describe_data("world", items=1, kinds="captions").records()[0]["kind"] == "captions"
    assert lab.study("plain", models="constant", items=2).records()
