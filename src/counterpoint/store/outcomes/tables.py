"""Outcome tables of a suite and of a model on it: narrow tables with everything that pages and reports query.

Rows of `groups`, `outcomes`, `answers_by_row` and `credits` correspond: row 7 of each is about the same query. What
follows from the suite alone is in `groups` only. A group is known by its `place`, the row of its base.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from counterpoint.core.groups import State
from counterpoint.metrics.labels import find_rows
from counterpoint.metrics.metric import Contents, Metric, Ratio, applicable, contents_by_suite, ordered, whole_suites
from counterpoint.metrics.outcomes import Outcomes, judge, sort_by_group
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.metrics.slices import distinct_values
from counterpoint.metrics.units import STATES, Pairs, Sets, Singles
from counterpoint.metrics.verdicts import VERDICTS, group_verdicts
from counterpoint.store.tables import ANSWERS, GROUPS

ANSWER_COLUMNS = (
    *("raw", "value", "rule", "state", "score", "top", "reason", "seconds", "tokens_in", "tokens_out"),
    *("prompt", "offered"),
)
"""What is judged and shown of an answer."""

ENCODED_ANSWERS = ("value", "rule", "state", "top", "reason", "prompt")
"""The columns of answers whose texts many rows share."""

_GROUP_COLUMNS = (
    *("suite", "test", "group_id", "role", "relation", "kind", "picture", "mode", "gold", "tags", "query", "rules"),
    *("row", "place"),
)
_ENCODED_GROUPS = ("suite", "test", "relation", "kind", "picture", "mode", "gold.list.element.answer")

SLICES: Mapping[str, tuple[str, ...]] = {"suite": (), "test": ("test",), "kind": ("test", "kind")}
"""The columns that scores are sliced by, for each value of the column `by`."""

_GROUP_UNITS = (Pairs, Sets, Singles)  # have one place in a group

Metrics = Sequence[Metric]
"""The metrics that the tables have scores of."""


def group_metrics(metrics: Metrics) -> tuple[Ratio[Any], ...]:
    """Return the metrics that have a value for a single group: the ratios among these, by rank."""
    return tuple(metric for metric in ordered(metrics) if isinstance(metric, Ratio) and metric.unit in _GROUP_UNITS)


def groups_table(stored: pa.Table) -> pa.Table:
    """Return a suite with each group's rows together; `row` numbers them and `place` is the row of the base."""
    table = sort_by_group(stored)
    row = np.arange(table.num_rows, dtype=np.uint32)
    place = np.maximum.accumulate(np.where(table["role"].to_numpy() == 0, row, 0)).astype(np.uint32)
    return table.append_column("row", pa.array(row)).append_column("place", pa.array(place))


def bases_table(groups: pa.Table) -> pa.Table:
    """Return one row per group, to search it: its texts in lower case, its tags as `name=value`, its base's gold."""
    starts = np.flatnonzero(groups["role"].to_numpy() == 0)
    bases = groups.select(["suite", "place", "group_id", "test", "kind", "relation", "query", "picture"]).take(starts)
    sizes = np.diff(np.append(starts, groups.num_rows))
    return (
        bases.rename_columns({"query": "base_query"})
        .append_column("variants", pa.array((sizes - 1).astype(np.uint16)))
        .append_column("texts", _joined_texts(groups["text"], starts, groups.num_rows))
        .append_column("tags", _tags(groups, starts))
        .append_column("gold", _first_gold(groups["gold"].take(starts)))
    )


def suite_tables(stored: pa.Table) -> dict[str, pa.Table]:
    """Return the groups of a suite, its bases, and the row of each query, sorted by query."""
    groups = groups_table(stored)
    queries = groups.select(["suite", "query", "row"]).sort_by("query")
    return {"groups": groups, "bases": bases_table(groups), "queries": queries}


def outcomes_table(suite: str, slug: str, groups: pa.Table, outcomes: Outcomes, answers: pa.Table) -> pa.Table:
    """Return one row per row of the suite: a model's value for it and its outcome."""
    columns = {
        **_name_columns(suite, slug, len(outcomes.base)),
        **{name: groups[name] for name in ("row", "place", "role")},
        "correct": _number(outcomes.correct, pa.float32()),
        "consistent": _consistent(outcomes),
        "state": pa.DictionaryArray.from_arrays(outcomes.state.astype(np.int32), list(STATES)),
        "value": _filled(answers["value"], ""),
        "score": _number(outcomes.score, pa.float64()),
        "confidence": _number(outcomes.probabilities.confidence, pa.float32()),
        "seconds": _filled(answers["seconds"], 0.0),
    }
    return pa.table(columns)


