"""The whole vocabulary at once: names, attributes, opposites and parts hold together."""

from itertools import combinations

import pytest

from counterpoint.language.english import (
    a,
    any_of,
    be,
    count,
    is_countable,
    is_mass,
    is_pair,
    is_plural,
    plural,
)
from counterpoint.language.lexicon.attributes import (
    action_of,
    attribute_classes,
    class_of,
    excludes,
    opposite,
    opposites,
)
from counterpoint.language.lexicon.senses import curated_names, hypernyms, is_a, resolve_name, sense_of, synonyms
from counterpoint.language.lexicon.word_lists import split_list
from counterpoint.language.lexicon.wordnet import Sense, lexicon
from counterpoint.language.nouns import measure
from counterpoint.scenes.ambiguity import may_be
from counterpoint.scenes.names import is_known, may_show, unannotated_parts, word_set

NAMES = [*curated_names(), *hypernyms()]
VALUES = sorted({word for held in attribute_classes().values() for value in held.values for word in value})
COCO = """
person, bicycle, car, motorcycle, airplane, bus, train, truck, boat, traffic light, fire hydrant, stop sign,
parking meter, bench, bird, cat, dog, horse, sheep, cow, elephant, bear, zebra, giraffe, backpack, umbrella,
handbag, tie, suitcase, frisbee, skis, snowboard, sports ball, kite, baseball bat, baseball glove, skateboard,
surfboard, tennis racket, bottle, wine glass, cup, fork, knife, spoon, bowl, banana, apple, sandwich, orange,
broccoli, carrot, hot dog, pizza, donut, cake, chair, couch, potted plant, bed, dining table, toilet, tv, laptop,
mouse, remote, keyboard, cell phone, microwave, oven, toaster, sink, refrigerator, book, clock, vase, scissors,
teddy bear, hair drier, toothbrush
"""
CLEVR = "cube, sphere, cylinder"


def test_the_names_of_coco_and_clevr_have_a_curated_sense() -> None:
    known = {form for name in curated_names() for form in (name, plural(name))}
    assert set(split_list(f"{COCO}, {CLEVR}")) - known == set()
    assert len(curated_names()) >= 2900


def test_no_hypernym_leads_back_to_where_it_came_from() -> None:
    book = lexicon()
    senses = {sense_of(name) for name in NAMES}
    above: set[Sense] = senses.union(*(book.ancestors(sense) for sense in senses))
    assert [sense.name for sense in above if sense in book.ancestors(sense)] == []
    roots = {book.hypernym_path(sense)[-1].name for sense in senses}
    assert roots == {"entity.n.01"}


SENSES = """
bat: bat.n.05, nail: nail.n.02, mouse: mouse.n.04, crane: crane.n.04, glasses: spectacles.n.01, palm: palm.n.03,
orange: orange.n.01, date: date.n.08, bow: bow.n.08, seal: seal.n.09, keyboard: computer_keyboard.n.01,
remote: remote_control.n.01, trunk: trunk.n.01, pitcher: pitcher.n.01, tank: tank.n.02, plug: plug.n.05,
iron: iron.n.04, ram: ram.n.05, mole: mole.n.06, drone: drone.n.04, wasp: wasp.n.02, tart: tart.n.02, scale: scale.n.07,
hood: hood.n.09, cape: cape.n.02, cardinal: cardinal.n.04, elk: wapiti.n.01, subway: subway_train.n.01,
men: man.n.01, women: woman.n.01, people: person.n.01, children: child.n.01, mice: mouse.n.04, skis: ski.n.01
"""


@pytest.mark.parametrize("row", split_list(SENSES))
def test_a_doubtful_name_means_what_photographs_show(row: str) -> None:
    name, sense = row.split(": ")
    assert sense_of(name).name == sense


ONE_THING = """
couch-sofa, bike-bicycle, tv-television, fridge-refrigerator, cell phone-mobile phone, airplane-plane, donut-doughnut,
trash can-garbage can, traffic light-stoplight, fire hydrant-hydrant, teddy bear-stuffed bear, cop-police officer,
motorcycle-motorbike, mom-mother, racket-racquet, photo-photograph, faucet-tap, pants-trousers
"""


@pytest.mark.parametrize("pair", split_list(ONE_THING))
def test_two_names_of_one_thing_are_never_told_apart(pair: str) -> None:
    one, other = pair.split("-")
    assert other in synonyms(one)
    assert is_a(one, other)
    assert is_a(other, one)
    assert may_be(one, other)


