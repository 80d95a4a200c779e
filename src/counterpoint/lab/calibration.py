"""The reliability curve of a model: how often it is right at each confidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_answers, load_groups, select_models, version_notes
from counterpoint.metrics.calibration import ReliabilityBin, reliability
from counterpoint.metrics.outcomes import judge
from counterpoint.reports.charts.curves import ReliabilityChart, ReliabilityCurve
from counterpoint.reports.tables import ResultTable, percent
from counterpoint.store.lab import LabStore


@dataclass(frozen=True, slots=True, repr=False)
class Reliability(LabResult[ReliabilityBin]):
    """Bins of confidence with the accuracy in each; a notebook shows the curve."""

    _rows: ClassVar[str] = "bins"

    model: str
    bins: tuple[ReliabilityBin, ...]
    remarks: tuple[str, ...] = ()

    @property
    def chart(self) -> ReliabilityChart:
        """The curve beside the diagonal; `svg()` gives a file."""
        return ReliabilityChart(f"Reliability of {self.model}", (ReliabilityCurve(self.model, self.bins),))

    def tables(self) -> list[ResultTable]:
        """One line per bin."""
        lines = [
            (percent(own.confidence), percent(own.accuracy, own.accuracy_low, own.accuracy_high), f"{own.n:,}")
            for own in self.bins
        ]
        return [
            ResultTable(f"Reliability of {self.model}, in per cent", ("confidence", "accuracy", "n"), lines, names=0)
        ]

    def _repr_html_(self) -> str:
        return self.chart.svg() + LabResult._repr_html_(self)


def measure_reliability(
    store: LabStore, model: str, suites: Sequence[str], *, bins: int, equal_mass: bool
) -> Reliability:
    """The reliability of a model's answers to the bases of suites, in bins of equal width or of equal numbers."""
    ((title, version),) = select_models(store, [model]).items()
    outcomes = judge(load_groups(store, suites), load_answers(store, version, ["top"]))
    curve = reliability(outcomes.singles(), bins=bins, mass=equal_mass)
    return Reliability(title, tuple(curve), version_notes([model], [version]))
