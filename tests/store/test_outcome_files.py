"""Outcome tables hold what judging says, are built once, and are built again when anything changes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from conftest import Golden
from hypothesis import given
from hypothesis import strategies as st
from labs import MODELS, small_lab

from counterpoint import catalog
from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Answer
from counterpoint.lab.reader import WORKER, LabReader
from counterpoint.metrics.accuracy import ACCURACY_METRICS
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.metrics.units import STATES
from counterpoint.metrics.verdicts import VERDICTS
from counterpoint.store.lab import LabModel, LabStore
from counterpoint.store.outcomes import files as outcome_files
from counterpoint.store.outcomes.database import OutcomeDatabase
from counterpoint.store.outcomes.files import FORMAT, BuildCallback, BuildStep, OutcomeFiles, build_files, plan_files
from counterpoint.store.outcomes.group_index import write_index
from counterpoint.store.outcomes.row_groups import find_rows, read_arrow, take_rows, write_arrow
from counterpoint.store.outcomes.snapshots import TablesNotReady
from counterpoint.store.outcomes.tables import Metrics, answers_by_row, scores_table, trials_table, with_texts
from counterpoint.store.suites import Manifest
from counterpoint.store.tables import GROUPS

ANSWERED = [LabModel(name, name, f"{name} 1") for name in ("careful", "hasty", "bold")]


def build(lab: LabStore, cache: Path, progress: BuildCallback = lambda line: None, **options: Any) -> OutcomeFiles:
    """Files with the scores of few metrics."""
    return build_files(lab, cache, ANSWERED, ACCURACY_METRICS, progress=progress, **options)


@pytest.fixture(scope="module")
def files(lab: LabStore, cache: Path) -> OutcomeFiles:
    """Files with the scores of all metrics."""
    return build_files(lab, cache, ANSWERED, catalog.metrics())


@pytest.fixture(scope="module")
def database(files: OutcomeFiles, cache: Path) -> OutcomeDatabase:
    return OutcomeDatabase(files, cache)


@pytest.mark.parametrize("suite", ["plain", "odd"])
@pytest.mark.parametrize("model", ANSWERED, ids=lambda one: one.slug)
def test_outcomes_are_those_of_judging(lab: LabStore, database: OutcomeDatabase, suite: str, model: LabModel) -> None:
    outcomes = judge(lab.suite(suite).groups, lab.read_answers(model.fingerprint))
    found = database.rows("SELECT * FROM outcomes WHERE model = ? AND suite = ? ORDER BY row", [model.slug, suite])
    assert [STATES[one] for one in outcomes.state] == [row["state"] for row in found]
    given_credit = [None if np.isnan(one) else pytest.approx(one) for one in outcomes.correct]
    assert [row["correct"] for row in found] == given_credit
    pairs = outcomes.pairs()
    known = dict(zip(pairs.row.tolist(), (pairs.known & pairs.counted).tolist(), strict=True))
    related = dict(zip(pairs.row.tolist(), pairs.related.tolist(), strict=True))
    assert [row["consistent"] for row in found] == [
        related[row] if known.get(row) else None for row in range(len(outcomes.base))
    ]
    assert [row["place"] for row in found] == outcomes.base.tolist()


@pytest.mark.parametrize("model", ANSWERED, ids=lambda one: one.slug)
def test_the_score_of_a_suite_is_the_mean_of_those_of_its_groups_weighed_by_cases(
    lab: LabStore, database: OutcomeDatabase, model: LabModel
) -> None:
    """In the plain suite every group has one pair, so that a group counts as its pair does."""
    outcomes = judge(lab.suite("plain").groups, lab.read_answers(model.fingerprint))
    scores = {
        row["metric"]: row["value"]
        for row in score_outcomes(outcomes, ScoreRequest((), metrics=ACCURACY_METRICS)).to_pylist()
    }
    for name in ("accuracy", "self_consistency", "comprehensive_accuracy", "worst_case", "all_right"):
        asked = f"SELECT avg({name}) AS mean FROM verdicts WHERE model = ? AND suite = 'plain'"
        (row,) = database.rows(asked, [model.slug])
        assert row["mean"] == (None if scores[name] is None else pytest.approx(scores[name]))


def test_scores_are_those_of_scoring_by_suite_test_and_kind(lab: LabStore, database: OutcomeDatabase) -> None:
    outcomes = judge(lab.suite("plain").groups, lab.read_answers("hasty 1"))
    for by, columns in (("test", ("test",)), ("kind", ("test", "kind"))):
        for row in score_outcomes(outcomes, ScoreRequest(columns, metrics=ACCURACY_METRICS)).to_pylist():
            asked = "SELECT value, low, high, n FROM scores WHERE model = 'hasty' AND suite = 'plain' AND \"by\" = ? "
            asked += "AND test = ? AND kind = ? AND metric = ?"
            (found,) = database.rows(asked, [by, row["test"], row.get("kind", ""), row["metric"]])
            assert found == {name: row[name] for name in ("value", "low", "high", "n")}


def test_scores_of_an_only_test_are_those_of_scoring_it(lab: LabStore) -> None:
    groups = lab.suite("plain").groups
    outcomes = judge(groups.filter(pc.equal(groups["test"], "turn")), lab.read_answers("hasty 1"))
    found = scores_table("plain", "hasty", outcomes, catalog.metrics())
    found = found.filter(pc.equal(found["by"], "test"))
    request = ScoreRequest(("test",), candidates=catalog.metrics())
    expected = score_outcomes(outcomes, request).to_pylist()
    assert expected
    assert found.select(list(expected[0])).to_pylist() == expected


def test_every_group_has_one_verdict_and_its_texts_and_tags(database: OutcomeDatabase) -> None:
    (counts,) = database.rows("SELECT count(*) AS groups, count(DISTINCT (suite, place)) AS places FROM bases")
    assert counts["groups"] == counts["places"]
    (row,) = database.rows("SELECT count(*) AS verdicts, count(DISTINCT model) AS models FROM verdicts")
    assert row == {"verdicts": 3 * counts["groups"], "models": 3}
    assert {row["verdict"] for row in database.rows("SELECT DISTINCT verdict FROM verdicts")} <= set(VERDICTS)
    (base,) = database.rows("SELECT texts, tags FROM bases WHERE list_contains(tags, 'number=4')")
    assert base == {"texts": "is shade 4 light or dark?\nis shade 4 dark or light?", "tags": ["number=4"]}


@pytest.mark.parametrize("model", ANSWERED, ids=lambda one: one.slug)
def test_answers_are_counted_and_those_of_other_trials_are_sorted_by_query(
    lab: LabStore, files: OutcomeFiles, database: OutcomeDatabase, model: LabModel
) -> None:
    answers = lab.read_answers(model.fingerprint)
    others = answers.filter(pc.greater(answers["trial"], 0))
    settled = answers["seconds"].filter(pc.not_equal(answers["state"], "failed"))
    (row,) = database.rows("SELECT * EXCLUDE (model) FROM totals WHERE model = ?", [model.slug])
    plain = answers.num_rows - others.num_rows
    assert row == {"answers": plain, "trials": others.num_rows, "seconds": pytest.approx(pc.mean(settled).as_py())}
    (path,) = files.paths("trials", model=model.slug)
    kept = ["query", "trial", "raw", "value", "state", "top"]
    order = [("query", "ascending"), ("trial", "ascending")]
    assert pq.read_table(path).select(kept).to_pylist() == others.select(kept).sort_by(order).to_pylist()


@pytest.mark.parametrize("suite", ["plain", "odd"])
@pytest.mark.parametrize("model", ANSWERED, ids=lambda one: one.slug)
def test_answers_by_row_are_those_of_the_lab(
    lab: LabStore, files: OutcomeFiles, database: OutcomeDatabase, suite: str, model: LabModel
) -> None:
    answers = lab.read_answers(model.fingerprint)
    plain = {row["query"]: row for row in answers.filter(pc.equal(answers["trial"], 0)).to_pylist()}
    queries = [row["query"] for row in database.rows("SELECT query FROM groups WHERE suite = ? ORDER BY row", [suite])]
    (path,) = files.paths("answers_by_row", model=model.slug, suite=suite)
    rows = np.random.default_rng(1).permutation(len(queries))
    for place, found in zip(rows.tolist(), take_rows(path, rows).to_pylist(), strict=True):
        assert found == {name: plain.get(queries[place], {}).get(name) for name in found}


def test_the_texts_of_all_answers_have_large_offsets_and_those_of_a_suite_small_ones(
    lab: LabStore, files: OutcomeFiles
) -> None:
    (suite, *_), answers = lab.suites(), with_texts(lab.read_answers(ANSWERED[0].fingerprint), pa.large_string())
    assert answers.schema.field("raw").type == pa.large_string()  # of a model that reasons they exceed 2 GiB
    groups = pq.read_table(files.paths("groups", suite=suite)[0])
    assert answers_by_row(groups, answers).schema.field("raw").type == pa.string()
    assert trials_table("", answers).schema.field("raw").type == pa.string()


def test_files_are_made_once_and_anew_when_answers_come(tmp_path: Path) -> None:
    lab, steps = small_lab(tmp_path / "lab"), list[BuildStep]()
    first = build(lab, tmp_path / "cache", steps.append)
    assert len(steps) == len(first.folders)
    steps.clear()
    assert build(lab, tmp_path / "cache", steps.append).folders[0].path == first.folders[0].path
    assert steps == []
    with lab.answers("hasty 1") as log:
        log.add([(1, 0, Answer.of("more"), "", 0.0)])
    build(lab, tmp_path / "cache", steps.append)
    assert {step.about for step in steps[1:-1]} == {
        "the answers of hasty to odd",
        "the answers of hasty to plain",
        "hasty on odd",
        "comparing the models on odd",
        "hasty on plain",
        "comparing the models on plain",
    }
    assert (steps[0].about, steps[-1].about) == ("reading the answers of hasty", "indexing all groups")
    assert [step.number for step in steps] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_another_metric_or_database_means_other_files(
    lab: LabStore, files: OutcomeFiles, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(metrics: Metrics) -> set[str]:
        return {folder.about for folder in plan_files(lab, cache, ANSWERED, metrics).missing}

    assert missing(catalog.metrics()) == set()
    monkeypatch.setattr(outcome_files, "version", lambda package: "0.0")
    assert missing(catalog.metrics()) == {"indexing all groups"}
    assert missing(ACCURACY_METRICS) >= {folder.about for folder in files.outcomes.values()}


def test_only_the_last_versions_are_kept(tmp_path: Path) -> None:
    lab = small_lab(tmp_path / "lab")
    for number in range(3):
        with lab.answers("hasty 1") as log:
            log.add([(number + 1, 0, Answer.of("more"), "", 0.0)])
        found = build(lab, tmp_path / "cache")
    for own in (found.outcomes, found.suite_answers):
        assert len([one for one in own["hasty", "plain"].path.parent.iterdir() if "hasty" in one.name]) == 2
        assert own["hasty", "plain"].path.is_dir()
        assert own["careful", "plain"].path.is_dir()


@pytest.mark.prove
def test_only_the_last_versions_of_a_suite_are_kept_whatever_its_name(tmp_path: Path) -> None:
    lab = small_lab(tmp_path / "lab")
    table = lab.suite("plain").groups.select(GROUPS.names)
    named = table.set_column(table.column_names.index("suite"), "suite", pa.array(["all"] * table.num_rows))
    lab.put_suite(Manifest.of(named, generator="tests", seed=0), named)
    for number in range(3):
        with lab.answers("hasty 1") as log:
            log.add([(number + 1, 0, Answer.of("more"), "", 0.0)])
        found = build(lab, tmp_path / "cache")
    assert len([one for one in found.outcomes["hasty", "all"].path.parent.iterdir() if "hasty" in one.name]) == 2


def test_a_large_lab_is_made_in_a_process_of_its_own_with_the_same_result(
    lab: LabStore, files: OutcomeFiles, workdir: Path
) -> None:
    (workdir / "pyarrow.py").write_text("raise SystemExit('imported from the working directory')", "utf-8")
    steps: list[BuildStep] = []
    apart = build_files(lab, workdir, ANSWERED, catalog.metrics(), progress=steps.append, worker=WORKER, small=0)
    assert len(steps) == len(files.folders)
    for one, other in zip(files.paths("verdicts"), apart.paths("verdicts"), strict=True):
        assert pq.read_table(one).equals(pq.read_table(other))


@pytest.mark.parametrize("small", [0, outcome_files.SMALL])
def test_a_damaged_lab_is_named(tmp_path: Path, small: int) -> None:
    lab = small_lab(tmp_path / "lab")
    (lab.folder / "suites" / "odd" / "groups.parquet").write_bytes(b"nothing")
    with pytest.raises(StoreError, match=r"odd/groups\.parquet") as problem:
        build(lab, tmp_path / "cache", worker=WORKER, small=small)
    assert problem.value.hint


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY (SELECT 1) TO '{}/out.csv'",
        "ATTACH '{}/other.db'",
        "SET memory_limit = '100GB'",
        "INSTALL httpfs",
    ],
)
def test_the_database_reads_nothing_else_and_writes_nothing(
    database: OutcomeDatabase, tmp_path: Path, sql: str
) -> None:
    import duckdb

    with pytest.raises((StoreError, duckdb.Error)):
        database.rows(sql.format(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_gone_is_said_with_help(lab: LabStore, tmp_path: Path) -> None:
    found = build(lab, tmp_path)
    database = OutcomeDatabase(found, tmp_path)
    found.outcomes["hasty", "plain"].file("outcomes").unlink()
    with pytest.raises(StoreError, match="cannot be read") as problem:
        database.rows("SELECT count(*) FROM outcomes")
    assert problem.value.hint


def test_a_damaged_index_is_said_with_help(lab: LabStore, tmp_path: Path) -> None:
    found = build(lab, tmp_path)
    found.index.write_bytes(found.index.read_bytes()[:5000])
    with pytest.raises(StoreError, match="cannot be read") as problem:
        OutcomeDatabase(found, tmp_path)
    assert problem.value.hint


def test_groups_are_numbered_in_the_order_of_suites_and_places(database: OutcomeDatabase) -> None:
    for table in ("bases", "verdicts"):
        found = database.rows(f"SELECT DISTINCT number, suite, place FROM {table} ORDER BY number")
        assert [(row["suite"], row["place"]) for row in found] == sorted((row["suite"], row["place"]) for row in found)
        assert len({row["number"] for row in found}) == len(found)
    joined = "SELECT count(*) AS wrong FROM bases JOIN verdicts v USING (number) WHERE bases.group_id <> v.group_id"
    assert database.rows(joined) == [{"wrong": 0}]


def test_an_index_that_cannot_be_written_is_a_problem_of_the_disk(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        write_index(tmp_path / "nowhere" / "index.duckdb", {}, [], [])


def test_a_cache_that_cannot_be_written_is_done_without(lab: LabStore, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert LabReader(lab, tmp_path / "file").answer_count() > 0


@pytest.mark.prove
def test_a_large_lab_is_shown_as_it_was_until_the_new_tables_are_there(tmp_path: Path) -> None:
    lab = small_lab(tmp_path / "lab", models=1)
    answered = LabReader(lab, tmp_path / "cache").answer_count()
    reader = LabReader(lab, tmp_path / "cache", small=0, background=True)
    first, shown = reader.refresh(), reader.answer_count()
    with lab.answers("careful 1") as log:
        log.add([(1, 0, Answer.of("more"), "", 0.0)])
    assert reader.refresh() == first
    assert reader.answer_count() == shown == answered
    reader.wait()
    assert reader.refresh() != first
    assert reader.answer_count() == answered + 1


@pytest.mark.prove
def test_a_large_lab_that_was_never_shown_is_shown_suite_by_suite(tmp_path: Path) -> None:
    lab, seen = small_lab(tmp_path / "lab", models=1), []

    def follow(step: BuildStep) -> None:
        seen.append((step.about, len(reader.shown_suites)))

    reader = LabReader(lab, tmp_path / "cache", follow, small=0, background=True)
    with pytest.raises(TablesNotReady, match="are being made"):
        reader.refresh()
    reader.wait()
    assert [about for about, _ in seen if about.startswith("comparing")] == [
        "comparing the models on odd",
        "comparing the models on plain",
    ]
    assert dict(seen)["comparing the models on odd"] == 0
    assert dict(seen)["indexing all groups"] == 1  # the first suite, while the second was built
    assert reader.refresh()
    assert reader.suites() == tuple(lab.suites())
    assert reader.step is None


@given(st.lists(st.integers(0, 9999), min_size=1, max_size=30))
def test_take_rows_returns_those_that_were_asked_for(long_file: Path, rows: Sequence[int]) -> None:
    assert take_rows(long_file, np.array(rows))["number"].to_pylist() == [row // 3 for row in rows]


@given(st.lists(st.integers(0, 4000), max_size=30))
def test_find_rows_returns_all_that_have_a_number(long_file: Path, numbers: Sequence[int]) -> None:
    found = find_rows(long_file, "number", np.array(numbers, np.uint64))["number"].to_pylist()
    assert found == [
        number for number in sorted(set(numbers)) for _ in range(3 if number < 3333 else 1 if number == 3333 else 0)
    ]


@pytest.fixture(scope="module")
def long_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "long.parquet"
    pq.write_table(pa.table({"number": np.arange(10000, dtype=np.uint64) // 3}), path, row_group_size=512)
    return path


@given(st.lists(st.integers(0, 4999)))
def test_rows_of_arrow_files_are_taken_without_dictionaries(arrow_file: tuple[Path, pa.Table], rows: list[int]) -> None:
    path, table = arrow_file
    taken = take_rows(path, np.array(rows, np.int64))
    assert not any(pa.types.is_dictionary(field.type) for field in taken.schema)
    assert taken.to_pylist() == table.take(pa.array(rows, pa.int64())).to_pylist()
    assert take_rows(path, np.array(rows, np.int64), ["top"]).column_names == ["top"]
    assert read_arrow(path).equals(table)


@pytest.fixture(scope="module")
def arrow_file(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pa.Table]:
    """A file of several batches with dictionaries, one of them within lists."""
    words = pa.DictionaryArray.from_arrays(np.arange(5000, dtype=np.int32) % 3, ["red", "blue", "green"])
    top = pa.StructArray.from_arrays([words, pa.array(np.arange(5000.0))], ["value", "probability"])
    offsets = pa.array(np.minimum(np.arange(5001, dtype=np.int32) * 2, 5000))
    table = pa.table({"value": words, "top": pa.ListArray.from_arrays(offsets, top)})
    path = tmp_path_factory.mktemp("rows") / "long.arrow"
    write_arrow(table, path)
    return path, table


def test_the_models_of_the_lab_are_all_there(database: OutcomeDatabase) -> None:
    assert len(database.rows("SELECT model FROM totals")) == len(MODELS)


def _columns(path: Path) -> list[str]:
    """The columns of a table; those of metrics are not listed, as a folder is built again where the metrics change."""
    names: list[str] = []
    if path.suffix == ".parquet":
        names = pq.read_schema(path).names
    elif path.suffix == ".arrow":
        with pa.memory_map(str(path)) as file:
            names = pa.ipc.open_file(file).schema.names
    return [name for name in names if name not in catalog.rows("metrics")]


def test_files_and_columns_change_with_the_number_of_their_format_alone(files: OutcomeFiles, golden: Golden) -> None:
    """A cache of an earlier program has the old ones: where this golden changes, count FORMAT up."""
    home = files.all_groups.path.parent.parent
    tables = {
        f"{folder.path.relative_to(home).parts[0]} {path.name}: {' '.join(_columns(path))}"
        for folder in files.folders
        for path in folder.path.iterdir()
    }
    golden("outcome_files.txt", [f"format {FORMAT}", *sorted(tables)])
