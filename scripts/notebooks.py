"""Write docs/notebooks/*.ipynb: each from the plain Python beside it, executed in an empty folder.

Run `python scripts/notebooks.py [NAME …]` after a change to one; a test fails while a notebook differs from its source
or prints something else. A line `# %%` begins a cell of code, `# %% [markdown]` one of text, whose lines are comments.
"""

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
_CELL = re.compile(r"^# %%(?P<kind> \[markdown\])?\n(?P<text>.*?)(?=^# %%|\Z)", re.MULTILINE | re.DOTALL)
_MACHINE = re.compile(r"(?<![\w.:/])/(?:[\w.+-]+/)+[\w.+-]*|0x[0-9a-f]{6,}")
_CODE = {"display_name": "Python 3", "language": "python", "name": "python3"}


def read_cells(source: Path) -> list[tuple[str, str]]:
    """The cells of a source, each as its kind, markdown or code, and its text."""
    return [
        ("markdown", re.sub(r"^# ?", "", cell["text"].strip(), flags=re.MULTILINE))
        if cell["kind"]
        else ("code", cell["text"].strip())
        for cell in _CELL.finditer(source.read_text("utf-8"))
    ]


def execute(source: Path) -> Any:
    """The notebook of a source after its cells were run, without anything that tells the machine."""
    make = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}
    cells = [make[kind](text, id=f"cell-{place}") for place, (kind, text) in enumerate(read_cells(source), 1)]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": _CODE})
    how: dict[str, Any] = {"timeout": 600, "record_timing": False, "coalesce_streams": True}
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(notebook, resources={"metadata": {"path": folder}}, **how).execute()
    notebook.metadata = {"kernelspec": _CODE}
    for output in (output for cell in notebook.cells for output in cell.get("outputs", ())):
        _clean(output)
    nbformat.validate(notebook)
    return notebook


def _clean(output: Any) -> None:
    """Take paths of this machine and addresses in memory out of an output."""
    if "text" in output:
        output["text"] = _MACHINE.sub("…", output["text"])
    for kind, content in output.get("data", {}).items():
        if kind == "text/plain":
            output["data"][kind] = _MACHINE.sub("…", content)


def main(names: list[str]) -> None:
    """Write the notebooks of these names, or all."""
    for source in sorted(FOLDER.glob("*.py")):
        if not names or source.stem in names:
            nbformat.write(execute(source), source.with_suffix(".ipynb"))


if __name__ == "__main__":
    main(sys.argv[1:])
