"""Use a built wheel as a stranger would, on every Python there is: `python -m scripts.try_wheel dist/*.whl`.

In a clean environment for each Python, without the checkout and without torch: the size on disk, `doctor`, the demo,
the first tutorial, a model behind an endpoint, and a page in Chromium. With `--hf`, a tiny Hugging Face model too, in a
second environment with the extra. Answers and figures must be equal on all Pythons, and those of the README.
"""

import argparse
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.environments import Environment, StepError, call_uv, find_pythons, make_environment
from scripts.typist import Typist

PROJECT = Path(__file__).parents[1]
LIMIT = 465 if platform.machine() == "x86_64" else 440
"""Megabytes (MiB, as `du -m` counts) that the base may take on disk, compiled, without pip."""
ANSWERS = """
import hashlib, json, counterpoint as cp
lab = cp.Lab("demo/lab")
digest = hashlib.sha256()
for model in ("cnn-lstm", "constant", "fusion", "picture-only", "question-only", "random"):
    table = lab.answers(model).to_arrow().select(["query", "trial", "value"]).sort_by("query")
    digest.update(json.dumps([model, table.to_pylist()]).encode())
print(digest.hexdigest())
"""
ENDPOINT = """
import counterpoint as cp
from counterpoint.testing import ChatServer
with ChatServer(says=lambda asked: "yes", models=("double",)) as server:
    lab = cp.Lab("endpoint-lab")
    lab.generate("negation", items=4, limit=5)
    lab.run("openai/double", base_url=server.base_url)
(score,) = [score for score in lab.scores(metrics=["accuracy"]) if score.model == "openai/double"]
assert score.value == 0.5, score
"""
TINY_MODEL = """
import sys
sys.path.insert(0, sys.argv[1])
from tiny_classifiers import vilt
from pathlib import Path
vilt(Path("tiny"))
"""


@dataclass(frozen=True, slots=True)
class WheelTrial:
    """What a wheel did on one Python: the figures and the answers of its demo, the size of its base."""

    python: str
    figures: str
    answers: str
    sizes: dict[str, int]

    @property
    def megabytes(self) -> float:
        """The size of the base on disk."""
        return sum(self.sizes.values()) / 2**20


def try_wheel(wheel: Path, version: str, python: str, folder: Path) -> WheelTrial:
    """All steps of the base on one Python, in an empty folder."""
    folder.mkdir()
    with step(f"Python {version}: install"):
        environment = make_environment(folder / "base", python, str(wheel))
    sizes = environment.sizes()
    with step(f"Python {version}: size"):
        _check_size(sizes)
    with step(f"Python {version}: doctor"):
        _check_doctor(environment, wheel, folder)
    with step(f"Python {version}: demo"):
        figures = environment.run(["counterpoint", "demo"], folder)
        answers = environment.run([environment.python, "-c", ANSWERS], folder)
    with (
        step(f"Python {version}: first tutorial"),
        Typist(environment, folder, skip=("make", "source", "python")) as typist,
    ):
        typist.follow(PROJECT / "docs" / "tutorial" / "first-steps.md")
    with step(f"Python {version}: endpoint"):
        environment.run([environment.python, "-c", ENDPOINT], folder)
    with step(f"Python {version}: a page in Chromium"):
        _look_at_page(environment, folder)
    tables = "\n".join(line for line in figures.splitlines() if "(" in line and "–" in line)
    return WheelTrial(version, tables, answers, sizes)


def try_hf(wheel: Path, version: str, python: str, folder: Path, constraints: Sequence[str]) -> None:
    """A tiny Hugging Face model, made with random weights and asked by the wheel with its extra."""
    with step(f"Python {version}: install [hf]"):
        environment = make_environment(folder / "hf", python, f"{wheel}[hf]", constraints=constraints)
    with step(f"Python {version}: a tiny hf model"):
        tests = str(PROJECT / "tests" / "models" / "hf")
        environment.run([environment.python, "-c", TINY_MODEL, tests], folder)
        environment.run(["counterpoint", "generate", "hf-lab", "--suite", "negation", "--items", "4"], folder)
        printed = environment.run(["counterpoint", "run", "hf-lab", "--model", "hf/./tiny", "--limit", "8"], folder)
        if "answers" not in printed:
            raise StepError(printed)


