import json
from hashlib import blake2b
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from counterpoint.cli.main import commands
from counterpoint.core.errors import CounterpointError
from counterpoint.store.lab import LabStore
from counterpoint.world.source import World


def _do(*arguments: str) -> Result:
    return CliRunner().invoke(commands, list(arguments), catch_exceptions=False)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("augment") / "lab"
    for name in ("order", "rephrase"):
        _do("generate", str(folder), "--suite", name, "--items", "10")
    return folder


def test_the_mix_of_a_lab_is_kept_and_no_picture_of_it_is_used(lab: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = _do(
        "augment", str(lab), "--items", "12", "--limit", "80", "--out", str(out), "--layout", "gqa", "--no-pictures"
    )
    assert done.exit_code == 0, done.output
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    rows = json.loads((out / "train.json").read_text("utf-8"))
    made = {name: LabStore(lab).manifest(name).groups for name in ("order", "rephrase")}
    assert manifest["questions"] == len(rows) == 80
    assert manifest["suites"] == {name: round(80 * count / sum(made.values())) for name, count in made.items()}
    tests = set(LabStore(lab).suite("order").table["picture"].to_pylist())
    tests |= set(LabStore(lab).suite("rephrase").table["picture"].to_pylist())
    assert not {f"world:{row['img_id']}.png" for row in rows} & tests
    assert len({(row["img_id"], row["sent"]) for row in rows}) == len(rows)
    learned = [f"world:train/{number:06}.png" for number in range(12)]
    lines = "".join(f"{address}\n" for address in (*learned, "", *sorted(tests)))
    assert manifest["disjoint"]["digest"] == blake2b(lines.encode(), digest_size=16).hexdigest()
    assert "none of these is among" in done.stdout


def test_pictures_that_are_tested_on_are_refused(lab: Path, tmp_path: Path) -> None:
    chosen = ("--suite", "order", "--split", "test", "--items", "3", "--out", str(tmp_path / "out"), "--layout", "chat")
    with pytest.raises(
        CounterpointError, match="3 of 3 training pictures are also test pictures, the first is world:test"
    ):
        _do("augment", *chosen, "--exclude", str(lab))
    assert not (tmp_path / "out").exists()


def test_contrast_sets_are_written_with_the_questions_that_they_differ_from(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = _do(
        "augment",
        "--suite",
        "contrast",
        "--items",
        "60",
        "--out",
        str(out),
        "--layout",
        "gqa",
        "--no-pictures",
        "--json",
    )
    manifest, rows = json.loads(done.stdout), json.loads((out / "train.json").read_text("utf-8"))
    plain = {question.text for question in World("train", 12).questions()}
    assert manifest["suites"]["contrast"] == len(rows) > 60
    assert 0 < sum(row["sent"] in plain for row in rows) < len(rows)


def test_pictures_of_the_world_are_drawn_where_the_files_say(tmp_path: Path) -> None:
    done = _do(
        "augment", "--suite", "order", "--items", "2", "--out", str(tmp_path / "out"), "--layout", "chat", "--json"
    )
    manifest = json.loads(done.stdout)
    for line in (tmp_path / "out" / "messages.jsonl").read_text("utf-8").splitlines():
        shown, words = json.loads(line)["messages"][0]["content"]
        assert words["text"].endswith("Answer with a single word or a short phrase.")
        with Image.open(tmp_path / "out" / manifest["images"] / shown["image_url"]["url"]) as image:
            assert image.size == (320, 240)


def test_the_same_command_writes_the_same_files(tmp_path: Path) -> None:
    chosen = ("--suite", "order", "--items", "6", "--limit", "20", "--layout", "vqa", "--no-pictures", "--json")
    first, again = (json.loads(_do("augment", *chosen, "--out", str(tmp_path / name)).stdout) for name in "ab")
    assert first == again
    for name in first["files"]:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_what_cannot_be_done_is_said_in_one_sentence(tmp_path: Path) -> None:
    to = ("--out", str(tmp_path / "out"), "--layout", "gqa")
    with pytest.raises(CounterpointError, match="nothing says which questions"):
        _do("augment", *to)
    with pytest.raises(CounterpointError, match="plain is made from questions"):
        _do("augment", "--suite", "plain", *to)
    with pytest.raises(CounterpointError, match="no lab"):
        _do("augment", str(tmp_path / "nowhere"), *to)
