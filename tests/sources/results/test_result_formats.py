"""Files that other tools write, in their exact layouts and with what is odd in them, read as predictions."""

import csv
import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from counterpoint.core.errors import SourceError, UnknownName
from counterpoint.core.extras import install_command
from counterpoint.sources.results.formats import (
    RESULT_FORMATS,
    describe_format,
    detect_format,
    read_predictions,
    used_columns,
)
from counterpoint.sources.results.predictions import Prediction, RejectedRecord

QUERY = "fed63e96f1c1f408"


def _read(path: Path, form: str = "", **columns: str) -> list[Prediction | RejectedRecord]:
    return list(read_predictions(path, form, columns))


def _said(path: Path, form: str = "", **columns: str) -> list[tuple[str, str]]:
    return [(one.id, one.raw) for one in _read(path, form, **columns) if isinstance(one, Prediction)]


def _odd(path: Path, form: str = "") -> list[str]:
    return [one.why for one in _read(path, form) if isinstance(one, RejectedRecord)]


def _lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def _json(path: Path, content: Any, **how: Any) -> Path:
    path.write_text(json.dumps(content, **how), encoding="utf-8")
    return path


@pytest.mark.parametrize("mark", [",", "\t", ";"])
def test_a_table_in_text_is_read_whatever_parts_its_fields_and_zeros_are_kept(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "answers.txt"
    rows = [["question_id", "question", "answer"], ["007", 'Is it "red"?', "yes, it is"], ["0x", "b\nc", ""]]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=mark).writerows([rows[0], [], *rows[1:]])
    assert detect_format(path) == "plain"
    assert _said(path) == [("007", "yes, it is"), ("0x", "")]
    first = _read(path)[0]
    assert isinstance(first, Prediction)
    assert (first.text, first.place) == ('Is it "red"?', f"{path}, record 1")


def test_beside_a_prediction_the_answer_is_what_would_have_been_right(tmp_path: Path) -> None:
    path = _lines(tmp_path / "a.jsonl", {"id": 1, "answer": "gold", "prediction": "said"})
    assert _said(path) == [("1", "said")]
    assert _said(path, answer="answer") == [("1", "gold")]
    assert describe_format("plain", used_columns(path, "plain")) == "plain (id=id, answer=prediction)"


def test_columns_may_be_named_also_within_each_other(tmp_path: Path) -> None:
    path = _json(tmp_path / "a.json", [{"who": "7", "made": {"by": "it", "text": "no"}}])
    assert _said(path, id="who", answer="made.text") == [("7", "no")]
    with pytest.raises(SourceError, match="no record has id=whom or answer=made; the first has who, made") as problem:
        _said(path, id="whom", answer="made")
    assert "--columns" in problem.value.hint


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.txt"])
def test_json_is_told_by_its_content_and_not_by_its_name(tmp_path: Path, name: str) -> None:
    records = [{"question_id": 262148000, "answer": "down"}, {"question_id": "0262148001", "answer": "yes"}]
    said = [("262148000", "down"), ("0262148001", "yes")]
    assert _said(_lines(tmp_path / name, *records)) == said
    assert _said(_json(tmp_path / name, records)) == said
    assert _said(_json(tmp_path / name, records, indent=2)) == said
    assert _said(_json(tmp_path / name, {"info": {}, "annotations": records})) == said
    assert _said(_json(tmp_path / name, {"262148000": "down", "0262148001": "yes"}, indent=1)) == said
    assert _said(_json(tmp_path / name, {"262148000": "down", "0262148001": {"answer": "yes"}})) == said
    assert _said(_lines(tmp_path / name, records[0])) == said[:1]


