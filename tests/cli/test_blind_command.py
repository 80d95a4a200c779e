"""`counterpoint study blind` in a lab that has no pictures, and what becomes of its scores there."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from counterpoint.cli.main import commands
from counterpoint.core.errors import CounterpointError, StoreError, UnknownName
from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Picture
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest

PLACES = ("mat", "rug", "bed", "box", "car", "bus")
KINDS = ("cat", "dog", "horse", "cow", "sheep", "bird", "man")
COUNT = 120


def put(lab: LabStore, suite: str, groups: list[tuple[str, Group]]) -> None:
    table = groups_table(groups, suite)
    lab.put_suite(Manifest.of(table, generator="tests", seed=0), table)


def caption_pairs() -> list[tuple[str, Group]]:
    """Captions that say "sits on", of which foils make "sits under"; and others that say either."""
    groups, rng = [], seeded_rng("couples")
    for number in range(COUNT):
        picture = Picture(f"coco:val2017/{number:012}.jpg")  # of which there is no file
        thing, kind = rng.choice(PLACES), rng.choice(KINDS)
        preposition, other = ("on", "under") if number % 2 or number % 4 else ("under", "on")
        test = "biased" if number % 2 else "fair"
        texts = [f"A {kind} sits {word} a {thing}." for word in (preposition, other)]
        queries = tuple(Query(picture, text, Mode.SCORE) for text in texts)
        groups.append((test, Group(Relation.RANKS, queries, (None, None))))
    return groups


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    put(LabStore(folder), "foils", caption_pairs())
    question = Query(None, "Is it?")
    put(LabStore(folder), "other", [("same", Group(Relation.SAME, (question,) * 2, (Gold.of("yes"),) * 2))])
    return folder


def run(*words: object) -> Result:
    return CliRunner().invoke(commands, [str(word) for word in words], catch_exceptions=False)


def run_json(*words: object) -> Any:
    done = run(*words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_captions_are_scored_without_a_picture_and_kept_as_those_of_a_model(lab: Path) -> None:
    biased, fair = run_json("study", "blind", lab)["ngram"]
    assert (biased["suite"], biased["test"], biased["n"]) == ("foils", "biased", COUNT // 2)
    assert biased["value"] > 0.9
    assert biased["biased"]
    assert {word["word"] for word in biased["words"]} == {"on", "under"}
    assert fair["low"] < 0.5 < fair["high"]
    assert (fair["biased"], fair["words"]) == (False, [])
    (ngram,) = run_json("ls", lab)["models"]
    assert (ngram["model"], ngram["answers"], ngram["failed"]) == ("ngram", 2 * COUNT, 0)
    scores = run_json("score", lab, "--suite", "foils", "--metric", "acc_r", "--metric", "p_c")["scores"]
    rows = {row["metric"]: row for row in scores if row["test"] == "biased"}
    assert (rows["acc_r"]["model"], rows["acc_r"]["value"]) == ("ngram", biased["value"])
    assert (rows["acc_r"]["low"], rows["acc_r"]["high"]) == (biased["low"], biased["high"])
    assert rows["p_c"]["value"] is None
    assert "similarities" in rows["p_c"]["reason"]


def test_nothing_is_scored_twice(lab: Path) -> None:
    first = run("study", "blind", lab).stdout
    files = sorted(path.name for path in (lab / "runs").iterdir())
    assert run("study", "blind", lab).stdout == first
    assert sorted(path.name for path in (lab / "runs").iterdir()) == files


def test_told_the_tested_captions_it_is_another_model_that_knows_more(lab: Path) -> None:
    fitted = run_json("study", "blind", lab)["ngram"]
    seen = run_json("study", "blind", lab, "--folds", 1)["ngram-in-sample"]
    assert sum(one["value"] for one in seen) >= sum(one["value"] for one in fitted)
    assert [model["model"] for model in run_json("ls", lab)["models"]] == ["ngram", "ngram-in-sample"]


def test_more_captions_and_another_order_make_another_model(lab: Path, tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("A cat sits under a mat.\n" * 400, "utf-8")
    plain = run_json("study", "blind", lab)["ngram"]
    more = run_json("study", "blind", lab, "--captions", tmp_path / "more.txt", "--order", 2)["ngram"]
    assert [one["value"] for one in more] != [one["value"] for one in plain]
    assert len(run_json("ls", lab)["models"]) == 2


def test_any_model_that_scores_stands_beside_it(lab: Path, tmp_path: Path) -> None:
    (tmp_path / "captions.txt").write_text("A dog sits on a rug.\nA cat sits on a mat.", "utf-8")
    run_json("run", lab, "--model", "ngram", "--model-args", f"captions={tmp_path / 'captions.txt'}")
    found = run_json("study", "blind", lab, "--suite", "foils", "--model", "ngram", "--model", "constant")
    assert list(found) == ["ngram", "constant", "gains"]
    assert [(one["value"], one["ties"]) for one in found["constant"]] == [(0, 1), (0, 1)]
    assert len(run_json("ls", lab)["models"]) == 3


def test_a_model_is_asked_about_foils_that_came_later(lab: Path) -> None:
    run_json("study", "blind", lab, "--model", "constant")
    put(LabStore(lab), "later", [(test, group) for test, group in caption_pairs() if test == "fair"])
    found = run_json("study", "blind", lab, "--model", "constant", "--suite", "later")["constant"]
    assert [(one["test"], one["n"]) for one in found] == [("fair", COUNT // 2)]


@pytest.mark.parametrize(
    ("form", "part"), [(None, "on +"), ("--markdown", "| ngram | foils |"), ("--latex", r"\toprule")]
)
def test_tables_say_what_tells(lab: Path, form: str | None, part: str) -> None:
    done = run("study", "blind", lab, *([form] if form else []))
    assert done.exit_code == 0
    assert part in done.stdout
    assert "strongest cue words" in done.stdout
    assert "mean of these" in done.stdout


def test_the_probe_joins_and_says_which_tests_the_text_gives_away(lab: Path) -> None:
    biased, fair, question = run_json("study", "blind", lab, "--model", "probe")["probe"]
    assert (biased["test"], biased["verdict"], biased["n"]) == ("biased", "answerable", COUNT // 2)
    assert (biased["words"][0]["word"], biased["words"][0]["answer"]) == ("on", "caption")
    assert (fair["test"], fair["verdict"]) == ("fair", "cannot tell")
    assert (question["suite"], question["unit"], question["n"], question["chance"]) == ("other", "questions", 1, 1.0)
    printed = run("study", "blind", lab).stdout
    assert "Accuracy of a probe" in printed
    assert "on → caption 100% of 60" in printed
    assert "acc_r of text-only models" in printed
    assert run_json("study", "blind", lab, "--suite", "other") == {"probe": [question]}
    assert not list((lab / "runs").glob("*probe*"))


def test_a_lab_without_foils_and_an_unknown_model_are_named(lab: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no captions against foils"):
        run("study", "blind", lab, "--suite", "other", "--model", "ngram")
    with pytest.raises(UnknownName, match="no model is called 'ngarm'"):
        run("study", "blind", lab, "--model", "ngarm")
    with pytest.raises(CounterpointError, match="cannot be put in 500 folds"):
        run("study", "blind", lab, "--folds", 500)
    with pytest.raises(StoreError, match="there is no lab"):
        run("study", "blind", tmp_path / "none")
