"""`data` over files in official layouts, as people call it."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from counterpoint import catalog
from counterpoint.cli.data import command
from counterpoint.core.errors import CounterpointError, ModelError, SourceError, UnknownName
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.models.builtin.onnx_graphs import WEIGHTS, ModelCard
from counterpoint.reports.data_tables import file_remarks
from counterpoint.sources.dataset import DataSet, File
from counterpoint.world import dataset_formats as layouts
from counterpoint.world import gqa_format as gqa_layout
from counterpoint.world.source import World

SCENES = 8


@pytest.fixture(scope="module")
def gqa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scenes, questions and half of the pictures of the world, as GQA has them."""
    folder, world = tmp_path_factory.mktemp("gqa"), World("test", SCENES)
    _write(folder / "val_sceneGraphs.json", layouts.gqa_scene_graphs(world.scenes()))
    _write(folder / "val_balanced_questions.json", gqa_layout.gqa_questions_file(world.questions()))
    (folder / "images").mkdir()
    for scene in list(world.scenes())[: SCENES // 2]:
        Image.new("RGB", (4, 3)).save(folder / "images" / f"{scene.id}.jpg")
    return folder


@pytest.fixture(scope="module")
def vqa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three questions with ten answers each, and one without any, in the layout of VQA v2."""
    folder = tmp_path_factory.mktemp("vqa")
    said = [["yes"] * 10, ["red"] * 7 + ["pink"] * 3, ["Two"] * 6 + ["2"] * 4]
    asked = ["Is it red?", "What color is it?", "How many dogs are there?", "What?"]
    questions = [{"question_id": n, "image_id": 262148, "question": text} for n, text in enumerate(asked)]
    answers = [{"question_id": n, "answers": [{"answer": one} for one in all_]} for n, all_ in enumerate(said)]
    kinds = [{"question_type": "is", "answer_type": "yes/no"}, {"question_type": "what"}, {"question_type": "how"}]
    annotations = [{**one, **kind} for one, kind in zip(answers, kinds, strict=True)]
    _write(folder / "v2_OpenEnded_mscoco_val2014_questions.json", {"questions": questions})
    _write(folder / "v2_mscoco_val2014_annotations.json", {"annotations": annotations})
    return folder


def _write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content), "utf-8")


def _call(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def _json(*arguments: object) -> Any:
    done = _call(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


FILED = [name for name in catalog.rows("sources") if isinstance(catalog.find("sources", name), DataSet)]


@pytest.mark.parametrize("name", FILED)
def test_each_data_set_says_what_it_expects_and_from_where(name: str) -> None:
    told = _json(name)
    shown = _call(name).stdout
    for file in told["files"]:
        assert file["from"]
        assert file["file"] in shown
        assert file["kinds"], "a file is there to be read"
    assert {split for file in told["files"] for split in file["splits"]} == set(told["splits"])
    assert told["pictures"]["from"]


def test_a_file_that_splits_share_is_listed_once() -> None:
    (space,) = (file for file in _json("swig")["files"] if file["part"] == "space")
    assert space["splits"] == ["train", "dev", "test"]


def test_what_is_there_is_checked_and_counted_as_a_loop_would(gqa: Path) -> None:
    found, world = _json("gqa", "--data", gqa, "--top", 1000), World("test", SCENES)
    assert (found["split"], found["whole"], found["rules"]) == ("val", True, "gqa")
    assert [Path(file["path"]).name for file in found["files"]] == [
        "val_sceneGraphs.json",
        "val_balanced_questions.json",
    ]
    assert all(file["bytes"] == Path(file["path"]).stat().st_size for file in found["files"])
    assert found["pictures"]["distinct"] == SCENES
    assert found["pictures"]["there"] == SCENES // 2
    asked, answers = list(world.questions()), found["kinds"]["questions"]["words"]["answers"]
    assert found["kinds"]["questions"]["items"] == len(asked)
    assert {one["word"]: one["count"] for one in answers["top"]} == Counter(one.gold.best for one in asked)
    lengths = found["kinds"]["questions"]["numbers"]["words per question"]
    assert lengths["mean"] == pytest.approx(sum(len(one.text.split()) for one in asked) / len(asked))
    names = found["kinds"]["scenes"]["words"]["objects"]
    assert names["total"] == sum(len(scene.objects) for scene in world.scenes())


def test_a_table_in_the_terminal_and_in_markdown_says_the_same(gqa: Path) -> None:
    plain = _call("gqa", "--data", gqa).stdout
    assert "GQA, val: files" in plain
    assert re.search(r"^scenes +8 +8 +0$", plain, re.MULTILINE)
    assert f"8 pictures; {SCENES // 2} files are present (50.0 %)." in plain
    assert "Questions: words per question" in plain
    assert "▇" in plain
    marked = _call("gqa", "--data", gqa, "--markdown").stdout
    assert re.search(r"^\| scenes \| 8 \| 8 \| 0 \|$", marked, re.MULTILINE)


def test_only_the_kinds_that_are_named_are_read_and_at_most_so_many(gqa: Path) -> None:
    found = _json("gqa", "--data", gqa, "--kind", "questions", "--items", 5, "--seed", 3)
    assert list(found["kinds"]) == ["questions"]
    assert found["kinds"]["questions"]["items"] == 5
    assert found == _json("gqa", "--data", gqa, "--kind", "questions", "--items", 5, "--seed", 3)
    with pytest.raises(CounterpointError, match="GQA has no frames"):
        raise _raised("gqa", "--data", gqa, "--kind", "frames")


def _raised(*arguments: object) -> CounterpointError:
    done = _call(*arguments)
    assert done.exit_code == 1
    assert isinstance(done.exception, CounterpointError), done.exception
    return done.exception


def test_a_missing_file_ends_with_one_after_all_that_is_known(gqa: Path, tmp_path: Path) -> None:
    (tmp_path / "val_sceneGraphs.json").write_bytes((gqa / "val_sceneGraphs.json").read_bytes())
    done = _call("gqa", "--data", tmp_path)
    assert done.exit_code == 1
    assert isinstance(done.exception, SourceError)
    assert "has no val_balanced_questions.json, the questions of GQA" in str(done.exception)
    assert re.search(r"val_balanced_questions.json +questions +✗ missing", done.stdout)
    assert re.search(r"^scenes +8 ", done.stdout, re.MULTILINE)
    assert _call("gqa", "--data", tmp_path, "--kind", "scenes").exit_code == 0
    found = json.loads(_call("gqa", "--data", tmp_path, "--json").stdout)
    assert (found["whole"], found["files"][1]["path"]) == (False, None)


def test_a_file_that_ends_in_the_middle_is_described_up_to_there(gqa: Path, tmp_path: Path) -> None:
    for name in ("val_sceneGraphs.json", "val_balanced_questions.json"):
        content = (gqa / name).read_bytes()
        (tmp_path / name).write_bytes(content[: len(content) // 2] if "Graphs" in name else content)
    done = _call("gqa", "--data", tmp_path)
    assert done.exit_code == 1
    assert "ends in the middle of a record" in str(done.exception)
    assert "scenes could not be read further" in done.stdout


def test_an_empty_folder_and_a_file_with_nothing_in_it_are_said_so(tmp_path: Path) -> None:
    assert "has no train_sceneGraphs.json" in str(_raised("gqa", "--data", tmp_path))
    (tmp_path / "val_sceneGraphs.json").write_text("{}")
    problem = _raised("gqa", "--data", tmp_path, "--kind", "scenes")
    assert str(problem) == "nothing could be read of val of GQA"


def test_what_was_left_out_is_listed_with_reason_and_place(vqa: Path) -> None:
    found = _json("vqa2", "--data", vqa)
    (left,) = found["kinds"]["questions"]["left_out"]
    assert left["count"] == 1
    assert "question 3" in left["places"][0]
    assert "1 question skipped: " in _call("vqa2", "--data", vqa).stdout


def test_answers_are_one_as_the_rule_set_compares_them(vqa: Path) -> None:
    answers = _json("vqa2", "--data", vqa)["kinds"]["questions"]["words"]["answers"]
    assert {one["word"] for one in answers["top"]} == {"yes", "red", "2"}
    exact = _json("vqa2", "--data", vqa, "--rules", "exact")["kinds"]["questions"]["words"]["answers"]
    assert {one["word"] for one in exact["top"]} == {"yes", "red", "Two"}
    with pytest.raises(UnknownName, match="no rule set is called 'vqq'"):
        raise _raised("vqa2", "--data", vqa, "--rules", "vqq")


def test_overlaps_are_what_sets_say_both_ways(vqa: Path, gqa: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("yes\n\nTWO\npink\n")
    against = [f"gqa={gqa}", "model:fusion", tmp_path / "mine.txt", "world"]
    found = _json("vqa2", "--data", vqa, *(word for one in against for word in ("--against", one)))
    here, comparable = {"yes", "red", "2"}, rule_set("vqa").normalize
    by_name = {overlap["with"]: overlap for overlap in found["overlaps"]}
    mine = by_name["mine.txt"]
    assert (mine["shared"], mine["others"], mine["jaccard"]) == (2, 3, 0.5)
    assert (mine["covered"], mine["covers"]) == (pytest.approx(2 / 3), None)
    assert mine["ceiling"] == pytest.approx((1 + 0.9 + 1) / 3), "pink earns nine tenths where red is best"
    assert mine["absent"] == [{"answer": "red", "count": 1}]
    card = ModelCard.read(WEIGHTS / "fusion" / "card.json")
    assert by_name["model:fusion"]["shared"] == len(here & set(map(comparable, card.answers)))
    theirs = [comparable(question.gold.best) for question in World("test", SCENES).questions()]
    assert by_name["gqa, val"]["jaccard"] == pytest.approx(len(here & set(theirs)) / len(here | set(theirs)))
    assert by_name["gqa, val"]["covers"] == pytest.approx(sum(one in here for one in theirs) / len(theirs))
    assert by_name["world, test"]["covered"] is not None
    shown = _call("vqa2", "--data", vqa, "--against", tmp_path / "mine.txt").stdout
    assert "mine.txt lacks red (1)" in shown


def test_a_classifier_of_hugging_face_is_asked_for_its_labels_alone(vqa: Path, tmp_path: Path) -> None:
    config = {"model_type": "vilt", "architectures": ["ViltForQuestionAnswering"]}
    labels = {"id2label": {"0": "yes", "1": "no", "2": "red"}, "label2id": {"yes": 0, "no": 1, "red": 2}}
    _write(tmp_path / "config.json", config | labels)
    (found,) = _json("vqa2", "--data", vqa, "--against", f"hf/{tmp_path}")["overlaps"]
    assert (found["others"], found["shared"]) == (3, 2)
    _write(tmp_path / "config.json", config)
    problem = _raised("vqa2", "--data", vqa, "--against", f"hf/{tmp_path}")
    assert isinstance(problem, ModelError)
    assert "only classifiers choose from a list" in problem.hint


@pytest.mark.parametrize(
    ("against", "fact"),
    [
        ("nowhere.txt", "there is no file nowhere.txt, and no data set of this name"),
        ("gqa=nowhere", "there is no folder nowhere"),
        ("gqq=.", "no source is called 'gqq'"),
        ("gqa", "GQA is read from files"),
        ("model:fuison", "no model is called 'fuison'"),
        ("model:two-tower", "two-tower chooses from no list of answers"),
        ("coco=.", "COCO has no answers"),
        ("empty.txt", "holds no list of answers"),
        ("bad.json", "bad.json cannot be read"),
        ("numbers.json", "holds no list of answers"),
    ],
)
def test_what_cannot_be_compared_is_said(vqa: Path, workdir: Path, against: str, fact: str) -> None:
    for name, text in (("empty.txt", "\n"), ("bad.json", "["), ("numbers.json", "[1, 2]")):
        (workdir / name).write_text(text)
    problem = _raised("vqa2", "--data", vqa, "--against", against)
    assert fact in str(problem)
    assert problem.hint


def test_names_and_splits_that_do_not_exist_are_answered_with_those_that_do(gqa: Path) -> None:
    assert _raised("gqq").hint == "did you mean gqa?"
    assert _raised("gqa", "--data", gqa, "--split", "vall").hint == "did you mean val or val_all?"
    assert "are not published" in str(_raised("gqa", "--data", gqa, "--split", "test"))
    assert _call("gqa", "--data", "nowhere").exit_code == 2


def test_the_world_needs_no_files(tmp_path: Path) -> None:
    found = _json("world", "--items", 5, "--split", "shifted")
    assert (found["split"], found["files"], found["pictures"]["drawn"]) == ("shifted", [], True)
    assert list(found["kinds"]) == ["scenes", "questions", "captions", "dialogues", "frames"]
    assert found["kinds"]["captions"]["items"] == 25
    assert found["kinds"]["dialogues"]["numbers"]["turns per dialogue"]["counts"] == {"10": 5}
    assert "drawn on demand" in _call("world", "--items", 2).stdout


def test_a_file_of_ones_own_is_described_by_its_columns(tmp_path: Path) -> None:
    Image.new("RGB", (4, 3)).save(tmp_path / "1.png")
    (tmp_path / "mine.csv").write_text("q,right,file\nIs it red?,yes,1.png\nIs it blue?,no,2.png\n")
    columns = "question=q,answer=right,image=file"
    found = _json("plain", "--data", tmp_path / "mine.csv", "--columns", columns)
    assert found["kinds"]["questions"]["items"] == 2
    assert found["pictures"]["there"] == 1
    assert "--columns is for files of your own" in _raised("vqa2", "--data", tmp_path, "--columns", columns).hint


def test_the_page_needs_nothing_else_and_escapes_what_it_shows(gqa: Path, vqa: Path, tmp_path: Path) -> None:
    (tmp_path / "<b>.txt").write_text("yes\n")
    out = tmp_path / "out" / "page.html"
    done = _call("gqa", "--data", gqa, "--out", out, "--against", tmp_path / "<b>.txt", "--against", f"vqa2={vqa}")
    assert done.exit_code == 0, done.output
    assert done.stderr.strip().endswith("page.html is written")
    page = out.read_text("utf-8")
    assert not re.findall(r"(?:src|href)=\"(?!#)[^\"]*\"", page.replace("xlink:href", ""))
    assert "<script" not in page
    assert "&lt;b&gt;.txt" in page
    assert "<b>.txt" not in page
    for text in ("GQA, val", "val_sceneGraphs.json", "Objects: “", "Words per question: ", "Jaccard", "vqa2, val"):
        assert text in page
    assert page.count("<svg") >= 8


def test_the_page_says_what_is_missing_and_what_was_left_out(vqa: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    assert _call("vqa2", "--data", vqa, "--out", out).exit_code == 0
    assert "Skipped" in out.read_text("utf-8")
    assert _call("gqa", "--data", tmp_path, "--out", out).exit_code == 1
    assert "✗ missing" in out.read_text("utf-8")


def test_a_source_that_does_not_say_where_its_pictures_come_from_has_no_sentence_about_it() -> None:
    own = DataSet("labels", "Labels", (File("labels", {"val": ("labels/val",)}, "your own labelling"),), {}, "labels")
    pictures, *_ = file_remarks("labels", own)
    assert pictures == "Pictures are in images/; only running a model needs them."
