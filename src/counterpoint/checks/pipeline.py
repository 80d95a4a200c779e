"""Checks applied to a table one after the other: what each saw, kept, dropped and marked, and what is left."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa

from counterpoint.checks.check import Action, Check, CheckContext, Rejections
from counterpoint.checks.group_tags import tag_groups
from counterpoint.checks.text_pairs import Codes, Flags, TextPairs, group_numbers
from counterpoint.metrics.labels import Labels


@dataclass(frozen=True, slots=True)
class CheckStep:
    """A check with what it is given, and what it does in each test."""

    check: Check
    given: CheckContext
    action: Callable[[str], Action]  # by the name of a test
    model: str = ""  # the name of the model that judges, for the record


@dataclass(frozen=True, slots=True)
class CheckSummary:
    """What one check did, in groups."""

    check: str
    settings: Mapping[str, Any]
    model: str
    seed: int
    seen: int
    kept: int
    dropped: Mapping[str, int]  # by reason
    marked: Mapping[str, int]
    tests: Mapping[str, Mapping[str, int]]  # seen, dropped and marked in each test
    notes: Mapping[str, Mapping[str, float]]  # by test
    seconds: float = field(compare=False)

    @property
    def record(self) -> dict[str, Any]:
        """What a manifest keeps: everything but the time, which is another each time."""
        names = ("check", "settings", "model", "seed", "seen", "kept", "dropped", "marked", "tests", "notes")
        return {name: _json_value(getattr(self, name)) for name in names}


@dataclass(frozen=True, slots=True)
class DroppedGroup:
    """A group that was dropped, by its number, the check that dropped it and the reason."""

    group: int
    check: str
    reason: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The table that is left, what each check did, and what was dropped."""

    table: pa.Table
    effects: Sequence[CheckSummary]
    losses: Sequence[DroppedGroup]
    group: Codes  # the number of the group of each row of the table that was checked


def apply_checks(table: pa.Table, steps: Sequence[CheckStep]) -> CheckResult:
    """Apply checks in their order, each to the groups that those before it have left."""
    group = group_numbers(table)
    pairs = TextPairs.of(table, group)
    test = _tests(table, group)
    alive = np.ones(len(test.codes), np.bool_)
    effects, losses, marks = list[CheckSummary](), list[DroppedGroup](), dict[str, dict[int, str]]()
    for step in steps:
        start = perf_counter()
        actions = np.array([list(Action).index(step.action(name)) for name in test.words.to_pylist()], np.int8)
        own = actions[test.codes] if len(actions) else np.zeros(0, np.int8)
        inside = alive & (own != list(Action).index(Action.OFF))
        asked = pairs.at(inside[pairs.group])
        verdicts = step.check.judge(asked, step.given)
        against = _by_group(asked, verdicts, len(alive))
        drops = inside & (against >= 0) & (own == list(Action).index(Action.DROP))
        marking = inside & (against >= 0) & ~drops
        losses += [
            DroppedGroup(one, step.check.name, verdicts.reasons[against[one]]) for one in np.flatnonzero(drops).tolist()
        ]
        marks[step.check.name] = {one: verdicts.reasons[against[one]] for one in np.flatnonzero(marking).tolist()}
        alive &= ~drops
        effects.append(_summarize(step, inside, (drops, marking), (against, verdicts), test, perf_counter() - start))
    left = alive[group]
    for name, reasons in marks.items():
        table = tag_groups(table, group, f"check:{name}", reasons)
    return CheckResult(table.filter(pa.array(left)), effects, losses, group)


def _tests(table: pa.Table, group: Codes) -> Labels:
    """The test of each group."""
    labels = Labels.of(table["test"])
    codes = np.zeros(int(group.max(initial=-1)) + 1, np.int32)
    codes[group] = labels.codes
    return Labels(codes, labels.words)


def _by_group(pairs: TextPairs, verdicts: Rejections, groups: int) -> Codes:
    """The reason against each group: that against the first of its pairs that has one."""
    against = np.full(groups, -1, np.int32)
    amiss = np.flatnonzero(verdicts.codes >= 0)[::-1]
    against[pairs.group[amiss]] = verdicts.codes[amiss]
    return against


def _summarize(
    step: CheckStep,
    inside: Flags,
    hit: tuple[Flags, Flags],
    said: tuple[Codes, Rejections],
    test: Labels,
    seconds: float,
) -> CheckSummary:
    drops, marking = hit
    against, verdicts = said
    by_reason = [_count_reasons(against[one], verdicts.reasons) for one in hit]
    return CheckSummary(
        check=step.check.name,
        settings=dict(step.given.settings),
        model=step.model,
        seed=step.given.seed,
        seen=int(inside.sum()),
        kept=int((inside & ~drops).sum()),
        dropped=by_reason[0],
        marked=by_reason[1],
        tests=dict(_in_tests(inside, drops, marking, test)),
        notes=verdicts.notes,
        seconds=seconds,
    )


def _count_reasons(codes: Codes, reasons: Sequence[str]) -> dict[str, int]:
    """How often each reason was given, the most frequent first."""
    return dict(Counter(reasons[code] for code in codes.tolist()).most_common())


def _in_tests(inside: Flags, drops: Flags, marking: Flags, test: Labels) -> Iterator[tuple[str, dict[str, int]]]:
    for name, code in sorted((name, code) for code, name in enumerate(test.words.to_pylist())):
        own = test.codes == code
        seen, dropped, marks = (int((own & one).sum()) for one in (inside, drops, marking))
        if seen:
            yield name, {"seen": seen, "dropped": dropped, "marked": marks}


def _json_value(value: Any) -> Any:
    """Numbers that are none as nothing, which JSON can say."""
    if isinstance(value, Mapping):
        return {key: _json_value(one) for key, one in value.items()}
    return None if isinstance(value, float) and value != value else value
