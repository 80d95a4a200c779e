"""Calibration, held against naive loops, and what a model without probabilities is told."""

from itertools import permutations
from math import ceil, isclose
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchmarks.calibration_coverage import calibration_coverage, draw_answers
from counterpoint.core.ids import content_id
from counterpoint.metrics.calibration import (
    BINS,
    CALIBRATION,
    NO_PROBABILITIES,
    ece,
    ece_chance,
    equal_mass_bins,
    reliability,
)
from counterpoint.metrics.data_set_leaderboard import data_sets_leaderboard
from counterpoint.metrics.leaderboard import Competitor, LeaderboardCell
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.scoring import score_table
from counterpoint.metrics.units import Singles
from counterpoint.store.tables import ANSWERS, GROUPS

Case = tuple[float, float]
"""How sure a model was, and what it earned."""
cases = st.lists(
    st.tuples(st.sampled_from([0.0, 0.05, 0.2, 1 / 3, 0.4, 0.6, 2 / 3, 0.9, 1.0]), st.sampled_from([0.0, 0.3, 1.0])),
    min_size=1,
    max_size=25,
)


def _tables(found: list[Case], *, told: bool = True, variants: int = 0) -> tuple[pa.Table, pa.Table]:
    groups, answers = list[dict[str, object]](), list[dict[str, object]]()
    for number, (sure, earned) in enumerate(found):
        for role in range(1 + variants):
            query = content_id([number, role])
            texts = dict.fromkeys(("edits", "feature_edits", "context", "text", "proof"), "")
            named = {"suite": "plain", "test": "plain", "relation": "gold", "kind": "color", "mode": "answer"}
            own = {"picture": f"world:{number % 7}.png", "gold": [{"answer": "red", "credit": earned}]}
            ids = {"group_id": content_id([number]), "role": role, "query": query}
            groups.append({**texts, **named, **own, **ids, "tags": [], "choices": [], "objects": []})
            top = [{"value": "red", "probability": sure}] if told else []
            blank = dict.fromkeys(("model", "rule", "reason", "digest"), "")
            said = {"raw": "red", "value": "red", "state": "ok", "score": None, "top": top}
            answers.append({**blank, **said, "query": query, "trial": 0, "seconds": 0.0})
    return pa.Table.from_pylist(groups, GROUPS), pa.Table.from_pylist(answers, ANSWERS)


def _scores(found: list[Case], **how: Any) -> dict[str, dict[str, Any]]:
    groups, answers = _tables(found, **how)
    rows = score_table(groups, answers, (), metrics=CALIBRATION).to_pylist()
    return {row["metric"]: row for row in rows}


def _judged(found: list[Case], **how: Any) -> Outcomes:
    return judge(*_tables(found, **how))


def _gap(bins: dict[int, list[Case]], n: int) -> float:
    means = ((sum(c for c, _ in own) / len(own), sum(e for _, e in own) / len(own), len(own)) for own in bins.values())
    return sum(abs(earned - sure) * many / n for sure, earned, many in means)


def _naive(found: list[Case]) -> dict[str, float]:
    """Each measure as a loop over cases."""
    n, wide, equal = len(found), dict[int, list[Case]](), dict[int, list[Case]]()
    for sure, earned in found:
        wide.setdefault(max(ceil(round(sure * BINS, 5)) - 1, 0), []).append((sure, earned))
        below = sum(other < sure for other, _ in found)
        alike = sum(other == sure for other, _ in found)
        equal.setdefault(min(int((below + alike / 2) / n * BINS), BINS - 1), []).append((sure, earned))
    risks = []
    for sure, _ in found:
        kept = [1 - earned for other, earned in found if other >= sure]
        risks.append(sum(kept) / len(kept))
    gap = sum(sure - earned for sure, earned in found) / n
    return {
        "confidence_gap": gap,
        "ece": _gap(wide, n),
        "ece_mass": _gap(equal, n),
        "brier": sum((sure - earned) ** 2 for sure, earned in found) / n,
        "confidence": sum(sure for sure, _ in found) / n,
        "selective_accuracy_50": _kept(found, 0.5),
        "selective_accuracy_80": _kept(found, 0.8),
        "aurc": sum(risks) / n,
    }


def _kept(found: list[Case], coverage: float) -> float:
    """What the surest cases earn; of those that are equally sure, as many as are wanted, at their mean."""
    left = wanted = coverage * len(found)
    total = 0.0
    for level in sorted({sure for sure, _ in found}, reverse=True):
        own = [earned for sure, earned in found if sure == level]
        taken = min(left, len(own))
        total += taken * sum(own) / len(own)
        left -= taken
    return total / wanted


@given(cases)
def test_every_metric_is_what_a_loop_gives(found: list[Case]) -> None:
    scores = _scores(found)
    for name, value in _naive(found).items():
        assert isclose(scores[name]["value"], value, abs_tol=1e-6), name
        assert scores[name]["n"] == len(found)
        if name.startswith("ece"):
            assert (scores[name]["low"], scores[name]["method"]) == (None, "")
        else:
            assert scores[name]["low"] <= scores[name]["value"] <= scores[name]["high"]


