"""How many pictures a gate of fixed size needs, from the variance that answers show."""

from math import ceil
from statistics import NormalDist

from counterpoint.metrics.distributions import student_quantile
from counterpoint.metrics.paired_tests import ALPHA, FEWEST_CLUSTERS, POWER, TURNED_CORRELATION
from counterpoint.metrics.picture_sums import PictureSums
from counterpoint.metrics.units import Floats

_SURE = NormalDist().inv_cdf(0.8)  # the upper limit of a variance is exceeded in a fifth of pilots (Browne 1995)


def needed_pictures(sums: PictureSums, detect: float, *, rules: int = 1, power: float = POWER) -> int:
    """How many pictures find a value that lies so far on the wrong side of its line, with this power.

    The test is one-sided at 5 % over the number of rules. Its variance is what the pictures show, at the upper limit of
    an 80 % interval since they are a sample, plus that of the cases that a change of this size turns.
    """
    variance = _upper_limit(sums.influence) + _change_variance(sums, detect)
    return _pictures(variance / detect**2, ALPHA / rules, power)


def _upper_limit(influence: Floats) -> float:
    squares = influence**2 * len(influence) / max(len(influence) - 1, 1)
    return float(squares.mean() + _SURE * squares.std() / len(squares) ** 0.5)


def _change_variance(sums: PictureSums, detect: float) -> float:
    """How much the variance of a picture can grow by a change of the value.

    Where one model's value is on a line, that of a coin moves; the difference of two gains as many discordant cases.
    """
    turned = detect * (abs(2 * sums.value - 1) if sums.other is None else 1.0) - detect**2
    inflation = 1 + TURNED_CORRELATION * (float((sums.cases**2).sum() / sums.cases.sum()) - 1)
    return max(turned, 0.0) * inflation / float(sums.cases.mean())


def _pictures(ratio: float, level: float, power: float) -> int:
    """The number of pictures at which Student's test has this power, by a few steps from that of the normal one."""
    normal = NormalDist()
    count = (normal.inv_cdf(1 - level) + normal.inv_cdf(power)) ** 2 * ratio
    for _ in range(5):
        quantiles = (student_quantile(share, max(count, FEWEST_CLUSTERS) - 1) for share in (1 - level, max(power, 0.5)))
        count = float(sum(quantiles)) ** 2 * ratio
    return max(ceil(count), FEWEST_CLUSTERS)
