"""What is still to be asked, as a pure function of what there is, what the model can do, and what is done."""

from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.groups import Mode
from counterpoint.core.ports import MEAN_TRIAL, Answerer, AveragingSampler, Model, Sampler, Scorer

KEYS = ("query", "trial", "digest")
"""What an answer is known by: what was asked, in which pass, of which picture file."""


def first_groups(groups: pa.Table, most: int | None) -> pa.Table:
    """The first groups of a suite, each whole; all of them where there is no limit."""
    if most is None:
        return groups
    number = pc.cumulative_sum(pc.equal(groups["role"], 0).cast(pa.int64()))
    return groups.filter(pc.less_equal(number, most))


def plan_queries(queries: pa.Table, trials: Sequence[int] = (0,)) -> pa.Table:
    """Every query in every trial, with the digest of its picture file (empty where the table has none)."""
    if "digest" not in queries.column_names:
        none = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), queries.num_rows), [""])
        queries = queries.append_column("digest", none)
    passes = [queries.append_column("trial", _constant(trial, queries.num_rows)) for trial in dict.fromkeys(trials)]
    return pa.concat_tables(passes) if passes else queries.slice(0, 0).append_column("trial", _constant(0, 0))


def supported_rows(plan: pa.Table, model: Model, *, edits: bool = False) -> pa.Table:
    """The rows that a model can do: it answers, scores or samples them.

    What is done to its features is possible where somebody makes such `edits`, and in the plain pass alone.
    """
    speaks, scores, samples = isinstance(model, Answerer), isinstance(model, Scorer), isinstance(model, Sampler)
    modes = [mode.value for mode, can in ((Mode.ANSWER, speaks), (Mode.SCORE, scores)) if can]
    plain = pc.equal(plan["feature_edits"], "[]")
    plain = pc.or_(plain, pc.equal(plan["trial"], 0)) if edits else plain
    able = pc.and_(pc.is_in(plan["mode"], pa.array(modes, pa.string())), plain)
    able = able if samples else pc.and_(able, pc.equal(plan["trial"], 0))
    if pc.greater_equal(pc.max(plan["trial"]), MEAN_TRIAL).as_py():
        averages = isinstance(model, AveragingSampler) and model.averages
        meant = pc.equal(plan["mode"], Mode.ANSWER.value) if averages else pa.scalar(False)
        able = pc.and_(able, pc.or_(pc.less(plan["trial"], MEAN_TRIAL), meant))
    return plan if pc.all(able, min_count=0).as_py() else plan.filter(able)


def unanswered_rows(plan: pa.Table, missing: Callable[[pa.Table], pa.Table]) -> pa.Table:
    """The rows that a log misses, each once; it is shown no more of them than what an answer is known by."""
    keys = missing(plan.select(list(KEYS)).append_column("row", _numbers(plan.num_rows)))
    first = keys.group_by(["query", "trial"]).aggregate([("row", "min")])["row_min"]
    return plan.take(first)


def trial_numbers(many: int) -> list[int]:
    """The plain pass, so many stochastic ones, and their mean.

    >>> trial_numbers(2) == [0, 1, 2, MEAN_TRIAL + 2], trial_numbers(0)
    (True, [0])
    """
    return [*range(many + 1), *([MEAN_TRIAL + many] if many else [])]


def order_by_picture(plan: pa.Table) -> pa.Table:
    """Neighbours on one picture together, so that it is decoded once and encoded once.

    The plain passes over a picture come first; then query by query the others, so that those whose mean is asked for
    are made once.
    """
    keys = [(name, "ascending") for name in ("picture", "edits", "stochastic", "mode", "query", "trial")]
    sorting = plan.append_column("stochastic", pc.not_equal(plan["trial"], 0))
    return plan.take(pc.sort_indices(sorting.select([name for name, _ in keys]), keys))


def sample_queries(plan: pa.Table, count: int) -> frozenset[int]:
    """Some queries of the plain pass; ids are hashes, so that the smallest are as good a draw as any."""
    plain = plan.filter(pc.equal(plan["trial"], 0))["query"]
    return frozenset(plain.take(pc.bottom_k_unstable(plain, count)).to_pylist())


def _constant(trial: int, rows: int) -> pa.Array:
    return pa.repeat(pa.scalar(trial, pa.uint16()), rows)


def _numbers(rows: int) -> pa.Array:
    return pc.subtract(pc.cumulative_sum(pa.repeat(pa.scalar(1, pa.int64()), rows)), 1)
