"""Who may import whom: data flows one way, and the core knows nobody."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import counterpoint

ROOT = Path(__file__).parents[1] / "src" / "counterpoint"
PACKAGES = {path.parent.name for path in ROOT.glob("*/__init__.py")}
PURE = {"core", "language", "pictures", "metrics", "scenes"}

MAP: dict[str, set[str]] = {
    "core": set(),
    "language": {"core"},
    "pictures": {"core"},
    "scenes": {"core", "language"},
    "metrics": {"core", "language"},
    "suites": PURE,
    "sources": {"core", "language", "pictures"},
    "world": {"core", "language", "pictures", "scenes"},
    "checks": {"core", "language", "metrics"},
    "review": {"core", "metrics"},
    "models": {"core", "language", "pictures", "engine"},
    "engine": {"core"},
    "store": {"core", "pictures", "metrics"},
    "exports": {"core", "language", "pictures", "store"},
    "lab": (PACKAGES | {"catalog"}) - {"cli", "explorer"},
    "studies": (PACKAGES | {"catalog"}) - {"cli", "explorer"},
    "reports": (PACKAGES | {"catalog"}) - {"cli", "explorer"},
    "explorer": (PACKAGES | {"catalog"}) - {"cli"},
    "cli": set(),
    "integrations": set(),
    "catalog": PACKAGES,
    "__init__": PACKAGES | {"catalog"},
    "__main__": {"cli"},
    "testing": {"core"},
    "_version": set(),
}
"""Each package with the packages it may import, beside itself; the version is open to all."""

LIBRARIES: dict[str, set[str]] = {
    "core": {"msgspec", "numpy"},
    "language": {"numpy", "HanTa"},
    "pictures": {"numpy", "PIL"},
    "metrics": {"numpy", "pyarrow"},
    "checks": {"numpy", "pyarrow"},
    "scenes": {"msgspec", "numpy"},
    "review": {"msgspec", "numpy"},
    "suites": {"msgspec", "numpy"},
    "world": {"numpy", "PIL"},
    "exports": {"numpy", "pyarrow", "PIL", "huggingface_hub"},
    "sources": {"huggingface_hub", "msgspec", "numpy", "openpyxl", "pyarrow"},
    "models": {
        "jinja2",
        "numpy",
        "PIL",
        "onnxruntime",
        "httpx2",
        "torch",
        "transformers",
        "huggingface_hub",
        "pocketsphinx",
    },
    "studies": {"numpy"},
    "lab": {"PIL", "msgspec", "numpy", "pyarrow"},
    "reports": {"jinja2", "markupsafe", "numpy", "pyarrow"},
    "engine": {"numpy", "pyarrow", "ray"},
    "store": {"duckdb", "numpy", "obstore", "pyarrow"},
    "explorer": {"httpx2", "numpy", "pyarrow", "PIL", "jinja2", "msgspec", "python_multipart", "starlette", "uvicorn"},
    "cli": {"click", "pyarrow", "rich"},  # Arrow only to load it without pandas
    "integrations": {"mlflow", "pytest", "tensorboard", "torch", "transformers", "wandb"},
    "testing": {"numpy", "pyarrow"},
}
"""Each package with the libraries it may import; a package that is not listed imports none."""

LARGE = (
    "mlflow",
    "openai",
    "openpyxl",
    "pandas",
    "ray",
    "schemathesis",
    "scipy",
    "statsmodels",
    "torch",
    "transformers",
)
"""Libraries of tests that take a tenth of a second and more to import."""

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Where statements hold other statements."""


@cache
def _nodes(path: Path) -> list[ast.AST]:
    """Every statement of a file, parsed once for all tests; expressions, of which there are most, are left out."""
    nodes: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    for node in nodes:  # which grows as it is walked through
        for block in BLOCKS:
            nodes += getattr(node, block, ())
    return nodes


