"""`counterpoint check`: the table, the suite that is left, what was dropped, and what is said of wrong names."""

import json
from ctypes.util import find_library
from pathlib import Path

import pytest
from click.testing import CliRunner

from counterpoint.cli.main import commands
from counterpoint.core.errors import CounterpointError, StoreError, UnknownName
from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest

ROWS = [
    ("relations", "A cat on a box.", "A cat under a box."),
    ("relations", "A cat under a box.", "A cat on a box."),
    ("relations", "A cat on a box.", "A cat atop a box."),
    ("relations", "A cat in a box.", "A cat under a box."),
    ("relations", "A dog is here.", "a dog is here"),
    ("actant-swap", "A man hugs a woman.", "A woman hugs a man."),
    ("actant-swap", "A man feeds a horse.", "A horse feeds a man."),
]
NO_GRAMMAR = ["--set", "grammar.action=off"]


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    groups = []
    for number, (test, *texts) in enumerate(ROWS):
        queries = tuple(Query(Picture(f"toy:{number}.png"), text, Mode.SCORE) for text in texts)
        groups.append((test, Group(Relation.RANKS, queries, (None, None), kind=test)))
    table = groups_table(groups, "foils")
    LabStore(tmp_path / "lab").put_suite(
        Manifest.of(table, generator="tests:foils", seed=7, parameters={"a": 1}), table
    )
    return tmp_path / "lab"


