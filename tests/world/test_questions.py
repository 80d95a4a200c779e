"""Questions about the world: right, unambiguous, balanced, and in good English."""

import re
from collections import Counter, defaultdict
from typing import TypeAlias

import pytest
from conftest import Golden
from hypothesis import given
from hypothesis import strategies as st
from proving import examples, sample, scaled
from samples import a_park, scenes, staged
from solver import solve

from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import Question, Step
from counterpoint.core.scenes import Scene
from counterpoint.world import existence_questions as existing
from counterpoint.world import verification_questions as verifying
from counterpoint.world.facts import SceneFacts
from counterpoint.world.questions import GQA_WRITERS, QuestionWriter, gqa_questions, vqa_questions
from counterpoint.world.referents import ReferentFinder

Asked: TypeAlias = list[tuple[Scene, Question]]

_OF_YES_AND_NO = (existing.__name__, verifying.__name__)


@pytest.fixture(scope="module")
def asked() -> Asked:
    found = [staged(split, index) for split in ("train", "shifted") for index in range(scaled(800))]
    return [(scene, question) for scene in found for question in gqa_questions(scene, seeded_rng("gqa", scene.id))]


@pytest.fixture(scope="module")
def heard() -> Asked:
    found = [staged("validation", index) for index in range(scaled(500))]
    return [(scene, question) for scene in found for question in vqa_questions(scene, seeded_rng("vqa", scene.id))]


def test_the_solver_agrees_with_every_answer(asked: Asked) -> None:
    assert [(q.text, q.gold.best) for scene, q in asked if solve(q.program, scene) != q.gold.best] == []


def test_the_solver_agrees_with_every_majority(heard: Asked) -> None:
    assert [(q.text, q.votes) for scene, q in heard if solve(q.program, scene) != q.gold.best] == []


@given(scenes(), st.integers(0, 999))
@examples(30)
def test_the_solver_agrees_whatever_the_scene_and_the_luck(scene: Scene, seed: int) -> None:
    questions = [*gqa_questions(scene, seeded_rng(seed)), *vqa_questions(scene, seeded_rng(seed))]
    assert all(solve(question.program, scene) == question.gold.best for question in questions)


def test_a_scene_gives_a_handful_of_questions_of_many_kinds(asked: Asked) -> None:
    per_scene = Counter(scene.id for scene, _ in asked)
    assert min(per_scene.values()) >= 8
    assert max(per_scene.values()) <= 12
    assert len({q.kind for _, q in asked}) >= 25


def test_yes_is_as_frequent_as_no(asked: Asked) -> None:
    answers = Counter(question.gold.best for _, question in asked)
    assert 0.48 <= answers["yes"] / (answers["yes"] + answers["no"]) <= 0.52


@pytest.mark.parametrize("maker", sample([row[0] for row in GQA_WRITERS if row[0].__module__ in _OF_YES_AND_NO], 2))
def test_yes_is_as_frequent_as_no_in_each_kind(maker: QuestionWriter) -> None:
    scenes = scaled(600, 200)
    namers = [ReferentFinder(SceneFacts(staged("train", index))) for index in range(scenes)]
    drafts = [maker(n, seeded_rng(luck, place)) for place, n in enumerate(namers) for luck in range(3000 // scenes)]
    answers = Counter(draft.answer for draft in drafts if draft)
    assert answers.total() >= 400
    assert 0.45 <= answers["yes"] / answers.total() <= 0.55


def test_the_right_option_comes_first_half_of_the_time(asked: Asked) -> None:
    places: Counter[int] = Counter()
    for _, question in asked:
        last = question.program[-1]
        if question.kind.startswith("choose") and "," not in last.argument:
            places[last.argument.split("|").index(question.gold.best)] += 1
    assert 0.46 <= places[0] / places.total() <= 0.54


def test_no_color_is_the_answer_too_often(asked: Asked) -> None:
    colors = Counter(q.gold.best for _, q in asked if q.kind == "query color")
    assert max(colors.values()) <= 0.22 * colors.total()


@given(scenes())
@examples(60)
def test_a_referent_fits_one_thing_only(scene: Scene) -> None:
    namer = ReferentFinder(SceneFacts(scene))
    for thing in namer.facts.things:
        for referent in namer.all(thing):
            steps = (*referent.steps, Step("query", "name", (len(referent.steps) - 1,)))
            assert solve(steps, scene) == thing.name, referent.text


def test_texts_are_questions_in_good_english(asked: Asked, heard: Asked) -> None:
    for _, question in [*asked, *heard]:
        text = question.text
        assert text.endswith("?")
        assert text[0].isupper()
        assert "  " not in text
        assert not re.search(r"\ba [aeio]|\ban [^aeiouh]|\b(\w+) \1\b|\bgrey\b|\bcolour", text.lower()), text
        assert question.full_answer.endswith(".")
        assert question.proof.endswith(".")


def test_no_question_is_asked_twice_of_one_picture(asked: Asked) -> None:
    assert max(Counter((scene.id, q.text) for scene, q in asked).values()) == 1


def test_every_crowd_question_comes_in_three_phrasings(heard: Asked) -> None:
    families: dict[str, list[Question]] = defaultdict(list)
    for _, question in heard:
        families[question.same_as or question.id].append(question)
    for first, members in families.items():
        assert [member.id for member in members] == [f"{first[:-1]}{place}" for place in range(3)]
        assert len({member.text for member in members}) == 3
        assert len({member.votes for member in members}) == 1


def test_ten_people_answer_and_most_agree_but_not_always_all(heard: Asked) -> None:
    agreeing = [Counter(q.votes)[q.gold.best] for _, q in heard]
    assert all(len(q.votes) == 10 for _, q in heard)
    assert min(agreeing) >= 6
    assert 0.3 <= sum(n < 10 for n in agreeing) / len(agreeing) <= 0.7


def test_the_same_luck_writes_the_same_questions() -> None:
    scene = staged("test", 3)
    assert [*gqa_questions(scene, seeded_rng(1))] == [*gqa_questions(scene, seeded_rng(1))]


def test_a_limit_is_kept() -> None:
    assert len([*gqa_questions(staged("test", 3), seeded_rng(1), limit=4)]) == 4
    assert len([*vqa_questions(staged("test", 3), seeded_rng(1), limit=2)]) == 6


def test_questions_about_a_park_read_well(golden: Golden) -> None:
    park = a_park()
    lines = [
        f"{q.text} {q.gold.best} | {q.full_answer} | {q.proof}" for q in gqa_questions(park, seeded_rng("g"), limit=40)
    ]
    crowd = [f"{q.id}: {q.text} {', '.join(q.votes)}" for q in vqa_questions(park, seeded_rng("v"), limit=10)]
    golden("world_questions.txt", [*lines, "", *crowd])
