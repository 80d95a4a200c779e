"""Corrected suites: valid groups by votes, golds by audits, and errata that others can apply."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import counterpoint as cp
from counterpoint.cli import suite as suite_command
from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Picture
from counterpoint.core.votes import GoldCorrection, Vote
from counterpoint.review.errata import Errata
from counterpoint.store.votes import all_votes, append_votes

_NUMBERS = count()


def _vote(
    task: str,
    suite: str,
    group: int,
    voter: int,
    choice: str,
    query: int | None = None,
    value: str = "",
    reason: str = "",
) -> Vote:
    number = next(_NUMBERS)
    time = datetime(2026, 11, 16, tzinfo=UTC) + timedelta(seconds=number)
    return Vote(f"{number:032x}", task, suite, group, query, f"voter {voter}", choice, time, value=value, reason=reason)


def _pairs() -> Iterator[Group]:
    for number in range(4):
        texts = (f"there are {number} dogs", f"there are {number + 1} dogs")
        queries = tuple(Query(Picture(f"photos:{number}.png"), text, mode=Mode.SCORE) for text in texts)
        yield Group(Relation.RANKS, queries, (None, None), proof="counted", test="counting")


def _questions() -> Iterator[Group]:
    for number in range(4):
        texts = (f"Is there a dog in picture {number}?", f"Is there no dog in picture {number}?")
        queries = tuple(Query(Picture(f"photos:{number}.png"), text) for text in texts)
        yield Group(Relation.DIFFERS, queries, (Gold.of("yes"), Gold.of("no")), proof="seen", test="negation")


@pytest.fixture
def lab(tmp_path: Path) -> cp.Lab:
    lab = cp.Lab(tmp_path / "lab")
    lab.add_groups(_pairs(), "foils")
    lab.add_groups(_questions(), "negation")
    return lab


def _ids(lab: cp.Lab, suite: str) -> list[int]:
    return list(dict.fromkeys(lab.groups(suite).to_arrow()["group_id"].to_pylist()))


def test_the_valid_version_has_what_most_people_accepted(lab: cp.Lab) -> None:
    groups = _ids(lab, "foils")
    words = {
        groups[0]: ["caption"] * 3,
        groups[1]: ["caption", "caption", "both"],
        groups[2]: ["caption", "foil", "foil"],
    }
    append_votes(
        lab.store.storage,
        [_vote("judge", "foils", group, n, choice) for group, own in words.items() for n, choice in enumerate(own)],
    )
    result = lab.correct("foils", "valid")
    assert set(_ids(lab, "foils-valid")) == {groups[0], groups[1]}
    assert {own.group: own.reason for own in result.errata.errata} == {
        hex_id(groups[2]): "1 of 3 chose the caption alone",
        hex_id(groups[3]): "no votes",
    }
    manifest = lab.store.manifest("foils-valid")
    assert manifest.version == "2"
    assert manifest.parameters["corrected"]["fingerprint"] == lab.store.manifest("foils").fingerprint
    assert len(manifest.parameters["corrected"]["errata"]) == 2
    assert lab.verify().holds


def test_audited_golds_are_changed_with_what_follows_from_them(lab: cp.Lab) -> None:
    table = lab.groups("negation").to_arrow()
    rows = list(zip(table["group_id"].to_pylist(), table["query"].to_pylist(), strict=True))
    (first, base), (second, other), (third, _) = rows[0], rows[2], rows[4]
    wrong = {"value": "no", "reason": "wrong-annotation"}
    votes = [_vote("audit", "negation", first, n, "wrong", base, **wrong) for n in range(2)]
    votes += [_vote("audit", "negation", first, 2, "right")]
    votes += [_vote("audit", "negation", second, n, "wrong", other, reason="visually-ambiguous") for n in range(2)]
    votes += [_vote("audit", "negation", third, n, choice) for n, choice in enumerate(("right", "right", "wrong"))]
    append_votes(lab.store.storage, votes)
    result = lab.correct("negation", "correct")
    golds = lab.groups("negation-corrected").to_arrow()
    kept = dict(zip(golds["query"].to_pylist(), [gold[0]["answer"] for gold in golds["gold"].to_pylist()], strict=True))
    assert [kept[query] for group, query in rows if group == first] == ["no", "yes"], "the negation follows"
    assert second not in golds["group_id"].to_pylist(), "what is ambiguous has no gold"
    assert [kept[query] for group, query in rows if group == third] == ["yes", "no"]
    assert {own.action for own in result.errata.errata} == {"change", "remove"}
    assert lab.verify().holds


def test_a_corrected_query_is_corrected_in_other_groups_with_what_follows_there(lab: cp.Lab) -> None:
    picture = Picture("photos:0.png")
    shared, *others = (Query(picture, f"Is there a dog, asked in manner {n}?") for n in range(3))
    golds = (Gold.of("yes"), Gold.of("no"))
    lab.add_groups([Group(Relation.DIFFERS, (shared, other), golds, proof="seen") for other in others], "dogs")
    first, second = _ids(lab, "dogs")
    wrong = {"value": "no", "reason": "wrong-annotation"}
    append_votes(lab.store.storage, [_vote("audit", "dogs", first, n, "wrong", shared.id, **wrong) for n in range(2)])
    result = lab.correct("dogs", "correct")
    table = lab.groups("dogs-corrected").to_arrow()
    kept = [gold[0]["answer"] for gold in table["gold"].to_pylist()]
    assert kept == ["no", "yes", "no", "yes"], "both groups, and both of their variants"
    assert {own.group for own in result.errata.errata} == {hex_id(first), hex_id(second)}
    assert lab.verify().holds


def test_each_wrong_query_of_a_group_has_its_own_right_answer(lab: cp.Lab) -> None:
    texts = ("What colour is the dog?", "What colour is the cat?", "What colour is the cow?")
    queries = tuple(Query(Picture("photos:0.png"), text) for text in texts)
    golds = tuple(map(Gold.of, ("red", "green", "blue")))
    lab.add_groups([Group(Relation.GOLD, queries, golds, proof="seen", test="colours")], "colours")
    (group,) = _ids(lab, "colours")
    dog, cat, cow = (query.id for query in queries)
    named = [{dog: "Brown", cat: "gray"}, {dog: "brown", cat: "gray", cow: "black"}, {dog: "brown", cat: "gray "}]
    votes = [_vote("audit", "colours", group, n, "wrong", reason="wrong-annotation") for n in range(len(named))]
    corrections = [tuple(GoldCorrection(*pair) for pair in own.items()) for own in named]
    audits = [replace(vote, corrections=own) for vote, own in zip(votes, corrections, strict=True)]
    append_votes(lab.store.storage, audits)
    errata = lab.correct("colours", "correct").errata.errata
    assert [(own.query, own.before, own.after) for own in errata] == [
        (hex_id(dog), "red", "brown"),
        (hex_id(cat), "green", "gray"),
    ], "only one of three calls the third wrong"
    assert lab.verify().holds


def test_votes_of_an_earlier_release_are_read_and_still_verified(lab: cp.Lab) -> None:
    table = lab.groups("negation").to_arrow()
    vote = _vote("audit", "negation", table["group_id"][0].as_py(), 0, "wrong", table["query"][0].as_py(), value="no")
    append_votes(lab.store.storage, [vote])
    (part,) = (lab.folder / "votes").glob("*.parquet")
    old = pq.read_table(part)
    pq.write_table(old.drop_columns(["corrections"]), part)
    assert lab.verify().holds
    (read,) = all_votes(lab.store.storage)
    assert (read, read.wrong_golds) == (vote, (GoldCorrection(table["query"][0].as_py(), "no"),))
    append_votes(lab.store.storage, [_vote("audit", "negation", vote.group_id, 1, "right")])
    assert lab.verify().holds


def test_scores_of_both_versions_stand_side_by_side_and_nothing_is_asked_again(lab: cp.Lab) -> None:
    table = lab.groups("negation").to_arrow()
    group, query = table["group_id"][0].as_py(), table["query"][0].as_py()
    predictions = lab.folder.parent / "answers.csv"
    lines = [f"{hex_id(own)},{'no' if number < 1 else 'yes'}" for number, own in enumerate(table["query"].to_pylist())]
    predictions.write_text("query_id,answer\n" + "\n".join(lines) + "\n", "utf-8")
    lab.import_predictions(predictions, name="model")
    append_votes(
        lab.store.storage, [_vote("audit", "negation", group, n, "wrong", query, value="no") for n in range(2)]
    )
    scores = {own.metric: own for own in lab.correct("negation", "correct").scores}
    assert (scores["accuracy"].before, scores["accuracy"].after) == (3 / 8, 5 / 8)


def test_a_suite_is_corrected_whose_lab_has_answers_to_others_alone(lab: cp.Lab) -> None:
    lab.run("constant", suites=["negation"])
    votes = [_vote("judge", "foils", group, n, "caption") for group in _ids(lab, "foils")[:3] for n in (0, 1)]
    append_votes(lab.store.storage, votes)
    corrected = lab.correct("foils", "valid")
    assert (corrected.groups, corrected.scores) == (3, ())


def test_errata_are_shared_and_applied_to_another_copy(lab: cp.Lab, tmp_path: Path) -> None:
    append_votes(
        lab.store.storage,
        [_vote("judge", "foils", group, n, "caption") for group in _ids(lab, "foils")[:3] for n in (0, 1)],
    )
    file = tmp_path / "errata.json"
    done = CliRunner().invoke(
        suite_command.command, [str(lab.folder), "foils", "--valid", "--errata", str(file)], catch_exceptions=False
    )
    assert "3 groups are stored as foils-valid" in done.output
    assert Errata.read(file).errata
    copy = cp.Lab(tmp_path / "copy")
    copy.add_groups(_pairs(), "foils")
    copy.add_groups(_questions(), "negation")
    assert copy.correct("foils", errata=file).fingerprint == lab.store.manifest("foils-valid").fingerprint
    with pytest.raises(cp.CounterpointError, match="negation has not the groups of 1 of 1 corrections"):
        copy.correct("negation", errata=file)
    file.write_text("{}", "utf-8")
    with pytest.raises(cp.CounterpointError, match="holds no errata"):
        copy.correct("foils", errata=file)


def test_a_correction_of_another_gold_does_not_fit(lab: cp.Lab, tmp_path: Path) -> None:
    table = lab.groups("negation").to_arrow()
    group, query = table["group_id"][0].as_py(), table["query"][0].as_py()
    votes = [_vote("audit", "negation", group, n, "wrong", query, "no", "wrong-annotation") for n in range(2)]
    append_votes(lab.store.storage, votes)
    file = tmp_path / "errata.json"
    lab.correct("negation", "correct").write_errata(file)
    with pytest.raises(cp.CounterpointError, match="negation-corrected has other golds than 2 of 2") as problem:
        lab.correct("negation-corrected", errata=file)
    assert "yes is corrected, and here it is no" in problem.value.hint


def test_a_metric_that_one_model_lacks_is_left_out_of_its_scores(lab: cp.Lab) -> None:
    table = lab.groups("foils").to_arrow()
    for scale, above in (("probability", 0.9), ("similarity", 9.0)):
        scores = [above if role == 0 else above / 9 for role in table["role"].to_pylist()]
        lines = [f"{hex_id(query)},{score}" for query, score in zip(table["query"].to_pylist(), scores, strict=True)]
        predictions = lab.folder.parent / f"{scale}.csv"
        predictions.write_text("query_id,score\n" + "\n".join(lines) + "\n", "utf-8")
        lab.import_predictions(predictions, name=scale, scores=scale)
    votes = [_vote("judge", "foils", group, n, "caption") for group in _ids(lab, "foils")[:3] for n in (0, 1)]
    append_votes(lab.store.storage, votes)
    corrected = lab.correct("foils", "valid")
    assert {own.model for own in corrected.scores if own.metric == "acc_r"} == {"probability", "similarity"}
    assert None not in {own.before for own in corrected.scores} | {own.after for own in corrected.scores}
    assert "Scores of both versions" in repr(corrected)


def test_a_kind_of_correction_that_is_none_is_refused(lab: cp.Lab, tmp_path: Path) -> None:
    for errata in (None, tmp_path / "errata.json"):
        with pytest.raises(cp.UnknownName, match="no kind of correction is called 'validate'") as caught:
            lab.correct("foils", "validate", errata=errata)
        assert caught.value.hint == "did you mean valid?"
    assert lab.suites == ["foils", "negation"]
