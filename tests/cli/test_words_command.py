"""`words` over a lab on disk: tables in every form, charts, and suites that do not tell their words."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from counterpoint.cli import words
from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest

PAIRS = [("in", "on", "3"), ("in", "on", "2"), ("on", "in", "3"), ("under", "over", "1")]


def _lab(folder: Path, *, tagged: bool = True, votes: bool = True) -> Path:
    groups = []
    for number, (word, other, voted) in enumerate(PAIRS):
        picture = Picture(f"coco:{number}.jpg")
        queries = tuple(Query(picture, f"A cat sleeps {one} a box.", mode=Mode.SCORE) for one in (word, other))
        shared = (("votes", voted),) if votes else ()
        tags = tuple((*((("word", one),) if tagged else ()), *shared) for one in (word, other))
        groups.append(Group(Relation.RANKS, queries, (None, None), kind="relations", tags=tags, test="relations"))
    table = groups_table([("relations", group) for group in groups], "relations")
    LabStore(folder).put_suite(Manifest.of(table, generator="here", seed=0), table)
    return folder


def _call(*arguments: object) -> Result:
    return CliRunner().invoke(words.command, [str(argument) for argument in arguments])


def test_a_line_for_each_test_has_counts_votes_and_divergences(tmp_path: Path) -> None:
    done = _call(_lab(tmp_path / "lab"))
    assert done.exit_code == 0, done.output
    line = done.output.splitlines()[-1].split()
    assert line[:7] == ["relations", "4", "3", "(75.0)", "2", "(50.0)", "4"]
    (row,) = json.loads(_call(tmp_path / "lab", "--json").output)["tests"]
    assert row["valid"]["pairs"] == 3
    assert row["unanimous"]["divergence"] == 0
    assert row["all"]["words"][0] == {"word": "in", "captions": 2, "foils": 1}


def test_words_that_no_tag_tells_are_those_that_differ_between_the_texts(tmp_path: Path) -> None:
    told, untold = (_lab(tmp_path / name, tagged=tagged, votes=False) for name, tagged in (("a", True), ("b", False)))
    assert _call(told, "--json").output == _call(untold, "--json").output
    assert "valid" not in json.loads(_call(told, "--json").output)["tests"][0]
    assert "divergence" in _call(told, "--markdown").output
    assert r"\toprule" in _call(told, "--latex").output


def test_charts_show_each_word_on_both_sides_before_and_after_validation(tmp_path: Path) -> None:
    done = _call(_lab(tmp_path / "lab"), "--out", tmp_path / "charts")
    assert done.exit_code == 0, done.output
    drawn = (tmp_path / "charts" / "relations.svg").read_text("utf-8")
    for text in ("under", "captions", "foils", "before validation", "after"):
        assert text in drawn
    assert "var(--" not in drawn


def test_a_lab_without_captions_and_foils_is_told_so(tmp_path: Path) -> None:
    group = Group(Relation.SAME, (Query(None, "Is it red?"), Query(None, "Is it blue?")), (Gold.of("yes"),) * 2)
    table = groups_table([("plain", group)], "plain")
    LabStore(tmp_path / "lab").put_suite(Manifest.of(table, generator="here", seed=0), table)
    problem = _call(tmp_path / "lab").exception
    assert isinstance(problem, StoreError)
    assert "caption" in str(problem)
