"""For every result format of other tools a small file in its layout, made in code, from which predictions are read."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from source_samples import Sample

_QUERY = "fed63e96f1c1f408"
_PLAIN = [
    {"id": "007", "image": "a/7.jpg", "question": "Is it red?", "prediction": "yes", "score": 0.5, "trial": 0},
    {"id": 8, "image": "8.jpg", "question": "Which?", "options": ["red", "blue"], "prediction": "B", "trial": "1"},
    {"id": 9, "image": "9.jpg", "question": "Which?", "A": "red", "B": "blue", "prediction": ["blue"], "score": None},
]
_INSPECT = {
    "id": "00a",
    "epoch": 1,
    "input": [{"role": "user", "content": [{"type": "text", "text": "Is it?"}, {"type": "image", "image": "p/7.jpg"}]}],
    "choices": ["red", "blue"],
    "metadata": {"query_id": _QUERY},
    "output": {"choices": [{"message": {"content": "attachment://abc"}}]},
    "attachments": {"abc": "a very long answer"},
}
_LMMS = {
    "doc_id": 0,
    "doc": {"question_id": "0017", "question": "Why?", "image_path": "a/7.jpg", "choices": ["red", "blue"]},
    "target": "yes",
    "filtered_resps": ["yes"],
    "resps": [["yes"]],
    "answer_accuracy": {"query_id": _QUERY, "said": "yes", "score": 1.0},
    "input": "Is there a cat?",
}
_LM_EVAL = {
    "doc_id": 7,
    "doc": {"query_id": _QUERY, "question": "Which?", "choices": ["red", "blue"]},
    "arguments": {
        "gen_args_0": {"arg_0": "Which?", "arg_1": " red"},
        "gen_args_1": {"arg_0": "Which?", "arg_1": " blue"},
    },
    "resps": [[["-3.0", "False"]], [["-1.0", "True"]]],
    "filtered_resps": [["-3.0", "False"], ["-1.0", "True"]],
    "prompt_hash": "b",
}
_BATCH = [
    {"custom_id": "7", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "yes"}}]}}},
    {"custom_id": "8", "result": {"type": "succeeded", "message": {"content": [{"type": "text", "text": "no"}]}}},
]
_LLAVA = {"question_id": 42, "prompt": "Is there a cat?\nOne word.", "text": "Yes", "answer_id": "b", "model_id": "m"}


def _sheet() -> bytes:
    import openpyxl

    book, out = openpyxl.Workbook(), BytesIO()
    for row in (["index", "question", "A", "B", "prediction"], [3, "Which?", "red", "blue", "B. blue"]):
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def _table() -> bytes:
    out = BytesIO()
    pq.write_table(pa.table({"query_id": [2**60, 5], "response": ["yes", "no"], "picture": ["w:1.png"] * 2}), out)
    return out.getvalue()


_FILES: Mapping[str, Mapping[str, Any]] = {
    "plain list": {"mine.json": _PLAIN},
    "plain lines": {"mine.jsonl": _PLAIN},
    "plain object": {"mine.json": {str(row["id"]): row | {"id": None} for row in _PLAIN}},
    "plain csv": {"mine.csv": b'id,question,answer,trial\n007,"Is it ""red""?",yes,0\n8,Why?,"so, so",1\n'},
    "plain parquet": {"mine.parquet": _table()},
    "vqa": {"results.json": [{"question_id": "0011", "answer": "red"}, {"question_id": 12, "answer": ["blue"]}]},
    "plain answers": {"results.json": {"0011": "red", "12": "blue"}},
    "llava": {"answers.jsonl": [_LLAVA, _LLAVA | {"question_id": 43, "text": "No"}]},
    "vlmevalkit": {"model.tsv": b"index\tquestion\tA\tB\tprediction\n3\tWhich?\tred\tblue\tB. blue\n"},
    "vlmevalkit sheet": {"model.xlsx": _sheet()},
    "lmms-eval": {"samples.jsonl": [_LMMS, _LMMS | {"resps": ["a", "b"]}]},
    "lmms-eval logs": {"task.json": {"args": {}, "logs": [_LMMS]}},
    "lm-eval": {"samples.jsonl": [_LM_EVAL, _LM_EVAL | {"resps": [["-2.5", "True"]]}]},
    "batch": {"output.jsonl": _BATCH},
    "inspect": {"log.eval": _INSPECT},
    "inspect json": {"log.json": {"status": "success", "eval": {}, "samples": [_INSPECT]}},
}
RESULTS = {name: Sample("predictions", "", files) for name, files in _FILES.items()}
"""By the format, and how the file holds its records."""
