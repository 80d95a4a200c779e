"""The public API: a lab, and everything that can be done with it.

Every method builds a request, calls one function of this package and returns a result that can be printed, shown in a
notebook and taken further as data. The command line calls the same methods.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint.lab.progress import ProgressCallback, ignore_progress

if TYPE_CHECKING:
    from counterpoint.core.groups import Group
    from counterpoint.lab.augmentation import TrainingSet
    from counterpoint.lab.checking import SuiteValidity
    from counterpoint.lab.comparison import Comparison, Coverage
    from counterpoint.lab.contents import LabContents, Verification
    from counterpoint.lab.corrections import CorrectedSuite
    from counterpoint.lab.descriptions import DataDescription, ExpectedFiles
    from counterpoint.lab.exporting import ExportReport, WrittenFiles
    from counterpoint.lab.failures import Failures
    from counterpoint.lab.foil_words import FoilWordReport
    from counterpoint.lab.gating import GateReport
    from counterpoint.lab.generation import GeneratedSuites
    from counterpoint.lab.history import ModelHistory
    from counterpoint.lab.importing import ImportReport
    from counterpoint.lab.label_errors import LabelSuspects
    from counterpoint.lab.leaderboard import LeaderboardResult
    from counterpoint.lab.papers import PaperTables
    from counterpoint.lab.picture_locations import PictureLocations
    from counterpoint.lab.rescoring import Rescoring
    from counterpoint.lab.results import LabResult, LabTable
    from counterpoint.lab.review_tasks import Invitation, ReviewSetup
    from counterpoint.lab.reviewing import ReviewCounts, ReviewSheet
    from counterpoint.lab.run_estimates import RunEstimate
    from counterpoint.lab.running import RunReport, RunRequest
    from counterpoint.lab.scores import Reliability, Scores
    from counterpoint.lab.translation import BackTranslations
    from counterpoint.lab.vote_importing import VoteImport
    from counterpoint.lab.voting import PeopleReport, VoteSummary
    from counterpoint.metrics.metric import Metric
    from counterpoint.metrics.scoring import ScoreRequest
    from counterpoint.store.versions import ModelVersion


class Lab:
    """A folder with suites, answers and runs; it is made when something is put into it.

    `progress` is called with a `ProgressEvent` during long work; warnings and skipped records go to the logger
    "counterpoint".

    >>> from tempfile import mkdtemp
    >>> lab = Lab(mkdtemp())
    >>> generated = lab.generate("negation", items=20, limit=10)
    >>> report = lab.run("fusion")
    >>> [score.n for score in lab.scores(metrics=["accuracy"])]
    [10]
    """

    def __init__(self, folder: Path | str, *, progress: ProgressCallback = ignore_progress) -> None:
        from counterpoint.store.lab import LabStore  # tables are loaded when a lab is opened

        self.store = LabStore(folder)
        self.progress = progress

    def __repr__(self) -> str:
        return f"Lab({str(self.store.folder)!r})"

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self.store.folder

    @property
    def suites(self) -> list[str]:
        """The names of its suites."""
        return self.store.suites()

    @property
    def models(self) -> tuple[ModelVersion, ...]:
        """Every version of every model that was run or imported, by name and in the order of its versions."""
        return self.store.versions()

    # Making suites

    def generate(
        self,
        *suites: str,
        source: str = "world",
        data: Path | str | None = None,
        pictures: Path | str | None = None,
        split: str = "test",
        items: int = 1000,
        limit: int | None = None,
        seed: int = 0,
        name: str = "",
        rules: str = "",
        columns: Mapping[str, str] | None = None,
        pairs: Any = None,
        texts: Path | str | None = None,
        replace: bool = False,
        **options: Any,
    ) -> GeneratedSuites:
        """Generate suites or families of suites from a source and store them.

        `items` is how much of the source is read, `limit` how many groups of each suite are kept, `pictures` their
        folder, if it is not beside the data. Further options belong to suites: means, contrasts, variants, masked_lm.
        """
        from counterpoint.lab.generation import GenerateRequest, generate

        how = (limit, pairs, seed, name, rules, columns or {}, _path(texts), options, replace, _path(pictures))
        request = GenerateRequest(suites, source, _path(data), split, items, *how)
        generated = generate(self.store, request, self.progress)
        self._update_tables([suite.name for suite in generated.suites if suite.manifest])
        return generated

    def add_groups(
        self, groups: Iterable[Group], name: str, *, rules: str = "exact", replace: bool = False
    ) -> GeneratedSuites:
        """Store groups made in Python as a suite; a group without a test belongs to a test of the suite's name."""
        from counterpoint.lab.generation import add_groups

        return add_groups(self.store, groups, name, rules=rules, replace=replace)

    def check(
        self,
        suite: str,
        *,
        checks: Sequence[str] = (),
        settings: Mapping[str, Mapping[str, str]] | None = None,
        seed: int = 0,
        name: str = "",
        replace: bool = False,
        out: Path | str | None = None,
        by_test: bool = False,
        balance: bool = False,
    ) -> SuiteValidity:
        """Check which groups of a suite are valid; with a `name`, store those that are left as a suite.

        With `balance`, the groups that text alone gives away are rejected as well.
        """
        from counterpoint.lab.checking import CheckRequest, check_suite

        how = (seed, name, replace, _path(out), by_test, balance)
        request = CheckRequest(suite, tuple(checks), settings or {}, *how)
        return check_suite(self.store.opened(), request)

    # Asking models

    def run(
        self,
        model: str,
        *,
        suites: Sequence[str] = (),
        name: str = "",
        version: str = "",
        limit: int | None = None,
        batch_size: int | None = None,
        trials: int = 0,
        seed: int = 0,
        model_args: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> RunReport:
        """Ask a model everything that it has not been asked yet.

        `model` is a name of the catalog, `hf/NAME`, `openai/NAME`, `anthropic/NAME`, `google/NAME` or `module:object`;
        `model_args` and further arguments are settings of the model, such as `device="cuda"` or
        `base_url="http://localhost:8000/v1"`.
        """
        from counterpoint.lab.running import run_model

        how: dict[str, Any] = {"suites": suites, "limit": limit, "batch_size": batch_size, "trials": trials}
        how |= {"seed": seed, "name": name, "version": version, "model_args": model_args}
        report = run_model(self.store.opened(), _run_request(model, **how, **settings), self.progress)
        self._update_tables(suites)
        return report

    def estimate_run(self, model: str, **request: Any) -> RunEstimate:
        """The requests, tokens, price and time that `run` would take with the same arguments; nothing is asked."""
        from counterpoint.lab.run_estimates import estimate_run

        return estimate_run(self.store.opened(), _run_request(model, **request))

    def rescore(self, rule: str, *, models: Sequence[str] = (), suites: Sequence[str] = ()) -> Rescoring:
        """Take values from the stored answers by another extraction rule; no model is asked."""
        from counterpoint.lab.rescoring import rescore_models

        rescoring = rescore_models(self.store.opened(), rule, models, suites)
        self._update_tables(suites)
        return rescoring

    def import_predictions(self, *files: Path | str, name: str, version: str = "", **request: Any) -> ImportReport:
        """Store predictions made elsewhere as answers of a model; further arguments are those of `ImportRequest`."""
        from counterpoint.lab.importing import ImportRequest, import_predictions

        paths = tuple(map(Path, files))
        report = import_predictions(self.store.opened(), ImportRequest(paths, name, version, **request), self.progress)
        self._update_tables(request.get("suites", ()))
        return report

    def _update_tables(self, suites: Sequence[str]) -> None:
        from counterpoint.lab.reader import update_tables

        update_tables(self.store.opened(), suites, self.progress)

    # Reading

    def groups(self, *suites: str) -> LabTable:
        """The groups of suites, one row per query."""
        from counterpoint.lab.results import LabTable
        from counterpoint.lab.selection import load_groups

        return LabTable(f"Groups of {', '.join(suites) or self.folder.name}", load_groups(self.store, suites))

    def answers(self, model: str) -> LabTable:
        """The answers of a model, one row per query and trial."""
        from counterpoint.lab.results import LabTable
        from counterpoint.lab.selection import select_models

        ((title, version),) = select_models(self.store, [model]).items()
        return LabTable(f"Answers of {title}", self.store.read_answers(version.fingerprint))

    def outcomes(self, model: str, *suites: str, threshold: float = 0.5) -> LabTable:
        """The groups of suites joined with the answers of a model: correct (0 to 1), consistent, state and value."""
        from counterpoint.lab.scores import outcome_table

        return outcome_table(self.store, model, suites, threshold)

    def contents(self) -> LabContents:
        """The suites, and the models with the numbers of their answers."""
        from counterpoint.lab.contents import list_contents

        return list_contents(self.store.opened())

    def verify(self) -> Verification:
        """Whether every suite and every part of answers is what it was when it was stored."""
        from counterpoint.lab.contents import verify_folder

        return verify_folder(self.folder)

    # Scoring

    def scores(
        self,
        *,
        models: Sequence[str] = (),
        suites: Sequence[str] = (),
        metrics: Sequence[str | Metric] = (),
        by: str | Sequence[str] | None = None,
        pool: bool = False,
        filter: Mapping[str, str] | None = None,
        threshold: float = 0.5,
        seed: int = 0,
    ) -> Scores:
        """Score models on suites, with 95 % intervals over pictures.

        Without `metrics`, those that apply to each suite. `by` cuts into slices: test (the default), kind, relation,
        gold, tag:NAME. With `pool` all suites are scored as one, by default uncut; what they share counts once.
        """
        from counterpoint.lab.scores import score_models

        request = _score_request(metrics, by, filter, threshold, seed, pool=pool)
        return score_models(self.store.opened(), request, models, suites)

    def compare(
        self,
        first: str,
        second: str,
        *,
        suites: Sequence[str] = (),
        metrics: Sequence[str | Metric] = (),
        by: str | Sequence[str] | None = None,
        pool: bool = False,
        filter: Mapping[str, str] | None = None,
        threshold: float = 0.5,
        seed: int = 0,
    ) -> Comparison:
        """Compare two models on the same groups: differences, intervals, corrected p values, detectable differences."""
        from counterpoint.lab.comparison import compare_models

        request = _score_request(metrics, by, filter, threshold, seed, pool=pool)
        return compare_models(self.store.opened(), first, second, request, suites)

    def coverage(
        self,
        first: str,
        second: str,
        *,
        suites: Sequence[str] = (),
        by: str | Sequence[str] | None = None,
        pool: bool = False,
        filter: Mapping[str, str] | None = None,
        threshold: float = 0.5,
        pairs: bool = False,
    ) -> Coverage:
        """Of what one model has right, the share that the other has right too, over answers or over pairs."""
        from counterpoint.lab.comparison import cover_models

        request = _score_request((), by, filter, threshold, 0, pool=pool)
        return cover_models(self.store.opened(), first, second, request, suites, pairs=pairs)

    def gate(self, model: str, rules: Sequence[str], *, baseline: str = "", suites: Sequence[str] = ()) -> GateReport:
        """Hold rules against a model: each holds, fails, or cannot be told yet, with the bound that decided.

        Rules look like "negation.accuracy >= 0.6", "accuracy not worse than baseline by 1 point", "unparsed <= 2 %" and
        "max drop on any suite <= 3 points".
        """
        from counterpoint.lab.gating import gate_model

        return gate_model(self.store.opened(), model, rules, baseline=baseline, suites=suites)

    def history(self, model: str, *, suites: Sequence[str] = (), metrics: Sequence[str | Metric] = ()) -> ModelHistory:
        """The scores of all versions of a model, and where one differs from the version before by a paired test."""
        from counterpoint.lab.history import model_history
        from counterpoint.metrics.scoring import ScoreRequest

        return model_history(self.store.opened(), model, suites, ScoreRequest((), metrics=_metrics(metrics)))

    def set_baseline(self, model: str) -> ModelVersion:
        """Mark a version as the baseline of its model, which `model@baseline` selects from then on."""
        from counterpoint.lab.selection import select_models

        ((_, version),) = select_models(self.store.opened(), [model]).items()
        self.store.set_baseline(version)
        return version

    def leaderboard(
        self,
        *,
        models: Sequence[str] = (),
        suites: Sequence[str] = (),
        metrics: Sequence[str | Metric] = (),
        layout: str = "suites",
        expand: Sequence[str] = (),
        threshold: float = 0.5,
        seed: int = 0,
    ) -> LeaderboardResult:
        """Rank models on the metrics that lead on each suite, or by means over data sets (`layout="datasets"`)."""
        from counterpoint.lab.leaderboard import leaderboard

        how: dict[str, Any] = {"layout": layout, "expand": expand, "threshold": threshold, "seed": seed}
        return leaderboard(self.store.opened(), models=models, suites=suites, metrics=_metrics(metrics), **how)

    def reliability(
        self, model: str, *, suites: Sequence[str] = (), bins: int = 10, equal_mass: bool = False
    ) -> Reliability:
        """How often a model is right at each confidence, in bins of equal width or, with `equal_mass`, equal size."""
        from counterpoint.lab.scores import measure_reliability

        return measure_reliability(self.store.opened(), model, suites, bins=bins, equal_mass=equal_mass)

    def failures(self, model: str, *, suite: str = "", limit: int = 20) -> Failures:
        """The first groups that a model fails, with pictures, texts, gold and answers."""
        from counterpoint.lab.failures import list_failures

        return list_failures(self.store.opened(), model, [suite] if suite else [], limit)

    # Review

    def write_sheet(
        self, sheet: Path | str, suites: Sequence[str], *, sample: int = 60, seed: int = 0, proofs: bool = True
    ) -> ReviewSheet:
        """Write a random sample of each suite to a CSV file whose column `mark` a person fills in."""
        from counterpoint.lab.reviewing import write_review_sheet

        return write_review_sheet(self.store.opened(), suites, Path(sheet), sample=sample, seed=seed, proofs=proofs)

    def count_marks(self, sheet: Path | str) -> ReviewCounts:
        """Count the marks of a sheet by test, with bounds on the share of groups that was accepted."""
        from counterpoint.lab.reviewing import count_review_marks

        return count_review_marks(self.store.opened(), Path(sheet))

    def votes(self, *suites: str, task: str = "") -> VoteSummary:
        """What people voted: valid items, agreement (Krippendorff's alpha, kappa) and a record of each voter."""
        from counterpoint.lab.voting import summarize_votes

        return summarize_votes(self.store.opened(), suites, task)

    def import_votes(self, *files: Path | str) -> VoteImport:
        """Add votes that people gave in Label Studio, on Mechanical Turk, in a form, or in VALSE's released files."""
        from counterpoint.lab.vote_importing import import_votes

        return import_votes(self.store.opened(), list(map(Path, files)))

    def add_people(self, *suites: str, each: bool = False, estimate: str = "majority") -> PeopleReport:
        """Store what most people said as answers of the model `people`; with `each`, those of every voter too.

        `estimate` is "majority" or "dawid-skene", which weighs each voter by how often they are right.
        """
        from counterpoint.lab.voting import add_people

        return add_people(self.store.opened(), suites, each=each, estimate=estimate)

    def review(
        self,
        task: str,
        *,
        suites: Sequence[str] = (),
        sample: int | None = None,
        per_item: int = 3,
        until_majority: bool = False,
        seed: int = 0,
        gold_suite: str = "",
        gold_voter: str = "",
        suspects: bool = False,
    ) -> ReviewSetup:
        """Set up a task for people: judge captions and foils, answer queries, or audit golds; `serve` has its page.

        Without `suites`, all that fit the task. Voters qualify on the groups of `gold_suite`, or on the items on which
        `gold_voter` voted; without both, everybody's votes count. With `suspects`, only groups whose gold
        several strong models contradict alike.
        """
        from counterpoint.core.votes import ReviewSettings
        from counterpoint.lab.review_tasks import set_up_review

        how = (sample, per_item, until_majority, seed, gold_suite, gold_voter)
        return set_up_review(self.store.opened(), ReviewSettings(task, tuple(suites), *how, suspects=suspects))

    def invite(self, voter: str) -> Invitation:
        """Make a link with a secret by which a person votes; a link that the voter had before ends."""
        from counterpoint.lab.review_tasks import invite

        return invite(self.store.opened(), voter)

    def label_errors(self, suite: str, *, models: Sequence[str] = ()) -> LabelSuspects:
        """Queries whose gold several strong models contradict alike, with the share of audited ones that were wrong."""
        from counterpoint.lab.label_errors import find_label_errors

        return find_label_errors(self.store.opened(), suite, models)

    def correct(
        self, suite: str, how: str = "valid", *, errata: Path | str | None = None, name: str = "", replace: bool = False
    ) -> CorrectedSuite:
        """Store a new version of a suite beside it: the groups that votes call valid, or golds that audits corrected.

        `how` is "valid" or "correct"; with a file of `errata`, somebody else's corrections are applied.
        """
        from counterpoint.lab.corrections import correct_suite

        how_stored: dict[str, Any] = {"errata": _path(errata), "name": name, "replace_stored": replace}
        return correct_suite(self.store.opened(), suite, how, **how_stored)

    # Files

    def report(self, out: Path | str, *, markdown: bool = False, latex: bool = False) -> WrittenFiles:
        """Write an HTML report that needs nothing else; also the leaderboard in Markdown or LaTeX beside it."""
        from counterpoint.lab.exporting import write_report

        return write_report(self.store.opened(), Path(out), markdown=markdown, latex=latex)

    def export(
        self,
        suite: str,
        *,
        layout: str,
        out: Path | str,
        pictures: bool = True,
        task: str = "",
        picture_url: str = "",
    ) -> ExportReport:
        """Write a suite in the layout of another tool: datasets, lmms-eval, vlmevalkit, inspect.

        Or as tasks for people: label-studio, mturk, form. `task` is what they do (judge, answer, audit), by default
        what fits the suite; `picture_url` is put before the name of each picture.
        """
        from counterpoint.lab.exporting import export_suite

        how = {"task": task, "picture_url": picture_url}
        return export_suite(self.store.opened(), suite, layout, Path(out), pictures=pictures, **how)

    def pictures(self, folders: Mapping[str, Path | str] | None = None) -> PictureLocations:
        """Where the pictures of each namespace are; `folders` sets this by namespace."""
        from counterpoint.lab.picture_locations import locate_pictures

        return locate_pictures(self.store.opened(), {name: Path(folder) for name, folder in (folders or {}).items()})

    def augment(self, out: Path | str, layout: str, **request: Any) -> TrainingSet:
        """Write training questions in the manner of this lab's suites, about other pictures (`AugmentRequest`)."""
        from counterpoint.lab.augmentation import AugmentRequest, write_training_set

        return write_training_set(self.store, AugmentRequest(Path(out), layout, **request), self.progress)

    # Studies

    def study(self, study: str, **request: Any) -> LabResult[Any]:
        """Run a study: blind (text-only baselines of this lab), rad (RAD as a predictor, of its models), plain."""
        from counterpoint.lab.studies import run_study

        return run_study(self.store, study, request, self.progress)

    def paper(self, paper: str, **request: Any) -> PaperTables:
        """The tables of one of the five papers from the models of this lab (`PaperRequest`)."""
        from counterpoint.lab.papers import PaperRequest, paper_tables

        return paper_tables(self.store.opened(), PaperRequest(paper, **request))

    def words(self, *suites: str, out: Path | str | None = None, top: int = 25) -> FoilWordReport:
        """By which words captions and foils differ; with `out`, a chart for each test in that folder."""
        from counterpoint.lab.foil_words import analyse_foil_words

        return analyse_foil_words(self.store.opened(), suites, _path(out), top)

    def data(self, source: str, **request: Any) -> DataDescription | ExpectedFiles:
        """Which files a data set has, what is in them, and how its answers overlap with others (`describe_data`)."""
        from counterpoint.lab.descriptions import describe_data

        return describe_data(source, progress=self.progress, **request)

    def translate(self, out: Path | str, *, there: str, back: str, **request: Any) -> BackTranslations:
        """Translate questions of a source to another language and back, for a suite (`counterpoint.translate`)."""
        from counterpoint.lab.translation import translate

        return translate(out, there, back, progress=self.progress, **request)


def _path(path: Path | str | None) -> Path | None:
    return None if path is None else Path(path)


def _run_request(
    model: str,
    *,
    suites: Sequence[str] = (),
    model_args: Mapping[str, Any] | None = None,
    limit: int | None = None,
    batch_size: int | None = None,
    trials: int = 0,
    seed: int = 0,
    name: str = "",
    version: str = "",
    **settings: Any,
) -> RunRequest:
    from counterpoint.lab.running import RunRequest

    args = {key: str(value) for key, value in {**(model_args or {}), **settings}.items()}
    return RunRequest(model, tuple(suites), limit, batch_size, args, trials, seed, name, version)


def _metrics(metrics: Sequence[str | Metric]) -> list[Metric]:
    from counterpoint import catalog

    return [catalog.resolve_metric(metric) if isinstance(metric, str) else metric for metric in metrics]


def _score_request(
    metrics: Sequence[str | Metric],
    by: str | Sequence[str] | None,
    filter: Mapping[str, str] | None,
    threshold: float,
    seed: int,
    *,
    pool: bool,
) -> ScoreRequest:
    from counterpoint import catalog
    from counterpoint.metrics.scoring import ScoreRequest

    by = by if by is not None else "" if pool else "test"
    cut = (name.strip() for name in (by.split(",") if isinstance(by, str) else by))
    slices, candidates = tuple(name for name in cut if name), catalog.metrics()
    return ScoreRequest(slices, filter or {}, _metrics(metrics), threshold, seed=seed, candidates=candidates, pool=pool)
