"""What an evaluation found, and what it would make and ask: for a terminal, a pull request, a notebook, or as data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap
from typing import Any

from counterpoint.core.costs import total_cost
from counterpoint.core.quantities import counted
from counterpoint.engine.progress import format_duration
from counterpoint.lab.comparison import Comparison
from counterpoint.lab.evaluation.suite_states import SuitePresence
from counterpoint.lab.gating import FAILED, UNDECIDED, GateReport
from counterpoint.lab.importing import ImportReport
from counterpoint.lab.results import LabResult
from counterpoint.lab.run_estimates import RunEstimate
from counterpoint.lab.running import RunReport
from counterpoint.lab.scores import ModelScore, Scores
from counterpoint.lab.tracking import TrackingReport
from counterpoint.metrics.gates import GateCheck, GateVerdict
from counterpoint.reports.tables import ResultTable
from counterpoint.store.versions import ModelVersion

WIDTH = 80
"""Columns of a terminal for which sentences are broken."""
ERROR = 1
"""The exit code where a model could not be evaluated."""
_NOISE = "  batch invariance: 0 of"  # told by a run, and of interest only where it is not so
_MARKS = {GateVerdict.FAILS: "✗", GateVerdict.UNDECIDED: "?", GateVerdict.HOLDS: "✓"}


@dataclass(frozen=True, slots=True)
class EvaluatedSuite:
    """A suite of the lab that is part of an evaluation."""

    suite: str
    groups: int
    queries: int
    presence: SuitePresence


@dataclass(frozen=True, slots=True)
class EvaluatedModel:
    """A model of the file: what was asked or imported, or why it could not be."""

    title: str  # in the file
    suites: tuple[str, ...]
    fingerprint: str = ""
    report: RunReport | ImportReport | None = None
    problem: str = ""
    hint: str = ""
    version: ModelVersion | None = None  # in the lab

    @property
    def asked(self) -> int:
        """Queries that were asked or read now."""
        if isinstance(self.report, RunReport):
            return self.report.outcome.asked
        return self.report.counts.added if self.report is not None and self.report.counts else 0

    @property
    def has_failed(self) -> bool:
        """Whether there is nothing to score, or nothing of what was asked was answered."""
        return self.version is None or (isinstance(self.report, RunReport) and self.report.all_failed)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        about = {"model": self.title, "version": self.version.version if self.version else None}
        report = None if self.report is None else self.report.to_dict()
        return about | {"suites": list(self.suites), "asked": self.asked, "problem": self.problem, "report": report}

    def lines(self) -> Iterator[str]:
        """What was asked, in sentences."""
        if isinstance(self.report, RunReport) and not self.asked and self.report.complete:
            cached = self.report.outcome.cached
            yield f"{self.report.model}: {'all ' * (cached > 1)}{counted(cached, 'answer', 'were')} there"
        elif self.report is not None:
            yield from (line for line in self.report.notes() if not line.startswith(_NOISE))
        else:
            yield f"{self.title}: {self.problem}"
            yield from (f"  {self.hint}",) if self.hint else ()


@dataclass(frozen=True, slots=True)
class EvaluatedGate:
    """The verdicts of one gate on one model, and what becomes of rules that cannot be decided."""

    report: GateReport
    undecided: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return self.report.to_dict() | {"undecided": self.undecided}


@dataclass(frozen=True, slots=True)
class WaitingRule:
    """A rule that cannot be held against a model yet, and why; it is undecided unless the model is the baseline."""

    model: str
    rule: str
    reason: str
    undecided: str  # "pass" or "fail"
    is_own_baseline: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class EvaluationReport(LabResult[dict[str, Any]]):
    """Suites, models, scores, differences to baselines and verdicts of one evaluation."""

    file: Path
    lab: Path | str
    suites: tuple[EvaluatedSuite, ...]
    models: tuple[EvaluatedModel, ...]
    scores: Scores | None = None
    comparisons: tuple[Comparison, ...] = ()
    gates: tuple[EvaluatedGate, ...] = ()
    waiting: tuple[WaitingRule, ...] = ()
    outputs: Mapping[str, Path] = field(default_factory=dict)  # by kind
    logged: tuple[TrackingReport, ...] = ()
    log_problems: tuple[str, ...] = ()  # why a version was not logged

    @property
    def asked(self) -> int:
        """Queries that were asked in this evaluation."""
        return sum(model.asked for model in self.models)

    @property
    def exit_code(self) -> int:
        """0: all rules hold; 1: a model could not be evaluated, or logged; 3: a rule fails; 4: none can tell.

        A rule that cannot be decided counts only where its gate says `undecided = "fail"`.
        """
        if any(model.has_failed for model in self.models):
            return ERROR
        verdict = self._verdict_code()
        return ERROR if self.log_problems and not verdict else verdict

    def _verdict_code(self) -> int:
        codes = {gate.report.exit_code(gate.undecided) for gate in self.gates}
        codes |= {UNDECIDED for rule in self.waiting if rule.undecided == "fail" and not rule.is_own_baseline}
        return FAILED if FAILED in codes else UNDECIDED if UNDECIDED in codes else 0

    @property
    def verdict(self) -> str:
        """Which models could not be evaluated, or else fail; nothing without a gate."""
        lost = [model.title for model in self.models if model.has_failed]
        failed = [gate.report.model for gate in self.gates if gate.report.verdict is GateVerdict.FAILS]
        if lost:
            return f"{', '.join(lost)} could not be evaluated"
        return (
            f"the gate fails for {', '.join(dict.fromkeys(failed))}" if failed else "no rule fails" * bool(self.gates)
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "file": str(self.file),
            "lab": str(self.lab),
            "exit_code": self.exit_code,
            "asked": self.asked,
            "suites": [{**_fields(suite), "presence": suite.presence.value} for suite in self.suites],
            "models": [model.to_dict() for model in self.models],
            "scores": self.scores.to_dict()["scores"] if self.scores is not None else [],
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            "gates": [gate.to_dict() for gate in self.gates],
            "waiting": [_fields(rule) for rule in self.waiting],
            "outputs": {kind: str(path) for kind, path in self.outputs.items()},
            "logged": [row for report in self.logged for row in report.records()],
            "log_problems": list(self.log_problems),
        }

    def records(self) -> list[dict[str, Any]]:
        """One row per score."""
        return self.scores.records() if self.scores is not None else []

    def tables(self) -> list[ResultTable]:
        """The gates, the scores, and the differences to baselines."""
        scores = self.scores.tables() if self.scores is not None else []
        gates = [table for gate in self.gates for table in gate.report.tables()]
        return [*gates, *scores, *(table for comparison in self.comparisons for table in comparison.tables())]

    def notes(self) -> list[str]:
        """What was made and asked, which rules wait, and which files were written."""
        waiting = [f"{rule.model}, {rule.rule}: {rule.reason}" for rule in self.waiting]
        omissions = [f"{gate.report.model}, {line}" for gate in self.gates for line in gate.report.omissions()]
        return [*self._work(), *waiting, *omissions, *self._ends()]

    def text(self, form: str = "plain", *, width: int = 0) -> str:
        """Sentences and tables that fit a terminal, or Markdown and LaTeX with all columns."""
        if form != "plain":
            return LabResult.text(self, form)
        scores = [table.plain(width) for table in score_tables(self.scores)] if self.scores is not None else []
        notes = self.scores.notes() if self.scores is not None else ()
        changes = ["\n".join(_wrapped(change_lines(comparison), width)) for comparison in self.comparisons]
        work, gates = "\n".join(_wrapped(self._work(), width)), "\n".join(_wrapped(self._gate_lines(), width))
        ends = "\n".join(_wrapped(self._ends(), width))
        gates = gates.removeprefix("\n")
        return "\n\n".join(filter(None, [work, *scores, "\n".join(_wrapped(notes, width)), *changes, gates, ends]))

    def _work(self) -> Iterator[str]:
        made = [suite for suite in self.suites if suite.presence is SuitePresence.MADE]
        for suite in made:
            groups, queries = counted(suite.groups, "group"), counted(suite.queries, "query")
            yield f"{suite.suite}: made, {groups}, {queries}"
        there = len(self.suites) - len(made)
        yield from (f"{counted(there, 'suite', 'were')} there",) if there else ()
        for model in self.models:
            yield from model.lines()
        if self.models and not self.asked and not any(model.has_failed for model in self.models):
            needed = " that is needed" if any(gate.report.course for gate in self.gates) else ""
            yield f"nothing was asked: every answer{needed} was there"

    def _gate_lines(self) -> Iterator[str]:
        """The rules of each model with their verdicts and reasons, those that fail first."""
        for model in dict.fromkeys([*(gate.report.model for gate in self.gates), *(own.model for own in self.waiting)]):
            reports = [gate.report for gate in self.gates if gate.report.model == model]
            against = ", ".join(dict.fromkeys(report.baseline for report in reports if report.baseline))
            yield f"\nGate of {model}{f' against {against}' if against else ''}"
            yield from dict.fromkeys(str(report.course) for report in reports if report.course)
            checks = [check for report in reports for check in report.checks]
            for check in sorted(checks, key=lambda check: [*_MARKS].index(check.verdict)):
                suite = f" on {check.suite}" if check.suite and f"{check.suite}." not in check.rule.text else ""
                yield f"{_MARKS[check.verdict]} {check.rule.text}{suite}"
                yield f"    {_reason(check)}"
            yield from dict.fromkeys(line for report in reports for line in report.omissions())
            for rule in self.waiting:
                if rule.model == model:
                    yield f"{_MARKS[GateVerdict.UNDECIDED]} {rule.rule}"
                    yield f"    {rule.reason}"

    def _ends(self) -> Iterator[str]:
        for kind, path in self.outputs.items():
            yield f"{kind}: {path}"
        yield from (note for report in self.logged for note in report.notes())
        yield from (f"not logged: {problem}" for problem in self.log_problems)
        if any(isinstance(model.report, RunReport) and not model.report.complete for model in self.models):
            yield "some queries have no answer; eval asks them again"
        if any(gate.report.course and gate.report.course.is_partial for gate in self.gates):
            yield "scores are of what was asked; after such a stop there is no further comparison with a baseline"
        if self.exit_code == FAILED:
            yield f"every failure in the browser: counterpoint serve {self.lab}"
        if self.verdict:
            yield f"{self.verdict}: exit code {self.exit_code}"


def score_tables(scores: Scores) -> Iterator[ResultTable]:
    """A line for each suite and metric, a column for each model; as many models in a table as a terminal is wide."""
    phrases = {metric.name: metric.phrase for own in scores.displayed.values() for metric in own}
    cells, rows = dict[tuple[str, str, str], str](), dict[tuple[str, str], None]()
    for score in scores:
        suite = score.slice["suite"]
        if score.value is not None and score.metric in [metric.name for metric in scores.displayed[suite]]:
            rows[suite, score.metric] = None
            cells[score.model, suite, score.metric] = _rounded(score)
    names = 4 + max((len(f"{suite}{phrases[metric]}") for suite, metric in rows), default=0)
    widths = {
        model: 2 + max([len(model), *(len(cells.get((model, *row), "–")) for row in rows)])
        for model in dict.fromkeys(model for model, _, _ in cells)
    }
    absent = [model for model in dict.fromkeys(score.model for score in scores) if model not in widths]
    note = f"Without a value of these metrics: {', '.join(absent)}" if absent else ""
    for models in _fitting(widths, WIDTH - names):
        lines = [
            (suite, phrases[metric], *(cells.get((model, suite, metric), "–") for model in models))
            for suite, metric in rows
        ]
        heads, title = ("suite", "metric", *models), "Per cent, with 95 % intervals over pictures"
        yield ResultTable(title, heads, lines, names=2, note=note)


def _rounded(score: ModelScore) -> str:
    interval = "" if score.low is None or score.high is None else f" ({100 * score.low:.0f}–{100 * score.high:.0f})"
    return f"{100 * (score.value or 0):.1f}{interval}"


def _fitting(widths: Mapping[str, int], room: int) -> Iterator[list[str]]:
    """Columns in portions that fit into so many characters, at least one each."""
    portion, left = list[str](), room
    for name, width in widths.items():
        if portion and width > left:
            yield portion
            portion, left = [], room
        portion.append(name)
        left -= width
    if portion:
        yield portion


def _reason(check: GateCheck) -> str:
    """The value of a rule and the bound that decided it, in a sentence."""
    if not check.test.n:
        return "there are no answers that it is about"
    value, bound, n = f"{100 * check.test.value:.1f}", f"{100 * check.bound:.1f}", counted(check.test.n, "case")
    unit = "points" if check.rule.baseline else "%"
    side = "at most" if check.rule.at_least == (check.verdict is GateVerdict.FAILS) else "at least"
    further = f"; {check.missing}" if check.missing else ""
    return f"{value} {unit} over {n}, {side} {bound} with 95 % confidence{further}"


def change_lines(comparison: Comparison) -> Iterator[str]:
    """Where a model differs from its baseline by the paired test; how many differences chance explains."""
    first, second = comparison.models
    changes = {first: "better", second: "worse"}
    moved = [row for row in comparison.rows if row["verdict"] in changes]
    equal = counted(len(comparison.rows) - len(moved), "score")
    yield f"{first} against its baseline {second}: {equal} without a difference that holds"
    for row in moved:
        change = changes[row["verdict"]]
        low, high = 100 * row["low"], 100 * row["high"]
        where = " ".join(str(row[name]) for name in comparison.request.columns)
        yield f"  {change}: {where} {row['metric']} {100 * row['difference']:+.1f} ({low:+.1f} to {high:+.1f})"


@dataclass(frozen=True, slots=True, repr=False)
class EvaluationEstimate(LabResult[RunEstimate], rows="runs"):
    """What an evaluation would make and ask, and what that would take."""

    file: Path
    lab: Path | str
    suites: tuple[EvaluatedSuite, ...]
    runs: tuple[RunEstimate, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        total = total_cost(run.cost for run in self.runs).to_dict()
        return {
            "file": str(self.file),
            "lab": str(self.lab),
            "suites": [{**_fields(suite), "presence": suite.presence.value} for suite in self.suites],
            "runs": [run.to_dict() for run in self.runs],
            "total": {"queries": sum(run.queries for run in self.runs), **total, "seconds": self._seconds},
        }

    @property
    def _seconds(self) -> float | None:
        known = [run.seconds for run in self.runs if run.seconds is not None]
        return sum(known) if len(known) == len(self.runs) else None

    def notes(self) -> list[str]:
        """What would be made and asked, in sentences, and the sum."""
        lines = []
        for suite in self.suites:
            groups, queries = counted(suite.groups, "group"), counted(suite.queries, "query")
            state = "is there" if suite.presence is SuitePresence.THERE else "would be made"
            lines.append(f"{suite.suite}: {state}, {groups}, {queries}")
        lines += [line for run in self.runs for line in run.notes()]
        total, time = sum(run.queries for run in self.runs), self._seconds
        duration = f", about {format_duration(time)}" if time else ""
        prices = [run.cost.price_text for run in self.runs if run.cost.price_text]
        return [*lines, f"in all: {counted(total, 'query')}{duration}{''.join(f', {text}' for text in prices)}"]

    def text(self, form: str = "plain", *, width: int = 0) -> str:
        """The sentences, broken for a terminal."""
        return "\n".join(_wrapped(self.notes(), width)) if form == "plain" else LabResult.text(self, form)


def _wrapped(lines: Sequence[str] | Iterator[str], width: int) -> Iterator[str]:
    """Lines broken at the width of a terminal, at most ours; what follows is indented."""
    most = min(width or WIDTH, WIDTH)
    for line in lines:
        if line.startswith("\n"):
            yield ""
        line = line.strip("\n")
        margin = " " * (len(line) - len(line.lstrip()))
        yield from wrap(line, most, subsequent_indent=f"{margin}  ", break_long_words=False, break_on_hyphens=False)


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}
