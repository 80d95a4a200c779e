"""What a lab holds, and whether it still is what it was."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from counterpoint.core.costs import Cost
from counterpoint.core.groups import State
from counterpoint.lab.results import LabResult
from counterpoint.reports.tables import ResultTable
from counterpoint.store.folder import IntegrityCheck
from counterpoint.store.lab import LabStore, integrity_checks
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import ModelVersion


@dataclass(frozen=True, slots=True)
class ModelContents:
    """A version of a model with the numbers of its answers."""

    model: ModelVersion
    answers: int
    failed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        model = self.model
        return {
            "model": model.name,
            "version": model.version,
            "title": model.title,
            "fingerprint": model.fingerprint,
            "slug": model.slug,
            "first_run": model.runs[0].date,
            "answers": self.answers,
            "failed": self.failed,
            "runs": len(model.runs),
            **model.cost.to_dict(),
        }


@dataclass(frozen=True, slots=True, repr=False)
class LabContents(LabResult[ModelContents], rows="models"):
    """The suites and models of a lab."""

    suites: tuple[Manifest, ...]
    models: tuple[ModelContents, ...]

    def tables(self) -> list[ResultTable]:
        """A table of suites and one of models."""
        suites = [
            (suite.suite, f"{suite.groups:,}", f"{suite.rows:,}", str(suite.seed), suite.fingerprint[:12])
            for suite in self.suites
        ]
        costs = [own.model.cost for own in self.models]
        has_tokens, has_price = any(cost.answers for cost in costs), any(cost.price_text for cost in costs)
        models = []
        for own, cost in zip(self.models, costs, strict=True):
            name, runs = (own.model.name, own.model.version), own.model.runs
            counts = (f"{own.answers:,}", f"{own.failed:,}", str(len(runs)), *_cost_texts(cost, has_tokens, has_price))
            models.append((*name, *counts, runs[0].date, own.model.slug))
        prices = (*("tokens in", "tokens out") * has_tokens, *("price",) * has_price)
        heads = ("model", "version", "answers", "failed", "runs", *prices, "first run", "folder of its answers")
        return [
            ResultTable("Suites", ("suite", "groups", "queries", "seed", "fingerprint"), suites),
            ResultTable("Models", heads, models, names=2),
        ]


def _cost_texts(cost: Cost, has_tokens: bool, has_price: bool) -> list[str]:
    """The tokens and the price of a model, each where any model has it."""
    counts = (cost.usage.tokens_in, cost.usage.tokens_out) * has_tokens
    return [*(f"{count:,}" if cost.answers else "–" for count in counts), *[cost.price_text or "–"] * has_price]


@dataclass(frozen=True, slots=True, repr=False)
class Verification(LabResult[IntegrityCheck], rows="checks"):
    """The integrity checks of a lab or a suite."""

    folder: Path
    checks: tuple[IntegrityCheck, ...]

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return not self.broken

    @property
    def broken(self) -> tuple[IntegrityCheck, ...]:
        """The checks that do not hold."""
        return tuple(check for check in self.checks if not check.holds)

    def to_dict(self) -> dict[str, Any]:
        """Whether all hold, and each check."""
        return {"folder": str(self.folder), "holds": self.holds, "checks": self.records()}

    def notes(self) -> list[str]:
        """What does not hold and what helps, then the count."""
        lines = []
        for check in self.broken:
            lines.append(f"{check.place}: {check.name} does not hold: {check.found}")
            lines += [f"  {check.hint}"] if check.hint else []
        holding = len(self.checks) - len(self.broken)
        count = f"all {holding}" if self.holds else f"{holding} of {len(self.checks)}"
        return [*lines, f"{count} checks hold in {self.folder}"]


def list_contents(store: LabStore) -> LabContents:
    """The suites with their manifests, and the models with the numbers of their answers."""
    models = []
    for model in store.versions():
        states = store.read_answers(model.fingerprint, ["state"])["state"]
        failed = pc.sum(pc.equal(states, State.FAILED.value)).as_py() or 0
        models.append(ModelContents(model, len(states) - failed, failed))
    return LabContents(tuple(store.manifest(name) for name in store.suites()), tuple(models))


def verify_folder(folder: Path) -> Verification:
    """Check a lab, or the folder of one suite."""
    return Verification(folder, tuple(integrity_checks(folder)))