def test_every_name_agrees_with_its_article_and_its_verb() -> None:
    for name in NAMES:
        one = is_countable(name)
        assert a(name).split()[0] in (("a", "an") if one else ("some",)), name
        assert any_of(name).split()[0] in (("a", "an") if one else ("any",)), name
        assert be(name) == ("are" if is_plural(name) else "is"), name
        assert not (is_mass(name) and is_pair(name)), name
        assert count(1, name).startswith("one "), name
        if one:
            assert be(plural(name)) == "are" or plural(name) == name, name
            assert a(plural(name)).startswith("some ") or plural(name) == name, name
        else:
            assert "a " not in a(name).split(name)[0], name


def test_no_mass_noun_is_counted_by_a_mass_noun() -> None:
    assert [name for name in NAMES if is_mass(name) and is_mass(measure(name))] == []


def test_every_pair_of_values_excludes_both_ways_and_none_excludes_itself() -> None:
    assert not any(excludes(value, value) for value in VALUES)
    held = [value for value in VALUES if class_of(value) is not None]
    assert held == VALUES
    for members in attribute_classes().values():
        every = [word for value in members.values for word in value]
        assert all(excludes(one, other) == excludes(other, one) for one, other in combinations(every, 2))


def test_opposites_have_a_class_exclude_each_other_and_turn_back() -> None:
    for one, other in (pair for held in attribute_classes().values() for pair in held.opposites):
        assert class_of(one), one
        assert class_of(other), other
        assert excludes(one, other), (one, other)


THINGS = split_list(
    """
    man, girl, dog, bird, tree, flower, car, bus, house, building, hair, shirt, pants, shoes, table, chair, cup, bottle,
    knife, road, fence, hill, sky, water, ocean, pizza, donut, bread, apple, book, box, bag, window, door, lamp, train,
    people, skis, glasses, snow, grass, food
    """
)


OPPOSED = [value for value in VALUES if opposites(value)]


@pytest.mark.parametrize("thing", THINGS)
def test_an_opposite_of_a_thing_has_an_opposite_itself_which_it_excludes(thing: str) -> None:
    found = [(value, other) for value in OPPOSED if (other := opposite(value, thing)) is not None]
    assert [pair for pair in found if not excludes(*pair)] == []
    back = [(value, other, opposite(other, thing)) for value, other in found]
    assert [row for row in back if row[2] is None or not excludes(row[1], row[2])] == []


PARTS = """
car: tire wheel window mirror, person: face hand hair shirt, dog: leg head tail paw, elephant: trunk tusk,
building: window door roof, tree: leaf branch trunk, table: leg drawer, bird: wing beak, bicycle: wheel pedal,
airplane: wing engine, clock: hand number, bed: pillow sheet, toilet: seat lid, shirt: collar button,
pizza: crust cheese, minivan: tire, girls: hair, ponies: mane, couch: cushion, laptop: keyboard, boat: sail
"""


@pytest.mark.parametrize("row", split_list(PARTS))
def test_a_part_is_not_absent_where_its_whole_is(row: str) -> None:
    whole, parts = row.split(": ")
    assert [part for part in parts.split() if not may_show(whole, part)] == []


def test_a_part_that_is_one_name_alone_hides_nothing_else() -> None:
    assert may_show("bicycle", "seat")
    assert not may_show("bicycle", "bench")
    assert not may_show("dog", "cup")


def test_everything_in_the_doubts_is_a_name_in_the_singular() -> None:
    parts = {part.removesuffix("!") for listed in unannotated_parts().values() for part in listed}
    assert [name for name in {*unannotated_parts(), *parts} if not is_known(name)] == []
    assert [part for part in parts if plural(part) == part and is_countable(part) and is_plural(part)] == []
    assert len(unannotated_parts()) >= 380


def test_a_class_that_a_question_may_ask_for_is_one_of_which_a_thing_has_one_value() -> None:
    unasked = word_set("attributes.not_asked")
    assert unasked <= set(attribute_classes())
    assert [held.name for held in attribute_classes().values() if held.multivalued and held.kind == "attribute"] == [
        name for name in attribute_classes() if attribute_classes()[name].multivalued and name in unasked
    ]


def test_what_is_done_is_told_by_an_action_and_not_by_a_place() -> None:
    assert [action_of(place) for place in ("on", "near", "to the left of", "taller than", "full of")] == [None] * 5
    assert all(resolve_name(name).sense.pos == "n" for name in NAMES)
