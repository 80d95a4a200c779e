"""What every contrast set can be relied on for, over the questions of the world."""

import re
from random import Random

import pytest
from contrast_items import Thing, asked, made, program, reasons, scene, world_items, world_sets
from contrast_judge import judged
from hypothesis import given
from hypothesis import strategies as st
from proving import examples, scaled

from counterpoint.core.groups import Group, Relation
from counterpoint.core.items import Step
from counterpoint.core.pictures import Box
from counterpoint.core.scenes import SceneObject
from counterpoint.language.nouns import plural, singular
from counterpoint.scenes.relations import OPPOSITE_RELATIONS, opposite_relation, relation_fact, side_of_picture
from counterpoint.suites.bloom_filter import BloomFilter
from counterpoint.suites.contrast.contrast_sets import suite
from counterpoint.suites.contrast.contrasts import (
    ContrastSurvey,
    order_by_spelling,
    survey,
    weighted_order,
)
from counterpoint.suites.contrast.grounding import naming_kind
from counterpoint.suites.contrast.question_forms import TEMPLATES
from counterpoint.suites.suite import generate_groups

_AGREEING = {"is", "are", "a", "an", "any", "does", "do", "has", "have"}


def test_all_six_templates_are_found_in_the_world() -> None:
    assert {group.kind for group in world_sets()} == set(TEMPLATES)


def test_a_second_opinion_from_words_and_scene_alone_agrees_with_every_answer() -> None:
    scenes = {item.scene.picture.address: item.scene for item in world_items()}
    told = [
        (query.text, gold.best, judged(scenes[query.picture.address], query.text))
        for group in world_sets()
        for query, gold in zip(group.queries, group.gold, strict=True)
        if query.picture and gold
    ]
    assert len(told) > scaled(1000)
    assert [row for row in told if row[1] != row[2]] == []


def test_every_contrast_has_another_answer_than_its_original_and_a_proof() -> None:
    for group in world_sets():
        assert group.relation is Relation.GOLD
        base, *rest = (gold.best for gold in group.gold if gold)
        assert rest
        assert all(answer != base for answer in rest)
        assert all(dict(tags)["proof"] for tags in group.tags)


def _changed(group: Group) -> list[tuple[str, str, str]]:
    return [
        (query.text, dict(tags)["from"], dict(tags)["to"])
        for query, tags in zip(group.variants, group.tags[1:], strict=True)
    ]


def _without(text: str, atom: str) -> list[str]:
    """The words of a question but for one atom in either number, and for what agrees with it."""
    forms = "|".join(sorted(map(re.escape, {atom, singular(atom), plural(atom)}), key=len, reverse=True))
    rest = re.sub(rf"\b(?:{forms})\b", "*", text.lower(), count=1)
    return [word for word in re.findall(r"[*\w'-]+", rest) if word not in _AGREEING]


def test_exactly_one_atom_changes() -> None:
    for group in world_sets():
        for text, before, after in _changed(group):
            assert before != after
            one, other = (_without(words, atom) for words, atom in ((group.base.text, before), (text, after)))
            pairs = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
            assert pairs in ([], [("*", "*")]) or len(pairs) <= 2, (group.base.text, text)


def test_no_contrast_comes_twice_or_is_asked_by_the_source() -> None:
    known_texts = {(item.scene.picture.address, item.question.text) for item in world_items()}
    for group in world_sets():
        texts = [query.text for query in group.queries]
        assert len(set(texts)) == len(texts) <= 6
        assert known_texts.isdisjoint((query.picture.address, query.text) for query in group.variants if query.picture)


def test_sets_of_three_are_the_beginnings_of_sets_of_five() -> None:
    items = world_items()[: scaled(1500)]
    large = {(g.kind, g.base.id): g for _, g in generate_groups(suite, items)}
    for _, group in generate_groups(suite.configured({"contrasts": 3}), items):
        assert group.queries == large[group.kind, group.base.id].queries[:4]


def test_neither_the_order_of_questions_nor_company_changes_a_set() -> None:
    items = list(world_items()[:900])
    statistics = survey(items)
    first = {group.id for _, group in generate_groups(suite, items, statistics=statistics)}
    Random(3).shuffle(items)
    assert {group.id for _, group in generate_groups(suite, items, statistics=statistics)} == first
    assert {group.id for _, group in generate_groups(suite, items, 1, statistics=statistics)} != first


def test_a_survey_is_never_changed_by_drawing() -> None:
    items = world_items()[:600]
    whole = survey(items)
    assert all(whole.questions.has(item.scene.id, item.question.text) for item in items)
    before = repr((whole.names.having, whole.names.clear, sorted(whole.names.together)))
    list(generate_groups(suite, items, statistics=whole))
    assert repr((whole.names.having, whole.names.clear, sorted(whole.names.together))) == before


def test_what_takes_the_place_of_a_thing_is_seen_with_the_other_more_often_than_by_chance() -> None:
    found = ContrastSurvey()
    for item in world_items():
        found.add(item)
    for name in sorted(found.names.having)[:30]:
        for other, more in found.companions(name).items():
            chance = found.names.having[name] * found.names.clear[other] / len(found.scenes)
            assert found.names.together[name][other] - chance == pytest.approx(more)
            assert more > 0


def test_ids_keep_their_zeros_and_a_question_under_two_templates_is_two_sets() -> None:
    things = [("dog", (), (10, 200, 60, 60)), ("table", (), (200, 150, 90, 80)), ("cat", (), (320, 200, 60, 60))]
    steps = program("select: dog (1)", "verify rel: table,to the left of,o (2)")
    item = asked(scene(1, things), "Is the dog to the left of the table?", "yes", steps, "00042")
    groups, _ = made(item)
    assert {dict(tags)["question"] for group in groups for tags in group.tags} == {"00042"}
    assert [dict(group.tags[0])["template"] for group in groups] == list(TEMPLATES[3:5])
    assert groups[0].base == groups[1].base


