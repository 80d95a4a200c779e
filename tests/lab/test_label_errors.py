"""Likely label errors: strong models agree on an answer that is not the gold."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import counterpoint as cp
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Picture
from counterpoint.core.votes import Vote
from counterpoint.store.votes import append_votes

WRONG = 3  # the question whose gold is wrong


@pytest.fixture
def lab(tmp_path: Path) -> cp.Lab:
    return _filled(tmp_path, "good", "fine", "weak", "poor")


def _filled(tmp_path: Path, *names: str) -> cp.Lab:
    """A lab with the answers of these models."""
    lab = cp.Lab(tmp_path / "lab")
    right = ["red", "blue", "green", "red", "black", "white"]
    groups = [
        Group(
            Relation.SAME,
            (Query(Picture(f"photos:{number}.png"), f"What color is car {number}?"),),
            (Gold.of("yellow" if number == WRONG else color),),
        )
        for number, color in enumerate(right)
    ]
    lab.add_groups(groups, "colors")
    queries = [group.base.id for group in groups]
    answers = {"good": right, "fine": [*right[:5], "grey"], "weak": ["yellow"] * 6, "poor": ["pink"] * 6}
    for name in names:
        file = tmp_path / f"{name}.csv"
        rows = [f"{hex_id(query)},{answer}" for query, answer in zip(queries, answers[name], strict=True)]
        file.write_text("query_id,answer\n" + "\n".join(rows) + "\n", "utf-8")
        lab.import_predictions(file, name=name, rule="exact")
    return lab


def test_the_gold_that_strong_models_contradict_alike_is_the_suspect(lab: cp.Lab) -> None:
    found = lab.label_errors("colors")
    assert set(found.strong) == {"good", "fine"}
    (suspect,) = found.suspects
    assert (suspect.gold, suspect.answer, suspect.models) == ("yellow", "red", 2)
    assert found.precision.n == 0
    assert "car 3" in found.text()


def test_audits_tell_the_precision_to_expect(lab: cp.Lab) -> None:
    group = int(lab.label_errors("colors").suspects[0].group, 16)
    time = datetime(2026, 11, 16, tzinfo=UTC)
    append_votes(lab.store.storage, [Vote("0" * 32, "audit", "colors", group, None, "ann", "wrong", time)])
    found = lab.label_errors("colors")
    assert (found.precision.value, found.precision.n) == (1.0, 1)
    assert found.suspects[0].audited == "wrong"
    about = ("audit", "colors", group, None, "ann")
    append_votes(lab.store.storage, [Vote("1" * 32, *about, "right", time + timedelta(minutes=1), replaces="0" * 32)])
    assert lab.label_errors("colors").precision.value == 0.0, "a vote that was taken back does not count"


def test_what_people_said_is_no_model_that_is_believed(lab: cp.Lab, tmp_path: Path) -> None:
    before = lab.label_errors("colors")
    people = tmp_path / "good.csv"
    lab.import_predictions(people, name="people", rule="exact")
    found = lab.label_errors("colors")
    assert (found.strong, [own.models for own in found.suspects]) == (before.strong, [2])


def test_models_can_be_named(lab: cp.Lab) -> None:
    assert not lab.label_errors("colors", models=["good", "weak"]).suspects, "they agree on nothing wrong"


def test_of_two_models_both_are_believed(tmp_path: Path) -> None:
    two = _filled(tmp_path, "good", "fine")
    found = two.label_errors("colors")
    assert (set(found.strong), len(found.suspects)) == ({"good", "fine"}, 1)


def test_an_audit_can_be_of_suspects_alone(lab: cp.Lab) -> None:
    setup = lab.review("audit", suites=["colors"], suspects=True)
    assert (setup.items, lab.review("audit", suites=["colors"]).items) == (1, 6)


def test_a_model_whose_name_begins_like_people_is_believed(lab: cp.Lab, tmp_path: Path) -> None:
    for name in ("people-vqa", "people/ann"):
        lab.import_predictions(tmp_path / "good.csv", name=name, rule="exact")
    found = lab.label_errors("colors")
    assert set(found.strong) == {"good", "fine", "people-vqa"}
    assert found.suspects[0].models == 3
