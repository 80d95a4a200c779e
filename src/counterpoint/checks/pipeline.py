"""Checks applied to a table of groups in order, with what each one saw, kept, dropped and marked."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.checks.check import Action, Check, CheckContext, Rejections
from counterpoint.checks.text_pairs import Codes, Flags, TextPairs, group_numbers
from counterpoint.metrics.labels import Labels


@dataclass(frozen=True, slots=True)
class CheckStep:
    """A check with its context, and its action in each test."""

    check: Check
    context: CheckContext
    action: Callable[[str], Action]  # by the name of a test
    model: str = ""  # the name of the model, for the record


@dataclass(frozen=True, slots=True)
class CheckSummary:
    """What one check did, counted in groups."""

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
        """The JSON object that a manifest keeps: all but the time."""
        return {column.name: _json_value(getattr(self, column.name)) for column in fields(self) if column.compare}


@dataclass(frozen=True, slots=True)
class DroppedGroup:
    """The number of a dropped group, the check that dropped it and the reason."""

    group: int
    check: str
    reason: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The remaining table, a summary of each check, and the dropped groups."""

    table: pa.Table
    summaries: Sequence[CheckSummary]
    dropped: Sequence[DroppedGroup]
    group: Codes  # the group number of each row of the input table


@dataclass(frozen=True, slots=True)
class _GroupFlags:
    """Which groups a check saw, dropped and marked, and for which reason."""

    seen: Flags
    drop: Flags
    mark: Flags
    reason: Codes  # index into the rejections' reasons, -1 for none


def apply_checks(table: pa.Table, steps: Sequence[CheckStep]) -> CheckResult:
    """Apply checks in order, each to the groups that the earlier ones kept."""
    group = group_numbers(table)
    pairs = TextPairs.of(table, group)
    labels = Labels.of(table["test"])
    codes = np.zeros(int(group.max(initial=-1)) + 1, np.int32)
    codes[group] = labels.codes
    tests = Labels(codes, labels.words)  # of each group
    alive = np.ones(len(tests.codes), np.bool_)
    summaries, dropped = list[CheckSummary](), list[DroppedGroup]()
    marks, verdicts = dict[str, dict[int, str]](), dict[str, dict[int, str]]()
    for step in steps:
        start = perf_counter()
        flags, rejections = _judge_groups(step, pairs, tests, alive)
        reasons = {
            number: rejections.reasons[flags.reason[number]]
            for number in np.flatnonzero(flags.drop | flags.mark).tolist()
        }
        name = step.check.name
        dropped += [DroppedGroup(number, name, reason) for number, reason in reasons.items() if flags.drop[number]]
        marks[name] = {number: reason for number, reason in reasons.items() if flags.mark[number]}
        if step.check.tag:
            verdicts[step.check.tag] = {
                number: "no" if flags.mark[number] else "yes" for number in np.flatnonzero(flags.seen).tolist()
            }
        alive &= ~flags.drop
        summaries.append(_summarize(step, flags, rejections, tests, perf_counter() - start))
    for name, reasons in marks.items():
        table = tag_groups(table, group, f"check:{name}", reasons)
    for name, values in verdicts.items():
        table = tag_groups(table, group, name, values)
    return CheckResult(table.filter(pa.array(alive[group])), summaries, dropped, group)


def _judge_groups(step: CheckStep, pairs: TextPairs, tests: Labels, alive: Flags) -> tuple[_GroupFlags, Rejections]:
    actions = np.array([step.action(name) for name in tests.words.to_pylist()], object)
    action = actions[tests.codes] if len(actions) else np.zeros(0, object)
    seen = alive & (action != Action.OFF)
    judged = pairs.at(seen[pairs.group])
    rejections = step.check.judge(judged, step.context)
    reason = np.full(len(alive), -1, np.int32)
    rejected = np.flatnonzero(rejections.codes >= 0)[::-1]  # of a group, the first rejected pair gives the reason
    reason[judged.group[rejected]] = rejections.codes[rejected]
    drop = seen & (reason >= 0) & (action == Action.DROP)
    return _GroupFlags(seen, drop, seen & (reason >= 0) & ~drop, reason), rejections


def _summarize(
    step: CheckStep, flags: _GroupFlags, rejections: Rejections, tests: Labels, seconds: float
) -> CheckSummary:
    dropped, marked = (
        dict(Counter(rejections.reasons[code] for code in flags.reason[groups].tolist()).most_common())
        for groups in (flags.drop, flags.mark)
    )
    sides = {"seen": flags.seen, "dropped": flags.drop, "marked": flags.mark}
    counts = {
        test: {side: int((groups & (tests.codes == code)).sum()) for side, groups in sides.items()}
        for code, test in enumerate(tests.words.to_pylist())
    }
    return CheckSummary(
        check=step.check.name,
        settings=dict(step.context.settings),
        model=step.model,
        seed=step.context.seed,
        seen=int(flags.seen.sum()),
        kept=int((flags.seen & ~flags.drop).sum()),
        dropped=dropped,
        marked=marked,
        tests={name: counts[name] for name in sorted(counts) if counts[name]["seen"]},
        notes=rejections.notes,
        seconds=seconds,
    )


def _json_value(value: Any) -> Any:
    """A value with NaN replaced by null, which JSON has."""
    if isinstance(value, Mapping):
        return {key: _json_value(item) for key, item in value.items()}
    return None if isinstance(value, float) and value != value else value


def tag_groups(table: pa.Table, group: Codes, name: str, values: Mapping[int, str]) -> pa.Table:
    """Tag every row of the groups that have a value; an earlier tag of the same name is removed everywhere."""
    column = table["tags"]
    tags = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    tags = _remove_tag(tags, name)
    if values:
        tags = _add_tag(tags, group, name, values)
    return table.set_column(table.column_names.index("tags"), table.schema.field("tags"), tags)


def _remove_tag(tags: pa.Array, name: str) -> pa.Array:
    kept = np.asarray(pc.not_equal(tags.keys, name))
    if kept.all():
        return tags
    starts = tags.offsets.to_numpy()
    before = np.concatenate([[0], np.cumsum(kept)])
    keys, items = (side.filter(pa.array(kept)) for side in (tags.keys, tags.items))
    return pa.MapArray.from_arrays(pa.array(before[starts - starts[0]], pa.int32()), keys, items)


def _add_tag(tags: pa.Array, group: Codes, name: str, values: Mapping[int, str]) -> pa.Array:
    distinct = sorted(set(values.values()))
    by_group = np.full(int(group.max(initial=0)) + 1, -1, np.int64)
    by_group[list(values)] = [distinct.index(value) for value in values.values()]
    code = by_group[group]
    sizes = np.diff(tags.offsets.to_numpy())
    ends = np.cumsum(sizes + (code >= 0))
    new = ends[code >= 0] - 1  # the last slot of each row that gains a tag
    old = np.ones(int(ends[-1]), np.bool_)
    old[new] = False
    take = np.empty(len(old), np.int64)
    take[old] = np.arange(old.sum())
    take[new] = old.sum() + code[code >= 0]
    keys = pa.concat_arrays([tags.keys, pa.array([name] * len(distinct), pa.string())]).take(pa.array(take))
    items = pa.concat_arrays([tags.items, pa.array(distinct, pa.string())]).take(pa.array(take))
    return pa.MapArray.from_arrays(pa.array(np.concatenate([[0], ends]), pa.int32()), keys, items)
