"""Cards in Hugging Face's layout, and folders that are pushed to a hub, here to a double of its API."""

import os
import subprocess
import sys
from collections.abc import MutableMapping
from pathlib import Path

import pytest
from export_labs import read_yaml
from hub_double import COMMIT, HubDouble, hub_double

import counterpoint as cp
from counterpoint.core.errors import CounterpointError
from counterpoint.exports.hub import check_push
from counterpoint.sources.formats.hf_datasets import cached_folder


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> cp.Lab:
    lab = cp.Lab(tmp_path_factory.mktemp("hub") / "lab")
    lab.generate("existence", items=6, limit=6)
    lab.run("two-tower")
    return lab


def _export(lab: cp.Lab, hub: HubDouble, *words: str, token: str = "hf_right") -> subprocess.CompletedProcess[str]:
    """Run `counterpoint export` in a process of its own, since the client reads its address when it is imported."""
    surroundings = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "HUGGING"))}
    surroundings |= {"HF_ENDPOINT": hub.address, "HF_HUB_DISABLE_TELEMETRY": "1"} | (
        {"HF_TOKEN": token} if token else {}
    )
    command = [sys.executable, "-m", "counterpoint", "export", str(lab.folder), *words]
    return subprocess.run(command, env=surroundings, capture_output=True, text=True, check=False)


def test_a_suite_is_pushed_as_a_private_data_set_with_its_card(lab: cp.Lab, tmp_path: Path) -> None:
    with hub_double() as hub:
        out = str(tmp_path / "out")
        done = _export(lab, hub, "--suite", "existence", "--layout", "datasets", "--out", out, "--push", "me/suite")
    assert done.returncode == 0, done.stderr
    assert f"pushed: {hub.address}/me/x/commit/abc" in done.stdout
    assert [(own["name"], own["type"], own["visibility"]) for own in hub.created] == [("suite", "dataset", "private")]
    assert hub.files.keys() == {"README.md", "data/test-00000-of-00001.parquet"}
    assert hub.files["README.md"] == (tmp_path / "out" / "README.md").read_bytes()


@pytest.mark.prove
def test_a_suite_comes_back_by_its_hub_name_from_the_cache_without_a_network(lab: cp.Lab, tmp_path: Path) -> None:
    hub_client = pytest.importorskip("huggingface_hub")
    lab.export("existence", layout="datasets", out=tmp_path / "out")
    cache = tmp_path / "cache"
    with hub_double() as hub:
        hub.files = {
            path.relative_to(tmp_path / "out").as_posix(): path.read_bytes() for path in _files(tmp_path / "out")
        }
        about = {"repo_type": "dataset", "cache_dir": cache, "endpoint": hub.address, "token": "hf_right"}
        downloaded = Path(hub_client.snapshot_download("me/suite", **about))
    assert cached_folder("me/suite", cache) == downloaded == cached_folder(f"me/suite@{COMMIT}", cache)
    surroundings = os.environ | {"HF_HUB_CACHE": str(cache), "HF_ENDPOINT": hub.address}
    words = ["generate", str(tmp_path / "back"), "--suite", "groups", "--source", "hf/me/suite"]
    done = subprocess.run(
        [sys.executable, "-m", "counterpoint", *words], env=surroundings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    back = cp.Lab(tmp_path / "back")
    assert back.store.manifest("existence").fingerprint == lab.store.manifest("existence").fingerprint


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


@pytest.mark.prove
def test_the_card_of_a_model_is_proposed_and_not_put_over_another(lab: cp.Lab, tmp_path: Path) -> None:
    with hub_double() as hub:
        words = ("--model", "two-tower", "--layout", "model-card", "--out", str(tmp_path / "card"))
        done = _export(lab, hub, *words, "--push", "me/model")
    assert done.returncode == 0, done.stderr
    assert f"pushed: {hub.address}/me/model/discussions/1" in done.stdout
    assert hub.created == []
    assert any("create_pr=1" in path for path in hub.paths)


@pytest.mark.prove
def test_a_refused_token_is_an_error_of_one_sentence_that_does_not_show_it(lab: cp.Lab, tmp_path: Path) -> None:
    with hub_double() as hub:
        out = str(tmp_path / "out")
        words = ("--suite", "existence", "--layout", "datasets", "--out", out, "--push", "me/suite")
        done = _export(lab, hub, *words, token="hf_wrong")
    assert done.returncode == 1
    assert "me/suite cannot be written" in done.stderr
    assert "hf_wrong" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_token_in_the_environment_nothing_is_pushed(environ: MutableMapping[str, str]) -> None:
    environ.pop("HF_TOKEN", None)
    with pytest.raises(CounterpointError, match="HF_TOKEN is not set"):
        check_push("me/suite")
    with pytest.raises(CounterpointError, match="names no repository"):
        check_push("suite")


def test_a_suite_whose_license_nobody_stated_is_not_pushed(tmp_path: Path) -> None:
    lab = cp.Lab(tmp_path / "lab")
    queries = tuple(cp.Query(cp.Picture("mine:a.png"), text) for text in ("Is it red?", "Is this red?"))
    lab.add_groups([cp.Group(cp.Relation.SAME, queries, (cp.Gold.of("yes"),) * 2)], "own")
    with pytest.raises(CounterpointError, match="no license"):
        lab.export("own", layout="datasets", out=tmp_path / "out", pictures=False, push="me/suite")
    lab.export("own", layout="datasets", out=tmp_path / "out", pictures=False, license_id="cc-by-4.0")
    _, front, _ = (tmp_path / "out" / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    assert read_yaml(front)["license"] == "cc-by-4.0"


def test_the_card_of_a_suite_tells_claim_source_and_validity(lab: cp.Lab, tmp_path: Path) -> None:
    lab.check("existence")
    lab.export("existence", layout="datasets", out=tmp_path / "out", pictures=False)
    _, front, text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    about = read_yaml(front)
    assert (about["license"], about["size_categories"]) == ("apache-2.0", ["n<1K"])
    heads = [line for line in text.splitlines() if line.startswith("## ")]
    assert heads[:4] == [
        "## What is tested",
        "## Source and license",
        "## How it was made",
        "## Validity, chance and text-only baselines",
    ]
    groups = lab.store.manifest("existence").groups
    assert f"| `existence` | `ranks` | {groups} |" in text
    assert "from the text alone, chance 50.0" in text
    assert "Rejected candidates of `existence`" in text


def test_the_hub_s_own_reader_finds_every_score_in_the_card_of_a_model(lab: cp.Lab, tmp_path: Path) -> None:
    cards = pytest.importorskip("huggingface_hub")
    lab.export_model_card("two-tower", tmp_path / "card")
    results = cards.ModelCard.load(tmp_path / "card" / "README.md").data.eval_results
    leading = lab.scores(models=["two-tower"]).leading_rows()
    assert [(own.metric_type, own.metric_value) for own in results] == [
        (row["metric"], row["value"]) for row in leading
    ]
    assert {own.dataset_revision for own in results} == {lab.store.manifest("existence").fingerprint}


def test_layouts_and_what_they_take_are_checked_before_anything_is_written(lab: cp.Lab, tmp_path: Path) -> None:
    with pytest.raises(CounterpointError, match="no place on a hub"):
        lab.export("existence", layout="inspect", out=tmp_path / "out", push="me/suite")
    assert not (tmp_path / "out").exists()
