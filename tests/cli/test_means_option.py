"""Which color backgrounds are painted in: said, measured, known, and never guessed."""

from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from counterpoint.cli.generate import command
from counterpoint.cli.means import means_given
from counterpoint.pictures.channel_means import Means
from counterpoint.store.lab import LabStore
from counterpoint.world.source import World

CONTEXT, OPTION = click.Context(click.Command("generate")), click.Option(["--means"])


def _given(text: str) -> Means | None:
    return means_given(CONTEXT, OPTION, text)


def test_means_are_three_numbers_or_those_of_the_pictures_in_a_folder(tmp_path: Path) -> None:
    Image.fromarray(np.full((4, 4, 3), (1, 2, 3), np.uint8)).save(tmp_path / "a.png")
    assert _given("") is None
    assert _given("121, 113,104") == (121, 113, 104)
    assert _given(str(tmp_path)) == (1, 2, 3)


@pytest.mark.parametrize("text", ["1,2", "1,2,3,4", "a,b,c", "1.5,2,3", "1,2,256", "-1,2,3", "no-such-folder"])
def test_what_is_no_color_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match=text):
        _given(text)


def test_the_manifest_of_a_visual_suite_keeps_its_means_and_that_of_others_has_none(tmp_path: Path) -> None:
    for name in ("visual", "order"):
        arguments = [str(tmp_path / "lab"), "--suite", f"counterpoint.suites.carets.{name}:suite", "--scenes", "4"]
        done = CliRunner().invoke(command, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
    lab = LabStore(tmp_path / "lab")
    assert lab.suite("visual").manifest.parameters["means"] == list(World.means)
    assert "means" not in lab.suite("order").manifest.parameters
    assert all(check.holds for check in lab.verify())
