"""Agreement between voters, held against libraries, naive loops and simulated crowds."""

from collections import Counter
from datetime import datetime
from itertools import permutations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import simulated_crowds as crowds
from counterpoint.core.votes import Vote
from counterpoint.metrics.agreement import cohen_kappa, count_choices, fleiss_kappa, krippendorff_alpha
from counterpoint.metrics.dawid_skene import fit_dawid_skene
from counterpoint.metrics.intervals import Score
from counterpoint.review.majorities import measure_agreement

tables = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=30).map(np.array)


def naive_alpha(rows: list[list[int]]) -> float:
    """Alpha by its definition, from every ordered couple of votes of one item and of any items."""
    votes = [[choice for choice, number in enumerate(row) for _ in range(number)] for row in rows if sum(row) > 1]
    flat = [choice for own in votes for choice in own]
    observed = sum(sum(a != b for a, b in permutations(own, 2)) / (len(own) - 1) for own in votes) / len(flat)
    expected = sum(a != b for a, b in permutations(flat, 2)) / (len(flat) * (len(flat) - 1))
    return 1 - observed / expected


@given(tables)
def test_alpha_is_that_of_its_definition_and_of_a_library(counts: np.ndarray) -> None:
    several = counts[counts.sum(1) > 1]
    if (several.sum(0) > 0).sum() < 2:
        assert np.isnan(krippendorff_alpha(counts).value)
        return
    value = krippendorff_alpha(counts).value
    assert value == pytest.approx(naive_alpha(counts.tolist()))
    assert value == pytest.approx(krippendorff.alpha(value_counts=several, level_of_measurement="nominal"))


@given(st.integers(0, 99), st.integers(2, 5), st.integers(2, 4))
def test_fleiss_and_cohen_are_those_of_statsmodels(seed: int, votes: int, choices: int) -> None:
    from statsmodels.stats import inter_rater

    rng = np.random.default_rng(seed)
    given_choices = rng.integers(0, choices, (40, votes))
    counts = np.stack([np.bincount(row, minlength=choices) for row in given_choices])
    assert fleiss_kappa(counts).value == pytest.approx(inter_rater.fleiss_kappa(counts))
    table = np.zeros((choices, choices))
    np.add.at(table, (given_choices[:, 0], given_choices[:, 1]), 1)
    expected = inter_rater.cohens_kappa(table, return_results=False)
    assert cohen_kappa(given_choices[:, 0], given_choices[:, 1]).value == pytest.approx(expected)


def test_fleiss_counts_the_items_with_the_usual_number_of_votes() -> None:
    whole = np.array([[3, 0], [0, 3], [2, 1]])
    assert fleiss_kappa(np.vstack([whole, [[1, 1]]])).value == fleiss_kappa(whole).value


def test_votes_are_counted_by_item_and_choice() -> None:
    rng = np.random.default_rng(3)
    item, choice = rng.integers(0, 9, 200), rng.integers(0, 4, 200)
    expected = Counter(zip(item.tolist(), choice.tolist(), strict=True))
    counts = count_choices(item, choice, 4)
    assert {(i, c): int(n) for (i, c), n in np.ndenumerate(counts) if n} == expected


def test_no_votes_have_no_agreement() -> None:
    nothing = count_choices([], [], 3)
    assert krippendorff_alpha(nothing).n == 0
    assert fleiss_kappa(nothing).n == 0
    assert cohen_kappa([], []).n == 0


def test_items_of_one_picture_widen_the_interval() -> None:
    rng = np.random.default_rng(5)
    counts = np.repeat(rng.multinomial(3, [0.7, 0.3], 40), 10, axis=0)
    alone = krippendorff_alpha(counts)
    together = krippendorff_alpha(counts, np.repeat(np.arange(40), 10))
    assert alone.value == together.value
    assert together.high - together.low > 2 * (alone.high - alone.low)


@pytest.mark.parametrize("coefficient", ["alpha", "fleiss", "cohen"])
@pytest.mark.parametrize("items", [10, 40])
def test_intervals_hold_the_truth_where_nobody_disagrees_by_chance(coefficient: str, items: int) -> None:
    """Two voters who are right in 99 % agree on all of ten items mostly, and a bootstrap of them draws only 1."""
    rng = np.random.default_rng(7)

    def score(items: int) -> Score:
        truth = rng.random(items) < 0.6
        votes = np.where(rng.random((2, items)) < 0.99, truth, ~truth).astype(np.int64)
        if coefficient == "cohen":
            return cohen_kappa(*votes)
        counts = np.stack([(1 - votes).sum(0), votes.sum(0)], axis=1)
        return (krippendorff_alpha if coefficient == "alpha" else fleiss_kappa)(counts)

    expected = score(100_000).value
    scores = [own for own in (score(items) for _ in range(100)) if not np.isnan(own.value)]
    assert np.mean([own.low <= expected <= own.high for own in scores]) > 0.9
    assert all(own.low < own.high for own in scores)


def test_two_voters_have_a_kappa_where_nobody_else_voted() -> None:
    def votes(voters: str, items: range) -> list[Vote]:
        return [
            Vote("", "judge", "mine", number, None, voter, "both" if number % 3 else "caption", datetime.min)
            for number in items
            for voter in voters
        ]

    pictures = {number: str(number // 4) for number in range(40)}
    couple = measure_agreement(votes("ab", range(40)), pictures)
    choices = [int(number % 3 > 0) for number in range(40)]
    assert couple.cohen == cohen_kappa(choices, choices, [*pictures.values()])
    assert measure_agreement(votes("ab", range(40)) + votes("c", range(3)), pictures).cohen.n == 0


def test_dawid_skene_tells_who_guesses_and_beats_the_majority() -> None:
    confusion = crowds.confusions("voters")
    rng = np.random.default_rng(2)
    results = [crowds.simulate(confusion, crowds.expectations(confusion), rng) for _ in range(5)]
    assert np.mean([result.model - result.majority for result in results]) > 0.04


def test_dawid_skene_keeps_anchors_and_shows_each_voters_confusion() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    item, voter = np.repeat(np.arange(200), 3), np.tile(np.arange(3), 200)
    choice = np.where(voter == 2, 1 - truth[item], truth[item])  # the third always chooses the other one
    known = {place: int(truth[place]) for place in range(20)}
    model = fit_dawid_skene(item, voter, choice, 2, known)
    assert (model.choice == truth).all()
    assert model.confusion[0].diagonal().min() > 0.9
    assert model.confusion[2].diagonal().max() < 0.1
    opposed = fit_dawid_skene(item, voter, choice, 2, {0: int(1 - truth[0])})
    assert opposed.choice[0] == 1 - truth[0], "an anchor is never estimated"


@pytest.mark.prove
@pytest.mark.parametrize("design", ["voters", "votes"])
def test_intervals_hold_the_expected_validity_and_alpha(design: str) -> None:
    confusion = crowds.confusions(design)
    rng = np.random.default_rng(0)
    results = [crowds.simulate(confusion, crowds.expectations(confusion), rng) for _ in range(1000)]
    assert np.mean([result.validity_covered for result in results]) >= 0.93
    assert np.mean([result.alpha_covered for result in results]) >= 0.93
    assert np.mean([result.model - result.majority for result in results]) >= -0.01
