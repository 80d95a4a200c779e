"""What `counterpoint doctor` tells: versions, extras that are missing with a command, and no key."""

import json
import os
import re
import tomllib
from collections.abc import MutableMapping
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from click.testing import CliRunner

import counterpoint as cp
from counterpoint.cli import doctor
from counterpoint.lab import diagnosis

ROOT = Path(__file__).parents[2]


def test_every_extra_for_users_is_told_with_its_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {name: packages for name, packages in project["optional-dependencies"].items() if name != "dev"}
    found = {own.extra: own for own in cp.diagnose()}
    assert set(found) == set(extras)
    for name, packages in extras.items():
        told = {text.split()[0] for text in (*found[name].installed, *found[name].missing)}
        assert told == {re.split("[<>=]", package)[0] for package in packages}


def test_what_is_missing_has_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(diagnosis, "version", version)
    shown = CliRunner().invoke(doctor.command, [], catch_exceptions=False).output
    assert f"for local Hugging Face models, training callbacks: {cp.install_command('hf')}" in shown
    assert "num2words, torch, transformers" in shown


def test_keys_are_named_and_not_shown(environ: MutableMapping[str, str]) -> None:
    environ["OPENAI_API_KEY"] = "sk-secret"
    shown = CliRunner().invoke(doctor.command, ["--json"], catch_exceptions=False).output
    assert "OPENAI_API_KEY" in json.loads(shown)["machine"]["keys of endpoints"]
    assert "secret" not in shown


def test_the_cores_are_those_that_this_process_may_use() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert ", 1 core, " in str(cp.diagnose().to_dict())
    finally:
        os.sched_setaffinity(0, before)
