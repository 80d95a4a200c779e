"""How much memory suites from many scenes take.

    python -m benchmarks.scene_memory FOLDER --scenes 1000000 --suites antonym --groups 5000 --workers 2

The scenes are those of `benchmarks.carets_speed`, written to FOLDER as a file of GQA by processes of their own, unless
it is there: 4 GB for a million. What is measured is from that file to suites in a lab. Memory is the peak of all
processes together, what they share counted once (PSS), looked at once a second; time is that of the clock and of the
processor.
"""

import argparse
import gc
import json
import os
import resource
from collections.abc import Iterable
from multiprocessing import get_context
from pathlib import Path
from shutil import rmtree
from threading import Event, Thread
from time import perf_counter
from typing import Any

from benchmarks.carets_speed import GRAY, Photos, process_memory
from counterpoint.cli.main import RARELY
from counterpoint.core.scenes import Scene
from counterpoint.lab.generation import PAPER, GenerateRequest, PairQuota, generate
from counterpoint.store.lab import LabStore


def main() -> None:
    """Write the scenes and print what the suites take."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scenes", type=int, default=20_000)
    parser.add_argument("--suites", nargs="+", default=["carets"])
    parser.add_argument("--groups", type=int, help="of each suite; as many as in the paper where none is given")
    parser.add_argument("--all", action="store_true", help="keep every group")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    data = options.folder / f"{options.scenes}"
    if not (data / "val_sceneGraphs.json").exists():
        data.mkdir(parents=True, exist_ok=True)
        write_scenes(data, options.scenes)
    pairs: PairQuota = None if options.all else options.groups or PAPER
    request = GenerateRequest(
        tuple(options.suites),
        source="gqa",
        data=data,
        split="val",
        items=options.scenes,
        pairs=pairs,
        options={"means": GRAY} if {"carets", "visual"} & set(options.suites) else {},
        workers=options.workers,
    )
    gc.set_threshold(*RARELY)  # as the command does
    lab = options.folder / "lab"
    rmtree(lab, ignore_errors=True)
    peak, done = [0], Event()
    watcher = Thread(target=_watch, args=(peak, done))
    watcher.start()
    start, before = perf_counter(), _processor_seconds()
    try:
        made = generate(LabStore(lab), request)
    finally:
        seconds = perf_counter() - start
        done.set()
        watcher.join()
    for suite in made.suites:
        if suite.manifest:
            print(f"{suite.name:<10}{suite.manifest.groups:>12,} groups {suite.manifest.fingerprint}")
    work, most = _processor_seconds() - before, peak[0] / 2**30
    size = (data / "val_sceneGraphs.json").stat().st_size / 2**30
    print(f"{options.scenes:,} scenes ({size:.2f} GB): {seconds:.1f} s, {work:.1f} s of the processor, {most:.2f} GB")


def _processor_seconds() -> float:
    """Of this process, and of those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _watch(peak: list[int], done: Event) -> None:
    while not done.wait(1):
        peak[0] = max(peak[0], process_memory(os.getpid()))


def write_scenes(folder: Path, count: int) -> None:
    """Write scenes as GQA has them; processes of their own make them, a thousand at a time."""
    path = folder / "val_sceneGraphs.json.part"
    with path.open("w") as file, get_context("spawn").Pool() as pool:
        portions = pool.imap(_scene_lines, [(start, min(start + 1000, count)) for start in range(0, count, 1000)])
        for number, lines in enumerate(portions):
            file.write(f"{',' if number else '{'}\n{lines}")
        file.write("\n}\n")
    path.rename(path.with_suffix(""))


def _scene_lines(bounds: tuple[int, int]) -> str:
    start, end = bounds
    return ",\n".join(f"{json.dumps(one.id)}: {json.dumps(_scene_graph(one))}" for one in Photos(end).scenes(start))


def _scene_graph(scene: Scene) -> dict[str, Any]:
    def links(subject: str) -> Iterable[dict[str, str]]:
        return [{"name": link.name, "object": link.object} for link in scene.relations_of(subject)]

    objects = {
        thing.id: {
            "name": thing.name,
            "attributes": list(thing.attributes),
            "relations": links(thing.id),
            **({"x": box.x, "y": box.y, "w": box.width, "h": box.height} if (box := thing.box) else {}),
        }
        for thing in scene
    }
    return {"width": scene.size.width, "height": scene.size.height, "objects": objects}


if __name__ == "__main__":
    main()
