"""A suite goes out, others' runners run it, and what they write comes back."""

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner, Result
from export_labs import asked, put, rows_in, scored, toy_lab

from counterpoint.cli.main import commands
from counterpoint.lab.importing import imported_fingerprint
from counterpoint.language.answers.extraction import extract_answer
from counterpoint.store.groups import read_queries
from counterpoint.store.lab import LabStore


@pytest.fixture
def lab(workdir: Path) -> LabStore:
    made = toy_lab(Path("lab"))
    put(made, "mixed", asked())
    put(made, "foils", scored())
    return made


def _run(*words: str) -> Result:
    done = CliRunner().invoke(commands, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


def _said(row: dict[str, Any]) -> str:
    """What a model elsewhere says to a row."""
    return f"I would say {'red' if row['choices'] else 'yes' if row['image'] else 'no'}."


def _check(lab: LabStore, rows: list[dict[str, Any]]) -> None:
    """Every query has the answer that was given to its row, its value taken as from any other model."""
    table = lab.suite("mixed").table
    given = {row["query_id"]: _said(row) for row in rows}
    kept = {row["query"]: row for row in lab.read_answers(imported_fingerprint("elsewhere")).to_pylist()}
    assert len(given) == len(kept) == len(set(table["query"].to_pylist()))
    for number, query in zip(table["query"].to_pylist(), read_queries(table), strict=True):
        raw = given[f"{number:016x}"]
        assert (kept[number]["raw"], kept[number]["value"]) == (raw, extract_answer(raw, query).value)
    scores = json.loads(_run("score", "lab", "--suite", "mixed", "--json").stdout)["scores"]
    assert {row["model"] for row in scores} == {"elsewhere"}
    assert all(row["missing"] == 0 for row in scores)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_through_a_datasets_folder_and_a_file_of_ones_own(lab: LabStore, kind: str) -> None:
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    _run("export", "lab", "--suite", "mixed", "--out", "out", "--layout", "datasets")
    rows = rows_in(Path("out/data"))
    name = f"mine.{kind}"
    made = pa.Table.from_pylist(
        [{key: row[key] for key in ("query_id", "answer")} | {"prediction": _said(row)} for row in rows]
    )
    if kind == "jsonl":
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in made.to_pylist()))
    else:
        (pc.write_csv if kind == "csv" else pq.write_table)(made, name)
    told = _run("import", "lab", name, "--name", "elsewhere", "--suite", "mixed", "--strict").stdout
    assert told.startswith(f"{name}: plain (id=query_id, answer=prediction)\n")
    _check(lab, rows)


def test_through_lmms_eval_and_its_samples(lab: LabStore) -> None:
    """Written as lmms-eval writes them: without the document, with what the functions of the task give back."""
    _run("export", "lab", "--suite", "mixed", "--out", "out", "--layout", "lmms-eval")
    task = _module(Path("out/counterpoint_mixed.py"))
    rows = rows_in(Path("out/counterpoint_mixed"))
    with Path("20260101_120000_samples_counterpoint_mixed.jsonl").open("w") as file:
        for number, row in enumerate(rows):
            sample = {"doc_id": number, "target": task.doc_to_target(row), "filtered_resps": _said(row)}
            sample |= {"token_counts": [None], "doc_hash": "0" * 64, **task.process_results(row, [_said(row)])}
            file.write(json.dumps(sample | {"input": task.doc_to_text(row)}) + "\n")
    words = ["20260101_120000_samples_counterpoint_mixed.jsonl", "--name", "elsewhere", "--suite", "mixed", "--strict"]
    assert ": lmms-eval\n" in _run("import", "lab", *words).stdout
    _check(lab, rows)


def test_scores_of_captions_come_back_as_numbers(lab: LabStore) -> None:
    _run("export", "lab", "--suite", "foils", "--out", "out", "--layout", "datasets", "--no-pictures")
    rows = rows_in(Path("out/data"))
    lines = [f"{row['query_id']},{0.75 - row['role'] / 2}" for row in rows]
    Path("scores.csv").write_text("\n".join(["query_id,score", *lines]))
    _run("import", "lab", "scores.csv", "--name", "elsewhere", "--suite", "foils", "--strict")
    assert sorted(lab.read_answers(imported_fingerprint("elsewhere"))["score"].to_pylist()) == [0.25, 0.75]


def _module(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
