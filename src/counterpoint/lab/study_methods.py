"""Training data, studies and the tables of papers, as methods that `Lab` inherits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint.lab.lab_folder import LabFolder
from counterpoint.lab.name_lists import with_name_lists

if TYPE_CHECKING:
    from counterpoint.lab.augmentation import TrainingSet
    from counterpoint.lab.descriptions import DataDescription, ExpectedFiles
    from counterpoint.lab.foil_words import FoilWordReport
    from counterpoint.lab.papers import PaperTables
    from counterpoint.lab.results import LabResult
    from counterpoint.lab.translation import BackTranslations


class StudyMethods(LabFolder):
    """What is made from a lab or a source beside suites and scores."""

    def augment(self, out: Path | str, layout: str, **request: Any) -> TrainingSet:
        """Write training questions in the manner of this lab's suites, about other pictures (`AugmentRequest`)."""
        from counterpoint.lab.augmentation import AugmentRequest, write_training_set

        named = AugmentRequest(Path(out), layout, **with_name_lists(request))
        return write_training_set(self.store, named, self.progress)

    def study(self, study: str, **request: Any) -> LabResult[Any]:
        """Run a study: blind (text-only baselines of this lab), rad (RAD as a predictor, of its models), plain."""
        from counterpoint.lab.studies import run_study

        return run_study(self.store, study, request, self.progress)

    def paper(self, paper: str, **request: Any) -> PaperTables:
        """The tables of one of the five papers from the models of this lab (`PaperRequest`)."""
        from counterpoint.lab.papers import PaperRequest, paper_tables

        return paper_tables(self.store.opened(), PaperRequest(paper, **with_name_lists(request)))

    def words(self, *suites: str, out: Path | str | None = None, top: int = 25) -> FoilWordReport:
        """By which words captions and foils differ; with `out`, a chart for each test in that folder."""
        from counterpoint.lab.foil_words import analyse_foil_words

        return analyse_foil_words(self.store.opened(), suites, Path(out) if out else None, top)

    def data(self, source: str, **request: Any) -> DataDescription | ExpectedFiles:
        """Which files a data set has, what is in them, and how its answers overlap with others (`describe_data`)."""
        from counterpoint.lab.descriptions import describe_data

        return describe_data(source, progress=self.progress, **request)

    def translate(self, out: Path | str, *, there: str, back: str, **request: Any) -> BackTranslations:
        """Translate questions of a source to another language and back, for a suite (`counterpoint.translate`)."""
        from counterpoint.lab.translation import translate

        return translate(out, there, back, progress=self.progress, **request)
