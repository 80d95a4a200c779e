"""The workflow files of the docs, for real: their steps are run as a script in a folder with an evaluation file."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from export_labs import read_yaml
from proving import prove

CI = Path(__file__).parents[2] / "docs" / "ci"
FILE = """
[[suites]]
suite = "order"
items = 40
limit = 40

[[models]]
model = "question-only"

[[gates]]
rules = ["{rule}"]

[outputs]
report = "report.html"
junit = "gate.xml"
markdown = "summary.md"
"""
FAILS, HOLDS = "order.accuracy >= 99 %", "unparsed <= 40 %"
MAIN = "refs/heads/main"


class Job(NamedTuple):
    """A job of a workflow: scripts with their conditions, variables, and the files that the server keeps."""

    steps: list[tuple[str, str]]
    variables: Mapping[str, str]
    kept: list[str]


def _github() -> Job:
    workflow = read_yaml((CI / "github-actions.yml").read_text("utf-8"))
    (job,) = workflow["jobs"].values()
    (kept,) = [step["with"]["path"].split() for step in job["steps"] if "upload-artifact" in step.get("uses", "")]
    steps = [(step["run"], step.get("if", "success()")) for step in job["steps"] if "run" in step]
    return Job(steps, {"MODEL": workflow["env"]["MODEL"]}, kept)


def _gitlab() -> Job:
    workflow = read_yaml((CI / "gitlab-ci.yml").read_text("utf-8"))
    job = workflow["counterpoint"]
    kept = [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]
    return Job([("\n".join(job["script"]), "success()")], workflow["variables"], kept)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a `pip` that installs nothing and the `counterpoint` of this checkout; the lab in it is kept."""
    folder = tmp_path_factory.mktemp("checkout")
    commands = folder / "bin"
    commands.mkdir()
    scripts = {"pip": f'echo "$@" >> {folder}/installed', "counterpoint": f'{sys.executable} -m counterpoint "$@"'}
    for name, line in scripts.items():
        (commands / name).write_text(f"#!/bin/sh\n{line}\n")
        (commands / name).chmod(0o755)
    return folder


def _run(job: Job, folder: Path, branch: str) -> Iterator[int]:
    """The exit codes of the steps that a server would run, as it runs them: by bash that stops at an error."""
    variables: dict[str, Any] = os.environ | dict(job.variables) | {"MODEL": "question-only"}
    variables |= {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": "shown.md"}
    variables |= {"PYTHONPATH": os.pathsep.join(sys.path), "CI_COMMIT_BRANCH": branch, "CI_DEFAULT_BRANCH": MAIN}
    code = 0
    for script, condition in job.steps:
        due = {"success()": not code, "always()": True, f"github.ref == '{MAIN}'": not code and branch == MAIN}
        if due[condition]:
            done = subprocess.run(["bash", "-e", "-c", script], cwd=folder, env=variables, capture_output=True)
            code = code or done.returncode
            yield done.returncode


@pytest.mark.parametrize(
    ("server", "rule", "branch"),
    [
        (_github, FAILS, "branch"),
        prove(_gitlab, HOLDS, MAIN),
        prove(_github, HOLDS, MAIN),
        prove(_gitlab, FAILS, "branch"),
    ],
)
def test_a_workflow_is_red_where_a_rule_fails_and_marks_what_was_merged(
    folder: Path, server: Any, rule: str, branch: str
) -> None:
    for old in ("shown.md", "summary.md", "gate.xml", "report.html", "lab/baselines.json"):
        (folder / old).unlink(missing_ok=True)
    (folder / "counterpoint.toml").write_text(FILE.format(rule=rule))
    job = server()
    codes = list(_run(job, folder, branch))
    assert max(codes) == (3 if rule == FAILS else 0), codes
    assert "install counterpoint" in (folder / "installed").read_text("utf-8")
    assert all((folder / name).is_file() for name in job.kept)
    assert (folder / "lab" / "baselines.json").exists() == (branch == MAIN)
    shown = folder / ("shown.md" if server is _github else "summary.md")
    assert ("fails" if rule == FAILS else "holds") in shown.read_text("utf-8")


def test_the_lab_is_kept_after_the_baseline_was_marked_in_it() -> None:
    (job,) = read_yaml((CI / "github-actions.yml").read_text("utf-8"))["jobs"].values()
    steps = [step.get("uses", "") or step["run"] for step in job["steps"]]
    (marked,) = [place for place, step in enumerate(steps) if "counterpoint baseline" in step]
    (kept,) = [place for place, step in enumerate(steps) if "cache/save" in step]
    assert marked < kept
