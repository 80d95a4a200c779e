"""Reference queries of feature noise, as listed in manifests."""

from collections.abc import Iterable, Sequence
from typing import Any

from counterpoint.core.errors import StoreError
from counterpoint.core.features import reference_name
from counterpoint.core.groups import Mode, Query
from counterpoint.core.pictures import Edit, Picture
from counterpoint.store.suites import Manifest


def read_references(manifests: Iterable[Manifest]) -> dict[str, list[Query]]:
    """All reference queries of some suites, by the names that edits use."""
    found: dict[str, list[Query]] = {}
    for manifest in manifests:
        for name, rows in dict(manifest.parameters.get("references", {})).items():
            found[name] = _queries(manifest.suite, name, rows)
    return found


def _queries(suite: str, name: str, rows: Any) -> list[Query]:
    """Queries from their content; StoreError where they do not match their name."""
    try:
        queries = [_query(row) for row in rows]
        if reference_name(queries) == name:
            return queries
    except (TypeError, ValueError, KeyError, AttributeError):
        pass
    fact = f"the manifest of {suite} does not hold the reference queries {name}"
    raise StoreError(fact, hint="generate the suite again, or restore the file from a copy")


def _query(row: Sequence[Any]) -> Query:
    shown, edits, context, text, mode, choices = row
    picture = Picture(shown[0], _edits(shown[1:])) if shown else None
    return Query(picture, text, Mode(mode), tuple(choices), context, _edits(edits))


def _edits(rows: Sequence[Any]) -> tuple[Edit, ...]:
    return tuple(Edit(name, tuple(arguments), seed) for name, arguments, seed in rows)
