"""What a model does not understand: the slices of groups that it fails most, in words, with the error controlled."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from textwrap import wrap
from typing import Any

import numpy as np
import pyarrow as pa

from counterpoint.core.errors import CounterpointError, StoreError, UnknownName
from counterpoint.core.groups import State
from counterpoint.core.ids import hex_id
from counterpoint.core.ports import Pictures
from counterpoint.core.quantities import counted
from counterpoint.lab.failures import FailedGroup, Failures, read_failed_groups
from counterpoint.lab.finding_words import (
    change_sentence,
    describe_slice,
    finding_sentence,
    pattern_sentence,
    read_words,
    suite_claims,
)
from counterpoint.lab.picture_locations import find_worlds
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_answers, load_groups, select_models, version_notes
from counterpoint.metrics.findings.choice import WeakSlice, find_changes, find_weak_slices
from counterpoint.metrics.findings.features import SearchSpace, SliceFeature, find_features, prepare_groups
from counterpoint.metrics.findings.patterns import find_patterns
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.units import STATES, Flags, Floats, Rows
from counterpoint.metrics.verdicts import FAILING, PASSING, VERDICTS, Verdicts, group_verdicts
from counterpoint.reports.tables import ResultTable, wrap_line
from counterpoint.store.cache import LRUCache
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import ModelVersion

EXAMPLES = 3
"""Groups that show a finding: failed ones; of a change, those that were fixed or broken."""
CONFIRMATIONS = ("", "split")
"""How findings are confirmed: by the whole search, or on the other half of the pictures."""
_MOST_PATTERNS = 2
_WIDTH = 110  # characters of a line in a terminal
_FAILING, _PASSING = (
    np.array([code for code, name in enumerate(VERDICTS) if name in names]) for names in (FAILING, PASSING)
)

_Features = tuple[pa.Table, SearchSpace]
_prepared = LRUCache[tuple[tuple[str, ...], ...], _Features](
    128_000_000, size=lambda kept: int(kept[0].nbytes + kept[1].flags.nbytes)
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A slice of groups that a model fails more often than elsewhere; of two models, one that changed unlike others.

    `right` and `elsewhere` are shares of groups with all answers right; of two models, changes of such shares.
    """

    sentence: str
    words: str  # the slice, after "groups"
    features: tuple[SliceFeature, ...]
    n: int
    pictures: int
    right: float
    elsewhere: float
    explained: float  # failures beyond those of as many groups elsewhere
    failures: float  # the share of all failures
    p: float  # corrected for everything that was searched
    is_significant: bool
    others: Mapping[str, float]  # the share of other models by title
    patterns: tuple[str, ...]  # of the wrong answers, in words
    examples: tuple[FailedGroup, ...]
    groups: tuple[tuple[str, str], ...]  # the suite and id of each

    def to_dict(self) -> dict[str, Any]:
        """Plain values; the groups themselves are left out."""
        names = ("sentence", "words", "n", "pictures", "right", "elsewhere", "explained", "failures", "p")
        return {name: getattr(self, name) for name in names} | {
            "significant": self.is_significant,
            "features": [{"column": own.column, "value": own.value} for own in self.features],
            "patterns": list(self.patterns),
            "others": dict(self.others),
            "examples": [group.to_dict() for group in self.examples],
        }


