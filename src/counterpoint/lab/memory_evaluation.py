"""Evaluation of a model in memory, as a training loop does it: in batches, within a budget of time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.core.groups import Mode
from counterpoint.core.ports import Model, Pictures
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.lab.gating import FAILED, GateReport, find_baseline, find_targets
from counterpoint.lab.lab import Lab
from counterpoint.lab.name_lists import name_list
from counterpoint.lab.results import LabResult
from counterpoint.lab.running import RunReport, RunRequest, run_model
from counterpoint.lab.scores import ModelScore, Scores
from counterpoint.lab.selection import select_models
from counterpoint.lab.tracking import TrackingReport, parse_tracker
from counterpoint.metrics.gates import GateRule
from counterpoint.models.own.in_memory import wrap_model
from counterpoint.reports.tables import ResultTable
from counterpoint.store.lab import LabStore

if TYPE_CHECKING:
    from counterpoint.metrics.metric import Metric


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(LabResult[ModelScore]):
    """The scores of one version of a model, the run that asked it, and the gate where there are rules."""

    run: RunReport
    scores: Scores
    gate: GateReport | None = None
    logged: TrackingReport | None = None
    waiting: tuple[str, ...] = ()  # rules whose baseline is not there yet, and why

    def __iter__(self) -> Iterator[ModelScore]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def gate_fails(self) -> bool:
        """Whether a rule of the gate fails."""
        return self.gate is not None and self.gate.exit_code() == FAILED

    @property
    def metrics(self) -> dict[str, float]:
        """The metrics that lead on each suite, as loggers take them: suite/metric, with the ends of its interval."""
        return self.scores.leading()

    def to_dict(self) -> dict[str, Any]:
        """The run, the scores and the gate."""
        gate = self.gate.to_dict() if self.gate else None
        return {"run": self.run.to_dict(), **self.scores.to_dict(), "gate": gate, "waiting": list(self.waiting)}

    def records(self) -> list[dict[str, Any]]:
        """One row per score."""
        return self.scores.records()

    def tables(self) -> list[ResultTable]:
        """The tables of the scores and of the gate."""
        return [*self.scores.tables(), *(self.gate.tables() if self.gate else ())]

    def notes(self) -> list[str]:
        """What was asked, and what was not because of the budget; the verdict of the gate; the trackers."""
        results = (self.run, self.scores, self.gate, self.logged)
        notes = [note for result in results if result is not None for note in result.notes()]
        return [*notes, *self.waiting]


def evaluate(
    model: Any,
    lab: Lab | Path | str,
    *,
    name: str,
    version: str = "",
    fingerprint: str = "",
    suites: Sequence[str] = (),
    mode: str = Mode.ANSWER,
    limit: int | None = None,
    batch_size: int | None = None,
    seconds: float | None = None,
    metrics: "Sequence[str | Metric]" = (),
    gates: Sequence[str] = (),
    baseline: str = "",
    trackers: Sequence[str] = (),
    clock: Callable[[], float] = monotonic,
) -> Evaluation:
    """Ask a model in memory what the lab has no answer of it to, keep the answers as a version of it, and score them.

    `model` is a function of a list of pictures (arrays, or None) and a list of queries that returns a reply to each,
    in `mode="score"` a number; or an object with the methods of a model. A function has no fingerprint, so `version`
    is its identity, and the same name and version are not asked twice; with a `fingerprint`, such as a digest of the
    weights, a version cannot be given to other weights. After so many `seconds` no further batch is asked: pictures
    come in a random order that is the same for every version, and a later call goes on. `gates` are rules; one whose
    baseline is this version, or not there yet, waits. `trackers` are `wandb`, `mlflow`, `tensorboard` and `jsonl`.
    """
    lab = lab if isinstance(lab, Lab) else Lab(lab)
    suites, gates, trackers = name_list(suites), name_list(gates), name_list(trackers)
    _check(lab.store.opened(), gates, suites, trackers)
    identity: dict[str, Any] = {"name": name, "version": version, "fingerprint": fingerprint, "mode": _mode(mode)}
    how: dict[str, Any] = {"limit": limit, "batch_size": batch_size, "seconds": seconds, "check": 0}
    request = RunRequest(name, suites, name=name, version=version, **how)
    load = partial(_load, partial(wrap_model, model, **identity))
    run = run_model(lab.store.opened(), request, lab.progress, load=load, clock=clock)
    scores = lab.scores(models=[run.fingerprint], suites=suites, metrics=metrics, by=())
    waiting = _waiting(lab.store, run.fingerprint, gates, baseline)
    rules = [rule for rule in gates if rule not in waiting]
    gate = lab.gate(run.fingerprint, rules, baseline=baseline, suites=suites) if rules else None
    logged = lab.log(run.fingerprint, *trackers, suites=suites) if trackers else None
    return Evaluation(run, scores, gate, logged, tuple(waiting.values()))


def _check(store: LabStore, gates: Sequence[str], suites: Sequence[str], trackers: Sequence[str]) -> None:
    """Raise what is wrong with rules and trackers before anything is asked."""
    if gates:
        list(find_targets(store, gates, tuple(suites) or tuple(store.suites())))
    for tracker in trackers:
        parse_tracker(tracker)


def _waiting(store: LabStore, fingerprint: str, rules: Sequence[str], baseline: str) -> dict[str, str]:
    """The rules that have nothing to be compared with yet, each with a sentence that says why."""
    ((_, version),) = select_models(store, [fingerprint]).items()
    reasons: dict[str, str] = {}
    for text in rules:
        rule = GateRule.parse(text)
        try:
            if rule.baseline:
                find_baseline(store, version, rule, baseline)
        except CounterpointError as problem:
            reasons[text] = f"{rule.text}: waits, {problem}"
    return reasons


def _mode(mode: str) -> Mode:
    if mode not in list(Mode):
        raise UnknownName("mode", mode, Mode)
    return Mode(mode)


@contextmanager
def _load(wrap: Callable[[Pictures], Model], pictures: Pictures) -> Iterator[tuple[Model, Prefetcher]]:
    with Prefetcher(pictures) as prefetcher:
        yield wrap(prefetcher), prefetcher
