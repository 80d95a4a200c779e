"""The documentation works: every page runs from top to bottom, and every link leads somewhere."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from proving import prove, sample

import counterpoint as cp
from counterpoint.cli import demo
from counterpoint.cli.main import commands
from scripts.page_blocks import FENCE, missing_line, shown_commands

PROJECT = Path(__file__).parents[2]
RUN = [
    PROJECT / "README.md",
    *sorted((PROJECT / "docs").glob("tutorial/*.md")),
    *sample(sorted((PROJECT / "docs").glob("how-to/*.md")), 2),
    *(PROJECT / "docs/explanation" / name for name in ("identity.md", "lab.md", "lexicon.md")),
]
"""The pages whose commands and programs are run; most of the how-tos by `make prove` alone."""
READ = [*sorted(PROJECT.glob("*.md")), *sorted((PROJECT / "docs").rglob("*.md"))]
NOTEBOOKS = sorted((PROJECT / "docs").rglob("*.ipynb"))
SIZE = re.compile(r"(--(?:scenes|items|limit)) (\d+)")
SMALL, WHOLE = 5, 10**9
"""The most scenes or groups of a command, in `make test` and in `make prove`."""
SIZES = {"measure-robustness-to-noise.md": 2, "generate-valse-suites.md": 10, "validate-a-test-with-people.md": 10}
"""Pages with another number in `make test`: pictures that are edited thirty times, foils that few questions give."""


def _name(page: Path) -> str:
    return page.relative_to(PROJECT).as_posix()


@pytest.mark.parametrize("most", [SMALL, prove(WHOLE)], ids=["small", "whole"])
@pytest.mark.parametrize("page", RUN, ids=_name)
def test_a_page_runs_from_top_to_bottom_and_prints_what_it_shows(
    page: Path, most: int, workdir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    blocks = FENCE.findall(page.read_text(encoding="utf-8"))
    most = SIZES.get(page.name, most) if most == SMALL else most
    whole = True  # so far nothing was made smaller than the page says, so that it prints what the page shows
    for language, text in blocks:
        if language == "python" and (file := re.match(r"# (\w+\.py)\n", text)):
            (workdir / file[1]).write_text(text, encoding="utf-8")
        elif language == "python":
            capsys.readouterr()
            exec(compile(text, _name(page), "exec"), space)
        elif language == "text":
            assert capsys.readouterr().out == text or not whole
        elif language == "console":
            for line, shown in shown_commands(text):
                small = SIZE.sub(lambda found: f"{found[1]} {min(int(found[2]), most)}", line)
                whole = whole and small == line
                _run(small, shown if whole else [])


def _run(line: str, shown: list[str]) -> None:
    """Commands of ours are run, and print what is shown; others, such as make, are for the reader."""
    if line.startswith("$ counterpoint "):
        done = CliRunner().invoke(commands, shlex.split(line)[2:], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        missing = missing_line(shown, done.output.splitlines())
        assert missing is None, f"{line} does not print: {missing}"


def test_a_model_of_ones_own_takes_twenty_lines() -> None:
    text = (PROJECT / "docs/tutorial/your-own-model.md").read_text(encoding="utf-8")
    (code,) = (block for language, block in FENCE.findall(text) if language == "python")
    assert len(code.splitlines()) == 20


def test_commands_that_a_text_names_have_the_options_that_it_gives_them() -> None:
    for page in READ:
        text = page.read_text(encoding="utf-8")
        scripts = "\n".join(block for language, block in FENCE.findall(text) if language == "sh").replace("\\\n", " ")
        lines = re.findall(r"`counterpoint ([a-z][^`]*)`", FENCE.sub("", text))
        for line in [*lines, *re.findall(r"^counterpoint ([a-z].*?)(?: #.*|[;&|] .*)?$", scripts, re.MULTILINE)]:
            command, words = _command(line.replace("…", "").split())
            known = {name for param in command.params for name in param.opts} | {"--help"}
            assert {word for word in words if word.startswith("--")} <= known, f"{_name(page)}: counterpoint {line}"


def _command(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that some words begin with, and the words behind it."""
    command: click.Command = commands
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        named = command.get_command(click.Context(command), words[0])
        assert named is not None, f"there is no command {words[0]}"
        command, words = named, words[1:]
    return command, words


