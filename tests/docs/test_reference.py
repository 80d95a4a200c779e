"""The reference is what the code says: nothing that people can name is undocumented."""

import re
import runpy
from doctest import DocTestParser, DocTestRunner
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from proving import prove

import counterpoint
from counterpoint import catalog
from counterpoint.cli.main import COMMANDS
from counterpoint.core import errors

PROJECT = Path(__file__).parents[2]
FOLDER = PROJECT / "docs" / "reference"
REFERENCE = runpy.run_path(str(PROJECT / "scripts" / "reference.py"))
HEAVY = {"Diagnosis", "export_site", "translate", "integrations.CounterpointCallback"}
"""Examples that import torch, or write many files."""


@cache
def _pages() -> dict[str, str]:
    """The reference, written when it is asked for: that takes seconds, in every process that collects tests."""
    pages: dict[str, str] = REFERENCE["pages"]()
    return pages


@cache
def _cards() -> dict[str, str]:
    cards: dict[str, str] = runpy.run_path(str(PROJECT / "scripts" / "model_cards.py"))["pages"]()
    return cards


def test_the_reference_is_what_the_code_says() -> None:
    for name, page in _pages().items():
        written = (FOLDER / name).read_text(encoding="utf-8")
        assert written == page, f"docs/reference/{name} is old; python scripts/reference.py writes it anew"


def test_the_schema_of_an_evaluation_file_is_what_the_code_says() -> None:
    written = REFERENCE["SCHEMA"].read_text(encoding="utf-8")
    assert written == REFERENCE["schema"](), "the schema is old; python scripts/reference.py writes it anew"


def test_model_pages_are_what_the_cards_say() -> None:
    for name, page in _cards().items():
        written = (PROJECT / "docs" / name).read_text(encoding="utf-8")
        assert written == page, f"docs/{name} is old; python scripts/model_cards.py writes it anew"


def test_every_trained_model_has_a_card_with_its_accuracy() -> None:
    made = [
        name
        for name, place in catalog.TABLES["models"].items()
        if place.startswith("counterpoint.models.builtin.models:")
    ]
    for name in made:
        section = _cards()["reference/models.md"].partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert re.search(r"^\| (?:all questions|captions ranked) \| [\d.]+ \([\d.]+–[\d.]+\) \|", section, re.MULTILINE)
        assert "Never trained on: " in section


def test_there_are_no_other_pages() -> None:
    written_by_hand = {f"reference/{name}.md" for name in ("glossary", "paper-examples", "papers-to-commands")}
    listed = {*_cards(), *(f"reference/{name}" for name in _pages()), *written_by_hand}
    assert {f"reference/{path.name}" for path in FOLDER.iterdir()} <= listed


def test_every_suite_says_what_it_measures_once() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \|", _pages()["which-test-measures-what.md"], re.MULTILINE)
    assert sorted(rows) == sorted(catalog.TABLES["suites"])


@pytest.mark.parametrize("size", [prove(12)])
@pytest.mark.parametrize("name", ["antonym", "contrast", "existence", "negation", "noise", "order", "question-bias"])
def test_the_relations_of_a_suite_are_those_that_its_row_names(name: str, size: int, tmp_path: Path) -> None:
    lab = counterpoint.Lab(tmp_path / "lab")
    lab.generate(name, items=size, limit=4)
    (row,) = re.findall(rf"^\| `{name}` \|.*$", _pages()["which-test-measures-what.md"], re.MULTILINE)
    assert {f"`{group['relation']}`" for group in lab.groups(name)} == {row.split(" | ")[3]}


def test_every_public_name_is_documented() -> None:
    for name in counterpoint.__all__:
        section = _section("api.md", f"`{name}`" if name.startswith("_") else name)
        assert re.search(r"^\w.*[.?]", section, re.MULTILINE), f"{name} has no docstring"
        assert "``: \n" not in section, name


def test_every_public_method_is_documented() -> None:
    undocumented = re.findall(r"^- \*\*`.*`\*\*:\s*$", _pages()["api.md"], re.MULTILINE)
    assert undocumented == []


@pytest.mark.parametrize("package", REFERENCE["PUBLIC"])
def test_every_public_name_has_an_example(package: str) -> None:
    prefix = package.removeprefix("counterpoint").lstrip(".") + "." if package != "counterpoint" else ""
    titles = [f"`{name}`" if name.startswith("_") else prefix + name for name in import_module(package).__all__]
    assert [title for title in titles if "\n>>> " not in _section("api.md", title)] == []


@pytest.mark.parametrize("skipped", [HEAVY, prove(set[str]())], ids=["light", "all"])
def test_the_examples_beside_the_code_run(skipped: set[str], workdir: Path) -> None:
    examples: dict[str, str] = REFERENCE["api_examples"]()
    assert examples.keys() >= HEAVY
    text = "\n\n".join(example for name, example in examples.items() if name not in skipped)
    test = DocTestParser().get_doctest(text, {}, "api_examples.md", str(REFERENCE["EXAMPLES"]), 0)
    said: list[str] = []
    assert DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)


def test_every_command_is_documented_with_each_of_its_options() -> None:
    for name in COMMANDS:
        section = _section("commands.md", f"counterpoint {name}")
        assert re.search(r"^\w.*\.", section, re.MULTILINE), f"{name} has no help"
        assert not re.findall(r"^\| `--[^|]*\|\s*\|", section, re.MULTILINE), f"{name} has an option without help"


def test_every_row_of_the_catalog_is_documented() -> None:
    for table, name in ((table, name) for table, rows in catalog.TABLES.items() for name in rows):
        row = rf"^\| `{re.escape(name)}` \| `[\w.:]+` \| \w.* \|$"
        assert re.search(row, _section("catalog.md", table), re.MULTILINE), name


def test_every_error_is_documented() -> None:
    ours = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Exception)]
    assert all(f"**`{error.__name__}`**: " in _pages()["errors.md"] for error in ours)


def _section(page: str, title: str) -> str:
    """What stands below a heading, down to the next of its kind."""
    _, found, rest = _pages()[page].partition(f"\n## {title}\n")
    assert found, f"{page} has no section on {title}"
    return re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]
