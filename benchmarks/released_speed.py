"""How fast a suite and predictions of CARETS' size are stored: `python -m benchmarks.released_speed [FOLDER]`.

Without a folder with the questions of the authors, files of 97,846 questions are made in their layout. Predictions are
written twice: by id, and renumbered beside pictures and texts. Each command is the one that people type, in a process
of its own; seconds are those of the processor, start of the process included, medians of three runs. `json.load` of
the same files, in a process of its own too, stands beside them. More than half a second of each is the start: Python,
Arrow and numpy.
"""

import json
import os
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from subprocess import DEVNULL, run
from tempfile import TemporaryDirectory

from benchmarks.carets_released import make
from counterpoint.core.ids import seeded_rng

QUESTIONS = 97_846
SUITE, IMPORT = 5.0, 3.0
"""Seconds of the processor that a suite and a file of predictions may take."""
RUNS = 3
LOAD = "import json, sys; [json.load(open(path)) for path in sys.argv[1:]]"


def predict(folder: Path, out: Path) -> list[Path]:
    """Write the answers of a made-up model to all questions: by id, and renumbered with picture and text."""
    by_id, renumbered = list[dict[str, str]](), list[dict[str, object]]()
    for path in sorted(folder.glob("*.json")):
        for question in json.loads(path.read_text("utf-8")):
            right = next(iter(question["label"]))
            rng = seeded_rng("predictions", question["img_id"], question["sent"])  # alike wherever it is asked
            answer = right if rng.random() < 0.8 else rng.choice(("yes", "no"))
            by_id.append({"question_id": f"{path.stem}/{question['question_id']}", "answer": answer})
            shown = {"img_id": question["img_id"], "sent": question["sent"], "answer": answer}
            renumbered.append({"question_id": len(renumbered), **shown})
    paths = [out / "by_id.json", out / "renumbered.json"]
    for file, records in zip(paths, (by_id, renumbered), strict=True):
        file.write_text(json.dumps(records), "utf-8")
    return paths


def processor_seconds(*words: object) -> float:
    """Seconds of the processor that a Python process takes, its threads included."""
    before, env = getrusage(RUSAGE_CHILDREN), {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # compiled once, as always
    run([sys.executable, *map(str, words)], check=True, stdout=DEVNULL, env=env)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def report(folder: Path, out: Path) -> bool:
    """Print the medians; whether each is within its limit."""
    files = predict(folder, out)
    seconds: dict[str, list[float]] = {}

    def measure(what: str, *words: object) -> None:
        seconds.setdefault(what, []).append(processor_seconds(*words))

    for number in range(RUNS):
        lab, command = out / f"lab{number}", ("-m", "counterpoint")
        measure("json.load of the questions", "-c", LOAD, *sorted(folder.glob("*.json")))
        source = ("--suite", "released", "--source", "carets", "--data", folder, "--items", 10**6)
        measure("suite", *command, "generate", lab, *source)
        for file in files:
            measure(f"json.load of {file.name}", "-c", LOAD, file)
            measure(f"import of {file.name}", *command, "import", lab, file, "--name", file.stem, "--rule", "exact")
    medians = {what: median(values) for what, values in seconds.items()}
    for what, value in medians.items():
        print(f"  {value:5.2f} s {what}")
    slowest = max(value for what, value in medians.items() if what.startswith("import"))
    print(f"at most {SUITE:.0f} s for the suite: {'yes' if medians['suite'] <= SUITE else 'NO'}")
    print(f"at most {IMPORT:.0f} s for each file of predictions: {'yes' if slowest <= IMPORT else 'NO'}")
    return medians["suite"] <= SUITE and slowest <= IMPORT


def main() -> int:
    """1 if a command takes too long."""
    with TemporaryDirectory() as name:
        out = Path(name)
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else out / "questions"
        if len(sys.argv) < 2:
            folder.mkdir()
            make(folder, QUESTIONS // 2, shared=2)
        print(f"{QUESTIONS:,} questions, {os.cpu_count()} processors")
        return 0 if report(folder, out) else 1


if __name__ == "__main__":
    sys.exit(main())
