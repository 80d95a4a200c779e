"""What a lab holds, and whether its files match their digests and fingerprints."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from counterpoint.core.costs import Cost
from counterpoint.core.groups import State
from counterpoint.core.quantities import counted
from counterpoint.lab.results import LabResult
from counterpoint.reports.tables import ResultTable
from counterpoint.store.documents import IntegrityCheck
from counterpoint.store.lab import LabStore, integrity_checks
from counterpoint.store.releases import ReleaseDigest, check_release, put_release
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
            "first_run": model.first_date,
            "last_run": model.last_date,
            "imported": model.is_imported,
            "baseline": model.is_baseline,
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
            model, mark = own.model, " (baseline)" if own.model.is_baseline else ""
            runs = counted(len(model.runs), "import") if model.is_imported else str(len(model.runs))
            counts = (f"{own.answers:,}", f"{own.failed:,}", runs, *_cost_texts(cost, has_tokens, has_price))
            days = (model.first_date or "–", model.last_date or "–")
            models.append((model.name, f"{model.version}{mark}", *counts, *days, model.slug))
        prices = (*("tokens in", "tokens out") * has_tokens, *("price",) * has_price)
        heads = (
            "model",
            "version",
            "answers",
            "failed",
            "runs",
            *prices,
            "first run",
            "last run",
            "folder of its answers",
        )
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
    """The integrity checks of a lab or a suite, and what was repaired."""

    folder: Path | str
    checks: tuple[IntegrityCheck, ...]
    repairs: tuple[str, ...] = ()
    release: ReleaseDigest | None = None

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return not self.broken

    @property
    def broken(self) -> tuple[IntegrityCheck, ...]:
        """The checks that do not hold."""
        return tuple(check for check in self.checks if not check.holds)

    def to_dict(self) -> dict[str, Any]:
        """Whether all hold, each check, and what was repaired."""
        release = {"release": self.release.to_dict()} if self.release else {}
        about = {"folder": str(self.folder), "holds": self.holds, "checks": self.records()}
        return about | {"repairs": list(self.repairs)} | release

    def notes(self) -> list[str]:
        """What was repaired, what does not hold and what helps, what can be trusted, then the count."""
        lines = [f"repaired: {repair}" for repair in self.repairs]
        for check in self.broken:
            lines.append(f"{check.place}: {check.name} does not hold: {check.found}")
            lines += [f"  {check.hint}"] if check.hint else []
            lines += [f"  --repair would {check.repair.description}"] if check.repair else []
        lines += [f"not affected: {', '.join(self.unaffected) or 'nothing'}"] if self.broken else []
        lines += [str(self.release)] if self.release else []
        holding = len(self.checks) - len(self.broken)
        count = f"all {holding}" if self.holds else f"{holding} of {len(self.checks)}"
        return [*lines, f"{count} checks hold in {self.folder}"]

    @property
    def unaffected(self) -> tuple[str, ...]:
        """The suites, and the folders of models' answers, of which every check holds."""
        owners = {check.place: "/".join(check.place.split("/")[:2]) for check in self.checks}
        affected = {owners[check.place] for check in self.broken}
        kept = {owner for owner in owners.values() if owner.startswith(("suites/", "answers/"))}
        return tuple(sorted(kept - affected))


def list_contents(store: LabStore) -> LabContents:
    """The suites with their manifests, and the models with the numbers of their answers."""
    models = []
    for model in store.versions():
        states = store.read_answers(model.fingerprint, ["state"])["state"]
        failed = pc.sum(pc.equal(states, State.FAILED.value)).as_py() or 0
        models.append(ModelContents(model, len(states) - failed, failed))
    return LabContents(tuple(store.manifest(name) for name in store.suites()), tuple(models))


def verify_folder(
    folder: Path | str,
    *,
    repair: bool = False,
    release: Path | str | None = None,
    write_release: Path | str | None = None,
) -> Verification:
    """Check a lab, or the folder of one suite; `repair` does what the checks that do not hold say it would.

    `release` is a file with the digests of all files, as `write_release` writes it, that they are checked against.
    """
    repairs = _repair(folder) if repair else ()
    checks = [*integrity_checks(folder), *(check_release(folder, Path(release)) if release else ())]
    written = put_release(folder, Path(write_release)) if write_release else None
    return Verification(folder, tuple(checks), repairs, written)


def _repair(folder: Path | str) -> tuple[str, ...]:
    """Repair what can be, until nothing is left: what one repair restores may show another."""
    done = list[str]()
    while repairs := [check.repair for check in integrity_checks(folder) if not check.holds and check.repair]:
        if repairs[0].description in done:
            break
        for repair in repairs:
            repair.apply()
            done.append(repair.description)
    return tuple(done)
