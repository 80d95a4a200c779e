from dataclasses import replace
from itertools import accumulate
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import examples, scaled
from scenery import scene, sources

from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Box
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.language.lexicon.senses import curated_names, is_a
from counterpoint.language.lexicon.word_lists import split_list, word_table
from counterpoint.scenes.ambiguity import (
    ambiguity_reason,
    ambiguity_reasons,
    can_be_listed,
    may_be,
    may_raise_doubt,
    pair_doubt,
)
from counterpoint.scenes.attributes import denies, visible_values
from counterpoint.scenes.cooccurrence import draw_weighted, survey_scenes
from counterpoint.scenes.names import DATA, can_be_asked, general_names, is_known, may_show, sure_hypernyms
from counterpoint.scenes.relations import relation_fact
from counterpoint.scenes.views import ReferringExpression, SceneSampler, SceneView
from counterpoint.suites.carets.question_sampling import MAKERS, sample_questions
from counterpoint.suites.carets.templates import QuestionContent
from counterpoint.suites.suite import Rejection
from counterpoint.world.source import World


def all_expressions(view: SceneView, thing: SceneObject) -> list[ReferringExpression]:
    """Every expression for an object, the plain name first."""
    if not can_be_asked(thing.name):
        return []
    plain = [ReferringExpression(thing, thing.name)] if view.singles_out(thing, thing.name) else []
    return [*plain, *view.modified_expressions(thing)]


def _asked(shown: Scene, others: list[Scene], times: int = 60) -> list[QuestionContent]:
    statistics = survey_scenes([shown, *others])
    made = (question for seed in range(times) for question in sample_questions(MAKERS, shown, statistics, Random(seed)))
    return [one for one in made if isinstance(one, QuestionContent)]


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("bird", "duck"),  # a kind of it
        ("poodle", "dog"),  # something more general
        ("sofa", "couch"),  # a synonym
        ("chair", "stool"),  # a matter of opinion
        ("door", "house"),
        ("window", "house"),
        ("tire", "car"),
        ("book", "bookshelf"),
        ("flower", "vase"),
        ("shoes", "woman"),
        ("cat", "xyzzy"),  # nobody knows what it is
        ("glasses", "wine glass"),  # a word of two meanings
        ("glasses", "cup"),
        ("mouse", "rat"),
        ("mouse", "computer mouse"),
        ("person", "hand"),  # the whole of a part
        ("dog", "tail"),
        ("building", "roof"),
        ("car", "wheel"),
        ("tree", "leaves"),
        ("street", "crosswalk"),
        ("woman", "shirt"),  # who wears it
        ("furniture", "room"),  # usual there, annotated or not
        ("dog", "poster"),
    ],
)
def test_nothing_is_said_to_be_absent_beside_what_speaks_against_it(name: str, there: str) -> None:
    assert ambiguity_reasons(name)[there]
    assert ambiguity_reason(name, ["cup", there])
    elsewhere = [scene(n, (name,), ("cup",), ("kite",)) for n in range(1, 4)]
    for one in _asked(scene(0, (there,), ("cup",), ("kite",)), elsewhere):
        assert name not in one.options, one


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("cat", "tail"),
        ("zebra", "mane"),
        ("black cat", "paw"),
        ("man", "head"),
        ("bathroom", "sink"),
        ("woman", "shoes"),
        ("socks", "mane"),
        ("counter", "head"),  # a bare body part, whatever stands beside it
    ],
)
def test_a_part_is_not_asked_for_beside_its_whole(name: str, beside: str) -> None:
    noun = name.removeprefix("black ")
    assert not can_be_listed(noun, beside)
    assert not can_be_listed(beside, noun)
    assert can_be_listed("dog", "car")


def test_questions_after_two_things_never_name_a_part_and_its_whole() -> None:
    shown = scene(0, ("cat",), ("tail",), ("paw",), ("chair",), ("shirt",), ("man",))
    asked = _asked(shown, [scene(1, ("cat",), ("dog",), ("ball",), ("car",)), scene(2, ("man",), ("cup",), ("kite",))])
    pairs = [one.options for one in asked if one.kind in ("conjunctive verification", "disjunctive verification")]
    assert pairs
    assert [pair for pair in pairs if not can_be_listed(*pair)] == []


