"""How large the language room's files are, and how long they take to open.

    python benchmarks/lexicon.py

Each time is the middle of seven fresh interpreters; numpy is imported before the clock starts.
"""

import subprocess
import sys
from pathlib import Path
from statistics import median

DATA = Path(__file__).parents[1] / "src" / "counterpoint" / "language" / "lexicon" / "data"
LEXICON = "from counterpoint.language.lexicon.wordnet import lexicon"
SENSES = "from counterpoint.language.lexicon.senses import sense_of, is_a"
STEPS = [
    ("open the table", LEXICON, "lexicon()"),
    ("open it and find one noun", LEXICON, "lexicon().sense('dog.n.01')"),
    ("its path to the root", f"{LEXICON}; dog = lexicon().sense('dog.n.01')", "lexicon().hypernym_path(dog)"),
    ("the sense of a name", SENSES, "sense_of('traffic lights')"),
    ("whether a dog is an animal", SENSES, "is_a('dog', 'animal')"),
    ("a noun with its article", "from counterpoint.language.english import a", "a('umbrella')"),
    (
        "whether open excludes closed",
        "from counterpoint.language.lexicon.attributes import excludes",
        "excludes('open', 'closed')",
    ),
]


def milliseconds(setup: str, step: str) -> float:
    """How long a step takes the first time it is done in an interpreter."""
    clock = f"import time, numpy; {setup}; start = time.perf_counter(); {step}; print(time.perf_counter() - start)"
    runs = [subprocess.run([sys.executable, "-c", clock], capture_output=True, text=True, check=True) for _ in range(7)]
    return 1000 * median(float(run.stdout) for run in runs)


def report() -> str:
    """The sizes and the times, a line each."""
    sizes = [f"{path.stat().st_size / 1000:>9.0f} kB  {path.name}" for path in sorted(DATA.iterdir())]
    times = [f"{milliseconds(setup, step):>9.1f} ms  {what}" for what, setup, step in STEPS]
    return "\n".join([*sizes, *times])


if __name__ == "__main__":
    sys.stdout.write(report() + "\n")