@dataclass(frozen=True, slots=True, repr=False)
class Findings(LabResult[Finding], rows="findings"):
    """What a model does not understand; those findings that explain most failures come first."""

    model: str
    against: str  # the other model, where changes were looked for
    searched: int  # groups
    failed: int  # of them
    features: int
    findings: tuple[Finding, ...]
    pictures: Pictures = field(compare=False)
    remarks: tuple[str, ...] = ()
    on_pictures: int = 0  # of the groups that were searched

    def __getitem__(self, place: int) -> Finding:
        return self.findings[place]

    @property
    def is_significant(self) -> bool:
        """Whether the findings are; else they are the largest gaps, which may be chance."""
        return any(own.is_significant for own in self.findings)

    @property
    def title(self) -> str:
        """What the list is."""
        if self.against:
            return f"What changed from {self.against} to {self.model}"
        return f"What {self.model} does not understand"

    @property
    def headline(self) -> str:
        """The title, and whether the findings may be chance."""
        unsure = self.findings and not self.is_significant
        return f"{self.title}: largest gaps, not yet significant" if unsure else self.title

    @property
    def _searched(self) -> str:
        groups, features = counted(self.searched, "group"), counted(self.features, "feature")
        what = f"{groups}, {self.failed:,} of them failed, by {features} and conjunctions of up to three"
        return f"searched: {what}"

    def to_dict(self) -> dict[str, Any]:
        """The model, what was searched, and the findings."""
        about = {name: getattr(self, name) for name in ("model", "against", "searched", "failed", "features")}
        return about | {"significant": self.is_significant, "findings": [own.to_dict() for own in self.findings]}

    def records(self) -> list[dict[str, Any]]:
        """One row per finding."""
        nested = ("features", "others", "examples", "patterns")
        return [{key: value for key, value in own.to_dict().items() if key not in nested} for own in self.findings]

    def tables(self) -> list[ResultTable]:
        """A sentence for each finding, with the corrected p value."""
        rows = [(str(place), own.sentence, f"{own.p:.3f}") for place, own in enumerate(self.findings, 1)]
        return [ResultTable(self.headline, ("", "finding", "p"), rows, names=2)] if rows else []

    def text(self, form: str = "plain", *, width: int = 0) -> str:
        """The sentences with the patterns of wrong answers below each; in Markdown and LaTeX a table."""
        if form != "plain":
            return LabResult.text(self, form)
        most = min(width or _WIDTH, _WIDTH)
        lines = [self.headline, ""]
        for place, own in enumerate(self.findings, 1):
            lines += _lines(f"{place:2}. {own.sentence} p = {own.p:.3f}", most)
            lines += [line for pattern in own.patterns for line in _lines(f"    {pattern}.", most)]
        ends = [*self.remarks, self._searched]
        return "\n".join([*lines, "", *(wrap_line(line, width) if width else line for line in ends)])

    def notes(self) -> list[str]:
        """The patterns of wrong answers, and what was searched."""
        patterns = [f"{place}: {'; '.join(own.patterns)}" for place, own in enumerate(self.findings, 1) if own.patterns]
        return [*patterns, *self.remarks, self._searched]

    def _repr_html_(self) -> str:
        notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in (*self.remarks, self._searched))
        return f"<h3>{escape(self.headline)}</h3>" + "".join(map(self._item, self.findings)) + notes

    def _item(self, finding: Finding) -> str:
        others = ", ".join(f"{escape(name)} {100 * share:.0f} %" for name, share in finding.others.items())
        shown = Failures(self.model, len(finding.examples), finding.examples, self.pictures)
        cards = "".join(map(shown.card, finding.examples))
        lines = [*map(escape, finding.patterns), *([f"The same groups: {others}"] if others else [])]
        below = "".join(f"<br><small>{line}</small>" for line in lines)
        return f"<p><b>{escape(finding.sentence)}</b>{below}</p><details><summary>examples</summary>{cards}</details>"


def _lines(text: str, width: int = _WIDTH) -> list[str]:
    """A sentence in lines, none of which ends within a figure.

    >>> [len(line) for line in _lines("right in " * 12 + "80 %")]
    [107, 8]
    """
    bound = text.replace(" %", "\N{NO-BREAK SPACE}%").replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in wrap(bound, width, subsequent_indent=" " * 4)]


@dataclass(frozen=True, slots=True)
class _Judged:
    """The outcomes of one model on the groups, its verdicts and its answers."""

    outcomes: Outcomes
    verdicts: Verdicts
    answers: pa.Table


