"""What is made of the project for others: notes, a bill of materials, and pages whose commands are typed in a shell."""

import doctest
import sys
from importlib import import_module
from importlib.metadata import distribution
from pathlib import Path
from types import ModuleType

import pytest

from counterpoint import __version__
from scripts import bill_of_materials, page_blocks, release
from scripts.bill_of_materials import Component, find_unlisted, make_bill, read_components
from scripts.environments import Environment, StepError
from scripts.typist import Typist

PROJECT = Path(__file__).parents[1]
PACKAGES = Path(str(distribution("numpy").locate_file("")))


@pytest.fixture(scope="module")
def base() -> list[Component]:
    """The packages that the base needs, of those that are installed here."""
    found = {own.name: own for own in read_components(PACKAGES)}
    needed, waiting = dict[str, Component](), ["counterpoint"]
    while waiting:
        own = found[waiting.pop()]
        if own.name not in needed:
            needed[own.name] = own
            waiting += own.needs
    return list(needed.values())


@pytest.mark.parametrize("module", [bill_of_materials, page_blocks, release], ids=lambda module: module.__name__)
def test_the_examples_of_the_scripts_run(module: ModuleType) -> None:
    found = doctest.testmod(import_module(module.__name__))
    assert found.attempted > 0
    assert found.failed == 0


def test_every_package_of_the_base_has_a_licence_that_is_permissive_or_named(base: list[Component]) -> None:
    assert {"pyarrow", "pygments", "hanta"} <= {own.name for own in base}
    assert find_unlisted(base, (PROJECT / "NOTICE").read_text(encoding="utf-8")) == []
    assert [line.split(":")[0] for line in find_unlisted(base, "")] == ["hanta"]


def test_the_bill_lists_every_package_once_and_what_needs_what(base: list[Component]) -> None:
    bill = make_bill(base, "counterpoint", {"counterpoint.whl": "ab" * 32}, "2026-11-17T00:00:00Z")
    refs = [own["bom-ref"] for own in (bill["metadata"]["component"], *bill["components"])]
    assert len(set(refs)) == len(refs) == len(base)
    assert {own["ref"] for own in bill["dependencies"]} == set(refs)
    assert {ref for own in bill["dependencies"] for ref in own["dependsOn"]} <= set(refs)
    assert bill["metadata"]["component"]["purl"] == f"pkg:pypi/counterpoint@{__version__}"
    assert bill == make_bill(base, "counterpoint", {"counterpoint.whl": "ab" * 32}, "2026-11-17T00:00:00Z")


def test_the_changelog_has_notes_of_this_version() -> None:
    date, notes = release.read_notes((PROJECT / "CHANGELOG.md").read_text(encoding="utf-8"), __version__)
    assert date
    assert notes.startswith("### ")
    with pytest.raises(StepError, match=r"no version 9\.9"):
        release.read_notes("# Changelog\n", "9.9")


def test_a_tag_of_another_version_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(["--dry-run", "--tag", "v99.0"]) == 1
    assert "the tag v99.0 is not that of version" in capsys.readouterr().err


PAGE = """
```console
$ echo 3 > number
$ cat number
3
```

```python
total = int(open("number").read())
print("so far", total)
```

```text
so far 3
```
"""


def test_a_command_may_end_with_the_exit_code_that_is_shown(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```sh\n$ echo the gate fails: exit code 3; exit 3\nthe gate fails: exit code 3\n```\n", encoding="utf-8"
    )
    with Typist(Environment(Path(sys.prefix)), tmp_path) as typist:
        assert typist.follow(page) == 1


def test_a_page_is_typed_into_a_shell_and_a_prompt(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    with Typist(Environment(Path(sys.prefix)), tmp_path) as typist:
        assert typist.follow(page) == 3


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("number\n3\n", "number\n4\n", "does not print: 4"),
        ("so far 3", "so far 4", "no line is: so far 4"),
        ("$ cat number", "$ cat letter", "ended with 1"),
        ('int(open("number").read())', "None + 1", "TypeError"),
    ],
)
def test_typing_stops_at_the_first_difference(tmp_path: Path, right: str, wrong: str, told: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.replace(right, wrong), encoding="utf-8")
    with Typist(Environment(Path(sys.prefix)), tmp_path) as typist, pytest.raises(StepError, match=told):
        typist.follow(page)
