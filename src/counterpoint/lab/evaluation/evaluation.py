"""An evaluation as its file describes it: the lab is brought up to date with it, scored, compared and gated."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, StoreError, UnknownName
from counterpoint.lab.comparison import Comparison
from counterpoint.lab.evaluation.asking import Asker, AskRequest, ask_everything, import_answers
from counterpoint.lab.evaluation.file import TomlFile, find_file, parse_toml, read_settings, read_toml
from counterpoint.lab.evaluation.report import (
    EvaluatedGate,
    EvaluatedModel,
    EvaluatedSuite,
    EvaluationEstimate,
    EvaluationReport,
    WaitingRule,
)
from counterpoint.lab.evaluation.settings import (
    EvaluationSettings,
    GateSettings,
    ModelSettings,
    PredictionSettings,
    SuiteSettings,
)
from counterpoint.lab.evaluation.suite_making import SuiteMaker
from counterpoint.lab.evaluation.suite_states import SuitePresence, SuiteState
from counterpoint.lab.gating import GateReport, find_baseline
from counterpoint.lab.lab import Lab
from counterpoint.lab.name_lists import name_list
from counterpoint.lab.progress import ProgressCallback, ignore_progress
from counterpoint.lab.run_estimates import RunEstimate, estimate_run
from counterpoint.lab.running import RunReport, RunRequest
from counterpoint.lab.sequential_gate import GateRules, SequentialRequest, gate_sequentially
from counterpoint.lab.tracking import TrackingReport, parse_tracker
from counterpoint.metrics.gates import GateRule
from counterpoint.store.outputs import write_whole
from counterpoint.store.storage import join_address
from counterpoint.store.versions import ModelVersion


@dataclass(frozen=True, slots=True)
class EvaluationFile:
    """What is evaluated, as a file says it; `load_evaluation` reads one."""

    file: TomlFile
    settings: EvaluationSettings

    def __repr__(self) -> str:
        return f"EvaluationFile({str(self.file.path)!r})"

    @property
    def folder(self) -> Path:
        """The folder of the file, to which paths in it are relative."""
        return self.file.path.parent

    @staticmethod
    def schema() -> dict[str, Any]:
        """The JSON schema of the file, by which editors complete it."""
        content: dict[str, Any] = json.loads(Path(__file__).with_name("schema.json").read_text("utf-8"))
        return content

    @classmethod
    def write(cls, path: Path | str, text: str, *, schema: bool = False) -> "EvaluationFile":
        """Write a file whole, if every name in its text is known; else the one that is there stays.

        With `schema`, its JSON schema is written beside it, and the file begins with a line that names it.
        """
        path = Path(path)
        beside = path.with_suffix(".schema.json")
        text = f"#:schema ./{beside.name}\n{text}" if schema else text
        with catalog.importable(path.parent):
            checked = cls(*read_settings(parse_toml(path, text)))
        if schema:
            write_whole(beside, json.dumps(cls.schema(), indent=2, ensure_ascii=False) + "\n")
        write_whole(path, text)
        return checked

    @property
    def lab(self) -> Path | str:
        """The folder or the address of the lab."""
        return join_address(self.folder, self.settings.lab)

    def run(
        self,
        *,
        only: Sequence[str] = (),
        limit: int | None = None,
        replace: bool = False,
        until_decided: bool | None = None,
        method: str | None = None,
        progress: ProgressCallback = ignore_progress,
        trackers: Sequence[str] = (),
    ) -> EvaluationReport:
        """Make suites that are missing, ask what is missing, score, compare with the baseline, gate, write outputs.

        `only` names suites and models of the file, `limit` is the number of groups of each suite that are asked, and
        `replace` makes suites anew whose settings have changed in the file. With `until_decided` a model is asked about
        pictures in random order, until every rule on a suite is decided or one fails; `method` is "asymptotic" or
        "betting". Both are what the file says where they are not given. `trackers` come beside those of the file.
        """
        stops = self.settings.until_decided if until_decided is None else until_decided
        trackers = name_list(trackers)
        for tracker in trackers:
            parse_tracker(tracker)
        with catalog.importable(self.folder):
            step = _Steps(self, Lab(self.lab, progress=progress), _select(self.settings, name_list(only)))
            suites = step.make_suites(replace)
            how = method or self.settings.method
            ask = partial(step.ask_until_decided, suites, how) if stops else ask_everything
            models = step.answer_suites(suites, limit, ask)
            report = step.log_versions(step.judge(suites, models), [*self.settings.trackers, *trackers])
            return step.write_outputs(report)

    def estimate(
        self,
        *,
        only: Sequence[str] = (),
        limit: int | None = None,
        replace: bool = False,
        progress: ProgressCallback = ignore_progress,
    ) -> EvaluationEstimate:
        """What `run` would make and ask, and the requests, tokens, price and time of that; the lab is not changed.

        Suites that are missing are made in a folder that is removed again, to count their queries.
        """
        with catalog.importable(self.folder), TemporaryDirectory() as folder:
            step = _Steps(self, Lab(self.lab, progress=progress), _select(self.settings, name_list(only)))
            return step.estimate(Lab(folder, progress=progress), limit, replace)


def load_evaluation(file: Path | str | None = None) -> EvaluationFile:
    """The evaluation that a file describes: `counterpoint.toml`, or `pyproject.toml` with a table `tool.counterpoint`.

    Without a file, that of the working directory. A fault is an error that names line and key.
    """
    path = find_file(file)
    with catalog.importable(path.parent):
        return EvaluationFile(*read_settings(read_toml(path)))


@dataclass(frozen=True, slots=True)
class _Selection:
    """What of a file is evaluated."""

    suites: tuple[SuiteSettings, ...]
    models: tuple[ModelSettings, ...]
    predictions: tuple[PredictionSettings, ...]


def _select(settings: EvaluationSettings, only: Sequence[str]) -> _Selection:
    suites, titles = [suite.title for suite in settings.suites], settings.titles
    for name in only:
        if name not in (*suites, *titles):
            raise UnknownName("suite or model of the file", name, [*suites, *titles])
    chosen_suites = {name for name in only if name in suites} or {*suites}
    chosen = {name for name in only if name in titles} or {*titles}
    return _Selection(
        tuple(suite for suite in settings.suites if suite.title in chosen_suites),
        tuple(model for model in settings.models if model.title in chosen),
        tuple(own for own in settings.predictions if own.title in chosen),
    )


@dataclass(frozen=True, slots=True)
class _ModelGate:
    """A gate of the file, by its place there, with the suites and rules that it has for a model."""

    place: int
    gate: GateSettings
    suites: tuple[str, ...]
    rules: tuple[str, ...]


class _Steps:
    """The steps of an evaluation on a lab."""

    def __init__(self, evaluation: EvaluationFile, lab: Lab, selection: _Selection) -> None:
        self._evaluation, self._settings = evaluation, evaluation.settings
        self._lab, self._selection = lab, selection
        self._maker = SuiteMaker(evaluation.file, evaluation.settings, selection.suites, lab)
        self._decided: dict[tuple[str, int], GateReport] = {}  # by model and gate, while a model was asked

    def make_suites(self, replace: bool) -> list[SuiteState]:
        """The suites of the file, those made that were missing; with `replace`, also those that changed."""
        if not self._settings.suites:
            self._lab.store.opened()
        return self._maker.make(replace)

    def answer_suites(self, suites: Sequence[SuiteState], limit: int | None, ask: Asker) -> list[EvaluatedModel]:
        """Ask the models, and read the predictions, of the file; a model that cannot be reached stops no other."""
        models = []
        for model in self._selection.models:
            if not (names := self._names(suites, model.suites)):  # none of those that are chosen
                continue
            try:
                report = ask(AskRequest(self._lab, model, names, self._evaluation.folder, limit))
                models.append(EvaluatedModel(model.title, names, report.fingerprint, report))
            except CounterpointError as problem:
                models.append(EvaluatedModel(model.title, names, problem=str(problem), hint=problem.hint))
        for own in self._selection.predictions:
            if not (names := self._names(suites, own.suites)):
                continue
            try:
                imported = import_answers(self._lab, own, names, self._evaluation.folder)
                fingerprint = imported.request.fingerprint if imported.counts else ""
                models.append(EvaluatedModel(own.title, names, fingerprint, imported))
            except CounterpointError as problem:
                models.append(EvaluatedModel(own.title, names, problem=str(problem), hint=problem.hint))
        return models

    def ask_until_decided(self, suites: Sequence[SuiteState], method: str, request: AskRequest) -> RunReport:
        """Ask a model until its rules are decided; one without a rule is asked everything."""
        title = request.model.title
        gates = [own for own in self._rules(title, request.suites, suites) if own.rules]
        rules = tuple(GateRules(own.rules, own.gate.baseline, own.suites) for own in gates)
        run, reports = gate_sequentially(
            self._lab.store,
            RunRequest.of(request.reference, **request.arguments),
            SequentialRequest(rules, method),
            self._lab.progress,
            can_hold=lambda version, place, rule: self._waits(gates[place].gate, rule, version) is None,
        )
        self._decided |= {(title, own.place): report for own, report in zip(gates, reports, strict=True)}
        return run

    def judge(self, suites: Sequence[SuiteState], models: Sequence[EvaluatedModel]) -> EvaluationReport:
        """Score, compare with the baselines, and hold the rules."""
        versions = {version.fingerprint: version for version in self._lab.models}
        models = [replace(model, version=versions.get(model.fingerprint)) for model in models]
        answered = [(model, model.version) for model in models if model.version]
        names = self._names(suites)
        how: dict[str, Any] = {"suites": names, "metrics": self._settings.metrics, "by": "suite"}
        titles = [version.title for _, version in answered]
        verdicts = [part for model, version in answered for part in self._gates(model, version, suites)]
        return EvaluationReport(
            file=self._evaluation.file.path,
            lab=self._evaluation.lab,
            suites=tuple(self._described(suites)),
            models=tuple(models),
            scores=self._lab.scores(models=titles, **how) if titles else None,
            comparisons=tuple(self._comparisons([version for _, version in answered], how)),
            gates=tuple(part for part in verdicts if isinstance(part, EvaluatedGate)),
            waiting=tuple(part for part in verdicts if isinstance(part, WaitingRule)),
        )

    def write_outputs(self, report: EvaluationReport) -> EvaluationReport:
        """Write the files that the file asks for."""
        written = {kind: self._evaluation.folder / path for kind, path in self._settings.outputs.items()}
        for kind, path in written.items():
            catalog.find("outputs", kind)(report, self._lab, path)
        return replace(report, outputs=written)

    def log_versions(self, report: EvaluationReport, trackers: Sequence[str]) -> EvaluationReport:
        """Log the version of each model to trackers; one that cannot be reached changes no verdict."""
        logged, problems = list[TrackingReport](), list[str]()
        for model in (model for model in report.models if model.version and trackers):
            try:
                logged.append(
                    self._lab.log(model.fingerprint, *trackers, suites=model.suites, folder=self._evaluation.folder)
                )
            except CounterpointError as problem:
                problems.append("; ".join(filter(None, (f"{model.title}: {problem}", problem.hint))))
        return replace(report, logged=tuple(logged), log_problems=tuple(problems))

    def estimate(self, scratch: Lab, limit: int | None, replace: bool) -> EvaluationEstimate:
        """What would be made and asked; new suites are made in another lab."""
        states = self._maker.states(replace)
        described = list(self._described([state for state in states if state.presence is SuitePresence.THERE]))
        new = set[str]()
        for suite, generated in self._maker.generate(scratch, states, replace=False):
            made = [own.manifest for own in generated if own.manifest]
            new |= {manifest.suite for manifest in made}
            described += [EvaluatedSuite(own.suite, own.groups, own.rows, SuitePresence.MISSING) for own in made]
            place = self._selection.suites.index(suite)
            states[place] = SuiteState(suite.title, SuitePresence.MISSING, tuple(own.suite for own in made))
        asked = [(model, self._names(states, model.suites)) for model in self._selection.models]
        runs = [self._estimate_run(model, names, new, scratch, limit) for model, names in asked if names]
        return EvaluationEstimate(self._evaluation.file.path, self._evaluation.lab, tuple(described), tuple(runs))

    def _estimate_run(
        self, model: ModelSettings, names: Sequence[str], new: set[str], scratch: Lab, limit: int | None
    ) -> RunEstimate:
        parts = []
        for lab, own in (
            (self._lab, [name for name in names if name not in new]),
            (scratch, [name for name in names if name in new]),
        ):
            if own:
                asked = AskRequest(lab, model, tuple(own), self._evaluation.folder, limit)
                answered = self._lab.store if self._lab.store.exists else scratch.store
                request = RunRequest.of(asked.reference, **asked.arguments)
                parts.append(estimate_run(lab.store, request, answered=answered))
        return RunEstimate.total(parts)

    def _names(self, suites: Sequence[SuiteState], titles: Sequence[str] = ()) -> tuple[str, ...]:
        """The suites of the lab that titles of the file mean; without suites in the file, all of the lab."""
        if not self._settings.suites:
            return tuple(titles or self._lab.suites)
        return tuple(name for suite in suites if not titles or suite.title in titles for name in suite.names)

    def _described(self, suites: Sequence[SuiteState]) -> Iterator[EvaluatedSuite]:
        whole = [SuiteState("", SuitePresence.THERE, tuple(self._lab.suites))]
        for state in suites if self._settings.suites else whole:
            for name in state.names:
                manifest = self._lab.store.manifest(name)
                yield EvaluatedSuite(name, manifest.groups, manifest.rows, state.presence)

    def _rules(self, title: str, asked: Sequence[str], suites: Sequence[SuiteState]) -> Iterator[_ModelGate]:
        """The gates of a model that is asked about some suites, without rules on others."""
        for place, gate in enumerate(self._settings.gates):
            names = tuple(name for name in self._names(suites, gate.suites) if name in asked)
            if names and gate.model in ("", title):
                about = {text: GateRule.parse(text).suite for text in gate.rules}
                rules = tuple(text for text, suite in about.items() if not suite or suite in names)
                yield _ModelGate(place, gate, names, rules)

    def _gates(
        self, model: EvaluatedModel, version: ModelVersion, suites: Sequence[SuiteState]
    ) -> Iterator[EvaluatedGate | WaitingRule]:
        """The verdicts on a model; rules without a baseline wait."""
        for own in self._rules(model.title, model.suites, suites):
            waiting = {text: self._waits(own.gate, GateRule.parse(text), version) for text in own.rules}
            yield from filter(None, waiting.values())
            rules = [text for text, reason in waiting.items() if reason is None]
            report = self._decided.get((model.title, own.place))
            if rules and report is None:
                report = self._lab.gate(version.title, rules, baseline=own.gate.baseline, suites=own.suites)
            if rules and report is not None:
                yield EvaluatedGate(report, own.gate.undecided)

    def _waits(self, gate: GateSettings, rule: GateRule, version: ModelVersion) -> WaitingRule | None:
        """Why a rule has nothing to compare with yet, if it has not."""
        if not rule.baseline:
            return None
        waiting = WaitingRule(version.title, rule.text, "", gate.undecided)
        try:
            find_baseline(self._lab.store, version, rule, gate.baseline)
        except UnknownName:
            raise
        except StoreError as problem:
            mark = f"counterpoint baseline {self._evaluation.lab} {version.name}@{version.version}"
            return replace(waiting, reason=f"waits: {problem}; to mark this one: {mark}")
        except CounterpointError as problem:
            return replace(waiting, reason=str(problem), is_own_baseline=True)
        return None

    def _comparisons(self, versions: Sequence[ModelVersion], how: dict[str, Any]) -> Iterator[Comparison]:
        """Each model less the version that is marked as its baseline, where that is another one.

        A test of fixed size says nothing of a model that was asked until a gate was decided.
        """
        stopped = {report.model for report in self._decided.values() if report.course and report.course.is_partial}
        for version in versions:
            if version.title in stopped:
                continue
            for own in self._lab.models:
                if own.name == version.name and own.is_baseline and own.fingerprint != version.fingerprint:
                    yield self._lab.compare(version.title, own.title, **how)
