"""How fast contrast sets are made of files, and in how much memory: `python -m benchmarks.contrast_speed [QUESTIONS]`.

Scenes and questions of the world are written in the layouts of GQA, copied under new ids until there are enough, with
twelve questions a scene as in the balanced questions of val. All six templates are then made of them from the files to
the table of sets: scenes, both passes over the questions, survey and proposals, in a fresh process and, as `generate`
does it, in two that share the proposals. Seconds are those of the processor, and in brackets those of the
clock; questions a second are by the clock. Memory is the most that the first process held less what it held once the
scenes were read; it is shown for a fifth of the questions, for half and for all, about the same scenes.

The plain loop beside it does what a first version would: it reads the scene of each question anew, and counts anew over
all scenes what comes together in them.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, NamedTuple

from counterpoint.cli.options import load_arrow
from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import GroundedQuestion
from counterpoint.lab.suite_shards import SuiteTask, build_suites
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.gqa import gqa, questions
from counterpoint.sources.reading.records import Skips
from counterpoint.suites.contrast.contrast_sets import suite
from counterpoint.suites.contrast.contrasts import survey
from counterpoint.world.dataset_formats import gqa_scene_graphs
from counterpoint.world.gqa_format import gqa_question
from counterpoint.world.source import World

DRAWN, EACH, CORES = 1000, 12, 2
SECONDS = 60.0
"""What 130,000 questions may take."""


class Spent(NamedTuple):
    """What one making took: questions, groups, seconds of the processor and of the clock, and megabytes."""

    questions: int
    groups: int
    processor: float
    clock: float
    megabytes: float


class Streamed:
    """So many questions of a file with their scenes, one at a time, as often as they are walked."""

    def __init__(self, folder: Path, many: int) -> None:
        self.scenes = {scene.id: scene for scene in Source(gqa, folder, "val", limit=None).scenes()}
        for scene in self.scenes.values():  # each builds its indexes on first use: they belong to the scenes
            assert scene.named(scene[scene.objects[0].id].name)
            assert scene.relations_of("") == ()
        self._path, self._many = folder / "val_balanced_questions.json", many

    def __len__(self) -> int:
        return self._many

    def __iter__(self) -> Iterator[GroundedQuestion]:
        for question in islice(questions(self._path, Skips()), self._many):
            yield GroundedQuestion(question, self.scenes[question.scene])


def write(folder: Path, many: int) -> None:
    """The files of so many questions."""
    world = World("train", DRAWN)
    graphs = list(gqa_scene_graphs(world.scenes()).values())
    numbers = {scene.id: number for number, scene in enumerate(world.scenes())}
    asked: list[list[dict[str, Any]]] = [[] for _ in graphs]
    for question in world.questions():
        asked[numbers[question.scene]].append(gqa_question(question))
    copies = list(enumerate(islice(cycle(range(DRAWN)), -(-many // EACH))))
    with (folder / "val_sceneGraphs.json").open("w") as file:
        file.write(_members((f"{2_300_000 + place}", graphs[number]) for place, number in copies))
    rows = (
        (f"{2_300_000 + place}", asked[number][turn])
        for turn in range(EACH)  # questions about one picture lie far apart, as in GQA
        for place, number in copies
        if turn < len(asked[number])
    )
    with (folder / "val_balanced_questions.json").open("w") as file:
        file.write(_members((f"{n:08}", record | {"imageId": image}) for n, (image, record) in enumerate(rows)))


def _members(rows: Iterable[tuple[str, Any]]) -> str:
    return "{" + ", ".join(f'"{key}": {json.dumps(record)}' for key, record in rows) + "}"


def sets(folder: Path, many: int, processes: int = 1) -> Spent:
    """All six templates over so many questions."""
    load_arrow()  # without pandas, as commands do
    worked, start = _processor(), perf_counter()
    items = Streamed(folder, many)
    before = _memory("VmRSS")
    task = SuiteTask(suite, suite.name, survey(items))
    (made,) = build_suites([task], items, 0, processes=processes)
    taken = _processor() - worked, perf_counter() - start
    return Spent(many, made.tally.groups, *taken, _memory("VmHWM") - before)


def _processor() -> float:
    """The work of this process and of those that it started."""
    used = (getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def loop(folder: Path, many: int) -> Spent:
    """The same, question by question, with nothing held."""
    rows = list(islice(questions(folder / "val_balanced_questions.json", Skips()), many))
    worked, start, groups = process_time(), perf_counter(), 0
    for question in rows:
        read = Source(gqa, folder, "val", limit=None)
        scene = next(one for one in read.scenes() if one.id == question.scene)
        own = [GroundedQuestion(question, scene), *(GroundedQuestion(question, other) for other in read.scenes())]
        found = suite.propose(own[0], survey(own), seeded_rng(0, suite.name, question.id))
        groups += sum(1 for one in found if hasattr(one, "queries"))
    return Spent(len(rows), groups, process_time() - worked, perf_counter() - start, 0.0)


def _memory(line: str) -> float:
    lines = dict(one.split(":", 1) for one in Path("/proc/self/status").read_text().splitlines())
    return int(lines[line].split()[0]) * 1024 / 1e6


def apart(what: Callable[..., Spent], *arguments: object) -> Spent:
    """Done in a fresh process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(what, *arguments).result()


def main(many: int = 130_000) -> int:
    """Print each making, and say by the exit code whether all were made in a minute of the processor."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, many)
        last = Spent(0, 0, 0.0, 0.0, 0.0)
        for processes in (1, CORES):
            print(f"{processes} process{'es' if processes > 1 else ''}")
            for share in (0.2, 0.5, 1.0):
                last = apart(sets, folder, round(share * many), processes)
                print(
                    f"{last.questions:>8,} questions {last.groups:>7,} sets {last.processor:6.1f} s ({last.clock:.1f})"
                    f" {last.questions / last.clock:8,.0f} questions and {last.groups / last.clock:6,.0f} sets a second"
                    f" {last.megabytes:7.0f} MB beyond the scenes",
                    flush=True,
                )
        plain = apart(loop, folder, 3)
        print(f"plain loop: {plain.questions / plain.processor:.2f} questions a second")
    return int(last.processor > SECONDS * many / 130_000)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
