"""The extraction rules on the written replies, and the time that they take."""

import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import FrameType
from typing import Any

import pytest
from proving import sample

import counterpoint.language.answers
from counterpoint.core.groups import Query, State
from counterpoint.language.answers.extraction import EXTRACTION_RULES, extract_answer
from counterpoint.language.answers.final_answer import MAX_CHARACTERS, normalize, shorten

HERE = Path(__file__).parent
MANNERS = ("terse", "chatty", "markdown", "reasoning", "refusal", "hedge", "language", "structured")
QUESTIONS = (
    Query(None, "Is there a dog?"),
    Query(None, "How many dogs are there?"),
    Query(None, "What is on the table?"),
    Query(None, "Is the cup red or blue?"),
    Query(None, "Which one?", choices=("a red cup", "a blue cup")),
)
PIECES = (
    *("*", "no ", "not any ", "1,", "1 or ", "a dozen ", "sorry, ", "I can't ", "so ", "it is ", "could be ", "well, "),
    *("<think>", "</think>", "<answer>", "\\boxed{", "\\boxed", '{"', "{", "[", "```", "answer: ", "(a) ", "option a "),
    *(
        "\n",
        " ",
        "。",
        "三",
        "=",
        "red or blue ",
        "'",
        "- ",
        "| ",
        "[ ] a\n",
        "[x] a\n",
        "~~",
        "☑",
        "dog 1:\n",
        "a pair ",
    ),
    *(
        "behind the ",
        "rather than ",
        "2 of 3 ",
        "maybe 2 ",
        "the first one ",
        "red, but it may be blue ",
        "there is a dog ",
        "is there a dog? ",
        "q: ",
        "-1.",
        "c is correct ",
        "red; ",
        "J. ",
        "five hundred and ",
        "二十",
    ),
)
FILES = {
    "replies_tuning": 400,
    "replies_tuning_b": 778,
    "replies_held_out": 200,
    "replies_held_out_b": 100,
    "replies_held_out_c": 200,
}


def _replies(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text("utf-8").splitlines()]


def _disagreements(name: str) -> Iterator[str]:
    for reply in _replies(name):
        answer = extract_answer(reply["reply"], Query(None, reply["question"], choices=tuple(reply["choices"])))
        values = [normalize(value) for value in reply["values"]]
        if answer.state != reply["state"] or (answer.state is State.OK and normalize(answer.value) not in values):
            yield f"{reply['question']} | {reply['reply']} | {reply['values'] or reply['state']}: {answer.value}"


def test_the_files_hold_as_many_replies_in_each_manner_as_they_claim_and_share_none() -> None:
    for name, each in (
        ("replies_tuning", {50}),
        ("replies_held_out", {25}),
        ("replies_held_out_b", {12, 13}),
        ("replies_held_out_c", {25}),
    ):
        manners = [reply["manner"] for reply in _replies(name)]
        assert {*manners} == {*MANNERS}
        assert {manners.count(manner) for manner in MANNERS} == each
    replies = [(reply["question"], *reply["choices"], reply["reply"]) for name in FILES for reply in _replies(name)]
    assert len(replies) == len({*replies}) == sum(FILES.values())


def test_the_rules_take_from_replies_what_a_careful_person_takes() -> None:
    for name in ("replies_tuning", "replies_tuning_b"):
        assert list(_disagreements(name)) == []


def test_the_figures_and_disagreements_in_the_docs_are_those_of_the_rules() -> None:
    page = (HERE.parents[2] / "docs/explanation/answers-to-values.md").read_text("utf-8")
    assert "400 of 400 (100 %)" in page
    for name in ("replies_tuning_b", "replies_held_out", "replies_held_out_b", "replies_held_out_c"):
        found, many = list(_disagreements(name)), FILES[name]
        right = many - len(found)
        assert f"{right} of {many} ({100 * right / many:.1f} %)" in page
        assert right >= 0.92 * many
        for disagreement in found:
            assert f"`{disagreement.split(' | ')[0]}`" in page


def _patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    package = counterpoint.language.answers
    for module in iter_modules(package.__path__, f"{package.__name__}."):
        for name, value in vars(import_module(module.name)).items():
            if isinstance(value, re.Pattern):
                yield f"{module.name}.{name}", value


def test_each_pattern_looks_at_a_bounded_number_of_characters_from_each_place() -> None:
    parser = import_module("re._parser")  # of the standard library, which knows the widths of patterns
    widths = {name: parser.parse(pattern.pattern, pattern.flags).getwidth()[1] for name, pattern in _patterns()}
    assert len(widths) > 20
    assert {name: width for name, width in widths.items() if width > 2_100} == {}


def _count_steps(raw: str, query: Query, rule: str) -> int:
    """The lines that an extraction executes; a pattern does bounded work from each place, by the test above."""
    steps = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal steps
        steps += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        extract_answer(raw, query, rule=rule)
    finally:
        sys.settrace(before)
    return steps


@pytest.mark.parametrize("piece", sample(PIECES, 18))
def test_twice_the_text_takes_at_most_about_twice_the_steps(piece: str) -> None:
    for query in QUESTIONS:
        rule = "normal" if query is QUESTIONS[2] and piece in PIECES[:6] else "auto"
        once, twice = (_count_steps(piece * (size // len(piece)), query, rule) for size in (400, 800))
        assert twice < 2.2 * once + 200, (piece, query.text, once, twice)


def test_no_more_of_a_reply_is_read_than_is_stated() -> None:
    long = "It is night. " * 200_000
    for text in (long, "*" * 1_000_000, "<think>" + long + "</think>"):
        assert len(shorten(text)) == MAX_CHARACTERS
    query = Query(None, "Is it night?")
    assert extract_answer(f"<think>{long}</think>No.", query).value == "no"
    assert extract_answer(f"Yes, it is.\n{'Indeed. ' * 10_000}", query).value == "yes"
    assert extract_answer("*" * 16_000, query, rule="normal").state is State.UNPARSED
    assert all(extract_answer("*" * 100_000, query, rule=rule).raw for rule in EXTRACTION_RULES)