@pytest.mark.parametrize("name", ["fence", "pine tree", "grass", "building", "log", "paper", "sign"])
def test_what_may_stand_in_a_background_is_denied_only_where_everything_is_annotated(name: str) -> None:
    shown = scene(0, ("zebra",), ("dog",))
    assert SceneView(shown).absence_doubt(name)
    assert not SceneView(replace(shown, is_complete=True)).absence_doubt(name)
    assert not SceneView(shown).absence_doubt("pizza")
    assert not SceneView(shown).absence_doubt("table")
    assert SceneView(scene(0, ("cat",), ("apple",))).absence_doubt("table")
    is_small = name in ("paper", "sign")
    assert bool(SceneView(replace(shown, place="indoors")).absence_doubt(name)) == is_small


def test_a_part_tells_of_no_other_whole_where_its_own_is_annotated() -> None:
    assert ambiguity_reason("dog", ["tail"])
    assert not ambiguity_reason("dog", ["tail", "horse"])
    assert not ambiguity_reason("woman", ["shirt", "man"])


def test_present_things_are_asked_for_also_where_they_could_not_have_been_denied() -> None:
    view = SceneView(
        scene(1, ("dog",), ("dogs",), ("man",), ("woman",), ("shirt",), ("wall",), ("room",), ("picture",))
    )
    assert view.visible_names == ["dog", "dogs", "man", "shirt", "woman"]
    assert view.clear_names == ["man", "woman"]


def test_what_is_tiny_is_asked_about_by_no_kind_of_question() -> None:
    cup, table = (
        SceneObject("1", "cup", ("red",), Box(0, 0, 9, 9)),
        SceneObject("2", "table", ("brown",), Box(0, 9, 99, 99)),
    )
    shown = replace(scene(1), objects=(cup, table), relations=(Link("1", "on", "2"), Link("2", "under", "1")))
    assert SceneView(shown).visible_names == ["table"]
    asked = _asked(shown, [scene(n, ("cup", "blue"), ("dog", "red"), ("kite",), ("table", "white")) for n in range(3)])
    assert asked
    assert not [one for one in asked if one.gold.best == "yes" and "cup" in " ".join((*one.options, one.where))]


@pytest.mark.parametrize(
    ("things", "asked"),
    [
        ([("duck", "rubber"), ("sink",)], ["sink"]),
        ([("monkey",), ("bathroom",)], ["bathroom"]),
        ([("monkey",), ("tree",)], ["monkey", "tree"]),
        ([("dog",), ("couch",)], ["couch", "dog"]),
        ([("man", "stone"), ("tree",)], ["tree"]),
    ],
)
def test_toys_and_statues_are_no_animals_and_no_people(things: list[tuple[str, ...]], asked: list[str]) -> None:
    assert SceneView(scene(1, *things)).visible_names == asked


def test_a_vehicle_inside_the_box_of_another_may_be_its_cab() -> None:
    truck, taxi = (
        SceneObject("1", "truck", box=Box(100, 100, 300, 200)),
        SceneObject("2", "taxi", box=Box(150, 120, 90, 90)),
    )
    shown = replace(scene(1), objects=(truck, taxi))
    assert SceneView(shown).visible_names == ["truck"]
    assert SceneView(shown).absence_doubt("taxi"), "nor is it denied"
    assert SceneView(replace(shown, is_complete=True)).visible_names == ["taxi", "truck"]
    beside = replace(taxi, box=Box(380, 120, 90, 90))
    assert SceneView(replace(shown, objects=(truck, beside))).visible_names == ["taxi", "truck"]


def test_on_snow_sports_equipment_is_not_denied_but_a_ball_is() -> None:
    assert ambiguity_reason("sports equipment", ["snow", "coat"])
    assert not ambiguity_reason("sports equipment", ["coat"])
    assert not ambiguity_reason("ball", ["snow", "coat"])


