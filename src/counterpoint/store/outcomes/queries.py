"""Queries over the outcome tables that single pages and exports ask."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Relation
from counterpoint.metrics.confusion import (
    AnswerTally,
    ConfusionTable,
    KindConfusions,
    confusion_table,
    confusions_by_kind,
)
from counterpoint.metrics.labels import Labels
from counterpoint.metrics.model_agreement import Passes
from counterpoint.metrics.outcomes import Outcomes, encode_categories, restore_outcomes
from counterpoint.metrics.verdicts import FAILING, PASSING
from counterpoint.store.outcomes.reader import OutcomeReader

ResultRow = Mapping[str, Any]

KEPT_FILE = 2_000_000
"""Bytes of a suite's file below which its rows are kept in memory for the next model."""

_SWAP_VERDICT = (
    "CASE WHEN {0}.relation = 'swap' AND {0}.comprehensive_accuracy IS NULL AND {0}.verdict <> 'unanswered' "
    "THEN CASE WHEN {0}.inconsistent THEN 'breaks' ELSE 'holds' END ELSE {0}.verdict END"
)  # without gold after an exchange, the verdict is whether the answer survived
_FIRST, _SECOND = _SWAP_VERDICT.format("a"), _SWAP_VERDICT.format("b")


def read_outcomes(reader: OutcomeReader, suite: str, slug: str) -> Outcomes:
    """Return the outcomes of a model on a suite, for metrics that need no probabilities."""
    (path,) = reader.database.files.paths("outcomes", model=slug, suite=suite)
    with pq.ParquetFile(path) as file:  # whose rows are in the order of the suite's
        stored = file.read(columns=["correct", "consistent", "state", "value", "score"])
    scales = reader.cached(("scales",), reader.lab.scales)
    scale = scales.get(reader.model(slug).fingerprint, "")
    return restore_outcomes(_group_rows(reader, suite), stored, scale)


def _group_rows(reader: OutcomeReader, suite: str) -> pa.Table:
    """Return the rows of a suite that outcomes belong to; those of a small one are kept for the next model."""
    (path,) = reader.database.files.paths("groups", suite=suite)
    columns = ["suite", "test", "group_id", "role", "relation", "kind", "picture", "mode", "gold", "tags", "rules"]

    def read() -> pa.Table:
        return encode_categories(pq.read_table(path, columns=columns))

    return reader.cached(("group rows", suite), read) if Path(path).stat().st_size < KEPT_FILE else read()


