"""`rescore` over a lab on disk: other values, no request, and everything that scores shows them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from counterpoint.cli.main import commands
from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.core.groups import Answer, Gold, Group, Mode, Query, Relation, State
from counterpoint.core.pictures import Picture
from counterpoint.explorer.pages.overview import build_overview
from counterpoint.explorer.pages.overview.query import OverviewQuery
from counterpoint.lab.reader import LabReader
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

REPLIES = ["Yes, there is a cat.", "<think>hm</think>Yes", "I can't help with that.", "Not sure."]


def _suite(lab: LabStore, name: str, texts: tuple[str, ...], mode: Mode = Mode.ANSWER) -> list[Query]:
    groups = []
    for number in range(8):
        asked = tuple(Query(Picture(f"{name}:{number}.png"), text, mode) for text in texts)
        groups.append(Group(Relation.SAME, asked, (Gold.of("yes"),) * len(asked)))
    table = groups_table([(name, group) for group in groups], name)
    lab.put_suite(Manifest.of(table, generator="here", seed=0), table)
    return [query for group in groups for query in group.queries]


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    lab = LabStore(tmp_path / "lab")
    asked = _suite(lab, "words", ("Is there a cat?", "Do you see a cat?"))
    fits = _suite(lab, "fits", ("A cat.",), Mode.SCORE)
    with lab.answers("wordy 1", run="r1") as log:
        log.add((query.id, 0, Answer.of(REPLIES[place % 4]), "", 0.0) for place, query in enumerate(asked[:-1]))
        log.add([(asked[-1].id, 0, Answer.failed("time-out"), "", 0.0)])
        log.add((query.id, 0, Answer.scored(0.5), "", 0.0) for query in fits)
        log.add([(7, 0, Answer.of("Yes."), "", 0.0)])  # to a query that no suite has any more
    lab.put_run(RunRecord("r1", "wordy", "wordy 1"))
    return lab.folder


def _call(*arguments: object) -> Result:
    return CliRunner().invoke(commands, [str(argument) for argument in arguments])


def _scores(lab: Path) -> dict[str, float]:
    (row, *_) = json.loads(_call("score", lab, "--suite", "words", "--metric", "answer_accuracy", "--json").output)[
        "scores"
    ]
    return {name: row[name] for name in ("value", "ok", "hedged", "refused", "failed")}


def test_other_values_are_taken_and_every_score_shows_them(lab: Path) -> None:
    assert _scores(lab) == {"value": 0.0, "ok": 15 / 16, "hedged": 0.0, "refused": 0.0, "failed": 1 / 16}
    (row,) = json.loads(_call("rescore", lab, "--rule", "auto", "--json").output)["models"]
    assert row == {
        "model": "wordy",
        "fingerprint": "wordy 1",
        "rule": "auto",
        "answers": 15,
        "changed": 15,
        "before": {"ok": 15, "unparsed": 0, "refused": 0, "hedged": 0},
        "after": {"ok": 8, "unparsed": 0, "refused": 4, "hedged": 3},
    }
    assert _scores(lab) == {"value": 8 / 15, "ok": 0.5, "hedged": 3 / 16, "refused": 0.25, "failed": 1 / 16}
    found = LabStore(lab).read_answers("wordy 1")
    assert set(found["rule"].to_pylist()) == {"yes-no@8", "exact", "score"}
    assert sum(score == 0.5 for score in found["score"].to_pylist()) == 8
    assert _call("verify", lab).exit_code == 0


def test_the_rule_that_was_given_brings_back_what_the_run_took(lab: Path) -> None:
    before = LabStore(lab).read_answers("wordy 1")
    _call("rescore", lab, "--rule", "auto")
    (row,) = json.loads(_call("rescore", lab, "--rule", "given", "--json").output)["models"]
    assert (row["changed"], row["after"]) == (15, {"ok": 15, "unparsed": 0, "refused": 0, "hedged": 0})
    assert LabStore(lab).read_answers("wordy 1").equals(before)


def test_scoring_twice_by_one_rule_changes_nothing_the_second_time(lab: Path) -> None:
    for changed in ("15", "0"):
        done = _call("rescore", lab, "--rule", "yes-no", "--model", "wordy", "--suite", "words")
        assert done.exit_code == 0, done.output
        title, _, heads, _, line = done.output.splitlines()
        assert title == "Values by the rule yes-no; states before → after"
        assert heads.split() == ["model", "answers", "changed", "ok", "unparsed", "refused", "hedged"]
        assert line.split()[:3] == ["wordy", "15", changed]


def test_only_the_suites_that_were_named_are_scored_again(lab: Path) -> None:
    (row,) = json.loads(_call("rescore", lab, "--rule", "number", "--suite", "fits", "--json").output)["models"]
    assert (row["answers"], row["changed"]) == (0, 0)
    assert LabStore(lab).storage.names("values/") == []


def test_a_new_answer_is_not_hidden_by_an_older_value(lab: Path) -> None:
    _call("rescore", lab, "--rule", "auto")
    opened = LabStore(lab)
    (failed,) = (row["query"] for row in opened.read_answers("wordy 1").to_pylist() if row["state"] == State.FAILED)
    with opened.answers("wordy 1", run="r2") as log:
        log.add([(failed, 0, Answer.of("Yes.", value="yes", rule="yes-no"), "", 0.0)])
    assert _scores(lab)["value"] == 9 / 16


def test_what_is_not_there_is_said(lab: Path, tmp_path: Path) -> None:
    assert isinstance(_call("rescore", tmp_path / "nowhere", "--rule", "auto").exception, StoreError)
    assert isinstance(_call("rescore", lab, "--rule", "auto", "--model", "wordi").exception, UnknownName)
    assert _call("rescore", lab, "--rule", "guess").exit_code == 2
    assert _call("rescore", lab).exit_code == 2


def test_comparisons_and_the_leaderboard_say_how_many_answers_were_out_of_form(lab: Path) -> None:
    opened = LabStore(lab)
    raws = opened.read_answers("wordy 1", ["query", "trial"]).to_pylist()
    with opened.answers("sure 1", run="r3") as log:
        log.add((row["query"], 0, Answer.of("yes"), "", 0.0) for row in raws if row["query"] != 7)
    opened.put_run(RunRecord("r3", "sure", "sure 1"))
    _call("rescore", lab, "--rule", "auto", "--model", "wordy")
    compared = _call("compare", lab, "sure", "wordy", "--suite", "words")
    assert compared.exit_code == 0, compared.output
    assert "wordy: 25.0 % refused, 18.8 % hedged" in compared.output
    comparison = json.loads(_call("compare", lab, "sure", "wordy", "--suite", "words", "--json").output)
    assert comparison["states"]["wordy"]["refused"] == 0.25
    shown = build_overview(LabReader(opened), OverviewQuery(("words",)))
    part = "comprehensive accuracy on 1 of 1 suites, in part"  # a query of it failed
    assert {line.model: line.detail for line in shown.lines} == {
        "sure": "",
        "wordy": f"{part} · 26.7% refused, 20.0% hedged",
    }