def test_nobody_asks_for_a_part_of_a_body_of_some_color() -> None:
    shown, colors = scene(1, ("clock", "red")), ("white", "black", "white", "black")
    others = [scene(n, ("clock", "red"), ("tail", color), ("umbrella", color)) for n, color in enumerate(colors, 2)]
    sampler = SceneSampler(shown, survey_scenes([shown, *others]))
    gone = {drawn for drawn in (sampler.absent(Random(seed)) for seed in range(100)) if drawn}
    assert {drawn.value for drawn in gone if drawn.name == "umbrella"} == {"", "white", "black"}
    assert {drawn.value for drawn in gone if drawn.name == "tail"} == {""}


def test_a_general_name_is_claimed_only_where_every_meaning_of_the_word_is_of_its_kind() -> None:
    assert "animal" in sure_hypernyms("dog")
    assert "animal" not in sure_hypernyms("chicken"), "it may lie on a plate"


def test_every_word_of_the_table_of_meanings_and_parts_is_known_and_singular() -> None:
    for table in ("readings", "wholes", "surroundings"):
        rows = word_table("readings", DATA)[table].items()
        words = {word for key, names in rows for word in (key.removesuffix("!"), *split_list(names))}
        assert [word for word in sorted(words) if not is_known(word)] == []


@given(sources(), st.integers(0, 99))
@examples(60)
def test_what_is_absent_is_no_kind_of_anything_there_and_nothing_there_is_a_kind_of_it(
    scenes: list[Scene], seed: int
) -> None:
    statistics = survey_scenes(scenes)
    for one in scenes:
        gone = SceneSampler(one, statistics).absent(Random(seed))
        if gone and not gone.things:
            assert not any(is_a(thing.name, gone.name) or is_a(gone.name, thing.name) for thing in one)


@given(st.lists(st.integers(1, 9) | st.floats(0.01, 9), min_size=1, max_size=6), st.integers(0, 99))
def test_a_weighted_draw_is_that_of_the_standard_library(weights: list[float], seed: int) -> None:
    words, bounds = "abcdef"[: len(weights)], list(accumulate(weights))
    assert draw_weighted(words, bounds, Random(seed)) == Random(seed).choices(words, cum_weights=bounds)[0]


def test_a_thing_is_only_spoken_of_where_it_can_be_told_from_the_others() -> None:
    two = scene(0, ("cup", "red", "open"), ("cup", "blue", "closed"), ("door", "white"))
    view = SceneSampler(two, survey_scenes([two]))
    assert [(expression.noun, expression.gives) for expression in all_expressions(view, two["1"])] == [
        ("red cup", "color"),
        ("open cup", "openness"),
    ]
    assert all_expressions(view, two["3"])[0] == ReferringExpression(two["3"], "door")
    doubtful = scene(0, ("cup", "red"), ("cup",), ("house",), ("door", "white"))
    view = SceneSampler(doubtful, survey_scenes([doubtful]))
    assert all_expressions(view, doubtful["1"]) == []
    assert all_expressions(view, doubtful["4"]) == []  # the house may show another door


def test_colors_that_cannot_be_sure_are_not_asked_for() -> None:
    plain, striped, orange = ("shirt", "red"), ("shirt", "red", "striped"), ("orange", "orange")
    shown = scene(0, plain, striped, orange, ("tree", "orange"), ("tree", "green"))
    assert [visible_values(shown, thing) for thing in shown] == [("red",), ("striped",), (), (), ("green",)]
    assert denies(("red",), "blue")
    assert not denies(("red", "white"), "white")
    assert not denies(("tan",), "beige")
    assert not denies((), "red")


def test_what_is_worn_under_something_else_is_not_described() -> None:
    dressed = scene(0, ("man",), ("shirt", "red"), ("jacket", "blue"), ("shoes", "white"))
    boxes = (Box(0, 0, 60, 200), Box(10, 40, 30, 60), Box(8, 38, 40, 70), Box(0, 180, 60, 20))
    objects = tuple(replace(thing, box=box) for thing, box in zip(dressed, boxes, strict=True))
    worn = replace(dressed, objects=objects, relations=tuple(Link("1", "wearing", number) for number in "234"))
    view = SceneSampler(worn, survey_scenes([worn]))
    assert [view.values(thing) for thing in worn] == [(), (), ("blue",), ("white",)]


def test_a_scene_without_things_is_asked_nothing_and_says_why() -> None:
    assert set(sample_questions(MAKERS, scene(0), survey_scenes([]), Random(0))) == {
        Rejection(kind, "nothing is annotated") for kind in MAKERS
    }


