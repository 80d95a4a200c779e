"""Progress and log lines on standard error, with and without a terminal."""

import json
import logging
import re
import sys
from collections.abc import Callable, MutableMapping
from itertools import count
from pathlib import Path

import pytest

import counterpoint as cp
from counterpoint.cli import printing
from counterpoint.cli.printing import echo, print_json, print_result, progress_shown
from counterpoint.lab.progress import ProgressEvent, track
from counterpoint.store.lab import LabStore


def _clock() -> Callable[[], float]:
    """A clock that goes on by a second whenever it is read."""
    ticks = count()
    return lambda: float(next(ticks))


@pytest.mark.parametrize(
    ("items", "total", "first", "last"),
    [
        (range(3), None, "reading: 1 of 3, ", "reading: 3 of 3, "),
        (iter(range(3)), None, "reading: 1, ", "reading: 3, "),
        (iter(range(5)), 3, "reading: 1 of 3, ", "reading: 5, "),
    ],
)
def test_a_total_is_shown_until_more_items_came(
    capsys: pytest.CaptureFixture[str], items: range, total: int | None, first: str, last: str
) -> None:
    with progress_shown(every=0, clock=_clock()) as progress:
        assert list(track(items, "reading", progress, total=total)) == list(range(3 if total is None else 5))
    lines = capsys.readouterr().err.splitlines()
    assert (lines[0][: len(first)], lines[-1][: len(last)]) == (first, last)
    assert [line.endswith("s left") for line in lines] == [" of " in line for line in lines]
    assert "-" not in lines[-1]


def test_without_a_terminal_progress_is_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_shown(every=3, clock=_clock()) as progress:
        for done in range(6):
            progress(ProgressEvent("fusion", done, 20_000, f"{done} of 20,000, 7 cached, 1 failed"))
    assert capsys.readouterr().err.splitlines() == [
        "fusion: 2 of 20,000, 7 cached, 1 failed",
        "fusion: 5 of 20,000, 7 cached, 1 failed",
    ]


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (ProgressEvent("fusion", 512, 20_000, "512 of 20,000, 256/s"), ["fusion", "512 of 20,000"]),
        (ProgressEvent("mine[/b]\a", 5, 9, "5 of 9 [red]"), ["mine[/b]\\u0007", "5 of 9 [red]"]),
    ],
)
def test_in_a_terminal_progress_is_a_bar_and_names_are_shown_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
    environ: MutableMapping[str, str],
    capsys: pytest.CaptureFixture[str],
    event: ProgressEvent,
    shown: list[str],
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    environ["TERM"] = "xterm"
    with progress_shown() as progress:
        progress(event)
    printed = capsys.readouterr().err
    assert [text for text in shown if text not in printed] == []


def test_nothing_that_is_printed_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    name = "\x1b]0;title\a\x9b2Jmodel\r"
    echo(name)
    print_json({"model": name})
    with progress_shown():
        logging.getLogger("counterpoint").warning(name)
    printed = capsys.readouterr()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", printed.out + printed.err)
    assert json.loads(printed.out.partition("\n")[2]) == {"model": name}


def test_a_result_keeps_to_the_width_of_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
    environ: MutableMapping[str, str],
    capsys: pytest.CaptureFixture[str],
    lab: LabStore,
) -> None:
    contents = cp.Lab(lab.folder).contents()
    print_result(contents)
    wide = capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    environ["COLUMNS"] = "60"
    print_result(contents)
    narrow = capsys.readouterr().out
    assert max(map(len, wide.splitlines())) > 60 >= max(map(len, narrow.splitlines()))
    cells = [str(cell) for table in contents.tables() for row in table.rows for cell in row]
    assert [cell for cell in cells if cell not in narrow] == []


def test_every_command_prints_by_the_function_that_escapes() -> None:
    folder = Path(printing.__file__).parent
    users = {path.name for path in folder.glob("*.py") if re.search(r"click\.s?echo\(", path.read_text("utf-8"))}
    assert users == {"printing.py", "eval.py"}  # which escapes before it colors
    assert "click.echo(_colored(escape_controls(" in (folder / "eval.py").read_text("utf-8")


def test_what_the_lab_layer_logs_is_printed_while_a_command_runs(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("counterpoint")
    with progress_shown():
        logger.info("unpacked 3 pictures")
    logger.info("not printed")
    assert capsys.readouterr().err == "unpacked 3 pictures\n"


def test_a_task_that_has_just_begun_has_no_rate_yet(capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 20.0, 20.1, 20.2, 40.0])
    with progress_shown(every=10, clock=lambda: next(times)) as progress:
        progress(ProgressEvent("reading", 400))
        for done in (1, 2, 990):
            progress(ProgressEvent("adding", done, 1000))
    assert capsys.readouterr().err.splitlines() == ["reading: 400, 20/s", "adding: 990 of 1000, 50/s, 0 s left"]


def test_the_first_items_of_many_tell_no_rate(capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 15.0, 40.0])
    with progress_shown(every=10, clock=lambda: next(times)) as progress:
        progress(ProgressEvent("reading", 1, 1000))
        progress(ProgressEvent("reading", 400, 1000))
    assert capsys.readouterr().err.splitlines() == ["reading: 1 of 1000", "reading: 400 of 1000, 10/s, 60 s left"]


def test_of_many_items_every_hundredth_and_the_last_are_reported() -> None:
    events: list[ProgressEvent] = []
    assert list(track(iter(range(250)), "reading", events.append)) == list(range(250))
    assert [event.done for event in events] == [*range(1, 101), 200, 250]


def test_json_has_null_where_a_number_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"value": float("nan"), "rows": [float("inf"), 0.1, "Ä"]})
    printed = capsys.readouterr().out
    assert json.loads(printed, parse_constant=pytest.fail) == {"value": None, "rows": [None, 0.1, "Ä"]}
    assert "Ä" in printed
