"""What the catalog holds: each suite, metric, model, source and so on, what it is and what it needs."""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Any

from counterpoint import catalog
from counterpoint.core.errors import UnknownName
from counterpoint.lab.results import LabResult
from counterpoint.language.answers.extraction import EXTRACTION_RULES
from counterpoint.language.answers.rule_sets import RULE_SETS
from counterpoint.reports.tables import ResultTable
from counterpoint.sources.dataset import KINDS, DataSet

Entry = Mapping[str, Any]
"""What is known of one name: `name` and `description` first, then what it needs."""


@dataclass(frozen=True, slots=True, repr=False)
class CatalogListing(LabResult[Entry], rows="entries"):
    """One table of the catalog."""

    table: str
    entries: tuple[Entry, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {self.table: [dict(entry) for entry in self.entries]}

    def records(self) -> list[dict[str, Any]]:
        """One row per name."""
        return [{key: _text(value) for key, value in entry.items()} for entry in self.entries]

    def tables(self) -> list[ResultTable]:
        """One row per name."""
        heads = tuple(self.entries[0]) if self.entries else ("name",)
        rows = [tuple(row[head] for head in heads) for row in self.records()]
        return [ResultTable(self.table.capitalize(), heads, rows, names=len(heads))]


def list_catalog(table: str) -> CatalogListing:
    """List a table of the catalog; models are described without being imported."""
    if table not in _TABLES:
        raise UnknownName("table", table, _TABLES)
    return CatalogListing(table, tuple(_TABLES[table]()))


def _suites() -> Iterator[Entry]:
    for name, suite in catalog.find_all("suites"):
        takes = [suite.prefers, suite.takes] if suite.prefers else [suite.takes]
        yield {"name": name, "description": suite.tests, "takes": takes, "options": list(suite.options)}


def _families() -> Iterator[Entry]:
    for name, family in catalog.find_all("families"):
        yield {"name": name, "description": family.title, "suites": list(family.suites)}


def _metrics() -> Iterator[Entry]:
    for name, metric in catalog.find_all("metrics", catalog.metric):
        needs = str(metric.needs)
        yield {"name": name, "description": metric.description, "needs": needs, "better": metric.better}


def _models() -> Iterator[Entry]:
    for table, ending in (("models", ""), ("ways", "/NAME")):
        for name, place in catalog.rows(table).items():
            yield {"name": f"{name}{ending}", "description": first_line(place), "place": place}


def _sources() -> Iterator[Entry]:
    for name, source in catalog.find_all("sources"):
        is_files = isinstance(source, DataSet)
        kinds = list(source.read) if is_files else [kind for kind in KINDS if hasattr(source, kind)]
        yield {
            "name": name,
            "description": getattr(source, "title", getattr(source, "__name__", name)),
            "kinds": kinds,
            "splits": list(getattr(source, "splits", ())),
            "needs": "files: --data FOLDER" if is_files else "nothing",
        }


def _checks() -> Iterator[Entry]:
    for name, check in catalog.find_all("checks"):
        settings = [f"{key}={value}" for key, value in check.settings.items()]
        yield {"name": name, "description": check.description, "settings": settings, "model": check.model}


def _rules() -> Iterator[Entry]:
    for name, rules in RULE_SETS.items():
        yield {"name": name, "description": rules.description, "for": "comparing answers: generate --rules"}
    for name, rule in EXTRACTION_RULES.items():
        yield {"name": name, "description": rule.description, "for": "values of replies: rescore --rule"}


def _papers() -> Iterator[Entry]:
    from counterpoint.reports.papers import beyond_accuracy, carets, contrast, rad, valse  # slow to import

    for name, description, module in (
        ("beyond-accuracy", "Beyond Accuracy (EMNLP 2021): bias, robustness, uncertainty", beyond_accuracy),
        ("carets", "CARETS (ACL 2022): six tests", carets),
        ("contrast", "Contrast sets (NAACL 2021)", contrast),
        ("rad", "RAD (ACL 2021): robustness to augmented data", rad),
        ("valse", "VALSE (ACL 2022): captions and foils", valse),
    ):
        yield {"name": name, "description": description, "tables": list(module.LABELS)}


def _layouts() -> Iterator[Entry]:
    from counterpoint.exports.training_files import TRAINING_LAYOUTS
    from counterpoint.lab.exporting import EXPORT_LAYOUTS  # slow to import

    for name, description in EXPORT_LAYOUTS.items():
        yield {"name": name, "description": description, "for": "export"}
    for name, layout in TRAINING_LAYOUTS.items():
        yield {"name": name, "description": (layout.__doc__ or "").splitlines()[0], "for": "augment"}


def _outputs() -> Iterator[Entry]:
    for name, place in catalog.rows("outputs").items():
        yield {"name": name, "description": first_line(place), "place": place}


_TABLES: Mapping[str, Callable[[], Iterator[Entry]]] = {
    "suites": _suites,
    "families": _families,
    "metrics": _metrics,
    "models": _models,
    "sources": _sources,
    "checks": _checks,
    "rules": _rules,
    "papers": _papers,
    "layouts": _layouts,
    "outputs": _outputs,
}
LISTED = tuple(_TABLES)
"""The tables that can be listed."""


def catalog_names(*tables: str) -> set[str]:
    """The names in some tables of the catalog; nothing is imported."""
    return {name for table in tables for name in catalog.rows(table)}


def first_line(place: str) -> str:
    """The first line of the docstring of "module:object", read from its source without importing it; else the place."""
    module, _, name = place.partition(":")
    try:
        tree = ast.parse(_module_file(module).read_text("utf-8"))
    except (ImportError, OSError, ValueError, SyntaxError):
        return place
    for node, after in zip_longest(tree.body, tree.body[1:]):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return (ast.get_docstring(node) or place).splitlines()[0]
        if isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets):
            match after:
                case ast.Expr(ast.Constant(str(text))):
                    return text.splitlines()[0]
    return place


def _module_file(module: str) -> Path:
    """The file of a module; looking up its outermost package imports nothing."""
    first, *inner = module.split(".")
    spec = find_spec(first)
    if spec is None or spec.origin is None:
        raise ImportError(f"{first} has no file")
    path = Path(spec.origin).parent.joinpath(*inner)
    return Path(spec.origin) if not inner else path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
