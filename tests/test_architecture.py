"""Who may import whom: data flows one way, and the core knows nobody."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "counterpoint"
ROOMS = {path.parent.name for path in ROOT.glob("*/__init__.py")}
PURE = {"core", "language", "pixels", "metrics"}

MAP: dict[str, set[str]] = {
    "core": set(),
    "language": {"core"},
    "pixels": {"core"},
    "metrics": {"core", "language"},
    "suites": PURE,
    "sources": {"core", "language", "pixels"},
    "world": {"core", "language", "pixels"},
    "checks": {"core", "language", "metrics"},
    "models": {"core", "language", "pixels"},
    "engine": {"core"},
    "exchange": {"core", "language", "pixels", "sources", "store"},
    "store": {"core", "pixels"},
    "review": ROOMS - {"cli", "explorer"},
    "studies": ROOMS - {"cli", "explorer"},
    "explorer": (ROOMS | {"catalog"}) - {"cli"},
    "cli": ROOMS | {"catalog"},
    "catalog": ROOMS,
    "__init__": ROOMS | {"catalog"},
    "__main__": {"cli"},
    "testing": {"core"},
    "_version": set(),
}
"""Each room with the rooms it may look into, beside itself; the number of the version is open to all."""

LIBRARIES: dict[str, set[str]] = {
    "core": {"numpy"},
    "language": {"numpy", "HanTa"},
    "pixels": {"numpy", "PIL"},
    "metrics": {"numpy", "pyarrow"},
    "checks": {"numpy", "pyarrow"},
    "suites": {"numpy"},
    "world": {"numpy", "PIL"},
    "exchange": {"numpy", "pyarrow", "ijson", "openpyxl", "PIL"},
    "sources": {"ijson", "msgspec", "numpy", "pyarrow"},
    "models": {"numpy", "PIL", "onnxruntime", "httpx2", "torch", "transformers", "huggingface_hub", "pocketsphinx"},
    "studies": {"numpy"},
    "engine": {"pyarrow"},
    "store": {"numpy", "pyarrow"},
    "explorer": {"numpy", "pyarrow", "PIL", "jinja2", "starlette", "vl_convert", "duckdb"},
    "cli": {"click", "numpy", "rich", "pyarrow", "uvicorn"},
    "testing": {"numpy", "pyarrow"},
}
"""Each room with the packages of others that it may use; whatever is not listed uses none."""


def imports(root: Path) -> Iterator[tuple[str, str]]:
    """Every room with each module that one of its files imports, wherever in the file it does so."""
    for path in sorted(root.rglob("*.py")):
        room = path.relative_to(root).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((room, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{path} imports relatively; names are easier to find when they are whole"
                yield from ((room, f"{node.module}.{alias.name}") for alias in node.names)


def _ours(root: Path) -> set[tuple[str, str]]:
    found = {(room, name.split(".")[1]) for room, name in imports(root) if name.startswith("counterpoint.")}
    return {(room, used) for room, used in found if used not in (room, "_version")}


def _others(root: Path) -> set[tuple[str, str]]:
    found = {(room, name.split(".")[0]) for room, name in imports(root)}
    return {(room, used) for room, used in found if used not in sys.stdlib_module_names | {"counterpoint"}}


def test_rooms_only_look_where_the_map_allows() -> None:
    assert {(room, used) for room, used in _ours(ROOT) if used not in MAP[room]} == set()


def test_rooms_only_use_the_libraries_they_are_meant_to() -> None:
    assert {(room, used) for room, used in _others(ROOT) if used not in LIBRARIES.get(room, set())} == set()


def test_every_room_is_on_the_map() -> None:
    assert {path.stem for path in ROOT.glob("*.py")} | ROOMS == set(MAP)


def test_the_map_has_no_way_back_to_the_core_or_from_it() -> None:
    assert not MAP["core"]
    assert all(MAP[room] <= PURE - {room} for room in PURE | {"suites"})


def test_a_look_into_a_forbidden_room_is_seen_wherever_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "a.py").write_text("def f():\n    from counterpoint import cli\n    import torch.nn\n")
    (tmp_path / "pixels.py").write_text("if False:\n    import counterpoint.store.worlds\n")
    assert _ours(tmp_path) == {("core", "cli"), ("pixels", "store")}
    assert _others(tmp_path) == {("core", "torch")}
