"""The gate of a lab: rules on the scores of a model, held against its answers and those of a baseline."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.core.quantities import counted
from counterpoint.lab.findings import find_findings
from counterpoint.lab.results import LabResult
from counterpoint.lab.saved_slices import SavedSlice, read_slice
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
    search_test,
    share_test,
    statistic_test,
)
from counterpoint.metrics.intervals import jackknife, jackknife_groups
from counterpoint.metrics.metric import Metric, Ratio, applicable, columns_read, contents_by_suite, displayed
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.paired_tests import RatioDifference
from counterpoint.metrics.scoring import DEFAULT_METRICS, slice_sums
from counterpoint.metrics.slices import Slicer, pool_suites
from counterpoint.metrics.units import STATES, Singles
from counterpoint.reports.tables import ResultTable
from counterpoint.store.lab import LabStore
from counterpoint.store.outputs import write_whole
from counterpoint.store.versions import ModelVersion

FAILED, UNDECIDED = 3, 4
"""Exit codes: a rule fails, or the data cannot tell and this is not let pass."""
SEARCHED = "all_right"
"""The metric of which findings are the changes."""
_STATE_METRICS = ("unparsed", "refused", "hedged")


def _state_metric(state: str) -> Ratio[Singles]:
    """The share of answers in a state."""
    code = STATES.index(state)
    return Ratio(state, unit=Singles, hit=lambda units: units.state == code)


@dataclass(frozen=True, slots=True)
class SequentialCourse:
    """How a model was asked until its rules were decided."""

    method: str
    pictures: int  # that were judged
    present: int  # pictures that could have been
    asked: int  # queries
    saved: int  # queries that were not needed
    left: int = 0  # queries that were not asked for another reason, such as a budget

    @property
    def is_partial(self) -> bool:
        """Whether queries were not asked."""
        return bool(self.saved or self.left)

    def __str__(self) -> str:
        pictures = f"{self.pictures:,} of {counted(self.present, 'picture')} in random order"
        rest = f"{self.left:,} left" if self.left else f"{self.saved:,} saved"
        return f"{pictures}: {counted(self.asked, 'query')} asked, {rest}"


@dataclass(frozen=True, slots=True, repr=False)
class GateReport(LabResult[GateCheck], rows="checks"):
    """Every rule with its verdict, and the verdict on the model."""

    model: str
    baseline: str
    checks: tuple[GateCheck, ...]
    verdict: GateVerdict
    course: SequentialCourse | None = None  # where the model was asked until the rules were decided

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; numbers that are not there are null."""
        course = {"sequential": asdict(self.course)} if self.course else {}
        return {
            "model": self.model,
            "baseline": self.baseline,
            "verdict": self.verdict.value,
            "checks": [_plain(check) for check in self.checks],
        } | course

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
                _further(check),
            )
            for check in sorted(self.checks, key=lambda check: order[check.verdict])
        ]
        heads = ("verdict", "rule", "suite", "value", "bound", "p of failing", "n", "further to decide")
        note = "bound: one-sided, of 95 %; p is corrected over all rules (Holm); differences are in points"
        if any(check.rule.is_search for check in self.checks):
            note = note.replace("all rules", "all rules but those on findings, which correct their own")
        if self.course:
            note = f"{self.course.method} bound and p, valid at any time; p is corrected over all rules (Bonferroni)"
        return [ResultTable(f"Gate of {self.model}", heads, rows, names=3, note=note)]

    def notes(self) -> list[str]:
        """The verdict on the model."""
        against = f" against {self.baseline}" if self.baseline else ""
        course = [str(self.course)] if self.course else []
        findings = [f"{check.rule.text}: {check.test.finding}" for check in self.checks if check.test.finding]
        return [*course, *findings, f"{self.model}{against}: the gate {_SENTENCES[self.verdict]}"]

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
            text += f"; {check.missing}" if check.missing else ""
            text += f"; {check.test.finding}" if check.test.finding else ""
            if check.verdict is GateVerdict.FAILS:
                ElementTree.SubElement(case, "failure", message=text)
            elif check.verdict is GateVerdict.UNDECIDED:
                failures += undecided == "fail"
                ElementTree.SubElement(case, "failure" if undecided == "fail" else "skipped", message=text)
        suite.set("failures", str(failures))
        return ElementTree.tostring(suite, encoding="unicode")

    def write_junit(self, path: Path, undecided: str = "pass") -> None:
        """Write the JUnit file."""
        write_whole(path, self.junit(undecided))


_SENTENCES = {
    GateVerdict.HOLDS: "holds",
    GateVerdict.FAILS: "fails",
    GateVerdict.UNDECIDED: "is undecided: there are too few groups or pictures to tell",
}


def _further(check: GateCheck) -> str:
    """What is missing to decide a rule, in a cell of a table."""
    if check.further_pictures:
        return counted(check.further_pictures, "picture")
    return counted(check.further, "case") if check.further else "–"


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
    row |= {"finding": check.test.finding} if check.rule.is_search else {}
    row |= {"bound": check.bound, "p": check.p, "further": check.further, "further_pictures": check.further_pictures}
    return {key: None if isinstance(value, float) and isnan(value) else value for key, value in row.items()}