def test_names_that_stand_for_a_kind_are_known_and_the_doubts_make_sense() -> None:
    assert all(may_be(name, name) for name in general_names())
    assert not ambiguity_reason("cat", ["dog", "table"])
    assert ambiguity_reason("bird", ["cat", "duck"])
    assert ambiguity_reason("cat", ["dog", "cat"]) == "it is annotated"
    assert not may_show("dog", "cat")


def test_nothing_is_said_to_stand_beside_a_picture_in_the_picture() -> None:
    things = [("picture",), ("cup", "red"), ("cup", "blue"), ("kite",), ("dog", "running")]
    links = tuple(Link(number, "below", "1") for number in "2345")
    shown = [replace(scene(n, *things), relations=links) for n in range(3)]
    view = SceneSampler(shown[0], survey_scenes(shown))
    assert not view.links
    assert not [expression for thing in shown[0] for expression in all_expressions(view, thing) if expression.where]
    assert not [one for one in _asked(shown[0], shown) if one.where]


def _related(*links: tuple[str, str, str]) -> Scene:
    """A cup, two men, a lamp and a floor, and how they stand to each other."""
    shown = scene(0, ("cup", "red"), ("man",), ("man",), ("lamp", "blue"), ("umbrella",), ("floor",))
    return replace(shown, relations=tuple(Link(*link) for link in links))


def test_a_relation_singles_out_what_it_rules_the_others_out_of() -> None:
    shown = _related(("2", "to the left of", "4"), ("3", "to the right of", "4"), ("2", "near", "1"), ("2", "on", "6"))
    view = SceneSampler(shown, survey_scenes([shown]))
    assert [expression.where for expression in all_expressions(view, shown["2"])] == ["to the left of the lamp"]
    held = _related(("2", "holding", "5"), ("3", "to the left of", "6"))
    view = SceneSampler(held, survey_scenes([held]))
    assert [expression.where for expression in all_expressions(view, held["2"])] == ["holding the umbrella"]
    assert all_expressions(view, held["3"]) == [], "nothing is to the left of the floor"
    both = _related(("2", "holding", "5"), ("3", "holding", "5"))
    assert all_expressions(SceneSampler(both, survey_scenes([both])), both["2"]) == []


def test_a_relation_is_denied_only_by_absence_or_by_the_opposed_relation() -> None:
    """Both men are to the left of the lamp; of one it is not known where he is to the cup."""
    shown = _related(*((man, "to the left of", "4") for man in "23"), ("2", "to the left of", "1"), ("1", "on", "6"))
    elsewhere = [replace(_related(("1", "on", "6"), ("5", "on", "6")), id=str(n)) for n in range(5)]
    answers = dict[tuple[str, str], set[str]]()
    for one in _asked(shown, [*elsewhere, scene(9, ("kite",), ("cup",), ("man",))], times=300):
        if one.kind == "object verification" and one.where:
            answers.setdefault((one.options[0], one.where), set()).add(one.gold.best)
    assert all(len(found) == 1 for found in answers.values())
    assert answers["man", "to the right of the lamp"] == {"no"}
    assert answers["man", "to the left of the lamp"] == {"yes"}
    assert ("man", "to the right of the cup") not in answers
    assert ("man", "on the floor") not in answers


@pytest.mark.parametrize(("other", "holds"), [("near", False), ("leaning on", None)])
def test_who_leans_on_a_thing_may_be_said_to_sit_on_it(other: str, holds: bool | None) -> None:
    cat, chair = SceneObject("1", "cat"), SceneObject("2", "chair")
    links = (Link("1", "sitting under", "2"), Link("1", other, "2"))
    fact = relation_fact(replace(scene(0, ("cat",), ("chair",)), relations=links), cat, "sitting on", chair)
    assert (fact.holds if fact else None) is holds


def test_actions_that_a_relation_contradicts_are_not_asked_for() -> None:
    seated = replace(scene(0, ("man", "standing"), ("bench",)), relations=(Link("1", "sitting on", "2"),))
    others = [scene(n, ("man", pose)) for n, pose in enumerate(("sitting", "lying", "running"), 1)]
    assert not [one for one in _asked(seated, others) if one.kind == "action choice"]
    upright = replace(seated, relations=(Link("1", "near", "2"),))
    assert [one for one in _asked(upright, others) if one.kind == "action choice"]


