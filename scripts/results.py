"""Write the tables of docs/results/built-in-models.md: what the built-in models score on every suite of the world.

Run `make results`, some ten minutes on two cores. The text around the tables is written by hand, and read again
whenever a table changes.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import counterpoint as cp
from counterpoint.lab.leaderboard import FLOORS

PAGE = Path(__file__).parents[1] / "docs" / "results" / "built-in-models.md"
FAMILIES = {
    "carets": ("negation", "antonym", "ontology", "order", "rephrase", "visual"),
    "contrast": ("contrast", "plain"),
    "rad": ("rad-counterfactuals", "rad-dialogues", "rad-open-dialogues"),
    "questions": ("negated-questions", "antonym-questions", "reordered-questions", "rephrased-questions"),
    "robustness": ("noise", "pictures-changed", "feature-noise", "word-noise", "sears"),
    "bias": ("question-bias", "picture-bias", "feature-question-bias", "feature-picture-bias", "blind-controls"),
    "valse": ("existence", "plurality", "counting", "relations", "actions", "objects", "coreference"),
}
"""Suites by the name of their place on the page."""
MODELS = ("fusion", "cnn-lstm", "two-tower", "question-only", "picture-only", "constant", "random")
ITEMS, LIMIT, SEED = 400, 200, 0


def tables(folder: Path) -> Mapping[str, str]:
    """Markdown by the name of its place."""
    lab = cp.Lab(folder)
    for name, suites in FAMILIES.items():
        sys.stdout.write(f"{name}\n")
        lab.generate(*suites, items=ITEMS, limit=LIMIT, seed=SEED)
    for model in MODELS:
        sys.stdout.write(f"{model}\n")
        lab.run(model)
    board = lab.leaderboard()
    columns = {column["suite"]: column for column in board.to_dict()["columns"]}
    cells = {(row["model"], row["column"]): row for row in board.records()}
    return {name: family_table(columns, cells, suites) for name, suites in FAMILIES.items()}


def family_table(columns: Mapping[str, Any], cells: Mapping[tuple[str, str], Any], suites: tuple[str, ...]) -> str:
    """A row for each suite and a column for each model that has a score on one of them."""
    keys = [columns[suite]["key"] for suite in suites]
    models = [model for model in MODELS if any(cells[model, key]["value"] is not None for key in keys)]
    lines = [["suite", "metric", "groups or pairs", *models], ["---", "---", "---:", *["---:"] * len(models)]]
    for suite, key in zip(suites, keys, strict=True):
        row = [cells[model, key] for model in models]
        lines.append([f"`{suite}`", columns[suite]["title"], str(max(cell["n"] for cell in row)), *map(_shown, row)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _shown(cell: Mapping[str, Any]) -> str:
    """A score in per cent with its interval; bold where it is tied with the best of all models, and no floor."""
    if cell["value"] is None:
        return "–"
    value, low, high = (f"{100 * cell[name]:.1f}" for name in ("value", "low", "high"))
    is_bold = cell["tie"] and cell["model"] not in FLOORS  # also where most are tied, which leaderboards do not mark
    return f"{f'**{value}**' if is_bold else value} ({low}–{high})"


def page_with(texts: Mapping[str, str], page: str) -> str:
    """The page with other tables at their places."""
    for name, text in texts.items():
        place = re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)
        assert place.search(page), f"the page has no place for {name}"
        page = place.sub(lambda found, text=text: f"{found[1]}\n{text}\n{found[2]}", page)
    return page


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        texts = tables(Path(folder) / "lab")
    PAGE.write_text(page_with(texts, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{PAGE.name} is written\n")
