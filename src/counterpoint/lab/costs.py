"""What the models of a lab cost: parameters, queries a second, seconds a query."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from counterpoint.core.groups import State
from counterpoint.metrics.leaderboard import ModelCost
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import RunRecord

SIZE_UNKNOWN = "it does not say how large it is"
SIZE_UNKNOWN_AT_SERVER = "its server does not say how large it is"
NOT_TIMED = "no run of it was timed from beginning to end"
IMPORTED = "its answers were made elsewhere"


def lab_costs(lab: LabStore) -> dict[str, ModelCost]:
    """The cost of every model of a lab, by its fingerprint."""
    runs: dict[str, list[RunRecord]] = {}
    for info in lab.runs():
        runs.setdefault(info.fingerprint, []).append(info)
    return {fingerprint: model_cost(own, _seconds(lab, fingerprint)) for fingerprint, own in runs.items()}


def model_cost(runs: Sequence[RunRecord], seconds: float | None) -> ModelCost:
    """The cost of one model, from its runs and the mean of the seconds of its answers."""
    sizes = [size for info in runs if isinstance(size := info.details.get("parameters"), int) and size]
    timed = [pair for info in runs if (pair := _timed(info))]
    asked, spent = sum(asked for asked, _ in timed), sum(spent for _, spent in timed)
    here = bool(timed or seconds)
    figures = ModelCost(sizes[-1] if sizes else None, asked / spent if spent else None, seconds)
    reasons = {
        "parameters": (SIZE_UNKNOWN_AT_SERVER if runs[-1].model.startswith("openai/") else SIZE_UNKNOWN)
        if here
        else IMPORTED,
        "queries_per_second": NOT_TIMED if here else IMPORTED,
        "seconds_per_query": NOT_TIMED if here else IMPORTED,
    }
    return replace(figures, reasons={name: why for name, why in reasons.items() if getattr(figures, name) is None})


def explain_missing_costs(costs: Mapping[str, ModelCost]) -> Iterator[str]:
    """Why figures are missing, model by model."""
    for model, own in costs.items():
        blank: dict[str, list[str]] = {}
        for name, why in own.reasons.items():
            blank.setdefault(why, []).append(name.replace("_", " "))
        yield from (f"{model}: {', '.join(names)}: {why}" for why, names in blank.items())


def _timed(info: RunRecord) -> tuple[int, float] | None:
    """How many queries a run put to its model and in how many seconds, if it was timed."""
    counts, seconds = info.details.get("counts", {}), info.details.get("seconds")
    asked = counts.get("asked") if isinstance(counts, Mapping) else None
    return (asked, float(seconds)) if asked and isinstance(seconds, int | float) and seconds > 0 else None


def _seconds(lab: LabStore, fingerprint: str) -> float | None:
    table = lab.read_answers(fingerprint, ["state", "seconds"])
    settled = np.array([state != State.FAILED for state in table["state"].to_pylist()], np.bool_)
    seconds = table["seconds"].to_numpy()[settled] if len(settled) else np.empty(0)
    return float(seconds.mean()) if seconds.any() else None
