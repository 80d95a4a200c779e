"""Downloads of Browse: one row per model, or the chosen one, and query of every group that fits, in batches."""

import json
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO, RawIOBase
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from counterpoint.core.ids import hex_id
from counterpoint.core.spreadsheets import FORMULA, NUMBER
from counterpoint.explorer.group_filters import read_filter
from counterpoint.explorer.group_parts import gold_text
from counterpoint.lab.reader import LabReader
from counterpoint.store.outcomes.noted_groups import notes_by_group
from counterpoint.store.outcomes.selection import GroupFilter, select

BATCH = 2000
"""Groups in each batch."""

SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("model", "suite", "test", "kind", "relation", "group")),
        ("role", pa.uint16()),
        *((name, pa.string()) for name in ("query", "picture", "edits", "text", "gold", "value", "state")),
        *((name, pa.float32()) for name in ("correct", "confidence")),
        ("answer_score", pa.float64()),
        ("consistent", pa.bool_()),
        ("verdict", pa.string()),
        ("score", pa.float32()),
        ("note", pa.string()),
    ]
)
"""The columns; `score` is that of the group by the chosen metric, `answer_score` what the model gave to a text, `note`
what people wrote about the group."""

TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".jsonl": "application/x-ndjson",
    ".parquet": "application/vnd.apache.parquet",
}


def stream_rows(reader: LabReader, chosen: GroupFilter, ending: str) -> Iterator[bytes]:
    """Yield all rows in a format, in batches that are small enough to be read while pages are served."""
    return {".csv": _csv, ".jsonl": _jsonl, ".parquet": _parquet}[ending](row_batches(reader, chosen))


def row_batches(reader: LabReader, chosen: GroupFilter) -> Iterator[pa.Table]:
    """Yield the rows by suite and model; no query stays open between two batches."""
    slugs = [chosen.model] if chosen.model else [model.slug for model in reader.models()] or [""]
    for suite in [chosen.suite] if chosen.suite else reader.suites():
        selection = select(reader, replace(chosen, suite=suite))
        sql = f"SELECT number, place, variants, verdict, {selection.score} AS score FROM {selection.source} "
        sql += f"WHERE {selection.where} ORDER BY place"
        found = reader.database.table(sql, selection.parameters, selection.tables)
        for slug in slugs:
            groups = found if slug == chosen.model else _judged(reader, suite, slug, found, chosen.metric)
            for start in range(0, groups.num_rows, BATCH):
                yield _batch(reader, suite, slug, groups.slice(start, BATCH))


def _judged(reader: LabReader, suite: str, slug: str, found: pa.Table, metric: str) -> pa.Table:
    """Return the groups that were found with the verdict of one model on them, and its score."""
    source, score = reader.database.source("verdicts", model=slug, suite=suite), f'"{metric}"' if metric else "NULL"
    columns = f"place, variants, verdict, {score}::FLOAT AS score"
    sql = f"SELECT {columns} FROM {source} SEMI JOIN found USING (number) ORDER BY place"
    return reader.database.table(sql, (), {"found": found.select(["number"])})


def _batch(reader: LabReader, suite: str, slug: str, groups: pa.Table) -> pa.Table:
    sizes = groups["variants"].to_numpy().astype(np.int64) + 1
    rows = reader.rows_at(suite, list(zip(groups["place"].to_pylist(), (sizes - 1).tolist(), strict=True)))
    group = pa.array(np.repeat(np.arange(groups.num_rows), sizes))
    outcomes = _outcomes(reader, suite, slug, rows["row"].to_numpy().astype(np.int64))
    notes = notes_by_group(reader, suite)
    columns: dict[str, Any] = {
        "model": pa.repeat(pa.scalar(slug), rows.num_rows),
        **{name: rows[name] for name in ("suite", "test", "kind", "relation", "role", "picture", "edits", "text")},
        "group": [hex_id(number) for number in rows["group_id"].to_pylist()],
        "query": [hex_id(number) for number in rows["query"].to_pylist()],
        "gold": [None if gold is None else gold_text(gold) for gold in rows["gold"].to_pylist()],
        **outcomes,
        "verdict": groups["verdict"].take(group),
        "score": groups["score"].take(group),
        "note": pa.array([notes.get(number) for number in rows["group_id"].to_pylist()], pa.string()),
    }
    return pa.table({name: columns[name] for name in SCHEMA.names}).cast(SCHEMA)


