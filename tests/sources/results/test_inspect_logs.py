"""Logs of Inspect, in their exact layouts and with what is odd in them, read as predictions."""

import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from prediction_files import QUERY, read_answers, read_records, rejected_reasons, write_json, write_lines

from counterpoint.core.errors import SourceError
from counterpoint.sources.results.formats import detect_format
from counterpoint.sources.results.predictions import Prediction


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
    assert [(one.id, one.trial, one.raw) for one in read_records(path) if isinstance(one, Prediction)] == [
        ("00a", 0, "yes"),
        ("00a", 1, "no"),
        ("5", 0, "a very long answer"),
        (QUERY, 0, "ok"),
    ]
    assert rejected_reasons(path) == ["it failed there: time-out"]
    first = read_records(path)[0]
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
    assert read_records(path)[0].place == f"{path}, samples/00a_epoch_1.json"


def test_older_logs_of_inspect_are_one_json(tmp_path: Path) -> None:
    head = {
        "version": 2,
        "status": "success",
        "eval": {"task": "t"},
        "plan": {},
        "results": {"scores": []},
        "stats": {},
    }
    _check_inspect(write_json(tmp_path / "log.json", head | {"samples": SAMPLES}, indent=2))


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
        read_records(path)


def test_samples_of_another_shape_than_they_should_have_are_odd(tmp_path: Path) -> None:
    strange = [
        {"id": None},
        _sample("a", 0, "x"),
        _sample("b", 1, None),
        _sample("c", 1, "ok", input=7, choices=3, metadata=[]),
        _sample("d", 1, ["plain", 5], input=[{"role": "user"}]),
        "no sample",
    ]
    path = write_json(tmp_path / "log.json", {"eval": {}, "status": "error", "samples": strange})
    assert read_answers(path) == [("c", "ok"), ("d", "plain")]
    assert rejected_reasons(path) == [
        "a sample without an id",
        "0 is no number of an epoch",
        "no answer",
        "a sample without an id",
    ]
    huge = write_lines(
        tmp_path / "scores.jsonl", {"id": 1, "score": 10**400, "answer": "a"}, {"id": 2, "answer": {"a": 1}}
    )
    assert read_answers(huge) == [("1", "a")]


def test_logs_with_samples_in_parts_are_put_together(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/q_epoch_1/sample.json", json.dumps(_sample("q", 1, "attachment://2")))
        archive.writestr("samples/q_epoch_1/attachments/0.json", '["a", "b"]')
        archive.writestr("samples/q_epoch_1/attachments/2.json", '["the long one"]')
        archive.writestr("samples/q_epoch_1/messages/0.json", "[]")
    assert read_answers(path) == [("q", "the long one")]


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
        read_records(path)
    assert "inspect log convert" in problem.value.hint
