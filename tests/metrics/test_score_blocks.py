"""Scores from blocks of whole pictures equal those of all outcomes at once, to the last bit, for every metric."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from answer_tables import Made, made, tables
from hypothesis import given
from hypothesis import strategies as st
from proving import examples

from counterpoint import catalog
from counterpoint.core.ports import Scale
from counterpoint.metrics.metric import Metric, MetricKind, Ratio, Statistic, contents_by_suite
from counterpoint.metrics.outcomes import find_bases, find_clusters, judge, sort_by_group
from counterpoint.metrics.scoring import ScoreRequest, ScoreTotals, score_outcomes
from counterpoint.metrics.units import OrderedPairs, Pairs, Sets, Singles

PLUG_INS: tuple[Metric, ...] = (
    Ratio("half_right", Pairs, lambda p: p.base_right != p.variant_right, lambda p: p.gold),
    Ratio("denied", Singles, lambda s: s.value.where(["no"]), lambda s: s.gold_answer.where(["yes"])),
    Statistic(
        "mean_credit",
        Sets,
        lambda sets, rows: lambda weights: float(np.nan_to_num(sets.worst[rows]) @ weights / weights.sum()),
        lambda sets: sets.gold,
        reasons=((lambda sets: ~sets.gold, "no group has gold"),),
    ),
    Statistic(
        "both",
        OrderedPairs,
        lambda p, rows: lambda weights: float((p.base_right & p.variant_right)[rows] @ weights / weights.sum()),
        kind=MetricKind.CURVE,
    ),
    Statistic(
        "same_words",
        Singles,
        lambda s, rows: lambda weights: float((s.value.codes == s.gold_answer.codes)[rows] @ weights),
        lambda s: s.value.where(["yes", "no"]),
        kind=MetricKind.PLUG_IN,
    ),
)
TOP = [[], [{"value": "yes", "probability": 0.75}, {"value": "no", "probability": 0.25}]]


def blocks(groups: pa.Table, sizes: Sequence[int]) -> Iterator[pa.Table]:
    """The groups in blocks of so many pictures, in the order of the pictures."""
    table = sort_by_group(groups)
    cluster = find_clusters(table, find_bases(table))
    table = table.append_column("block_row", pa.array(np.arange(table.num_rows)))
    table = table.append_column("block_cluster", pa.array(cluster))
    ends = np.cumsum([0, *sizes])
    for start, end in zip(ends, [*ends[1:], cluster.max(initial=0) + 1], strict=True):
        if end > start:
            yield table.filter(pa.array((cluster >= start) & (cluster < end)))


def with_passes(answers: pa.Table) -> pa.Table:
    """The answers with probabilities of some, and with two stochastic passes."""
    top = pa.array([TOP[row % 3 > 0] for row in range(answers.num_rows)], answers.schema.field("top").type)
    plain = answers.set_column(answers.column_names.index("top"), "top", top)
    place = plain.column_names.index("trial")
    passes = (plain.set_column(place, "trial", pa.array([trial] * plain.num_rows, pa.uint16())) for trial in (1, 2))
    return pa.concat_tables([plain, *passes], promote_options="default")


@examples(80)
@given(
    made(),
    st.lists(st.integers(1, 3), max_size=4),
    st.lists(st.sampled_from(["test", "kind", "tag:edit"]), unique=True, max_size=2),
    st.sampled_from(["", *Scale]),
    st.booleans(),
)
def test_blocks_give_the_scores_of_the_whole(
    groups: list[Made], sizes: list[int], by: list[str], scale: str, passes: bool
) -> None:
    table, answers, _ = tables(groups)
    answers = (with_passes(answers) if passes else answers).replace_schema_metadata({"scale": scale})
    request = ScoreRequest(by, metrics=(*catalog.metrics(), *PLUG_INS))
    text_related = pc.cast(table["role"], pa.float64()).to_numpy() % 2
    whole = score_outcomes(replace(judge(table, answers), text_related=text_related), request)
    totals = ScoreTotals(request, contents_by_suite(table, "test"))
    for block in blocks(table, sizes):
        own = replace(judge(block, answers), text_related=text_related[block["block_row"].to_numpy()])
        totals.add(own)
    assert totals.table().to_pylist() == whole.to_pylist()
