"""Versions of models in experiment trackers: each is logged once, and again where its scores have changed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from counterpoint.core.errors import CounterpointError, UnknownName, shorten
from counterpoint.core.ids import content_id, hex_id
from counterpoint.integrations.trackers import TRACKERS, TrackedVersion
from counterpoint.lab.failures import list_failures
from counterpoint.lab.results import LabResult
from counterpoint.lab.scores import Scores, score_models
from counterpoint.lab.selection import load_answers, select_models
from counterpoint.metrics.scoring import ScoreRequest
from counterpoint.reports.charts.dots import Dot, DotChart
from counterpoint.store.documents import put_object, read_object
from counterpoint.store.lab import LabStore
from counterpoint.store.storage import FileMissing
from counterpoint.store.versions import ModelVersion

LISTED = 20
"""Failed groups of each suite that a tracker is shown."""
_LOGGED = "logged.json"


@dataclass(frozen=True, slots=True)
class LoggedVersion:
    """A version in one tracker, and where; not new where the same scores were there before."""

    model: str
    tracker: str
    destination: str
    is_new: bool


@dataclass(frozen=True, slots=True, repr=False)
class TrackingReport(LabResult[LoggedVersion], rows="logged"):
    """The trackers that know a version."""

    logged: tuple[LoggedVersion, ...]

    def notes(self) -> list[str]:
        """One sentence per tracker."""
        return [
            f"{own.model}: logged to {own.tracker} ({own.destination})"
            if own.is_new
            else f"{own.model}: these scores are in {own.tracker} already"
            for own in self.logged
        ]


def parse_tracker(text: str) -> tuple[str, str]:
    """The name of a tracker and its destination, which may be empty."""
    name, _, where = text.partition(":")
    if name not in TRACKERS:
        raise UnknownName("tracker", name, TRACKERS)
    return name, where


def log_version(
    store: LabStore, model: str, trackers: Sequence[str], suites: Sequence[str] = (), folder: Path | str = "."
) -> TrackingReport:
    """Log a version to trackers, `wandb`, `mlflow:URI` and so on; what they know already is not logged again.

    Files of trackers are relative to `folder`.
    """
    parsed = [parse_tracker(tracker) for tracker in trackers]
    ((title, version),) = select_models(store, [model]).items()
    tracked = _tracked_version(store, version, suites)
    state = hex_id(content_id([f"{name} {value:.6f}" for name, value in tracked.metrics.items()]))
    known, reports = _known(store), []
    for name, where in parsed:
        key = f"{name}:{where} {version.fingerprint}"
        is_new = known.get(key) != state
        reports.append(
            LoggedVersion(title, name, _log(tracked, name, where, Path(folder)) if is_new else where, is_new)
        )
        known |= {key: state}
        put_object(store.storage, _LOGGED, known)
    return TrackingReport(tuple(reports))


def _log(tracked: TrackedVersion, name: str, where: str, folder: Path) -> str:
    try:
        return TRACKERS[name](tracked, where, folder)
    except CounterpointError:
        raise
    except Exception as problem:  # code of others, with errors of its own for a server that is down or denies access
        fact = f"{name} did not take {tracked.title}: {type(problem).__name__}: {shorten(str(problem), 200)}"
        raise CounterpointError(fact, hint="its scores are in the lab; log it again") from problem


def _known(store: LabStore) -> dict[str, str]:
    """The scores that trackers know, as digests by tracker and version."""
    try:
        return {str(key): str(state) for key, state in read_object(store.storage, _LOGGED).items()}
    except FileMissing:
        return {}


def _tracked_version(store: LabStore, version: ModelVersion, suites: Sequence[str]) -> TrackedVersion:
    scores = score_models(store, ScoreRequest(()), [version.fingerprint], suites)
    names, answers = dict.fromkeys(row["suite"] for row in scores.rows), load_answers(store, version)
    return TrackedVersion(
        version.name,
        version.version,
        version.fingerprint,
        version.runs[0].date,
        version_steps([own for own in store.versions() if own.name == version.name])[version.fingerprint],
        scores.leading(),
        {name: list_failures(store, version.fingerprint, [name], LISTED, answers) for name in names},
        _chart(f"{version.name}@{version.version}", scores),
    )


def version_steps(versions: Sequence[ModelVersion]) -> Mapping[str, int]:
    """The number in the tag of each version of a model, where every tag ends with one; else its place, from 1."""
    numbers = [re.fullmatch(r"\D*(\d+)", version.version) for version in versions]
    steps = [int(number[1]) if number else 0 for number in numbers]
    places = steps if all(numbers) else range(1, len(versions) + 1)
    return {version.fingerprint: place for version, place in zip(versions, places, strict=True)}


def _chart(title: str, scores: Scores) -> str:
    rows = [row for row in scores.leading_rows() if row["low"] is not None]
    dots = (Dot(row["suite"], row["metric"], row["value"], row["low"], row["high"]) for row in rows)
    return DotChart(f"Scores of {title} with 95 % intervals", tuple(dots)).svg()
