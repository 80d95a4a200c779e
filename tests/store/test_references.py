"""Reference queries in manifests: read as they were, or not at all."""

import pytest

from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Group, Query, Relation, reference_name
from counterpoint.core.pictures import Edit, Picture
from counterpoint.store.groups import groups_table
from counterpoint.store.suites import Manifest, read_references

QUERIES = [
    Query(Picture("p:1.png", (Edit("blur", ("6",)),)), "Is it?", choices=("yes", "no"), context="Hello."),
    Query(None, "Who is it?"),
]


def _manifest(parameters: object) -> Manifest:
    table = groups_table([("plain", Group(Relation.SAME, (QUERIES[1],), (None,)))], "some")
    return Manifest.of(table, generator="tests", seed=0, parameters=parameters)  # type: ignore[arg-type]


def test_reference_queries_come_back_as_they_were() -> None:
    name = reference_name(QUERIES)
    listed = _manifest({"references": {name: [query.content for query in QUERIES]}})
    assert read_references([listed, _manifest({})]) == {name: QUERIES}


@pytest.mark.parametrize("rows", [[], [QUERIES[0].content], [[1, 2]], [["x"] * 6], 7])
def test_what_is_not_what_its_name_says_is_an_error(rows: object) -> None:
    with pytest.raises(StoreError, match="the manifest of some does not hold the reference queries"):
        read_references([_manifest({"references": {reference_name(QUERIES): rows}})])
