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
from counterpoint.core.ahead import map_ahead
from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.core.quantities import counted
from counterpoint.lab.findings import find_findings
from counterpoint.lab.results import LabResult, to_plain
from counterpoint.lab.saved_slices import SavedSlice, read_slice, slice_filter
from counterpoint.lab.scores import check_metrics, check_slices, judge_block
from counterpoint.lab.selection import ANSWER_COLUMNS, select_models
from counterpoint.metrics.comparison import ComparisonTotals
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
from counterpoint.metrics.gathering import GatheredOutcomes, explain_bound
from counterpoint.metrics.intervals import ShareSums, cluster_columns, jackknife, jackknife_groups
from counterpoint.metrics.metric import (
    Contents,
    Metric,
    MetricKind,
    Ratio,
    Statistic,
    applicable,
    columns_read,
    displayed,
    whole_suites,
)
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.paired_tests import RatioDifference
from counterpoint.metrics.scoring import DEFAULT_METRICS, ScoreRequest, SliceSums
from counterpoint.metrics.slices import SliceCells, Slicer
from counterpoint.metrics.units import STATES, Singles
from counterpoint.reports.tables import ResultTable, percent
from counterpoint.store.blocks import BLOCK_ROWS, THREADS, open_blocks, read_contents
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
    not_compared: tuple[str, ...] = ()  # suites that a rule on each is not about: both models share no case there

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; numbers that are not there are null."""
        course: dict[str, Any] = {"sequential": asdict(self.course)} if self.course else {}
        course |= {"not_compared": list(self.not_compared)} if self.not_compared else {}
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
                percent(check.test.value),
                percent(check.bound),
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
        return [
            *course,
            *findings,
            *self.omissions(),
            f"{self.model}{against}: the gate {_SENTENCES[self.verdict]}",
        ]

    def omissions(self) -> list[str]:
        """A sentence on each rule of which cases are left out, and on each suite that a rule on all is not about.

        What was not asked on purpose is said elsewhere.
        """
        lacking = [] if self.course else [check for check in self.checks if check.test.left_out]
        both = f"{self.model} and {self.baseline}"
        suites = [f"{suite} is left out: {both} share no case of it" for suite in self.not_compared]
        return [*map(_left_out, lacking), *suites]

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
            text = f"value {percent(check.test.value)}, bound {percent(check.bound)}, n {check.test.n}"
            text += f"; {check.missing}" if check.missing else ""
            text += f"; {check.test.finding}" if check.test.finding else ""
            if check.verdict is GateVerdict.FAILS:
                ElementTree.SubElement(case, "failure", message=text)
            elif check.verdict is GateVerdict.UNDECIDED:
                failures += undecided == "fail"
                ElementTree.SubElement(case, "failure" if undecided == "fail" else "skipped", message=text)
        suite.set("failures", str(failures))
        return ElementTree.tostring(suite, encoding="unicode")

    def write_junit(self, path: Path | str, undecided: str = "pass") -> None:
        """Write the JUnit file."""
        write_whole(Path(path), self.junit(undecided))


_SENTENCES = {
    GateVerdict.HOLDS: "holds",
    GateVerdict.FAILS: "fails",
    GateVerdict.UNDECIDED: "is undecided: there are too few groups or pictures to tell",
}


def _left_out(check: GateCheck) -> str:
    """A note on the cases that a rule is not about, as answers to them are lacking."""
    place = f" on {check.suite}" if check.suite else ""
    are = counted(check.test.left_out, "case", "are")
    return f"{check.rule.text}{place}: {are} left out, of which a query failed or was not asked"


def _further(check: GateCheck) -> str:
    """What is missing to decide a rule, in a cell of a table."""
    if check.further_pictures:
        return counted(check.further_pictures, "picture")
    return counted(check.further, "case") if check.further else "–"


def _plain(check: GateCheck) -> dict[str, Any]:
    row: dict[str, Any] = {
        "rule": check.rule.text,
        "suite": check.suite,
        "metric": check.metric,
        "verdict": check.verdict.value,
    }
    row |= {key: value for key, value in asdict(check.test).items() if key in ("value", "n", "clusters", "left_out")}
    row |= {"finding": check.test.finding} if check.rule.is_search else {}
    row |= {"bound": check.bound, "p": check.p, "further": check.further, "further_pictures": check.further_pictures}
    plain: dict[str, Any] = to_plain(row)
    return plain


def gate_model(
    store: LabStore,
    model: str,
    rules: Sequence[str],
    *,
    baseline: str = "",
    suites: Sequence[str] = (),
    threshold: float = 0.5,
    block_rows: int = BLOCK_ROWS,
) -> GateReport:
    """Hold rules against the answers of a model, and of its baseline where a rule names one.

    Suites with more than `block_rows` rows are judged in blocks of about so many, which give the same verdicts.
    """
    ((title, version),) = select_models(store, [model]).items()
    gate = _Gate(store, version, baseline, threshold, block_rows)
    targets = list(find_targets(store, rules, tuple(suites) or tuple(store.suites())))
    tests = [
        (target.rule, target.suite, target.metric.name, test)
        for target, test in zip(targets, gate.tests(targets), strict=True)
    ]
    for place, (target, (*_, test)) in enumerate(zip(targets, tests, strict=True)):
        if not test.n and target.rule.metric:
            refuse_empty(store, target, is_empty=place in gate.empty)
    told = [test for test in tests if test[0].metric or test[0].is_search or test[3].n]
    checks, suites_told = decide(told), {suite for _, suite, *_ in told}
    absent = tuple(dict.fromkeys(suite for _, suite, *_ in tests if suite and suite not in suites_told))
    return GateReport(title, gate.baseline_title, tuple(checks), overall(checks), not_compared=absent)


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


def refuse_empty(store: LabStore, target: RuleTarget, *, is_empty: bool) -> None:
    """Raise an error where a rule is about nothing that there is: it would be undecided, and pass."""
    check_slices(store, target.suites, (), target.rule.where)
    check_metrics(store, target.suites, [target.metric])
    if is_empty and (target.inside or target.rule.where):
        fact = f"{target.rule.text}: no group of {' and '.join(target.suites)} is in this slice"
        raise CounterpointError(fact, hint="the page Browse shows which groups a slice has")


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
            if metric.kind is MetricKind.PLUG_IN:
                fact = f"{metric.name} is raised by chance, and a calibrated model would fail its line"
                raise CounterpointError(fact, hint="use ece_squared or confidence_gap, which have no such bias")
            if rule.baseline and not isinstance(metric, Ratio):
                fact = f"{metric.name} is no share of cases, and has no margin here"
                raise CounterpointError(fact, hint=f"use a line ({metric.name} >= …), or counterpoint compare")
            named, where = rule.where.get("slice"), {key: own for key, own in rule.where.items() if key != "slice"}
            inside = read_slice(store, named) if named else None
            about = (rule.suite,) if rule.suite else tuple(suites)
            yield RuleTarget(replace(rule, where=where), rule.suite, metric, about, inside)
            continue
        for suite in suites:
            if leading := leading_ratio(whole_suites(read_contents(store, suite)).get(suite, Contents())):
                yield RuleTarget(rule, suite, leading, (suite,))


def leading_ratio(contents: Contents) -> Ratio[Any] | None:
    """The first share with a direction that leads on a suite."""
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
    """Computes the test of each rule; rules on the same groups share one pass over these."""

    def __init__(
        self, store: LabStore, version: ModelVersion, baseline: str, threshold: float, block_rows: int
    ) -> None:
        self._store, self._version, self._baseline = store, version, baseline
        self._threshold, self._block_rows = threshold, block_rows
        self.baseline_title = ""
        self.empty: set[int] = set()  # places of rules that are about no group

    def tests(self, targets: Sequence[RuleTarget]) -> list[LineTest]:
        """The test of each rule on what it is about."""
        tests, shared = dict[int, LineTest](), dict[tuple[tuple[str, ...], str], list[_TargetTotals]]()
        for place, target in enumerate(targets):
            baseline = self._find_baseline(target.rule)
            if target.rule.is_search:
                assert baseline, "what changed is searched against a baseline"
                tests[place] = self._search(target, baseline)
            else:
                totals = _TargetTotals(place, target, baseline)
                shared.setdefault((target.suites, target.inside.name if target.inside else ""), []).append(totals)
        for own in shared.values():
            self._judge(own)
            tests |= {totals.place: totals.test() for totals in own}
            self.empty |= {totals.place for totals in own if not totals.cases}
        return [tests[place] for place in range(len(targets))]

    def _find_baseline(self, rule: GateRule) -> ModelVersion | None:
        if not rule.baseline:
            return None
        baseline = find_baseline(self._store, self._version, rule, self._baseline)
        self.baseline_title = baseline.title
        return baseline

    def _judge(self, shared: "Sequence[_TargetTotals]") -> None:
        """Judge the groups that some rules share, block by block, for all of these."""
        target, own = shared[0].target, self._version.fingerprint
        columns = (*ANSWER_COLUMNS, *columns_read(totals.target.metric for totals in shared))
        pool, inside = len(target.suites) > 1, slice_filter(target.inside) if target.inside else None
        with open_blocks(self._store, target.suites, pool=pool, inside=inside, rows=self._block_rows) as blocks:
            if not blocks.contents:
                return
            models = dict.fromkeys([own, *(totals.baseline for totals in shared if totals.baseline)])
            answers = {model: blocks.answers(model, columns) for model in models}

            def judge_all(number: int) -> dict[str, Outcomes]:
                return {
                    model: judge_block(blocks, given, self._threshold, number)[1] for model, given in answers.items()
                }

            for outcomes in map_ahead(judge_all, range(len(blocks)), THREADS):
                for totals in shared:
                    totals.add(outcomes[own], outcomes.get(totals.baseline))

    def _search(self, target: RuleTarget, baseline: ModelVersion) -> LineTest:
        """The findings of what changed from the baseline, of which none may be for the worse."""
        how: dict[str, Any] = {"against": baseline.title, "suites": target.suites, "threshold": self._threshold}
        found = find_findings(self._store, self._version.title, **how)
        worse = [own for own in found if own.is_significant and own.right < 0]
        return search_test(
            [(own.right, own.p, own.n, own.sentence) for own in worse], found.searched, found.on_pictures
        )


class _TargetTotals:
    """What the test of a rule needs of its groups, from one block or several."""

    def __init__(self, place: int, target: RuleTarget, baseline: ModelVersion | None) -> None:
        self.place, self.target, self.baseline = place, target, baseline.fingerprint if baseline else ""
        self._sums, self._gathered = SliceSums(7), GatheredOutcomes()
        self.cases = self._left_out = 0  # in the slice of the rule, and those of them without an answer
        request = ScoreRequest((), where=target.rule.where, metrics=(target.metric,))
        self._differences = ComparisonTotals(request.metrics, request)

    def add(self, own: Outcomes, baseline: Outcomes | None) -> None:
        """Add the outcomes of a block."""
        metric = self.target.metric
        units, cells = self._units(own)
        counted_by_both = units.counted if baseline is None else units.counted & self._units(baseline)[0].counted
        is_answered = counted_by_both[cells.inside]
        self.cases += len(is_answered)
        self._left_out += int((~is_answered).sum())
        if baseline is not None:
            self._differences.add(*((baseline, own) if metric.lower_is_better else (own, baseline)))
            return
        if isinstance(metric, Ratio) and cells.names:
            credit, counts = metric.cases(units)
            columns = cluster_columns(cells.summed(credit), cells.counted(counts), cells.summed(credit * credit))
            self._sums.add(cells.slice_of_cell, columns, 1)
        elif cells.names:
            (rows,) = cells.units_by_slice(metric.counts(units) & units.counted)
            self._gathered.add(own, np.flatnonzero(np.isin(own.base, units.base[rows])))

    def test(self) -> LineTest:
        """The score of the model, or its difference to the baseline, against the line."""
        return replace(self._test(), left_out=self._left_out)

    def _test(self) -> LineTest:
        line, metric = self.target.rule.line, self.target.metric
        if self.baseline:
            assert isinstance(metric, Ratio), "a margin is on a share"
            (first, second), cross, names = self._differences.ratio(metric)
            cases = int(min(first.cases[0], second.cases[0])) if names else 0
            return difference_test(RatioDifference(first, second, cross), cases, line)
        if isinstance(metric, Ratio):
            sums = ShareSums.of_totals(self._sums.sums)
            return share_test(sums, line) if len(sums.cases) else NO_TEST
        return self._statistic_test(metric, line)

    def _statistic_test(self, metric: Statistic[Any], line: float) -> LineTest:
        if self._gathered.is_too_large:
            raise CounterpointError(f"{metric.name} has no gate here: {explain_bound()}", hint="or name another metric")
        outcomes = self._gathered.join()
        if outcomes is None:
            return NO_TEST
        units, cells = self._units(outcomes)
        (rows,) = cells.units_by_slice(metric.counts(units) & units.counted)
        group, groups, clusters = jackknife_groups(units.cluster[rows])
        estimate = jackknife(metric.prepare(units, rows), np.asarray(group), groups)
        return statistic_test(estimate, len(rows), clusters, line)

    def _units(self, outcomes: Outcomes) -> tuple[Any, SliceCells]:
        units = outcomes.units(self.target.metric.unit)
        return units, Slicer(outcomes, ("suite",), self.target.rule.where).cut(units)


def rule_metric(name: str) -> Metric:
    """The metric that a rule names: one of the catalog, or the share of answers in a state."""
    return _state_metric(name) if name in _STATE_METRICS else catalog.resolve_metric(name)