def with_texts(answers: pa.Table, kind: pa.DataType) -> pa.Table:
    """Return answers with raw texts and prompts of a type, unless they are encoded: large ones may exceed 2 GiB."""
    for name in ("raw", "prompt"):
        place, field = answers.column_names.index(name), answers.schema.field(name)
        if not pa.types.is_dictionary(field.type):
            answers = answers.set_column(place, field.with_type(kind), answers[name].cast(kind))
    return answers


def answers_by_row(groups: pa.Table, answers: pa.Table) -> pa.Table:
    """Return the plain answers of a model in the order of the suite's rows; a row without one is null."""
    plain = answers.filter(pc.equal(answers["trial"], 0)) if pc.max(answers["trial"]).as_py() else answers
    rows = find_rows(groups["query"].to_numpy(), plain["query"].to_numpy())
    own = plain.select(ANSWER_COLUMNS).take(pa.array(rows, mask=rows < 0)).combine_chunks()
    return with_texts(own, pa.string())


def judged_answers(groups: pa.Table, by_row: pa.Table, trials: pa.Table) -> pa.Table:
    """Return the answers to a suite in all trials as they are judged: those by row, and those of other trials."""
    plain = by_row.append_column("query", groups["query"])
    plain = plain.append_column("trial", pa.array(np.zeros(plain.num_rows, np.uint16)))
    if plain["state"].null_count:
        plain = plain.filter(plain["state"].is_valid())
    if not trials.num_rows:
        return plain
    others = trials.filter(pc.is_in(trials["query"], value_set=pc.unique(groups["query"])))
    whole = pa.concat_tables([plain, others.select(plain.column_names)], promote_options="permissive")
    return whole.unify_dictionaries().combine_chunks().replace_schema_metadata(by_row.schema.metadata)


def credits_table(outcomes: Outcomes) -> pa.Table:
    """Return the credit of each row of a suite, and whether a variant satisfies the relation to its base."""
    return pa.table({"correct": _number(outcomes.correct, pa.float64()), "consistent": _consistent(outcomes)})


def verdicts_table(suite: str, slug: str, groups: pa.Table, outcomes: Outcomes, metrics: Metrics) -> pa.Table:
    """Return one row per group: its verdict, and its score by each metric, null where that does not apply."""
    judged = group_verdicts(outcomes)
    starts, sizes = judged.row, np.diff(np.append(judged.row, len(outcomes.base)))
    bases = groups.select(["place", "group_id", "test", "kind", "relation", "query"]).take(pa.array(starts))
    columns = {
        **_name_columns(suite, slug, len(starts)),
        "place": bases["place"],
        **{name: bases[name] for name in ("group_id", "test", "kind", "relation")},
        "verdict": pa.DictionaryArray.from_arrays(judged.code.astype(np.int32), list(VERDICTS)),
        "inconsistent": pa.array(judged.inconsistent),
        "flags": pa.array(judged.flags),
        "base_query": bases["query"],
        "variants": pa.array((sizes - 1).astype(np.uint16)),
    }
    group = np.cumsum(outcomes.base == np.arange(len(outcomes.base))) - 1
    return pa.table(columns | dict(_group_scores(outcomes, group, len(starts), metrics)))


def scores_table(suite: str, slug: str, outcomes: Outcomes, metrics: Metrics) -> pa.Table:
    """Return the scores of a suite, of its tests and of their kinds, one below the other; `by` says which a row is.

    Metrics on request are scored on the whole suite only.
    """
    contents = contents_by_suite(outcomes.table, "test")
    computed = ScoreRequest(candidates=metrics).metrics_by_suite(contents).get(suite, ())
    others = _other_metrics(whole_suites(contents).get(suite, Contents()), outcomes, metrics, computed)
    whole = score_outcomes(outcomes, ScoreRequest(SLICES["suite"], metrics=[*computed, *others]))
    scores = {"suite": whole, "test": _test_scores(outcomes, whole, computed)}
    scores["kind"] = score_outcomes(outcomes, ScoreRequest(SLICES["kind"], metrics=computed))
    return pa.concat_tables(_with_slice_columns(own, suite, slug, by) for by, own in scores.items())


