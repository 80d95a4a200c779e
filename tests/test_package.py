"""What an import and a look at the help cost, and what the package promises by its names."""

import importlib
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import counterpoint

PROJECT = Path(__file__).parents[1]
ROOMS = sorted(path.parent.name for path in (PROJECT / "src" / "counterpoint").glob("*/__init__.py"))
HEAVY = {"numpy", "PIL", "onnxruntime", "rich", "torch", "scipy"}
PUBLIC = [name for name in counterpoint.__all__ if name != "__version__"]


def _loaded(code: str) -> set[str]:
    """The modules that a new interpreter holds after running some code."""
    listing = "import sys; print(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{listing}"], capture_output=True, text=True, encoding="utf-8", check=True
    )
    return set(done.stdout.splitlines())


def test_importing_the_package_loads_no_room_and_no_library() -> None:
    before = _loaded("import importlib, typing")
    loaded = _loaded("import counterpoint") - before
    assert loaded == {"counterpoint", "counterpoint._version"}


def test_the_help_loads_no_command_and_nothing_heavy() -> None:
    loaded = _loaded("from counterpoint.cli.main import commands\ncommands(['--help'], standalone_mode=False)")
    assert not loaded & HEAVY
    assert {name for name in loaded if name.startswith("counterpoint.cli.")} == {
        "counterpoint.cli.main",
        "counterpoint.cli.printing",
    }


def test_listing_models_loads_none_of_them() -> None:
    loaded = _loaded("from counterpoint.cli.main import commands\ncommands(['list', 'models'], standalone_mode=False)")
    assert not loaded & {"PIL", "onnxruntime", "rich"}
    assert not any(name.startswith("counterpoint.models") for name in loaded)


def test_the_base_has_at_most_fifteen_dependencies_and_none_is_torch() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert len(project["dependencies"]) <= 15
    assert not any(dependency.startswith(("torch", "transformers")) for dependency in project["dependencies"])
    assert set(project["optional-dependencies"]) >= {"hf", "nlp", "xlsx", "dev"}


def test_every_dependency_has_its_reason_beside_it() -> None:
    lines = (PROJECT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    named = [line for line in lines if line.startswith('  "') and ">=" in line]
    assert named
    assert all("  # " in line for line in named)


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_says_what_it_is_for(room: str) -> None:
    text = importlib.import_module(f"counterpoint.{room}").__doc__
    assert text
    assert text.strip().endswith(".")


def test_public_names_are_listed_in_order_and_once() -> None:
    assert counterpoint.__all__ == sorted(set(counterpoint.__all__))
    assert dir(counterpoint) == counterpoint.__all__


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_resolves_and_says_what_it_is(name: str) -> None:
    found = getattr(counterpoint, name)
    said = found.__doc__ or ""
    assert said.strip()
    assert not said.startswith(f"{name}("), "dataclasses describe themselves when nobody else does"
    assert getattr(counterpoint, name) is found


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Wold'"):
        counterpoint.Wold  # noqa: B018 - looking is the point


def test_the_licence_of_the_words_we_ship_comes_with_them() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert all((PROJECT / path).exists() for path in project["license-files"])


def _requirements() -> list[Requirement]:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *(project["optional-dependencies"][name] for name in ("hf", "xlsx", "dev"))]
    requirements = [Requirement(line) for lines in lists for line in lines]
    return [requirement for requirement in requirements if requirement.name != "counterpoint"]


def test_constraints_hold_a_fitting_version_of_every_dependency() -> None:
    lines = (PROJECT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    versions = {canonicalize_name(name): version for name, version in pinned.items()}
    for requirement in _requirements():
        assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)]), requirement


def test_data_and_libraries_of_other_licences_are_named() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    notice = (PROJECT / "NOTICE").read_text(encoding="utf-8")
    assert project["license"] == "Apache-2.0 AND LicenseRef-WordNet"
    assert "NOTICE" in project["license-files"]
    for requirement in _requirements():
        about = metadata(requirement.name)
        texts = [text for key in ("License-Expression", "License", "Classifier") for text in about.get_all(key) or ()]
        heads = [text.partition("\n")[0] for text in texts]  # some hold the texts of what they bundle
        if any("GPL" in head for head in heads):
            assert requirement.name in notice


@pytest.mark.prove
def test_a_wheel_that_is_built_twice_has_the_same_bytes(tmp_path: Path) -> None:
    built = []
    for name in ("first", "second"):
        copy = tmp_path / name
        skip = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PROJECT / "src", copy / "src", ignore=skip, copy_function=shutil.copy)
        for file in ("README.md", "LICENSE", "NOTICE", "pyproject.toml"):
            shutil.copy(PROJECT / file, copy / file)
        words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(copy / "dist")]
        subprocess.run(words, cwd=copy, check=True, capture_output=True)
        (wheel,) = (copy / "dist").glob("*.whl")
        built.append((wheel.name, wheel.read_bytes()))
    assert built[0] == built[1]
