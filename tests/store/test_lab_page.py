"""The page on the lab says what is in each table."""

import re
from pathlib import Path

import pytest

from counterpoint.store.tables import TABLES

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "lab.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TABLES)
def test_every_column_of_a_table_is_described_in_order(name: str) -> None:
    section = re.split(r"^###? ", PAGE.partition(f"\n### {name}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    rows = re.findall(r"^\| `(\w+)` \| \w[^|]* \| \S[^|]* \|$", section, re.MULTILINE)
    assert rows == TABLES[name].names
