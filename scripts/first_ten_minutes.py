"""Follow the docs literally, as a newcomer would: `python -m scripts.first_ten_minutes`.

README → install → demo → a model of one's own → data of one's own → gate, in a fresh clone and an environment that
`make demo` makes. Every command is typed into a shell, every block into a prompt, each page in an empty folder. It
stops at the first difference from what a page shows, and says how long each page took.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from scripts.environments import Environment, StepError
from scripts.typist import Typist

PROJECT = Path(__file__).parents[1]
PAGES = (
    "README.md",
    "docs/tutorial/your-own-model.md",
    "docs/how-to/use-your-own-data.md",
    "docs/how-to/evaluate-every-week.md",
)
"""The way of a newcomer, from the first line to a gate."""
SKIP = ("source", "make test")
"""What a shell that is left after each command cannot keep, and what contributors alone run."""


def follow(clone: Path, pages: Sequence[str]) -> float:
    """Type the pages one after the other; the seconds that it took in all."""
    total = 0.0
    for number, page in enumerate(pages):
        folder = clone if page == "README.md" else clone.parent / f"page-{number}"
        folder.mkdir(exist_ok=True)
        start = time.monotonic()
        with Typist(Environment(clone / ".venv"), folder, skip=SKIP) as typist:
            typed = typist.follow(clone / page)
        seconds = time.monotonic() - start
        total += seconds
        print(f"{page}: {typed} commands and blocks in {seconds:.0f} s", flush=True)
    return total


def main(arguments: Sequence[str]) -> int:
    """Follow the pages in a fresh clone; 1 at the first difference."""
    parser = argparse.ArgumentParser(description="Follow the docs literally, in a fresh clone.")
    parser.add_argument("pages", nargs="*", default=PAGES, help="Pages by their paths, README.md first.")
    pages = parser.parse_args(arguments).pages
    os.environ.setdefault("PYTHON", str(Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"))
    with tempfile.TemporaryDirectory() as name:
        clone = Path(name) / "counterpoint"
        subprocess.run(["git", "clone", "--quiet", "--depth", "1", PROJECT.as_uri(), str(clone)], check=True)
        try:
            total = follow(clone, pages)
        except StepError as problem:
            print(problem, file=sys.stderr)
            return 1
    print(f"All of it as the pages say, in {total / 60:.1f} minutes.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