boxes = st.builds(Box, st.integers(0, 380), st.integers(0, 280), st.integers(1, 200), st.integers(1, 200))


@given(boxes, boxes, st.sampled_from(sorted(OPPOSITE_RELATIONS)))
@examples(200)
def test_no_relation_holds_together_with_its_opposite(one: Box, other: Box, relation: str) -> None:
    shown = scene(
        1,
        [
            ("dog", (), (one.x, one.y, one.width, one.height)),
            ("cat", (), (other.x, other.y, other.width, other.height)),
        ],
    )
    facts = [relation_fact(shown, shown["1"], name, shown["2"]) for name in (relation, opposite_relation(relation))]
    assert [fact.holds for fact in facts if fact].count(True) <= 1
    turned = relation_fact(shown, shown["2"], "to the right of", shown["1"])
    straight = relation_fact(shown, shown["1"], "to the left of", shown["2"])
    assert (straight and straight.holds) == (turned and turned.holds)


@given(boxes)
def test_a_thing_on_one_side_does_not_reach_far_into_the_other(box: Box) -> None:
    shown = scene(1, [("dog", (), (box.x, box.y, box.width, box.height))])
    found = side_of_picture(shown, shown["1"])
    assert found in ("", "left", "right")
    if found == "left":
        assert box.right <= 0.55 * 400
    mirrored = SceneObject("1", "dog", (), Box(400 - box.right, box.y, box.width, box.height))
    assert side_of_picture(shown, mirrored) == {"left": "right", "right": "left", "": ""}[found]


def test_names_are_grounded_in_four_ways() -> None:
    ways = [naming_kind("dog", noun) for noun in ("dog", "dogs", "animal", "cat")]
    assert ways == ["exact", "number", "hyponym", ""]
    assert naming_kind("motorcycle", "motorbike") == "synonym"
    assert naming_kind("animal", "dog") == ""


@given(st.lists(st.tuples(st.text(max_size=4), st.text(max_size=12)), max_size=20))
@examples(6)
def test_what_was_asked_is_always_found(rows: list[tuple[str, str]]) -> None:
    questions = BloomFilter()
    for row in rows:
        questions.add(*row)
    assert all(questions.has(*row) for row in rows)


def test_heavy_words_come_early_and_like_words_first() -> None:
    weights = {"often": 50.0, "seldom": 0.5}
    first = [weighted_order(weights, Random(seed))[0] for seed in range(200)]
    assert first.count("often") > 180
    assert order_by_spelling("dishwasher", ["kite", "dishes", "dog"], Random(0))[0] == "dishes"


_TEAM: list[Thing] = [("person", (), (10, 60, 60, 200)), ("ball", (), (200, 200, 40, 40))]


def test_what_was_seen_with_the_other_thing_once_takes_its_place_only_in_a_likely_place() -> None:
    """Nobody asks for a toothbrush to the right of a football player; a dog may be anywhere."""
    names = ("person", "toothbrush", "pepperoni", "word", "dog", "truck", "sofa")
    here, there = (10, 10, 90, 90), (200, 10, 90, 90)
    company = [scene(700 + n, [("person", (), here), (name, (), there)]) for n, name in enumerate(names[1:])]
    steps = program("select: person (1)", "relate: ball,to the right of,s (2)", "exist: ?")
    item = asked(scene(1, _TEAM), "Is there a ball to the right of the person?", "yes", steps)
    weather = program("select: scene", "verify weather: sunny")
    others = [asked(one, "Is it sunny?", "no", weather, one.id) for one in company]
    (group,) = [group for _, group in generate_groups(suite.configured({"contrasts": 40}), [item, *others])]
    text = " ".join(query.text for query in group.variants)
    assert "a dog" in text
    assert "a truck" in text
    assert not [name for name in ("toothbrush", "pepperoni", "word", "sofa") if name in text]


_BAGS: list[Thing] = [
    ("man", (), (150, 60, 60, 200)),
    ("backpack", ("black",), (20, 120, 50, 60)),
    ("bag", (), (300, 200, 50, 60)),
]
_WOMEN: list[Thing] = [
    ("woman", (), (150, 60, 60, 200)),
    ("lady", (), (230, 60, 60, 200)),
    ("man", (), (10, 60, 60, 200)),
]


@pytest.mark.parametrize(
    ("things", "text", "answer", "steps", "reason"),
    [
        (
            _BAGS,
            "Is the black bag to the right or to the left of the man?",
            "left",
            program("select: man (1)", "choose rel: backpack,to the left of|to the right of,s (2)"),
            "several things could be meant",
        ),
        (
            _WOMEN,
            "Is the man to the right or to the left of the woman in the middle?",
            "left",
            program(
                "select: woman (1)",
                "filter vposition: middle",
                "choose rel: man,to the right of|to the left of,s (3)",
            ),
            "several things could be meant",
        ),
        (
            _TEAM,
            "Does the person that is playing play with a ball?",
            "yes",
            program("select: person (1)", "filter activity: playing", "verify rel: ball,playing with,o (2)"),
            "it says the same verb twice",
        ),
    ],
)
def test_a_question_that_readers_could_not_settle_gets_no_contrasts(
    things: list[Thing], text: str, answer: str, steps: tuple[Step, ...], reason: str
) -> None:
    assert reasons(asked(scene(1, things), text, answer, steps)) == {reason}
