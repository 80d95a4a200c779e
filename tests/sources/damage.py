"""Damage as files suffer it: what they say is changed, what they are made of is changed, or they are not there."""

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st
from source_samples import packed, written


@dataclass(frozen=True, slots=True)
class Damaged:
    """One file of a sample that is no longer what it was: its bytes, a folder in its place, or nothing at all."""

    name: str
    content: bytes | None
    how: tuple[str, ...]
    is_gone: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {', '.join(self.how)}"


TEXTS = [
    *(
        "",
        " ",
        "\t\n",
        "\x00",
        "a\x00b",
        "\ufeffcup",
        "\u202egnp.puc",
        "שלום",
        "🧑\u200d🚀",
        "e\u0301" * 40,
        "\ud800",
        "\ude00",
    ),
    *(
        "../../etc/passwd",
        "/absolute",
        "a\\b",
        "C:cup",
        "cup:1",
        "a/b/c.jpg",
        "x" * 5000,
        "٣",
        "²",
        "½",
        "1e400",
        "-0",
        "nan",
    ),
    *(
        "12",
        "012",
        "null",
        "true",
        "{}",
        "[]",
        "a,b;c\td",
        '"',
        "'",
        "\r\n",
        "%s {0} {words}",
        "COCO__",
        "_",
        ".",
        ".jpg",
    ),
]
NUMBERS = [0, -1, 1, 3, 10**6, 2**31, 2**63, 10**12, 10**13, 10**30, -(10**30), 0.5, -0.0, 1e-320, 1e17, 1e308, -1e308]
SHAPES: list[Any] = [
    None,
    True,
    False,
    [],
    {},
    [[]],
    [None],
    {"a": 1},
    {"a": {"b": {"c": []}}},
    [1, "a", None, {}],
    ["a", "b"],
]
RAW = [
    *(
        "1e400",
        "-1e400",
        "NaN",
        "Infinity",
        "-Infinity",
        "9" * 5000,
        "-",
        "01",
        "1.",
        ".5",
        "tru",
        "nul",
        "'a'",
        "",
        ",",
    ),
    *(
        '"\\ud800"',
        '"\\udc00\\ud800"',
        '"\\u0000"',
        '"\\u12"',
        '"\\x"',
        '"\n"',
        '"',
        "{",
        "[",
        "}",
        "]",
        "/* */ 1",
        "0x10",
    ),
]
"""What stands in a file as it is, and is no JSON or no value that JSON should have."""
RUBBISH = [b"\x00", b"\xff", b"\xed\xa0\x80", b"\xc3", b"\xef\xbb\xbf", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":"]
RUBBISH += [b"\\ud800", b"null", b"1e400", b"-1", b"NaN", b"\r", b"\n", b"\n{}\n", b"PAR1", b";", b"\t", b"'"]

ODD = st.one_of(*(st.sampled_from(some) for some in (SHAPES, TEXTS, NUMBERS)), st.text(max_size=5), st.integers())
"""Values of which few belong where they are put."""

_Tree = Any
_Path = tuple[Any, ...]


@st.composite
def damaged(draw: st.DrawFn, files: Mapping[str, Any]) -> Damaged:
    """One of the files of a sample, damaged in one to three ways."""
    name = draw(st.sampled_from([one for one in sorted(files) for _ in range(4 if says(one, files[one]) else 1)]))
    kind = draw(st.integers(0, 19))
    if kind == 0:
        return _misplaced(draw, name, files)
    content, how = written(name, files[name]), list[str]()
    if kind < 14 and says(name, files[name]):
        content, how = _retold(draw, name, read_tree(name, files[name]))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1] if how else [1, 1, 2]))):
        told, change = draw(st.sampled_from(BYTES))
        content, how = change(draw, content), [*how, told]
    return Damaged(name, content, tuple(how))


def _misplaced(draw: st.DrawFn, name: str, files: Mapping[str, Any]) -> Damaged:
    """The file is gone, is a folder, or is another file."""
    how = draw(st.sampled_from(["gone", "a folder", "another file"]))
    other = draw(st.sampled_from(sorted(files)))
    content = None if how != "another file" else written(other, files[other])
    return Damaged(name, content, (how,), is_gone=how == "gone")


def says(name: str, content: Any) -> bool:
    """Whether what a file says is known, so that it can say something else."""
    return name.endswith(".parquet") or not isinstance(content, bytes)


