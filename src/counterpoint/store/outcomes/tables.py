"""What the explorer keeps of a suite and of a model on it, as narrow tables: everything that pages ask for is in them.

Rows of `groups`, `outcomes` and `said` stand at the same places: row 7 of each is about the same query. A group is
known by its `place`, the row of its base.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.metrics.accuracy import ACCURACY_METRICS, Ratio
from counterpoint.metrics.id_joins import find_rows
from counterpoint.metrics.metric import Metric
from counterpoint.metrics.outcomes import STATES, Flags, Outcomes, Pairs, Sets, Singles, judge, sort_by_group
from counterpoint.metrics.scoring import ScoreRequest, default_metrics, score_outcomes
from counterpoint.metrics.verdicts import VERDICTS, group_verdicts
from counterpoint.store.tables import ANSWERS, GROUPS

_WORD = pa.dictionary(pa.int32(), pa.string())
_GIVEN = ("raw", "value", "rule", "state", "score", "top", "reason", "seconds")
_FEWER = 100  # resamples
CUTS: Mapping[str, tuple[str, ...]] = {"suite": (), "test": ("test",), "kind": ("test", "kind")}
"""How scores are cut, by the name that the column `by` has for it."""


@cache
def sampled() -> tuple[Ratio[Any], ...]:
    """The measures that a single group has a score of: the shares among those of the catalog, the usual ones first."""
    others = (metric for metric in _catalogued() if isinstance(metric, Ratio) and metric.unit in (Pairs, Sets, Singles))
    return (*ACCURACY_METRICS, *(metric for metric in others if metric not in ACCURACY_METRICS))


def groups_table(stored: pa.Table) -> pa.Table:
    """A suite with each group's rows together; `row` numbers them and `place` is the row of the base."""
    table = sort_by_group(stored)
    row = np.arange(table.num_rows, dtype=np.uint32)
    place = np.maximum.accumulate(np.where(table["role"].to_numpy() == 0, row, 0)).astype(np.uint32)
    return table.append_column("row", pa.array(row)).append_column("place", pa.array(place))


def bases_table(groups: pa.Table) -> pa.Table:
    """One row per group, for finding it: its texts in small letters, and its tags as `name=value`."""
    starts = np.flatnonzero(groups["role"].to_numpy() == 0)
    bases = groups.select(["suite", "place", "group_id", "test", "kind", "relation", "query", "picture"]).take(starts)
    sizes = np.diff(np.append(starts, groups.num_rows))
    return (
        bases.rename_columns({"query": "base_query"})
        .append_column("variants", pa.array((sizes - 1).astype(np.uint16)))
        .append_column("texts", _joined_texts(groups["text"], starts, groups.num_rows))
        .append_column("tags", _tags(groups, starts))
    )


def queries_table(groups: pa.Table) -> pa.Table:
    """Where each query of a suite is, ordered by query."""
    return groups.select(["suite", "query", "row"]).sort_by("query")


def outcomes_table(suite: str, slug: str, groups: pa.Table, outcomes: Outcomes, answers: pa.Table) -> pa.Table:
    """One row per row of the suite: what a model said to it, and what became of that."""
    query, base = groups["query"].to_numpy(), outcomes.base
    found = _found(query, answers)
    columns = {
        **_named(suite, slug, len(base)),
        "row": groups["row"],
        "place": groups["place"],
        "group_id": groups["group_id"],
        "role": groups["role"],
        "query": groups["query"],
        "base": pa.array(query[base]),
        **{name: groups[name] for name in ("test", "kind", "relation", "picture")},
        "correct": _number(outcomes.correct, pa.float32()),
        "consistent": _consistent(outcomes),
        "state": pa.DictionaryArray.from_arrays(outcomes.state.astype(np.int32), list(STATES)),
        "value": pc.fill_null(answers["value"].take(found), ""),
        "score": _number(outcomes.score, pa.float64()),
        "confidence": _number(outcomes.chances.confidence, pa.float32()),
        "seconds": pc.fill_null(answers["seconds"].take(found), 0.0),
    }
    return pa.table(columns)


def said_table(groups: pa.Table, outcomes: Outcomes, answers: pa.Table) -> pa.Table:
    """The plain answers in the order of the suite's rows, whole, with what each earned; a row without one is empty."""
    taken = answers.select(_GIVEN).take(_found(groups["query"].to_numpy(), answers))
    correct = _number(outcomes.correct, pa.float64())
    whole = taken.append_column("query", groups["query"]).append_column("correct", correct)
    return whole.append_column("consistent", _consistent(outcomes))


