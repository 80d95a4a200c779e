"""How fast large files are read, and in how much memory: `python -m benchmarks.source_speed`.

Files of the size of GQA's scenes of val and of 200,000 questions are made, with names of our own in the shape of the
official records, and read beside `json.load`, each in a process of its own. Seconds are those of the processor, and in
brackets those of the clock. Memory is the most that the process held (VmHWM) less what it held before it began. What
the values themselves take is what tracemalloc counts while they are held, in another process since counting is slow;
the rest is what reading costs beyond them, the rounding of the allocator included.
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


class Spent(NamedTuple):
    """What one reading took: seconds of the processor, of the clock, and megabytes."""

    processor: float
    clock: float
    megabytes: float
    values: int


def scene(number: int, luck: Random) -> dict[str, Any]:
    """A scene of GQA's shape: 17 objects, every second with an attribute, and 52 relations."""
    ids = [str(1_000_000 + number * OBJECTS + place) for place in range(OBJECTS)]
    objects: dict[str, dict[str, Any]] = {
        own: {
            "name": luck.choice(NAMES),
            "h": luck.randint(5, 150),
            "relations": [],
            "w": luck.randint(5, 150),
            "attributes": [luck.choice(WORDS)] if luck.random() < 0.55 else [],
            "y": luck.randint(0, 180),
            "x": luck.randint(0, 340),
        }
        for own in ids
    }
    for _ in range(RELATIONS):
        objects[luck.choice(ids)]["relations"].append({"object": luck.choice(ids), "name": luck.choice(LINKS)})
    return {"width": 500, "height": 333, "objects": objects}


