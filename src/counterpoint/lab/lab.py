"""The public API: a lab, and everything that can be done with it.

Every method builds a request, calls one function of this package and returns a result that can be printed, shown in a
notebook and taken further as data. The command line calls the same methods.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint.lab.name_lists import metric_list, name_list, with_name_lists
from counterpoint.lab.people_methods import PeopleMethods
from counterpoint.lab.study_methods import StudyMethods
from counterpoint.lab.version_methods import VersionMethods

if TYPE_CHECKING:
    from counterpoint.core.groups import Group
    from counterpoint.lab.checking import SuiteValidity
    from counterpoint.lab.comparison import Comparison, Coverage
    from counterpoint.lab.contents import LabContents, Verification
    from counterpoint.lab.exporting import ExportReport, WrittenFiles
    from counterpoint.lab.failures import Failures
    from counterpoint.lab.findings import Findings
    from counterpoint.lab.generated_suites import GeneratedSuites
    from counterpoint.lab.importing import ImportReport
    from counterpoint.lab.leaderboard import LeaderboardResult
    from counterpoint.lab.picture_locations import PictureLocations
    from counterpoint.lab.rescoring import Rescoring
    from counterpoint.lab.results import LabTable
    from counterpoint.lab.run_estimates import RunEstimate
    from counterpoint.lab.running import RunReport
    from counterpoint.lab.saved_slices import SavedSlice, SavedSlices
    from counterpoint.lab.scores import Reliability, Scores
    from counterpoint.metrics.metric import Metric
    from counterpoint.metrics.scoring import ScoreRequest


class Lab(VersionMethods, PeopleMethods, StudyMethods):
    """A folder, or an address such as `s3://bucket/lab`, with suites, answers and runs; the first put makes it.

    `progress` is called with a `ProgressEvent` during long work; warnings and skipped records go to the logger
    "counterpoint". Where a method takes several suites, models, metrics or rules, one may be given as text. An answer
    is correct from a credit of `threshold` on, where a method takes one.

    >>> from tempfile import mkdtemp
    >>> lab = Lab(mkdtemp())
    >>> generated = lab.generate("negation", items=20, limit=10)
    >>> report = lab.run("fusion")
    >>> [score.n for score in lab.scores(metrics=["accuracy"])]
    [10]
    """

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
        workers: int = 0,
        engine: str = "",
        **options: Any,
    ) -> GeneratedSuites:
        """Generate suites or families of suites from a source and store them.

        `items` is how much of the source is read, `limit` how many groups of each suite are kept, `pictures` their
        folder, if it is not beside the data; data and pictures may be at addresses. `workers` is the number of
        processes, by default as many as pay, or with `engine="ray"` that of actors; it changes nothing else. Further
        options belong to suites: means, contrasts, variants, masked_lm.
        """
        from counterpoint.lab.generation import GenerateRequest, generate

        how = (limit, pairs, seed, name, rules, columns or {}, _path(texts), options, replace, pictures)
        request = GenerateRequest(suites, source, data, split, items, *how, workers, engine)
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
        request = CheckRequest(suite, name_list(checks), settings or {}, *how)
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
        workers: int = 0,
        model_args: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> RunReport:
        """Ask a model everything that it has not been asked yet.

        `model` is a name of the catalog, `hf/NAME`, `openai/NAME`, `anthropic/NAME`, `google/NAME` or `module:object`;
        `model_args` and further arguments are settings of the model, such as `device="cuda"` or
        `base_url="http://localhost:8000/v1"`. It is loaded once in this process, once per device where several are
        named (`device="cuda:all"`), or in so many processes as `workers` says; with `engine="ray"` in so many actors of
        the Ray cluster that RAY_ADDRESS names, each with its `cpus_per_worker` and `gpus_per_worker`.
        """
        from counterpoint.lab.running import RunRequest, run_model

        how: dict[str, Any] = {"suites": suites, "limit": limit, "batch_size": batch_size, "trials": trials}
        how |= {"seed": seed, "name": name, "version": version, "workers": workers, "model_args": model_args}
        request = RunRequest.of(model, **how, **settings)
        report = run_model(self.store.opened(), request, self.progress)
        self._update_tables(request.suites)
        return report

    def estimate_run(self, model: str, **request: Any) -> RunEstimate:
        """The requests, tokens, price and time that `run` would take with the same arguments; nothing is asked."""
        from counterpoint.lab.run_estimates import estimate_run
        from counterpoint.lab.running import RunRequest

        return estimate_run(self.store.opened(), RunRequest.of(model, **request))

    def rescore(self, rule: str, *, models: Sequence[str] = (), suites: Sequence[str] = ()) -> Rescoring:
        """Take values from the stored answers by another extraction rule; no model is asked."""
        from counterpoint.lab.rescoring import rescore_models

        suites = name_list(suites)
        rescoring = rescore_models(self.store.opened(), rule, name_list(models), suites)
        self._update_tables(suites)
        return rescoring

    def import_predictions(self, *files: Path | str, name: str, version: str = "", **request: Any) -> ImportReport:
        """Store predictions made elsewhere as answers of a model; further arguments are those of `ImportRequest`."""
        report = self._import(files, name, version=version, **request)
        self._update_tables(with_name_lists(request).get("suites", ()))
        return report

    def import_columns(self, *files: Path | str, names: Mapping[str, str], **request: Any) -> list[ImportReport]:
        """Store the predictions of several models, each in a column of the same files: `names` are columns by model."""
        columns = request.pop("columns", {})
        reports = [
            self._import(files, name, columns={**columns, "answer": column}, **request)
            for name, column in names.items()
        ]
        self._update_tables(with_name_lists(request).get("suites", ()))
        return reports

    def _import(self, files: Sequence[Path | str], name: str, **request: Any) -> ImportReport:
        from counterpoint.lab.importing import ImportRequest, import_predictions

        wanted = ImportRequest(tuple(map(Path, files)), name, **with_name_lists(request))
        return import_predictions(self.store.opened(), wanted, self.progress)

    def _update_tables(self, suites: Sequence[str]) -> None:
        from counterpoint.lab.table_updates import update_tables

        update_tables(self.store.opened(), suites, self.progress)

    # Reading

    def groups(self, *suites: str) -> LabTable:
        """The groups of suites, one row per query."""
        from counterpoint.lab.results import LabTable
        from counterpoint.lab.selection import load_groups

        return LabTable(f"Groups of {', '.join(suites) or self.store.name}", load_groups(self.store, suites))

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

        return verify_folder(self.address)

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
        return score_models(self.store.opened(), request, name_list(models), name_list(suites))

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
        return compare_models(self.store.opened(), first, second, request, name_list(suites))

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
        return cover_models(self.store.opened(), first, second, request, name_list(suites), pairs=pairs)

    def leaderboard(
        self,
        *,
        models: Sequence[str] = (),
        suites: Sequence[str] = (),
        metrics: Sequence[str | Metric] = (),
        layout: str = "suites",
        expand: Sequence[str] = (),
        slices: Sequence[str] = (),
        threshold: float = 0.5,
        seed: int = 0,
    ) -> LeaderboardResult:
        """Rank models on the metrics that lead on each suite, or by means over data sets (`layout="datasets"`).

        `slices` are saved ones: the accuracy on each, or the named metrics, is a further column.
        """
        from counterpoint.lab.leaderboard import leaderboard

        how: dict[str, Any] = {"layout": layout, "expand": name_list(expand), "threshold": threshold, "seed": seed}
        how |= {"models": name_list(models), "suites": name_list(suites), "slices": name_list(slices)}
        return leaderboard(self.store.opened(), metrics=metric_list(metrics), **how)

    def reliability(
        self, model: str, *, suites: Sequence[str] = (), bins: int = 10, equal_mass: bool = False
    ) -> Reliability:
        """How often a model is right at each confidence, in bins of equal width or, with `equal_mass`, equal size."""
        from counterpoint.lab.scores import measure_reliability

        return measure_reliability(self.store.opened(), model, name_list(suites), bins=bins, equal_mass=equal_mass)

    def failures(self, model: str, *, suite: str = "", limit: int = 20, threshold: float = 0.5) -> Failures:
        """The first groups that a model fails, with pictures, texts, gold and answers."""
        from counterpoint.lab.failures import list_failures

        return list_failures(self.store.opened(), model, [suite] if suite else [], limit, threshold=threshold)

    def findings(
        self,
        model: str = "",
        *,
        against: str = "",
        suites: Sequence[str] = (),
        confirm: str = "",
        threshold: float = 0.5,
        seed: int = 0,
    ) -> Findings:
        """What a model does not understand: slices of groups that it fails most, in words, with corrected p values.

        A lab with one model need not be told its name. With `against`, the slices that changed most from that model or
        version. With `confirm="split"`, slices are found on one half of the pictures and confirmed on the other.
        """
        from counterpoint.lab.findings import find_findings

        how: dict[str, Any] = {"against": against, "confirm": confirm, "threshold": threshold, "seed": seed}
        return find_findings(self.store.opened(), model, suites=name_list(suites), **how)

    def save_slice(self, name: str, filter: Mapping[str, str]) -> SavedSlice:
        """Name a slice of groups, in a small file of the lab, for gates (`accuracy[slice=NAME] >= 0.6`) and Browse.

        The filter has values of `suite`, `test`, `kind`, `relation`, `gold`, `tag` (`name=value`) and `text`, which in
        quotes is a whole word.
        """
        from counterpoint.lab.saved_slices import save_slice

        return save_slice(self.store, name, filter)

    def slices(self) -> SavedSlices:
        """The slices that were named, by name."""
        from counterpoint.lab.saved_slices import list_slices

        return list_slices(self.store.opened())

    # Files

    def report(self, out: Path | str, *, markdown: bool = False, latex: bool = False) -> WrittenFiles:
        """Write an HTML report that needs nothing else; also the leaderboard in Markdown or LaTeX beside it."""
        from counterpoint.lab.exporting import write_report

        return write_report(self.store.opened(), out, markdown=markdown, latex=latex)

    def export(
        self,
        suite: str,
        *,
        layout: str,
        out: Path | str,
        pictures: bool = True,
        task: str = "",
        picture_url: str = "",
        license_id: str = "",
        push: str = "",
    ) -> ExportReport:
        """Write a suite in the layout of another tool: datasets, lmms-eval, vlmevalkit, inspect.

        Or as tasks for people: label-studio, mturk, form. `task` is what they do (judge, answer, audit), by default
        what fits the suite; `picture_url` is put before the name of each picture. A datasets folder has a card, with
        `license_id`; `push` uploads it to this repository of a hub, with the token in the variable HF_TOKEN.
        """
        from counterpoint.lab.exporting import export_suite
        from counterpoint.store.outputs import output_path

        how = {"task": task, "picture_url": picture_url, "license_id": license_id, "push": push}
        with output_path(out) as path:
            return export_suite(self.store.opened(), suite, layout, path, pictures=pictures, **how).at(out)

    def export_model_card(self, model: str, out: Path | str, *, push: str = "") -> ExportReport:
        """Write the scores of a model as a card of Hugging Face, and propose it to the repository `push` of a hub."""
        from counterpoint.lab.exporting import export_model_card
        from counterpoint.store.outputs import output_path

        scores = self.scores(models=[model])
        with output_path(out) as path:
            return export_model_card(self.store.opened(), model, path, scores, push=push).at(out)

    def pictures(self, folders: Mapping[str, Path | str] | None = None) -> PictureLocations:
        """Where the pictures of each namespace are; `folders` sets this by namespace."""
        from counterpoint.lab.picture_locations import locate_pictures

        return locate_pictures(self.store.opened(), folders or {})


def _path(path: Path | str | None) -> Path | None:
    return None if path is None else Path(path)


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
    return ScoreRequest(
        slices, filter or {}, metric_list(metrics), threshold, seed=seed, candidates=candidates, pool=pool
    )
