import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from proving import scaled

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.items import Question
from counterpoint.core.pictures import Edit, Picture
from counterpoint.core.scenes import Scene
from counterpoint.metrics.intervals import Score
from counterpoint.studies.augmentation import fingerprint, mix_questions, prove_disjoint, training_groups
from counterpoint.suites.families import carets
from counterpoint.suites.suite import Suite
from counterpoint.world.source import World
from training.comparison import MEASURES, AugmentationComparison, AugmentationScores, comparison_lines

SUITES = {name: catalog.find("suites", name) for name in ("order", "rephrase")}


@cache
def _scenes() -> list[Scene]:
    return list(World("train", 25).scenes())


def _mixed(suites: Mapping[str, Suite[Any, Any]], scenes: Sequence[Scene], **how: Any) -> dict[str, list[Question]]:
    return mix_questions(
        {name: training_groups(suite, scenes, how.get("seed", 0)) for name, suite in suites.items()}, **how
    )


def test_a_mix_has_as_many_of_each_suite_as_its_weight_says_and_none_twice() -> None:
    made = _mixed(SUITES, _scenes(), limit=120, weights={"order": 1, "rephrase": 2})
    assert {name: len(asked) for name, asked in made.items()} == {"order": 40, "rephrase": 80}
    asked = [(question.picture.address, question.text) for questions in made.values() for question in questions]
    assert len(set(asked)) == len(asked)
    assert all(
        question.picture.address.startswith("world:train/") for questions in made.values() for question in questions
    )


