"""Methods of a lab on the versions of a model: gates, the baseline, the history and trackers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint.lab.lab_folder import LabFolder
from counterpoint.lab.name_lists import metric_list, name_list

if TYPE_CHECKING:
    from counterpoint.lab.gating import GateReport
    from counterpoint.lab.history import ModelHistory
    from counterpoint.lab.sample_sizes import SampleSizes
    from counterpoint.lab.tracking import TrackingReport
    from counterpoint.metrics.metric import Metric
    from counterpoint.store.versions import ModelVersion


class VersionMethods(LabFolder):
    """What tells whether a version is as good as it has to be, or as the one before."""

    def gate(
        self,
        model: str,
        rules: Sequence[str],
        *,
        baseline: str = "",
        suites: Sequence[str] = (),
        threshold: float = 0.5,
    ) -> GateReport:
        """Hold rules against a model: each holds, fails, or cannot be decided yet, with the bound that decided.

        Rules look like "negation.accuracy >= 0.6", "accuracy not worse than baseline by 1 point", "unparsed <= 2 %",
        "max drop on any suite <= 3 points" and "findings: none new against baseline".
        """
        from counterpoint.lab.gating import gate_model

        how: dict[str, Any] = {"baseline": baseline, "suites": name_list(suites), "threshold": threshold}
        return gate_model(self.store.opened(), model, name_list(rules), **how)

    def log(self, model: str, *trackers: str, suites: Sequence[str] = (), folder: Path | str = ".") -> TrackingReport:
        """Log scores, a chart and failures of a version to trackers (`wandb`, `mlflow`, `tensorboard`, `jsonl`), once.

        A destination follows a colon: `wandb:PROJECT`, `mlflow:URI`, `tensorboard:FOLDER`, `jsonl:FILE`; these
        are relative to `folder`.
        """
        from counterpoint.lab.tracking import log_version

        return log_version(self.store.opened(), model, trackers, name_list(suites), folder)

    def gate_sequentially(
        self,
        model: str,
        rules: Sequence[str],
        *,
        baseline: str = "",
        method: str = "asymptotic",
        portion: int = 50,
        threshold: float = 0.5,
        **request: Any,
    ) -> GateReport:
        """Ask a model about pictures in random order until every rule is decided or one fails.

        The tests stay valid however often one looks; `method` is "asymptotic" or "betting", which is exact and needs
        more where pictures have very different numbers of questions. A portion is of so many pictures, and later
        of a tenth of those asked. Further arguments are those of `run`.
        """
        from counterpoint.lab.running import RunRequest
        from counterpoint.lab.sequential_gate import GateRules, SequentialRequest, gate_sequentially

        gates = SequentialRequest((GateRules(name_list(rules), baseline),), method, portion, threshold)
        _, (report,) = gate_sequentially(self.store.opened(), RunRequest.of(model, **request), gates, self.progress)
        return report

    def sample_size(
        self,
        detect: float,
        *,
        models: Sequence[str] = (),
        suites: Sequence[str] = (),
        metrics: Sequence[str] = (),
        power: float = 0.8,
        rules: int = 1,
    ) -> SampleSizes:
        """How many groups of each suite a gate needs to find a value so far beyond its line or margin (0.02: 2 points).

        The variance is that of the answers of `models`, by default all; those that vary most decide.
        """
        from counterpoint.lab.sample_sizes import SizeRequest, find_sizes

        chosen = name_list(models), name_list(suites), name_list(metrics)
        return find_sizes(self.store.opened(), SizeRequest(detect, *chosen, power, rules))

    def history(
        self,
        model: str,
        *,
        suites: Sequence[str] = (),
        metrics: Sequence[str | Metric] = (),
        threshold: float = 0.5,
    ) -> ModelHistory:
        """The scores of all versions of a model, and where one differs from those before it by a paired test."""
        from counterpoint.lab.history import model_history
        from counterpoint.metrics.scoring import ScoreRequest

        request = ScoreRequest((), metrics=metric_list(metrics), threshold=threshold)
        return model_history(self.store.opened(), model, name_list(suites), request)

    def set_baseline(self, model: str) -> ModelVersion:
        """Mark a version as the baseline of its model, which `model@baseline` selects from then on."""
        from counterpoint.lab.selection import select_models

        ((_, version),) = select_models(self.store.opened(), [model]).items()
        self.store.set_baseline(version)
        return version
