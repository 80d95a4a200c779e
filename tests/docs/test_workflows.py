"""The workflows of the project itself: they parse, and what their steps call exists; steps that are cheap are run."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from export_labs import read_yaml

PROJECT = Path(__file__).parents[2]
WORKFLOWS = sorted((PROJECT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((PROJECT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z]+):", (PROJECT / "Makefile").read_text("utf-8"), re.MULTILINE))


def _jobs(workflow: Path) -> Iterator[dict[str, Any]]:
    yield from read_yaml(workflow.read_text("utf-8"))["jobs"].values()


def _scripts(workflow: Path) -> list[str]:
    return [step["run"] for job in _jobs(workflow) for step in job["steps"] if "run" in step]


def test_the_workflows_are_those_of_a_release() -> None:
    assert {path.stem for path in WORKFLOWS} == {"checks", "nightly", "docs", "release"}
    commands = "\n".join(script for path in WORKFLOWS for script in _scripts(path))
    for wanted in (".ci/run", "make prove", "make docs", "scripts.release --dry-run", "scripts.release --tag"):
        assert wanted in commands


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_what_exists_and_has_bounds(workflow: Path) -> None:
    content = read_yaml(workflow.read_text("utf-8"))
    assert content["permissions"] == {"contents": "read"}, "a job that needs more says so itself"
    for job in content["jobs"].values():
        builds = any("run" in step for step in job["steps"]) and "environment" not in job
        assert not builds or job["timeout-minutes"] <= 350, "a server stops jobs after six hours"
        for step in job["steps"]:
            assert re.fullmatch(r"[\w-]+/[\w-]+@(?:v\d+|release/v\d+)", step.get("uses", "a/b@v1")), step
    for script in _scripts(workflow):
        subprocess.run(["bash", "-n", "-c", script], check=True)
        assert set(re.findall(r"\bmake (\w+)", script)) <= TARGETS
        assert all((PROJECT / "scripts" / f"{name}.py").exists() for name in re.findall(r"-m scripts\.(\w+)", script))


def test_every_supported_python_is_tested_and_the_wheel_tried_on_it() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    jobs = read_yaml((PROJECT / ".github" / "workflows" / "checks.yml").read_text("utf-8"))["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == named
    assert project["requires-python"] == f">={named[0]}"
    for script in (script for path in WORKFLOWS for script in _scripts(path) if "uv python install" in script):
        assert re.findall(r"3\.\d+", script) == named


def test_what_a_release_uploads_is_what_its_script_writes(tmp_path: Path) -> None:
    (clean,) = (text for text in _scripts(PROJECT / ".github" / "workflows" / "release.yml") if text.startswith("rm "))
    folder = tmp_path / "dist"
    folder.mkdir()
    for name in ("notes.md", "bill-of-materials.cdx.json", "counterpoint-1-py3-none-any.whl", "counterpoint-1.tar.gz"):
        (folder / name).touch()
    subprocess.run(["bash", "-e", "-c", clean], cwd=tmp_path, check=True)
    assert sorted(path.name for path in folder.iterdir()) == [
        "counterpoint-1-py3-none-any.whl",
        "counterpoint-1.tar.gz",
    ]


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_a_form_for_issues_asks_for_something(form: Path) -> None:
    content = read_yaml(form.read_text("utf-8"))
    if form.stem != "config":
        assert content["name"]
        assert any(part.get("validations", {}).get("required") for part in content["body"])
        names = [part["id"] for part in content["body"]]
        assert len(set(names)) == len(names)
