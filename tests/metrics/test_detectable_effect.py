"""The detectable difference of a comparison is found in four of five repeats, whatever the pictures and tests."""

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from proving import prove

from counterpoint.metrics.intervals import ShareSums, add_by
from counterpoint.metrics.paired_tests import ALPHA, RatioDifference, detectable_effect


class Setting(NamedTuple):
    """Pictures with some questions each, two models that answer a share of them differently, and so many tests."""

    pictures: int
    questions: int
    accuracy: float
    discordance: float
    tests: int


SAMPLE = [Setting(20, 2, 0.7, 0.2, 1), Setting(200, 2, 0.7, 0.02, 1), Setting(50, 4, 0.7, 0.2, 20)]
WHOLE = [
    *SAMPLE,
    Setting(20, 2, 0.7, 0.2, 20),
    Setting(50, 1, 0.7, 0.2, 1),
    Setting(200, 2, 0.7, 0.005, 1),
    Setting(200, 1, 0.9, 0.05, 20),
    Setting(200, 6, 0.6, 0.3, 1),
    Setting(1000, 2, 0.7, 0.01, 1),
    Setting(1000, 1, 0.9, 0.02, 1),
]


def _latent(rng: np.random.Generator, setting: Setting, repeats: int, correlation: float) -> NDArray[np.float64]:
    """Normal numbers, those of one picture correlated."""
    shared = rng.standard_normal((repeats, setting.pictures, 1))
    own = rng.standard_normal((repeats, setting.pictures, setting.questions))
    return np.asarray(np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own)


def _compare(setting: Setting, effect: float, repeats: int, seed: int) -> RatioDifference:
    """A model and another one, which differs by chance and has answers turned wrong by a change of this effect."""
    rng, accuracy = np.random.default_rng(seed), setting.accuracy
    first = _latent(rng, setting, repeats, 0.3) < NormalDist().inv_cdf(accuracy)
    chance, half = rng.random(first.shape), setting.discordance / 2
    second = np.where(first, chance > half / accuracy, chance < half / (1 - accuracy))
    if effect:
        second &= _latent(rng, setting, repeats, 0.5) > NormalDist().inv_cdf(min(effect / accuracy, 0.999))
    place = np.repeat(np.arange(repeats), setting.pictures)
    cases = np.full(len(place), setting.questions)
    sums = [own.sum(axis=2).ravel().astype(np.float64) for own in (first, second)]
    one, other = (ShareSums.of(own, cases, add_by(place, own, repeats), place) for own in sums)
    return RatioDifference.of(one, other, place)


@pytest.mark.parametrize(("settings", "repeats"), [(SAMPLE, 300), prove(WHOLE, 1000)], ids=["sample", "whole"])
def test_the_difference_that_is_called_detectable_is_found_four_times_in_five(
    settings: list[Setting], repeats: int
) -> None:
    for setting in settings:
        before = _compare(setting, 0.0, repeats, seed=1)
        n, level = setting.pictures * setting.questions, ALPHA / setting.tests
        effects = [detectable_effect(float(own), n, setting.tests, setting.pictures) for own in before.error]
        found = _compare(setting, float(np.median(effects)), repeats, seed=2)
        power = float(((found.p() < level) & (found.value > 0)).mean())
        assert 0.78 <= power <= 0.98, (setting, power)
