"""The small models of the worked example: they learn, they differ by what was withheld, and one seed makes one."""

import numpy as np
import pytest

from benchmarks.rad_prediction import EQUAL, limits, sampling_ceiling
from counterpoint.studies.rad_prediction import POOL, example, read_counts
from counterpoint.world.source import World
from training.rad_instances import (
    WITHHELD,
    Head,
    Lesson,
    Plan,
    Stored,
    counterfactual_rows,
    equal_instances,
    gradient,
    instances,
    train_head,
    withhold,
)


def _lesson(rows: int = 400) -> Lesson:
    """The answer is the larger of two numbers in the picture, or in the text, as a third number says."""
    rng = np.random.default_rng(0)
    pictures = rng.normal(size=(rows, 4)).astype(np.float32)
    texts = np.eye(2, dtype=np.float32)
    text_of = rng.integers(0, 2, rows)
    answers = np.where(text_of == 0, pictures[:, 0] > 0, pictures[:, 1] > 0).astype(np.int64)
    kinds = np.array(["query color", "count"])[text_of]
    return Lesson(Stored(pictures, texts, np.arange(rows), text_of), answers, kinds, ("no", "yes"))


def _right(head: Head, lesson: Lesson, kind: str) -> float:
    places = np.flatnonzero(lesson.kinds == kind)
    said = head.logits(*lesson.stored.rows(places)).argmax(1)
    return float((said == lesson.answers[places]).mean())


def test_slopes_are_those_of_the_loss() -> None:
    rng = np.random.default_rng(1)
    shapes = ((4, 5), (5,), (3, 5), (5,), (5, 6), (6,))
    weights = [rng.normal(size=shape).astype(np.float64) for shape in shapes]
    pictures, texts, answers = rng.normal(size=(7, 4)), rng.normal(size=(7, 3)), rng.integers(0, 6, 7)

    def loss() -> float:
        logits = Head(tuple(weights)).logits(pictures, texts)  # type: ignore[arg-type]
        odds = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        return float(-np.log(odds[np.arange(7), answers]).mean())

    slopes = gradient(weights, pictures, texts, answers)  # type: ignore[arg-type]
    for weight, slope in zip(weights, slopes, strict=True):
        flat, found = weight.reshape(-1), slope.reshape(-1)
        for place in range(0, len(flat), 3):
            kept = flat[place]
            flat[place] = kept + 1e-6
            high = loss()
            flat[place] = kept - 1e-6
            assert abs((high - loss()) / 2e-6 - found[place]) < 1e-5
            flat[place] = kept


def test_what_is_withheld_is_learnt_worse_and_one_seed_makes_one_model() -> None:
    lesson, plan = _lesson(), Plan(hidden=32, epochs=30, batch=32)
    whole = train_head(lesson, withhold(lesson, "count", 0, 0), plan, seed=3)
    poor = train_head(lesson, withhold(lesson, "count", 99, 0), plan, seed=3)
    assert _right(whole, lesson, "count") > 0.9
    assert _right(poor, lesson, "query color") > 0.8
    assert _right(poor, lesson, "count") < _right(whole, lesson, "count") - 0.1
    again = train_head(lesson, withhold(lesson, "count", 99, 0), plan, seed=3)
    assert all((one == other).all() for one, other in zip(poor.weights, again.weights, strict=True))


def test_who_loses_more_loses_all_that_others_lose() -> None:
    lesson = _lesson()
    kept = [set(withhold(lesson, "count", share, 0).tolist()) for share in (10, 50, 99)]
    assert kept[2] < kept[1] < kept[0]
    assert len(kept[2]) == len(lesson.kinds) - (lesson.kinds == "count").sum() * 99 // 100


def test_yes_or_no_questions_belong_to_the_kind_that_they_are_made_from() -> None:
    asked = list(World("train", 60).crowd_questions())
    rows = list(counterfactual_rows(asked, seed=0))
    assert {kind for _, _, kind in rows} == set(WITHHELD.values())
    assert {answer for _, answer, _ in rows} == {"yes", "no"}
    pictures = {(one.picture, one.kind) for one in asked}
    assert {(query.picture, kind) for query, _, kind in rows} <= pictures


def test_instances_of_a_tiny_plan_have_counts_for_all_augmentations() -> None:
    made = instances(Plan(scenes=12, tests=25, hidden=8, epochs=1))
    first = [next(made) for _ in POOL]
    assert {one.augmentation for one in first} == set(POOL)
    assert {one.instance for one in first} == {"without 10% of color"}
    assert next(equal_instances(Plan(scenes=12, tests=25, hidden=8, epochs=1))).instance == "without 99% of all, seed 0"
    assert all(one.both_right <= min(one.base_right, one.variant_right) <= one.pairs for one in first)


def test_a_predictor_that_knows_the_accuracies_reaches_what_the_noise_leaves() -> None:
    rng = np.random.default_rng(0)
    labels = np.linspace(0.4, 0.6, 45)
    assert sampling_ceiling(labels, 10**9, rng) > 0.999
    assert sampling_ceiling(labels, 20, rng) < 0.2  # the spread is that of chance


@pytest.mark.prove
def test_the_prediction_succeeds_where_all_kinds_are_withheld_and_fails_where_one_is() -> None:
    equal, one = ([limits(counts, target) for target in POOL] for counts in (read_counts(EQUAL, 0.5), example()))
    assert np.mean([row.left_out for row in equal]) > 0.8 > 0.5 > np.mean([row.left_out for row in one])
    assert min(row.shuffled for row in one) > 0.99  # R² about zero does not need any relation
