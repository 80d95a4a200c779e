"""Make a release, or try whether one could be made: `python -m scripts.release --dry-run`.

Builds the wheel and the source archive, builds the wheel again from the archive, checks contents and licences, uses the
wheel as a stranger would on every Python there is, and writes the bill of materials and the notes beside them. Without
`--dry-run` the changelog must have the version with its date, the tree must be clean, and the tag is made. Nothing is
uploaded: the last lines say which command would.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from scripts import try_wheel
from scripts.bill_of_materials import find_unlisted, make_bill, read_components
from scripts.environments import StepError, make_environment
from scripts.try_wheel import step

PROJECT = Path(__file__).parents[1]
MEGABYTES = 15
"""The most that a wheel may have."""
WANTED = (
    "counterpoint/cli/main.py",
    "counterpoint/py.typed",
    "counterpoint/models/builtin/weights/fusion/answer.onnx",
    "counterpoint/language/lexicon/data/wordnet.npz",
    "counterpoint/lab/evaluation/schema.json",
)
"""Files without which a wheel does not work."""


def read_version() -> str:
    """The version of the package, which its tag repeats after a v."""
    text = (PROJECT / "src" / "counterpoint" / "_version.py").read_text(encoding="utf-8")
    (version,) = re.findall(r'^__version__ = "(.*)"$', text, re.MULTILINE)
    return str(version)


def read_notes(changelog: str, version: str) -> tuple[str, str]:
    """The date of a version in the changelog, or "unreleased", and the notes below its head.

    >>> read_notes("## 0.2.0, 2026-12-01\\n\\n### Fixed\\n\\n- A.\\n\\n## 0.1.0, 2026-11-01\\n", "0.2.0")
    ('2026-12-01', '### Fixed\\n\\n- A.\\n')
    """
    parts = re.split(r"^## (\S+), (.+)\n", changelog, flags=re.MULTILINE)[1:]
    for name, date, notes in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        if name == version:
            return date, notes.strip() + "\n"
    raise StepError(f"CHANGELOG.md has no version {version}")


def find_obstacles(version: str, *, tagged: bool) -> Iterator[str]:
    """What has to be done before a real release, which has its tag already or gets it."""
    date, _ = read_notes((PROJECT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
        yield f"CHANGELOG.md: {version} is {date}; a release has its date"
    if f"version: {version}\n" not in (PROJECT / "CITATION.cff").read_text(encoding="utf-8"):
        yield f"CITATION.cff: its version is not {version}"
    if _git("status", "--porcelain"):
        yield "there are changes that are not committed"
    if not tagged and _git("tag", "--list", f"v{version}"):
        yield f"the tag v{version} exists"
    if "urls" not in tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]:
        yield "pyproject.toml: [project.urls] is missing, by which README.md could name its pictures for PyPI"


def build(out: Path) -> Path:
    """The wheel and the source archive in an empty folder; the wheel that the archive gives has the same bytes."""
    shutil.rmtree(out, ignore_errors=True)
    _hatchling(PROJECT, "-d", str(out))
    (wheel,), (archive,) = out.glob("*.whl"), out.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as name:
        with tarfile.open(archive) as files:
            files.extractall(name, filter="data")
        _hatchling(next(Path(name).iterdir()), "-t", "wheel", "-d", name)
        (again,) = Path(name).glob("*.whl")
        if again.read_bytes() != wheel.read_bytes():
            raise StepError("the source archive gives another wheel than the checkout")
    return wheel


def check_contents(wheel: Path) -> None:
    """The wheel has what the program reads, the licences, and nothing of the checkout."""
    names = zipfile.ZipFile(wheel).namelist()
    if missing := [name for name in WANTED if name not in names]:
        raise StepError(f"{wheel.name} lacks {', '.join(missing)}")
    heads = {name.split("/")[0] for name in names}
    if foreign := [head for head in heads if head != "counterpoint" and not head.endswith(".dist-info")]:
        raise StepError(f"{wheel.name} has {', '.join(foreign)}")
    for licence in ("LICENSE", "NOTICE", "WORDNET-LICENSE.txt"):
        if not any(name.endswith(f"/{licence}") and ".dist-info/licenses/" in name for name in names):
            raise StepError(f"{wheel.name} lacks {licence}")
    if wheel.stat().st_size > MEGABYTES * 2**20:
        raise StepError(f"{wheel.name} has more than {MEGABYTES} MB")


def write_bill(wheel: Path, out: Path) -> None:
    """The bill of materials of the base, after its licences are found to be permissive or named in NOTICE."""
    with tempfile.TemporaryDirectory() as name:
        components = read_components(make_environment(Path(name) / "base", sys.executable, str(wheel)).packages)
    if unlisted := find_unlisted(components, (PROJECT / "NOTICE").read_text(encoding="utf-8")):
        raise StepError(f"licences that NOTICE does not name: {', '.join(unlisted)}")
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in out.glob("counterpoint-*")}
    bill = make_bill(components, "counterpoint", digests, _commit_time().strftime("%Y-%m-%dT%H:%M:%SZ"))
    (out / "bill-of-materials.cdx.json").write_text(json.dumps(bill, indent=1) + "\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Make or try a release; 1 after the first step that failed."""
    parser = argparse.ArgumentParser(description="Build and test a release. Nothing is uploaded.")
    parser.add_argument("--dry-run", action="store_true", help="Make no tag, and only name what a release still needs.")
    parser.add_argument("--tag", help="The tag that is there already, and must be that of the version.")
    parser.add_argument("--skip-trial", action="store_true", help="Do not install the wheel on every Python.")
    parser.add_argument("--out", type=Path, default=PROJECT / "dist")
    chosen = parser.parse_args(arguments)
    try:
        _release(chosen)
    except StepError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def _release(chosen: argparse.Namespace) -> None:
    version, out = read_version(), chosen.out.resolve()
    if chosen.tag not in (None, f"v{version}"):
        raise StepError(f"the tag {chosen.tag} is not that of version {version}")
    obstacles = list(find_obstacles(version, tagged=chosen.tag is not None))
    if obstacles and not chosen.dry_run:
        raise StepError("\n".join(obstacles))
    with step("build"):
        wheel = build(out)
    with step("contents"):
        check_contents(wheel)
    with step("licences and bill of materials"):
        write_bill(wheel, out)
    _, notes = read_notes((PROJECT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    (out / "notes.md").write_text(notes, encoding="utf-8")
    if not chosen.skip_trial and try_wheel.main([str(wheel)]):
        raise StepError("the wheel does not work")
    lines = [f"{path.stat().st_size:>12,} bytes  {path.name}" for path in sorted(out.iterdir())]
    if chosen.dry_run:
        lines += ["A release still needs:", *(f"- {obstacle}" for obstacle in obstacles)] if obstacles else ["Ready."]
    elif chosen.tag is None:
        _git("tag", "--annotate", f"v{version}", "--message", f"Version {version}")
        lines += [f"Tagged v{version}. To publish: git push origin v{version}, and the workflow uploads what it built."]
    print("\n".join(lines))


def _hatchling(folder: Path, *words: str) -> None:
    variables = os.environ | {"SOURCE_DATE_EPOCH": str(int(_commit_time().timestamp()))}
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", *words], cwd=folder, env=variables, capture_output=True, text=True
    )
    if done.returncode:
        raise StepError(f"the build failed:\n{done.stderr}")


def _commit_time() -> datetime:
    return datetime.fromtimestamp(int(_git("log", "-1", "--format=%ct")), UTC)


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=PROJECT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
