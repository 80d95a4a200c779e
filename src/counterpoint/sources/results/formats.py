"""The result formats of other tools, and how a JSON file holds its records, detected by the content of a file."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec.structs import replace

from counterpoint.core.errors import SourceError, UnknownName, shorten
from counterpoint.sources.reading.columns import (
    ASKED,
    LLAVA_ANSWERS,
    PREDICTIONS,
    VLMEVALKIT_RESULTS,
    VQA_RESULTS,
    ColumnFinder,
    ColumnLayout,
    ColumnMap,
    describe_columns,
)
from counterpoint.sources.reading.json_files import elements, members, object_keys, whole
from counterpoint.sources.reading.tables import (
    NumberedRow,
    columnar,
    delimited,
    holds_bytes,
    is_columnar,
    is_utf16,
    read_start,
    refuse_packed,
    spreadsheet,
)
from counterpoint.sources.results.batch_files import is_batch, read_batches
from counterpoint.sources.results.harness_samples import read_samples
from counterpoint.sources.results.inspect_logs import is_log, open_archive, read_eval_log, read_json_log
from counterpoint.sources.results.predictions import (
    LONGEST_PATH,
    AskedQuestion,
    PredictionReader,
    PredictionStream,
    ResultRecord,
    as_text,
    shown_options,
)

RESULT_FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "plain": "a table or JSON with an id and an answer in each record: CSV, TSV, JSON, JSON lines, Parquet, xlsx",
        "vqa": "results of VQA and CARETS: a list of question_id and answer, or an object from one to the other",
        "llava": "answer files of LLaVA: JSON lines with question_id, prompt and text",
        "vlmevalkit": "results of VLMEvalKit: xlsx, TSV or JSON with index and prediction",
        "lmms-eval": "samples of lmms-eval: JSON lines with doc_id and filtered_resps",
        "lm-eval": "samples of lm-eval: JSON lines with doc_id, arguments and resps",
        "inspect": "logs of Inspect: .eval or JSON",
        "batch": "results of the batch APIs of OpenAI, Anthropic and Google: JSON lines with custom_id, or key",
    }
)
"""Every format that can be read, with a description."""
_LAYOUTS: Mapping[str, ColumnLayout] = MappingProxyType(
    {"plain": PREDICTIONS, "vqa": VQA_RESULTS, "llava": LLAVA_ANSWERS, "vlmevalkit": VLMEVALKIT_RESULTS}
)
_TABLES: Mapping[str, Callable[[Path], Iterator[NumberedRow]]] = MappingProxyType(
    {
        "text": delimited,
        "sheet": spreadsheet,
        "columnar": partial(columnar, wanted=lambda kind: not holds_bytes(kind)),  # without pictures
    }
)
RecordTest: TypeAlias = Callable[[tuple[str, ...]], bool]
"""Whether one object with these keys is one record."""
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"


def read_predictions(path: Path, format_: str = "", columns: Mapping[str, str] | None = None) -> PredictionStream:
    """Every record of a file as a prediction or a rejected record; the format is detected where none is named."""
    format_ = format_ or detect_format(path)
    if format_ not in RESULT_FORMATS:
        raise UnknownName("format", format_, RESULT_FORMATS)
    kind = _kind(path)
    if format_ == "inspect":
        return read_eval_log(path) if kind == "log" else read_json_log(json_records(path))
    if format_ in ("lmms-eval", "lm-eval"):
        return read_samples(_records(path, kind), losses=format_ == "lmms-eval")
    if format_ == "batch":
        return read_batches(_records(path, kind))
    reader = PredictionReader(path, _LAYOUTS[format_], columns or {})
    records = json_records(path, reader.columns.is_complete) if kind == "json" else _records(path, kind)
    if kind in ("text", "sheet") and format_ != "vlmevalkit":  # which writes an empty reply so, and a failure in words
        records = map(_without_empty_cells, records)
    return reader.read(records)


def detect_format(path: Path) -> str:
    """The format of a file, by its content."""
    kind = _kind(path)
    if kind == "log" or (kind == "json" and {"eval", "status"} <= set(_outline(path)[0])):
        return "inspect"
    first = list(islice(_records(path, kind), 3))  # a summary may come first
    return next((format_ for record in first if (format_ := _record_format(record)) != "plain"), "plain")


def used_columns(path: Path, format_: str, columns: Mapping[str, str] | None = None) -> ColumnMap:
    """The columns by role from which predictions are read; none where the format has no columns."""
    if format_ not in _LAYOUTS:
        return {}
    finder = ColumnFinder(_LAYOUTS[format_], columns or {})
    names = (tuple(record.fields) for record in islice(_records(path, _kind(path)), 3))
    return next((finder.find(row) for row in names if finder.is_complete(row)), {})


def describe_format(format_: str, columns: ColumnMap) -> str:
    """The name of a format, with the columns from which predictions are read."""
    return f"{format_} ({describe_columns(columns)})" if columns else format_


def read_questions(path: Path, columns: Mapping[str, str] | None = None) -> dict[str, list[AskedQuestion]]:
    """What a model was asked, by id: pictures, texts and choices from a file beside its answers."""
    finder = ColumnFinder(ASKED, {role: name for role, name in (columns or {}).items() if role in ASKED.names})
    asked: dict[str, list[AskedQuestion]] = {}
    first: Mapping[str, Any] = {}
    for record in _records(path, _kind(path), finder.is_complete):
        fields = record.fields
        first = first or fields
        own = as_text(finder.value(fields, "id", record.place)) or record.key
        text = finder.value(fields, "text", record.place)
        if isinstance(text, list) and text and isinstance(text[0], dict):  # a conversation, of which the first is asked
            text = text[0].get("value") or text[0].get("content")
        if own and (text := as_text(text)):
            picture = as_text(finder.value(fields, "picture", record.place)) or ""
            options = shown_options(finder.value(fields, "choices", record.place), fields, text)
            question = AskedQuestion(picture if len(picture) < LONGEST_PATH else "", text, options)
            asked.setdefault(own.strip(), []).append(question)
    if not asked:
        fact = f"{path}: no record has an id and a text; the first has {shorten(', '.join(first), 60)}"
        raise SourceError(fact, hint="--questions names the file with what the model was asked, a record a question")
    return asked


def _record_format(record: ResultRecord) -> str:
    if is_batch(record.fields):
        return "batch"
    names = {name.lower() for name in record.fields}
    if {"resps", "filtered_resps"} & names:
        return "lm-eval" if isinstance(record.fields.get("arguments"), dict) or "prompt_hash" in names else "lmms-eval"
    if {"index", "prediction"} <= names:
        return "vlmevalkit"
    if {"question_id", "text"} <= names and {"answer_id", "model_id"} & names:
        return "llava"
    return "vqa" if names == {"question_id", "answer"} else "plain"


def _is_record(keys: Sequence[str]) -> bool:
    known = {"resps", "filtered_resps", "custom_id"} & set(keys) or {"key", "response"} <= set(keys)
    return bool(known) or ColumnFinder(PREDICTIONS).is_complete(keys)


def _records(path: Path, kind: str, is_record: RecordTest = _is_record) -> Iterator[ResultRecord]:
    if kind == "log":
        raise SourceError(f"{path} is a log of Inspect", hint="leave --format out, or say --format inspect")
    if kind == "json":
        return json_records(path, is_record)  # an object with the keys of a record is a file of one line
    rows = _TABLES[kind](path)
    filled = ((number, row) for number, row in rows if isinstance(row, str) or any(cell != "" for cell in row.values()))
    return (ResultRecord(f"{path}, record {number}", row) for number, row in filled)


def _without_empty_cells(record: ResultRecord) -> ResultRecord:
    """A row of a table with nothing in its empty cells, as JSON has null there."""
    if "" not in record.fields.values():
        return record
    return replace(record, value={name: None if cell == "" else cell for name, cell in record.fields.items()})


def _kind(path: Path) -> str:
    """The container of a file: json, text, columnar, sheet or log."""
    head = read_start(path, 4096)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise SourceError(f"{path} is empty", hint="it was to hold predictions; was it written to its end?")
    if is_utf16(path, head):
        return "text"
    refuse_packed(path, head)
    if is_columnar(head):
        return "columnar"
    if head.startswith(b"PK"):
        with open_archive(path) as archive:
            names = archive.namelist()
        if "xl/workbook.xml" in names:
            return "sheet"
        if is_log(iter(names)):
            return "log"
        hint = "unpack it, and name the file with predictions"
        raise SourceError(f"{path} is an archive of something else", hint=hint)
    if head.startswith(_OLD_EXCEL):
        raise SourceError(f"{path} is a spreadsheet of the old kind", hint="save it as xlsx, or as CSV")
    if b"\0" in head:
        raise SourceError(
            f"{path} is no text, no Parquet, no Arrow, no xlsx and no log", hint=f"known: {', '.join(RESULT_FORMATS)}"
        )
    return "json" if start[:1] in b"[{" else "text"


LISTS = (
    "questions",
    "results",
    "answers",
    "predictions",
    "annotations",
    "samples",
    "logs",
    "records",
    "outputs",
    "data",
)
"""The names under which one object may hold the list of all records."""
_MOST_KEYS = 100  # of an object that is one record or holds a list of records
_LONGEST_LINE = 1 << 26  # bytes; a longer first line is not one of many


def _outline(path: Path) -> tuple[Mapping[str, str], str]:
    """The keys of the one object that a file is, with the first characters of their values, and the list of records.

    The second is the name under which the object holds that list, if it does. Both are empty for a list and for lines;
    where there is such a list, the keys end with its name. An object of very many keys holds a record under each.
    """
    keys: dict[str, str] = {}
    for key, sign in () if _is_lines(path) else object_keys(path):
        keys[key] = sign
        if sign == "[" and key in LISTS:
            return keys, key
        if len(keys) > _MOST_KEYS:
            break
    return keys, ""


def json_records(path: Path, is_record: RecordTest = lambda keys: False) -> Iterator[ResultRecord]:
    """Every record of a file; `is_record` says by its keys whether one object is one record, and not one per key."""
    keys, within = _outline(path)
    start = f"{path}, record "
    if keys and not within:
        holds_records = set(keys.values()) == {"{"}
        if holds_records or not is_record(tuple(keys)):
            for number, (key, value) in enumerate(members(path), 1):
                yield ResultRecord(f"{start}{number}", value, key)
            return
    values = iter([whole(path)]) if keys and not within else elements(path, within)
    for number, value in enumerate(values, 1):
        yield ResultRecord(f"{start}{number}", value)


def _is_lines(path: Path) -> bool:
    """Whether the first line of a file that has one is an object, and others follow."""
    if not read_start(path, 4096).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return False  # a list, maybe all of the file in one line
    with path.open("rb") as file:
        lines = (line.removeprefix(b"\xef\xbb\xbf") for line in iter(lambda: file.readline(_LONGEST_LINE), b""))
        try:
            first = json.loads(next(line for line in lines if line.strip()))
        except (ValueError, RecursionError):
            return False
        return isinstance(first, dict) and any(rest.strip() for rest in file)
