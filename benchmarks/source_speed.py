"""Time and memory of reading large files, relative to json.load: `python -m benchmarks.source_speed [DIVISOR=1]`.

Files of the size of GQA's val scenes and of 200,000 questions, divided by DIVISOR, are written with made-up names in
the shape of the official records, and read by a source and by `json.load`, each in a new process. Seconds are processor
time, with wall time in brackets, and the ratio is that to `json.load` in the same run. Memory is the peak (VmHWM) less
what the process held before. The size of the values is that of tracemalloc, in another process since tracing is slow;
the rest is the overhead of reading, the rounding of the allocator included.
"""

import gc
import json
import sys
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, NamedTuple

from counterpoint import catalog
from counterpoint.cli.main import RARELY
from counterpoint.core.ids import seeded_rng
from counterpoint.sources.dataset import Source

SCENES, OBJECTS, RELATIONS, QUESTIONS = 10_696, 17, 52, 200_000
SECONDS, MEGABYTES = 5.0, 200.0
"""What reading may take, in seconds of the processor and in megabytes beyond the values."""
NAMES = [f"{what}{kind}" for what in ("cup", "door", "lamp", "road", "tree") for kind in ("", "s", " holder", " top")]
WORDS = [f"{tone}{color}" for tone in ("", "light ", "dark ") for color in ("red", "blue", "green", "white", "brown")]
LINKS = ["to the left of", "to the right of", "on", "near", "behind", "in front of", "holding", "wearing"]
VQA_QUESTIONS = "v2_OpenEnded_mscoco_val2014_questions.json"
VQA_ANNOTATIONS = "v2_mscoco_val2014_annotations.json"


class Cost(NamedTuple):
    """The cost of one pass: processor seconds, wall seconds, megabytes, and the number of values."""

    processor: float
    clock: float
    megabytes: float
    values: int


def scene(number: int, rng: Random) -> dict[str, Any]:
    """A scene of GQA's shape: 17 objects, every second with an attribute, and 52 relations."""
    ids = [str(1_000_000 + number * OBJECTS + place) for place in range(OBJECTS)]
    objects: dict[str, dict[str, Any]] = {
        own: {
            "name": rng.choice(NAMES),
            "h": rng.randint(5, 150),
            "relations": [],
            "w": rng.randint(5, 150),
            "attributes": [rng.choice(WORDS)] if rng.random() < 0.55 else [],
            "y": rng.randint(0, 180),
            "x": rng.randint(0, 340),
        }
        for own in ids
    }
    for _ in range(RELATIONS):
        objects[rng.choice(ids)]["relations"].append({"object": rng.choice(ids), "name": rng.choice(LINKS)})
    return {"width": 500, "height": 333, "objects": objects}


