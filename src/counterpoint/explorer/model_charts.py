"""The charts of one model: how its scores are spread, how it stands beside another, how right it is when it is sure."""

from collections.abc import Mapping, Sequence

import numpy as np

from counterpoint.lab.reader import LabReader
from counterpoint.metrics.calibration import ReliabilityBin
from counterpoint.metrics.data_statistics import HistogramBin
from counterpoint.metrics.intervals import interval_from_sums
from counterpoint.store.models import LabModel

RANGES = 10
"""Equal ranges from 0 to 1 into which scores are counted."""


def ranges(reader: LabReader, suite: str, model: LabModel, metric: str) -> tuple[HistogramBin, ...]:
    """How many samples score in each range of per cent; a sample is a base query with its mean score."""
    asked = reader.database.source("verdicts", model=model.slug, suite=suite)
    sql = f"""
        SELECT least(floor(score * {RANGES} + 1e-6), {RANGES - 1})::INT AS place, count(*) AS found
        FROM (SELECT avg("{metric}") AS score FROM {asked} WHERE "{metric}" IS NOT NULL GROUP BY base_query)
        GROUP BY ALL
    """
    counts = {row["place"]: row["found"] for row in reader.database.rows(sql)}
    width = 100 // RANGES
    bins = (HistogramBin(width * place, width * (place + 1), counts.get(place, 0)) for place in range(RANGES))
    return tuple(bins) if counts else ()


def curve(reader: LabReader, suite: str, model: LabModel, bins: int = 10) -> tuple[ReliabilityBin, ...]:
    """How right a model is, by how sure it is, over the bases that it answered with a probability."""
    asked = reader.database.source("outcomes", model=model.slug, suite=suite)
    sql = f"""
        SELECT greatest(least(ceil(confidence * {bins} - 1e-5) - 1, {bins - 1}), 0)::INT AS place, picture,
            sum(correct) AS earned, count(*) AS n, sum(correct * correct) AS squares, sum(confidence) AS sure
        FROM {asked} WHERE role = 0 AND confidence IS NOT NULL AND correct IS NOT NULL GROUP BY ALL ORDER BY ALL
    """
    rows: dict[int, list[Mapping[str, float]]] = {}
    for row in reader.database.rows(sql):
        rows.setdefault(row["place"], []).append(row)
    return tuple(_bin(place, own, bins) for place, own in rows.items())


def _bin(place: int, rows: Sequence[Mapping[str, float]], bins: int) -> ReliabilityBin:
    sums, counts = (np.array([row[name] for row in rows]) for name in ("earned", "n"))
    score = interval_from_sums(sums.astype(np.float64), counts.astype(np.int64), sum(row["squares"] for row in rows))
    sure = sum(row["sure"] for row in rows) / score.n
    return ReliabilityBin(place / bins, (place + 1) / bins, score.n, sure, score.value, score.low, score.high)