def verdicts_table(suite: str, slug: str, groups: pa.Table, outcomes: Outcomes) -> pa.Table:
    """One row per group: the verdict on it, and its score by each measure, null where it does not apply."""
    found = group_verdicts(outcomes)
    starts, sizes = found.row, np.diff(np.append(found.row, len(outcomes.base)))
    bases = groups.select(["place", "group_id", "test", "kind", "relation", "query"]).take(pa.array(starts))
    worst = np.minimum.reduceat(outcomes.correct, starts) if len(starts) else np.empty(0)
    columns = {
        **_named(suite, slug, len(starts)),
        "place": bases["place"],
        **{name: bases[name] for name in ("group_id", "test", "kind", "relation")},
        "verdict": pa.DictionaryArray.from_arrays(found.code.astype(np.int32), list(VERDICTS)),
        "inconsistent": pa.array(found.inconsistent),
        "base_query": bases["query"],
        "base_correct": _number(outcomes.correct[starts], pa.float32()),
        "worst": _number(worst, pa.float32()),
        "variants": pa.array((sizes - 1).astype(np.uint16)),
    }
    number = np.cumsum(outcomes.base == np.arange(len(outcomes.base))) - 1
    return pa.table(columns | dict(_samples(outcomes, number, len(starts))))


def scores_table(suite: str, slug: str, outcomes: Outcomes) -> pa.Table:
    """The scores of a suite, of its tests and of their kinds, below each other; `by` says which a row is.

    Measures that are not usual are taken of the whole suite alone. What is no share is resampled less often below the
    suite, and wherever it is not usual. A suite with one test has its scores as those of the test.
    """
    shares, slow = _halves(default_metrics(outcomes))
    other_shares, other_slow = _halves(_others(outcomes))
    tests = outcomes.table["test"].unique().to_pylist()
    whole = _cut(score_outcomes(outcomes, ScoreRequest((), metrics=[*shares, *slow])), suite, slug, "suite")
    parts = [whole, _renamed(whole, tests[0])] if len(tests) == 1 else [whole]
    for by, fast, resampled in (("suite", other_shares, other_slow), ("test", shares, slow), ("kind", shares, slow)):
        if by != "test" or len(tests) > 1:
            requests = (
                ScoreRequest(CUTS[by], metrics=fast),
                ScoreRequest(CUTS[by], metrics=resampled, resamples=_FEWER),
            )
            parts += [_cut(score_outcomes(outcomes, one), suite, slug, by) for one in requests if one.metrics]
    return pa.concat_tables(parts)


def _renamed(whole: pa.Table, test: str) -> pa.Table:
    """The scores of a suite as those of its only test."""
    for name, value in (("by", "test"), ("test", test)):
        place = whole.column_names.index(name)
        whole = whole.set_column(place, name, pa.array([value] * whole.num_rows, pa.string()))
    return whole


def _halves(metrics: Iterable[Metric]) -> tuple[list[Metric], list[Metric]]:
    """The measures that are shares, and those that are not."""
    known = list(metrics)
    return [one for one in known if isinstance(one, Ratio)], [one for one in known if not isinstance(one, Ratio)]


def _cut(part: pa.Table, suite: str, slug: str, by: str) -> pa.Table:
    """Scores with every column that names a slice; what is not cut by is empty."""
    given = {name: part[name] for name in part.column_names}
    empty = pa.array([""] * part.num_rows, pa.string())
    slices = {name: given.get(name, empty) for name in ("test", "kind")}
    named = _named(suite, slug, part.num_rows) | {"by": pa.array([by] * part.num_rows, pa.string())}
    return pa.table(named | slices | {name: one for name, one in given.items() if name not in (*named, *slices)})


@cache
def _catalogued() -> tuple[Metric, ...]:
    found: list[Metric] = []
    for name in catalog.rows("metrics"):
        try:
            found.append(catalog.find("metrics", name))
        except CounterpointError:  # what another package adds and cannot load is not missed here
            continue
    return tuple(found)


def _others(outcomes: Outcomes) -> list[Metric]:
    """The measures of the catalog that are not usual, and by which at least one case of the suite counts."""
    known = default_metrics(outcomes)
    units: dict[type, Any] = {Pairs: outcomes.pairs(), Sets: outcomes.sets(), Singles: outcomes.singles()}
    others = [metric for metric in _catalogued() if metric not in known and metric.unit in units]
    return [metric for metric in others if _counts(metric, units[metric.unit]).any()]