def test_pages_import_what_is_public() -> None:
    for page in (*READ, *NOTEBOOKS):
        text = page.read_text(encoding="utf-8")
        quoted = r'^\s*"?(?:from|import) (counterpoint[\w.]*)'  # as notebooks have their lines
        imported = re.findall(quoted, text, re.MULTILINE)
        assert imported or page not in NOTEBOOKS, _name(page)
        public = ("counterpoint", "counterpoint.testing", "counterpoint.integrations")
        assert [name for name in imported if name not in public] == [], _name(page)


def test_every_how_to_says_what_can_go_wrong_and_what_comes_next() -> None:
    for page in (PROJECT / "docs" / "how-to").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert "can go wrong" in text.lower(), _name(page)
        assert re.search(r"\bnext\b", "\n".join(text.splitlines()[-8:]), re.IGNORECASE), _name(page)


def _links(page: Path) -> Iterator[str]:
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    yield from re.findall(r"\]\(([^)\s]+)\)", prose)


def test_every_link_between_pages_leads_somewhere() -> None:
    for page in READ:
        for link in _links(page):
            if not link.startswith(("http://", "https://")):
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                assert target.exists(), f"{_name(page)} links to {link}"
                assert target.is_relative_to(PROJECT), f"{_name(page)} links out of the repository"
                assert not anchor or anchor in _anchors(target), f"{_name(page)} links to {link}"


def _anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_page_is_reached_from_the_index() -> None:
    index = PROJECT / "docs" / "index.md"
    reached, waiting = {index}, [index]
    while waiting:
        page = waiting.pop()
        for link in _links(page):
            target = (page.parent / link.partition("#")[0]).resolve()
            if target.suffix == ".md" and target.exists() and target not in reached:
                reached.add(target)
                waiting.append(target)
    assert set((PROJECT / "docs").rglob("*.md")) <= reached


def test_the_readme_is_short_and_begins_with_a_picture_and_results() -> None:
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    first_screen, install, _ = text.partition("\n## Install\n")
    assert install
    pictures = re.findall(r'(?:src|srcset)="([^"]+)"', first_screen)
    assert len(pictures) == 2, "one for each color scheme"
    assert all((PROJECT / path).is_file() for path in pictures)
    assert re.search(r"^\| `fusion` \|", first_screen, re.MULTILINE)
    assert len(first_screen.splitlines()) <= 25
    assert len(text.splitlines()) <= 100
    assert all(len(block.strip().splitlines()) <= 12 for language, block in FENCE.findall(text) if language == "python")


def _readme_figures() -> dict[str, list[str]]:
    """The cells of each model in the table of results."""
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)`[^|]*\|(.*)\|$", text, re.MULTILINE)
    return {model: [cell.strip() for cell in cells.split("|")] for model, cells in rows}


@pytest.mark.prove
def test_the_figures_of_the_readme_are_those_that_the_demo_prints(workdir: Path) -> None:
    result = CliRunner().invoke(commands, ["demo"])
    assert result.exit_code == 0, result.output
    figures = _readme_figures()
    assert list(figures) == ["fusion", "cnn-lstm", "question-only", "constant"]
    for model, cells in figures.items():
        printed = " ".join(line for line in result.output.splitlines() if line.split()[:1] == [model])
        assert [cell for cell in cells if cell not in printed] == [], model


def test_two_figures_of_the_readme_are_those_of_the_suite_that_the_demo_makes(workdir: Path) -> None:
    lab = cp.Lab("lab")
    lab.generate("negation", items=demo.SCENES, limit=demo.GROUPS)
    lab.run("question-only")
    result = CliRunner().invoke(commands, ["score", "lab"])
    assert [cell for cell in _readme_figures()["question-only"][1:3] if cell not in result.output] == []


def test_a_small_demo_prints_what_the_models_say_and_writes_a_report(
    workdir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo.show_demo(Path("demo"), scenes=3, groups=4, models=("constant", "question-only"))
    printed = capsys.readouterr().out
    lines = [line.split()[:2] for line in printed.splitlines()]
    assert [
        [model, suite]
        for model in ("constant", "question-only")
        for suite in demo.SUITES
        if [model, suite] not in lines
    ] == []
    assert "counterpoint serve demo/lab" in printed
    assert Path("demo/report.html").stat().st_size > 10_000


def test_nothing_in_the_docs_names_a_folder_of_somebodys_machine() -> None:
    for page in READ:
        assert not re.search(r"(?<![\w.])/(?:home|root|Users|work)/", page.read_text(encoding="utf-8")), _name(page)
