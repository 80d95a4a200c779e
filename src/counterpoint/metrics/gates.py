"""Gates: rules on the scores of a model, each with a verdict of three: it holds, it fails, or the data cannot tell.

*Fails* is an alarm, and is corrected over the rules by Holm's method on one-sided p values. *Holds* needs no correction
where all rules have to hold, which is an intersection–union test: a one-sided 95 % bound clears the line of each.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import ceil, isnan, nan
from statistics import NormalDist

import numpy as np

from counterpoint.core.errors import CounterpointError
from counterpoint.core.quantities import counted
from counterpoint.metrics.distributions import student_p, student_quantile
from counterpoint.metrics.intervals import Jackknife, ShareSums, hidden_share
from counterpoint.metrics.paired_tests import ALPHA, FEWEST_CLUSTERS, RatioDifference, holm
from counterpoint.metrics.slices import check_columns

BOUND = 0.95
"""The level of the one-sided bound that decides whether a rule holds."""
MARGIN = 0.03
"""How much worse than its baseline a model may be where a rule does not say it."""
BASELINE = "baseline"
_HALVINGS = 40
_NORMAL = NormalDist()
_SLICE = r"(?:\[(?P<where>[^\]]+)\])?"
_NEXT_PAIR = re.compile(r",(?=[^,=]+=)")  # a value may have commas: weather=snow, heavy
_METRIC = rf"(?:(?P<suite>[A-Za-z0-9][\w.-]*)\.)?(?P<metric>[a-z]\w*){_SLICE}"
_NUMBER = r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>%|points?)?"
_FORMS: Mapping[str, re.Pattern[str]] = {
    "line": re.compile(rf"{_METRIC}\s*(?P<sign>>=|<=)\s*{_NUMBER}"),
    "margin": re.compile(rf"{_METRIC}\s+not worse than\s+(?P<baseline>\S+)(?:\s+by\s+{_NUMBER})?"),
    "drop": re.compile(rf"max drop on any suite\s*<=\s*{_NUMBER}"),
}
_FINDINGS = re.compile(r"findings\s*: none new against (?P<baseline>\S+)")
_EXAMPLES = (
    "negation.accuracy >= 0.6, accuracy not worse than baseline by 1 point, max drop on any suite <= 3 points, "
    "findings: none new against baseline"
)


class GateVerdict(StrEnum):
    """What the data say about a rule."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "cannot tell"


@dataclass(frozen=True, slots=True)
class GateRule:
    """A line that a score has to clear, or a margin by which it may be below that of a baseline.

    Without a suite all are pooled; without a metric, the one that leads on each suite is meant, one rule for each.
    """

    text: str
    line: float
    metric: str = ""
    suite: str = ""
    where: Mapping[str, str] = field(default_factory=dict)
    at_least: bool = True
    baseline: str = ""  # of a margin or of findings: a model, or "baseline"
    is_search: bool = False  # whether no slice may have got worse, among all that are searched for findings

    @classmethod
    def parse(cls, text: str) -> "GateRule":
        """The rule of a text; a CounterpointError shows what rules look like.

        >>> GateRule.parse("negation.accuracy >= 60 %").line
        0.6
        >>> GateRule.parse("accuracy not worse than baseline by 1 point").line
        -0.01
        >>> GateRule.parse("accuracy[suite=negation] >= 0.6").suite
        'negation'
        >>> GateRule.parse("findings: none new against baseline").is_search
        True
        """
        words = " ".join(text.split())
        if search := _FINDINGS.fullmatch(words):
            return cls(words, 0.0, baseline=search["baseline"], is_search=True)
        for form, pattern in _FORMS.items():
            if match := pattern.fullmatch(words):
                return cls._of(words, form, match.groupdict())
        raise CounterpointError(f"{text!r} is no rule of a gate", hint=f"rules look like: {_EXAMPLES}")

    @classmethod
    def _of(cls, text: str, form: str, parts: Mapping[str, str | None]) -> "GateRule":
        size, where = _number(text, parts), _where(text, parts.get("where"))
        suites = {*filter(None, [parts.get("suite"), where.pop("suite", "")])}
        if len(suites) > 1:
            raise CounterpointError(f"{text!r} names two suites", hint="write suite.metric, once")
        rule = cls(text, size, parts.get("metric") or "", "".join(suites), where)
        if form == "line":
            return replace(rule, at_least=parts["sign"] == ">=")
        margin = MARGIN if parts["number"] is None else size
        return replace(rule, line=-margin, baseline=parts.get("baseline") or BASELINE)


