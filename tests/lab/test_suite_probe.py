"""The probe of a suite: kept with it, shown by `check` and on its page, and mended by `check --balance`."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
from clients import local_client

import counterpoint as cp
from counterpoint.core.ports import Floats
from counterpoint.explorer.app import create_app
from counterpoint.lab import suite_probe
from counterpoint.lab.checking import HeldOutShares
from counterpoint.lab.suite_probe import read_probe, sample_groups

COLORS = ("red", "blue", "green", "white")
THINGS = ("cup", "chair", "lamp", "door", "book", "shoe", "ball", "box")


def _pairs(share: float, many: int = 160, test: str = "colors") -> list[cp.Group]:
    """Captions and foils that differ in a color; in this share of them the caption has the earlier color."""
    rng = Random(3)
    groups = []
    for number in range(many):
        first, second = sorted(rng.sample(COLORS, 2), key=COLORS.index, reverse=number % 100 >= 100 * share)
        thing, other = rng.sample(THINGS, 2)
        texts = (f"A {color} {thing} stands near the {other} number {number}." for color in (first, second))
        queries = tuple(cp.Query(cp.Picture(f"toy:{number}.png"), text, cp.Mode.SCORE) for text in texts)
        groups.append(cp.Group(cp.Relation.RANKS, queries, (None, None), test=test))
    return groups


@pytest.fixture
def lab(tmp_path: Path) -> cp.Lab:
    lab = cp.Lab(tmp_path / "lab")
    lab.add_groups(_pairs(0.9), "leaking")
    lab.add_groups(_pairs(0.5), "even")
    return lab


def test_a_suite_that_text_gives_away_is_labelled_and_one_that_it_does_not_is_not(lab: cp.Lab) -> None:
    leaking, even = (lab.check(suite, checks=["duplicates"]) for suite in ("leaking", "even"))
    assert leaking.to_dict()["label"] == "answerable without the picture"
    assert "leaking is answerable without the picture; --balance proposes the groups to reject" in leaking.notes()
    assert any("red → caption" in str(table.rows) for table in leaking.tables())
    assert even.to_dict()["label"] == ""
    assert [finding["verdict"] for finding in even.to_dict()["probe"]] == ["clean"]


def test_what_the_probe_found_is_kept_with_the_suite_until_its_groups_change(
    lab: cp.Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = lab.check("leaking", checks=["duplicates"]).probed
    assert json.loads((lab.folder / "suites/leaking/probe.json").read_text())["verdicts"] == {"colors": "answerable"}
    monkeypatch.setattr(suite_probe, "probe", lambda *_: pytest.fail("the probe was trained again"))
    assert lab.check("leaking", checks=["duplicates"]).probed == found == read_probe(lab.store, "leaking")
    lab.add_groups(_pairs(0.5), "leaking", replace=True)
    assert read_probe(lab.store, "leaking") is None
    assert all(check.holds for check in lab.store.verify())


def test_balance_lists_the_groups_to_reject_and_stores_a_suite_that_is_not_answerable(
    lab: cp.Lab, tmp_path: Path
) -> None:
    out = tmp_path / "rejected.jsonl"
    lab.add_groups(_pairs(0.65, 200), "tilted")
    balanced = lab.check("tilted", checks=["duplicates"], balance=True, name="mended", out=out)
    rejected = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert {row["check"] for row in rejected} == {"probe"}
    assert len({row["group"] for row in rejected}) == len(rejected) == 200 - balanced.groups
    assert 100 <= balanced.groups < 200
    assert lab.check("mended", checks=["duplicates"], seed=5).to_dict()["label"] == ""
    assert lab.store.manifest("mended").parameters["checks"][-1]["notes"]["colors"]["accuracy"] > 0.6


def test_a_test_that_cannot_be_mended_keeps_half_of_its_groups_and_its_label(tmp_path: Path) -> None:
    lab = cp.Lab(tmp_path / "lab")
    lab.add_groups(_pairs(1.0, test="counting-adversarial"), "adversarial")
    lab.add_groups(_pairs(1.0), "hopeless")
    by_design = lab.check("adversarial", checks=["duplicates"], balance=True)
    assert by_design.groups == 160
    assert by_design.probed is not None
    assert by_design.probed.label == ""
    assert "by design" in by_design.probed.notes("adversarial")[0]
    assert lab.check("hopeless", checks=["duplicates"], balance=True).groups == 80


def test_large_tests_are_read_in_part(lab: cp.Lab) -> None:
    table = lab.store.suite("even").table
    part = sample_groups(table, 20)
    assert part.num_rows == 40
    assert part.equals(sample_groups(part, 20))
    assert sample_groups(table) is table


def test_the_page_of_a_suite_shows_the_label_and_the_words(lab: cp.Lab, tmp_path: Path) -> None:
    client = local_client(create_app(lab.store, cache=tmp_path / "cache"))
    assert "not probed: counterpoint check" in client.get("/suites/leaking").text
    lab.check("leaking", checks=["duplicates"])
    twin = client.get("/suites/leaking.json").json()
    assert twin["label"] == "answerable without the picture"
    (fact,) = (fact["value"] for fact in twin["facts"] if fact["name"] == "text alone")
    assert "of 160 pairs from the text alone, chance 50.0: answerable without the picture; telling: " in fact


def test_plausibility_tags_what_it_judges_and_a_held_out_model_judges_what_is_left(tmp_path: Path) -> None:
    lab = cp.Lab(tmp_path / "lab")
    lab.add_groups(_pairs(0.8), "pairs")
    settings = {"plausibility": {"model": "ngram", "action": "mark", "ratio": "1.05"}}
    marked = lab.check("pairs", checks=["plausibility"], settings=settings, name="marked")
    tags = [dict(tags) for tags in lab.store.suite("marked").table["tags"].to_pylist()]
    many = sum(marked.checks[0].marked.values())
    assert 0 < many < 160
    assert sum(own["plausible"] == "no" for own in tags) == 2 * many
    assert {own["plausible"] for own in tags if "check:plausibility" not in own} == {"yes"}


def test_adversarial_refinement_brings_the_filtering_model_to_chance_and_says_what_another_finds(
    tmp_path: Path,
) -> None:
    lab = cp.Lab(tmp_path / "lab")
    lab.add_groups(_pairs(0.8), "pairs")
    model = f"{__name__}:Reds"
    settings = {"plausibility": {"model": model, "balance": "yes", "ratio": "0"}}
    refined = lab.check("pairs", checks=["plausibility"], settings=settings)
    notes = refined.checks[0].notes["colors"]
    assert notes["caption more usual"] > 0.55 >= notes["after"]
    assert refined.held_out is not None
    assert refined.held_out.model == "ngram"
    assert any(note.startswith("held out, ngram in colors: caption more usual") for note in refined.notes())
    labels = HeldOutShares("ngram", {"a": 0.61, "b": 0.6}).notes()
    assert ["still told by a language model" in label for label in labels] == [True, False]


class Reds:
    """A text-only model that finds texts with the earlier colors more plausible."""

    fingerprint = "reds"
    scale = "similarity"

    def score(self, queries: Sequence[cp.Query]) -> Floats:
        return np.array([-float(min(n for n, color in enumerate(COLORS) if color in query.text)) for query in queries])