def gate_model(
    store: LabStore, model: str, rules: Sequence[str], *, baseline: str = "", suites: Sequence[str] = ()
) -> GateReport:
    """Hold rules against the answers of a model, and of its baseline where a rule names one."""
    ((title, version),) = select_models(store, [model]).items()
    gate = _Gate(store, version, baseline)
    targets = list(find_targets(store, rules, tuple(suites) or tuple(store.suites())))
    tests = [(target.rule, target.suite, target.metric.name, gate.test(target)) for target in targets]
    checks = decide([test for test in tests if test[0].metric or test[0].is_search or test[3].n])  # suites with answers
    return GateReport(title, gate.baseline_title, tuple(checks), overall(checks))


@dataclass(frozen=True, slots=True)
class RuleTarget:
    """A rule on what it is about: a metric of some suites, which are pooled where they are several."""

    rule: GateRule
    suite: str  # that is named, by the rule or since it is about each; empty where suites are pooled
    metric: Metric
    suites: tuple[str, ...]
    inside: SavedSlice | None = None  # a slice of the lab, where the rule names one

    def select(self, groups: pa.Table) -> pa.Table:
        """Those of some groups that the rule is about."""
        return self.inside.select(groups) if self.inside else groups

    def groups(self, store: LabStore) -> pa.Table:
        """The groups that the rule is about, those of several suites as one."""
        groups = self.select(load_groups(store, self.suites))
        return pool_suites(groups) if len(self.suites) > 1 and groups.num_rows else groups

    def outcomes(self, store: LabStore, version: ModelVersion) -> Outcomes:
        """The answers of a model that the rule is about, judged."""
        return judge(self.groups(store), load_answers(store, version, columns_read([self.metric])))


def find_targets(store: LabStore, rules: Sequence[str], suites: Sequence[str]) -> Iterator[RuleTarget]:
    """Each rule on what it is about; one that names no metric is about each suite, by the metric that leads there."""
    if not rules:
        raise CounterpointError("a gate needs a rule", hint="--rule 'accuracy >= 0.6'")
    for rule in map(GateRule.parse, rules):
        if rule.suite and rule.suite not in suites:
            raise UnknownName("suite of this lab", rule.suite, suites)
        if rule.is_search:
            yield RuleTarget(rule, "", rule_metric(SEARCHED), tuple(suites))
            continue
        if rule.metric:
            metric = rule_metric(rule.metric)
            if rule.baseline and not isinstance(metric, Ratio):
                fact = f"{metric.name} is no share of cases, and has no margin here"
                raise CounterpointError(fact, hint=f"use a line ({metric.name} >= …), or counterpoint compare")
            named, where = rule.where.get("slice"), {key: own for key, own in rule.where.items() if key != "slice"}
            inside = read_slice(store, named) if named else None
            about = (rule.suite,) if rule.suite else tuple(suites)
            yield RuleTarget(replace(rule, where=where), rule.suite, metric, about, inside)
            continue
        for suite in suites:
            if leading := leading_ratio(load_groups(store, [suite])):
                yield RuleTarget(rule, suite, leading, (suite,))


def leading_ratio(groups: pa.Table) -> Ratio[Any] | None:
    """The first share with a direction that leads on the suite of some groups."""
    (contents,) = contents_by_suite(groups).values()
    leading = displayed(contents, applicable(contents, DEFAULT_METRICS))
    return next((metric for metric in leading if isinstance(metric, Ratio) and metric.directed), None)


def find_baseline(store: LabStore, version: ModelVersion, rule: GateRule, given: str) -> ModelVersion:
    """The version that a rule calls its baseline: a model of this name, the one given, or the one marked."""
    chosen = given or f"{version.name}@{BASELINE}" if rule.baseline == BASELINE else rule.baseline
    ((title, found),) = select_models(store, [chosen]).items()
    if found.fingerprint == version.fingerprint:
        raise CounterpointError(f"{title} is its own baseline", hint="gate another version, or name another --baseline")
    return found


class _Gate:
    """Computes the test of each rule."""

    def __init__(self, store: LabStore, version: ModelVersion, baseline: str) -> None:
        self._store, self._version, self._baseline = store, version, baseline
        self.baseline_title = ""

    def test(self, target: RuleTarget) -> LineTest:
        """The test of a rule on what it is about."""
        rule, metric = target.rule, target.metric
        if rule.is_search:
            return self._search(target)
        own = target.outcomes(self._store, self._version)
        if not rule.baseline:
            return _line_test(own, metric, rule, rule.line)
        assert isinstance(metric, Ratio), "a margin is on a share"
        baseline = find_baseline(self._store, self._version, rule, self._baseline)
        self.baseline_title = baseline.title
        sums = paired_sums(own, target.outcomes(self._store, baseline), metric, rule.where)
        if sums is None:
            return NO_TEST
        (first, second), place = sums
        pair = (second, first) if metric.lower_is_better else (first, second)
        difference = RatioDifference.of(*pair, place)
        return difference_test(difference, int(min(first.cases[0], second.cases[0])), rule.line)

    def _search(self, target: RuleTarget) -> LineTest:
        """The findings of what changed from the baseline, of which none may be for the worse."""
        baseline = find_baseline(self._store, self._version, target.rule, self._baseline)
        self.baseline_title = baseline.title
        found = find_findings(self._store, self._version.title, against=baseline.title, suites=target.suites)
        worse = [own for own in found if own.is_significant and own.right < 0]
        return search_test(
            [(own.right, own.p, own.n, own.sentence) for own in worse], found.searched, found.on_pictures
        )


def rule_metric(name: str) -> Metric:
    """The metric that a rule names: one of the catalog, or the share of answers in a state."""
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
