"""Runs: what was asked of which model, how far a run is, and what each of its workers does."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from counterpoint.engine.progress import format_duration
from counterpoint.explorer.page import ListPage, PageRequest, PageView
from counterpoint.lab.reader import LabReader
from counterpoint.store.versions import IMPORTED, RunRecord

SILENT_SECONDS = 60
"""A run that has recorded nothing for so long was most likely killed."""
PAGE = 40
"""How many runs a page lists."""


class WorkerRow(Struct, frozen=True):
    """A worker of a run."""

    name: str
    state: str
    answered: int
    rate: float | None  # queries a second
    losses: int
    reason: str


class RunRow(Struct, frozen=True):
    """A run in the list of all."""

    run: str
    began: str  # UTC
    model: str
    address: str  # of the model's page; empty where it has none
    state: str  # running, silent (running, and not heard of), done, stopped, killed, imported
    suites: tuple[str, ...]
    asked: int
    total: int | None  # that a running one has to ask
    failed: int
    cached: int
    seconds: str
    cost: str
    reason: str  # the most frequent one of failures
    workers: tuple[WorkerRow, ...]


@dataclass(frozen=True, slots=True)
class RunsView(PageView):
    """The runs of a lab, the newest first."""

    runs: tuple[RunRow, ...] = ()
    found: int = 0
    first: int = 0
    last: int = 0
    is_running: bool = False


def runs_view(reader: LabReader, request: PageRequest) -> RunsView:
    """The runs of the lab, the newest first."""
    records = reader.lab.runs()[::-1]
    addresses = {model.fingerprint: f"/models/{quote(model.slug)}" for model in reader.models()}
    page = ListPage.read(request.values.get("page", ""), PAGE, len(records))
    listed = records[page.offset : page.offset + PAGE]
    runs = tuple(_run_row(record, addresses.get(record.fingerprint, "")) for record in listed)
    return RunsView(
        title="Runs",
        sentence="What was asked of which model, the newest first. A run that goes on is followed here.",
        twin=f"/runs.json?page={page.number}",
        runs=runs,
        **page.fields(lambda number: f"/runs?page={number}"),
        is_running=any(run.state == "running" for run in runs),
    )


def _run_row(record: RunRecord, address: str) -> RunRow:
    details = record.details
    counts, reasons = _mapping(details, "counts"), _mapping(details, "reasons")
    seconds, total = details.get("seconds"), details.get("total")
    return RunRow(
        run=record.run,
        began=_began(record.run),
        model=f"{record.model}@{record.version}" if record.version else record.model,
        address=address,
        state=_state(record),
        suites=tuple(sorted(_mapping(details, "suites"))),
        asked=_count(counts, "asked"),
        total=total if isinstance(total, int) else None,
        failed=_count(counts, "failed"),
        cached=_count(counts, "cached"),
        seconds=format_duration(seconds) if isinstance(seconds, int | float) else "",
        cost=str(record.cost) if record.cost else "",
        reason=next(iter(reasons), ""),
        workers=tuple(_worker_row(worker) for worker in details.get("workers") or () if isinstance(worker, dict)),
    )


def _worker_row(worker: Mapping[str, Any]) -> WorkerRow:
    answered, seconds = _count(worker, "answered"), worker.get("seconds")
    rate = answered / seconds if isinstance(seconds, int | float) and seconds > 0 else None
    about = str(worker.get("name", "")), str(worker.get("state", ""))
    return WorkerRow(*about, answered, rate, _count(worker, "losses"), str(worker.get("reason", "")))


def _state(record: RunRecord) -> str:
    state = str(record.details.get("state", "imported" if record.fingerprint.startswith(IMPORTED) else ""))
    if state != "running":
        return state
    try:
        heard = datetime.fromisoformat(str(record.details.get("updated", "")))
        return "running" if (datetime.now(UTC) - heard).total_seconds() < SILENT_SECONDS else "silent"
    except (TypeError, ValueError):  # a record of an older release, or of another program
        return "silent"


def _began(run: str) -> str:
    """When a run began, by its name.

    >>> _began("20261117T053503.509469-92fcd7fa"), _began("mine")
    ('2026-11-17 05:35', '')
    """
    try:
        return datetime.strptime(run.partition(".")[0], "%Y%m%dT%H%M%S").strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return ""


def _mapping(details: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = details.get(name)
    return value if isinstance(value, dict) else {}


def _count(counts: Mapping[str, Any], name: str) -> int:
    value = counts.get(name)
    return value if isinstance(value, int) else 0
