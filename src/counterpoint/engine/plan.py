"""The plan of a run, as pure functions of the queries, the abilities of the model, and the answers in the log."""

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.groups import Mode
from counterpoint.core.ports import (
    MEAN_TRIAL,
    Answerer,
    AveragingSampler,
    Model,
    PictureDependentModel,
    Sampler,
    Scorer,
)

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


def supported_rows(plan: pa.Table, model: Model, *, edits: bool = False) -> pa.Table:
    """The rows that a model can answer, score or sample.

    Feature edits need a FeatureModel (`edits`), and work in the plain pass alone.
    """
    answers, scores, samples = isinstance(model, Answerer), isinstance(model, Scorer), isinstance(model, Sampler)
    modes = [mode.value for mode, can in ((Mode.ANSWER, answers), (Mode.SCORE, scores)) if can]
    plain = pc.equal(plan["feature_edits"], "[]")
    plain = pc.or_(plain, pc.equal(plan["trial"], 0)) if edits else plain
    able = pc.and_(pc.is_in(plan["mode"], pa.array(modes, pa.string())), plain)
    if needs_picture(model):
        able = pc.and_(able, pc.is_valid(plan["picture"]))
    able = able if samples else pc.and_(able, pc.equal(plan["trial"], 0))
    if pc.greater_equal(pc.max(plan["trial"]), MEAN_TRIAL).as_py():
        averages = isinstance(model, AveragingSampler) and model.averages
        mean_rows = pc.equal(plan["mode"], Mode.ANSWER.value) if averages else pa.scalar(False)
        able = pc.and_(able, pc.or_(pc.less(plan["trial"], MEAN_TRIAL), mean_rows))
    return plan if pc.all(able, min_count=0).as_py() else plan.filter(able)


def needs_picture(model: Model) -> bool:
    """Whether a model can do nothing without a picture."""
    return isinstance(model, PictureDependentModel) and model.needs_picture


def unanswered_rows(plan: pa.Table, missing: Callable[[pa.Table], pa.Table]) -> pa.Table:
    """The rows without an answer in a log, each once; the log sees the key columns alone."""
    keys = missing(plan.select(list(KEYS)).append_column("row", pa.array(np.arange(plan.num_rows))))
    first = keys.group_by(["query", "trial"]).aggregate([("row", "min")])["row_min"]
    return plan.take(first)


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
    return plan.take(pc.sort_indices(sorting.select([name for name, _ in keys]), keys))


def sample_queries(plan: pa.Table, count: int) -> frozenset[int]:
    """A sample of the queries of the plain pass: ids are hashes, so the smallest are a random draw."""
    plain = plan.filter(pc.equal(plan["trial"], 0))["query"]
    return frozenset(plain.take(pc.bottom_k_unstable(plain, count)).to_pylist())


def _constant(trial: int, rows: int) -> pa.Array:
    return pa.repeat(pa.scalar(trial, pa.uint16()), rows)