def test_a_mark_at_the_start_and_empty_lines_are_no_records(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf\n{"qid": 1, "pred": "a"}\n\n  \n{"qid": 2, "pred": "b"}')
    assert _said(path) == [("1", "a"), ("2", "b")]
    assert [one.place for one in _read(path)] == [f"{path}, record 1", f"{path}, record 2"]


def test_a_stray_summary_among_records_is_counted_and_not_taken_for_a_prediction(tmp_path: Path) -> None:
    records = [{"question_id": 1, "answer": "a"}, {"accuracy": 0.5}, "end"]
    assert _odd(_json(tmp_path / "list.json", records)) == ["no id among accuracy", "no record: end"]
    assert _odd(_lines(tmp_path / "first.jsonl", records[1], records[0])) == ["no id among accuracy"]
    whole = {"1": "a", "overall": {"accuracy": 0.5}, "ids": ["1", "2"]}
    assert _odd(_json(tmp_path / "object.json", whole)) == ["no answer among accuracy", "['1', '2'] is no answer"]
    assert _said(tmp_path / "object.json") == [("1", "a")]


def test_an_answer_that_is_nothing_is_odd_and_an_empty_one_is_an_answer(tmp_path: Path) -> None:
    path = _lines(
        tmp_path / "a.jsonl", *({"id": n, "answer": said} for n, said in enumerate([None, "", 3, True, ["x"]]))
    )
    assert _said(path) == [("1", ""), ("2", "3"), ("3", "true"), ("4", "x")]
    assert _odd(path) == ["no answer"]


def test_numbers_that_are_no_json_but_are_written_by_many_do_no_harm(tmp_path: Path) -> None:
    path = _json(tmp_path / "a.json", [{"id": 1, "answer": "a"}, {"id": 2, "answer": "b", "loss": float("nan")}])
    assert _said(path) == [("1", "a"), ("2", "b")]
    inside = _json(tmp_path / "b.json", {"results": [{"id": 2, "answer": "b", "loss": float("nan")}]})
    assert _said(inside) == [("2", "b")]
    pairs = _json(tmp_path / "c.json", {"1": "a", "mean": float("nan"), "2": "b"})
    assert _said(pairs) == [("1", "a"), ("mean", "nan"), ("2", "b")]


def test_half_a_character_costs_that_character(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "1", "answer": "no \\ud83d"}\n{"id": "2", "answer": "né"}\n', encoding="utf-8")
    assert _said(path) == [("1", "no ?"), ("2", "né")]


def test_scores_come_from_a_column_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("query_id,score\n1,0.25\n2,high\n3,-7\n")
    assert [one.score for one in _read(path) if isinstance(one, Prediction)] == [0.25, -7.0]
    assert _odd(path) == ["no answer among query_id, score"]


def test_trials_come_from_a_column_of_their_own(tmp_path: Path) -> None:
    path = _lines(tmp_path / "a.jsonl", *({"id": 1, "answer": "a", "trial": trial} for trial in (0, 3, "x", -1, 70000)))
    assert [one.trial for one in _read(path) if isinstance(one, Prediction)] == [0, 3]
    assert _odd(path) == [
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
    assert _read(path) == [
        Prediction(str(2**64 - 1), "yes", "w:1.png", place=f"{path}, record 1"),
        RejectedRecord(f"{path}, record 2", "no answer", "5"),
    ]
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(SourceError, match=r"a\.parquet cannot be read as Parquet"):
        _read(path)


def test_answer_files_of_llava(tmp_path: Path) -> None:
    record = {
        "question_id": 42,
        "prompt": "Is there a cat?\nAnswer the question using a single word or phrase.",
        "text": "Yes",
        "answer_id": "bTqbrFcA",
        "model_id": "llava-v1.5-7b",
        "metadata": {},
    }
    path = _lines(tmp_path / "answers.jsonl", record, record | {"question_id": 43, "text": "No"})
    assert detect_format(path) == "llava"
    assert _said(path) == [("42", "Yes"), ("43", "No")]
    first = _read(path)[0]
    assert isinstance(first, Prediction)
    assert first.text == record["prompt"]


def test_results_of_vqa_and_carets(tmp_path: Path) -> None:
    path = _json(tmp_path / "results.json", [{"question_id": "0011", "answer": "red"}])
    assert detect_format(path) == "vqa"
    assert _said(path) == [("0011", "red")]
    gqa = _json(tmp_path / "gqa.json", [{"questionId": "0011", "prediction": "red"}])
    assert _said(gqa) == [("0011", "red")]


VLMEVALKIT = {
    "index": [3, 4, 5, 6],
    "question": ["Which?", "Is it?", "Who?", "What?"],
    "hint": ["", "", "", ""],
    "A": ["red", "", "", ""],
    "B": ["blue", "", "", ""],
    "answer": ["A", "no", "a", "b"],
    "category": ["color"] * 4,
    "image_path": ["3.jpg", "3.jpg", "5.jpg", "5.jpg"],
    "prediction": ["B. blue", "Yes", "Failed to obtain answer via API.", ""],
}


def test_results_of_vlmevalkit_in_a_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "model_Bench.xlsx"
    book = openpyxl.Workbook()
    book.active.append(list(VLMEVALKIT))
    for row in zip(*VLMEVALKIT.values(), strict=True):
        book.active.append([cell if cell != "" else None for cell in row])
    book.save(path)
    assert detect_format(path) == "vlmevalkit"
    _check_vlmevalkit(path)


@pytest.mark.parametrize("kind", ["tsv", "json"])
def test_results_of_vlmevalkit_in_text(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"model_Bench.{kind}"
    rows = list(zip(*VLMEVALKIT.values(), strict=True))
    if kind == "json":
        _json(path, [dict(zip(VLMEVALKIT, row, strict=True)) for row in rows], indent=4)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter="\t", quoting=csv.QUOTE_ALL).writerows([list(VLMEVALKIT), *rows])
    assert detect_format(path) == "vlmevalkit"
    _check_vlmevalkit(path)


def _check_vlmevalkit(path: Path) -> None:
    assert _said(path) == [("3", "B. blue"), ("4", "Yes"), ("6", "")]
    first = _read(path)[0]
    assert isinstance(first, Prediction)
    assert (first.picture, first.text, first.options) == ("3.jpg", "Which?", ("red", "blue"))
    assert _odd(path) == ["it failed there: Failed to obtain answer via API."]


def test_a_spreadsheet_without_its_library_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.xlsx"
    openpyxl.Workbook().save(path)
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(SourceError, match="openpyxl is not installed") as problem:
        _read(path)
    assert problem.value.hint == install_command("xlsx")


LMMS = {
    "doc_id": 0,
    "target": "yes",
    "filtered_resps": "yes",
    "token_counts": [{"output_tokens": 3}],
    "doc_hash": "ab12",
    "answer_accuracy": {"query_id": QUERY, "group_id": "00", "said": "yes", "score": 1.0},
    "input": "Is there a cat?\nAnswer with a single word or a short phrase.",
}


def test_samples_of_lmms_eval_whose_documents_are_dropped(tmp_path: Path) -> None:
    """It keeps the measures, and with them our id; a reply is kept only where the filter has changed it."""
    path = _lines(
        tmp_path / "20260101_samples_order.jsonl",
        LMMS,
        LMMS | {"doc_id": 1, "resps": ["Yes, <b>"], "filtered_resps": "yes"},
    )
    assert detect_format(path) == "lmms-eval"
    assert _said(path) == [(QUERY, "yes"), (QUERY, "Yes, <b>")]
    first = _read(path)[0]
    assert isinstance(first, Prediction)
    assert first.text == LMMS["input"]


def test_samples_of_older_lmms_eval_and_of_other_tasks(tmp_path: Path) -> None:
    sample = {
        "doc_id": 5,
        "doc": {"question_id": "0017", "question": "Why?", "image_path": "a/7.jpg"},
        "target": "x",
        "arguments": ["Why?", {"until": ["\n"]}, 5, "task", "test"],
        "resps": [["so"]],
        "filtered_resps": ["so"],
        "submission": {"question_id": 99, "answer": "so"},
    }
    old = _json(tmp_path / "task.json", {"args": {"model": "m"}, "model_configs": {}, "logs": [sample]}, indent=4)
    assert detect_format(old) == "lmms-eval"
    assert _read(old) == [Prediction("0017", "so", "a/7.jpg", "Why?", place=f"{old}, record 1")]
    bare = {key: value for key, value in sample.items() if key not in ("doc", "arguments", "submission", "resps")}
    assert _said(_lines(tmp_path / "one.jsonl", bare | {"filtered_resps": ["so"]})) == [("5", "so")]


def test_several_replies_to_one_question_are_trials_of_it(tmp_path: Path) -> None:
    path = _lines(tmp_path / "a_samples_b.jsonl", LMMS | {"resps": ["a", "b", "c"], "filtered_resps": ["a", "b", "c"]})
    assert [(one.raw, one.trial) for one in _read(path) if isinstance(one, Prediction)] == [
        ("a", 0),
        ("b", 1),
        ("c", 2),
    ]


LM_EVAL = {
    "doc_id": 7,
    "doc": {"query_id": QUERY, "question": "Which?", "choices": ["red", "blue"]},
    "target": "0",
    "arguments": {
        "gen_args_0": {"arg_0": "Which?", "arg_1": " red"},
        "gen_args_1": {"arg_0": "Which?", "arg_1": " blue"},
    },
    "resps": [[["-3.0", "False"]], [["-1.0", "True"]]],
    "filtered_resps": [["-3.0", "False"], ["-1.0", "True"]],
    "filter": "none",
    "metrics": ["acc"],
    "doc_hash": "a",
    "prompt_hash": "b",
    "target_hash": "c",
    "acc": 0.0,
}


def test_samples_of_lm_eval_with_log_likelihoods_of_choices(tmp_path: Path) -> None:
    path = _lines(tmp_path / "samples_order_2026.jsonl", LM_EVAL)
    assert detect_format(path) == "lm-eval"
    (one,) = _read(path)
    assert isinstance(one, Prediction)
    assert (one.id, one.raw, one.options) == (QUERY, "blue", ("red", "blue"))
    assert one.top[0][0] == "blue"
    assert one.top[0][1] == pytest.approx(0.8808, abs=1e-4)


def test_lmms_eval_gives_losses_so_that_the_least_is_the_best(tmp_path: Path) -> None:
    sample = LM_EVAL | {"resps": [[["0.5", "False"]], [["2.0", "False"]]], "arguments": ["Which?"]}
    del sample["prompt_hash"]
    path = _lines(tmp_path / "a_samples_b.jsonl", sample)
    assert detect_format(path) == "lmms-eval"
    assert _said(path) == [(QUERY, "red")]
    bare = {key: value for key, value in sample.items() if key != "doc"}
    assert _odd(_lines(tmp_path / "bare.jsonl", bare)) == ["2 log-likelihoods, and no names of the choices"]


def test_samples_of_lm_eval_with_replies_and_with_one_likelihood(tmp_path: Path) -> None:
    asked = {"gen_args_0": {"arg_0": "Which?", "arg_1": {"until": ["\n"]}}}
    reply = LM_EVAL | {"arguments": asked, "resps": [["The answer is blue."]], "filtered_resps": ["blue"]}
    alone = LM_EVAL | {"arguments": asked, "resps": [[["-12.5", "False"]]], "filtered_resps": [["-12.5", "False"]]}
    said, scored, odd = _read(_lines(tmp_path / "samples_a.jsonl", reply, alone, {"results": 1}), "lm-eval")
    assert isinstance(said, Prediction)
    assert said.raw == "The answer is blue."
    assert isinstance(scored, Prediction)
    assert scored.score == -12.5
    assert odd == RejectedRecord(f"{tmp_path / 'samples_a.jsonl'}, record 3", "no replies among results", "")


def _sample(name: object, epoch: int, said: Any, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": said}
    asked = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Is it?"}, {"type": "image", "image": "pics/7.jpg"}]},
    ]
    output = {"model": "m", "choices": [{"message": message, "stop_reason": "stop"}], "completion": "x"}
    scores = {"match": {"value": "C", "answer": "yes"}}
    return {"id": name, "epoch": epoch, "input": asked, "target": "yes", "output": output, "scores": scores} | more


SAMPLES = [
    _sample("00a", 1, "yes"),
    _sample("00a", 2, [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "no"}]),
    _sample(5, 1, "attachment://abc", attachments={"abc": "a very long answer"}),
    _sample("e", 1, "x", output={"choices": []}, error={"message": "time-out"}),
    _sample("kept", 1, "ok", metadata={"query_id": QUERY}),
]


def _check_inspect(path: Path) -> None:
    assert detect_format(path) == "inspect"
    assert [(one.id, one.trial, one.raw) for one in _read(path) if isinstance(one, Prediction)] == [
        ("00a", 0, "yes"),
        ("00a", 1, "no"),
        ("5", 0, "a very long answer"),
        (QUERY, 0, "ok"),
    ]
    assert _odd(path) == ["it failed there: time-out"]
    first = _read(path)[0]
    assert isinstance(first, Prediction)
    assert (first.picture, first.text) == ("pics/7.jpg", "Is it?")


def test_logs_of_inspect(tmp_path: Path) -> None:
    path = tmp_path / "2026-01-01_task.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", "{}")
        for sample in SAMPLES:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        archive.writestr("summaries.json", "[]")
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {}}))
    _check_inspect(path)
    assert _read(path)[0].place == f"{path}, samples/00a_epoch_1.json"


