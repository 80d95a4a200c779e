"""The curve of reliability as a chart: every bin in it, and one that can be drawn."""

import re

from counterpoint.metrics.calibration import ReliabilityBin
from counterpoint.reports.charts import svg
from counterpoint.reports.reliability_chart import reliability_chart

BINS = [ReliabilityBin(0.6, 0.667, 12, 0.63, 0.5, 0.3, 0.7), ReliabilityBin(0.933, 1.0, 40, 0.98, 0.9, 0.8, 0.95)]


def test_every_bin_is_a_point_and_the_chart_can_be_drawn() -> None:
    spec = reliability_chart({"fusion": BINS, "cnn-lstm": BINS[:1]}, title="Reliability")
    assert [(one["model"], one["answers"]) for one in spec["data"]["values"]] == [
        ("fusion", 12),
        ("fusion", 40),
        ("cnn-lstm", 12),
    ]
    drawn = svg(spec)
    assert drawn.startswith("<svg")
    assert len(re.findall(r'aria-roledescription="point"', drawn)) == 3
    assert "fusion" in drawn