@dataclass(frozen=True, slots=True)
class _Searched:
    """The prepared groups of suites with their features."""

    store: LabStore
    table: pa.Table
    space: SearchSpace
    tests: Mapping[str, str]
    threshold: float

    def judge(self, version: ModelVersion) -> "_Judged":
        """The answers of a model held against the groups."""
        answers = load_answers(self.store, version)
        outcomes = judge(self.table, answers, self.threshold)
        return _Judged(outcomes, group_verdicts(outcomes), answers)

    def fails(self, verdicts: Verdicts) -> Floats:
        """1 for each group of the space that fails, 0 where it passes, nan where it is not answered."""
        code = verdicts.code[self.space.place]
        passes = np.where(np.isin(code, _PASSING), 0.0, np.nan)
        return np.where(np.isin(code, _FAILING), 1.0, passes)


def find_findings(
    store: LabStore,
    model: str,
    *,
    against: str = "",
    suites: Sequence[str] = (),
    confirm: str = "",
    threshold: float = 0.5,
    seed: int = 0,
) -> Findings:
    """The findings of a model over suites, or of what changed in it against another one.

    Without a name the model is the only one of the lab, in its latest version.
    """
    if confirm not in CONFIRMATIONS:
        raise UnknownName("confirmation", confirm, [name for name in CONFIRMATIONS if name])
    if confirm and against:
        raise CounterpointError("changes are not confirmed on halves", hint="leave out confirm, or against")
    names = [model or _only_model(store)] + [against] * bool(against)
    chosen = select_models(store, names)
    if len(chosen) < len(names):
        raise StoreError(f"{names[0]} and {against} are the same version", hint="name another model or version")
    (title, version), *rest = chosen.items()
    searched = _prepare_search(store, suites, threshold)
    judged = searched.judge(version)
    both = [judged, *(searched.judge(other) for _, other in rest)]
    fails = searched.fails(judged.verdicts)
    second = searched.fails(both[1].verdicts) if rest else np.zeros(len(fails))
    known = ~np.isnan(fails) & ~np.isnan(second)
    if not known.any():
        both_titles = " and ".join(chosen)
        fact = f"{both_titles} share no group that both answered" if rest else f"{title} has answered no group"
        raise StoreError(fact, hint=f"run {both_titles} on the suites of {store.address}")
    space, failing = searched.space.at(known), fails[known] > 0
    slices = (
        find_changes(space, failing, second[known] > 0, seed=seed)
        if rest
        else find_weak_slices(space, failing, confirm=confirm, seed=seed)
    )
    others = _other_models(searched, {title, *(name for name, _ in rest)}, space, slices)
    say = change_sentence if rest else finding_sentence
    found = []
    for number, own in enumerate(slices):
        shares = {name: values[number] for name, values in others.items() if not np.isnan(values[number])}
        shown = _shown_groups(own, failing, second[known] > 0) if rest else own.inside & failing
        found.append(_finding(searched, judged, space, own, shown, say, shares))
    pictures = store.pictures(find_worlds(store, searched.table))
    gaps = [] if found else ["there is no gap to speak of"]
    only = () if model else (f"{title} is the only model of this lab",)
    notes = (*(only or version_notes(names, chosen.values())), *gaps, *_left_out_notes(searched, both))
    about = (title, rest[0][0] if rest else "", int(known.sum()), int(failing.sum()), len(space.features))
    return Findings(*about, tuple(found), pictures, notes, len(np.unique(space.picture)))


def _only_model(store: LabStore) -> str:
    """The name of the model of a lab that has one; its latest version is meant."""
    names = dict.fromkeys(version.name for version in select_models(store).values())
    if len(names) > 1:
        raise StoreError(f"{store.address} has several models", hint=f"name one of {', '.join(names)} with --model")
    return next(iter(names))


def _left_out_notes(searched: _Searched, judged: Sequence[_Judged]) -> list[str]:
    """How many groups are left out since a query of them failed; those that were never asked are not counted."""
    has_failed = np.zeros(searched.table.num_rows, np.bool_)
    for own in judged:
        has_failed[own.outcomes.base[own.outcomes.state == STATES.index(State.FAILED)]] = True
    many = int(has_failed[judged[0].verdicts.row[searched.space.place]].sum())
    return [f"{counted(many, 'group', 'were')} left out: a query of each failed"] if many else []


