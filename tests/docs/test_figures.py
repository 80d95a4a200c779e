"""Tables of figures in the docs are what their commands print.

A table below the line `<!-- printed by the commands above -->` belongs to the last block of shell commands before it,
one of which prints it with `--markdown`. `make prove` runs the commands. A figure may differ by a point, since weights
are floats and another machine may round otherwise.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
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
PARTS = re.compile(
    r"^```sh\n(?P<script>.*?)^```$|^<!-- printed by the commands above -->\n\n(?P<table>(?:^\|.*\n)+)",
    re.MULTILINE | re.DOTALL,
)
LOOP = re.compile(r"^for (\w+) in (.*?); do\s+(.*?);?\s*done$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[+−-]?\d[\d,]*(?:\.\d+)?")
SECONDS = {"queries/s", "s/query"}
"""Columns that depend on the machine."""
TOLERANCE = 1.0

Rows = list[list[str]]


class PrintedTable(NamedTuple):
    """A table of a page, with its head, and the commands that print it."""

    page: Path
    script: str
    rows: Rows


def _tables() -> Iterator[PrintedTable]:
    for page in sorted((PROJECT / "docs").rglob("*.md")):
        script = ""
        for part in PARTS.finditer(page.read_text(encoding="utf-8")):
            script = part["script"] or script
            if part["table"]:
                yield PrintedTable(page, script, _rows(part["table"]))


def _rows(text: str) -> Rows:
    """The cells of every line of a Markdown table, without the rule below the head."""
    lines = (line.strip("|").split("|") for line in text.splitlines() if line.startswith("|"))
    return [[cell.strip() for cell in line] for line in lines if not re.fullmatch(r"[\s:-]+", "".join(line))]


TABLES = list(_tables())
PAGES = sorted({table.page for table in TABLES})


def _commands(script: str) -> Iterator[list[str]]:
    """The arguments of every command, with loops over models written out."""

    def unrolled(loop: re.Match[str]) -> str:
        return "\n".join(re.sub(rf"\${loop[1]}\b", value, loop[3]) for value in loop[2].split())

    for line in LOOP.sub(unrolled, script.replace("\\\n", " ")).replace(";", "\n").splitlines():
        words = shlex.split(line, comments=True)
        if words:
            assert words[0] == "counterpoint", f"only commands of ours print figures: {line}"
            yield words[1:]


def _differences(shown: Rows, printed: Rows) -> list[str]:
    """The rows of a page that a printed table lacks, or has with other figures."""
    head = shown[0]
    kept = [column for column, name in enumerate(head) if name not in SECONDS]
    starts = [place for place, row in enumerate(printed) if row == head]
    if not starts:
        return [f"no table with the head {head}"]
    found = [row for row in printed[starts[0] + 1 :] if len(row) == len(head)]
    return [
        " | ".join(row)
        for row in shown[1:]
        if not any(all(_agree(row[place], other[place]) for place in kept) for other in found)
    ]


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
            listed = list(_commands(table.script))
            assert any("--markdown" in words for words in listed)
            assert {words[0] for words in listed} <= set(COMMANDS)


@pytest.mark.prove
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_print_the_tables_below_them(page: Path, workdir: Path) -> None:
    outputs: dict[str, str] = {}
    for table in (table for table in TABLES if table.page == page):
        if table.script not in outputs:
            done = [CliRunner().invoke(commands, words, catch_exceptions=False) for words in _commands(table.script)]
            assert [one.exit_code for one in done] == [0] * len(done)
            outputs[table.script] = "".join(one.stdout for one in done)
        assert _differences(table.rows, _rows(outputs[table.script])) == []


def test_a_figure_that_went_stale_is_found() -> None:
    printed = _rows("| model | CONS | queries/s |\n| --- | ---: | --- |\n| fusion | 73.0 (68.5–77.2) | 45 |\n")
    assert _differences([printed[0], ["fusion", "73.4 (68.9–77.6)", "90"]], printed) == []
    assert _differences([printed[0], ["fusion", "75.0 (68.5–77.2)", "45"]], printed) != []
    assert _differences([printed[0], ["cnn-lstm", "73.0 (68.5–77.2)", "45"]], printed) != []
    assert _differences([["model", "ACC"], ["fusion", "73.0"]], printed) != []


def test_loops_over_models_are_written_out() -> None:
    script = "for model in fusion random; do\n  counterpoint run lab --model $model\ndone\ncounterpoint score lab\n"
    assert [words[-1] for words in _commands(script)] == ["fusion", "random", "lab"]


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
