"""Tables of figures in the docs are what their commands print.

`scripts/page_outputs.py` says which tables these are, and writes them. `make prove` runs the commands. A figure may
differ by a point, since weights are floats and another machine may round otherwise.
"""

import json
import re
import runpy
from collections.abc import Iterator, Mapping
from contextlib import chdir
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from counterpoint.cli.main import COMMANDS, commands
from counterpoint.models.builtin.models import question_only
from counterpoint.models.builtin.onnx_graphs import WEIGHTS
from counterpoint.studies.plain_accuracy import PlainExam, examine
from counterpoint.world.source import World

PROJECT = Path(__file__).parents[2]
TOOL = runpy.run_path(str(PROJECT / "scripts" / "page_outputs.py"))
NUMBER = re.compile(r"[+−-]?\d[\d,]*(?:\.\d+)?")
SECONDS = {"queries/s", "ms/query"}
"""Columns that depend on the machine."""
TOLERANCE = 1.0


class PrintedTable(NamedTuple):
    """A table of a page, and the commands that print it."""

    page: Path
    script: str
    text: str

    @property
    def commands(self) -> list[list[str]]:
        """The arguments of each command."""
        return list(TOOL["script_commands"](self.script))


def _tables() -> Iterator[PrintedTable]:
    for page in sorted((PROJECT / "docs").rglob("*.md")):
        script = ""
        for part in TOOL["PART"].finditer(page.read_text(encoding="utf-8")):
            script = part["text"] if part["language"] == "sh" else script
            if part["table"]:
                yield PrintedTable(page, script, part["table"])


TABLES = list(_tables())
PAGES = sorted({table.page for table in TABLES})


def _differences(shown: str, printed: str) -> list[str]:
    """The rows of a table that the printed one lacks, or has with other figures."""
    head, *rows = shown.splitlines()
    found = [_cells(line) for line in TOOL["table_lines"](printed, head)]
    kept = [column for column, name in enumerate(_cells(head)) if name not in SECONDS]
    return [line for line in rows if not any(all(_agree(_cells(line)[k], other[k]) for k in kept) for other in found)]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _agree(shown: str, printed: str) -> bool:
    same_text = NUMBER.sub("#", shown) == NUMBER.sub("#", printed)
    return same_text and all(
        abs(one - other) <= TOLERANCE for one, other in zip(_numbers(shown), _numbers(printed), strict=True)
    )


def _numbers(cell: str) -> list[float]:
    return [float(text.replace(",", "").replace("−", "-")) for text in NUMBER.findall(cell)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_printed_table_has_a_command_that_prints_it(page: Path) -> None:
    for table in TABLES:
        if table.page == page:
            assert any("--markdown" in words for words in table.commands)
            assert {words[0] for words in table.commands} <= set(COMMANDS)


@pytest.mark.prove
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_print_the_tables_below_them(page: Path, workdir: Path) -> None:
    outputs: dict[str, str] = {}
    for table in (table for table in TABLES if table.page == page):
        if table.script not in outputs:
            (folder := workdir / str(len(outputs))).mkdir()
            with chdir(folder):
                run = [CliRunner().invoke(commands, words, catch_exceptions=False) for words in table.commands]
            assert [done.exit_code for done in run] == [0] * len(run)
            outputs[table.script] = "".join(done.stdout for done in run)
        stale = _differences(table.text, outputs[table.script])
        assert stale == [], f"python -m scripts.page_outputs --tables docs/…/{page.name} writes it anew"


HEAD = "| model | CONS | queries/s |\n| --- | ---: | --- |\n"


def test_a_figure_that_went_stale_is_found() -> None:
    printed = f"Table 1\n\n{HEAD}| fusion | 73.0 (68.5–77.2) | 45 |\n\n"
    assert _differences(f"{HEAD}| fusion | 73.4 (68.9–77.6) | 90 |\n", printed) == []
    assert _differences(f"{HEAD}| fusion | 75.0 (68.5–77.2) | 45 |\n", printed) != []
    assert _differences(f"{HEAD}| cnn-lstm | 73.0 (68.5–77.2) | 45 |\n", printed) != []
    assert _differences("| model | ACC |\n| --- | ---: |\n| fusion | 73.0 |\n", printed) != []


def test_loops_over_models_are_written_out() -> None:
    script = "for model in fusion random; do\n  counterpoint run lab --model $model\ndone\ncounterpoint score lab\n"
    assert [words[-1] for words in TOOL["script_commands"](script)] == ["fusion", "random", "lab"]


def test_pages_get_the_outputs_of_their_commands(workdir: Path) -> None:
    script = "counterpoint generate lab --suite order --items 2\ncounterpoint run lab --model constant\n"
    script += "counterpoint score lab --metric accuracy --markdown\n"
    head = "| model | suite | test | accuracy | n |\n| --- | --- | --- | ---: | ---: |\n"
    tables = [f"{TOOL['MARK']}\n\n{head}| {model} | order | order | 0.0 | 7 |\n" for model in ("constant", "fusion")]
    code = "```python\nprint(2)\n```\n\n```text\n1\n```\n"
    run = TOOL["PageRun"](with_tables=True)
    written = run.written("\n".join([f"```sh\n{script}```\n", *tables, code]))
    assert re.search(r"^\| constant \| order \| order \| [\d.]+ \([\d.]+–[\d.]+\) \| \d+ \|$", written, re.MULTILINE)
    assert tables[1] in written, "nothing like it is printed, so it stays"
    assert len(run.doubts) == 1
    assert "no line is like: | fusion |" in run.doubts[0]
    assert written.endswith("```text\n2\n```\n")


def test_a_page_is_written_anew_where_it_shows_an_output(workdir: Path) -> None:
    command = "$ counterpoint list families"
    written = TOOL["PageRun"](with_tables=False, anew=True).written(f"```console\n{command}\n{command}\n?\n```\n")
    lines = written.splitlines()
    assert lines[1:4] == [command, command, "Families"]
    assert any(line.startswith("carets ") for line in lines)
    assert "?" not in lines


@pytest.mark.prove
def test_a_card_has_the_accuracy_of_its_model() -> None:
    card = json.loads((WEIGHTS / "question-only" / "card.json").read_text("utf-8"))["accuracy"]
    world = World(card["split"], card["scenes"])
    report = examine("question-only", question_only(world), PlainExam.of(world))
    assert report.overall is not None
    _expect(card["questions"], asdict(report.overall))
    for kind, score in report.kinds.items():
        _expect(card["kinds"][kind], asdict(score))


def _expect(written: Mapping[str, float], measured: Mapping[str, float]) -> None:
    assert written == pytest.approx(measured, abs=TOLERANCE / 100)
