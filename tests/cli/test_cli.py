"""The command line, as a person meets it."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import pytest
from PIL import Image

from counterpoint.cli import main as cli
from counterpoint.core.pictures import Picture
from counterpoint.lab.world_files import WORLD_FILES
from counterpoint.world.source import World

SHOWN = "world:test/000001.png"
OWN_MODELS = '''
from counterpoint import Answer, Mode


class Echo:
    """Says the first word of the question, and how long it is."""

    fingerprint = "echo 1"

    def __init__(self, pictures):
        self.pictures = pictures

    def answer(self, queries):
        for place, query in enumerate(queries):
            assert self.pictures.pixels(query.picture).shape[2] == 3
            word = query.choices[0] if query.choices else query.text.split()[0]
            yield place, Answer.of(word, top=((word, 0.75), ("other", 0.25)))


class Ruler:
    """Scores a sentence by its length."""

    fingerprint = "ruler 1"
    scale = "similarity"

    def __init__(self, pictures):
        pass

    def score(self, queries):
        assert all(query.mode is Mode.SCORE for query in queries)
        return [len(query.text) for query in queries]


class Broken(Echo):
    """Cannot answer."""

    def answer(self, queries):
        return ((place, Answer.failed("out of memory")) for place, _ in enumerate(queries))


class Interrupted(Echo):
    """Is stopped by Ctrl-C."""

    def answer(self, queries):
        raise KeyboardInterrupt


class Nothing:
    """No model at all."""

    def __init__(self, pictures):
        pass


class Mute(Nothing):
    """A model that can do nothing."""

    fingerprint = "mute 1"
'''


@dataclass(frozen=True)
class Said:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str


Call = Callable[..., Said]


@pytest.fixture
def call(workdir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Calls `counterpoint` in a folder of its own, which holds a module with models."""
    (workdir / "own_models.py").write_text(OWN_MODELS)

    def called(*arguments: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["counterpoint", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        printed = capsys.readouterr()
        return Said(int(ended.value.code or 0), printed.out, printed.err)

    return called


@pytest.mark.parametrize(
    ("arguments", "fact", "hint"),
    [
        (["ask", "fuison", SHOWN, "Is it?"], "no model is called 'fuison'", "did you mean fusion?"),
        (["world", "--out", "out", "--split", "tets"], "no split is called 'tets'", "did you mean test?"),
        (["ask", "own_models:", SHOWN, "Is it?"], "'own_models:' is not a place", "a place looks like"),
        (["ask", ":Echo", SHOWN, "Is it?"], "':Echo' is not a place", "a place looks like"),
        (["ask", "no_such:Echo", SHOWN, "Is it?"], "no_such:Echo cannot be loaded", "modules of the current folder"),
        (
            ["ask", "own_models:Ecco", SHOWN, "Is it?"],
            "own_models:Ecco cannot be loaded",
            "modules of the current folder",
        ),
        (["ask", "own_models:Nothing", SHOWN, "Is it?"], "gave Nothing, which neither answers", "a model is made by"),
        (["ask", "constant", "a.png", "Is it?"], "a.png does not exist", "a picture is a file, or a scene"),
        (["ask", "constant", SHOWN, " "], "the question is empty", "ask something"),
        (["ask", "own_models:Echo", "world:tset/1.png", "Is it?"], "is no picture of the world", "world:test/0"),
    ],
)
def test_what_went_wrong_is_one_sentence_and_a_hint(call: Call, arguments: list[str], fact: str, hint: str) -> None:
    said = call(*arguments)
    assert (said.code, said.out) == (1, "")
    first, second = said.err.splitlines()
    assert first.startswith("counterpoint: ")
    assert fact in first
    assert second.startswith("  ")
    assert hint in second


def test_usage_errors_exit_with_2_and_ctrl_c_with_130(call: Call) -> None:
    unknown = call("scroe")
    assert unknown.code == 2
    assert "no command is called 'scroe'; did you mean score or rescore?" in unknown.err
    assert call("generate", "lab").code == 2
    assert call("list", "modles").code == 2
    assert call("--help").code == 0
    assert call("--version").code == 0
    stopped = call("ask", "own_models:Interrupted", SHOWN, "Is it?")
    assert (stopped.code, stopped.err.strip()) == (130, "Stopped.")


def test_a_file_that_is_no_picture_is_said_so(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("not a picture")
    for model in ("own_models:Echo", "constant"):
        said = call("ask", model, "a.txt", "Is it?")
        assert said.code == 1
        assert "a.txt cannot be read as a picture" in said.err


def test_a_model_that_fails_says_why_and_one_that_can_do_nothing_is_refused(call: Call) -> None:
    said = call("ask", "own_models:Broken", SHOWN, "Is it?")
    assert (said.code, said.err) == (1, "counterpoint: own_models:Broken could not answer: out of memory\n")
    said = call("ask", "own_models:Mute", SHOWN, "Is it?")
    assert said.code == 1
    assert said.err.startswith("counterpoint: own_models:Mute gave Mute, which neither answers nor scores\n  a model")


def test_a_model_in_a_module_of_ones_own_answers_about_a_file(call: Call, tmp_path: Path) -> None:
    Image.new("RGB", (8, 6), "red").save(tmp_path / "a.png")
    said = call("ask", "own_models:Echo", "a.png", "Is it red?")
    assert said.code == 0
    assert said.out.splitlines()[0] == "Is"
    assert "75.0%" in said.out
    assert call("ask", "own_models:Echo", tmp_path / "a.png", "Is it?", "--choices", "red, blue").out.startswith("red")


def test_a_link_to_a_picture_is_a_picture(call: Call, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    Image.new("RGB", (8, 6), "red").save(tmp_path / "far" / "a.png")
    (tmp_path / "b.png").symlink_to(tmp_path / "far" / "a.png")
    assert call("ask", "own_models:Echo", "b.png", "Is it?").code == 0


def test_a_picture_of_another_world_is_named_with_its_seed(call: Call) -> None:
    assert call("ask", "own_models:Echo", "world-5:test/000001.png", "Is it?").code == 0


def test_an_answer_can_be_had_as_json(call: Call) -> None:
    said = call("ask", "own_models:Echo", SHOWN, "Is it?", "--json")
    assert json.loads(said.out) == {
        "model": "own_models:Echo",
        "answer": "Is",
        "score": None,
        "top": [{"value": "Is", "probability": 0.75}, {"value": "other", "probability": 0.25}],
    }


def test_a_model_that_scores_gives_a_number(call: Call) -> None:
    assert call("ask", "own_models:Ruler", SHOWN, "A cat.").out == "6.000\n"


def test_a_built_in_model_says_what_it_was_never_taught(call: Call) -> None:
    said = call("ask", "question-only", SHOWN, "What color is the spaceship?", "--choices", "red,beige")
    assert said.code == 0
    assert said.out.startswith("red\n")
    assert said.err.splitlines() == [
        "counterpoint: question-only does not know the word spaceship",
        "counterpoint: question-only cannot say beige",
    ]
    assert call("ask", "picture-only", SHOWN, "What color is the spaceship?").err == ""
    assert call("ask", "question-only", SHOWN, "What color is the dog?").err == ""


def test_the_world_is_written_as_it_says(call: Call, tmp_path: Path) -> None:
    said = call("world", "--out", "out", "--items", 3, "--seed", 5)
    assert (said.code, said.out) == (0, "3 scenes of the test split are in out\n")
    out, world = tmp_path / "out", World("test", 3, seed=5)
    written = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    pictures = {f"test/{index:06d}.png" for index in range(3)}
    assert written == pictures | {name.format(split="test") for name in WORLD_FILES.values()}
    for index in range(3):
        shown = world.pixels(Picture(f"world-5:test/{index:06d}.png"))
        assert np.array_equal(np.asarray(Image.open(out / f"test/{index:06d}.png")), shown)
    read = {kind: json.loads((out / name.format(split="test")).read_text()) for kind, name in WORLD_FILES.items()}
    assert list(read["scene graphs"]) == [scene.id for scene in world.scenes()]
    assert [one["question"] for one in read["questions"].values()] == [question.text for question in world.questions()]
    crowd = list(world.crowd_questions())
    assert [question["question"] for question in read["crowd questions"]["questions"]] == [one.text for one in crowd]
    assert [len(annotation["answers"]) for annotation in read["crowd answers"]["annotations"]] == [10] * len(crowd)
    assert [annotation["caption"] for annotation in read["captions"]["annotations"]] == [
        caption.text for caption in world.captions()
    ]
    assert [dialog["caption"] for dialog in read["dialogues"]["data"]["dialogs"]] == [
        dialogue.caption for dialogue in world.dialogues()
    ]
    assert {one["verb"] for one in read["frames"].values()} == {frame.verb for frame in world.frames()}
    assert set(read["frame space"]["verbs"]) == {frame.verb for frame in world.frames()}


def test_writing_the_world_twice_writes_the_same_annotations(call: Call, tmp_path: Path) -> None:
    for out in ("one", "other"):
        call("world", "--out", out, "--split", "shifted", "--items", 2)
    for name in WORLD_FILES.values():
        file = name.format(split="shifted")
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "other" / file).read_bytes()


def test_a_folder_that_cannot_be_written_is_said_so(call: Call, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "test").write_text("in the way")
    said = call("world", "--out", "out", "--items", 1)
    assert said.code == 1
    assert "out/test cannot be written" in said.err


def test_every_command_has_a_module_and_the_help_that_is_listed() -> None:
    context = click.Context(cli.commands)
    for name in cli.COMMANDS:
        found = cli.commands.get_command(context, name)
        assert found is not None
        assert found.name == name
        assert found.help


class _Interrupting:
    """Ctrl-C while a module is imported."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "counterpoint.cli.main":
            raise KeyboardInterrupt


def test_ctrl_c_while_the_program_starts_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from counterpoint.__main__ import main

    monkeypatch.delitem(sys.modules, "counterpoint.cli.main")
    monkeypatch.setattr(sys, "meta_path", [_Interrupting(), *sys.meta_path])
    with pytest.raises(SystemExit) as caught:
        main()
    assert (caught.value.code, capsys.readouterr().err) == (130, "Stopped.\n")
