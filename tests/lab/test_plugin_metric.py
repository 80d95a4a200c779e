"""A metric that another package installs appears in scores, comparisons, the leaderboard and the pages."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from clients import local_client

from counterpoint import catalog
from counterpoint.cli.main import commands
from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.explorer.app import create_app
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

METRIC = '''"""Pairs with exactly one correct answer."""

from counterpoint.metrics.metric import Ratio
from counterpoint.metrics.units import Pairs

half_right = Ratio(
    "half_right",
    Pairs,
    lambda pairs: pairs.base_right != pairs.variant_right,
    lambda pairs: pairs.gold,
    title="Half right",
    description="Share of pairs of which one answer is correct and the other is not.",
    lower_is_better=True,
)
'''

SINGLES_METRIC = """
from counterpoint.metrics.units import Singles

denied = Ratio("denied", Singles, lambda s: s.value.where(["no"]), lambda s: s.gold_answer.where(["yes"]))
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with an entry point, installed for the length of a test."""
    site = tmp_path / "site"
    info = site / "half_right-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "half_right_metric.py").write_text(METRIC + SINGLES_METRIC, "utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: half-right\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(
        "[counterpoint.metrics]\nhalf_right = half_right_metric:half_right\ndenied = half_right_metric:denied\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(site)
    _forget()
    yield
    sys.modules.pop("half_right_metric", None)
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    catalog.rows.cache_clear()
    catalog.metrics.cache_clear()


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """Two models on forty pairs: one is always right, the other only on bases."""
    store = LabStore(tmp_path / "lab")
    groups = [
        Group(
            Relation.SAME,
            tuple(Query(Picture(f"p:{number}.png"), text) for text in ("Is it red?", "Is it of red color?")),
            (Gold.of("yes"),) * 2,
        )
        for number in range(40)
    ]
    table = groups_table([("rephrase", group) for group in groups], "rephrase")
    store.put_suite(Manifest.of(table, generator="here", seed=0), table)
    for model, variant in (("steady", "yes"), ("shaky", "no")):
        with store.answers(f"{model} 1", run=model) as log:
            for group in groups:
                base, other = group.queries
                log.add([(base.id, 0, Answer.of("yes"), "", 0.0), (other.id, 0, Answer.of(variant), "", 0.0)])
        store.put_run(RunRecord(model, model, f"{model} 1"))
    return tmp_path / "lab"


def _run(*words: object) -> str:
    result = CliRunner().invoke(commands, [str(word) for word in words])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def test_a_metric_takes_at_most_fifteen_lines() -> None:
    assert len(METRIC.splitlines()) <= 15


@pytest.mark.usefixtures("plugin")
def test_an_installed_metric_appears_in_scores_comparisons_and_the_leaderboard(lab: Path) -> None:
    assert "half right" in _run("score", lab)
    compared = [line for line in _run("compare", lab, "steady", "shaky").splitlines() if "half right" in line]
    assert "steady" in compared[0].split()  # less is better
    board = json.loads(_run("leaderboard", lab, "--json"))
    assert "rephrase/half_right" in [column["key"] for column in board["columns"]]
    values = {row["model"]: row["cells"]["rephrase/half_right"]["value"] for row in board["rows"]}
    assert values == {"steady": 0.0, "shaky": 1.0}


@pytest.mark.usefixtures("plugin")
def test_an_installed_metric_of_single_answers_has_value_and_gold(lab: Path, tmp_path: Path) -> None:
    scores = json.loads(_run("score", lab, "--metric", "denied", "--json"))["scores"]
    assert {row["model"]: row["value"] for row in scores} == {"steady": 0.0, "shaky": 0.5}
    (difference,) = json.loads(_run("compare", lab, "steady", "shaky", "--metric", "denied", "--json"))["differences"]
    assert difference["difference"] == -0.5
    client = local_client(create_app(LabStore(lab), cache=tmp_path / "cache"))
    assert "Denied" in client.get("/models/shaky").text
    assert "Denied" in client.get("/compare?models=steady,shaky&suite=rephrase").text


@pytest.mark.usefixtures("plugin")
def test_an_installed_metric_appears_on_the_pages(lab: Path, tmp_path: Path) -> None:
    client = local_client(create_app(LabStore(lab), cache=tmp_path / "cache"))
    assert "Half right" in client.get("/overview").text
    assert "Half right" in client.get("/compare?models=steady,shaky&suite=rephrase").text
    assert "Half right" in client.get("/browse").text
    assert "Half right" in client.get("/models/steady").text
    hits = client.get("/browse.json?model=shaky&metric=half_right&low=1").json()["hits"]
    assert len(hits) == 24


def test_a_metric_that_is_not_installed_is_not_there(lab: Path) -> None:
    assert "half right" not in _run("score", lab)
