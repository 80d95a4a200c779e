"""Chance levels against naive means over every way of guessing."""

from collections.abc import Iterator
from itertools import product
from math import prod
from statistics import fmean

import pytest

from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.lab.reader import LabReader
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest

COLORS = ("red", "green", "blue", "white")


def _query(number: int, choices: tuple[str, ...] = ()) -> tuple[Query, Gold]:
    picture = Picture(f"photos:{number}.jpg")
    gold = Gold.of(choices[0] if choices else "yes")
    return Query(picture, f"question {number}?", choices=choices), gold


def _group(relation: Relation, *asked: tuple[Query, Gold]) -> Group:
    return Group(relation, tuple(query for query, _ in asked), tuple(gold for _, gold in asked))


SUITES = {
    "mixed": [
        _group(Relation.SAME, _query(0, COLORS), _query(1, COLORS)),
        _group(Relation.SAME, _query(2), _query(3), _query(4)),
    ],
    "reversed": [_group(Relation.DIFFERS, _query(5, COLORS[:3]), _query(6, COLORS[:3]))],
    "sets": [_group(Relation.GOLD, *(_query(7 + place) for place in range(count))) for count in (3, 5)],
    "plain": [_group(Relation.SAME, _query(20, COLORS)), _group(Relation.SAME, _query(21))],
    "open": [_group(Relation.SAME, _query(22), (Query(None, "how many?"), Gold.of("3")))],
    "foils": [Group(Relation.RANKS, tuple(Query(None, text, Mode.SCORE) for text in "ab"), (None, None))],
}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> LabReader:
    lab = LabStore(tmp_path_factory.mktemp("lab"))
    for name, groups in SUITES.items():
        table = groups_table([(name, group) for group in groups], name)
        lab.put_suite(Manifest.of(table, generator="test", seed=1), table)
    made = LabReader(lab, tmp_path_factory.mktemp("cache"))
    made.refresh()
    return made


def _guesses(group: Group) -> Iterator[tuple[list[str], list[bool]]]:
    """Every way of answering a group, with which answers are correct."""
    for answers in product(*(query.choices or ("yes", "no") for query in group.queries)):
        yield list(answers), [answer == gold.best for answer, gold in zip(answers, group.gold, strict=True) if gold]


def _pairs(suite: str) -> Iterator[tuple[float, float, float, float]]:
    """For each pair how often guesses have the base, the variant and both correct, and are equal."""
    for group in SUITES[suite]:
        ways = list(_guesses(group))
        for place in range(1, len(group.queries)):
            yield (
                fmean(right[0] for _, right in ways),
                fmean(right[place] for _, right in ways),
                fmean(right[0] and right[place] for _, right in ways),
                fmean(answers[0] == answers[place] for answers, _ in ways),
            )


@pytest.mark.parametrize("suite", ["mixed", "reversed", "sets"])
def test_pairs_have_the_level_of_every_way_of_guessing(reader: LabReader, suite: str) -> None:
    base, variant, both, equal = (fmean(column) for column in zip(*_pairs(suite), strict=True))
    levels = {
        "base_accuracy": base,
        "variant_accuracy": variant,
        "accuracy": (base + variant) / 2,
        "comprehensive_accuracy": both,
        "rad_forward": both / base,
    }
    assert {name: reader.chance(suite, name) for name in levels} == pytest.approx(levels)
    consistent = {"mixed": equal, "reversed": 1 - equal, "sets": None}[suite]
    assert reader.chance(suite, "self_consistency") == (consistent and pytest.approx(consistent))


def test_groups_have_the_level_of_all_their_answers(reader: LabReader) -> None:
    whole = [prod(0.5 for _ in group.queries) for group in SUITES["sets"]]
    assert reader.chance("sets", "all_right") == pytest.approx(fmean(whole))
    assert reader.chance("sets", "contrast_consistency_1") == pytest.approx(0.25)
    assert reader.chance("sets", "contrast_consistency_3") == pytest.approx(fmean([0.5**3, 0.5**4]))
    assert reader.chance("sets", "contrast_consistency_3_full") == pytest.approx(0.5**4)


def test_plain_questions_have_the_mean_of_their_answers(reader: LabReader) -> None:
    assert reader.chance("plain", "accuracy") == reader.chance("plain", "answer_accuracy") == pytest.approx(0.375)
    assert reader.chance("plain", "comprehensive_accuracy") is None


def test_there_is_no_level_where_an_answer_is_open_and_half_for_captions(reader: LabReader) -> None:
    assert reader.chance("open", "accuracy") is None
    assert reader.chance("foils", "acc_r") == 0.5
    assert reader.chance("", "acc_r") is None