def read_confidences(
    reader: OutcomeReader, suite: str, slug: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    """Return confidence, credit and picture number of each base that was answered with a probability."""
    (path,) = reader.database.files.paths("outcomes", model=slug, suite=suite)
    with pq.ParquetFile(path) as file:  # whose rows are those of the suite
        outcomes = file.read(["role", "confidence", "correct"])
    role, *numbers = (column.to_numpy() for column in outcomes.columns)
    confidence, correct = (own.astype(np.float64) for own in numbers)
    rows = np.flatnonzero((role == 0) & ~np.isnan(confidence) & ~np.isnan(correct))
    pictures = reader.cached(("pictures", suite), lambda: _read_pictures(reader, suite))
    return confidence[rows], correct[rows], Labels.of(pictures["picture"]).at(rows).by_occurrence().codes


def _read_pictures(reader: OutcomeReader, suite: str) -> pa.Table:
    """Return the picture of each row of a suite, encoded, in one chunk."""
    (path,) = reader.database.files.paths("groups", suite=suite)
    with pq.ParquetFile(path, read_dictionary=["picture"]) as file:
        return file.read(["picture"]).unify_dictionaries().combine_chunks()


def first_groups(reader: OutcomeReader, suite: str, limit: int) -> Sequence[ResultRow]:
    """Return place, group_id, test, kind and variants of the first groups of a suite."""
    source = reader.database.source("bases", suite=suite)
    sql = f"SELECT place, group_id, test, kind, variants FROM {source} ORDER BY place LIMIT ?"
    return reader.database.rows(sql, [limit])


def first_verdicts(reader: OutcomeReader, suite: str, slug: str, limit: int) -> Mapping[int, str]:
    """Return the verdicts on the first groups of a suite for a model, by place."""
    source = reader.database.source("verdicts", model=slug, suite=suite)
    sql = f"SELECT place, verdict FROM {source} ORDER BY place LIMIT ?"
    return {row["place"]: row["verdict"] for row in reader.database.rows(sql, [limit])}


def joint_verdict_counts(reader: OutcomeReader, suite: str, first: str, second: str) -> dict[tuple[str, str], int]:
    """Return how many groups have which verdict for the first model and which for the second."""
    source = _verdict_join(reader, suite, first, second)
    sql = f"SELECT {_FIRST} AS first, {_SECOND} AS second, count(*) AS groups FROM {source} GROUP BY ALL"
    return {(row["first"], row["second"]): row["groups"] for row in reader.database.rows(sql)}


def joint_verdict_groups(
    reader: OutcomeReader, suite: str, models: tuple[str, str], verdicts: tuple[str, str], limit: int, offset: int
) -> Sequence[ResultRow]:
    """Return the columns of a GroupMatch with the first model, of groups with one verdict for each of two models."""
    sql = (
        "SELECT a.place, a.group_id, a.test, a.kind, a.relation, a.verdict, a.inconsistent, a.base_query, a.variants "
        f"FROM {_verdict_join(reader, suite, *models)} WHERE {_FIRST} = ? AND {_SECOND} = ? "
        f"ORDER BY a.place LIMIT {limit} OFFSET {offset}"
    )
    return reader.database.rows(sql, verdicts)


def flip_counts(reader: OutcomeReader, first: str, second: str) -> Mapping[str, tuple[int, int]]:
    """Return by suite how many groups only the first model passes, and how many only the second."""
    sql = (
        f"SELECT a.suite, count_if({_flip('a', 'b')}) AS first, count_if({_flip('b', 'a')}) AS second "
        f"FROM {_verdict_join(reader, '', first, second)} GROUP BY ALL"
    )
    return {row["suite"]: (row["first"], row["second"]) for row in reader.database.rows(sql)}


def flip_groups(
    reader: OutcomeReader, models: tuple[str, str], suite: str, limit: int, *, passed_by_second: bool = False
) -> Sequence[ResultRow]:
    """Return the columns of a GroupMatch with the first model, of groups that only one of two models passes.

    Without a suite they are drawn from each in turn.
    """
    passed = _flip("b", "a") if passed_by_second else _flip("a", "b")
    sql = (
        "SELECT a.model, a.suite, a.place, a.group_id, a.test, a.kind, a.relation, a.verdict, a.inconsistent, "
        f"a.base_query, a.variants FROM {_verdict_join(reader, suite, *models)} WHERE {passed} "
        f"ORDER BY row_number() OVER (PARTITION BY a.suite ORDER BY a.place), number LIMIT {limit}"
    )
    return reader.database.rows(sql)


def pass_matrix(reader: OutcomeReader, suite: str) -> Passes:
    """Return which groups of a suite which models pass, in the order of the reader's models.

    Groups with an exchanged input have no row.
    """
    passing, failing = (tuple(sorted(verdicts)) for verdicts in (PASSING, FAILING))
    sql = (
        f"SELECT model, place, CASE WHEN verdict IN {passing} THEN 1 WHEN verdict IN {failing} THEN 0 ELSE -1 END "
        f"AS passes FROM {reader.database.source('verdicts', suite=suite)} WHERE relation <> '{Relation.SWAP}'"
    )
    table = reader.database.table(sql)
    places, rows = np.unique(table["place"].to_numpy(), return_inverse=True)
    slugs = np.array([model.slug for model in reader.models()], object)
    order = np.argsort(slugs)
    columns = order[np.searchsorted(slugs[order], table["model"].to_numpy(zero_copy_only=False))]
    matrix = np.full((len(places), len(slugs)), -1, np.int8)
    matrix[rows, columns] = table["passes"].to_numpy()
    return matrix


def pass_counts(
    reader: OutcomeReader, suite: str, places: Sequence[int], slug: str = ""
) -> Mapping[int, tuple[int, int]]:
    """Return by place how many models pass a group and how many fail it; of one model, whether it does."""
    passing, failing = (tuple(sorted(verdicts)) for verdicts in (PASSING, FAILING))
    source = reader.database.source("verdicts", model=slug, suite=suite)
    sql = (
        f"SELECT place, count_if(verdict IN {passing}) AS passing, count_if(verdict IN {failing}) AS failing "
        f"FROM {source} SEMI JOIN wanted USING (place) GROUP BY place"
    )
    wanted = {"wanted": pa.table({"place": pa.array(places, pa.int64())})}
    return {row["place"]: (row["passing"], row["failing"]) for row in reader.database.rows(sql, tables=wanted)}


def query_places(reader: OutcomeReader, query_id: int, limit: int) -> Sequence[tuple[str, int]]:
    """Return the suites and rows that have a query."""
    sql = f"SELECT suite, row FROM queries WHERE query = ? ORDER BY suite, row LIMIT {limit}"
    return [(row["suite"], row["row"]) for row in reader.database.rows(sql, [query_id])]


def groups_of_base(reader: OutcomeReader, query_id: int, picture: str, text: str) -> Sequence[ResultRow]:
    """Return the groups whose base is a query, and those whose base has its picture and its text in another mode."""
    lower = text.lower()
    sql = (
        "SELECT suite, place, group_id, test, kind, relation, variants, base_query FROM bases "
        "WHERE base_query = ? OR (picture = ? AND (texts = ? OR starts_with(texts, ?))) "
        "ORDER BY base_query <> ?, suite, place"
    )
    return reader.database.rows(sql, [query_id, picture, lower, f"{lower}\n", query_id])


def group_scores(reader: OutcomeReader, suite: str, place: int, metrics: Sequence[str]) -> Mapping[str, ResultRow]:
    """Return the scores of one group by some metrics, by model."""
    columns = ", ".join(f'"{name}"' for name in metrics)
    source = reader.database.source("verdicts", suite=suite)
    rows = reader.database.rows(f"SELECT model, {columns} FROM {source} WHERE place = ?", [place])
    return {row["model"]: row for row in rows}


def group_answers(reader: OutcomeReader, suite: str, place: int) -> Sequence[ResultRow]:
    """Return model, role, value, state and score of all answers to one group, by model and role."""
    source = reader.database.source("outcomes", suite=suite)
    sql = f"SELECT model, role, value, state, score FROM {source} WHERE place = ? ORDER BY model, role"
    return reader.database.rows(sql, [place])


def score_bin_counts(reader: OutcomeReader, suite: str, slug: str, metric: str, bins: int) -> Mapping[int, int]:
    """Return how many base queries have a mean score in each of equal bins from 0 to 1, by bin."""
    source = reader.database.source("verdicts", model=slug, suite=suite)
    sql = f"""
        SELECT least(floor(score * {bins} + 1e-6), {bins - 1})::INT AS place, count(*) AS samples
        FROM (SELECT avg("{metric}") AS score FROM {source} WHERE "{metric}" IS NOT NULL GROUP BY base_query)
        GROUP BY ALL
    """
    return {row["place"]: row["samples"] for row in reader.database.rows(sql)}


def suite_totals(reader: OutcomeReader, suite: str) -> ResultRow:
    """Return the number of pictures and the relations of a suite."""
    source = reader.database.source("bases", suite=suite)
    sql = f"SELECT count(DISTINCT picture) AS pictures, list(DISTINCT relation) AS relations FROM {source}"
    return reader.database.rows(sql)[0]


def kind_totals(reader: OutcomeReader, suite: str, examples: int) -> Sequence[ResultRow]:
    """Return each test and kind with its groups, queries, and the places and sizes of its first groups."""
    source = reader.database.source("bases", suite=suite)
    return reader.database.rows(
        f"SELECT test, kind, count(*) AS groups, sum(variants + 1)::BIGINT AS queries, "
        f"list(place ORDER BY place)[1:{examples}] AS first, list(variants ORDER BY place)[1:{examples}] AS sizes "
        f"FROM {source} GROUP BY test, kind ORDER BY min(place)"
    )


def gold_counts(reader: OutcomeReader, suite: str) -> Mapping[tuple[str, str], Sequence[tuple[str, int]]]:
    """Return the gold answers of each test and kind with their counts, the most frequent first."""
    source = reader.database.source("groups", suite=suite)
    rows = reader.database.rows(
        f"SELECT test, kind, gold[1].answer AS answer, count(*) AS queries FROM {source} WHERE len(gold) > 0 "
        "GROUP BY ALL ORDER BY queries DESC, answer"
    )
    return group_pairs(((row["test"], row["kind"]), (row["answer"], row["queries"])) for row in rows)


def confusions(reader: OutcomeReader, suite: str, slug: str) -> ConfusionTable | None:
    """Return which answers a model gives to questions of each right answer; None where there is one class at most."""
    return confusion_table(AnswerTally(*row) for row in _answer_tallies(reader, suite, slug))


def kind_confusions(reader: OutcomeReader, suite: str, slug: str = "") -> tuple[KindConfusions, ...]:
    """Return what a model says instead of what on each kind of a suite; without one, what all models say."""
    rows = _answer_tallies(reader, suite, slug, "g.test, g.kind, ")
    return confusions_by_kind((test, kind, AnswerTally(*tally)) for test, kind, *tally in rows)


def _answer_tallies(reader: OutcomeReader, suite: str, slug: str, by: str = "") -> list[tuple[Any, ...]]:
    """Return the fields of an AnswerTally of each right answer and value, after the columns that they are cut by."""
    outcomes = reader.database.source("outcomes", model=slug, suite=suite)
    groups = reader.database.source("groups", suite=suite)
    sql = f"""
        SELECT {by}g.gold[1].answer AS gold, CASE WHEN o.state = 'ok' THEN o.value END AS value, g.rules,
            o.correct >= 0.5 AS is_correct, count(*) AS count
        FROM {outcomes} o JOIN {groups} g USING (row) WHERE o.correct IS NOT NULL AND len(g.gold) > 0
        GROUP BY ALL ORDER BY ALL
    """
    return [tuple(row.values()) for row in reader.database.rows(sql)]


def word_counts(reader: OutcomeReader, suite: str) -> Sequence[ResultRow]:
    """Return the words of a suite with their counts, apart by `ranks` (captions) and `variant` (foils)."""
    source = reader.database.source("groups", suite=suite)
    sql = f"""
        SELECT word, relation = '{Relation.RANKS}' AS ranks, role > 0 AS variant, count(*) AS count FROM (
            SELECT unnest(regexp_extract_all(lower(text), '[[:alpha:]][[:alpha:]''’-]*')) AS word, relation, role
            FROM {source}
        ) GROUP BY ALL
    """
    return reader.database.rows(sql)


def _verdict_join(reader: OutcomeReader, suite: str, first: str, second: str) -> str:
    """Return SQL for the verdicts of two models on each group of a suite, or of all."""
    a, b = (reader.database.source("verdicts", model=slug, suite=suite) for slug in (first, second))
    return f"{a} AS a JOIN {b} AS b USING (number)"


def _flip(passes: str, fails: str) -> str:
    """Return SQL for a group that one side of a join passes and the other fails."""
    passing, failing = (tuple(sorted(verdicts)) for verdicts in (PASSING, FAILING))
    return f"({passes}.verdict IN {passing} AND {fails}.verdict IN {failing})"
