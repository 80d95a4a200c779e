"""Blind baselines: nothing is scored by a model that was told it, and what tells is named."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.language.kneser_ney import train_model
from counterpoint.models.text.ngram import TrainingCaption
from counterpoint.store.groups import groups_table
from counterpoint.studies.blind_baselines import (
    NGramTraining,
    ScoredPair,
    blind_findings,
    captions_of,
    cue_words,
    fit_cross_validated,
    folds_of,
    pairs_of,
    ranked_rows,
)

KINDS = ("cat", "dog", "horse", "cow", "sheep")


def couple(number: int, caption: str, *foils: str, relation: Relation = Relation.RANKS) -> tuple[str, Group]:
    picture = Picture(f"toy:{number}.png")
    queries = tuple(Query(picture, text, Mode.SCORE) for text in (caption, *foils))
    return "prepositions" if number % 2 else "animals", Group(relation, queries, (None,) * len(queries))


def table(groups: Iterable[tuple[str, Group]]) -> pa.Table:
    return groups_table(groups, "toy")


def answers(groups: pa.Table, scores: Iterable[float | None]) -> pa.Table:
    said = list(scores)
    columns = {
        "query": groups["query"],
        "trial": pa.array([0] * len(said), pa.uint16()),
        "raw": pa.array([repr(one) for one in said]),
        "value": pa.array([""] * len(said)),
        "state": pa.array(["ok" if one is not None else "failed" for one in said]),
        "score": pa.array(said, pa.float64()),
    }
    return pa.table(columns)


def own(count: int = 40) -> list[TrainingCaption]:
    """One kind of animal in each tenth caption, and a word in each that no other has."""
    return [TrainingCaption(f"toy:{n}.png", f"A {KINDS[n % 5]} stands on hill{n}.") for n in range(count)]


@given(st.lists(st.text(max_size=8), unique=True, max_size=40), st.integers(1, 6))
def test_folds_are_of_equal_size_and_follow_from_the_pictures_alone(pictures: list[str], folds: int) -> None:
    found = folds_of(pictures, folds)
    sizes = np.bincount(list(found.values()), minlength=folds)
    assert sizes.sum() == len(pictures)
    assert np.ptp(sizes) <= 1
    assert folds_of([*reversed(pictures), *pictures], folds) == found


def test_folds_are_the_same_on_every_machine() -> None:
    found = folds_of([f"toy:{n}.png" for n in range(8)], 3)
    assert " ".join(f"{picture[4]}{'abc'[fold]}" for picture, fold in found.items()) == "6a 1b 3c 7a 4b 2c 0a 5b"


def test_captions_of_a_picture_are_scored_by_a_model_of_other_pictures() -> None:
    learning = NGramTraining(own())
    model = fit_cross_validated(learning)
    folds = folds_of([one.picture for one in learning.own])
    asked = [Query(Picture(one.picture), one.text, Mode.SCORE) for one in learning.own]
    for one, query, score in zip(learning.own, asked, model.score(asked), strict=True):
        others = [each.text for each in learning.own if folds[each.picture] != folds[one.picture]]
        assert score == np.float32(train_model(others).scores([one.text])[0]), query


def test_more_captions_teach_unless_they_are_of_a_tested_picture_or_say_what_a_tested_one_does() -> None:
    tested = own()
    alone = fit_cross_validated(NGramTraining(tested))
    asked = [Query(Picture(one.picture), one.text, Mode.SCORE) for one in tested]
    said = [TrainingCaption("", one.text.upper()) for one in tested]
    np.testing.assert_array_equal(alone.score(asked), fit_cross_validated(NGramTraining(tested, said)).score(asked))
    helped = fit_cross_validated(NGramTraining(tested, [TrainingCaption("", f"Here is hill{n}.") for n in range(40)]))
    assert (helped.score(asked) > alone.score(asked)).all()
    same = [
        TrainingCaption(one.picture, f"Here is {one.text.split()[-1]}") for one in tested
    ]  # of the picture that is asked about
    own_words = fit_cross_validated(NGramTraining(tested, same)).score(asked)
    assert (own_words < helped.score(asked)).all()


def test_what_was_told_and_how_is_in_the_fingerprint() -> None:
    prints = [
        NGramTraining(own()),
        NGramTraining(own(39)),
        NGramTraining(own(), [TrainingCaption("", "A hill.")]),
        NGramTraining(own(), order=2),
        NGramTraining(own(), folds=2),
    ]
    assert len({one.fingerprint for one in prints}) == len(prints)
    assert NGramTraining(own()[::-1]).fingerprint == NGramTraining(own()).fingerprint


def test_fewer_pictures_than_folds_are_refused() -> None:
    with pytest.raises(StoreError, match="captions of 3 pictures cannot be put in 5 folds"):
        fit_cross_validated(NGramTraining(own(3)))


def test_captions_are_the_bases_of_ranked_groups_each_once_for_a_picture() -> None:
    groups = [
        couple(1, "A cat.", "A dog."),
        couple(1, "A cat.", "A cow."),
        couple(2, "A cat.", "A dog."),
        couple(3, "Is it?", "Is it not?", relation=Relation.DIFFERS),
    ]
    kept = ranked_rows(table(groups))
    assert kept.num_rows == 6
    assert captions_of(kept) == [TrainingCaption("toy:1.png", "A cat."), TrainingCaption("toy:2.png", "A cat.")]


def test_a_finding_has_an_interval_and_words_only_where_it_is_clear_of_half() -> None:
    groups = table(couple(n, f"A cat {n} on a mat.", f"A cat {n} under a mat.") for n in range(60))
    scores = [s for n in range(60) for s in ((2.0, 1.0) if n % 2 or n % 4 else (1.0, 2.0))]
    animals, prepositions = blind_findings(groups, answers(groups, scores))
    assert (animals.test, animals.value, animals.n, animals.biased, animals.words) == ("animals", 0.5, 30, False, ())
    assert (prepositions.value, prepositions.biased, prepositions.ties) == (1, True, 0)
    assert [(word.word, word.in_caption, word.in_foil, word.brings) for word in prepositions.words] == [
        ("on", 30, 0, 15),
        ("under", 0, 30, 15),
    ]


def test_ties_are_no_hits_and_are_told_and_what_failed_is_left_out() -> None:
    groups = table(couple(2 * n, "A cat.", f"A dog {n}.") for n in range(4))
    (found,) = blind_findings(groups, answers(groups, [1, 1, 1, 0, 1, None, 0, 1]))
    assert found.n == 3
    assert found.value == pytest.approx(1 / 3)
    assert found.ties == pytest.approx(1 / 3)
    assert [pair.right for pair in pairs_of(groups, answers(groups, [1, 1, 1, 0, 1, None, 0, 1]))] == [
        False,
        True,
        False,
    ]


def test_words_below_half_are_those_that_mislead() -> None:
    lost = ScoredPair("s", "t", "There are four cats.", "There are two cats.", right=False)
    won = ScoredPair("s", "t", "There are nine cats.", "There are two cats.", right=True)
    pairs = [lost, lost, lost, won]
    assert [(word.word, word.brings) for word in cue_words(pairs, above=False)] == [("four", -1.5), ("two", -1)]
    assert [word.word for word in cue_words(pairs)] == ["nine"]
    assert len(cue_words([ScoredPair("s", "t", "a b c d e f g h i j k l", "z", right=True)])) == 10
