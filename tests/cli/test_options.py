"""Option values as people type them."""

from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from counterpoint.cli.main import commands
from counterpoint.cli.options import parse_columns, parse_means, parse_pairs
from counterpoint.lab.generation import GenerateRequest, generate
from counterpoint.store.lab import LabStore

CONTEXT, OPTION = click.Context(click.Command("generate")), click.Option(["--option"])


def test_means_are_three_numbers_or_a_folder(tmp_path: Path) -> None:
    assert parse_means(CONTEXT, OPTION, "") is None
    assert parse_means(CONTEXT, OPTION, "121, 113,104") == (121, 113, 104)
    assert parse_means(CONTEXT, OPTION, str(tmp_path)) == tmp_path


@pytest.mark.parametrize("text", ["1,2", "1,2,3,4", "a,b,c", "1.5,2,3", "1,2,256", "-1,2,3", "no-such-folder"])
def test_what_is_no_color_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match=text):
        parse_means(CONTEXT, OPTION, text)


def test_pairs_are_those_of_the_paper_or_a_number_or_two() -> None:
    assert [parse_pairs(CONTEXT, OPTION, text) for text in ("paper", "6", "20+12")] == ["paper", 6, (20, 12)]
    with pytest.raises(click.BadParameter, match=r"500\+300"):
        parse_pairs(CONTEXT, OPTION, "many")


def test_a_map_of_columns_in_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "map.txt").write_bytes("# mine\r\nquestion=Q\r\nanswer=A\r\n".encode("utf-8-sig"))
    assert parse_columns(CONTEXT, OPTION, str(tmp_path / "map.txt")) == {"question": "Q", "answer": "A"}
    (tmp_path / "bare.txt").write_bytes("question=Q".encode("utf-8-sig"))
    assert parse_columns(CONTEXT, OPTION, str(tmp_path / "bare.txt")) == {"question": "Q"}


def test_columns_are_pairs_of_role_and_column() -> None:
    assert parse_columns(CONTEXT, OPTION, "question=Q, answer=A") == {"question": "Q", "answer": "A"}
    with pytest.raises(click.BadParameter, match="ROLE=COLUMN"):
        parse_columns(CONTEXT, OPTION, "question")


def _completions(*words: str) -> set[str]:
    completer = ShellComplete(commands, {}, "counterpoint", "_COUNTERPOINT_COMPLETE")
    return {item.value for item in completer.get_completions(list(words[:-1]), words[-1])}


def test_values_complete_from_the_catalog_and_from_the_lab(tmp_path: Path) -> None:
    assert _completions("generate", "lab", "--suite", "ca") == {"carets"}
    assert _completions("generate", "lab", "--source", "world") == {"world", "world-vqa"}
    assert "plausibility" in _completions("check", "lab", "--check", "")
    generate(LabStore(tmp_path / "lab"), GenerateRequest(("order",), items=2, name="mine"))
    assert _completions("check", str(tmp_path / "lab"), "--suite", "") == {"mine"}
    assert _completions("words", str(tmp_path / "lab"), "--suite", "m") == {"mine"}


def test_a_model_that_is_needed_and_not_named_is_a_usage_error(tmp_path: Path) -> None:
    done = CliRunner().invoke(commands, ["gate", str(tmp_path), "--rule", "accuracy >= 0.5"])
    assert done.exit_code == 2
    assert "Missing option '--model'" in done.output