def _run(lab: Path, *more: str) -> str:
    done = CliRunner().invoke(commands, ["check", str(lab), "--suite", "foils", *more], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_a_dry_run_tells_what_each_check_would_do_and_writes_no_suite(lab: Path) -> None:
    before = sorted(path for path in lab.rglob("*"))
    printed = _run(lab, *NO_GRAMMAR)
    checks = [line.split("  ")[0] for line in printed.splitlines()[4:] if line[:1].isalpha()]
    assert checks[:5] == ["duplicates", "length", "minimality", "entailment, by rules", "distribution"]
    assert "the caption and the foil are equal" in printed
    assert "4 groups would be left; --name NAME stores them" in printed
    assert sorted(path for path in lab.rglob("*") if path.name != "probe.json") == before


def test_what_is_left_is_a_suite_whose_manifest_has_the_checks_in_their_order(lab: Path) -> None:
    assert "4 groups are stored as sound" in _run(lab, *NO_GRAMMAR, "--name", "sound")
    found = LabStore(lab).suite("sound")
    assert found.manifest.parameters["a"] == 1
    assert found.manifest.parameters["checked"]["fingerprint"] == LabStore(lab).manifest("foils").fingerprint
    records = found.manifest.parameters["checks"]
    assert [record["check"] for record in records] == [
        "duplicates",
        "length",
        "minimality",
        "entailment",
        "distribution",
    ]
    assert records[3]["model"] == "rules"
    assert records[3]["settings"] == {"keep": "contradiction"}
    assert records[4]["notes"]["relations"]["after"] == 0
    marks = [dict(tags).get("check:entailment") for tags in found.table["tags"].to_pylist()]
    assert marks == [None] * 4 + ["the foil follows from the caption"] * 2 + [None] * 2
    assert CliRunner().invoke(commands, ["verify", str(lab)]).exit_code == 0
    assert set(found.table["query"].to_pylist()) <= set(LabStore(lab).suite("foils").table["query"].to_pylist())


def test_what_was_dropped_can_be_read_with_its_reason(lab: Path, tmp_path: Path) -> None:
    _run(lab, *NO_GRAMMAR, "--out", str(tmp_path / "dropped.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "dropped.jsonl").read_text("utf-8").splitlines()]
    assert [(line["check"], line["texts"]) for line in lines] == [
        ("duplicates", ["A dog is here.", "a dog is here"]),
        ("entailment", ["A cat on a box.", "A cat atop a box."]),
        ("distribution", ["A cat in a box.", "A cat under a box."]),
    ]
    assert lines[0]["reason"] == "the caption and the foil are equal"
    assert len(lines[0]["group"]) == 16


def test_named_checks_drop_in_every_test_in_the_order_in_which_they_are_named(lab: Path) -> None:
    printed = json.loads(_run(lab, "--check", "entailment", "--check", "duplicates", "--json"))[0]["checks"]
    assert [one["check"] for one in printed] == ["entailment", "duplicates"]
    assert printed[0]["dropped"] == {"the foil follows from the caption": 3}
    assert printed[0]["tests"]["actant-swap"] == {"seen": 2, "dropped": 1, "marked": 0}
    assert printed[1]["dropped"] == {}
    assert printed[0]["seconds"] >= 0
    marked = json.loads(_run(lab, "--check", "entailment", "--set", "entailment.action=mark", "--json"))[0]["checks"]
    assert sum(marked[0]["marked"].values()) == 3
    assert not marked[0]["dropped"]


def test_a_language_model_of_the_catalog_judges_plausibility(lab: Path) -> None:
    printed = json.loads(_run(lab, "--check", "plausibility", "--set", "plausibility.model=random", "--json"))[0][
        "checks"
    ]
    assert printed[0]["model"] == "random"
    assert set(printed[0]["notes"]) == {"relations", "actant-swap"}


def test_the_n_gram_model_learns_from_the_captions_of_other_pictures_of_the_suite(lab: Path) -> None:
    printed = json.loads(_run(lab, "--check", "plausibility", "--set", "plausibility.model=ngram", "--json"))[0][
        "checks"
    ]
    assert 0 <= printed[0]["notes"]["relations"]["caption more usual"] <= 1


@pytest.mark.parametrize("form", ["--markdown", "--latex"])
def test_the_table_can_be_pasted_into_a_paper(lab: Path, form: str) -> None:
    assert _run(lab, "--check", "duplicates", "--tests", form).count("duplicates") == 1


@pytest.mark.skipif(find_library("link-grammar") is None, reason="link-grammar is not installed")
def test_grammar_is_checked_where_the_paper_checks_it(lab: Path) -> None:
    printed = {check["check"]: check for check in json.loads(_run(lab, "--json"))[0]["checks"]}
    assert list(printed["grammar"]["tests"]) == ["relations"]
    assert printed["grammar"]["model"] == "link-grammar"
    assert printed["grammar"]["kept"] == 4


@pytest.mark.skipif(find_library("link-grammar") is None, reason="link-grammar is not installed")
def test_what_grammar_takes_from_one_side_of_plurals_is_evened_out_where_that_is_asked_for(tmp_path: Path) -> None:
    one, many = "Exactly one dog in a grassy area.", "Some dogs in a grassy area."
    rows = [(one, many), (one, many), (many, one), (many, "Exactly one dog of in a the grassy.")]
    groups = []
    for number, texts in enumerate(rows):
        words = [(("word", "dog" if "one" in text else "dogs"),) for text in texts]
        queries = tuple(Query(Picture(f"toy:{number}.png"), text, Mode.SCORE) for text in texts)
        groups.append(("plurals", Group(Relation.RANKS, queries, (None, None), kind="plurality", tags=tuple(words))))
    table = groups_table(groups, "foils")
    LabStore(tmp_path).put_suite(Manifest.of(table, generator="tests:foils", seed=7), table)
    printed = _run(tmp_path, "--set", "distribution.action=drop", "--json")
    checks = {check["check"]: check for check in json.loads(printed)[0]["checks"]}
    assert list(checks["grammar"]["dropped"].values()) == [1]
    assert (checks["distribution"]["seen"], checks["distribution"]["kept"]) == (3, 2)
    assert checks["distribution"]["notes"]["plurals"]["after"] == 0
    assert "distribution" not in {one["check"] for one in json.loads(_run(tmp_path, "--json"))[0]["checks"]}


def test_a_suite_is_not_overwritten_unless_that_is_said_and_is_then_a_new_version(lab: Path) -> None:
    with pytest.raises(StoreError, match="has another suite 'foils' already"):
        _run(lab, "--check", "duplicates", "--name", "foils")
    _run(lab, "--check", "duplicates", "--name", "foils", "--replace")
    assert LabStore(lab).manifest("foils").version == "2"
    assert LabStore(lab).manifest("foils").groups == 6
    _run(lab, "--check", "entailment", "--name", "foils", "--replace")
    records = LabStore(lab).manifest("foils").parameters["checks"]
    assert [record["check"] for record in records] == ["duplicates", "entailment"]


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        (["--check", "grammer"], UnknownName, "no check is called 'grammer'"),
        (["--set", "plausibility.ratio=3"], UnknownName, "no check among those applied is called 'plausibility'"),
        (["--set", "length.token=3"], UnknownName, "no setting of the check length is called 'token'"),
        (["--set", "length.action=drip"], UnknownName, "no action of the check length is called 'drip'"),
        (["--set", "length.model=x"], CounterpointError, "length asks no model"),
        (["--set", "entailment.model=x", *NO_GRAMMAR], UnknownName, "no model of inference is called 'x'"),
        (["--check", "plausibility", "--set", "plausibility.model=two-tower"], CounterpointError, "looks at pictures"),
        (
            ["--check", "plausibility", "--set", "plausibility.model=question-only"],
            CounterpointError,
            "does not score texts",
        ),
        (["--check", "json:dumps"], CounterpointError, "json:dumps is no check"),
        (
            ["--check", "length", "--set", "length.tokens=1", "--name", "none"],
            CounterpointError,
            "no group of foils is left",
        ),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(
    lab: Path, more: list[str], error: type[CounterpointError], message: str
) -> None:
    with pytest.raises(error, match=message):
        _run(lab, *more)


def test_a_setting_out_of_form_is_refused(lab: Path) -> None:
    done = CliRunner().invoke(commands, ["check", str(lab), "--set", "tokens=3"])
    assert done.exit_code == 2
    assert "is no CHECK.SETTING=VALUE" in done.output


def test_every_suite_is_checked_where_none_is_named_and_one_alone_is_stored(lab: Path) -> None:
    _run(lab, *NO_GRAMMAR, "--name", "sound")
    words = ["check", str(lab), "--check", "duplicates"]
    printed = CliRunner().invoke(commands, words, catch_exceptions=False).output
    assert printed.count("would be left") == 2
    assert [own["suite"] for own in json.loads(CliRunner().invoke(commands, [*words, "--json"]).output)] == [
        "foils",
        "sound",
    ]
    refused = CliRunner().invoke(commands, [*words, "--name", "both"])
    assert (refused.exit_code, "--name is for one suite: name it with --suite" in refused.output) == (2, True)
