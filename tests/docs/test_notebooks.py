"""The notebooks of the docs are those of the plain Python beside them, and print what they show."""

import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[2]
SOURCES = sorted((PROJECT / "docs" / "notebooks").glob("*.py"))
SCRIPT = runpy.run_path(str(PROJECT / "scripts" / "notebooks.py"))
VARIES = re.compile(r"\d{4}-\d{2}-\d{2}")
MACHINE = re.compile(r"/(?:tmp|root|home|Users|work)/|site-packages|Traceback")


def _stored(source: Path) -> Any:
    return json.loads(source.with_suffix(".ipynb").read_text("utf-8"))


def _texts(notebook: Any) -> Iterator[str]:
    """What the cells print and show as text."""
    for output in (output for cell in notebook["cells"] for output in cell.get("outputs", ())):
        text = output.get("text") or output.get("data", {}).get("text/plain", "")
        yield VARIES.sub("", "".join(text))


def test_there_are_four_and_each_is_listed() -> None:
    index = (PROJECT / "docs" / "index.md").read_text("utf-8")
    assert len(SOURCES) == 4
    assert all(f"(notebooks/{source.stem}.ipynb)" in index for source in SOURCES)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_notebook_has_the_cells_of_its_source_and_nothing_of_a_machine(source: Path) -> None:
    stored = _stored(source)
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in stored["cells"]]
    assert cells == SCRIPT["read_cells"](source), f"run python scripts/notebooks.py {source.stem}"
    assert all(cell["outputs"] is not None for cell in stored["cells"] if cell["cell_type"] == "code")
    shown = json.dumps([cell.get("outputs") for cell in stored["cells"]])
    assert not MACHINE.findall(shown)
    assert len(shown) < 200_000


@pytest.mark.prove
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_notebook_prints_what_it_shows(source: Path) -> None:
    assert list(_texts(SCRIPT["execute"](source))) == list(_texts(_stored(source)))