def imports(root: Path) -> Iterator[tuple[str, str]]:
    """Every package with each module that one of its files imports, wherever in the file it does so."""
    for path in sorted(root.rglob("*.py")):
        package = path.relative_to(root).parts[0].removesuffix(".py")
        for node in _nodes(path):
            if isinstance(node, ast.Import):
                yield from ((package, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{path} imports relatively; names are easier to find when they are whole"
                yield from ((package, f"{node.module}.{alias.name}") for alias in node.names)


def _ours(root: Path) -> set[tuple[str, str]]:
    """Every package with each package of ours that it imports; a public name counts as the module it comes from."""
    found = {(package, name.split(".")[1]) for package, name in imports(root) if name.startswith("counterpoint.")}
    return {(package, used) for package, used in found if used not in (package, "_version", *counterpoint.__all__)}


def _others(root: Path) -> set[tuple[str, str]]:
    found = {(package, name.split(".")[0]) for package, name in imports(root)}
    return {(package, used) for package, used in found if used not in sys.stdlib_module_names | {"counterpoint"}}


def test_packages_only_look_where_the_map_allows() -> None:
    assert {(package, used) for package, used in _ours(ROOT) if used not in MAP[package]} == set()


def test_packages_only_use_the_libraries_they_are_meant_to() -> None:
    assert {(package, used) for package, used in _others(ROOT) if used not in LIBRARIES.get(package, set())} == set()


def test_one_module_imports_ray() -> None:
    users = [
        path.name
        for path in ROOT.rglob("*.py")
        for node in _nodes(path)
        if isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "ray" for alias in node.names)
    ]
    assert set(users) == {"ray_workers.py"}


def test_command_line_and_integrations_import_public_names_alone() -> None:
    rim = ("cli", "integrations")
    names = {name for package, name in imports(ROOT) if package in rim and name.startswith("counterpoint")}
    public = {"counterpoint", *(f"counterpoint.{name}" for name in counterpoint.__all__)}
    public |= {"counterpoint._version.__version__"}
    assert {
        name for name in names - public if not name.startswith(("counterpoint.cli.", "counterpoint.integrations."))
    } == set()


def test_tests_import_large_libraries_where_they_use_them() -> None:
    """Each worker imports what stands at the top of every test, whether it runs it or not."""
    at_top = re.compile(rf"^(?:from|import) (?:{'|'.join(LARGE)})\b", re.MULTILINE)
    tests = Path(__file__).parent.rglob("test_*.py")
    assert [path.name for path in tests if at_top.search(path.read_text(encoding="utf-8"))] == []


def test_no_public_class_name_occurs_twice() -> None:
    classes = Counter(
        node.name
        for path in ROOT.rglob("*.py")
        for node in _nodes(path)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, count in classes.items() if count > 1} == set()
    assert classes.keys() & _aliases(ROOT).keys() == set()


def test_a_type_alias_means_the_same_everywhere() -> None:
    """Aliases of arrays, such as Floats, are short for their dtype and no things of their own."""
    meanings = {name: {own for own in values if "NDArray" not in own} for name, values in _aliases(ROOT).items()}
    assert {name: values for name, values in meanings.items() if len(values) > 1} == {}


def _aliases(root: Path) -> dict[str, set[str]]:
    """Each name in CamelCase that a module assigns a type to, with all its definitions; no type variables."""
    found: dict[str, set[str]] = {}
    for path in root.rglob("*.py"):
        for node in _nodes(path):
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(target, ast.Name) and node.value:
                name = target.id
                if name.isupper() or not name[0].isupper():
                    continue
                if not (meaning := ast.unparse(node.value)).startswith("TypeVar("):
                    found.setdefault(name, set()).add(meaning)
    return found


def test_every_package_is_on_the_map() -> None:
    assert {path.stem for path in ROOT.glob("*.py")} | PACKAGES == set(MAP)


def test_the_map_has_no_way_back_to_the_core_or_from_it() -> None:
    assert not MAP["core"]
    assert all(MAP[package] <= PURE - {package} for package in PURE | {"suites"})


def test_a_look_into_a_forbidden_package_is_seen_wherever_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "a.py").write_text("def f():\n    from counterpoint import cli\n    import torch.nn\n")
    (tmp_path / "pixels.py").write_text("if False:\n    import counterpoint.store.pictures\n")
    assert _ours(tmp_path) == {("core", "cli"), ("pixels", "store")}
    assert _others(tmp_path) == {("core", "torch")}
