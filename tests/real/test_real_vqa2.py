"""Real questions of VQA v2: scores of any file of answers are those of the official rules, question by question."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from proving import sample
from real_data import real

from counterpoint.cli.main import commands
from counterpoint.lab.selection import load_answers, load_groups, select_models
from counterpoint.metrics.outcomes import judge
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.vqa import vqa2
from counterpoint.store.lab import LabStore

Votes = Mapping[str, list[str]]

SIGNS = [";", "/", "[", "]", '"', "{", "}", "(", ")", "=", "+", "\\", "_", "-", ">", "<", "@", "`", ",", "?", "!"]
NUMBERS = {"none": "0", "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
NUMBERS |= {"six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10"}
ODD = [
    "Yes.",
    "YES",
    "The dog",
    "two",
    "2",
    "none",
    "No, it isnt",
    "a red-and-white bus",
    "red -white",
    "10,000",
    "3.5 ft.",
    " white\n",
    "",
    "I don't know",
]


ALIKE, AGAIN = ("985009", ["yellow"] * 10), "985020"
"""The one question of the excerpt that was asked twice, in the same words about the same picture."""


@pytest.fixture(scope="module")
def folder() -> Path:
    return real("vqa2")


@pytest.fixture(scope="module")
def votes(folder: Path) -> Votes:
    told = json.loads((folder / "smallval_annotations.json").read_text("utf-8"))["annotations"]
    return {str(one["question_id"]): [vote["answer"] for vote in one["answers"]] for one in told}


@pytest.fixture(scope="module", params=["vqa", "vqa-short"])
def lab(request: pytest.FixtureRequest, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    lab, rules = tmp_path_factory.mktemp("real") / "lab", str(request.param)
    _call("generate", lab, "--suite", "plain", "--source", "vqa2", "--data", folder, "--split", "val", "--rules", rules)
    return lab, rules


def test_every_question_is_read_with_its_ten_votes(folder: Path, votes: Votes) -> None:
    source = Source(vqa2, folder, "val")
    questions = list(source.questions())
    raw = json.loads((folder / "smallval_questions.json").read_text("utf-8"))["questions"]
    assert not source.skips.total, source.skips.lines()
    assert [(question.id, question.text) for question in questions] == [
        (str(one["question_id"]), one["question"]) for one in raw
    ]
    assert len(questions) == 589
    for one, row in zip(questions, raw, strict=True):
        assert list(one.votes) == votes[one.id]
        assert one.picture.address == f"coco:val2014/COCO_val2014_{row['image_id']:012}.jpg"
        assert one.kind
        assert dict(one.tags)["answer_type"] in ("yes/no", "number", "other")


def _most_frequent(own: str, said: list[str]) -> str:
    return Counter(said).most_common(1)[0][0]


def _some_vote(own: str, said: list[str]) -> str:
    return Random(own).choice(said)


def _dressed_up(own: str, said: list[str]) -> str:
    return f"The {Random(own).choice(said).title()}."


ANSWERERS: Mapping[str, Callable[[str, list[str]], str]] = {
    "most frequent": _most_frequent,
    "some vote": _some_vote,
    "dressed up": _dressed_up,
    "yes": lambda own, said: "yes",
    "odd": lambda own, said: Random(own).choice(ODD),
}


@pytest.mark.parametrize("name", sample(ANSWERERS, 2))
def test_credits_and_score_of_an_answer_file_are_those_of_the_official_rules(
    lab: tuple[Path, str], votes: Votes, name: str, tmp_path: Path
) -> None:
    place, rules = lab
    given = {own: ANSWERERS[name](own, said) for own, said in votes.items()} | {AGAIN: ANSWERERS[name](*ALIKE)}
    results = _results(tmp_path, given)
    told = json.loads(_call("import", place, results, "--name", name, "--rule", "exact", "--strict", "--json"))
    assert (told["matched"], told["repeated"]) == (588, 1)

    naive = official if rules == "vqa" else in_short
    expected = {own: naive(said, given[own]) for own, said in votes.items()}
    earned = _earned(LabStore(place), name)
    assert earned == pytest.approx(expected, abs=1e-12)
    assert 0 < sum(earned.values()) < len(votes)

    (row,) = json.loads(_call("score", place, "--model", name, "--metric", "answer_accuracy", "--json"))["scores"]
    assert row["rules"] == rules
    assert row["value"] == pytest.approx(sum(expected.values()) / len(votes), abs=1e-9)


def test_two_answers_to_what_is_asked_twice_are_said_to_be_in_conflict(
    lab: tuple[Path, str], votes: Votes, tmp_path: Path
) -> None:
    results = _results(tmp_path, dict.fromkeys(votes, "yellow") | {AGAIN: "red"})
    told = json.loads(_call("import", lab[0], results, "--name", "torn", "--rule", "exact", "--json"))
    assert (told["matched"], told["conflict"]) == (588, 1)
    earned = _earned(LabStore(lab[0]), "torn")
    assert earned[ALIKE[0]] == earned[AGAIN] == 0, "a model is asked once, and its last answer stands"


def test_the_two_forms_of_the_accuracy_differ_on_real_votes(votes: Votes) -> None:
    given = {own: _some_vote(own, said) for own, said in votes.items()}
    full, short = (sum(rule(said, given[own]) for own, said in votes.items()) for rule in (official, in_short))
    assert full < short < full * 1.1


def official(said: list[str], answer: str) -> float:
    """As the program of the VQA authors goes about it, with a loop over who is left out."""
    said, answer = [one_line(vote) for vote in said], one_line(answer)
    if len(set(said)) > 1:
        said, answer = [processed(vote) for vote in said], processed(answer)
    earned = []
    for left in range(len(said)):
        agreeing = sum(vote == answer for place, vote in enumerate(said) if place != left)
        earned.append(min(1.0, agreeing / 3))
    return sum(earned) / len(earned)


def in_short(said: list[str], answer: str) -> float:
    """Right if three people say so, all answers processed."""
    return min(1.0, sum(processed(one_line(vote)) == processed(one_line(answer)) for vote in said) / 3)


def one_line(text: str) -> str:
    return text.replace("\n", " ").replace("\t", " ").strip()


def processed(text: str) -> str:
    out = text
    for sign in SIGNS:
        spaced = sign + " " in text or " " + sign in text or re.search(r"(\d)(,)(\d)", text) is not None
        out = out.replace(sign, "" if spaced else " ")
    out = re.sub(r"(?!<=\d)(\.)(?!\d)", "", out)
    words = [NUMBERS.get(word, word) for word in out.lower().split()]
    contracted = _contracted()
    return " ".join(contracted.get(word, word) for word in words if word not in ("a", "an", "the"))


@cache
def _contracted() -> dict[str, str]:
    """Each contraction by what it is without one of its apostrophes."""
    found = {"somebody'd": "somebodyd"}
    for whole in (files("counterpoint.language.answers") / "contractions.txt").read_text("utf-8").split():
        for sign in re.finditer("'", whole):
            found[whole[: sign.start()] + whole[sign.end() :]] = whole
    return found


def _results(folder: Path, given: Mapping[str, str]) -> Path:
    """A file of answers as the VQA server takes it."""
    path = folder / "results.json"
    path.write_text(json.dumps([{"question_id": int(own), "answer": answer} for own, answer in given.items()]))
    return path


def _earned(lab: LabStore, model: str) -> dict[str, float]:
    """What the answer to each question earned, by the id that VQA gives it."""
    (info,) = select_models(lab, [model]).values()
    groups = load_groups(lab, [])
    ids = [dict(tags)["question"] for tags in groups["tags"].to_pylist()]
    return dict(zip(ids, judge(groups, load_answers(lab, info)).correct.tolist(), strict=True))


def _call(name: str, *arguments: Any) -> str:
    done = CliRunner().invoke(commands, [name, *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout
