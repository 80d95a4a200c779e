"""A line of warning where answers are not read, or never equal a right answer."""

import json
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

import counterpoint as cp

GROUPS = 12


def _lab(
    folder: Path, gold: Callable[[int], str], text: str = "Is there a dog", choices: tuple[str, ...] = ()
) -> cp.Lab:
    lab = cp.Lab(folder)
    queries = [
        cp.Query(cp.Picture(f"own:{number}.png"), f"{text} in {number}?", choices=choices) for number in range(GROUPS)
    ]
    golds = [cp.Gold.of(gold(number)) for number in range(GROUPS)]
    groups = [cp.Group(cp.Relation.GOLD, (query,), (own,)) for query, own in zip(queries, golds, strict=True)]
    lab.add_groups(groups, "own")
    return lab


def _import(lab: cp.Lab, replies: Callable[[int], str], rule: str = "auto") -> None:
    queries = lab.groups("own").table["query"].to_pylist()
    path = lab.folder / "replies.jsonl"
    rows = [{"query": f"{query:016x}", "answer": replies(number)} for number, query in enumerate(queries)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    lab.import_predictions(path, name="model", rule=rule)


def _warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


@pytest.mark.parametrize(
    ("gold", "reply", "rule", "cause"),
    [
        ("1", "Yes.", "auto", "gold is 0/1 and answers are yes/no"),
        ("yes", "YES", "exact", "rule exact keeps capitals"),
        ("dog", "yes", "exact", 'gold is such as "dog" and answers are such as "yes"'),
        ("yes", "Yes, there is a dog in this picture.", "exact", "the rule keeps whole sentences"),
    ],
)
def test_import_and_score_say_in_one_line_why_no_answer_is_ever_right(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, gold: str, reply: str, rule: str, cause: str
) -> None:
    lab = _lab(tmp_path / "lab", lambda number: gold)
    _import(lab, lambda number: reply, rule)
    (imported,) = [line for line in _warnings(caplog) if line.startswith("model on own: ")]
    assert "no answer equals any gold" in imported
    assert cause in imported
    assert f"counterpoint {'rescore' if 'rule' in cause else 'serve'} {lab.folder}" in imported
    caplog.clear()
    lab.scores()
    assert _warnings(caplog) == [imported]


@pytest.mark.parametrize(
    ("reply", "choices", "cause"),
    [
        ("", (), "the replies are empty; a model that reasons needs more tokens"),
        ("<think>Let me look", (), "the reasoning is cut off"),
        ("purple", ("red", "blue"), 'replies such as "purple" name none of the choices'),
        ("Hello there", (), 'replies such as "Hello there" are no answer'),
    ],
)
def test_more_than_a_fifth_of_unparsed_replies_is_one_line_with_its_cause(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, reply: str, choices: tuple[str, ...], cause: str
) -> None:
    right = choices[0] if choices else "yes"
    lab = _lab(tmp_path / "lab", lambda number: right, choices=choices)
    _import(lab, lambda number: reply if number % 3 == 0 else right)
    (warning,) = _warnings(caplog)
    assert "33% of the replies hold no value" in warning
    assert cause in warning


def test_wrong_answers_that_are_right_elsewhere_and_few_unparsed_ones_are_not_warned_about(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lab = _lab(tmp_path / "lab", lambda number: "yes" if number % 2 else "no")
    _import(lab, lambda number: "Hello there" if number < 2 else "No." if number % 2 else "Yes.")
    lab.scores()
    assert _warnings(caplog) == []


def test_a_run_warns_as_an_import_does(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    lab = _lab(tmp_path / "lab", lambda number: "0")
    lab.run("constant")
    assert any("gold is 0/1 and answers are yes/no" in line for line in _warnings(caplog))


def test_values_by_two_versions_of_the_rules_are_told_and_rescoring_ends_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lab = _lab(tmp_path / "lab", lambda number: "yes")
    _import(lab, lambda number: "Yes.")
    first = lab.groups("own").table["query"].to_pylist()[0]
    with lab.store.answers("imported model", run="earlier") as log:
        log.add([(first, 0, cp.Answer("Yes!", "yes", "yes-no"), "", 0.0)])
    answers = lab.answers("model").table
    assert set(answers["rule"].to_pylist()) == {"yes-no", "yes-no@8"}
    lab.scores()
    (warning,) = _warnings(caplog)
    assert warning.startswith("model has values by versions 1 and 8 of the extraction rules; counterpoint rescore")
    caplog.clear()
    lab.rescore("auto")
    lab.scores()
    assert _warnings(caplog) == []
