"""Plain files of predictions, with what is odd in them, and what cannot be read."""

import csv
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from prediction_files import read_answers, read_records, rejected_reasons, write_json, write_lines

from counterpoint.core.errors import SourceError, UnknownName
from counterpoint.sources.results.formats import RESULT_FORMATS, describe_format, detect_format, used_columns
from counterpoint.sources.results.predictions import Prediction, RejectedRecord


@pytest.mark.parametrize("mark", [",", "\t", ";"])
def test_a_table_in_text_is_read_whatever_parts_its_fields_and_zeros_are_kept(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "answers.txt"
    rows = [["question_id", "question", "answer"], ["007", 'Is it "red"?', "yes, it is"], ["0x", "b\nc", ""]]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=mark).writerows([rows[0], [], *rows[1:]])
    assert detect_format(path) == "plain"
    assert read_answers(path) == [("007", "yes, it is")]
    assert rejected_reasons(path) == ["no answer"]
    first = read_records(path)[0]
    assert isinstance(first, Prediction)
    assert (first.text, first.place) == ('Is it "red"?', f"{path}, record 1")


@pytest.mark.parametrize("head", ["\n \n", "sep=;\r\n", '"sep=;"\n'])
def test_a_table_in_text_may_begin_with_empty_lines_or_with_what_excel_calls_its_separator(
    tmp_path: Path, head: str
) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(f"{head}id;answer\n1;red, or blue\n", "utf-8", newline="")
    assert read_answers(path) == [("1", "red, or blue")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_a_table_in_text_may_be_in_utf_16(tmp_path: Path, encoding: str) -> None:
    path, mark = tmp_path / "a.txt", "\ufeff" if encoding.endswith("be") else ""
    path.write_bytes(f"{mark}id\tanswer\r\n007\tgrün\r\n".encode(encoding))
    assert read_answers(path) == [("007", "grün")]
    path.write_bytes('{"id": 1, "answer": "yes"}\n'.encode("utf-16"))
    with pytest.raises(SourceError, match="is JSON in UTF-16") as problem:
        read_answers(path)
    assert "iconv" in problem.value.hint


def test_a_cell_that_pandas_found_empty_is_no_answer(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.json", [{"id": 1, "answer": float("nan")}, {"id": 2, "answer": "nan"}])
    assert read_answers(path) == [("2", "nan")]
    assert rejected_reasons(path) == ["no answer"]


def test_an_empty_cell_of_a_table_is_no_answer_as_null_is_none(tmp_path: Path) -> None:
    """Of VLMEvalKit it is an empty reply, as a failure is written in words."""
    path = tmp_path / "a.csv"
    path.write_text('id,prediction\n1,yes\n2,\n3,""\n4,nan\n')
    assert read_answers(path) == [("1", "yes"), ("4", "nan")]
    assert rejected_reasons(path) == ["no answer", "no answer"]
    path.write_text("index,prediction\n1,yes\n2,\n")
    assert read_answers(path) == [("1", "yes"), ("2", "")]


def test_choices_in_one_cell_are_those_that_were_shown(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.json", [{"id": 1, "prediction": "B", "options": "red, blue"}])
    (record,) = read_records(path)
    assert isinstance(record, Prediction)
    assert record.options == ("red", "blue")


def test_beside_a_prediction_the_answer_is_what_would_have_been_right(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": 1, "answer": "gold", "prediction": "said"})
    assert read_answers(path) == [("1", "said")]
    assert read_answers(path, answer="answer") == [("1", "gold")]
    assert describe_format("plain", used_columns(path, "plain")) == "plain (id=id, answer=prediction)"


def test_columns_may_be_named_also_within_each_other(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.json", [{"who": "7", "made": {"by": "it", "text": "no"}}])
    assert read_answers(path, id="who", answer="made.text") == [("7", "no")]
    with pytest.raises(SourceError, match="no record has id=whom or answer=made; the first has who, made") as problem:
        read_answers(path, id="whom", answer="made")
    assert "--columns" in problem.value.hint


def test_a_record_may_hold_a_prediction_in_each_of_several_columns(tmp_path: Path) -> None:
    lines = write_lines(tmp_path / "a.jsonl", {"id": 7, "c0": 0.5, "c1": 0.25}, {"id": 8, "c0": 1, "c1": None})
    first, second, third, odd = read_records(lines, id="{id}-0+{id}-1", score="c0+c1")
    assert [(one.id, one.score) for one in (first, second, third) if isinstance(one, Prediction)] == [
        ("7-0", 0.5),
        ("7-1", 0.25),
        ("8-0", 1.0),
    ]
    assert isinstance(odd, RejectedRecord)
    assert odd.place == f"{lines}, record 2, column c1"
    keyed = write_json(tmp_path / "a.json", {"7": {"q0": "yes", "q1": "no"}, "8": {"q0": "no", "q1": "no"}})
    assert read_answers(keyed, id="{__key__}_q0+{__key__}_q1", answer="q0+q1") == [
        ("7_q0", "yes"),
        ("7_q1", "no"),
        ("8_q0", "no"),
        ("8_q1", "no"),
    ]
    with pytest.raises(SourceError, match="id has 2 columns, and others have 3"):
        read_answers(keyed, id="{__key__}_q0+{__key__}_q1", answer="q0+q1+q0")


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.txt"])
def test_json_is_told_by_its_content_and_not_by_its_name(tmp_path: Path, name: str) -> None:
    records = [{"question_id": 262148000, "answer": "down"}, {"question_id": "0262148001", "answer": "yes"}]
    said = [("262148000", "down"), ("0262148001", "yes")]
    assert read_answers(write_lines(tmp_path / name, *records)) == said
    assert read_answers(write_json(tmp_path / name, records)) == said
    assert read_answers(write_json(tmp_path / name, records, indent=2)) == said
    assert read_answers(write_json(tmp_path / name, {"info": {}, "annotations": records})) == said
    assert read_answers(write_json(tmp_path / name, {"262148000": "down", "0262148001": "yes"}, indent=1)) == said
    assert read_answers(write_json(tmp_path / name, {"262148000": "down", "0262148001": {"answer": "yes"}})) == said
    assert read_answers(write_lines(tmp_path / name, records[0])) == said[:1]


def test_a_mark_at_the_start_and_empty_lines_are_no_records(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf\n{"qid": 1, "pred": "a"}\n\n  \n{"qid": 2, "pred": "b"}')
    assert read_answers(path) == [("1", "a"), ("2", "b")]
    assert [one.place for one in read_records(path)] == [f"{path}, record 1", f"{path}, record 2"]


def test_a_stray_summary_among_records_is_counted_and_not_taken_for_a_prediction(tmp_path: Path) -> None:
    records = [{"question_id": 1, "answer": "a"}, {"accuracy": 0.5}, "end"]
    assert rejected_reasons(write_json(tmp_path / "list.json", records)) == ["no id among accuracy", "no record: end"]
    assert rejected_reasons(write_lines(tmp_path / "first.jsonl", records[1], records[0])) == ["no id among accuracy"]
    whole = {"1": "a", "overall": {"accuracy": 0.5}, "ids": ["1", "2"]}
    assert rejected_reasons(write_json(tmp_path / "object.json", whole)) == [
        "no answer among accuracy",
        "['1', '2'] is no answer",
    ]
    assert read_answers(tmp_path / "object.json") == [("1", "a")]


def test_an_answer_that_is_nothing_is_odd_and_an_empty_one_is_an_answer(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "a.jsonl", *({"id": n, "answer": said} for n, said in enumerate([None, "", 3, True, ["x"]]))
    )
    assert read_answers(path) == [("1", ""), ("2", "3"), ("3", "true"), ("4", "x")]
    assert rejected_reasons(path) == ["no answer"]


def test_numbers_that_are_no_json_but_are_written_by_many_do_no_harm(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.json", [{"id": 1, "answer": "a"}, {"id": 2, "answer": "b", "loss": float("nan")}])
    assert read_answers(path) == [("1", "a"), ("2", "b")]
    inside = write_json(tmp_path / "b.json", {"results": [{"id": 2, "answer": "b", "loss": float("nan")}]})
    assert read_answers(inside) == [("2", "b")]
    pairs = write_json(tmp_path / "c.json", {"1": "a", "mean": float("nan"), "2": "b"})
    assert read_answers(pairs) == [("1", "a"), ("2", "b")]


def test_half_a_character_costs_that_character(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "1", "answer": "no \\ud83d"}\n{"id": "2", "answer": "né"}\n', encoding="utf-8")
    assert read_answers(path) == [("1", "no ?"), ("2", "né")]


def test_scores_come_from_a_column_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("query_id,score\n1,0.25\n2,high\n3,-7\n")
    assert [one.score for one in read_records(path) if isinstance(one, Prediction)] == [0.25, -7.0]
    assert rejected_reasons(path) == ["no answer among query_id, score"]


def test_trials_come_from_a_column_of_their_own(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "a.jsonl", *({"id": 1, "answer": "a", "trial": trial} for trial in (0, 3, "x", -1, 70000))
    )
    assert [one.trial for one in read_records(path) if isinstance(one, Prediction)] == [0, 3]
    assert rejected_reasons(path) == [
        "'x' is no number of a trial",
        "'-1' is no number of a trial",
        "'70000' is no number of a trial",
    ]


def test_parquet_is_read_without_its_pictures(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    image = pa.array([{"bytes": b"x" * 100, "path": "a.png"}] * 2)
    number = pa.array([2**64 - 1, 5], pa.uint64())
    pq.write_table(
        pa.table({"query_id": number, "image": image, "response": ["yes", None], "picture": ["w:1.png"] * 2}), path
    )
    assert read_records(path) == [
        Prediction(str(2**64 - 1), "yes", "w:1.png", place=f"{path}, record 1"),
        RejectedRecord(f"{path}, record 2", "no answer", "5"),
    ]
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(SourceError, match=r"a\.parquet cannot be read as Parquet"):
        read_records(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "a.json is empty"),
        (b" \n\n ", "a.json is empty"),
        (b'[{"id": 1, "answer": "a"}, {"id": 2, "ans', "a.json ends in the middle of a record after record 0"),
        (b'{"id": 1, "answer": "a"}\n{"id": 2, "ans', "a.json ends in the middle of a record after record 0"),
        (b'{"1": "a", "2": "b"', "a.json ends in the middle of a record"),
        (b'{"results": [{"id": 1, "answer": "a"}, {"id"', "a.json ends in the middle of a record after record 0"),
        (b'{"1', "a.json ends in the middle of a record"),
        (b'[{"id": 1, "answer": "\xff"}]', "a.json is no text in UTF-8"),
        (b'[{"name": 1, "value": "a"}]', "no record has an id and an answer; the first has name, value"),
        (b"[1, 2]", "no record has an id and an answer"),
        (b"name,value\n1,2\n", "no record has an id and an answer; the first has name, value"),
        (b"id,answer\n", "no record has an id and an answer"),
        (b'id,answer\n1,"yes\n2,no\n3,no\n', "a.json, record 1: unexpected end of data"),
        (b"id,answer,id\n1,a,2\n", "a.json has two columns 'id'"),
        (b"id,answer\n1,\xe9t\xe9\n", "a.json is no text in UTF-8: byte 12 is 0xe9"),
        (b"PK\x03\x04 rubbish", "a.json is a broken archive"),
        (b"PAR1 rubbish", "a.json cannot be read as Parquet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "a.json is a spreadsheet of the old kind"),
        (bytes(range(256)), "a.json is no text, no Parquet, no Arrow, no xlsx and no log"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(SourceError) as problem:
        read_records(path)
    assert said in str(problem.value)
    assert problem.value.hint


def test_a_row_with_a_field_too_many_is_odd_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,answer\n1,yes, it is\n2,no\n")
    assert read_answers(path) == [("2", "no")]
    assert rejected_reasons(path) == ["no record: 3 fields, and the first line names 2"]


def test_files_and_formats_that_are_not_there_are_said(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read: No such file"):
        read_records(tmp_path / "nothing.json")
    path = write_json(tmp_path / "a.json", {"1": "a"})
    with pytest.raises(UnknownName, match="no format is called 'lava'") as problem:
        read_records(path, "lava")
    assert problem.value.hint == "did you mean llava?"
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.json", "{}")
    with pytest.raises(SourceError, match="an archive of something else"):
        read_records(tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("header.json", "{}")
    with pytest.raises(SourceError, match="is a log of Inspect"):
        read_records(tmp_path / "a.eval", "llava")
    assert read_records(tmp_path / "a.eval") == []


@pytest.mark.parametrize(
    "column", ["pred", "preds", "pred_answer", "predicted_label", "output", "response", "Prediction"]
)
def test_the_usual_names_of_predictions_are_known(tmp_path: Path, column: str) -> None:
    record = {"question_id": 1, "pred_score": 0.5, "predicate": "on", "pred_idx": 3, column: "yes", "label": "no"}
    assert read_answers(write_json(tmp_path / "a.json", [record | {"img_id": "7", "sent": "Is it?"}])) == [("1", "yes")]


@pytest.mark.parametrize(
    "how",
    [
        {"options": ["blue", "red"]},
        {"choices": "['blue', 'red']"},
        {"A": "blue", "B": "red"},
        {"prompt": "Which?\nA. blue\nB. red\nAnswer with the option's letter."},
    ],
)
def test_the_order_in_which_choices_were_shown_is_read(tmp_path: Path, how: dict[str, Any]) -> None:
    (prediction,) = read_records(write_json(tmp_path / "a.json", [{"question_id": 1, "prediction": "A", **how}]))
    assert isinstance(prediction, Prediction)
    assert prediction.options == ("blue", "red")


def test_every_format_is_told_in_words() -> None:
    assert all(len(words) > 10 for words in RESULT_FORMATS.values())
