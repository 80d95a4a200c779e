"""Write the tables of docs/results/built-in-models.md: what the built-in models score on suites of the world.

Run `make results`. The text around the tables is written by hand, and read again whenever a table changes.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import counterpoint as cp

PAGE = Path(__file__).parents[1] / "docs" / "results" / "built-in-models.md"
QUESTIONS = ("negation", "antonym", "order", "ontology", "rephrase", "contrast", "rad-counterfactuals")
FOILS = ("existence", "plurality", "relations")
ANSWERERS, SCORERS = ("fusion", "cnn-lstm", "question-only", "constant"), ("two-tower", "random")
ITEMS, LIMIT, SEED = 100, 200, 0


def tables(folder: Path) -> Mapping[str, str]:
    """Markdown by the name of its place on the page."""
    written = {}
    for name, suites, models in (("questions", QUESTIONS, ANSWERERS), ("foils", FOILS, SCORERS)):
        lab = cp.Lab(folder / name)
        lab.generate(*suites, items=ITEMS, limit=LIMIT, seed=SEED)
        for model in models:
            lab.run(model)
        written[name] = lab.scores().text("markdown")
    return written


def page_with(texts: Mapping[str, str], page: str) -> str:
    """The page with other tables at their places."""
    for name, text in texts.items():
        place = re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)
        assert place.search(page), f"the page has no place for {name}"
        page = place.sub(lambda found, text=text: f"{found[1]}\n{text}\n{found[2]}", page)
    return page


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        PAGE.write_text(page_with(tables(Path(folder)), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{PAGE.name} is written\n")