def _prepare_search(store: LabStore, suites: Sequence[str], threshold: float) -> _Searched:
    """The groups of suites, or of all, with their features; kept in memory until a suite changes."""
    names = tuple(dict.fromkeys(suites)) or tuple(store.opened().suites())
    manifests = [store.manifest(name) for name in names]
    key = tuple((store.address, name, own.fingerprint, own.rules) for name, own in zip(names, manifests, strict=True))

    def prepare() -> _Features:
        table = prepare_groups(load_groups(store, names))
        return table, find_features(table)

    return _Searched(store, *_prepared.get_or_make(key, prepare), suite_claims(store, names), threshold)


def _shown_groups(own: WeakSlice, first: Flags, second: Flags) -> Flags:
    """The groups that show a change: where it is for the better those that were fixed, else those that were broken."""
    return own.inside & (second & ~first if own.share > 0 else first & ~second)


def _finding(
    searched: _Searched,
    judged: _Judged,
    space: SearchSpace,
    own: WeakSlice,
    shown: Flags,
    say: Callable[[WeakSlice, str], str],
    others: Mapping[str, float],
) -> Finding:
    """A slice with its sentence, its examples, and what its wrong answers have in common."""
    words, verdicts = describe_slice(own.features, searched.tests), judged.verdicts
    figures = (own.n, own.pictures, own.share, own.elsewhere, own.excess, own.failures, own.p, own.is_significant)
    patterns = _patterns(searched, judged, space.place[shown])
    examples = read_failed_groups(judged.outcomes, searched.table, judged.answers, verdicts, _examples(space, shown))
    groups = _members(searched.table, verdicts, space.place[own.inside])
    return Finding(say(own, words), words, own.features, *figures, others, patterns, examples, groups)


def _other_models(
    searched: _Searched, shown: set[str], space: SearchSpace, slices: Sequence[WeakSlice]
) -> dict[str, list[float]]:
    """The share of groups that every other model has right, by slice; nan where it has answered none."""
    if not slices:
        return {}
    wanted = space.place[np.logical_or.reduce([own.inside for own in slices])]
    role = searched.table["role"].to_numpy()
    number = np.cumsum(role == 0) - 1
    is_wanted = np.zeros(int(number[-1]) + 1, np.bool_)
    is_wanted[wanted] = True
    rows = searched.table.filter(pa.array(is_wanted[number]))
    shares = {}
    for title, version in select_models(searched.store).items():
        if title not in shown:
            code = np.full(len(is_wanted), -1)
            outcomes = judge(rows, load_answers(searched.store, version), searched.threshold)
            code[is_wanted] = group_verdicts(outcomes).code
            shares[title] = [_share_right(code[space.place[own.inside]]) for own in slices]
    return shares


def _share_right(code: Rows) -> float:
    right, failed = np.isin(code, _PASSING).sum(), np.isin(code, _FAILING).sum()
    return float(right / (right + failed)) if right + failed else np.nan


def _patterns(searched: _Searched, judged: _Judged, places: Rows) -> tuple[str, ...]:
    """How the wrong answers of some groups are wrong, in words."""
    rows = np.flatnonzero(np.isin(judged.outcomes.base, judged.verdicts.row[places]))
    patterns = find_patterns(judged.outcomes, searched.table["text"], rows, read_words()["colors"])
    return tuple(pattern_sentence(own) for own in patterns[:_MOST_PATTERNS])


def _examples(space: SearchSpace, shown: Flags) -> list[int]:
    """The places of a few of the groups, on different pictures where there are some."""
    rows = np.flatnonzero(shown)
    _, first = np.unique(space.picture[rows], return_index=True)
    spread = first[np.linspace(0, len(first) - 1, min(EXAMPLES, len(first))).astype(int)] if len(first) else first
    return [int(space.place[rows[place]]) for place in spread]


def _members(table: pa.Table, verdicts: Verdicts, places: Rows) -> tuple[tuple[str, str], ...]:
    suites = table["suite"].take(pa.array(verdicts.row[places])).to_pylist()
    return tuple(zip(suites, map(hex_id, verdicts.group_id[places].tolist()), strict=True))