def _counts(metric: Metric, units: Any) -> Flags:
    counted: Flags = metric.counts(units) & units.counted
    return counted


def _samples(outcomes: Outcomes, number: NDArray[np.int64], groups: int) -> Iterator[tuple[str, pa.Array]]:
    """Each measure with the score of each group: the mean over its pairs or answers that count."""
    units: dict[type, Any] = {Pairs: outcomes.pairs(), Sets: outcomes.sets(), Singles: outcomes.singles()}
    for metric in sampled():
        own = units[metric.unit]
        credit, counts = metric.cases(own)
        place = number[own.base] if groups else np.empty(0, np.int64)
        cases = np.bincount(place[counts], minlength=groups)
        mean = np.bincount(place[counts], credit[counts], minlength=groups) / np.maximum(cases, 1)
        yield metric.name, _number(np.where(cases > 0, mean, np.nan), pa.float32())


def _consistent(outcomes: Outcomes) -> pa.Array:
    """Whether each variant satisfies the relation to its base; null where that cannot be said."""
    pairs = outcomes.pairs()
    value, known = np.zeros(len(outcomes.base), np.bool_), np.zeros(len(outcomes.base), np.bool_)
    value[pairs.row], known[pairs.row] = pairs.related, pairs.known & pairs.counted
    return pa.array(value, mask=~known)


def _named(suite: str, slug: str, rows: int) -> dict[str, pa.Array]:
    codes = np.zeros(rows, np.int32)
    return {
        "model": pa.DictionaryArray.from_arrays(codes, [slug]),
        "suite": pa.DictionaryArray.from_arrays(codes, [suite]),
    }


def _number(values: NDArray[np.float64], kind: pa.DataType) -> pa.Array:
    """Numbers, null where there is none; what is infinite, as a score can be, stays so."""
    return pa.array(values, mask=np.isnan(values)).cast(kind)


def _found(query: NDArray[np.uint64], answers: pa.Table) -> pa.Array:
    """The row of the answer to each query, null where there is none."""
    found = find_rows(query, answers["query"].to_numpy())
    return pa.array(found, mask=found < 0)


def _joined_texts(texts: pa.ChunkedArray, starts: NDArray[np.int64], rows: int) -> pa.Array:
    """The texts of each group in small letters, one per line."""
    offsets = pa.array(np.append(starts, rows).astype(np.int32))
    whole = pa.concat_arrays([pa.array([], pa.string()), *pc.utf8_lower(texts).chunks])
    return pc.binary_join(pa.ListArray.from_arrays(offsets, whole), "\n")


def _tags(groups: pa.Table, starts: NDArray[np.int64]) -> pa.Array:
    """The tags of each group, each once, in the order of its rows."""
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


def plain_answers(answers: pa.Table) -> pa.Table:
    """The plain pass alone."""
    return answers.filter(pc.equal(answers["trial"], 0))


def answers_table(slug: str, answers: pa.Table) -> pa.Table:
    """What a model said in all trials, ordered by query, under the model's name in addresses."""
    ordered = answers.sort_by([("query", "ascending"), ("trial", "ascending")]).drop_columns(["model"])
    named = pa.DictionaryArray.from_arrays(np.zeros(ordered.num_rows, np.int32), [slug])
    return pa.table({"model": named} | {name: ordered[name] for name in ordered.column_names})


def empty_tables() -> dict[str, pa.Table]:
    """The tables without a row, for a lab that has no suite or no model."""
    groups = groups_table(GROUPS.empty_table())
    said, nothing = ANSWERS.empty_table(), judge(groups, ANSWERS.empty_table())
    return {
        "groups": groups,
        "bases": bases_table(groups),
        "queries": queries_table(groups),
        "answers": answers_table("", said),
        "outcomes": outcomes_table("", "", groups, nothing, said),
        "verdicts": verdicts_table("", "", groups, nothing),
        "scores": scores_table("", "", nothing),
        "ties": ties_table("", []),
    }


def ties_table(suite: str, found: Sequence[tuple[str, str, str]]) -> pa.Table:
    """The models that cannot be told from the best, as (test, metric, model); the whole suite has an empty test."""
    names = ("test", "metric", "model")
    rows = [{"suite": suite, **dict(zip(names, one, strict=True))} for one in found]
    return pa.Table.from_pylist(rows, pa.schema([(name, pa.string()) for name in ("suite", *names)]))
