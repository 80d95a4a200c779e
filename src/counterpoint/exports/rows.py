"""The rows of a suite as one flat table: ids as text, pictures embedded as every decoder reads them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from counterpoint.core.errors import CounterpointError, StoreError
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Picture
from counterpoint.pictures.folders import encode_png, shared_format
from counterpoint.store.cache import LRUCache
from counterpoint.store.groups import read_queries
from counterpoint.store.pictures import LabPictures
from counterpoint.store.suites import StoredSuite

CACHE_BYTES = 256 * 2**20
"""Encoded pictures that are cached, in bytes."""
_SUFFIXES = {"JPEG": "jpg", "PNG": "png"}


class PictureExporter:
    """Encodes pictures with their edits applied, with an LRU cache of bounded size.

    A file is exported unchanged where all decoders agree on it: an upright, opaque JPEG or PNG in color or gray. All
    else is encoded as PNG.
    """

    def __init__(self, pictures: LabPictures, *, cache_bytes: int = CACHE_BYTES) -> None:
        self.seen: set[Picture] = set()
        self._pictures = pictures
        self._files = LRUCache[Picture, dict[str, bytes | str]](cache_bytes, size=lambda file: len(file["bytes"]))

    def file(self, picture: Picture) -> dict[str, bytes | str]:
        """The bytes of a picture as shown, and a name for them."""
        return self._files.get_or_make(picture, lambda: self._encoded(picture))

    def _encoded(self, picture: Picture) -> dict[str, bytes | str]:
        path = None if picture.edits else self._pictures.file(picture.address)
        ending = _SUFFIXES.get(shared_format(path), "") if path else ""
        try:
            content = path.read_bytes() if path and ending else encode_png(self._pictures.pixels(picture))
        except CounterpointError as problem:
            fact = f"the picture {picture.address} cannot be exported: {problem}"
            raise StoreError(fact, hint="put its file where the lab looks for it, or add --no-pictures") from problem
        self.seen.add(picture)
        return {"bytes": content, "path": f"{hex_id(picture.id)}.{ending or 'png'}"}


ROWS, BYTES = 1000, 64 * 2**20
"""The size of a row group: at most so many rows, and so many bytes of pictures."""

_TEXT: Mapping[str, Any] = MappingProxyType({"dtype": "string", "_type": "Value"})
_CREDIT: Mapping[str, Any] = MappingProxyType({"answer": dict(_TEXT), "credit": {"dtype": "float64", "_type": "Value"}})
COLUMNS: Mapping[str, tuple[Any, str]] = MappingProxyType(
    {
        "image": ({"_type": "Image"}, "the picture as a model is to be shown it; empty where it is to be shown none"),
        "query_id": (_TEXT, "the id that brings an answer back: sixteen hexadecimal digits"),
        "question": (_TEXT, "the question, or the sentence whose fit is to be scored"),
        "choices": ({"feature": dict(_TEXT), "_type": "Sequence"}, "the answers that are offered, if any are"),
        "context": (_TEXT, "what is said before the question, if anything is"),
        "answer": (_TEXT, "the best gold; empty where there is none"),
        "answers": ([dict(_CREDIT)], "every gold with the credit it earns, from 0 to 1"),
        "group_id": (_TEXT, "the group: rows that share it belong together"),
        "role": (
            {"dtype": "int32", "_type": "Value"},
            "the place in the group; 0 is the base, the others are variants",
        ),
        "relation": (_TEXT, "what the answers of a group must satisfy: same, differs, gold, ranks or swap"),
        "suite": (_TEXT, "the suite"),
        "test": (_TEXT, "the test within the suite"),
        "kind": (_TEXT, "the kind of question"),
        "mode": (_TEXT, "`answer` for a question, `score` for a sentence whose fit to the picture is to be scored"),
        "picture": (_TEXT, "the address of the picture"),
        "edits": (_TEXT, "what was done to its pixels, as JSON: name, arguments and seed of each step"),
        "feature_edits": (_TEXT, "what is to be done to a model's own features, likewise; `[]` for nothing"),
        "proof": (_TEXT, "from what the gold follows"),
        "objects": (_TEXT, "what the question is about, as JSON: name and box of each, and the size boxes refer to"),
        "tags": (_TEXT, "what the row can be sliced by, as a JSON object"),
    }
)
"""Every column with its Hugging Face feature type and its description."""

_STRING = pa.string()
_TYPES: Mapping[str, pa.DataType] = MappingProxyType(
    {
        "image": pa.struct([pa.field("bytes", pa.binary()), pa.field("path", _STRING)]),
        "choices": pa.list_(_STRING),
        "answers": pa.list_(pa.struct([pa.field("answer", _STRING), pa.field("credit", pa.float64())])),
        "role": pa.int32(),
    }
)


def column_names(*, pictures: bool) -> list[str]:
    """The names of the columns, in order."""
    return [name for name in COLUMNS if pictures or name != "image"]


MANIFEST = b"counterpoint.manifest"
"""The key of the metadata under which a file of rows holds the manifest of its suite."""


def rows_schema(*, pictures: bool, metadata: Mapping[bytes, bytes] = MappingProxyType({})) -> pa.Schema:
    """The schema of the rows, which tells Hugging Face readers that the pictures are pictures."""
    names = column_names(pictures=pictures)
    about = {"info": {"features": {name: COLUMNS[name][0] for name in names}}}
    fields = [pa.field(name, _TYPES.get(name, _STRING)) for name in names]
    return pa.schema(fields, metadata={b"huggingface": json.dumps(about, default=dict).encode(), **metadata})


def flat_tables(suite: StoredSuite, pictures: PictureExporter | None) -> Iterator[pa.Table]:
    """The rows of a suite, in order and some at a time, so that memory never holds all the pictures."""
    manifest = json.dumps(asdict(suite.manifest), ensure_ascii=False, sort_keys=True).encode()
    table, shape = suite.table, rows_schema(pictures=pictures is not None, metadata={MANIFEST: manifest})
    start = 0
    while start < table.num_rows:
        rows, images, size = table.slice(start, ROWS), list[dict[str, bytes | str] | None](), 0
        for query in read_queries(rows) if pictures is not None else ():
            images.append(pictures.file(query.picture) if pictures and query.picture else None)
            size += len(images[-1]["bytes"]) if images[-1] else 0
            if size >= BYTES:
                rows = rows.slice(0, len(images))
                break
        start += rows.num_rows
        values = _texts(rows) | {"image": images}
        yield pa.table([pa.array(values[field.name], field.type) for field in shape], schema=shape)


def _tags(pairs: list[tuple[str, str]]) -> dict[str, str] | list[tuple[str, str]]:
    """Tags by name, or as pairs where a name occurs twice, which an object would lose."""
    return by_name if len(by_name := dict(pairs)) == len(pairs) else pairs


def _texts(rows: pa.Table) -> dict[str, Any]:
    gold = rows["gold"].to_pylist()
    kept = ("choices", "context", "relation", "suite", "test", "kind", "mode", "picture", "edits", "feature_edits")
    return {
        "query_id": [hex_id(number) for number in rows["query"].to_pylist()],
        "question": rows["text"].to_pylist(),
        "answer": [credits_of[0]["answer"] if credits_of else None for credits_of in gold],
        "answers": gold,
        "group_id": [hex_id(number) for number in rows["group_id"].to_pylist()],
        "role": rows["role"].to_pylist(),
        "proof": rows["proof"].to_pylist(),
        "tags": [json.dumps(_tags(tags), ensure_ascii=False) for tags in rows["tags"].to_pylist()],
        "objects": [
            json.dumps({"objects": [list(thing.values()) for thing in things], "size": [w, h] if w else None})
            for things, w, h in zip(*(rows[name].to_pylist() for name in ("objects", "width", "height")), strict=True)
        ],
    } | {name: rows[name].to_pylist() for name in kept}
