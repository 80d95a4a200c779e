"""How long the findings of one model take in a lab of a million answers of forty models.

    python -m benchmarks.findings_speed [LAB]

Without a lab, one is made. Times are of the processor and of the clock, the first with nothing in memory.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import counterpoint as cp
from benchmarks.explorer_lab import made

MODELS, ROWS = 40, 25_000


def measure(folder: Path) -> None:
    """Print the times of findings, of findings again, and of what changed between two models."""
    lab = cp.Lab(folder)
    first, second = (version.title for version in lab.models[:2])
    for what, against in (("findings", ""), ("findings of another model", ""), ("what changed", first)):
        clock, processor = time.perf_counter(), time.process_time()
        found = lab.findings(second if against or "another" in what else first, against=against)
        clock, processor = time.perf_counter() - clock, time.process_time() - processor
        print(f"{what}: {processor:.1f} s of the processor, {clock:.1f} s by the clock")
    print(f"{found.searched:,} groups, {found.features} features, {len(found)} findings in the last")


def main() -> None:
    """Make a lab, unless one is named, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lab", nargs="?", type=Path, help="a lab that was made before")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        if given.lab is None:
            made(Path(folder) / "lab", MODELS, ROWS)
        measure(given.lab or Path(folder) / "lab")


if __name__ == "__main__":
    main()
