"""Draws the data, trains every model side by side, exports them, and packs the results, within a given time.

    python -m training.all --out OUT --seconds 580

One model that fails costs the others nothing; what is ready is packed again and again, so that a stop loses little.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from training.codes import Codes

SHARES = {"fusion": 1.0, "cnn-lstm": 0.6, "two-tower": 0.3, "picture-only": 0.12, "question-only": 0.12}
"""How much of the time for training each model takes; they run at once."""
LIMITS = {"picture-only": 30_000, "two-tower": 100_000}
"""How many pictures a model loads at most, so that all fit on one device."""


@dataclass
class Work:
    """One model on its way: first trained, then exported."""

    name: str
    process: subprocess.Popen[bytes]
    step: str = "train"
    states: dict[str, int] = field(default_factory=dict)


def start(module: str, log: Path, *arguments: object) -> subprocess.Popen[bytes]:
    """Run one of our programs with its output in a file."""
    with log.open("ab") as stream:
        command = [sys.executable, "-u", "-W", "ignore", "-m", f"training.{module}", *map(str, arguments)]
        return subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT)


def pack(run: Path, weights: Path, out: Path) -> None:
    """The graphs with their cards and logs in one file, the checkpoints in another; whole or absent."""
    kept = {
        "weights.tar": [*weights.glob("*/*.onnx"), *weights.glob("*/card.json"), *run.glob("logs/*.log")],
        "checkpoints.tar": [*run.glob("*.pt"), *run.glob("*.json")],
    }
    for name, paths in kept.items():
        draft = out / f"{name}.part"
        with tarfile.open(draft, "w") as tar:
            for path in sorted(paths):
                tar.add(path, arcname=path.relative_to(run))
        draft.replace(out / name)


def place(pictures: int) -> Path:
    """A folder for the data: in memory where there is room, else on disk."""
    needed = (pictures + 8_000) * 240 * 320 * 3 * 1.05
    shared = Path("/dev/shm")
    roomy = shared.is_dir() and shutil.disk_usage(shared).free > needed
    return Path(tempfile.mkdtemp(prefix="training-", dir=shared if roomy else None))


def main(arguments: Iterable[str] | None = None) -> None:
    """Everything, in one command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", type=Path, help="where to keep the data; used as it is where it exists")
    parser.add_argument("--seconds", type=float, default=580)
    parser.add_argument("--drawing", type=float, default=100, help="seconds for drawing, at most")
    parser.add_argument("--closing", type=float, default=50, help="seconds kept for judging and export")
    parser.add_argument("--pictures", type=int, default=120_000)
    parser.add_argument("--held", type=int, default=2_000)
    parser.add_argument("--survey", type=int, default=6_000)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=Path, help="a folder with codes.json and checkpoints to go on from")
    parser.add_argument("--models", nargs="*", default=list(SHARES))
    parser.add_argument("--options", nargs="*", default=[], help="further options of training, such as rate=0.003")
    chosen = parser.parse_args(None if arguments is None else list(arguments))
    begun = time.monotonic()
    end = begun + chosen.seconds
    chosen.out.mkdir(parents=True, exist_ok=True)
    run = Path(tempfile.mkdtemp(prefix="run-"))
    (run / "logs").mkdir()
    weights = run / "weights"
    data = chosen.data or place(chosen.pictures)
    if not (data / "train.npz").exists():
        draw(data, run, chosen)
    same_codes(data, chosen.start)
    shutil.copy(data / "codes.json", run)
    print(f"{time.monotonic() - begun:.0f} s: data is in {data}", flush=True)
    seconds = end - time.monotonic() - chosen.closing
    options = [
        part for option in chosen.options for part in (f"--{option.partition('=')[0]}", option.partition("=")[2])
    ]
    working = [
        Work(
            name,
            start(
                "train",
                run / "logs" / f"{name}.log",
                *("--model", name, "--data", data, "--out", run, "--batch", chosen.batch, "--seed", chosen.seed),
                *("--seconds", seconds * SHARES[name] - 12, "--limit", LIMITS.get(name, 0), *options),
                *earlier(chosen.start, name),
            ),
        )
        for name in chosen.models
    ]
    follow(working, run, weights, data, chosen.out, begun, end)
    for work in working:
        if work.process.poll() is None:
            work.process.kill()
    pack(run, weights, chosen.out)
    print(f"{time.monotonic() - begun:.0f} s: packed in {chosen.out}", flush=True)


def draw(data: Path, run: Path, chosen: argparse.Namespace) -> None:
    """The data, by all cores."""
    numbers = ("--pictures", chosen.pictures, "--held", chosen.held, "--survey", chosen.survey, "--seed", chosen.seed)
    log = run / "logs" / "data.log"
    codes = chosen.start / "codes.json" if chosen.start else Path()
    given = ("--codes", codes) if codes.is_file() else ()
    drawing = start(
        "data", log, "--out", data, "--seconds", chosen.drawing, *numbers, *given, "--workers", os.cpu_count()
    )
    drawing.wait()
    print(log.read_text(), flush=True)
    if not (data / "train.npz").exists():
        raise SystemExit("no data was drawn")


def earlier(folder: Path | None, name: str) -> tuple[object, ...]:
    """The option by which a model goes on from its checkpoint, where there is one."""
    path = folder / f"{name}.pt" if folder else Path()
    return ("--start", path) if path.is_file() else ()


def same_codes(data: Path, folder: Path | None) -> None:
    """Stop where the words or answers of the data are not those the checkpoints were trained with."""
    if not folder or not (folder / "codes.json").exists():
        return
    ours, theirs = Codes.load(data / "codes.json"), Codes.load(folder / "codes.json")
    if (ours.words, ours.answers) != (theirs.words, theirs.answers):
        raise SystemExit(f"{data} and {folder} differ in words or answers")


def follow(working: list[Work], run: Path, weights: Path, data: Path, out: Path, begun: float, end: float) -> None:
    """Watch the models until all are exported or the time is up; a training that is late is exported as it is."""
    told = 0.0
    while any(work.step != "done" for work in working) and time.monotonic() < end - 4:
        time.sleep(1)
        for work in working:
            late = work.step == "train" and time.monotonic() > end - 25
            if late and work.process.poll() is None:
                work.process.kill()
                work.process.wait()
            if work.step == "done" or work.process.poll() is None:
                continue
            work.states[work.step] = work.process.returncode
            log = run / "logs" / f"{work.name}.log"
            print(
                f"{time.monotonic() - begun:.0f} s: {work.name} {work.step} ended with {work.process.returncode}",
                flush=True,
            )
            if work.step == "train" and (run / f"{work.name}.pt").exists():
                work.step = "export"
                work.process = start(
                    "export", log, "--model", work.name, "--run", run, "--data", data, "--out", weights
                )
            else:
                work.step = "done"
                print("\n".join(log.read_text().splitlines()[-6:]), flush=True)
                pack(run, weights, out)
        if time.monotonic() - told > 20:
            told = time.monotonic()
            for work in working:
                lines = (run / "logs" / f"{work.name}.log").read_text().splitlines()
                print(f"  {lines[-1] if lines else work.name}", flush=True)


if __name__ == "__main__":
    main()
