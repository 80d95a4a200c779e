"""The gate of a lab: rules on the scores of a model, held against its answers and those of a baseline."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, StoreError, UnknownName
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_answers, load_groups, select_models
from counterpoint.metrics.comparison import paired_sums
from counterpoint.metrics.gates import (
    BASELINE,
    NO_TEST,
    GateCheck,
    GateRule,
    GateVerdict,
    LineTest,
    decide,
    difference_test,
    overall,
    share_test,
    statistic_test,
)
from counterpoint.metrics.intervals import jackknife, jackknife_groups
from counterpoint.metrics.metric import Metric, Ratio, applicable, columns_read, contents_by_suite, displayed
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.paired_tests import RatioDifference
from counterpoint.metrics.scoring import DEFAULT_METRICS, slice_sums
from counterpoint.metrics.slices import Slicer
from counterpoint.metrics.units import STATES, Singles
from counterpoint.reports.tables import ResultTable
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import ModelVersion

FAILED, UNDECIDED = 3, 4
"""Exit codes: a rule fails, or the data cannot tell and this is not let pass."""
_STATE_METRICS = ("unparsed", "refused", "hedged")


def _state_metric(state: str) -> Ratio[Singles]:
    """The share of answers in a state."""
    code = STATES.index(state)
    return Ratio(state, unit=Singles, hit=lambda units: units.state == code)


@dataclass(frozen=True, slots=True, repr=False)
class GateReport(LabResult[GateCheck], rows="checks"):
    """Every rule with its verdict, and the verdict on the model."""

    model: str
    baseline: str
    checks: tuple[GateCheck, ...]
    verdict: GateVerdict

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; numbers that are not there are null."""
        return {
            "model": self.model,
            "baseline": self.baseline,
            "verdict": self.verdict.value,
            "checks": [_plain(check) for check in self.checks],
        }

    def records(self) -> list[dict[str, Any]]:
        """One row per rule and suite."""
        return [_plain(check) for check in self.checks]

    def tables(self) -> list[ResultTable]:
        """One line per rule and suite, those that fail first."""
        order = {GateVerdict.FAILS: 0, GateVerdict.UNDECIDED: 1, GateVerdict.HOLDS: 2}
        rows = [
            (
                check.verdict.value,
                check.rule.text,
                check.suite,
                _points(check.test.value),
                _points(check.bound),
                "–" if isnan(check.p) else f"{check.p:.3f}",
                f"{check.test.n:,}",
                f"{check.further:,}" if check.further else "–",
            )
            for check in sorted(self.checks, key=lambda check: order[check.verdict])
        ]
        heads = ("verdict", "rule", "suite", "value", "bound", "p of failing", "n", "further to decide")
        note = "bound: one-sided, of 95 %; p is corrected over all rules (Holm); differences are in points"
        return [ResultTable(f"Gate of {self.model}", heads, rows, names=3, note=note)]

    def notes(self) -> list[str]:
        """The verdict on the model."""
        against = f" against {self.baseline}" if self.baseline else ""
        return [f"{self.model}{against}: the gate {_SENTENCES[self.verdict]}"]

    def exit_code(self, undecided: str = "pass") -> int:
        """0 where all rules hold, or may not be told and `undecided` is "pass"; 3 where one fails; else 4."""
        if self.verdict is GateVerdict.FAILS:
            return FAILED
        return UNDECIDED if self.verdict is GateVerdict.UNDECIDED and undecided == "fail" else 0

    def junit(self, undecided: str = "pass") -> str:
        """The rules as test cases in JUnit's XML, which CI servers show."""
        failures = sum(check.verdict is GateVerdict.FAILS for check in self.checks)
        suite = ElementTree.Element("testsuite", name=f"counterpoint gate of {self.model}", tests=str(len(self.checks)))
        for check in self.checks:
            case = ElementTree.SubElement(suite, "testcase", classname=check.suite or "all", name=check.rule.text)
            text = f"value {_points(check.test.value)}, bound {_points(check.bound)}, n {check.test.n}"
            if check.verdict is GateVerdict.FAILS:
                ElementTree.SubElement(case, "failure", message=text)
            elif check.verdict is GateVerdict.UNDECIDED:
                failures += undecided == "fail"
                ElementTree.SubElement(case, "failure" if undecided == "fail" else "skipped", message=text)
        suite.set("failures", str(failures))
        return ElementTree.tostring(suite, encoding="unicode")

    def write_junit(self, path: Path, undecided: str = "pass") -> None:
        """Write the JUnit file."""
        try:
            path.write_text(self.junit(undecided), "utf-8")
        except OSError as problem:
            raise StoreError(f"{path} cannot be written: {problem.strerror or problem}") from problem


_SENTENCES = {
    GateVerdict.HOLDS: "holds",
    GateVerdict.FAILS: "fails",
    GateVerdict.UNDECIDED: "is undecided: there are too few groups to tell",
}


def _points(value: float) -> str:
    return "–" if isnan(value) else f"{100 * value:.1f}"