def test_no_pair_with_a_doubt_is_excluded_beforehand() -> None:
    special = ("glasses", "tail", "chicken", "tire", "people", "dogs", "shirt", "handle", "letters", "no name")
    names = [*special, *Random(0).sample(sorted(curated_names()), scaled(240))]
    pairs = [(other, name) for other in names for name in names]
    doubtful = {pair for pair in pairs if pair_doubt(*pair)}
    looked_for = {pair for pair in pairs if may_raise_doubt(*pair)}
    assert doubtful <= looked_for
    assert len(looked_for) < len(pairs) / 3


def test_suites_made_together_share_what_is_found_out_about_a_scene() -> None:
    scenes = list(World("train", 3).scenes())
    statistics = survey_scenes(scenes)
    first = SceneSampler.of(scenes[0], statistics)
    assert SceneSampler.of(scenes[0], statistics) is first
    assert SceneSampler.of(scenes[1], statistics) is not first
    assert SceneSampler.of(scenes[1], survey_scenes(scenes)) is not SceneSampler.of(scenes[1], statistics)


def test_draws_that_start_over_are_the_same_again() -> None:
    scenes = list(World("train", 3).scenes())
    view = SceneSampler.of(scenes[0], survey_scenes(scenes))

    def drawn() -> list[tuple[str, str]]:
        rng, rows = seeded_rng(0), list[tuple[str, str]]()
        while row := view.draw_once("kind", lambda: [(thing, thing.name) for thing in view.scene], rng):
            rows.append((row[0].id, row[1]))
        return rows

    first = drawn()
    assert len(first) == 4 * len(set(first)) == 4 * len(scenes[0].objects)  # few scenes: each up to four times
    assert drawn() == []
    view.start_over()
    assert drawn() == first


@pytest.mark.parametrize(
    ("first", "relation", "second", "is_said"),
    [
        (("door", (10, 50, 30, 100)), "in front of", ("building", (0, 0, 300, 200)), False),  # it is set in it
        (("building", (0, 0, 300, 200)), "behind", ("door", (10, 50, 30, 100)), False),
        (("horse", (10, 50, 90, 100)), "in front of", ("building", (0, 0, 300, 200)), True),
        (("door", (310, 50, 30, 100)), "in front of", ("building", (0, 0, 300, 200)), True),
        (
            ("table", (200, 150, 100, 80)),
            "to the right of",
            ("bowl", (20, 50, 150, 150)),
            False,
        ),  # it may carry the bowl
        (("bowl", (20, 50, 150, 150)), "near", ("table", (200, 150, 100, 80)), False),
        (("bowl", (20, 50, 150, 150)), "on", ("table", (200, 150, 100, 80)), True),
        (("table", (200, 150, 100, 80)), "to the right of", ("chair", (20, 50, 150, 150)), True),
    ],
)
def test_a_door_has_no_place_before_its_building_nor_a_bowl_beside_its_table(
    first: tuple[str, tuple[int, int, int, int]],
    relation: str,
    second: tuple[str, tuple[int, int, int, int]],
    is_said: bool,
) -> None:
    objects = tuple(SceneObject(str(n), name, (), Box(*box)) for n, (name, box) in enumerate((first, second), 1))
    shown = replace(scene(1), objects=objects, relations=(Link("1", relation, "2"),))
    assert bool(SceneView(shown).links) is is_said
    assert SceneView(replace(shown, is_complete=True)).links, (
        "where everything is annotated, relations are what they say"
    )


def test_a_bowl_that_stands_on_one_table_is_beside_another() -> None:
    names = ("bowl", "table", "counter")
    objects = tuple(SceneObject(str(n), name, (), Box(100 * n, 50, 80, 80)) for n, name in enumerate(names))
    beside = Link("0", "to the left of", "1")
    assert not SceneView(replace(scene(1), objects=objects, relations=(beside,))).links
    assert (
        "to the left of"
        in SceneView(replace(scene(1), objects=objects, relations=(beside, Link("0", "on", "2")))).links
    )
