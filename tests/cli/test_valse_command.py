"""`counterpoint generate --suite valse`: all pieces that a source allows, and why others are not there."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from click.testing import CliRunner, Result

from counterpoint.cli.generate import command
from counterpoint.core.errors import CounterpointError
from counterpoint.core.items import Caption, Question
from counterpoint.lab.valse import PIECES
from counterpoint.store.lab import LabStore
from counterpoint.world.source import World

FRAMES = {
    f"{verb}_{number}.jpg": {
        "verb": verb,
        "height": 300,
        "width": 400,
        "bb": {"agent": [1, 1, 90, 200], "item": [100, 100, 140, 140], "place": [-1, -1, -1, -1]},
        "frames": [{"agent": "n1", "item": "n2", "place": "n3"}] * 3,
    }
    for number, verb in enumerate(("kicking", "throwing"))
}
SPACE = {
    "nouns": {key: {"gloss": [word]} for key, word in (("n1", "man"), ("n2", "ball"), ("n3", "park"))},
    "verbs": {verb: {"order": ["agent", "item", "place"]} for verb in ("kicking", "throwing")},
}


def _generate(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_the_world_makes_all_pieces(tmp_path: Path) -> None:
    done = _generate(str(tmp_path / "lab"), "--suite", "valse", "--scenes", "80", "--json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert tuple(said) == PIECES
    made = {name for name, row in said.items() if row.get("groups")}
    assert made == set(PIECES)
    assert set(LabStore(tmp_path / "lab").suites()) == made
    assert all(row["groups"] == sum(row["instruments"].values()) for name, row in said.items() if name in made)


class Counting(World):
    """A world that counts how often each kind of item is read."""

    read: ClassVar = Counter[str]()

    def questions(self) -> Iterator[Question]:
        """Questions, counted when they are asked for."""
        self.read["questions"] += 1
        return super().questions()

    def described(self) -> Iterator[Caption]:
        """Captions with their scenes, likewise."""
        self.read["described"] += 1
        return super().described()


def test_what_several_pieces_are_made_from_is_read_once_and_makes_what_each_makes_alone(tmp_path: Path) -> None:
    Counting.read.clear()
    said = json.loads(
        _generate(
            str(tmp_path), "--suite", "valse", "--source", f"{__name__}:Counting", "--json", "--scenes", "80"
        ).stdout
    )
    assert Counting.read == {"questions": 1, "described": 1}
    for name in ("counting", "objects"):
        alone = _generate(
            str(tmp_path / "alone"), "--suite", name, "--source", f"{__name__}:Counting", "--json", "--scenes", "80"
        )
        assert json.loads(alone.stdout)["fingerprint"] == said[name]["fingerprint"]


def test_a_source_of_frames_makes_actions_and_says_what_it_lacks(tmp_path: Path) -> None:
    folder = tmp_path / "SWiG_jsons"
    folder.mkdir()
    (folder / "test.json").write_text(json.dumps(FRAMES), "utf-8")
    (folder / "imsitu_space.json").write_text(json.dumps(SPACE), "utf-8")
    done = _generate(str(tmp_path / "lab"), "--suite", "valse", "--source", "swig", "--data", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert "actions       action-replacement" in done.stdout
    assert "nothing for existence: SWiG has no questions" in done.stdout
    assert "nothing for coreference: SWiG has no dialogues" in done.stdout
    assert LabStore(tmp_path / "lab").suites() == ["actions"]


def test_a_source_of_which_nothing_can_be_made_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "SWiG_jsons"
    folder.mkdir()
    (folder / "test.json").write_text(json.dumps({"kicking_0.jpg": FRAMES["kicking_0.jpg"]}), "utf-8")
    (folder / "imsitu_space.json").write_text(json.dumps(SPACE), "utf-8")
    with pytest.raises(CounterpointError, match="no piece of VALSE can be made of swig") as caught:
        _generate(str(tmp_path / "lab"), "--suite", "valse", "--source", "swig", "--data", str(tmp_path))
    assert "has no questions" in caught.value.hint


def test_a_suite_that_is_there_and_differs_is_not_replaced_in_silence(tmp_path: Path) -> None:
    lab = str(tmp_path / "lab")
    _generate(lab, "--suite", "valse", "--scenes", "40")
    with pytest.raises(CounterpointError, match="existence"):
        _generate(lab, "--suite", "valse", "--scenes", "50")