def gqa_question(number: int, luck: Random) -> dict[str, Any]:
    """A question of GQA's shape: two to four steps, as many entailed ones, every second without a global group."""
    name, other, link, answer = luck.choice(NAMES), luck.choice(NAMES), luck.choice(LINKS), luck.choice(WORDS)
    middle = [f"{other},{link},s ({number + 1})", f"_,holding,o ({number + 2})"]
    steps = [f"{name} ({number})", *middle[: luck.choice((0, 0, 0, 1, 1, 2))], "name"]
    return {
        "semantic": [
            {
                "operation": "select" if not place else "query" if one == "name" else "relate",
                "dependencies": [place - 1] if place else [],
                "argument": one,
            }
            for place, one in enumerate(steps)
        ],
        "entailed": [f"{number + place:08}" for place in range(luck.randint(0, 5))],
        "equivalent": [f"{number:08}"],
        "question": f"What is the {other} {link} the {name} holding?",
        "imageId": str(2_300_000 + number // 12),
        "isBalanced": True,
        "groups": {"global": luck.choice([None, name]), "local": f"14-{name}_{link},o"},
        "answer": answer,
        "semanticStr": "->".join(f"query: {one} [{place}]" for place, one in enumerate(steps)),
        "annotations": {"answer": {"0": str(number)}, "question": {"9": str(number)}, "fullAnswer": {"1": str(number)}},
        "types": {"detailed": "relO", "semantic": "rel", "structural": "query"},
        "fullAnswer": f"The {other} is holding the {answer} one.",
    }


def vqa_question(number: int) -> dict[str, Any]:
    """A question of VQA's shape."""
    return {"image_id": number // 5, "question": f"What is the {NAMES[number % 20]} on?", "question_id": number}


def vqa_annotation(number: int, luck: Random) -> dict[str, Any]:
    """An annotation of VQA's shape: of ten answers a third are all the same, and on average three differ."""
    many = luck.choice((0, 0, 0, 1, 1, 2, 3, 5, 7))
    if luck.random() < 0.38:
        said, others = "yes", ["no"] * min(many, 4)
    else:
        said, *others = (f"{luck.choice(NAMES)} {luck.randint(0, 200)}" for _ in range(many + 1))
    answers = others + [said] * (10 - len(others))
    luck.shuffle(answers)
    return {
        "question_type": "what is the",
        "multiple_choice_answer": said,
        "answers": [{"answer": one, "answer_confidence": "yes", "answer_id": n} for n, one in enumerate(answers, 1)],
        "image_id": number // 5,
        "answer_type": "other",
        "question_id": number,
    }


def make(folder: Path) -> None:
    """Write all files, a record at a time."""
    luck = seeded_rng("source speed")
    scenes = ((str(2_300_000 + number), scene(number, luck)) for number in range(SCENES))
    _write(folder / "val_sceneGraphs.json", "{}", (f"{json.dumps(key)}: {json.dumps(one)}" for key, one in scenes))
    asked = ((f"{number:08}", gqa_question(number, luck)) for number in range(QUESTIONS))
    _write(
        folder / "val_balanced_questions.json", "{}", (f"{json.dumps(key)}: {json.dumps(one)}" for key, one in asked)
    )
    _list(folder / VQA_QUESTIONS, "questions", map(vqa_question, range(QUESTIONS)))
    _list(folder / VQA_ANNOTATIONS, "annotations", (vqa_annotation(number, luck) for number in range(QUESTIONS)))


def _list(path: Path, name: str, records: Iterable[dict[str, Any]]) -> None:
    _write(path, (f'{{"info": {{}}, "{name}": [', "]}"), map(json.dumps, records))


def _write(path: Path, marks: Iterable[str], records: Iterator[str]) -> None:
    start, end = marks
    with path.open("w") as file:
        file.write(start + next(records))
        file.writelines(f", {record}" for record in records)
        file.write(end)


def held(name: str, kind: str, folder: Path) -> list[Any]:
    """Every value, as whoever asks for all of them has them."""
    return list(getattr(Source(catalog.find("sources", name), folder, "val", limit=None), kind)())


def passed(name: str, kind: str, folder: Path) -> int:
    """Every value, looked at and let go."""
    return sum(1 for _ in getattr(Source(catalog.find("sources", name), folder, "val", limit=None), kind)())


def sample(name: str, kind: str, folder: Path) -> list[Any]:
    """A sample of 15,000, as suites are made from."""
    return list(getattr(Source(catalog.find("sources", name), folder, "val"), kind)())


def loaded(*paths: Path) -> list[Any]:
    """The same files by json.load, as dictionaries."""
    found = []
    for path in paths:
        with path.open() as file:
            found.append(json.load(file))
    return found


def spent(what: Callable[..., Any], *arguments: Any, rare: bool = False) -> Spent:
    """What it takes to do it, in a process of its own; with `rare` collections of garbage, as commands have them."""
    if rare:
        gc.set_threshold(*RARELY)
    before, start, worked = _memory("VmRSS"), perf_counter(), process_time()
    found = what(*arguments)
    taken = process_time() - worked, perf_counter() - start
    return Spent(*taken, _memory("VmHWM") - before, found if isinstance(found, int) else len(found))


def size(name: str, kind: str, folder: Path) -> float:
    """The megabytes of all values."""
    Source(catalog.find("sources", name), folder, "val")
    tracemalloc.start()
    found = held(name, kind, folder)
    gc.collect()
    taken = tracemalloc.get_traced_memory()[0]
    assert found
    return taken / 1e6


def _memory(line: str) -> float:
    lines = dict(one.split(":", 1) for one in Path("/proc/self/status").read_text().splitlines())
    return int(lines[line].split()[0]) * 1024 / 1e6


def apart(what: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Done in a fresh process."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(what, arguments, options)


def report(folder: Path, title: str, name: str, kind: str, *files: str) -> bool:
    """Print the lines of one data set; whether reading it took no more memory than it may."""
    paths = [folder / one for one in files]
    values = apart(size, name, kind, folder)
    ours, rare = (apart(spent, held, name, kind, folder, rare=rare) for rare in (False, True))
    print(f"{title}, {sum(path.stat().st_size for path in paths) / 1e6:.0f} MB, as values {values:.0f} MB")
    _show("json.load", apart(spent, loaded, *paths))
    _show(f"all {ours.values:,} values", ours, f", {ours.megabytes - values:.0f} beyond the values")
    _show("as commands read them", rare, f", {rare.megabytes - values:.0f} beyond the values")
    _show("each value let go", apart(spent, passed, name, kind, folder))
    _show("a sample of 15,000", apart(spent, sample, name, kind, folder, rare=True))
    print(f"  at most {SECONDS:.0f} s: {'yes' if rare.processor <= SECONDS else 'NO'}")
    return bool(max(ours.megabytes, rare.megabytes) - values <= MEGABYTES)


def _show(what: str, taken: Spent, more: str = "") -> None:
    print(f"  {what:28}{taken.processor:6.2f} s ({taken.clock:.2f} s), {taken.megabytes:.0f} MB{more}", flush=True)


def main() -> int:
    """Print the figures; 1 if reading takes more memory than it may, whatever the machine; seconds are told."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        make(folder)
        done = [
            report(folder, f"{SCENES:,} scenes of GQA's size", "gqa", "scenes", "val_sceneGraphs.json"),
            report(folder, f"{QUESTIONS:,} questions of GQA's size", "gqa", "questions", "val_balanced_questions.json"),
            report(
                folder, f"{QUESTIONS:,} questions of VQA's size", "vqa2", "questions", VQA_QUESTIONS, VQA_ANNOTATIONS
            ),
        ]
    print(f"at most {MEGABYTES:.0f} MB beyond the values:", "yes" if all(done) else "NO")
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
