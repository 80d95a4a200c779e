"""The size, speed and price of the models of a lab, from the records of their runs, and why a figure is missing."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from counterpoint.core.costs import Cost, total_cost
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import State
from counterpoint.core.quantities import counted
from counterpoint.metrics.labels import Labels
from counterpoint.metrics.leaderboard import ModelCost
from counterpoint.metrics.scoring import ALL_FAILED
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import RunRecord

SIZE_UNKNOWN = "it does not say how large it is"
SIZE_UNKNOWN_AT_SERVER = "its server does not say how large it is"
NOT_TIMED = "no run of it was timed from beginning to end"
IMPORTED = "its answers were made elsewhere"
_NAMED = 3  # models in one sentence


def lab_costs(
    lab: LabStore,
    seconds: Callable[[str], float | None] | None = None,
    *,
    fingerprints: Collection[str] | None = None,
) -> dict[str, ModelCost]:
    """The cost of every model of a lab, or of some, by its fingerprint; `seconds` may know the mean of its answers."""
    chosen = (info for info in lab.runs() if fingerprints is None or info.fingerprint in fingerprints)
    runs = group_pairs((info.fingerprint, info) for info in chosen)
    seconds = seconds or partial(_mean_seconds, lab)
    failures = {
        fingerprint: _failure(lab, fingerprint) if _all_failed(own) else "" for fingerprint, own in runs.items()
    }
    return {
        fingerprint: model_cost(own, seconds(fingerprint), failures[fingerprint]) for fingerprint, own in runs.items()
    }


def _all_failed(runs: Sequence[RunRecord]) -> bool:
    """Whether a model was asked, and every run asked in vain."""
    counts = [info.details["counts"] for info in runs if _is_of_questions(info)]
    return bool(counts) and all(own["asked"] == own.get("failed") for own in counts)


def _failure(lab: LabStore, fingerprint: str) -> str:
    """That all queries of a model failed, with the most frequent reason; empty where one did not."""
    table = lab.read_answers(fingerprint, ["state", "reason"])
    reasons = Counter(table["reason"].to_pylist())
    if not reasons or set(table["state"].to_pylist()) != {State.FAILED}:
        return ""
    reason, times = reasons.most_common(1)[0]
    return f"{ALL_FAILED}, {times:,} of {table.num_rows:,} with {reason!r}"


def model_cost(runs: Sequence[RunRecord], seconds: float | None, failure: str = "") -> ModelCost:
    """The cost of one model, from its runs, the mean of the seconds of its answers, and why all of them failed."""
    sizes = [size for info in runs if isinstance(size := info.details.get("parameters"), int) and size]
    timed = [pair for info in runs if (pair := _timed(info))]
    asked, spent = sum(asked for asked, _ in timed), sum(spent for _, spent in timed)
    here, served = (
        bool(timed or seconds or any(map(_is_of_questions, runs))),
        runs[-1].model.startswith(("openai/", "anthropic/", "google/")),
    )
    figures = ModelCost(
        sizes[-1] if sizes else None,
        asked / spent if spent else None,
        seconds,
        *_token_costs(total_cost(info.cost for info in runs)),
    )
    reasons = {
        "parameters": (SIZE_UNKNOWN_AT_SERVER if served else SIZE_UNKNOWN) if here else IMPORTED,
        "queries_per_second": failure or NOT_TIMED if here else IMPORTED,
        "seconds_per_query": failure or NOT_TIMED if here else IMPORTED,
    }
    return replace(figures, reasons={name: why for name, why in reasons.items() if getattr(figures, name) is None})


def _token_costs(cost: Cost) -> tuple[float | None, float | None, str]:
    """The tokens of a query, the price of a thousand, and the currency."""
    if cost.price is None or cost.prices is None:
        return cost.usage.tokens / cost.answers if cost.answers else None, None, ""
    return cost.usage.tokens / cost.answers, 1000 * cost.price / cost.answers, cost.prices.currency


def explain_missing_costs(costs: Mapping[str, ModelCost]) -> Iterator[str]:
    """Why figures are missing, for models with the same reason in one sentence."""
    reasons = ((model, group_pairs((why, name) for name, why in own.reasons.items())) for model, own in costs.items())
    alike = group_pairs(((tuple(names), why), model) for model, own in reasons for why, names in own.items())
    for (names, why), models in alike.items():
        others = f" and {counted(len(models) - _NAMED, 'other')}" if len(models) > _NAMED else ""
        yield f"{', '.join(models[:_NAMED])}{others}: {', '.join(names).replace('_', ' ')}: {why}"


def _is_of_questions(info: RunRecord) -> bool:
    """Whether a run asked a model, if only in vain; an import counts what it added instead."""
    counts = info.details.get("counts")
    return isinstance(counts, Mapping) and "asked" in counts


def _timed(info: RunRecord) -> tuple[int, float] | None:
    """How many queries a run put to its model and in how many seconds, if it was timed."""
    counts, seconds = info.details.get("counts", {}), info.details.get("seconds")
    asked = counts.get("asked") if isinstance(counts, Mapping) else None
    return (asked, float(seconds)) if asked and isinstance(seconds, int | float) and seconds > 0 else None


def _mean_seconds(lab: LabStore, fingerprint: str) -> float | None:
    table = lab.read_answers(fingerprint, ["state", "seconds"])
    failed = Labels.of(table["state"]).where([State.FAILED])
    seconds = table["seconds"].to_numpy()[~failed]
    return float(seconds.mean()) if seconds.any() else None
