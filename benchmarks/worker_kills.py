"""Whether several workers on a device answer as one process does: `python -m benchmarks.worker_kills towers --small`.

A checkpoint of `benchmarks.hf_speed` is asked by one process, by two workers, by two of which one is killed after its
first answers, and by four. Printed are the seconds, how many answers are stored, how many differ from those of one
process, and how many the next run asks.
"""

import argparse
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import perf_counter
from typing import Any

from benchmarks.hf_checkpoints import SHAPES
from benchmarks.hf_speed import draw_pictures, make_groups
from counterpoint.core.groups import Mode
from counterpoint.lab.running import RunRequest, run_model
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest

WAYS = {"one process": 0, "two workers": 2, "two workers, one killed": 2, "four workers": 4}
PICTURES = {"towers": 4000, "qwen": 512, "llava": 256}
QUERIES = 8
"""On each picture."""


def main() -> None:
    """Print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", nargs="?", choices=[*SHAPES], default="towers")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = draw_pictures(folder / "pictures", 200 if options.small else PICTURES[options.shape], (640, 480))
        saved = SHAPES[options.shape](folder / options.shape, options.small)
        mode = Mode.SCORE if options.shape == "towers" else Mode.ANSWER
        table = groups_table((("speed", group) for group in make_groups(files, QUERIES, mode, 0)), "speed")
        first: dict[int, Any] = {}
        for number, (way, workers) in enumerate(WAYS.items()):
            lab = LabStore(folder / f"lab-{number}")
            lab.set_root("speed", files[0].parent)
            lab.put_suite(Manifest.of(table, generator="benchmarks.worker_kills", seed=0), table)
            with _one_killed(lab.folder / "answers") if "killed" in way else nullcontext():
                answers = _run(lab, RunRequest(f"hf/{saved.folder}", workers=workers, check=0), way)
            first = first or answers
            differ = sum(first[query] != answer for query, answer in answers.items())
            again = run_model(lab, RunRequest(f"hf/{saved.folder}", check=0)).outcome.asked
            print(
                f"    {differ:,} of {len(answers):,} differ from one process; the next run asks {again:,}", flush=True
            )


def _run(lab: LabStore, request: RunRequest, way: str) -> dict[int, Any]:
    began = perf_counter()
    outcome = run_model(lab, request).outcome
    seconds = perf_counter() - began
    [version] = lab.versions()
    stored = lab.read_answers(version.fingerprint, ["query", "raw", "score"])
    losses = sum(worker.losses for worker in outcome.workers)
    print(f"{way}: {outcome.asked:,} asked, {outcome.failed:,} failed, {losses} lost, {seconds:.1f} s with loading")
    return {row["query"]: (row["raw"], row["score"]) for row in stored.to_pylist()}


@contextmanager
def _one_killed(answers: Path) -> Iterator[None]:
    """Kill a worker as soon as parts of answers are there."""
    done = Event()

    def watch() -> None:
        while not done.wait(0.5):
            if len(list(answers.rglob("*.parquet"))) > 2:
                multiprocessing.active_children()[0].kill()
                return

    watcher = Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


if __name__ == "__main__":
    main()
