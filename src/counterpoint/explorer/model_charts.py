"""The data behind the charts of one model: the histogram of its scores and its reliability curve."""

from counterpoint.lab.reader import LabReader
from counterpoint.metrics.calibration import ReliabilityBin, reliability_curve
from counterpoint.metrics.data_statistics import HistogramBin
from counterpoint.store.lab import LabModel
from counterpoint.store.outcomes.queries import read_confidences, score_bin_counts

RANGES = 10
"""Equal ranges from 0 to 1 into which scores are counted."""


def ranges(reader: LabReader, suite: str, model: LabModel, metric: str) -> tuple[HistogramBin, ...]:
    """How many samples score in each range of per cent; a sample is a base query with its mean score."""
    counts = score_bin_counts(reader, suite, model.slug, metric, RANGES)
    width = 100 // RANGES
    bins = (HistogramBin(width * place, width * (place + 1), counts.get(place, 0)) for place in range(RANGES))
    return tuple(bins) if counts else ()


def curve(reader: LabReader, suite: str, model: LabModel, bins: int = 10) -> tuple[ReliabilityBin, ...]:
    """The reliability curve of a model over the bases that it answered with a probability."""
    return tuple(reliability_curve(*read_confidences(reader, suite, model.slug), bins=bins))
