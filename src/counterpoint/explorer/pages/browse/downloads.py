"""The rows behind a list, as a file: one row per query of every group that fits, made and sent part by part."""

import json
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from counterpoint.core.ids import hex_id
from counterpoint.explorer.group_filters import read_filter
from counterpoint.lab.reader import LabReader
from counterpoint.store.outcomes.row_groups import take_rows
from counterpoint.store.outcomes.selection import (
    GroupFilter,
    select,
)

GROUPS = 2000
"""Groups in each part."""

SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("model", "suite", "test", "kind", "relation", "group")),
        ("role", pa.uint16()),
        *((name, pa.string()) for name in ("query", "picture", "edits", "text", "gold", "value", "state")),
        *((name, pa.float32()) for name in ("correct", "confidence")),
        ("said_score", pa.float64()),
        ("consistent", pa.bool_()),
        ("verdict", pa.string()),
        ("score", pa.float32()),
    ]
)
"""The columns; `score` is that of the group by the chosen metric, `said_score` what the model gave to a text."""

TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".jsonl": "application/x-ndjson",
    ".parquet": "application/vnd.apache.parquet",
}


def stream_rows(reader: LabReader, chosen: GroupFilter, ending: str) -> Iterator[bytes]:
    """All rows in a form, in parts that are small enough to be made while others look at pages."""
    parts = row_batches(reader, chosen)
    return {".csv": _csv, ".jsonl": _jsonl, ".parquet": _parquet}[ending](parts)


def row_batches(reader: LabReader, chosen: GroupFilter) -> Iterator[pa.Table]:
    """The rows, suite by suite and model by model; no question stays open between two parts."""
    slugs = [chosen.model] if chosen.model else [model.slug for model in reader.models()] or [""]
    for suite in [chosen.suite] if chosen.suite else reader.suites():
        for slug in slugs:
            asked = select(reader, replace(chosen, model=slug, suite=suite))
            sql = f"SELECT place, variants, verdict, {asked.score} AS score FROM {asked.source} WHERE {asked.where}"
            found = reader.database.table(f"{sql} ORDER BY place", asked.parameters, asked.tables)
            for start in range(0, found.num_rows, GROUPS):
                yield _part(reader, suite, slug, found.slice(start, GROUPS))


def _part(reader: LabReader, suite: str, slug: str, found: pa.Table) -> pa.Table:
    sizes = found["variants"].to_numpy().astype(np.int64) + 1
    rows = reader.rows_at(suite, list(zip(found["place"].to_pylist(), (sizes - 1).tolist(), strict=True)))
    group = pa.array(np.repeat(np.arange(found.num_rows), sizes))
    said = _said(reader, suite, slug, rows["row"].to_numpy().astype(np.int64))
    columns: dict[str, Any] = {
        "model": pa.repeat(pa.scalar(slug), rows.num_rows),
        **{name: rows[name] for name in ("suite", "test", "kind", "relation", "role", "picture", "edits", "text")},
        "group": [hex_id(one) for one in rows["group_id"].to_pylist()],
        "query": [hex_id(one) for one in rows["query"].to_pylist()],
        "gold": [_gold(one) for one in rows["gold"].to_pylist()],
        **said,
        "verdict": found["verdict"].take(group),
        "score": found["score"].take(group),
    }
    return pa.table({name: columns[name] for name in SCHEMA.names}).cast(SCHEMA)


def _said(reader: LabReader, suite: str, slug: str, rows: Any) -> dict[str, Any]:
    kinds = {"value": pa.string(), "state": pa.string(), "correct": pa.float32(), "confidence": pa.float32()}
    kinds |= {"score": pa.float64(), "consistent": pa.bool_()}
    if slug:
        (path,) = reader.database.files.paths("outcomes", model=slug, suite=suite)
        found = take_rows(path, rows, list(kinds))
        held = {name: found[name].cast(kind) for name, kind in kinds.items()}
    else:
        held = {name: pa.nulls(len(rows), kind) for name, kind in kinds.items()}
    held["said_score"] = held.pop("score")
    return held


def _gold(gold: list[dict[str, Any]] | None) -> str | None:
    return None if gold is None else " / ".join(one["answer"] for one in gold if one["credit"] > 0)


def _csv(parts: Iterator[pa.Table]) -> Iterator[bytes]:
    yield (",".join(f'"{name}"' for name in SCHEMA.names) + "\n").encode()
    for part in parts:
        sink = BytesIO()
        csv.write_csv(part, sink, csv.WriteOptions(include_header=False))
        yield sink.getvalue()


def _jsonl(parts: Iterator[pa.Table]) -> Iterator[bytes]:
    for part in parts:
        lines = (json.dumps(row, ensure_ascii=False) for row in part.to_pylist())
        yield "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


def _parquet(parts: Iterator[pa.Table]) -> Iterator[bytes]:
    sink = _Drained()
    with pq.ParquetWriter(sink, SCHEMA, compression="zstd") as writer:
        for part in parts:
            writer.write_table(part)
            yield sink.drained()
    yield sink.drained()


class _Drained:
    """A file to which can be written, and whose content is taken away as it comes."""

    closed = False

    def __init__(self) -> None:
        self._held, self._length = list[bytes](), 0

    def write(self, content: bytes) -> int:
        """Keep some bytes."""
        self._held.append(bytes(content))
        self._length += len(content)
        return len(content)

    def tell(self) -> int:
        """How many bytes there were."""
        return self._length

    def flush(self) -> None:
        """Nothing waits."""

    def writable(self) -> bool:
        """It is."""
        return True

    def readable(self) -> bool:
        """It is not."""
        return False

    def seekable(self) -> bool:
        """It is not."""
        return False

    def close(self) -> None:
        """Nothing is left open."""
        self.closed = True

    def drained(self) -> bytes:
        """What has come since the last time."""
        content, self._held = b"".join(self._held), []
        return content


async def download_rows(request: Request) -> Response:
    """GET /browse.csv, /browse.jsonl and /browse.parquet: the rows of all groups that fit, streamed."""
    reader, ending = request.app.state.reader, f".{request.url.path.rpartition('.')[2]}"
    chosen = replace(read_filter(request.query_params), browse="1", focus="")
    await run_in_threadpool(reader.refresh)
    await run_in_threadpool(select, reader, chosen)  # refuses names that the lab does not have
    headers = {"Content-Disposition": f'attachment; filename="groups{ending}"'}
    return StreamingResponse(stream_rows(reader, chosen, ending), headers=headers, media_type=TYPES[ending])


ROUTES = tuple(Route(f"/browse{ending}", download_rows) for ending in TYPES)
"""Where the rows of Browse can be downloaded."""
