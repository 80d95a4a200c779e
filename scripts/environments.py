"""Clean environments with nothing but a package of ours and what it needs, and the Pythons there are for them.

The standard library and `uv` are enough, so that all of this runs on a bare machine too.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

OLDEST, NEWEST = (3, 11), (3, 14)
"""The Pythons that are supported; for later ones, some package of the base has no wheel yet."""
NEEDED = ("LANG", "PYTHON", "SSL_CERT_FILE", "UV_CACHE_DIR", "UV_FIND_LINKS", "TMPDIR")
"""The variables that reach an environment; no PYTHONPATH, so that nothing of a checkout is found."""


class StepError(Exception):
    """A command that a stranger types did not do what it should."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment, used as its owner would: by the programs in it, in a home of its own."""

    folder: Path

    @property
    def python(self) -> str:
        """The interpreter."""
        return str(self.folder / "bin" / "python")

    @property
    def packages(self) -> Path:
        """The folder of its packages."""
        (folder,) = (self.folder / "lib").glob("python*/site-packages")
        return folder

    def variables(self) -> dict[str, str]:
        """What its programs see of the machine."""
        kept = {name: os.environ[name] for name in NEEDED if name in os.environ}
        path = os.pathsep.join([str(self.folder / "bin"), "/usr/local/bin", "/usr/bin", "/bin"])
        home = {"HOME": str(self.folder), "VIRTUAL_ENV": str(self.folder)}
        return kept | home | {"PATH": path, "PYTHONUTF8": "1"}

    def run(self, words: Sequence[str], folder: Path, codes: Sequence[int] = (0,)) -> str:
        """What a command prints; an exit code other than those expected fails the step."""
        done = subprocess.run(
            words, cwd=folder, env=self.variables(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
        )
        if done.returncode not in codes:
            raise StepError(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout[-4000:]}")
        return done.stdout

    def sizes(self) -> dict[str, int]:
        """The bytes on disk of each folder and file among its packages, largest first."""
        sizes = {path.name: _size(path) for path in self.packages.iterdir()}
        return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def make_environment(folder: Path, python: str, *packages: str, constraints: Sequence[str] = ()) -> Environment:
    """An environment of this Python with some packages, compiled as pip would; nothing of another one is used."""
    call_uv("venv", "--quiet", "--clear", "--python", python, str(folder))
    environment = Environment(folder)
    if packages:
        limits = folder / "constraints.txt"
        limits.write_text("\n".join(constraints), encoding="utf-8")
        words = ("--compile-bytecode", "--constraint", str(limits), *packages)
        call_uv("pip", "install", "--quiet", "--python", environment.python, *words)
    return environment


def find_pythons() -> Mapping[str, str]:
    """The path of one Python of each version that is supported, by version such as 3.11."""
    listed = json.loads(call_uv("python", "list", "--only-installed", "--output-format", "json"))
    pythons = dict[str, str]()
    for found in listed:
        version = (found["version_parts"]["major"], found["version_parts"]["minor"])
        if (
            found["implementation"] == "cpython"
            and OLDEST <= version <= NEWEST
            and found.get("variant", "default") == "default"
        ):
            pythons.setdefault(".".join(map(str, version)), found["path"])
    return dict(sorted(pythons.items(), key=lambda item: int(item[0].partition(".")[2])))


def call_uv(*words: str, cwd: Path | None = None, variables: Mapping[str, str] | None = None) -> str:
    """What uv prints, that of this environment or of the machine."""
    program = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    if program is None:
        raise StepError("uv makes the environments: pip install uv")
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [program, *words], cwd=cwd, env={**kept, **(variables or {})}, capture_output=True, encoding="utf-8"
    )
    if done.returncode:
        raise StepError(f"uv {' '.join(words)} ended with {done.returncode}:\n{done.stderr[-4000:]}")
    return done.stdout


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(file.lstat().st_blocks * 512 for file in files)