def _test_scores(outcomes: Outcomes, whole: pa.Table, metrics: Metrics) -> pa.Table:
    """Return the scores of each test; those of an only test are the scores of the whole suite."""
    tests = distinct_values(outcomes.table, "test")
    if len(tests) != 1:
        return score_outcomes(outcomes, ScoreRequest(SLICES["test"], metrics=metrics))
    own = whole.filter(pc.is_in(whole["metric"], value_set=pa.array([metric.name for metric in metrics], pa.string())))
    return own.append_column("test", pa.array([*tests[0]] * own.num_rows, pa.string()))


def _with_slice_columns(scores: pa.Table, suite: str, slug: str, by: str) -> pa.Table:
    """Return scores with every column that names a slice; a column they are not sliced by is empty."""
    given = {name: scores[name] for name in scores.column_names}
    empty = pa.array([""] * scores.num_rows, pa.string())
    slices = {name: given.get(name, empty) for name in ("test", "kind")}
    names = _name_columns(suite, slug, scores.num_rows) | {"by": pa.array([by] * scores.num_rows, pa.string())}
    rest = {name: column for name, column in given.items() if name not in (*names, *slices)}
    return pa.table(names | slices | rest)


def _other_metrics(contents: Contents, outcomes: Outcomes, metrics: Metrics, computed: Metrics) -> list[Metric]:
    """Return the metrics on request that at least one case of the suite counts for."""
    others = [metric for metric in applicable(contents, metrics, on_request=True) if metric not in computed]
    known = [(metric, outcomes.units(metric.unit)) for metric in others if metric.unit in _GROUP_UNITS]
    return [metric for metric, unit in known if (metric.counts(unit) & unit.counted).any()]


def _group_scores(
    outcomes: Outcomes, group: NDArray[np.int64], groups: int, metrics: Metrics
) -> Iterator[tuple[str, pa.Array]]:
    """Yield each metric with the score of each group: the mean over its pairs or answers that count."""
    places, counted = dict[type, NDArray[np.int64]](), dict[tuple[type, bytes], _CountedUnits]()
    for metric in group_metrics(metrics):
        unit = outcomes.units(metric.unit)
        counts = metric.counts(unit) & unit.counted
        if not counts.any():  # as for most metrics of other suites
            yield metric.name, pa.nulls(groups, pa.float32())
            continue
        if metric.unit not in places:
            places[metric.unit] = group[unit.base] if groups else np.empty(0, np.int64)
        key = (metric.unit, counts.tobytes())  # many metrics count the same units
        if key not in counted:
            place = places[metric.unit][counts]
            counted[key] = _CountedUnits(place, np.bincount(place, minlength=groups))
        place, cases = counted[key]
        mean = np.bincount(place, metric.hit(unit)[counts], minlength=groups) / np.maximum(cases, 1)
        yield metric.name, _number(np.where(cases > 0, mean, np.nan), pa.float32())


class _CountedUnits(NamedTuple):
    """The group of each unit that counts, and how many each group has."""

    group: NDArray[np.int64]
    cases: NDArray[np.int64]


def _consistent(outcomes: Outcomes) -> pa.Array:
    """Return whether each variant satisfies the relation to its base, null where that is unknown."""
    pairs = outcomes.pairs()
    value, known = np.zeros(len(outcomes.base), np.bool_), np.zeros(len(outcomes.base), np.bool_)
    value[pairs.row], known[pairs.row] = pairs.related, pairs.known & pairs.counted
    return pa.array(value, mask=~known)


def _name_columns(suite: str, slug: str, rows: int) -> dict[str, pa.Array]:
    codes = np.zeros(rows, np.int32)
    return {
        "model": pa.DictionaryArray.from_arrays(codes, [slug]),
        "suite": pa.DictionaryArray.from_arrays(codes, [suite]),
    }


def _number(values: NDArray[np.float64], kind: pa.DataType) -> pa.Array:
    """Return numbers with null for nan; infinite scores stay."""
    return pa.array(values, mask=np.isnan(values)).cast(kind)


def _filled(column: pa.ChunkedArray, default: Any) -> pa.ChunkedArray:
    """Return a column with a value in the place of nulls."""
    if not column.null_count:
        return column
    is_encoded = pa.types.is_dictionary(column.type)
    return pc.fill_null(column.cast(column.type.value_type) if is_encoded else column, default)