def test_at_every_limit_there_are_at_most_so_many_and_yes_and_no_differ_by_one_at_most() -> None:
    suites = {name: catalog.find("suites", name) for name in ("order", "rephrase", "negation")}
    made = {name: training_groups(suite, _scenes()[:12], 0) for name, suite in suites.items()}
    weights = {"order": 1.0, "rephrase": 2.0, "negation": 4.0}
    for limit in range(0, 60, 60 // scaled(60)):
        questions = [one for chosen in mix_questions(made, limit=limit, weights=weights).values() for one in chosen]
        answers = [one.gold.best for one in questions]
        assert limit - len(suites) <= len(questions) <= limit
        assert abs(answers.count("yes") - answers.count("no")) <= 1, limit


def test_a_suite_of_one_answer_does_not_tip_the_balance() -> None:
    def asked(answer: str, count: int) -> list[Group]:
        pictures = [Picture(f"world:train/{answer}{number}.png") for number in range(count)]
        return [Group(Relation.GOLD, (Query(own, "Is it?"),), (Gold.of(answer),)) for own in pictures]

    made = {"all yes": asked("yes", 9), "mixed": asked("yes", 0) + asked("no", 9), "open": asked("red", 9)}
    sizes = {name: len(chosen) for name, chosen in mix_questions(made, limit=18).items()}
    assert sizes == {"all yes": 1, "mixed": 2, "open": 6}


@pytest.mark.prove
def test_every_test_of_carets_has_its_share_though_they_start_from_the_same_questions() -> None:
    made = _mixed({name: catalog.find("suites", name) for name in carets.suites}, _scenes(), limit=180)
    assert {name: len(asked) for name, asked in made.items()} == dict.fromkeys(carets.suites, 30)


def test_without_a_limit_there_is_all_and_the_same_seed_asks_the_same() -> None:
    one, again = (_mixed(SUITES, _scenes()[:6], seed=3) for _ in range(2))
    assert one == again
    assert fingerprint(one["order"]) == fingerprint(reversed(again["order"]))
    assert fingerprint(one["order"]) != fingerprint(one["rephrase"])


def test_a_question_on_an_edited_picture_is_learned_once_on_the_picture_as_it_is() -> None:
    picture = Picture("world:train/000001.png")
    asked = (Query(picture, "Is there a cat?"), Query(picture.edited(Edit("blur", ("6",))), "Is there a cat?"))
    group = Group(Relation.SAME, asked, (Gold.of("no"),) * 2)
    suite: Suite[Any, Any] = Suite("edited", tests="anything", propose=lambda item, statistics, rng: [group])
    (one,) = _mixed({"edited": suite}, _scenes()[:1])["edited"]
    assert (one.picture, one.text, one.gold) == (picture, "Is there a cat?", Gold.of("no"))


def test_one_shared_picture_is_an_error_that_names_it() -> None:
    with pytest.raises(CounterpointError, match=r"1 of 2 training pictures .* the first is a:2\.png"):
        prove_disjoint(["a:1.png", "a:2.png"], ["a:2.png"])
    assert prove_disjoint(["a:1.png"], ["a:2.png"]).digest != prove_disjoint(["a:2.png"], ["a:1.png"]).digest
    assert prove_disjoint(["a:1.png", "a:3.png"], ["a:2.png"]) == prove_disjoint(
        ["a:3.png", "a:1.png", "a:1.png"], ["a:2.png"]
    )


def _score(hits: int) -> Score:
    return Score(hits / 10, 0.0, 1.0, 10)


def test_a_measure_that_does_not_apply_is_a_dash() -> None:
    figures = AugmentationScores({"contrast": {"accuracy": _score(5)}}, _score(5))
    line = list(comparison_lines([AugmentationComparison("fusion", [figures], [figures])]))[1]
    assert line.split() == ["fusion", "contrast", "50.0", "+0.0", "–", "–", "–", "–"]


def test_gains_are_told_in_points() -> None:
    before, after = (
        AugmentationScores({"order": dict.fromkeys(MEASURES, _score(hits))}, _score(hits)) for hits in (5, 8)
    )
    lines = list(comparison_lines([AugmentationComparison("fusion", [before], [after])]))
    assert lines[1].split() == ["fusion", "order", *["80.0", "+30.0"] * len(MEASURES)]
    assert lines[2].split() == ["fusion", "plain", "80.0", "+30.0"]


def test_the_interval_of_a_gain_is_over_the_runs() -> None:
    """Gains of 20, 30 and 10 points: a standard error of 10/√3 and the quantile 4.303 of two degrees of freedom."""
    before, after = ([AugmentationScores({}, _score(hits)) for hits in runs] for runs in ((4, 3, 5), (6, 6, 6)))
    lines = list(comparison_lines([AugmentationComparison("fusion", before, after)]))
    assert lines[1].split() == ["fusion", "plain", "60.0", "+20.0", "24.8"]


def test_added_questions_come_after_those_of_their_picture_and_no_number_changes(tmp_path: Path) -> None:
    augment = pytest.importorskip("training.augment", reason="training is in the repository, with torch")
    codes = augment.Codes(("a", "cat", "is", "there"), ("no", "yes"), ("gqa exist",), (), ())
    codes.save(tmp_path / "codes.json")
    rows = np.array([[11, 12, 0], [11, 9, 0], [12, 9, 10]], np.int16)
    old: dict[str, Any] = {"questions": rows, "answers": np.array([0, 1, 1], np.int16), "kinds": np.zeros(3, np.int16)}
    np.savez(tmp_path / "train.npz", **old, counts=np.array([2, 1], np.int32))
    np.savez(tmp_path / "validation.npz", **old)
    more = [Question(str(k), Picture("world:train/000000.png"), "Spot a", Gold.of("blue")) for k in range(2)]
    wider = augment.extended(tmp_path, tmp_path / "wider", more)
    stored = np.load(tmp_path / "wider" / "train.npz")
    assert wider.words == (*codes.words, "spot")
    assert wider.answers == (*codes.answers, "blue")
    assert stored["counts"].tolist() == [4, 1]
    assert stored["questions"].tolist() == [[11, 12, 0], [11, 9, 0], [13, 9, 0], [13, 9, 0], [12, 9, 10]]
    assert stored["answers"].tolist() == [0, 1, 2, 2, 1]
    assert stored["kinds"].tolist() == [0, 0, -1, -1, 0]


def test_a_study_that_was_stopped_trains_no_model_twice_but_those_of_another_plan(tmp_path: Path) -> None:
    augment = pytest.importorskip("training.augment", reason="training is in the repository, with torch")
    training = pytest.importorskip("training.train")
    codes = augment.Codes(("a", "cat", "is", "there"), ("no", "yes"), ("gqa exist",), ("cat",), ("red",))
    codes.save(tmp_path / "codes.json")
    sizes = training.Sizes(len(training.Vocabulary(codes.words)), len(codes.answers), 1, 1)
    untrained = training.MODELS["cnn-lstm"](sizes).state_dict()
    (tmp_path / "run-1").mkdir()
    training.packed("cnn-lstm", sizes, untrained, {}, tmp_path / "run-1" / "cnn-lstm.pt")
    settings = training.Settings(1.0, batch=2, seed=1, steps=3)
    (tmp_path / "run-1" / "cnn-lstm.json").write_text(json.dumps({"settings": asdict(settings)}), "utf-8")
    asked = Question("1", Picture("world:test/000000.png"), "Is there a cat?", Gold.of("no", "yes"))
    np.save(tmp_path / "exam-pictures.npy", np.zeros((1, 240, 320, 3), np.uint8))
    exam = augment.Exam({}, [asked], {asked.picture: 0}, tmp_path / "exam-pictures.npy")
    plan = augment.Plan(tmp_path, batch=2, steps=3)
    assert augment.train_once("cnn-lstm", tmp_path, 1, plan, exam).plain.n == 1
    with pytest.raises(FileNotFoundError, match=r"train\.npz"):
        augment.train_once("cnn-lstm", tmp_path, 1, replace(plan, steps=4), exam)


def test_pictures_and_added_questions_that_a_study_left_are_used_again(tmp_path: Path) -> None:
    augment = pytest.importorskip("training.augment", reason="training is in the repository, with torch")
    plan = augment.Plan(tmp_path, suites=("order",))
    noted = {"plan": plan.drawn | {"suites": ["order"], "share": plan.share}, "added": {"order": 5}}
    (tmp_path / "drawn.json").write_text(json.dumps({"plan": plan.drawn}), "utf-8")
    (tmp_path / "added.json").write_text(json.dumps(noted), "utf-8")
    (tmp_path / "run-0").mkdir()
    (tmp_path / "run-0" / "fusion.json").write_text("{}", "utf-8")
    augment.draw_once(plan, tmp_path)
    assert augment.add_once(plan, np.array([2, 1]), tmp_path, tmp_path) == {"order": 5}
    assert sorted(path.name for path in tmp_path.rglob("*.json")) == ["added.json", "drawn.json", "fusion.json"]
