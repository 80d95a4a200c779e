"""Questions whose words fit several things are asked by the names of their annotation, or not at all."""

from dataclasses import replace

from contrast_items import Thing, asked, made, program, reasons, scene
from contrast_judge import judged

from counterpoint.core.items import GroundedQuestion

PLAYER: Thing = ("boy", ("playing",), (100, 100, 60, 150))
BALL: Thing = ("ball", (), (200, 200, 30, 30))
SHIRT: Thing = ("shirt", ("red",), (5, 100, 40, 60))


def _ball_question(*things: Thing) -> GroundedQuestion:
    pitch = scene(1, [PLAYER, BALL, *things], (("1", "playing with", "2"),))
    steps = program("select: person (1)", "filter hposition: left", "relate: ball,to the right of,s (2)", "exist: ?")
    return asked(pitch, "Is there a ball to the right of the person on the left side?", "yes", steps)


def _base(item: GroundedQuestion) -> str:
    groups, _ = made(item)
    for group in groups:
        for query, gold in zip(group.queries, group.gold, strict=True):
            assert gold
            assert judged(item.scene, query.text) == gold.best
    return groups[0].base.text if groups else ""


def test_whose_shirt_is_alone_annotated_may_be_the_person_on_that_side() -> None:
    assert _base(_ball_question()) == "Is there a ball to the right of the person on the left side?"
    assert _base(_ball_question(SHIRT)) == "Is there a ball to the right of the boy?"
    elsewhere: Thing = ("shirt", ("red",), (340, 100, 40, 60))
    assert _base(_ball_question(elsewhere)) == "Is there a ball to the right of the person on the left side?"


def test_a_restated_base_has_the_words_of_its_source_as_a_tag_and_a_proof() -> None:
    item = _ball_question(SHIRT)
    groups, _ = made(item)
    first = dict(groups[0].tags[0])
    assert first["restated"] == item.question.text
    assert first["question"] == item.question.id
    assert first["proof"] == "question 007 of its source, by the names of its annotation"
    assert all("restated" not in dict(tags) for tags in groups[0].tags[1:])


def test_where_everything_is_annotated_nothing_is_restated() -> None:
    item = _ball_question(SHIRT, ("woman", (), (20, 100, 60, 150)))
    assert _base(item) == "Is there a ball to the right of the boy?"
    assert _base(GroundedQuestion(item.question, replace(item.scene, is_complete=True))) == ""


def test_a_verb_that_is_said_twice_is_said_once() -> None:
    item = _ball_question()
    steps = program("select: person (1)", "filter activity: playing", "verify rel: cat,playing with,o (-)")
    item = asked(item.scene, "Does the person that is playing play with a cat?", "no", steps)
    groups, _ = made(item)
    assert [query.text for query in groups[0].queries] == [
        "Is the boy playing with a cat?",
        "Is the boy playing with a ball?",
    ]


def test_of_two_bags_the_one_with_a_name_of_its_own_is_meant() -> None:
    things: list[Thing] = [
        ("man", (), (150, 100, 60, 150)),
        ("backpack", ("black",), (20, 150, 40, 40)),
        ("bag", (), (300, 150, 40, 40)),
        ("dog", (), (330, 230, 50, 50)),
    ]
    steps = program("select: man (1)", "choose rel: backpack,to the left of|to the right of,s (2)")
    item = asked(scene(1, things), "Is the black bag to the right or to the left of the man?", "left", steps)
    assert _base(item) == "Is the backpack to the right or to the left of the man?"


def test_a_lady_and_a_woman_are_told_apart_by_no_name() -> None:
    things: list[Thing] = [
        ("woman", (), (100, 100, 60, 150)),
        ("lady", (), (230, 100, 60, 150)),
        ("people", (), (300, 100, 90, 99)),
    ]
    steps = program(
        "select: woman (1)", "filter vposition: middle", "choose rel: lady,to the right of|to the left of,s (2)"
    )
    item = asked(
        scene(1, things), "Is the lady to the right or to the left of the woman in the middle?", "right", steps
    )
    assert reasons(item) == {"several things could be meant"}


def test_a_side_that_the_program_does_not_name_goes_and_what_is_held_becomes_what_is_absent() -> None:
    others = [
        scene(300 + n, [("man", (), (9, 9, 90, 200)), ("kite", (), (120, 9, 60, 60))], (("1", "holding", "2"),))
        for n in range(2)
    ]
    kitchen = scene(1, [("person", (), (5, 5, 300, 100)), ("spatula", (), (310, 5, 80, 60))], (("1", "holding", "2"),))
    steps = program("select: person (1)", "verify rel: spatula,holding,o (2)")
    item = asked(kitchen, "Is the person holding the spatula on the right?", "yes", steps)
    company = [asked(one, "Is it sunny?", "no", program("select: scene", "verify weather: sunny")) for one in others]
    groups, _ = made(item, *company)
    found = {query.text: gold.best for query, gold in zip(groups[0].queries, groups[0].gold, strict=True) if gold}
    assert found == {"Is the person holding the spatula?": "yes", "Is the person holding a kite?": "no"}


def test_the_one_windshield_of_a_truck_is_referred_to() -> None:
    truck: Thing = ("truck", (), (200, 50, 190, 200))
    things: list[Thing] = [("bag", (), (20, 200, 40, 40)), truck, ("windshield", (), (300, 80, 70, 50))]
    steps = program("select: bag (1)", "query: hposition")
    item = asked(scene(1, things), "On which side of the photo is the bag?", "left", steps)
    groups, _ = made(item)
    assert "On which side of the photo is the windshield?" in [query.text for query in groups[0].variants]
    two = asked(scene(1, [*things, ("bus", (), (70, 50, 120, 200))]), item.question.text, "left", steps)
    assert all("windshield" not in query.text for group in made(two)[0] for query in group.variants)


def test_no_shark_is_denied_beside_a_fish_and_no_zebra_has_one_color() -> None:
    things: list[Thing] = [
        ("mirror", (), (10, 10, 90, 90)),
        ("fish", ("wood",), (250, 20, 60, 40)),
        ("cup", (), (300, 200, 40, 40)),
    ]
    steps = program("select: mirror (1)", "relate: shark,to the right of,s (-)", "exist: ?")
    item = asked(scene(1, things), "Is there a shark to the right of the mirror?", "no", steps)
    assert reasons(item) == {"something there may be what it asks for"}
    things = [("zebra", ("black",), (10, 10, 90, 90)), ("car", ("red",), (250, 20, 90, 90))]
    item = asked(scene(1, things), "What color is the zebra?", "black", program("select: zebra (1)", "query: color"))
    assert reasons(item) == {"its kind has several colors, or always the same"}


def test_what_stands_left_of_many_things_stands_left_of_any() -> None:
    things: list[Thing] = [("dog", (), (300, 100, 60, 60)), ("scissors", (), (20, 100, 60, 60))]
    steps = program("select: dog (1)", "verify rel: bottle,to the right of,o (-)")
    item = asked(scene(1, things), "Is the dog to the right of a bottle?", "no", steps)
    groups, _ = made(item)
    assert "Is the dog to the right of any scissors?" in [query.text for group in groups for query in group.variants]