def read_tree(name: str, content: Any) -> _Tree:
    """What a file says, as lists and objects that can be changed."""
    return pq.read_table(BytesIO(content)).to_pylist() if name.endswith(".parquet") else deepcopy(content)


def _retold(draw: st.DrawFn, name: str, tree: _Tree) -> tuple[bytes, list[str]]:
    """The same file with one to three things in it that it should not say."""
    how, raw = [], dict[str, str]()
    for _ in range(draw(st.integers(1, 3))):
        told, change = draw(st.sampled_from(CHANGES))
        path = draw(st.sampled_from(list(paths(tree))))
        tree = change(draw, tree, path, raw)
        how.append(f"{told} at {'.'.join(map(str, path))[:60] or 'the top'}")
    if name.endswith(".parquet"):
        return _as_parquet(tree), how
    if name.endswith(".jsonl") and isinstance(tree, list):
        text = "".join(json.dumps(one) + "\n" for one in tree)
    else:
        text = json.dumps(tree, ensure_ascii=draw(st.booleans()))
    for mark, put in raw.items():
        text = text.replace(json.dumps(mark), put)
    return packed(name, text.encode("utf-8", "surrogatepass")), how


def _as_parquet(tree: _Tree) -> bytes:
    """Rows as columns; a column whose values no longer go together is one of texts."""
    rows = [row if isinstance(row, dict) else {"row": row} for row in (tree if isinstance(tree, list) else [tree])]
    names = dict.fromkeys(name for row in rows for name in row)
    out = BytesIO()
    pq.write_table(pa.table({_written(name): _column([row.get(name) for row in rows]) for name in names}), out)
    return out.getvalue()


