"""Table 5 of VALSE from the released files: lexical items, and how far captions and foils are apart."""

import pytest
from real_data import real

from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.valse import INSTRUMENTS, valse
from counterpoint.store.groups import groups_table
from counterpoint.studies.foil_words import WordSides, foil_words

TABLE_5 = {
    "existence": (25, 0.628, 0.629),
    "plurals": (704, 0.742, 0.766),
    "counting-balanced": (25, 0.070, 0.082),
    "counting-small": (4, 0.059, 0.071),
    "counting-adversarial": (27, 1.000, 1.000),
    "relations": (38, 0.083, 0.114),
    "action-replacement": (262, 0.437, 0.471),
    "actant-swap": (467, 0.000, 0.000),
    "coreference-standard": (2, 0.053, 0.084),
    "coreference-clean": (2, 0.126, 0.081),
    "foil-it": (73, 0.426, 0.425),
}
"""Lexical items, and the divergence before and after validation."""


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, WordSides]]:
    source = Source(valse, real("valse"), "all", limit=None)
    groups = [ready.group for ready in source.groups()]
    return foil_words(groups_table([(group.test, group) for group in groups], "released"))


def test_the_tests_are_in_the_order_of_the_paper(found: dict[str, dict[str, WordSides]]) -> None:
    assert list(found) == [one.name for one in INSTRUMENTS]


@pytest.mark.parametrize("test", TABLE_5)
def test_lexical_items_and_divergences_are_those_of_table_5(test: str, found: dict[str, dict[str, WordSides]]) -> None:
    items, before, after = TABLE_5[test]
    own = found[test]
    assert own["all"].items == items
    assert own["all"].divergence == pytest.approx(before, abs=1e-3)
    assert own["valid"].divergence == pytest.approx(after, abs=1e-3)


def test_exchanged_actants_stand_on_both_sides(found: dict[str, dict[str, WordSides]]) -> None:
    own = found["actant-swap"]["all"]
    assert own.captions == own.foils
    assert own.divergence == 0
