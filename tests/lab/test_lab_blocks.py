"""Scores of a lab in blocks on disk equal those of one block: repeats, rescored values, pools, text-only models."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import prove, scaled

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.core.groups import Answer, Gold, Group, Query, Relation, State
from counterpoint.core.pictures import Picture
from counterpoint.lab.comparison import compare_models, cover_models
from counterpoint.lab.gating import gate_model
from counterpoint.lab.leaderboard import leaderboard
from counterpoint.lab.sample_sizes import SizeRequest, find_sizes
from counterpoint.lab.saved_slices import save_slice
from counterpoint.lab.scores import score_models
from counterpoint.lab.selection import record_text_only
from counterpoint.lab.slice_columns import NO_GROUP
from counterpoint.metrics import gathering
from counterpoint.metrics.accuracy import accuracy
from counterpoint.metrics.bias import question_bias
from counterpoint.metrics.calibration import confidence_gap
from counterpoint.metrics.metric import MetricKind
from counterpoint.metrics.ranking import auroc
from counterpoint.metrics.scoring import ScoreRequest
from counterpoint.store import blocks
from counterpoint.store.block_survey import BlockIndex, PictureNumbers
from counterpoint.store.blocks import whole_groups
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.partitions import PartitionedTable
from counterpoint.store.suites import Manifest
from counterpoint.store.values import put_values, values_table
from counterpoint.store.versions import RunRecord


def _groups(suite: str, seed: int) -> list[tuple[str, Group]]:
    """Groups of one to four queries about twenty pictures, in no order of pictures, and some without a picture."""
    rng, groups = np.random.default_rng(seed), list[tuple[str, Group]]()
    for number in range(120):
        picture = Picture(f"p:{rng.integers(20)}.png") if number % 9 else None
        ranks = number % 4 == 0
        relation = Relation.RANKS if ranks else (Relation.SAME, Relation.DIFFERS, Relation.GOLD)[number % 3]
        texts = [f"{suite} {number % 50} {place}?" for place in range(int(rng.integers(1 + ranks, 5)))]
        golds = [Gold.of("yes") if not place or not ranks else Gold.of("no") for place in range(len(texts))]
        queries = tuple(Query(picture, text) for text in texts)
        tags = tuple((("edit", f"e{(number + place) % 4}"),) if number % 5 else () for place in range(len(texts)))
        groups.append((f"t{number % 2}", Group(relation, queries, tuple(golds), kind=f"k{number % 3}", tags=tags)))
    return groups


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> LabStore:
    """Two suites with queries in common, one of them scattered; a model asked twice and rescored, a text-only one."""
    store = LabStore(tmp_path_factory.mktemp("blocks") / "lab")
    tables = []
    for name, shown in (("first", "a"), ("second", "a"), ("third", "b")):
        table = groups_table(_groups(shown, 3 if shown == "a" else 4), name)
        if name == "third":
            table = table.take(pa.array(np.random.default_rng(5).permutation(table.num_rows)))
        store.put_suite(Manifest.of(table, generator="tests", seed=0), table)
        tables.append(table)
    _ask(store, np.unique(pa.concat_tables(tables)["query"].to_numpy()))
    record_text_only(store, ["text-only"])
    rows = store.read_answers("model").slice(0, 40)
    words = [pa.array([word] * 40) for word in ("no", "exact", "ok")]
    put_values(store.storage, "model", values_table(rows, *words), rows["query"].combine_chunks())
    return store


def _ask(store: LabStore, queries: np.ndarray) -> None:
    """Answers of two models, a third of them given twice."""
    for model, seed in (("model", 0), ("text-only", 1)):
        rng = np.random.default_rng(seed)
        for run in range(2):
            with store.answers(model, run=f"run-{run}") as log:
                asked = queries if not run else queries[::3]
                log.add((int(query), trial, _answer(rng), "", 0.0) for query in asked for trial in range(2 - run))
        store.put_run(RunRecord(f"{model}-0", model, model, {"scale": "probability"}))


def _answer(rng: np.random.Generator) -> Answer:
    state = State(rng.choice(["ok"] * 8 + ["unparsed", "refused", "hedged", "failed"]))
    yes = float(rng.random())
    word = "yes" if yes > 0.5 else "no"
    return Answer(f"{word}!", word, state=state, score=yes, top=(("yes", yes), ("no", 1 - yes)))


@pytest.mark.parametrize(
    ("rows", "by", "pool"),
    [
        (220, "tag:edit", True),
        *(prove(rows, by, pool) for rows, by in ((220, "test"), (37, "test")) for pool in (False, True)),
        *(prove(37, "tag:edit", pool) for pool in (False, True)),
    ],
)
def test_blocks_of_a_lab_give_the_scores_of_the_whole(lab: LabStore, rows: int, by: str, pool: bool) -> None:
    request = ScoreRequest((by,), metrics=catalog.metrics(), pool=pool)
    whole, parts = (score_models(lab, request, (), (), block_rows=size) for size in (10**6, rows))
    assert len(whole.rows) > 100
    assert sum(row["value"] is not None for row in whole.rows) > 50
    assert replace(parts, rows=()) == replace(whole, rows=())
    assert parts.rows == whole.rows


def test_answers_with_long_texts_are_routed_a_few_at_a_time(lab: LabStore, monkeypatch: pytest.MonkeyPatch) -> None:
    scored = partial(score_models, lab, ScoreRequest(metrics=(accuracy, auroc)), (), ())
    whole = scored()
    monkeypatch.setattr(blocks, "_ROUTED_BYTES", 1_000)
    assert scored(block_rows=220).rows == whole.rows


@pytest.mark.parametrize(
    ("rows", "by", "pool"),
    [(220, "test", False), prove(37, "tag:edit", True), prove(37, "test", True), prove(37, "kind", False)],
)
def test_blocks_of_a_lab_give_the_differences_of_the_whole(lab: LabStore, rows: int, by: str, pool: bool) -> None:
    told = tuple(metric for metric in catalog.metrics() if metric.kind is not MetricKind.PLUG_IN)
    for metrics in (told, ())[: scaled(2, 1)]:
        compared = partial(
            compare_models, lab, "model", "text-only", ScoreRequest((by,), metrics=metrics, pool=pool), ()
        )
        whole = compared()
        assert compared(block_rows=rows) == whole
        if metrics:
            assert len({row["metric"] for row in whole.rows}) > 15
            assert {row["method"] for row in whole.rows} == {"linearised", "jackknife", "Bonferroni"}


@pytest.mark.parametrize("pairs", [False, prove(True)])
def test_blocks_of_a_lab_give_the_coverage_of_the_whole(lab: LabStore, pairs: bool) -> None:
    covered = partial(cover_models, lab, "model", "text-only", ScoreRequest(("test",)), (), pairs=pairs)
    whole = covered()
    assert covered(block_rows=220) == whole
    assert sum(row["n"] for row in whole.rows) > 100


@pytest.mark.parametrize(("suites", "rows"), [(("third",), 220), prove(("third",), 37), prove((), 37)])
def test_blocks_of_a_lab_give_the_leaderboard_of_the_whole(lab: LabStore, suites: tuple[str, ...], rows: int) -> None:
    whole = leaderboard(lab, suites=suites)
    assert leaderboard(lab, suites=suites, block_rows=rows) == whole
    cells = [cell for row in whole.board.rows for cell in row.cells.values()]
    assert any(cell.tie for cell in cells)
    assert any(cell.value is not None and not cell.tie for cell in cells)


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        prove({"tag": "edit=e2"}, 220),
        *(prove(where, 37) for where in ({"tag": "edit=e2"}, {"text": "7 1"}, {"suite": "second", "kind": "k1"})),
    ],
)
def test_blocks_of_a_lab_give_the_columns_of_slices(lab: LabStore, where: dict[str, str], rows: int) -> None:
    """Also of a slice that holds groups of a suite that another one has too, and of one without a group."""
    save_slice(lab, "some", where)
    save_slice(lab, "nothing", {"kind": "none"})
    board = partial(leaderboard, lab, slices=["some", "nothing"], metrics=[accuracy, auroc])
    whole = board()
    assert board(block_rows=rows) == whole
    cells = [row.cells[f"slice/some/{name}"] for row in whole.board.rows for name in ("accuracy", "auroc")]
    assert any(cell.value is not None for cell in cells)
    assert whole.board.rows[0].cells["slice/nothing/accuracy"].reason == NO_GROUP


@pytest.mark.parametrize("rows", [220, prove(37)])
def test_blocks_of_a_lab_give_the_verdicts_of_a_gate(lab: LabStore, rows: int) -> None:
    """Rules on shares, on a metric that is no sum, on margins in both directions, and on slices."""
    save_slice(lab, "some", {"tag": "edit=e2"})
    rules = [
        "accuracy >= 0.4",
        "first.accuracy[kind=k1] >= 40 %",
        "auroc >= 0.5",
        "unparsed <= 2 %",
        "accuracy not worse than text-only by 9 points",
        "brier not worse than text-only by 9 points",
        "accuracy[slice=some] >= 0.5",
        "max drop on any suite <= 3 points",
    ]
    gate = partial(gate_model, lab, "model", rules, baseline="text-only")
    whole = gate()
    assert gate(block_rows=rows).to_dict() == whole.to_dict()
    assert len(whole.checks) == len(rules) + 2
    assert all(check.test.n > 0 for check in whole.checks)


@pytest.mark.prove
@pytest.mark.parametrize("rows", [220, 37])
def test_blocks_of_a_lab_give_the_means_over_data_sets(tmp_path: Path, rows: int) -> None:
    """Two suites are one data set and share questions, some of these without a picture; another has plain questions."""
    store, tables = LabStore(tmp_path / "lab"), []
    for name, tests, seed in (("vqa-noise", ["noise"], 3), ("vqa-sears", ["sears"], 3), ("own", ["plain", "sears"], 4)):
        groups = [(tests[place % len(tests)], group) for place, (_, group) in enumerate(_groups("a", seed))]
        table = groups_table(groups, name)
        store.put_suite(Manifest.of(table, generator="tests", seed=0), table)
        tables.append(table)
    _ask(store, np.unique(pa.concat_tables(tables)["query"].to_numpy()))
    whole = leaderboard(store, layout="datasets")
    assert leaderboard(store, layout="datasets", block_rows=rows) == whole
    assert whole.board.data_sets == ("own", "vqa")
    for name, groups in (("vqa", _groups("a", 3)), ("own", _groups("a", 4)[::2])):
        asked = len({group.queries[0].id for _, group in groups})
        assert all(0.7 * asked < row.data_sets[name]["accuracy"].n <= asked for row in whole.board.rows)


@pytest.mark.parametrize("rows", [220, prove(37), prove(10**6)])
def test_more_cases_than_fit_into_memory_are_said_and_not_scored(
    lab: LabStore, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    """Shares have no such bound, and a metric that counts nothing keeps its own reason."""
    request = ScoreRequest(("kind",), metrics=(accuracy, auroc, confidence_gap, question_bias))
    before = score_models(lab, request, ["model"], ["first"], block_rows=rows).rows
    monkeypatch.setattr(gathering, "MOST_ROWS", 50)
    scores = score_models(lab, request, ["model"], ["first"], block_rows=rows)
    fact = "it is computed in memory, from at most 50 answers"
    assert [row["value"] is None for row in scores.rows] == [row["metric"] != "accuracy" for row in scores.rows]
    assert [row for row in scores.rows if row["value"] is not None] == [
        row for row in before if row["metric"] == "accuracy"
    ]
    for row, whole in zip(scores.rows, before, strict=True):
        assert (fact in row["reason"]) == (whole["metric"] != "accuracy" and whole["value"] is not None)
    assert any(note.startswith(f"model has no auroc, confidence_gap: {fact}") for note in scores.notes())
    with pytest.raises(CounterpointError, match="auroc cannot be compared: it is computed in memory"):
        compare_models(lab, "model", "text-only", request, ["first"], block_rows=rows)
    with pytest.raises(CounterpointError, match="auroc has no gate here: it is computed in memory"):
        gate_model(lab, "model", ["auroc >= 0.5"], suites=["first"], block_rows=rows)
    assert leaderboard(lab, suites=["first"], block_rows=rows).board.rows


@pytest.mark.prove
def test_sample_sizes_in_blocks_equal_those_of_one(lab: LabStore) -> None:
    request = SizeRequest(0.05, metrics=("accuracy", "self_consistency"))
    for name in ("first", "third"):
        own = replace(request, suites=(name,))
        assert find_sizes(lab, own, block_rows=50) == find_sizes(lab, own)


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(-1, 3))),
    st.lists(st.integers(0, 45)),
    st.sampled_from([1, 2**16, 2**58]),
)
def test_queries_are_found_in_every_block_that_has_them(
    held: list[tuple[int, int]], sought: list[int], stretch: int
) -> None:
    """Also where ids are small, lie close together, or occur in several blocks and several times in one."""
    wanted = np.array(sought, np.uint64) * np.uint64(stretch)
    queries = np.array([*(query for query, _ in held), 0], np.uint64) * np.uint64(stretch)
    rows, blocks = BlockIndex(queries, np.array([block for _, block in held], np.int16)).find(wanted)
    expected = [(row, block) for row, query in enumerate(sought) for block in range(4) if (query, block) in held]
    assert list(zip(rows.tolist(), blocks.tolist(), strict=True)) == expected


def test_pictures_have_numbers_in_the_order_in_which_they_are_added() -> None:
    portions = [["b", "a", "b"], [None, None], ["c", None, "a"], ["d", "b"]]
    pictures = PictureNumbers(10)
    for own in portions:
        pictures.add(pa.chunked_array([pa.array(own, pa.string())]).dictionary_encode())
    labels = pictures.finish()
    assert labels.words.to_pylist() == ["b", "a", "c", "d"]
    assert labels.codes.tolist() == [0, 1, 0, -1, -1, 2, -1, 1, 3, 0]


def test_portions_end_with_their_groups() -> None:
    table = pa.table({"role": [0, 1, 0, 1, 2, 0]})
    portions = [table.slice(start, 2) for start in range(0, 6, 2)]
    assert [own["role"].to_pylist() for own in whole_groups(portions)] == [[0, 1], [0, 1, 2], [0]]


@pytest.mark.parametrize("words", [3, 2000])
def test_partitions_of_gold_with_few_and_with_many_words(tmp_path: Path, words: int) -> None:
    """Dictionaries of many words are not kept, as each partition would hold all of them."""
    golds = [[{"answer": f"w{number % words}", "credit": 1.0}] for number in range(2000)]
    encoded = pa.list_(pa.struct([("answer", pa.dictionary(pa.int32(), pa.string())), ("credit", pa.float64())]))
    table = PartitionedTable(tmp_path)
    table.write(table.order(pa.table({"gold": pa.array(golds, encoded)}), np.arange(2000) % 2))
    table.close()
    read = [table.read(number, pa.table({}))["gold"] for number in range(2)]
    assert [own.to_pylist() for own in read] == [golds[0::2], golds[1::2]]
    assert [pa.types.is_dictionary(own.type.value_type.field("answer").type) for own in read] == [words == 3] * 2


def test_partitions_of_texts_that_are_mostly_empty(tmp_path: Path) -> None:
    table = PartitionedTable(tmp_path)
    for texts in ([""] * 8, ["", "ä", *[""] * 6], ["a", None, *[""] * 6], [*"abcdefgh"]):
        table.write(table.order(pa.table({"raw": pa.array(texts, pa.string())}), np.arange(8) % 2))
    table.close()
    read = [table.read(number, pa.table({}))["raw"].to_pylist() for number in range(2)]
    assert read == [[*[""] * 8, "a", *[""] * 3, *"aceg"], [*[""] * 4, "ä", *[""] * 3, None, *[""] * 3, *"bdfh"]]


def test_partitions_keep_the_order_of_rows(tmp_path: Path) -> None:
    table = PartitionedTable(tmp_path)
    for start in (0, 4):
        table.write(table.order(pa.table({"row": range(start, start + 4)}), np.array([1, 0, 1, 3])))
    table.close()
    empty = pa.table({"row": pa.array([], pa.int64())})
    assert [table.read(number, empty)["row"].to_pylist() for number in range(4)] == [[1, 5], [0, 2, 4, 6], [], [3, 7]]
    table.delete(1)
    table.delete(2)
    assert [table.read(number, empty)["row"].to_pylist() for number in range(4)] == [[1, 5], [], [], [3, 7]]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["0.arrows", "3.arrows"]
