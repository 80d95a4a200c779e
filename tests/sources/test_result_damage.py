"""No damaged file of predictions gives a traceback; `python -m benchmarks.damage` reads thousands more of them."""

import json
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from proving import scaled
from result_samples import RESULTS
from source_samples import Sample, put
from trials import Ending, damaged_endings, prediction_ending

from counterpoint.core.errors import SourceError
from counterpoint.sources.results.formats import RESULT_FORMATS, detect_format, read_predictions
from counterpoint.sources.results.predictions import Prediction, RejectedRecord

EACH = pytest.mark.parametrize(("name", "sample"), RESULTS.items(), ids=[name.replace(" ", "-") for name in RESULTS])


@EACH
def test_a_sample_is_read_whole_as_long_as_nothing_is_damaged(name: str, sample: Sample, tmp_path: Path) -> None:
    put(sample.contents, tmp_path)
    (path,) = (tmp_path / file for file in sample.files)
    assert detect_format(path) == name.split()[0]
    records = list(read_predictions(path))
    assert records
    assert all(isinstance(record, Prediction) for record in records), records


def test_every_format_has_a_sample() -> None:
    assert {name.split()[0] for name in RESULTS} == set(RESULT_FORMATS)


@EACH
def test_damaged_files_give_sound_predictions_and_rejected_records_or_our_error(
    name: str, sample: Sample, tmp_path: Path
) -> None:
    endings = damaged_endings(
        sample, tmp_path, scaled(40), lambda version: prediction_ending(sample, tmp_path, version)
    )
    assert Ending.REFUSED in endings


DIGITS, DEEP = "9" * 4301, "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize("content", [DIGITS, DEEP, "[" * 100_000], ids=["digits", "deep", "open"])
@pytest.mark.parametrize(
    "layout",
    [
        '[{"question_id": 1, "answer": %s}]',
        '{"question_id": 1, "answer": %s}\n{"question_id": 2, "answer": "a"}\n',
        '{"1": "yes", "2": %s}',
        '{"results": [{"question_id": 1, "answer": %s}]}',
        '{"status": "success", "eval": {}, "samples": [{"id": 1, "output": %s}]}',
        "%s",
    ],
    ids=["list", "lines", "object", "results", "inspect", "alone"],
)
def test_a_number_and_a_nesting_without_end_are_refused(tmp_path: Path, layout: str, content: str) -> None:
    path = tmp_path / "hostile.json"
    path.write_text(layout % content)
    with pytest.raises(SourceError, match=r"hostile\.json"):
        list(read_predictions(path))


@pytest.mark.parametrize("content", [DIGITS, DEEP], ids=["digits", "deep"])
def test_a_hostile_sample_in_an_archive_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "hostile.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/a_epoch_1.json", f'{{"id": {content}}}')
    with pytest.raises(SourceError, match=r"hostile\.eval, samples/a_epoch_1\.json"):
        list(read_predictions(path))


def test_digits_without_end_in_a_cell_or_a_reference_are_no_number(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text(f"id,answer,score,trial\n1,yes,{DIGITS},0\n2,no,1,{DIGITS}\n")
    first, second = read_predictions(table)
    assert isinstance(first, Prediction)
    assert isinstance(second, RejectedRecord)
    assert "is no number of a trial" in second.why
    log = tmp_path / "a.eval"
    with zipfile.ZipFile(log, "w") as archive:
        reply = {"choices": [{"message": {"content": f"attachment://{DIGITS}"}}]}
        archive.writestr("samples/a/sample.json", json.dumps({"id": 1, "output": reply}))
        archive.writestr(f"samples/a/attachments/{'9' * 5000}.json", "[]")
    (prediction,) = read_predictions(log)
    assert isinstance(prediction, Prediction)
    assert prediction.raw == f"attachment://{DIGITS}"


def test_an_attachment_that_is_no_text_leaves_the_reference(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    reply = {"choices": [{"message": {"content": "attachment://abc"}}]}
    sample = {"id": 1, "output": reply, "attachments": {"abc": 7}}
    path.write_text(json.dumps({"status": "success", "eval": {}, "samples": [sample]}))
    assert [record.raw for record in read_predictions(path) if isinstance(record, Prediction)] == ["attachment://abc"]


def test_brackets_take_memory_of_the_order_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "brackets.json"
    path.write_text("[" * 1_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(SourceError, match="nested too deeply"):
            list(read_predictions(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000