def _column(values: list[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.array([value if value is None else _written(str(value)) for value in values])


def _written(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def paths(tree: _Tree, path: _Path = ()) -> Iterator[_Path]:
    """The place of every value, from the whole to the smallest parts."""
    yield path
    if isinstance(tree, dict | list):
        for key, value in list(tree.items()) if isinstance(tree, dict) else enumerate(tree):
            yield from paths(value, (*path, key))


def _held(tree: _Tree, path: _Path) -> _Tree:
    for key in path:
        tree = tree[key]
    return tree


def _with(tree: _Tree, path: _Path, value: Any) -> _Tree:
    """The tree with another value at a place."""
    if not path:
        return value
    _held(tree, path[:-1])[path[-1]] = value
    return tree


def _marked(raw: dict[str, str], text: str) -> str:
    mark = f"@raw {len(raw)}@"
    raw[mark] = text
    return mark


_Change = Callable[[st.DrawFn, _Tree, _Path, dict[str, str]], _Tree]


def _dropped(draw: st.DrawFn, tree: _Tree, path: _Path, raw: dict[str, str]) -> _Tree:
    if path:
        del _held(tree, path[:-1])[path[-1]]
        return tree
    return draw(st.sampled_from([{}, []]))


def _replaced(draw: st.DrawFn, tree: _Tree, path: _Path, raw: dict[str, str]) -> _Tree:
    return _with(tree, path, deepcopy(draw(ODD)))


def _rawly(draw: st.DrawFn, tree: _Tree, path: _Path, raw: dict[str, str]) -> _Tree:
    return _with(tree, path, _marked(raw, draw(st.sampled_from(RAW))))


def _nested(draw: st.DrawFn, tree: _Tree, path: _Path, raw: dict[str, str]) -> _Tree:
    depth = draw(st.one_of(st.integers(2, 60), st.integers(700, 1100), st.just(100_000)))
    start, end = draw(st.sampled_from([("[", "]"), ('{"a":', "}"), ('[{"id":', "}]")]))
    return _with(tree, path, _marked(raw, start * depth + "1" + end * depth))


def _reshaped(draw: st.DrawFn, tree: _Tree, path: _Path, raw: dict[str, str]) -> _Tree:
    """A list for an object, an object for a list, a list around anything else."""
    found = _held(tree, path)
    if isinstance(found, dict):
        other: Any = list(found.values())
    else:
        other = {str(place): one for place, one in enumerate(found)} if isinstance(found, list) else [found]
    return _with(tree, path, other)


def _repeated(draw: st.DrawFn, tree: _Tree, path: _Path, raw: dict[str, str]) -> _Tree:
    """An element twice in its list, or a key twice in its object, as JSON can have it."""
    if not path:
        return [tree, tree]
    within, key = _held(tree, path[:-1]), path[-1]
    copy = deepcopy(within[key])
    if isinstance(within, list):
        within.insert(draw(st.integers(0, len(within))), copy)
    else:
        within[_marked(raw, json.dumps(key))] = draw(st.sampled_from([copy, copy, None, "cup"]))
    return tree


def _renamed(draw: st.DrawFn, tree: _Tree, path: _Path, raw: dict[str, str]) -> _Tree:
    """Another key, which may be one that is there already."""
    within = _held(tree, path[:-1]) if path else None
    if isinstance(within, dict):
        value = within.pop(path[-1])
        within[draw(st.sampled_from([*TEXTS, *within]))] = value
        return tree
    return _replaced(draw, tree, path, raw)


def _moved(draw: st.DrawFn, tree: _Tree, path: _Path, raw: dict[str, str]) -> _Tree:
    """What stands somewhere else."""
    other = _held(tree, draw(st.sampled_from(list(paths(tree)))))
    return _with(tree, path, deepcopy(other))


CHANGES: list[tuple[str, _Change]] = [
    ("dropped", _dropped),
    ("replaced", _replaced),
    ("replaced", _replaced),
    ("no JSON", _rawly),
    ("nested", _nested),
    ("reshaped", _reshaped),
    ("repeated", _repeated),
    ("renamed", _renamed),
    ("moved", _moved),
]
"""What can happen to what a file says, in words and as a function."""


def _within(content: bytes) -> st.SearchStrategy[int]:
    return st.integers(0, len(content))


def _cut(draw: st.DrawFn, content: bytes) -> bytes:
    return content[: draw(_within(content))]


def _overwritten(draw: st.DrawFn, content: bytes) -> bytes:
    start, rubbish = draw(_within(content)), draw(st.one_of(st.sampled_from(RUBBISH), st.binary(max_size=8)))
    return content[:start] + rubbish + content[start + len(rubbish) :]


def _inserted(draw: st.DrawFn, content: bytes) -> bytes:
    start, rubbish = draw(_within(content)), draw(st.one_of(st.sampled_from(RUBBISH), st.binary(max_size=8)))
    return content[:start] + rubbish + content[start:]


def _torn(draw: st.DrawFn, content: bytes) -> bytes:
    """A part is missing, or is there twice."""
    start, end = sorted((draw(_within(content)), draw(_within(content))))
    return content[:start] + content[end:] if draw(st.booleans()) else content[:end] + content[start:]


def _encoded(draw: st.DrawFn, content: bytes) -> bytes:
    text = content.decode("utf-8", "replace")
    ways = [text.encode("utf-16"), text.encode("utf-16-le"), text.encode("utf-8-sig"), gzip.compress(content, mtime=0)]
    return draw(st.sampled_from([*ways, b"\xff" + content, content.replace(b"e", b"\xe9"), b"PK\x03\x04" + content]))


def _parted(draw: st.DrawFn, content: bytes) -> bytes:
    """Other marks between the parts: of a table, of lines, of JSON."""
    old, new = draw(
        st.sampled_from([(b",", b";"), (b",", b"\t"), (b",", b"\n"), (b"\n", b"\r"), (b"\n", b""), (b":", b"=")])
    )
    return content.replace(old, new, draw(st.sampled_from([1, 3, -1])))


def _strange(draw: st.DrawFn, content: bytes) -> bytes:
    """Something else altogether."""
    lines = b"\n".join(b'{"id": 1, "a": 2}' for _ in range(3))
    page = b"<!DOCTYPE html><title>404</title>"
    nothing = [b"", b" ", b"\xef\xbb\xbf", b"null", b"{}", b"[]", b"[{}]", b'""', b"7", lines, page, b"\x00" * 99]
    return draw(st.sampled_from([*nothing, content + content, content + b"\n" + content, b"[" * 100_000]))


def _lined(draw: st.DrawFn, content: bytes) -> bytes:
    """JSON lines for JSON: a line for each element, or for each member."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return content[1:]
    rows = [{key: one} for key, one in found.items()] if isinstance(found, dict) else found
    return b"\n".join(json.dumps(one).encode() for one in (rows if isinstance(rows, list) else [rows]))


BYTES: list[tuple[str, Callable[[st.DrawFn, bytes], bytes]]] = [
    ("cut off", _cut),
    ("overwritten", _overwritten),
    ("something put in", _inserted),
    ("torn", _torn),
    ("encoded otherwise", _encoded),
    ("parted otherwise", _parted),
    ("something else", _strange),
    ("lines", _lined),
]
"""What can happen to the bytes of a file, in words and as a function."""