def try_installers(wheel: Path, python: str, folder: Path) -> None:
    """The wheel by `uvx`, `uv tool` and `pipx`, as people run programs that they do not keep."""
    told, chosen = f"version {_version(wheel)}", ("--python", python)
    places = {"UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(folder / "bin")}
    with step("uvx"):
        _expect(
            told, call_uv("tool", "run", *chosen, "--from", str(wheel), "counterpoint", "--version", variables=places)
        )
    with step("uv tool install"):
        call_uv("tool", "install", "--quiet", *chosen, str(wheel), variables=places)
        doctor = [str(folder / "bin" / "counterpoint"), "doctor"]
        printed = subprocess.run(doctor, capture_output=True, encoding="utf-8", check=True).stdout
        _expect(f"uv pip install --python {folder / 'tools' / 'counterpoint'} 'counterpoint[hf]'", printed)
    with step("pipx run --spec"):
        words = (*chosen, "--from", "pipx", "pipx", "run", *chosen, "--spec", str(wheel), "counterpoint", "--version")
        home = {"PIPX_HOME": str(folder / "pipx"), "PIPX_BIN_DIR": str(folder / "bin")}
        _expect(told, call_uv("tool", "run", *words, variables=places | home))


def _check_size(sizes: dict[str, int]) -> None:
    total = sum(sizes.values()) / 2**20
    largest = ", ".join(f"{name} {size / 2**20:.0f}" for name, size in list(sizes.items())[:8])
    print(f"    {total:.0f} MB on disk: {largest}")
    if total > LIMIT:
        raise StepError(f"the base takes {total:.0f} MB, and {LIMIT} are allowed")
    if "torch" in sizes:
        raise StepError("the base brings torch")


def _check_doctor(environment: Environment, wheel: Path, folder: Path) -> None:
    told = json.loads(environment.run(["counterpoint", "doctor", "--json"], folder))
    if told["machine"]["counterpoint"] != _version(wheel):
        raise StepError(f"doctor tells version {told['machine']['counterpoint']}")
    _expect(
        f"uv pip install --python {environment.folder} 'counterpoint[hf]'",
        environment.run(["counterpoint", "doctor"], folder),
    )
    place = environment.run([environment.python, "-c", "import counterpoint; print(counterpoint.__file__)"], folder)
    if not place.startswith(str(environment.folder)):
        raise StepError(f"counterpoint is that of {place}")


def _look_at_page(environment: Environment, folder: Path) -> None:
    """The first page of the demo, after Chromium loaded it; the server ends with the step."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("    not tried: there is no Chromium")
        return
    words = [str(environment.folder / "bin" / "counterpoint"), "serve", "demo/lab", "--port", "0"]
    server = subprocess.Popen(
        words,
        cwd=folder,
        env=environment.variables(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    try:
        assert server.stdout is not None
        address = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
        profile = f"--user-data-dir={folder / 'profile'}"
        page = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", profile, "--dump-dom", address]
        shown = subprocess.run(page, capture_output=True, encoding="utf-8", timeout=120).stdout
    finally:
        server.terminate()
        server.wait()
    for text in ("fusion", "negation", "<svg"):
        _expect(text, shown)


def check_readme(trial: WheelTrial) -> None:
    """The table of the README has the figures of the demo: accuracy, both right and consistency."""
    rows = re.findall(r"^\| `([\w-]+)`[^|]*\| (.*) \|$", (PROJECT / "README.md").read_text("utf-8"), re.MULTILINE)
    for model, cells in rows:
        figures = [cell.strip() for cell in cells.split("|")]
        lines = [line for line in trial.figures.splitlines() if line.split()[0] == model]
        missing = [figure for figure in figures if not any(figure in line for line in lines)]
        if missing:
            raise StepError(
                f"README.md: the demo does not print {', '.join(missing)} of {model}, but\n" + "\n".join(lines)
            )


def check_equal(trials: Sequence[WheelTrial]) -> None:
    """Answers and figures are the same on every Python."""
    for trial in trials[1:]:
        if (trial.answers, trial.figures) != (trials[0].answers, trials[0].figures):
            raise StepError(f"Python {trials[0].python} and {trial.python} do not answer alike")


@contextmanager
def step(name: str) -> Iterator[None]:
    """Print the name of a step and the seconds that it took."""
    start = time.monotonic()
    yield
    print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)


def _expect(text: str, printed: str) -> None:
    if text not in printed:
        raise StepError(f"{text!r} is not in:\n{printed[-4000:]}")


def _version(wheel: Path) -> str:
    return wheel.name.split("-")[1]


def main(arguments: Sequence[str]) -> int:
    """Try a wheel; 1 after the first step that failed."""
    parser = argparse.ArgumentParser(description="Use a built wheel as a stranger would, on every Python there is.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", action="append", metavar="PATH", help="This Python alone; repeatable.")
    parser.add_argument("--hf", action="store_true", help="A tiny Hugging Face model too, with the extra.")
    parser.add_argument("--constraint", action="append", default=[], help="Such as torch==2.8.0, for the extra.")
    chosen = parser.parse_args(arguments)
    wheel = chosen.wheel.resolve()
    pythons = {Path(path).name.removeprefix("python"): path for path in chosen.python or ()} or find_pythons()
    with tempfile.TemporaryDirectory() as name:
        try:
            trials = list(_trials(wheel, pythons, Path(name), chosen.hf, chosen.constraint))
            check_equal(trials)
            check_readme(trials[0])
            try_installers(wheel, next(iter(pythons.values())), Path(name))
        except StepError as problem:
            print(problem, file=sys.stderr)
            return 1
    print(f"The wheel works, with equal answers and figures, on Python {', '.join(pythons)}.")
    return 0


def _trials(
    wheel: Path, pythons: Mapping[str, str], folder: Path, hf: bool, constraints: Sequence[str]
) -> Iterator[WheelTrial]:
    for number, (version, python) in enumerate(pythons.items()):
        own = folder / str(number)
        yield try_wheel(wheel, version, python, own)
        if hf:
            try_hf(wheel, version, python, own, constraints)
        shutil.rmtree(own)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