def test_older_logs_of_inspect_are_one_json(tmp_path: Path) -> None:
    head = {
        "version": 2,
        "status": "success",
        "eval": {"task": "t"},
        "plan": {},
        "results": {"scores": []},
        "stats": {},
    }
    _check_inspect(_json(tmp_path / "log.json", head | {"samples": SAMPLES}, indent=2))


def _zstd(path: Path, members: dict[str, bytes]) -> None:
    """An archive whose members zstd has compressed, which Python 3.11 can neither write nor read."""
    codec = pa.Codec("zstd")
    body, directory = b"", b""
    for name, content in members.items():
        packed = codec.compress(content, asbytes=True)
        crc = zlib.crc32(content)
        common = struct.pack("<HHHHHIIIHH", 63, 0, 93, 0, 0x21, crc, len(packed), len(content), len(name), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 63) + common
        directory += struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\x03\x04" + common + name.encode() + packed
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    path.write_bytes(body + directory + b"PK\x05\x06" + end)


def test_logs_that_zstd_has_compressed_are_read_by_every_python(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    members = {f"samples/{one['id']}_epoch_{one['epoch']}.json": json.dumps(one).encode() for one in SAMPLES}
    _zstd(path, members | {"header.json": b"{}"})
    _check_inspect(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:80] + b"\0" * 40 + whole[120:])
    with pytest.raises(SourceError, match=r"log\.eval, samples/00a_epoch_1\.json"):
        _read(path)


