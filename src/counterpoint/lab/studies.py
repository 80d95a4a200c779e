"""Studies by name, experiments on a lab or on the built-in world; and accuracy on plain questions of the world."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.core.quantities import counted
from counterpoint.lab.blind_study import blind_study
from counterpoint.lab.name_lists import with_name_lists
from counterpoint.lab.progress import ProgressCallback, ignore_progress, track
from counterpoint.lab.rad_study import rad_coverage, rad_study
from counterpoint.lab.results import LabResult, to_plain
from counterpoint.reports.tables import ResultTable, percent
from counterpoint.store.lab import LabStore
from counterpoint.studies.plain_accuracy import PlainExam, PlainReport, examine
from counterpoint.world.source import World

STUDIES = ("blind", "plain", "rad", "rad-coverage")
"""Text-only baselines of a lab, accuracy on plain questions, RAD as a predictor, and the coverage of augmentations."""
_TEXT_ONLY = frozenset(("ngram", "trigram"))  # they score a text by itself; `study blind` is for them


@dataclass(frozen=True, slots=True, repr=False)
class PlainStudy(LabResult[PlainReport], rows="reports"):
    """A report on each model."""

    reports: tuple[PlainReport, ...]
    scenes: int
    split: str
    by_kind: bool = False  # show each kind of question

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"models": to_plain(self.reports)}

    def records(self) -> list[dict[str, Any]]:
        """One row per model and kind of question."""
        return [
            {"model": report.model, "kind": kind, **asdict(score)}
            for report in self.reports
            for kind, score in report.kinds.items()
        ]

    def tables(self) -> list[ResultTable]:
        """Accuracy of each model with 95 % intervals over pictures, and of each kind of question where it is wanted."""
        scenes = counted(self.scenes, "scene")
        title = f"Correct answers on {scenes} of the {self.split} split, per cent with 95 % intervals"
        rows = []
        for report in self.reports:
            scores = (report.overall, *map(report.manners.get, ("GQA", "VQA")), report.ranking)
            rows.append((report.model, *(percent(own.value, own.low, own.high) if own else "–" for own in scores)))
        table = ResultTable(title, ("model", "questions", "GQA style", "VQA style", "captions"), rows)
        if not self.by_kind:
            return [table]
        answering = [report for report in self.reports if report.kinds]
        names = sorted({kind for report in answering for kind in report.kinds})
        cells = [{kind: percent(score.value) for kind, score in report.kinds.items()} for report in answering]
        shares = [(kind, *(own.get(kind, "–") for own in cells)) for kind in names]
        heads = ("kind", *(report.model for report in answering))
        return [table, ResultTable("By kind of question", heads, shares)]


def study(name: str, *, progress: ProgressCallback = ignore_progress, **request: Any) -> LabResult[Any]:
    """Run a study that needs no lab: plain (accuracy on the built-in world), rad, rad-coverage.

    >>> study("rad").records()[0]["intercept"]
    False
    """
    return run_study(None, name, request, progress)


def run_study(
    lab: LabStore | None, study: str, request: Mapping[str, Any], progress: ProgressCallback
) -> LabResult[Any]:
    """Run a study; `rad` takes the models of the lab where no other place is given."""
    request = with_name_lists(request)
    match study:
        case "blind" if lab is None:
            raise CounterpointError("the study blind needs a lab", hint="Lab(FOLDER).study('blind') ranks its captions")
        case "blind":
            assert lab is not None, "the case above is that of no lab"
            return blind_study(lab, **request, progress=progress)
        case "plain":
            return plain_study(**request, progress=progress)
        case "rad":
            return rad_study(**{"place": lab.address if lab else None, **request})
        case "rad-coverage":
            return rad_coverage(**request, progress=progress)
    raise UnknownName("study", study, STUDIES)


def plain_study(
    *,
    models: Sequence[str] = (),
    items: int = 300,
    split: str = "test",
    seed: int = 0,
    kinds: bool = False,
    progress: ProgressCallback = ignore_progress,
) -> PlainStudy:
    """Examine models, by default all of the catalog that see pictures or questions, on new scenes of the world.

    Names are looked up before scenes are drawn; `kinds` shows each kind of question as well.
    """
    world = World(split, items, seed=seed)
    names = models or tuple(name for name in catalog.rows("models") if name not in _TEXT_ONLY)
    loaded = {name: catalog.model(name, world) for name in names}
    exam = PlainExam.of(world)
    reports = [
        examine(name, model, exam, partial(track, task=name, progress=progress)) for name, model in loaded.items()
    ]
    return PlainStudy(tuple(reports), items, split, kinds)
