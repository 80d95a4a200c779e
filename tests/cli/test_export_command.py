"""`counterpoint export`, and the whole way round: our questions asked elsewhere, the answers scored here."""

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from io import BytesIO
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from PIL import Image

from counterpoint.cli import export, generate, run, score
from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.core.groups import Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pixels
from counterpoint.models.builtin.models import fusion
from counterpoint.store.lab import LabStore

IMPORT: click.Command = import_module("counterpoint.cli.import_").command  # `import` is a word of the language

EXACTLY = ("--strict", "--rule", "exact")  # all that was asked, and replies that are values already


def call(command: click.Command, *words: object) -> Result:
    done = CliRunner().invoke(command, list(map(str, words)), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture
def lab(workdir: Path) -> Path:
    call(generate.command, "lab", "--suite", "order", "--items", 6, "--limit", 30)
    return Path("lab")


class Elsewhere:
    """A model in another house: it is shown the pictures that were exported, and has never heard of our addresses."""

    def __init__(self) -> None:
        self._shown: dict[str, Pixels] = {}
        self._model = fusion(self)

    def pixels(self, picture: Picture) -> Pixels:
        return self._shown[picture.address]

    def says(self, image: Image.Image, text: str) -> str:
        """What it answers to one question."""
        address = f"shown:{len(self._shown)}"
        self._shown[address] = np.asarray(image)
        ((_, answer),) = self._model.answer([Query(Picture(address), text)])
        return answer.raw


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """The rows that a loader of datasets gives: in the order of the files, with the pictures opened."""
    for path in sorted(folder.glob("*.parquet")):
        for row in pq.read_table(path).to_pylist():
            yield row | {"image": Image.open(BytesIO(row["image"]["bytes"]))}


def lmms_eval(folder: Path, task: str, model: Elsewhere, words: Mapping[str, str]) -> Path:
    """What the runner does with a task, up to the file with the samples, which it writes without the rows."""
    spec = spec_from_file_location(task, folder / f"{task}.py")
    assert spec is not None
    assert spec.loader is not None
    functions: Any = module_from_spec(spec)
    spec.loader.exec_module(functions)
    lines = []
    for number, doc in enumerate(rows(folder / task)):
        (shown,), text = functions.doc_to_visual(doc), functions.doc_to_text(doc, words)
        said = model.says(shown, text).strip()
        sample = {
            "doc_id": number,
            "target": str(functions.doc_to_target(doc)),
            "filtered_resps": said,
            "token_counts": [None],
            "doc_hash": "0" * 64,
            **functions.process_results({name: one for name, one in doc.items() if name != "image"}, [said]),
            "input": text,
        }
        lines.append(json.dumps(sample, ensure_ascii=False))
    written = folder / "logs" / f"20261115_120000_samples_{task}.jsonl"
    written.parent.mkdir()
    written.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return written


def scores(lab: Path, model: str) -> list[dict[str, Any]]:
    found = json.loads(call(score.command, lab, "--model", model, "--json").stdout)["scores"]
    return [{name: one for name, one in row.items() if name not in ("model", "fingerprint")} for row in found]


def test_a_task_run_by_lmms_eval_comes_back_with_the_scores_of_our_own_run(lab: Path) -> None:
    call(export.command, lab, "--suite", "order", "--out", "tasks", "--layout", "lmms-eval")
    words = {"pre_prompt": "", "post_prompt": "", "choice_prompt": ""}  # fusion reads questions, not instructions
    samples = lmms_eval(Path("tasks"), "counterpoint_order", Elsewhere(), words)
    came = json.loads(call(IMPORT, lab, samples, "--name", "elsewhere", *EXACTLY, "--json").stdout)
    assert came["missing"] == {"order": 0}
    assert came["added"] == LabStore(lab).manifest("order").rows
    call(run.command, lab, "--model", "fusion")
    assert scores(lab, "elsewhere") == scores(lab, "fusion")
    (accuracy,) = {row["value"] for row in scores(lab, "fusion") if row["metric"] == "answer_accuracy"}
    logged = [json.loads(line)["answer_accuracy"]["score"] for line in samples.read_text(encoding="utf-8").splitlines()]
    assert sum(logged) / len(logged) == pytest.approx(accuracy), "the runner's own first look agrees here"
    assert 0.5 < accuracy < 1


@pytest.mark.prove
def test_rows_of_a_datasets_folder_answered_elsewhere_come_back_too(lab: Path) -> None:
    call(export.command, lab, "--suite", "order", "--out", "rows", "--layout", "datasets")
    model = Elsewhere()
    said = [
        {"query_id": row["query_id"], "answer": model.says(row["image"], row["question"])}
        for row in rows(Path("rows/data"))
    ]
    Path("said.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in said), encoding="utf-8")
    call(IMPORT, lab, "said.jsonl", "--name", "elsewhere", *EXACTLY)
    call(run.command, lab, "--model", "fusion")
    assert scores(lab, "elsewhere") == scores(lab, "fusion")


def test_what_was_written_is_told_with_the_line_that_uses_it(lab: Path) -> None:
    first, second = call(
        export.command, lab, "--suite", "order", "--out", "rows", "--layout", "datasets"
    ).stdout.splitlines()
    assert first.startswith(f"order: {LabStore(lab).manifest('order').rows} rows with 6 pictures, ")
    assert second == '  load it with datasets.load_dataset("rows", split="test")'
    _, third = call(
        export.command, lab, "--suite", "order", "--out", "tasks", "--layout", "lmms-eval"
    ).stdout.splitlines()
    assert "cd tasks && lmms-eval --include_path . --tasks counterpoint_order" in third


def test_the_same_is_told_as_json(lab: Path) -> None:
    words = ("--suite", "order", "--out", "rows", "--layout", "datasets", "--no-pictures", "--json")
    told = json.loads(call(export.command, lab, *words).stdout)
    assert (told["suite"], told["layout"], told["folder"], told["pictures"]) == ("order", "datasets", "rows", 0)
    assert told["files"] == ["README.md", "data/test-00000-of-00001.parquet"]


def test_what_cannot_be_exported_is_said(lab: Path) -> None:
    with pytest.raises(UnknownName, match="no suite of this lab is called 'ordre'"):
        call(export.command, lab, "--suite", "ordre", "--out", "rows", "--layout", "datasets")
    with pytest.raises(StoreError, match="there is no lab at nowhere"):
        call(export.command, "nowhere", "--suite", "order", "--out", "rows", "--layout", "datasets")
    words = ["lab", "--suite", "order", "--out", "tasks", "--layout", "lmms-eval", "--no-pictures"]
    refused = CliRunner().invoke(export.command, words)
    assert refused.exit_code == 2
    assert "--no-pictures would leave a task nothing to show" in refused.output