def test_samples_of_another_shape_than_they_should_have_are_odd(tmp_path: Path) -> None:
    strange = [
        {"id": None},
        _sample("a", 0, "x"),
        _sample("b", 1, None),
        _sample("c", 1, "ok", input=7, choices=3, metadata=[]),
        _sample("d", 1, ["plain", 5], input=[{"role": "user"}]),
        "no sample",
    ]
    path = _json(tmp_path / "log.json", {"eval": {}, "status": "error", "samples": strange})
    assert _said(path) == [("c", "ok"), ("d", "plain")]
    assert _odd(path) == ["a sample without an id", "0 is no number of an epoch", "no answer", "a sample without an id"]
    huge = _lines(tmp_path / "scores.jsonl", {"id": 1, "score": 10**400, "answer": "a"}, {"id": 2, "answer": {"a": 1}})
    assert _said(huge) == [("1", "a")]


def test_logs_with_samples_in_parts_are_put_together(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/q_epoch_1/sample.json", json.dumps(_sample("q", 1, "attachment://2")))
        archive.writestr("samples/q_epoch_1/attachments/0.json", '["a", "b"]')
        archive.writestr("samples/q_epoch_1/attachments/2.json", '["the long one"]')
        archive.writestr("samples/q_epoch_1/messages/0.json", "[]")
    assert _said(path) == [("q", "the long one")]


def test_a_member_that_is_packed_in_a_strange_way_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/q_epoch_1.json", "{}")
    content = path.read_bytes()
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        start = content.index(mark) + place
        content = content[:start] + struct.pack("<H", 97) + content[start + 2 :]
    path.write_bytes(content)
    with pytest.raises(SourceError, match="compressed in a way that Python cannot read") as problem:
        _read(path)
    assert "inspect log convert" in problem.value.hint


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
        (bytes(range(256)), "a.json is no text, no Parquet, no xlsx and no log"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(SourceError) as problem:
        _read(path)
    assert said in str(problem.value)
    assert problem.value.hint


def test_a_row_with_a_field_too_many_is_odd_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,answer\n1,yes, it is\n2,no\n")
    assert _said(path) == [("2", "no")]
    assert _odd(path) == ["no record: 3 fields, and the first line names 2"]


def test_files_and_formats_that_are_not_there_are_said(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read: No such file"):
        _read(tmp_path / "nothing.json")
    path = _json(tmp_path / "a.json", {"1": "a"})
    with pytest.raises(UnknownName, match="no format is called 'lava'") as problem:
        _read(path, "lava")
    assert problem.value.hint == "did you mean llava?"
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.json", "{}")
    with pytest.raises(SourceError, match="an archive of something else"):
        _read(tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("header.json", "{}")
    with pytest.raises(SourceError, match="is a log of Inspect"):
        _read(tmp_path / "a.eval", "llava")
    assert _read(tmp_path / "a.eval") == []


@pytest.mark.parametrize(
    "column", ["pred", "preds", "pred_answer", "predicted_label", "output", "response", "Prediction"]
)
def test_the_usual_names_of_predictions_are_known(tmp_path: Path, column: str) -> None:
    record = {"question_id": 1, "pred_score": 0.5, "predicate": "on", "pred_idx": 3, column: "yes", "label": "no"}
    assert _said(_json(tmp_path / "a.json", [record | {"img_id": "7", "sent": "Is it?"}])) == [("1", "yes")]


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
    (prediction,) = _read(_json(tmp_path / "a.json", [{"question_id": 1, "prediction": "A", **how}]))
    assert isinstance(prediction, Prediction)
    assert prediction.options == ("blue", "red")


def test_every_format_is_told_in_words() -> None:
    assert all(len(words) > 10 for words in RESULT_FORMATS.values())
