"""The gate of a model that is asked until its rules are decided: pictures in random order, portion by portion.

Every group of a picture is asked before its portion is judged. The order is that of hashes of the pictures' addresses,
so that a run that was stopped goes on in it, and that two versions were asked about the same pictures.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.errors import CounterpointError
from counterpoint.engine.plan import first_groups, picture_ranks
from counterpoint.engine.running import NOT_NEEDED
from counterpoint.lab.gating import GateReport, RuleTarget, SequentialCourse, find_baseline, find_targets, refuse_empty
from counterpoint.lab.progress import ProgressCallback, ignore_progress
from counterpoint.lab.running import RunReport, RunRequest, run_model
from counterpoint.lab.selection import load_answers, load_groups
from counterpoint.lab.table_updates import update_tables
from counterpoint.metrics.gates import NO_TEST, GateCheck, GateRule, GateVerdict, overall
from counterpoint.metrics.metric import MetricKind, Ratio, columns_read
from counterpoint.metrics.outcomes import BLOCK_COLUMNS, judge, sort_by_group
from counterpoint.metrics.picture_sums import sum_by_picture, units_in_slice
from counterpoint.metrics.sequential_tests import SequentialMethod, SequentialTest, depends_on_model
from counterpoint.metrics.slices import pool_suites
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import ModelVersion

PORTION = 50
"""Pictures of a portion, where it is not more: a tenth of those asked before."""


@dataclass(frozen=True, slots=True)
class GateRules:
    """Rules on some suites, all of the run where none is named, and the baseline that they compare with."""

    rules: tuple[str, ...]
    baseline: str = ""
    suites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SequentialRequest:
    """Gates that are decided together, by which method, after how many pictures at a time."""

    gates: tuple[GateRules, ...]
    method: str = SequentialMethod.ASYMPTOTIC
    portion: int = PORTION
    threshold: float = 0.5

    def __post_init__(self) -> None:
        if self.method not in list(SequentialMethod):
            hint = f"one of {', '.join(SequentialMethod)}"
            raise CounterpointError(f"{self.method!r} is no method of a sequential gate", hint=hint)
        if self.portion < 1:
            raise CounterpointError(f"a portion of {self.portion} pictures is none", hint="1 or more")


RuleFilter: TypeAlias = Callable[[ModelVersion, int, GateRule], bool]
"""Whether a rule of a gate, by its place, can be held against a model; known once the model has a fingerprint."""


def gate_sequentially(
    store: LabStore,
    run: RunRequest,
    request: SequentialRequest,
    progress: ProgressCallback = ignore_progress,
    *,
    can_hold: RuleFilter = lambda version, place, rule: True,
) -> tuple[RunReport, tuple[GateReport, ...]]:
    """Ask a model until every rule is decided or one fails: the run, and a report of each gate.

    What is undecided when everything was asked stays so; no other test is tried. Without a rule everything is asked.
    """
    course = _Course(store, run, request, can_hold)
    report = run_model(store, run, progress, portions=course.portions)
    update_tables(store, run.suites, progress)
    return report, course.reports(report)


class _Watch:
    """A rule, the groups that it is about with their ranks in the order, and its last check.

    `useful` are the ranks of pictures that can tell anything: those in the slice that the baseline has answered.
    """

    def __init__(
        self, target: RuleTarget, groups: pa.Table, before: pa.Table | None, nothing: pa.Table, threshold: float
    ) -> None:
        metric, rule, self._threshold = target.metric, target.rule, threshold
        assert isinstance(metric, Ratio), "only shares are watched"
        self._target, self._metric, self._before = target, metric, before
        self.useful, self._sizes = np.empty(0, np.uint64), np.empty(0, np.int64)
        self.check = GateCheck(rule, target.suite, metric.name, NO_TEST, GateVerdict.UNDECIDED, 1.0, NO_TEST.low, None)
        if not groups.num_rows:
            return
        groups = sort_by_group(groups)
        ranks = _ranks(groups)
        places = np.unique(ranks, return_inverse=True)[1]  # sums of pictures come in this order, which bets depend on
        groups = groups.append_column(BLOCK_COLUMNS[1], pa.array(places))
        outcomes = judge(groups, nothing if before is None else before)
        units = outcomes.units(metric.unit)
        inside = units_in_slice(metric, rule.where, outcomes)
        self._sizes = np.unique(units.cluster[inside], return_counts=True)[1]
        self.useful = np.unique(ranks[units.row[inside if before is None else inside & units.counted]])
        is_useful = np.isin(ranks, self.useful)
        self._groups, self._ranks = groups.filter(pa.array(is_useful)), ranks[is_useful]

    def is_open(self, last: int) -> bool:
        """Whether it neither holds nor fails, and there are pictures beyond a rank that can tell more."""
        return self.check.verdict is GateVerdict.UNDECIDED and bool(len(self.useful)) and int(self.useful[-1]) > last

    def up_to(self, last: int) -> pa.Table:
        """The groups of all pictures up to a rank."""
        return self._groups.filter(pa.array(self._ranks <= np.uint64(last)))

    def look(self, answers: pa.Table, last: int, method: SequentialMethod, rules: int) -> None:
        """Judge the groups of all pictures up to a rank."""
        groups, target = self.up_to(last), self._target
        own = judge(groups, answers, self._threshold)
        other = None if self._before is None else judge(groups, self._before, self._threshold)
        sums = sum_by_picture(self._metric, target.rule.where, own, other, float(self._sizes.max()))
        test = SequentialTest(method, len(self.useful), rules)
        self.check = test.check(target.rule, target.suite, self._metric.name, sums)


class _Course:
    """Yields portions of what is missing until the rules are decided."""

    def __init__(self, store: LabStore, run: RunRequest, request: SequentialRequest, can_hold: RuleFilter) -> None:
        self._store, self._run, self._request, self._can_hold = store, run, request, can_hold
        suites = run.suites or tuple(store.suites())
        self._targets = [list(find_targets(store, gate.rules, gate.suites or suites)) for gate in request.gates]
        targets = [target for own in self._targets for target in own]
        for target in targets:
            self._refuse(target)
        metrics = [target.metric for target in targets]
        self._columns = columns_read(metrics)
        self._watches: list[list[_Watch]] = [[] for _ in request.gates]
        self._baselines = [""] * len(request.gates)
        self._judged = 0  # pictures

    def _refuse(self, target: RuleTarget) -> None:
        """Raise an error where a rule cannot be decided while a model is asked."""
        metric = target.metric
        if target.rule.is_search:
            fact = "findings are searched in all answers, and cannot be decided while a model is asked"
            raise CounterpointError(fact, hint=f"leave {target.rule.text!r} to counterpoint gate")
        if not isinstance(metric, Ratio):
            fact = f"{metric.name} is no share of cases, and cannot be decided while a model is asked"
            raise CounterpointError(fact, hint="leave its rule to counterpoint gate")
        is_betting = self._request.method == SequentialMethod.BETTING
        if is_betting and target.rule.baseline and metric.kind is MetricKind.RATIO:
            raise depends_on_model(metric.name)
        if target.rule.metric:
            is_empty = target.inside is not None and not self._groups(target).num_rows
            refuse_empty(self._store, target, is_empty=is_empty)

    def portions(self, fingerprint: str, missing: pa.Table) -> Iterator[pa.Table]:
        """The rows of the next pictures in the suites of rules that are not decided yet."""
        self._watches = [list(self._watch(place, fingerprint)) for place in range(len(self._targets))]
        watches, last = [watch for own in self._watches for watch in own], -1
        if not watches:
            yield missing
        while not any(watch.check.verdict is GateVerdict.FAILS for watch in watches):
            undecided = [watch for watch in watches if watch.is_open(last)]
            if not undecided:
                return
            last, pictures = self._next_portion(undecided, last)
            queries = pa.concat_tables([watch.up_to(last).select(["query"]) for watch in undecided])["query"]
            is_next = pc.is_in(missing["query"], value_set=queries.combine_chunks())
            yield missing.filter(is_next)
            missing = missing.filter(pc.invert(is_next))
            self._judged += pictures
            answers = load_answers(self._store, fingerprint, self._columns)
            for watch in undecided:
                watch.look(answers, last, SequentialMethod(self._request.method), len(watches))

    def _next_portion(self, undecided: Sequence[_Watch], last: int) -> tuple[int, int]:
        """The rank up to which pictures are asked next, and how many they are."""
        ahead = np.unique(np.concatenate([watch.useful for watch in undecided]))
        ahead = ahead[np.searchsorted(ahead, np.uint64(last + 1)) :]
        count = min(max(self._request.portion, self._judged // 10), len(ahead))
        return int(ahead[count - 1]), count

    def _watch(self, place: int, fingerprint: str) -> Iterator[_Watch]:
        """The rules of a gate; one on any suite is about those that the baseline has answered."""
        version = ModelVersion(self._run.name or self._run.model, "", fingerprint, ())
        nothing = load_answers(self._store, fingerprint, self._columns).slice(0, 0)
        for target in self._targets[place]:
            if not self._can_hold(version, place, target.rule):
                continue
            before = None
            if target.rule.baseline:
                baseline = find_baseline(self._store, version, target.rule, self._request.gates[place].baseline)
                self._baselines[place] = baseline.title
                before = load_answers(self._store, baseline, self._columns)
            watch = _Watch(target, self._groups(target), before, nothing, self._request.threshold)
            if target.rule.metric or len(watch.useful):
                yield watch

    def _groups(self, target: RuleTarget) -> pa.Table:
        """The groups that a rule is about, as many of each suite as the run asks."""
        asked = [name for name in target.suites if name in (self._run.suites or target.suites)]
        suites = [target.select(first_groups(load_groups(self._store, [name]), self._run.limit)) for name in asked]
        if not suites:
            return load_groups(self._store, target.suites[:1]).slice(0, 0)
        return suites[0] if len(suites) == 1 else pool_suites(pa.concat_tables(suites))

    def reports(self, run: RunReport) -> tuple[GateReport, ...]:
        """A report of each gate."""
        useful = [watch.useful for own in self._watches for watch in own]
        pictures = len(np.unique(np.concatenate(useful))) if useful else 0
        outcome = run.outcome
        rest = (outcome.left, 0) if outcome.stopped == NOT_NEEDED else (0, outcome.left)
        course = SequentialCourse(self._request.method, self._judged, pictures, outcome.asked, *rest)
        return tuple(
            GateReport(run.model, baseline, checks, overall(checks), course)
            for baseline, own in zip(self._baselines, self._watches, strict=True)
            for checks in [tuple(watch.check for watch in own)]
        )


def _ranks(groups: pa.Table) -> NDArray[np.uint64]:
    """The place of each row's group in the random order: the rank of its base's picture, else its own id."""
    is_base = groups["role"].to_numpy() == 0
    base = np.maximum.accumulate(np.where(is_base, np.arange(len(is_base)), 0))
    ranks = picture_ranks(groups["picture"], 0)[base]
    absent = groups["picture"].is_null().to_numpy()[base]
    return np.where(absent, groups["group_id"].to_numpy()[base], ranks)