def _plain(check: GateCheck) -> dict[str, Any]:
    row: dict[str, Any] = {
        "rule": check.rule.text,
        "suite": check.suite,
        "metric": check.metric,
        "verdict": check.verdict.value,
    }
    row |= {key: value for key, value in asdict(check.test).items() if key in ("value", "n", "clusters")}
    row |= {"bound": check.bound, "p": check.p, "further": check.further}
    return {key: None if isinstance(value, float) and isnan(value) else value for key, value in row.items()}


def gate_model(
    store: LabStore, model: str, rules: Sequence[str], *, baseline: str = "", suites: Sequence[str] = ()
) -> GateReport:
    """Hold rules against the answers of a model, and of its baseline where a rule names one."""
    if not rules:
        raise CounterpointError("a gate needs a rule", hint="--rule 'accuracy >= 0.6'")
    ((title, version),) = select_models(store, [model]).items()
    gate = _Gate(store, version, baseline, tuple(suites) or tuple(store.suites()))
    checks = decide([test for text in rules for test in gate.tests(GateRule.parse(text))])
    return GateReport(title, gate.baseline_title, tuple(checks), overall(checks))


class _Gate:
    """Computes the test of each rule."""

    def __init__(self, store: LabStore, version: ModelVersion, baseline: str, suites: Sequence[str]) -> None:
        self._store, self._version, self._baseline, self._suites = store, version, baseline, suites
        self.baseline_title = ""

    def tests(self, rule: GateRule) -> Iterator[tuple[GateRule, str, str, LineTest]]:
        """The rule on each suite that it is about: all as one where it names a metric and no suite."""
        if rule.suite and rule.suite not in self._suites:
            raise UnknownName("suite of this lab", rule.suite, self._suites)
        if rule.metric:
            metric = _metric(rule.metric)
            suites = [rule.suite] if rule.suite else self._suites
            yield rule, rule.suite, metric.name, self._test(rule, metric, suites)
            return
        for suite in self._suites:
            leading = self._leading(suite)
            test = self._test(rule, leading, [suite]) if leading else NO_TEST
            if leading and test.n:
                yield rule, suite, leading.name, test

    def _leading(self, suite: str) -> Metric | None:
        """The first share with a direction that leads on a suite."""
        (contents,) = contents_by_suite(load_groups(self._store, [suite])).values()
        leading = displayed(contents, applicable(contents, DEFAULT_METRICS))
        return next((metric for metric in leading if isinstance(metric, Ratio) and metric.directed), None)

    def _test(self, rule: GateRule, metric: Metric, suites: Sequence[str]) -> LineTest:
        own = self._outcomes(self._version, metric, suites)
        line = rule.line
        if not rule.baseline:
            return _line_test(own, metric, rule, line)
        other = self._outcomes(self._baseline_version(rule.baseline), metric, suites)
        if not isinstance(metric, Ratio):
            fact = f"{metric.name} is no share of cases, and has no margin here"
            raise CounterpointError(fact, hint=f"use a line ({metric.name} >= …), or counterpoint compare")
        sums = paired_sums(own, other, metric, rule.where)
        if sums is None:
            return NO_TEST
        (first, second), place = sums
        pair = (second, first) if metric.lower_is_better else (first, second)
        difference = RatioDifference(*pair, place)
        return difference_test(difference, int(min(first.cases[0], second.cases[0])), line)

    def _outcomes(self, version: ModelVersion, metric: Metric, suites: Sequence[str]) -> Outcomes:
        groups = load_groups(self._store, suites, pool=len(suites) > 1)
        return judge(groups, load_answers(self._store, version, columns_read([metric])))

    def _baseline_version(self, name: str) -> ModelVersion:
        """The version that a rule calls its baseline: a model of this name, the one given, or the one marked."""
        chosen = self._baseline or f"{self._version.name}@{BASELINE}" if name == BASELINE else name
        ((title, version),) = select_models(self._store, [chosen]).items()
        if version.fingerprint == self._version.fingerprint:
            fact = f"{title} is its own baseline"
            raise CounterpointError(fact, hint="gate another version, or name another --baseline")
        self.baseline_title = title
        return version


def _metric(name: str) -> Metric:
    return _state_metric(name) if name in _STATE_METRICS else catalog.resolve_metric(name)


def _line_test(outcomes: Outcomes, metric: Metric, rule: GateRule, line: float) -> LineTest:
    """A score of one model against a line."""
    units = outcomes.units(metric.unit)
    cells = Slicer(outcomes, ("suite",), rule.where).cut(units)
    if not cells.names:
        return NO_TEST
    if isinstance(metric, Ratio):
        return share_test(slice_sums(metric, units, cells), line)
    rows = cells.units_by_slice(metric.counts(units) & units.counted)[0]
    group, groups, clusters = jackknife_groups(units.cluster[rows])
    estimate = jackknife(metric.prepare(units, rows), np.asarray(group), groups)
    return statistic_test(estimate, len(rows), clusters, line)
