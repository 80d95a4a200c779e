"""Scores of a data set for the leaderboard: of its base questions and of the tests of its suites, in blocks."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint import catalog
from counterpoint.core.ahead import map_ahead
from counterpoint.lab.selection import ANSWER_COLUMNS
from counterpoint.metrics.data_set_leaderboard import BASES, DATA_SET_COLUMNS, DATA_SET_TESTS, PLAIN, question_rows
from counterpoint.metrics.labels import Labels
from counterpoint.metrics.metric import Contents, columns_read
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.scoring import ScoreRequest, ScoreTotals
from counterpoint.metrics.units import Flags, Rows
from counterpoint.store.blocks import THREADS, AnswerBlocks, GroupMarker, SuiteBlocks, open_blocks, prefetch
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import read_portions
from counterpoint.store.versions import ModelVersion

_READ = (*ANSWER_COLUMNS, *columns_read(column.metric for column in DATA_SET_COLUMNS))

ScoresByTest = dict[tuple[str, str], Mapping[str, Any]]
"""Rows of scores by test and metric; those of base questions have the test `bases`."""


def score_data_set(
    store: LabStore,
    name: str,
    suites: Mapping[str, Sequence[str]],
    models: Mapping[str, ModelVersion],
    *,
    threshold: float,
    seed: int,
    block_rows: int,
) -> dict[str, ScoresByTest]:
    """The scores of models by title on some suites, given with their tests, as one suite with the name."""
    present = {test for tests in suites.values() for test in tests}
    scores: dict[str, ScoresByTest] = {title: {} for title in models}
    for is_bases in (True, False):
        metrics = _metrics({BASES} if is_bases else present)
        if not metrics:
            continue
        tests = (PLAIN,) if is_bases and PLAIN in present else DATA_SET_TESTS
        request = ScoreRequest(metrics=metrics, threshold=threshold, seed=seed)
        inside = GroupMarker(("test", "role"), partial(_is_of_tests, tests))
        with open_blocks(store, [*suites], inside=inside, rows=block_rows) as blocks:
            judged = _DataSetBlocks(blocks, name, is_bases)
            for title, model in models.items():
                outcomes = judged.outcomes(model.fingerprint, threshold)
                rows = ScoreTotals.of(outcomes, request, {(name,): Contents()}).table().to_pylist()
                scores[title] |= {(row["test"], row["metric"]): row for row in rows}
    return scores


def picture_overlaps(store: LabStore, data_sets: Mapping[str, Iterable[str]]) -> dict[tuple[str, str], float]:
    """The correlation that shared pictures can give to the scores of two data sets, given with their suites, at most.

    The variance of a score is that of its pictures, so that the share of it which is due to some of them is about the
    share of questions on them.
    """
    if len(data_sets) < 2:
        return {}
    counts = {name: _count_pictures(store, suites) for name, suites in sorted(data_sets.items())}
    shares = {
        (one, other): sqrt(_share_on(counts[one], counts[other]) * _share_on(counts[other], counts[one]))
        for one, other in combinations(counts, 2)
    }
    return {pair: share for pair, share in shares.items() if share}


def _count_pictures(store: LabStore, suites: Iterable[str]) -> pa.StructArray:
    """The pictures of the bases of some suites, and how many bases each has."""
    parts = [pa.chunked_array([], pa.string())]
    for suite in suites:
        for portion in read_portions(store.storage, f"suites/{suite}", ["picture", "role"]):
            pictures = portion.filter(pc.equal(portion["role"], 0))["picture"].cast(pa.string())
            parts.append(pictures.drop_null())
    return pc.value_counts(pa.chunked_array([chunk for part in parts for chunk in part.chunks], pa.string()))


def _share_on(own: pa.StructArray, other: pa.StructArray) -> float:
    """The share of cases that are on pictures of the other."""
    cases = own.field("counts").to_numpy()
    is_shared = pc.is_in(own.field("values"), value_set=other.field("values")).to_numpy(zero_copy_only=False)
    return float(cases[is_shared].sum() / cases.sum()) if len(cases) else 0.0


def _metrics(tests: Collection[str]) -> tuple[Any, ...]:
    """The metrics of the columns on these tests, and their chance levels."""
    metrics = dict.fromkeys(column.metric for column in DATA_SET_COLUMNS if column.test in tests)
    return (*metrics, *(catalog.metric(metric.chance) for metric in metrics if metric.chance))


def _is_of_tests(tests: Sequence[str], groups: pa.Table) -> Flags:
    starts = np.flatnonzero(groups["role"].to_numpy() == 0)
    return Labels.of(groups["test"]).at(starts).where(tests)


class _DataSetBlocks:
    """The groups of a data set in blocks, or its base questions, each once."""

    def __init__(self, blocks: SuiteBlocks, name: str, is_bases: bool) -> None:
        self._blocks, self._name, self._is_bases = blocks, name, is_bases

    def outcomes(self, fingerprint: str, threshold: float) -> Iterator[Outcomes]:
        """The outcomes of a model, block after block."""
        judged = partial(self._judge, self._blocks.answers(fingerprint, _READ), threshold)
        return map_ahead(judged, prefetch(self._read()), THREADS)

    def _read(self) -> Iterator[tuple[int, pa.Table, Rows | None]]:
        """The blocks in their order, and the rows that are questions; those without a picture may be in several."""
        asked = np.empty(0, np.uint64)
        for number in range(len(self._blocks)):
            groups, rows = self._blocks.groups(number), None
            if self._is_bases:
                rows = question_rows(groups)
                queries, is_bare = groups["query"].to_numpy()[rows], Labels.of(groups["picture"]).codes[rows] < 0
                is_repeated = is_bare & np.isin(queries, asked)
                rows, asked = rows[~is_repeated], np.concatenate([asked, queries[is_bare & ~is_repeated]])
            yield number, groups, rows

    def _judge(self, answers: AnswerBlocks, threshold: float, block: tuple[int, pa.Table, Rows | None]) -> Outcomes:
        number, groups, rows = block
        given, read_tags = answers.read(number, groups), self._blocks.tag_reader(number)
        table = _with_word(groups, "suite", self._name)
        if rows is None:
            return judge(table, given, threshold, read_tags)
        questions = _with_word(table.take(pa.array(rows)), "test", BASES)
        return judge(questions, given, threshold, (lambda: read_tags().take(pa.array(rows))) if read_tags else None)


def _with_word(table: pa.Table, column: str, word: str) -> pa.Table:
    """The table with one word throughout a column."""
    words = pa.DictionaryArray.from_arrays(np.zeros(table.num_rows, np.int32), [word])
    return table.set_column(table.column_names.index(column), column, words)