def gqa_question(number: int, rng: Random) -> dict[str, Any]:
    """A question of GQA's shape: two to four steps, as many entailed ones, every second without a global group."""
    name, other, link, answer = rng.choice(NAMES), rng.choice(NAMES), rng.choice(LINKS), rng.choice(WORDS)
    middle = [f"{other},{link},s ({number + 1})", f"_,holding,o ({number + 2})"]
    steps = [f"{name} ({number})", *middle[: rng.choice((0, 0, 0, 1, 1, 2))], "name"]
    return {
        "semantic": [
            {
                "operation": "select" if not place else "query" if one == "name" else "relate",
                "dependencies": [place - 1] if place else [],
                "argument": one,
            }
            for place, one in enumerate(steps)
        ],
        "entailed": [f"{number + place:08}" for place in range(rng.randint(0, 5))],
        "equivalent": [f"{number:08}"],
        "question": f"What is the {other} {link} the {name} holding?",
        "imageId": str(2_300_000 + number // 12),
        "isBalanced": True,
        "groups": {"global": rng.choice([None, name]), "local": f"14-{name}_{link},o"},
        "answer": answer,
        "semanticStr": "->".join(f"query: {one} [{place}]" for place, one in enumerate(steps)),
        "annotations": {"answer": {"0": str(number)}, "question": {"9": str(number)}, "fullAnswer": {"1": str(number)}},
        "types": {"detailed": "relO", "semantic": "rel", "structural": "query"},
        "fullAnswer": f"The {other} is holding the {answer} one.",
    }


def vqa_question(number: int) -> dict[str, Any]:
    """A question of VQA's shape."""
    return {"image_id": number // 5, "question": f"What is the {NAMES[number % 20]} on?", "question_id": number}


def vqa_annotation(number: int, rng: Random) -> dict[str, Any]:
    """An annotation of VQA's shape: of ten answers a third are all the same, and on average three differ."""
    many = rng.choice((0, 0, 0, 1, 1, 2, 3, 5, 7))
    if rng.random() < 0.38:
        chosen, others = "yes", ["no"] * min(many, 4)
    else:
        chosen, *others = (f"{rng.choice(NAMES)} {rng.randint(0, 200)}" for _ in range(many + 1))
    answers = others + [chosen] * (10 - len(others))
    rng.shuffle(answers)
    return {
        "question_type": "what is the",
        "multiple_choice_answer": chosen,
        "answers": [{"answer": one, "answer_confidence": "yes", "answer_id": n} for n, one in enumerate(answers, 1)],
        "image_id": number // 5,
        "answer_type": "other",
        "question_id": number,
    }


def make(folder: Path, divisor: int) -> None:
    """Write all files, a record at a time."""
    rng = seeded_rng("source speed")
    scenes = ((str(2_300_000 + number), scene(number, rng)) for number in range(SCENES // divisor))
    _write(folder / "val_sceneGraphs.json", "{}", (f"{json.dumps(key)}: {json.dumps(one)}" for key, one in scenes))
    questions = ((f"{number:08}", gqa_question(number, rng)) for number in range(QUESTIONS // divisor))
    _write(
        folder / "val_balanced_questions.json",
        "{}",
        (f"{json.dumps(key)}: {json.dumps(one)}" for key, one in questions),
    )
    _list(folder / VQA_QUESTIONS, "questions", map(vqa_question, range(QUESTIONS // divisor)))
    _list(
        folder / VQA_ANNOTATIONS, "annotations", (vqa_annotation(number, rng) for number in range(QUESTIONS // divisor))
    )


def _list(path: Path, name: str, records: Iterable[dict[str, Any]]) -> None:
    _write(path, (f'{{"info": {{}}, "{name}": [', "]}"), map(json.dumps, records))


def _write(path: Path, marks: Iterable[str], records: Iterator[str]) -> None:
    start, end = marks
    with path.open("w") as file:
        file.write(start + next(records))
        file.writelines(f", {record}" for record in records)
        file.write(end)


def read_all(name: str, kind: str, folder: Path) -> list[Any]:
    """Every value, all held in memory."""
    return list(getattr(Source(catalog.find("sources", name), folder, "val", limit=None), kind)())


def count_all(name: str, kind: str, folder: Path) -> int:
    """The number of values, none of which is held."""
    return sum(1 for _ in getattr(Source(catalog.find("sources", name), folder, "val", limit=None), kind)())


def sample(name: str, kind: str, folder: Path) -> list[Any]:
    """A sample of 15,000, as suites are made from."""
    return list(getattr(Source(catalog.find("sources", name), folder, "val"), kind)())


def loaded(*paths: Path) -> list[Any]:
    """The same files by json.load, as dictionaries."""
    contents = []
    for path in paths:
        with path.open() as file:
            contents.append(json.load(file))
    return contents


def measure(what: Callable[..., Any], *arguments: Any, rare: bool = False) -> Cost:
    """The cost of a call, in a process of its own; with `rare` garbage collections, as commands have them."""
    if rare:
        gc.set_threshold(*RARELY)
    before, start, worked = _memory("VmRSS"), perf_counter(), process_time()
    values = what(*arguments)
    seconds = process_time() - worked, perf_counter() - start
    return Cost(*seconds, _memory("VmHWM") - before, values if isinstance(values, int) else len(values))


def size(name: str, kind: str, folder: Path) -> float:
    """The megabytes of all values."""
    Source(catalog.find("sources", name), folder, "val")
    tracemalloc.start()
    values = read_all(name, kind, folder)
    gc.collect()
    traced = tracemalloc.get_traced_memory()[0]
    assert values
    return traced / 1e6


def _memory(line: str) -> float:
    lines = dict(row.split(":", 1) for row in Path("/proc/self/status").read_text().splitlines())
    return int(lines[line].split()[0]) * 1024 / 1e6


def in_new_process(what: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call a function in a new process."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(what, arguments, options)


def report(folder: Path, title: str, name: str, kind: str, *files: str) -> bool:
    """Print the lines of one data set; whether reading it took no more memory than it may."""
    paths = [folder / file for file in files]
    values = in_new_process(size, name, kind, folder)
    ours, rare = (in_new_process(measure, read_all, name, kind, folder, rare=rare) for rare in (False, True))
    print(f"{title}, {sum(path.stat().st_size for path in paths) / 1e6:.0f} MB, as values {values:.0f} MB")
    plain = in_new_process(measure, loaded, *paths)
    _show("json.load", plain, plain)
    _show(f"all {ours.values:,} values", ours, plain, f", {ours.megabytes - values:.0f} beyond the values")
    _show("with rare collections", rare, plain, f", {rare.megabytes - values:.0f} beyond the values")
    _show("counted, not held", in_new_process(measure, count_all, name, kind, folder), plain)
    _show("a sample of 15,000", in_new_process(measure, sample, name, kind, folder, rare=True), plain)
    print(f"  at most {SECONDS:.0f} s: {'yes' if rare.processor <= SECONDS else 'NO'}")
    return bool(max(ours.megabytes, rare.megabytes) - values <= MEGABYTES)


def _show(what: str, cost: Cost, plain: Cost, more: str = "") -> None:
    ratio = f"{cost.processor / plain.processor:.2f} of json.load"
    print(
        f"  {what:28}{cost.processor:6.2f} s ({cost.clock:.2f} s), {ratio}, {cost.megabytes:.0f} MB{more}", flush=True
    )


def main(divisor: int = 1) -> int:
    """Print the figures; 1 if reading takes more memory than it may; seconds are printed and decide nothing."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, divisor)
        done = [
            report(folder, f"{SCENES // divisor:,} scenes of GQA's size", "gqa", "scenes", "val_sceneGraphs.json"),
            report(
                folder,
                f"{QUESTIONS // divisor:,} questions of GQA's size",
                "gqa",
                "questions",
                "val_balanced_questions.json",
            ),
            report(
                folder,
                f"{QUESTIONS // divisor:,} questions of VQA's size",
                "vqa2",
                "questions",
                VQA_QUESTIONS,
                VQA_ANNOTATIONS,
            ),
        ]
    print(f"at most {MEGABYTES:.0f} MB beyond the values:", "yes" if all(done) else "NO")
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
