"""The plan of a run, as pure functions of the queries, the abilities of the model, and the answers in the log."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.groups import Mode
from counterpoint.core.ids import content_id
from counterpoint.core.ports import MEAN_TRIAL
from counterpoint.engine.model_profile import ModelProfile

_FITTING = 1 << 30  # bytes of text
KEYS = ("query", "trial", "digest")
"""The key of an answer: the query, the pass, and the picture file."""


def first_groups(groups: pa.Table, limit: int | None) -> pa.Table:
    """The first groups of a suite, each whole; all of them without a limit."""
    if limit is None:
        return groups
    number = pc.cumulative_sum(pc.equal(groups["role"], 0).cast(pa.int64()))
    return groups.filter(pc.less_equal(number, limit))


def plan_queries(queries: pa.Table, trials: Sequence[int] = (0,)) -> pa.Table:
    """Every query in every trial, with the digest of its picture file (empty where the table has none)."""
    if "digest" not in queries.column_names:
        none = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), queries.num_rows), [""])
        queries = queries.append_column("digest", none)
    passes = [queries.append_column("trial", _constant(trial, queries.num_rows)) for trial in dict.fromkeys(trials)]
    return pa.concat_tables(passes) if passes else queries.slice(0, 0).append_column("trial", _constant(0, 0))


def supported_rows(plan: pa.Table, model: ModelProfile, *, edits: bool = False) -> pa.Table:
    """The rows that a model can answer, score or sample.

    Feature edits need a FeatureModel (`edits`), and work in the plain pass alone.
    """
    can = set(model.abilities)
    modes = [mode.value for mode, needed in ((Mode.ANSWER, "answers"), (Mode.SCORE, "scores")) if needed in can]
    plain = pc.equal(plan["feature_edits"], "[]")
    plain = pc.or_(plain, pc.equal(plan["trial"], 0)) if edits else plain
    able = pc.and_(pc.is_in(plan["mode"], pa.array(modes, pa.string())), plain)
    if model.needs_picture:
        able = pc.and_(able, pc.is_valid(plan["picture"]))
    able = able if "samples" in can else pc.and_(able, pc.equal(plan["trial"], 0))
    if pc.greater_equal(pc.max(plan["trial"]), MEAN_TRIAL).as_py():
        mean_rows = pc.equal(plan["mode"], Mode.ANSWER.value) if model.averages else pa.scalar(False)
        able = pc.and_(able, pc.or_(pc.less(plan["trial"], MEAN_TRIAL), mean_rows))
    return plan if pc.all(able, min_count=0).as_py() else plan.filter(able)


def unanswered_rows(plan: pa.Table, missing: Callable[[pa.Table], pa.Table]) -> pa.Table:
    """The rows without an answer in a log, each once; the log sees the key columns alone."""
    keys = missing(plan.select(list(KEYS)).append_column("row", pa.array(np.arange(plan.num_rows))))
    first = np.zeros(plan.num_rows, np.bool_)
    first[keys["row"].to_numpy()[_first_occurrences(keys)]] = True
    return plan.filter(pa.array(first))


def _first_occurrences(keys: pa.Table) -> NDArray[np.intp] | slice:
    """The first place of each query and trial; a slice of all where none repeats. Arrow's grouping is slow to load."""
    query, trial = keys["query"].to_numpy(), keys["trial"].to_numpy()
    in_order = np.sort(query)
    if (in_order[1:] != in_order[:-1]).all():
        return slice(None)
    order = np.lexsort((trial, query))  # stable, so the first of equal keys comes first
    query, trial = query[order], trial[order]
    return np.asarray(order[np.append(True, (query[1:] != query[:-1]) | (trial[1:] != trial[:-1]))])


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The rows to ask a model, in order, and how many are answered already or beyond the model."""

    missing: pa.Table
    cached: int
    beyond: int  # rows that the model does not support
    blind: int  # of those, rows without a picture, which the model needs


def plan_run(
    queries: pa.Table,
    model: ModelProfile,
    missing: Callable[[pa.Table], pa.Table],
    trials: Sequence[int] = (0,),
    *,
    edits: bool = False,
    shuffled: bool = False,
) -> RunPlan:
    """What a run has to ask: every query in every trial that the model supports and the log has no answer to."""
    plan = plan_queries(queries, trials)
    supported = supported_rows(plan, model, edits=edits)
    rows = order_by_picture(unanswered_rows(supported, missing))
    return RunPlan(
        missing=shuffle_pictures(rows) if shuffled else rows,
        cached=supported.num_rows - rows.num_rows,
        beyond=plan.num_rows - supported.num_rows,
        blind=plan["picture"].null_count if model.needs_picture else 0,
    )


def trial_numbers(count: int) -> list[int]:
    """The plain pass, `count` stochastic passes, and their mean.

    >>> trial_numbers(2) == [0, 1, 2, MEAN_TRIAL + 2], trial_numbers(0)
    (True, [0])
    """
    return [*range(count + 1), *([MEAN_TRIAL + count] if count else [])]


def order_by_picture(plan: pa.Table) -> pa.Table:
    """Rows sorted by picture, so that each is decoded and encoded once.

    The plain passes over a picture come first; then, query by query, the stochastic ones, so that those of a mean are
    run once.
    """
    keys = [(name, "ascending") for name in ("picture", "edits", "stochastic", "mode", "query", "trial")]
    sorting = plan.append_column("stochastic", pc.not_equal(plan["trial"], 0))
    return _take(plan, pc.sort_indices(sorting.select([name for name, _ in keys]), keys))


def shuffle_pictures(plan: pa.Table) -> pa.Table:
    """The pictures in the order of hashes of their addresses: at random, and the same for every model.

    What a run has asked when it stops is then a random sample of pictures over all suites. Rows of one picture keep
    their order; those without one come last.
    """
    order = np.argsort(picture_ranks(plan["picture"], np.iinfo(np.uint64).max), kind="stable")
    return _take(plan, pa.array(order))


def picture_ranks(addresses: pa.ChunkedArray, absent: int) -> NDArray[np.uint64]:
    """A hash of the address of each row's picture, by which pictures are put in random order; `absent` without one."""
    pictures = addresses.cast(pa.large_string()).combine_chunks().dictionary_encode()
    hashes = [content_id([address]) for address in pictures.dictionary.to_pylist()]
    keys = np.array([*hashes, absent], np.uint64)
    return np.asarray(keys[pictures.indices.fill_null(len(hashes)).to_numpy()])


def sample_queries(plan: pa.Table, count: int) -> frozenset[int]:
    """A sample of the queries of the plain pass: ids are hashes, so the smallest are a random draw."""
    plain = plan.filter(pc.equal(plan["trial"], 0))["query"]
    return frozenset(plain.take(pc.bottom_k_unstable(plain, count)).to_pylist())


def _take(plan: pa.Table, rows: pa.Array) -> pa.Table:
    """Rows in another order; texts of more than 1 GiB with 64-bit offsets, as an array of strings holds 2 GiB."""
    for place, field in enumerate(plan.schema):
        if field.type == pa.string() and plan.column(place).nbytes > _FITTING:
            plan = plan.set_column(place, field.name, plan.column(place).cast(pa.large_string()))
    return plan.take(rows)


def _constant(trial: int, rows: int) -> pa.Array:
    return pa.repeat(pa.scalar(trial, pa.uint16()), rows)