def _number(text: str, parts: Mapping[str, str | None]) -> float:
    if parts["number"] is None:
        return 0.0
    is_share = not parts["unit"]
    number = float(parts["number"]) / (1 if is_share else 100)
    if number > 1:
        raise CounterpointError(f"{text!r}: {parts['number']} is above 1", hint="write 0.6, 60 % or 60 points")
    return number


def _where(text: str, given: str | None) -> dict[str, str]:
    pairs = [part.partition("=") for part in _NEXT_PAIR.split(given or "") if part.strip()]
    if not all(sign and word.strip() for _, sign, word in pairs):
        raise CounterpointError(f"{text!r}: [{given}] is no slice", hint="write metric[kind=color]")
    where = {name.strip(): word.strip() for name, _, word in pairs}
    check_columns(where, "slice")
    return where


@dataclass(frozen=True, slots=True)
class LineTest:
    """A value against a line: one-sided 95 % bounds on both sides, and p values of lying below and above the line."""

    value: float
    low: float
    high: float
    below: float
    above: float
    n: int
    clusters: int
    finding: str = ""  # the slice that got worse, in a sentence
    left_out: int = 0  # cases to which a model lacks an answer: a query was not asked, or failed

    def p_fail(self, at_least: bool) -> float:
        """The p value of lying on the wrong side; nan with fewer than 20 pictures."""
        return nan if self.clusters < FEWEST_CLUSTERS else self.below if at_least else self.above

    def clears(self, line: float, at_least: bool) -> bool:
        """Whether the bound on the wrong side of the value lies on the right side of the line."""
        return self.clusters >= FEWEST_CLUSTERS and (self.low >= line if at_least else self.high <= line)


NO_TEST = LineTest(nan, nan, nan, nan, nan, 0, 0)


def share_test(sums: ShareSums, line: float) -> LineTest:
    """A mean of credit against a line, by the one-sided bounds of Korn and Graubard at every level."""
    if not sums.cases[0]:
        return NO_TEST
    low, high = (float(end[0]) for end in sums.bounds(BOUND, one_sided=True))
    below = _level(lambda upper: float(sums.bounds(upper, one_sided=True)[1][0]) < line)
    above = _level(lambda upper: float(sums.bounds(upper, one_sided=True)[0][0]) > line)
    return LineTest(float(sums.share[0]), low, high, below, above, int(sums.cases[0]), int(sums.clusters[0]))


def _level(excludes: Callable[[float], bool]) -> float:
    """The smallest level at which a bound excludes the line; 1 where none below one half does."""
    if not excludes(0.5):
        return 1.0
    low, high = -30.0, float(np.log(0.5))  # logarithms of the level
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if excludes(1 - float(np.exp(middle))) else (middle, high)
    return float(np.exp(high))


def difference_test(difference: RatioDifference, cases: int, line: float) -> LineTest:
    """The difference of two models against a line, by the test that the comparison of models uses."""
    if not cases or isnan(float(difference.value[0])):
        return NO_TEST
    low, high = (float(end[0]) for end in difference.bounds(BOUND, one_sided=True))
    below = float(difference.p_below(line)[0])
    value, clusters = float(difference.value[0]), int(difference.clusters[0])
    return LineTest(value, low, high, below, 1 - below, cases, clusters)


def search_test(found: Sequence[tuple[float, float, int, str]], n: int, clusters: int) -> LineTest:
    """Slices that got worse, each with its change, p value, cases and sentence: the surest of them, if there is one.

    The p values are corrected for everything that was searched; `n` and `clusters` are all cases and pictures.
    """
    if not found:
        return LineTest(0.0, 0.0, 0.0, 1.0, 1.0, n, clusters)
    change, p, cases, sentence = min(found, key=lambda own: (own[1], own[0]))
    return LineTest(change, nan, nan, p, 1.0, cases, clusters, sentence)


