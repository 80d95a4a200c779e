"""Chance levels: what a model scores that picks one of the possible answers to each query, all equally likely."""

from collections.abc import Mapping
from math import isnan
from typing import Any

from counterpoint.core.groups import Mode, Relation
from counterpoint.metrics.contrast import KS
from counterpoint.store.outcomes.database import OutcomeDatabase

MOST_ROWS = 200_000
"""Rows of a suite, the first ones, over which its levels are means."""

RANKED = {
    "acc": 1 / 2,
    "acc_r": 1 / 2,
    "auroc": 1 / 2,
    "min_p": 1 / 2,
    "text_score": 1 / 4,
    "image_score": 1 / 4,
    "group_score": 1 / 6,
}
"""The levels of scores drawn at random, of captions and foils and of two pictures with two captions."""

_CONSISTENT = f"sum(CASE relation WHEN '{Relation.SAME}' THEN hits WHEN '{Relation.DIFFERS}' THEN variants - hits END)"
_RELATED = f"sum(variants) FILTER (relation IN ('{Relation.SAME}', '{Relation.DIFFERS}'))"
_GROUPS = {
    "base_accuracy": "sum(base * variants) / sum(variants)",
    "variant_accuracy": "sum(hits) / sum(variants)",
    "accuracy": "sum(base * variants + hits) / sum(2 * variants)",
    "comprehensive_accuracy": "sum(base * hits) / sum(variants)",
    "self_consistency": f"{_CONSISTENT} / {_RELATED}",
    "rad_forward": "sum(base * hits) / sum(base * variants)",
    "rad_backward": "sum(base * hits) / sum(hits)",
    "worst_case": "avg(every) FILTER (variants > 0)",
    "all_right": "avg(every) FILTER (variants > 0)",
} | {
    f"contrast_consistency_{k}{ending}": f"avg(first_{k}) FILTER (variants >= {least})"
    for k in KS
    for ending, least in (("", 1), ("_full", k))
}
"""The level of each metric of pairs or groups, from the chances of a group's answers."""

_PLAIN = ("accuracy", "base_accuracy")


def chance_levels(database: OutcomeDatabase) -> dict[str, dict[str, float]]:
    """Return the chance levels of each suite of a lab by metric.

    A query has as many possible answers as choices, or two where its gold is yes or no. Where some query with gold has
    no such number, the suite has only the levels of ranked captions.
    """
    firsts = "".join(f", product(chance) FILTER (role <= {k}) AS first_{k}" for k in KS)
    sql = f"""
        WITH answers AS (
            SELECT suite, group_id, test, role, relation, 1 / CASE
                WHEN len(choices) > 0 THEN len(choices) WHEN gold[1].answer IN ('yes', 'no') THEN 2 END AS chance
            FROM groups WHERE len(gold) > 0 AND mode = '{Mode.ANSWER}' AND "row" < {MOST_ROWS}
        ), sets AS (
            SELECT suite, max(relation) AS relation, bool_and(chance IS NOT NULL) AS known, sum(chance) AS total,
                count(*) AS queries, max(chance) FILTER (role = 0) AS base, count(*) FILTER (role > 0) AS variants,
                coalesce(sum(chance) FILTER (role > 0), 0) AS hits, product(chance) AS every{firsts}
            FROM answers GROUP BY suite, test, group_id
        )
        SELECT suite, sum(total) / sum(queries) AS answer_accuracy, avg(base) AS plain, sum(variants) AS pairs,
            {", ".join(f"{level} AS {metric}" for metric, level in _GROUPS.items())}
        FROM sets GROUP BY suite HAVING bool_and(known)
    """
    return {row["suite"]: _levels(row) for row in database.rows(sql)}


def _levels(row: Mapping[str, Any]) -> dict[str, float]:
    plain, pairs = row["plain"], row["pairs"]
    known = {name: row[name] for name in ("answer_accuracy", *_GROUPS)}
    known |= {} if pairs else dict.fromkeys(_PLAIN, plain)
    return {name: float(value) for name, value in known.items() if value is not None and not isnan(value)}
