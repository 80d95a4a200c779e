"""What a model costs: how large it is, how many queries it answers in a second, how many seconds one takes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from counterpoint.core.answers import State
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import RunRecord

UNTOLD = "it does not say how large it is"
AT_SERVER = "its server does not say how large it is"
NOT_TIMED = "no run of it was timed from beginning to end"
ELSEWHERE = "its answers were made elsewhere"


@dataclass(frozen=True, slots=True)
class Cost:
    """What is known of a model; for what is not, the reason, by the name of the figure.

    Queries a second are those of whole runs, decoding and writing included; the seconds of a query are those that its
    batch took divided by the size of the batch. Both are means over all runs in a lab, whatever machine they ran on.
    """

    parameters: int | None = None
    queries_per_second: float | None = None
    seconds_per_query: float | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def costs(lab: LabStore) -> dict[str, Cost]:
    """The cost of every model of a lab, by its fingerprint."""
    runs: dict[str, list[RunRecord]] = {}
    for info in lab.runs():
        runs.setdefault(info.fingerprint, []).append(info)
    return {fingerprint: cost(own, _seconds(lab, fingerprint)) for fingerprint, own in runs.items()}


def cost(runs: Sequence[RunRecord], seconds: float | None) -> Cost:
    """The cost of one model, from its runs and the mean of the seconds of its answers."""
    sizes = [size for info in runs if isinstance(size := info.details.get("parameters"), int) and size]
    timed = [pair for info in runs if (pair := _timed(info))]
    asked, spent = sum(asked for asked, _ in timed), sum(spent for _, spent in timed)
    here = bool(timed or seconds)
    found = Cost(sizes[-1] if sizes else None, asked / spent if spent else None, seconds)
    reasons = {
        "parameters": (AT_SERVER if runs[-1].model.startswith("openai/") else UNTOLD) if here else ELSEWHERE,
        "queries_per_second": NOT_TIMED if here else ELSEWHERE,
        "seconds_per_query": NOT_TIMED if here else ELSEWHERE,
    }
    blank = {name: why for name, why in reasons.items() if getattr(found, name) is None}
    return Cost(found.parameters, found.queries_per_second, found.seconds_per_query, blank)


def told(found: Mapping[str, Cost]) -> Iterator[str]:
    """Why figures are blank, model by model."""
    for model, own in found.items():
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