def statistic_test(estimate: Jackknife, n: int, clusters: int, line: float) -> LineTest:
    """A statistic against a line, by its jackknife variance; where all pictures agree, by what so many can hide."""
    value, error = estimate.value, estimate.variance**0.5
    if isnan(value):
        return NO_TEST
    if isnan(error):  # of one picture
        return LineTest(value, nan, nan, nan, nan, n, clusters)
    if error < 1e-12:
        hidden = hidden_share(clusters)
        below, above = (max(1 - max(gap, 0.0), 0.0) ** clusters for gap in (line - value, value - line))
        return LineTest(value, value - hidden, value + hidden, below, above, n, clusters)
    df = len(estimate.replicates) - 1
    reach = float(student_quantile(BOUND, df)) * error
    t = (value - line) / error
    two_sided = float(student_p(t, df))
    below = two_sided / 2 if t < 0 else 1 - two_sided / 2
    return LineTest(value, value - reach, value + reach, below, 1 - below, n, clusters)


@dataclass(frozen=True, slots=True)
class GateCheck:
    """One rule on one suite with its verdict, the bound that decided it, and the groups that would."""

    rule: GateRule
    suite: str
    metric: str
    test: LineTest
    verdict: GateVerdict
    p: float  # of failing, corrected over the rules; nan where there are too few pictures
    bound: float
    further: int | None  # cases that would decide it; none where it is decided, pictures are missing, or nothing would
    further_pictures: int = 0  # that are missing before anything can be decided

    @property
    def missing(self) -> str:
        """What is missing to decide the rule, in words; empty where it is decided, or nothing would decide it."""
        if self.further_pictures:
            return f"at least {counted(self.further_pictures, 'further picture', 'are')} needed"
        return f"about {counted(self.further, 'further case')} would decide it" if self.further else ""


def decide(rules: Sequence[tuple[GateRule, str, str, LineTest]]) -> list[GateCheck]:
    """The verdict on each rule, given with its suite, its metric and its test.

    A search for findings corrects its own p value, which is no smaller than one over its draws.
    """
    corrected = holm([nan if rule.is_search else test.p_fail(rule.at_least) for rule, _, _, test in rules])
    checks = []
    for (rule, suite, metric, test), own in zip(rules, corrected, strict=True):
        p = test.p_fail(rule.at_least) if rule.is_search else own
        fails = not isnan(p) and p <= ALPHA
        holds = not fails and test.clears(rule.line, rule.at_least)
        verdict = GateVerdict.FAILS if fails else GateVerdict.HOLDS if holds else GateVerdict.UNDECIDED
        bound = (test.high if rule.at_least else test.low) if fails else (test.low if rule.at_least else test.high)
        pictures = max(FEWEST_CLUSTERS - test.clusters, 0) if test.n else 0
        raw = test.p_fail(rule.at_least)
        level = ALPHA * raw / p if p > raw > 0 else ALPHA
        further = further_cases(test, rule, level) if verdict is GateVerdict.UNDECIDED and not pictures else None
        checks.append(GateCheck(rule, suite, metric, test, verdict, p, bound, further, pictures))
    return checks


def further_cases(test: LineTest, rule: GateRule, level: float = ALPHA) -> int | None:
    """How many more cases would bring the bound to the line, if the value stayed; none where it lies on the line.

    On the wrong side of the line the bound is that of the corrected `level`, at which the rule would fail.
    """
    distance = test.value - rule.line if rule.at_least else rule.line - test.value
    if isnan(distance) or abs(distance) < 1e-6 or rule.is_search:
        return None
    bound = test.low if (distance > 0) == rule.at_least else test.high
    reach = abs(test.value - bound)
    if distance < 0:
        reach *= _NORMAL.inv_cdf(1 - level) / _NORMAL.inv_cdf(BOUND)
    return max(ceil(test.n * ((reach / abs(distance)) ** 2 - 1)), 1)


def overall(checks: Sequence[GateCheck]) -> GateVerdict:
    """A gate fails if a rule does, and holds if all do."""
    verdicts = {check.verdict for check in checks}
    if GateVerdict.FAILS in verdicts:
        return GateVerdict.FAILS
    return GateVerdict.HOLDS if verdicts == {GateVerdict.HOLDS} else GateVerdict.UNDECIDED