@given(cases, st.booleans())
def test_the_curve_holds_every_answer_once_and_its_gaps_make_up_the_error(found: list[Case], mass: bool) -> None:
    bins = reliability(_judged(found).singles(), mass=mass)
    assert sum(one.n for one in bins) == len(found)
    error = sum(one.n * abs(one.accuracy - one.confidence) for one in bins) / len(found)
    assert isclose(error, _naive(found)["ece_mass" if mass else "ece"], abs_tol=1e-6)
    assert all(one.low - 1e-6 <= one.confidence <= one.high + 1e-6 for one in bins)
    assert all(one.accuracy_low <= one.accuracy <= one.accuracy_high for one in bins)


def test_a_model_that_knows_how_sure_it_may_be_has_hardly_any_error() -> None:
    luck = np.random.default_rng(0)
    sure = luck.uniform(size=4000)
    fine = [(float(p), float(luck.uniform() < p)) for p in sure]
    boastful = [(min(1.0, p + 0.3), earned) for p, earned in fine]
    honest, proud = _scores(fine), _scores(boastful)
    assert honest["ece"]["value"] < 0.05
    assert proud["ece"]["value"] > 0.2
    assert honest["brier"]["value"] < proud["brier"]["value"]
    assert honest["selective_accuracy_50"]["value"] == pytest.approx(0.75, abs=0.03)
    assert honest["aurc"]["value"] == pytest.approx(0.25, abs=0.03)


def test_only_answers_to_bases_count() -> None:
    assert _scores([(0.9, 1.0), (0.4, 0.0)], variants=2)["ece"]["n"] == 2


def test_a_model_that_says_no_probabilities_has_no_value_and_the_reason_beside() -> None:
    for row in _scores([(0.9, 1.0)] * 3, told=False).values():
        assert row["value"] is None
        assert row["reason"] == NO_PROBABILITIES
    groups, answers = _tables([(0.9, 1.0)])
    unread = score_table(groups, answers.drop_columns(["top"]), (), metrics=CALIBRATION).to_pylist()
    assert all(row["value"] is None for row in unread)


def test_bins_of_equal_mass_hold_about_as_many() -> None:
    luck = np.random.default_rng(1)
    counts = np.bincount(equal_mass_bins(luck.beta(8, 1, size=1500)))
    assert counts.min() == counts.max() == 100


@given(cases)
def test_the_squared_error_is_that_of_a_loop_over_couples_of_answers_on_different_pictures(found: list[Case]) -> None:
    bins: dict[int, list[tuple[int, float]]] = {}
    for number, (sure, earned) in enumerate(found):
        bins.setdefault(max(ceil(round(sure * BINS, 5)) - 1, 0), []).append((number % 7, sure - earned))
    told, total = 0, 0.0
    for own in bins.values():
        products = [a * b for (one, a), (other, b) in permutations(own, 2) if one != other]
        if products:
            told += len(own)
            total += len(own) * sum(products) / len(products)
    value = _scores(found)["ece_squared"]["value"]
    assert value == (pytest.approx(total / told, abs=1e-6) if told else None)


def _drawn(gap: float, pictures: int, seed: int, *, questions: int = 4) -> tuple[Singles, NDArray[np.int64]]:
    cell = (gap, pictures, questions)
    singles = draw_answers(*cell, np.random.default_rng(seed))
    return singles, np.arange(len(singles.correct))


def test_a_calibrated_model_has_an_error_and_no_small_p_value() -> None:
    p = [_flip_p(*_drawn(0.0, 60, seed)) for seed in range(60)]
    assert sum(one < 0.05 for one in p) <= 8
    assert max(_flip_p(*_drawn(0.25, 60, seed)) for seed in range(5)) < 0.01


def _flip_p(singles: Singles, rows: NDArray[np.int64]) -> float:
    assert ece.test is not None
    return ece.test(singles, rows, 0)


def test_the_value_beside_the_error_is_that_of_a_calibrated_model() -> None:
    errors, chances = [], []
    for seed in range(30):
        singles, rows = _drawn(0.0, 80, seed)
        ones = np.ones(len(rows))
        errors.append(ece.prepare(singles, rows)(ones))
        chances.append(ece_chance.prepare(singles, rows)(ones))
    assert np.mean(errors) > 0.03
    assert np.mean(chances) == pytest.approx(np.mean(errors), rel=0.1)


def test_very_many_pictures_are_flipped_by_their_covariance_to_the_same_errors() -> None:
    few, many = (_drawn(0.0, pictures, 1, questions=2) for pictures in (2900, 3100))
    means = [ece_chance.prepare(*own)(np.ones(len(own[1]))) for own in (few, many)]
    assert means[1] == pytest.approx(means[0] * (2900 / 3100) ** 0.5, rel=0.1)


@pytest.mark.parametrize("gap", [0.0, 0.15])
def test_intervals_of_calibration_hold_the_truth(gap: float) -> None:
    squared, signed = calibration_coverage(gap, 50, 120)
    assert min(squared, signed) >= 0.88


def test_by_an_error_that_chance_raises_no_model_is_ranked() -> None:
    cells = {name: {"x": {"ece": LeaderboardCell(value, n=9)}} for name, value in (("a", 0.1), ("b", 0.2))}
    board = data_sets_leaderboard({name: Competitor("") for name in cells}, cells)
    assert [row.cells["ece"].rank for row in board.rows] == [None, None]