def _outcomes(reader: LabReader, suite: str, slug: str, rows: Any) -> dict[str, Any]:
    types = {"value": pa.string(), "state": pa.string(), "correct": pa.float32(), "confidence": pa.float32()}
    types |= {"score": pa.float64(), "consistent": pa.bool_()}
    if slug:
        table = reader.outcomes_at(suite, slug, rows, list(types))
        columns = {name: table[name].cast(kind) for name, kind in types.items()}
    else:
        columns = {name: pa.nulls(len(rows), kind) for name, kind in types.items()}
    columns["answer_score"] = columns.pop("score")
    return columns


def _csv(parts: Iterator[pa.Table]) -> Iterator[bytes]:
    yield (",".join(f'"{name}"' for name in SCHEMA.names) + "\n").encode()
    for part in parts:
        sink = BytesIO()
        csv.write_csv(_defused(part), sink, csv.WriteOptions(include_header=False))
        yield sink.getvalue()


def _defused(part: pa.Table) -> pa.Table:
    """The rows with every text as `defuse_formula` has it."""
    for place, field in enumerate(part.schema):
        if pa.types.is_string(field.type):
            texts = part[field.name]
            number = pc.match_substring_regex(texts, NUMBER)
            formula = pc.and_(pc.match_substring_regex(texts, FORMULA), pc.invert(number))
            part = part.set_column(
                place, field, pc.if_else(formula, pc.binary_join_element_wise("'", texts, ""), texts)
            )
    return part


def _jsonl(parts: Iterator[pa.Table]) -> Iterator[bytes]:
    for part in parts:
        lines = (json.dumps(row, ensure_ascii=False) for row in part.to_pylist())
        yield "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


def _parquet(parts: Iterator[pa.Table]) -> Iterator[bytes]:
    sink = _StreamBuffer()
    with pq.ParquetWriter(sink, SCHEMA, compression="zstd") as writer:
        for part in parts:
            writer.write_table(part)
            yield sink.drain()
    yield sink.drain()


class _StreamBuffer(RawIOBase):
    """A write-only file whose content is taken out as it is written."""

    def __init__(self) -> None:
        self._buffer, self._length = list[bytes](), 0

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, content: Any) -> int:
        """Buffer some bytes."""
        self._buffer.append(bytes(content))
        self._length += len(content)
        return len(content)

    def tell(self) -> int:
        """Return the number of bytes written."""
        return self._length

    def drain(self) -> bytes:
        """Return what was written since the last call."""
        content, self._buffer = b"".join(self._buffer), []
        return content


async def download_rows(request: Request) -> Response:
    """GET /browse.csv, /browse.jsonl and /browse.parquet: the rows of all groups that fit, streamed."""
    reader, ending = request.app.state.reader, f".{request.url.path.rpartition('.')[2]}"
    chosen = replace(read_filter(request.query_params), browse="1")
    await run_in_threadpool(reader.refresh)
    await run_in_threadpool(select, reader, chosen)  # refuses names that the lab does not have
    headers = {"Content-Disposition": f'attachment; filename="groups{ending}"'}
    return StreamingResponse(stream_rows(reader, chosen, ending), headers=headers, media_type=TYPES[ending])


ROUTES = tuple(Route(f"/browse{ending}", download_rows) for ending in TYPES)
"""Where the rows of Browse can be downloaded."""
