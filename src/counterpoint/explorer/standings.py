"""Where a model is strongest and where it is weakest: parts of a suite whose score lies clear of the whole.

A part is a kind or a tag. Scores are those of groups, gathered by picture in the database, so that nothing large is
read; the test allows for groups that share a picture, and its p values are corrected for the number of parts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Any

from counterpoint.lab.reader import LabReader
from counterpoint.metrics.intervals import Z95
from counterpoint.metrics.paired_tests import ALPHA, holm
from counterpoint.store.models import LabModel

FEWEST = 30
"""Groups that a part must have."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a suite with its share, its interval and its p value against the whole."""

    what: str
    value: str
    share: float
    low: float
    high: float
    n: int
    pictures: int
    whole: float
    p: float


def standings(reader: LabReader, suite: str, model: LabModel, metric: str) -> tuple[Part, ...]:
    """The parts of a suite that lie clear of the whole of it, the weakest first."""
    rows = reader.database.rows(_sql(reader, suite, model, metric))
    whole = next((row for row in rows if row["what"] == "all"), None)
    if whole is None or not whole["n"]:
        return ()
    share = whole["earned"] / whole["n"]
    parts = [_part(row, share) for row in rows if row["what"] != "all" and FEWEST <= row["n"] < whole["n"]]
    corrected = holm([part.p for part in parts])
    clear = [
        Part(part.what, part.value, part.share, part.low, part.high, part.n, part.pictures, share, p)
        for part, p in zip(parts, corrected, strict=True)
        if p < ALPHA and (part.high < share or part.low > share)
    ]
    return tuple(sorted(clear, key=lambda part: (part.share, part.what, part.value)))


def _sql(reader: LabReader, suite: str, model: LabModel, metric: str) -> str:
    """Sums over pictures of each part; the name of the metric is a column that the table has."""
    verdicts = reader.database.source("verdicts", model=model.slug, suite=suite)
    bases = reader.database.source("bases", suite=suite)
    return f"""
        WITH scored AS (
            SELECT b.picture, b.kind, b.tags, v."{metric}" AS score
            FROM {verdicts} v JOIN {bases} b USING (place) WHERE v."{metric}" IS NOT NULL
        ), named AS (
            SELECT 'all' AS what, '' AS value, picture, score FROM scored
            UNION ALL SELECT 'kind', kind, picture, score FROM scored WHERE kind <> ''
            UNION ALL SELECT split_part(tag, '=', 1), substr(tag, strpos(tag, '=') + 1), picture, score
            FROM (SELECT unnest(tags) AS tag, picture, score FROM scored)
        ), gathered AS (
            SELECT what, value, picture, sum(score) AS s, count(*) AS c, sum(score * score) AS q FROM named GROUP BY ALL
        )
        SELECT what, value, sum(s) AS earned, sum(c)::BIGINT AS n, count(*) AS pictures, sum(q) AS squares,
            sum(s * s) AS ss, sum(s * c) AS sc, sum(c * c)::DOUBLE AS cc
        FROM gathered GROUP BY ALL HAVING sum(c) >= {FEWEST} OR what = 'all'
    """


def _part(row: Mapping[str, Any], whole: float) -> Part:
    n, many = row["n"], row["pictures"]
    share = row["earned"] / n
    alone = max(row["squares"] - n * share * share, 0.0) / max(n - 1, 1) / n
    spread = max(row["ss"] - 2 * share * row["sc"] + share * share * row["cc"], 0.0) / n**2 * many / max(many - 1, 1)
    excess = max(spread / alone, 1.0) if alone > 0 else max(n / many, 1.0)  # what sharing pictures costs
    effective = max(n / excess, 1.0)
    low, high = _wilson(share, effective)
    error = sqrt(max(whole * (1 - whole), 1e-9) / effective)
    return Part(row["what"], row["value"], share, low, high, n, many, whole, erfc(abs(share - whole) / error / sqrt(2)))


def _wilson(share: float, n: float) -> tuple[float, float]:
    z2 = Z95 * Z95
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = Z95 / (1 + z2 / n) * sqrt(max(share * (1 - share), 0.0) / n + z2 / (4 * n * n))
    return max(min(middle - reach, share), 0.0), min(max(middle + reach, share), 1.0)
