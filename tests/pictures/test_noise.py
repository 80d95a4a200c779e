"""Noise: its distribution is the one it is named after, and one seed gives the same pixels everywhere."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from proving import examples

from counterpoint.core.pictures import Edit
from counterpoint.core.ports import Pixels
from counterpoint.pictures.edits import apply_edits
from counterpoint.pictures.noise import DISTRIBUTIONS, STRENGTHS, alias_table, noise_edit, outcome_counts

KINDS = [(name, strength) for name, strengths in STRENGTHS.items() for strength in strengths]
VALUES = (0, 1, 13, 100, 128, 200, 254, 255)


@cache
def _law(name: str, strength: str, value: int) -> NDArray[np.float64]:
    """The chances of the 256 levels, as scipy has them: disturbed, cut to [0, 1], rounded."""

    from scipy import stats

    x, level = value / 255, (np.arange(255) + 0.5) / 255  # what lies below the edge is rounded to the level or below
    if name == "poisson":
        white = int(strength)
        below = stats.poisson.cdf(np.ceil(level * white - 1e-9) - 1, white * x)
    elif name == "salt-and-pepper":
        half = float(strength) / 2
        below = half + (1 - 2 * half) * (level >= x)
    else:
        deviation = float(strength) ** 0.5 * (x if name == "speckle" else 1)
        below = stats.norm.cdf(level, x, deviation) if deviation else (level >= x).astype(float)
    return np.diff(below, prepend=0, append=1)


def _flat(value: int, side: int = 300) -> Pixels:
    return np.full((side, side, 3), value, np.uint8)


@pytest.mark.parametrize(("name", "strength"), KINDS)
def test_the_draws_of_each_value_are_shared_out_as_the_law_says(name: str, strength: str | int) -> None:
    shares = outcome_counts(DISTRIBUTIONS[name](str(strength))) / 65536
    levels = np.arange(256)
    for value in VALUES:
        law = _law(name, str(strength), value)
        assert np.abs(np.cumsum(shares[value]) - np.cumsum(law)).max() < 1e-5
        mean, expected = shares[value] @ levels, law @ levels
        assert abs(mean - expected) < 0.003
        spread, wanted = shares[value] @ (levels - mean) ** 2, law @ (levels - expected) ** 2
        assert abs(spread - wanted) < 0.002 * wanted + 0.01


@pytest.mark.parametrize(("name", "strength"), KINDS)
def test_cells_hold_what_the_draws_are_shared_out_to(name: str, strength: str | int) -> None:
    cells = alias_table(name, str(strength)).reshape(256, 256)
    own, other, held = cells & 255, cells >> 8, np.zeros((256, 256), np.int64)
    whole = other == np.arange(256)
    held += np.where(whole, 256, own)
    np.add.at(held, (np.arange(256)[:, None], other), np.where(whole, 0, 256 - own))
    assert np.array_equal(held, outcome_counts(DISTRIBUTIONS[name](str(strength))))


@pytest.mark.parametrize(("name", "strength"), KINDS)
def test_no_chance_is_so_near_the_middle_between_two_draws_that_a_machine_could_round_it_otherwise(
    name: str, strength: str | int
) -> None:
    draws = DISTRIBUTIONS[name](str(strength)) * 65536
    assert np.abs(draws % 1 - 0.5).min() > 1e-6  # any library of mathematics is right to a millionth of that


@pytest.mark.parametrize("name", STRENGTHS)
@pytest.mark.parametrize("value", VALUES)
def test_what_is_drawn_is_distributed_as_the_law_says(name: str, value: int) -> None:
    from scipy import stats

    edit = noise_edit(name, 3, seed=value)
    drawn = np.bincount(apply_edits([edit], _flat(value)).ravel(), minlength=256)
    expected = _law(name, str(edit.arguments[0]), value) * drawn.sum()
    groups = np.cumsum(expected) // 200  # levels that are seldom seen are counted together
    seen, wanted = (np.bincount(groups.astype(int), counted) for counted in (drawn, expected))
    kept = wanted >= 50
    seen, wanted = (np.append(counted[kept], counted[~kept].sum()) for counted in (seen, wanted))
    square = ((seen - wanted) ** 2 / np.maximum(wanted, 1)).sum()
    assert stats.chi2.sf(square, max(len(wanted) - 1, 1)) > 1e-3


def test_red_green_and_blue_and_neighbours_are_disturbed_by_themselves() -> None:
    shown = apply_edits([noise_edit("gaussian", 3, 5)], _flat(128)).astype(float)
    for one, other in [(shown[:, :, 0], shown[:, :, 1]), (shown[:, 1:], shown[:, :-1]), (shown[1:], shown[:-1])]:
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 0.015


def test_seeds_and_kinds_and_strengths_draw_anew() -> None:
    edits = [noise_edit(name, severity, seed) for name in STRENGTHS for severity in (2, 3) for seed in (0, 1, 2)]
    shown = {apply_edits([edit], _flat(100, 20)).tobytes() for edit in edits}
    assert len(shown) == len(edits)
    one, other = (apply_edits([noise_edit("gaussian", 3, seed)], _flat(128)).ravel().astype(float) for seed in (1, 2))
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.01


@given(st.sampled_from(sorted(STRENGTHS)), st.integers(1, 5), st.integers(0, 1 << 64), st.data())
@examples(60)
def test_any_picture_keeps_its_shape_and_is_disturbed_alike_each_time(
    name: str, severity: int, seed: int, data: st.DataObject
) -> None:
    height, width = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    part = pixels[:, ::-1]  # no copy: other places in memory, the same values
    edit = noise_edit(name, severity, seed)
    shown = apply_edits([edit], pixels)
    assert shown.shape == pixels.shape
    assert shown.dtype == np.uint8
    assert np.array_equal(shown, apply_edits([edit], pixels.copy()))
    assert np.array_equal(apply_edits([edit], part), apply_edits([edit], part.copy()))


def test_no_noise_leaves_every_value_as_it_is() -> None:
    every = np.arange(768).reshape(16, 16, 3).astype(np.uint8)
    for name in ("gaussian", "salt-and-pepper", "speckle"):
        assert np.array_equal(apply_edits([Edit(name, ("0",))], every), every)


def test_black_has_no_speckle_and_counts_nothing_and_what_is_bright_has_more_than_what_is_dark() -> None:
    for name in ("poisson", "speckle"):
        assert not apply_edits([noise_edit(name, 5, 1)], _flat(0)).any()
        assert (
            apply_edits([noise_edit(name, 3, 1)], _flat(40)).std()
            < apply_edits([noise_edit(name, 3, 1)], _flat(160)).std()
        )


def test_salt_and_pepper_is_white_and_black_and_half_each() -> None:
    shown = apply_edits([noise_edit("salt-and-pepper", 3, 1)], _flat(77))
    share = {int(value): count / shown.size for value, count in zip(*np.unique(shown, return_counts=True), strict=True)}
    assert set(share) == {0, 77, 255}
    assert share[0] == pytest.approx(0.05, abs=0.002)
    assert share[255] == pytest.approx(0.05, abs=0.002)


def test_each_severity_has_about_twice_the_variance_of_the_one_before() -> None:
    for name in STRENGTHS:
        spread = [
            np.var(apply_edits([noise_edit(name, severity, 3)], _flat(128)).astype(float)) for severity in (1, 2, 3)
        ]
        assert spread[1] / spread[0] == pytest.approx(2, rel=0.06)
        assert spread[2] / spread[1] == pytest.approx(2, rel=0.06)