def _joined_texts(texts: pa.ChunkedArray, starts: NDArray[np.int64], rows: int) -> pa.Array:
    """Return the texts of each group in lower case, one per line."""
    offsets = pa.array(np.append(starts, rows).astype(np.int32))
    whole = pa.concat_arrays([pa.array([], pa.string()), *pc.utf8_lower(texts).chunks])
    return pc.binary_join(pa.ListArray.from_arrays(offsets, whole), "\n")


def _tags(groups: pa.Table, starts: NDArray[np.int64]) -> pa.Array:
    """Return the tags of each group, each once, in the order of its rows."""
    tags = pa.concat_arrays(groups["tags"].chunks) if groups.num_rows else pa.array([], groups["tags"].type)
    ends = tags.offsets.to_numpy()
    words = pc.binary_join_element_wise(tags.keys, tags.items, "=").dictionary_encode()
    codes = words.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    number = np.searchsorted(starts, np.repeat(np.arange(groups.num_rows), np.diff(ends)), side="right") - 1
    _, first = np.unique(number * max(len(words.dictionary), 1) + codes, return_index=True)
    first = np.sort(first)
    sizes = np.bincount(number[first], minlength=len(starts))
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    kept = pa.DictionaryArray.from_arrays(pa.array(codes[first].astype(np.int32)), words.dictionary)
    return pa.ListArray.from_arrays(pa.array(offsets), kept.cast(pa.string()))


def _first_gold(gold: pa.ChunkedArray) -> pa.Array:
    """Return the first right answer of each query, empty where it has none."""
    rows = pa.concat_arrays([pa.array([], gold.type), *gold.chunks])
    ends, empty = rows.offsets.to_numpy(), pc.fill_null(pc.list_value_length(rows), 0).to_numpy() == 0
    return pc.fill_null(rows.values.field("answer").take(pa.array(ends[:-1], mask=empty)), "")


def read_groups(path: Path) -> pa.Table:
    """Read what is judged of a file of groups in one chunk; texts that many rows share are encoded."""
    table = pq.read_table(path, columns=list(_GROUP_COLUMNS), read_dictionary=_ENCODED_GROUPS)
    return table.unify_dictionaries().combine_chunks()


def trials_table(slug: str, answers: pa.Table) -> pa.Table:
    """Return a model's answers of other trials than the plain one, sorted by query, under the model's slug."""
    others = answers.filter(pc.greater(answers["trial"], 0))
    order = pa.array(np.lexsort((others["trial"].to_numpy(), others["query"].to_numpy())))
    ordered = with_texts(others.take(order), pa.string())
    named = pa.DictionaryArray.from_arrays(np.zeros(ordered.num_rows, np.int32), [slug])
    return pa.table({"model": named} | {name: ordered[name] for name in ordered.column_names})


def totals_table(slug: str, answers: pa.Table) -> pa.Table:
    """Return how many answers a model has given, how many in other trials, and the mean of their seconds."""
    plain = pc.sum(pc.equal(answers["trial"], 0)).as_py() or 0
    settled = answers["seconds"].filter(pc.not_equal(answers["state"], State.FAILED.value))
    columns = {"model": [slug], "answers": [plain], "trials": [len(answers) - plain], "seconds": [pc.mean(settled)]}
    schema = [("model", pa.string()), ("answers", pa.int64()), ("trials", pa.int64()), ("seconds", pa.float64())]
    return pa.table({name: pa.array(columns[name], kind) for name, kind in schema})


def empty_tables(metrics: Metrics = ()) -> dict[str, pa.Table]:
    """Return the tables without a row, for a lab that has no suite or no model."""
    suite = suite_tables(GROUPS.empty_table())
    groups, answers = suite["groups"], ANSWERS.empty_table()
    outcomes = judge(groups, answers)
    return {
        **suite,
        "totals": totals_table("", answers).slice(0, 0),
        "outcomes": outcomes_table("", "", groups, outcomes, answers),
        "verdicts": verdicts_table("", "", groups, outcomes, metrics),
        "scores": scores_table("", "", outcomes, metrics),
        "ties": ties_table("", []),
    }


def ties_table(suite: str, ties: Sequence[tuple[str, str, str]]) -> pa.Table:
    """Return the statistical ties with the best, given as (test, metric, model); the whole suite has an empty test."""
    names = ("test", "metric", "model")
    rows = [{"suite": suite, **dict(zip(names, tie, strict=True))} for tie in ties]
    return pa.Table.from_pylist(rows, pa.schema([(name, pa.string()) for name in ("suite", *names)]))
