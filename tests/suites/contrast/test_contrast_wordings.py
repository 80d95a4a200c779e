"""The six templates, question by question: what is read, what is changed, and what is left out and why."""

from dataclasses import replace

import pytest
from contrast_items import asked, either, made, program, reasons, scene

from counterpoint.core.items import GroundedQuestion
from counterpoint.core.scenes import Scene
from counterpoint.suites.contrast.contrast_sets import matching_templates
from counterpoint.suites.contrast.grounding import SceneGrounder
from counterpoint.suites.contrast.question_forms import COLOR, EITHER, NEAR, OBJECT, RELATION, SIDE, match_wording
from counterpoint.world.source import World


def _room() -> Scene:
    things = [
        ("table", ("brown",), (150, 150, 100, 80)),
        ("cup", ("red",), (160, 130, 20, 20)),
        ("dog", ("black",), (10, 200, 60, 60)),
        ("shoes", ("white",), (330, 250, 50, 30)),
    ]
    links = (("2", "near", "1"), ("3", "to the left of", "1"), ("4", "to the right of", "1"), ("2", "on", "1"))
    return scene(1, things, links)


def _texts(item: GroundedQuestion, kind: str) -> dict[str, str]:
    groups, _ = made(item)
    group = next(one for one in groups if one.kind == kind)
    return {query.text: gold.best for query, gold in zip(group.variants, group.gold[1:], strict=True) if gold}


def _begins(found: dict[str, str], first: dict[str, str]) -> bool:
    """Whether the contrasts begin with these, and all have one answer."""
    return dict(list(found.items())[: len(first)]) == first and set(found.values()) == set(first.values())


def _near(name: str, answer: str, text: str, relation: str = "near") -> GroundedQuestion:
    ids = "2" if answer == "yes" else "-"
    return asked(
        _room(), text, answer, program("select: table (1)", f"relate: {name},{relation},s ({ids})", "exist: ?")
    )


def test_what_is_near_becomes_something_that_is_not_there() -> None:
    found = _texts(_near("cup", "yes", "Is there a cup near the table?"), NEAR)
    assert set(found.values()) == {"no"}
    assert "Is there a cat near the table?" in found
    assert "Is there an umbrella near the table?" in found
    assert "Are there any scissors near the table?" in found
    assert "Is there any bread near the table?" in found
    assert len(found) == 5


def test_the_number_of_the_original_is_kept_where_a_noun_has_both() -> None:
    found = _texts(_near("cup", "yes", "Are there any cups near the table?"), NEAR)
    assert "Are there any umbrellas near the table?" in found
    assert "Is there any bread near the table?" in found
    seen = _texts(_near("cup", "yes", "Do you see a cup near the table?"), NEAR)
    assert "Do you see an umbrella near the table?" in seen
    assert "Do you see any scissors near the table?" in seen


def test_what_is_not_near_becomes_something_that_is() -> None:
    found = _texts(_near("kite", "no", "Is there a kite near the table?"), NEAR)
    assert _begins(found, {"Is there a cup near the table?": "yes"})


def test_what_is_there_but_on_the_other_side_makes_a_no() -> None:
    item = _near("dog", "yes", "Is there a dog to the left of the table?", "to the left of")
    item = asked(
        item.scene,
        item.question.text,
        "yes",
        program("select: table (1)", "relate: dog,to the left of,s (3)", "exist: ?"),
    )
    groups, _ = made(item)
    proofs = {dict(tags)["to"]: dict(tags)["proof"] for tags in groups[0].tags[1:]}
    assert all(to not in ("dog", "table") for to in proofs)


@pytest.mark.parametrize(
    "text",
    [
        "Do you see a cup or a kite?",
        "Is there either a cup or a kite in this image?",
        "Do you see either a cup or a kite there?",
    ],
)
def test_of_two_things_the_one_that_is_there_goes(text: str) -> None:
    found = _texts(asked(_room(), text, "yes", either("cup (2)", "kite (-)")), EITHER)
    assert set(found.values()) == {"no"}
    assert text.replace("a cup", "an umbrella") in found
    assert not any("scissors" in one or "bread" in one for one in found), "a list of two keeps its number"


def test_of_two_things_that_are_not_there_either_comes() -> None:
    found = _texts(asked(_room(), "Do you see a cat or a kite?", "no", either("cat (-)", "kite (-)")), EITHER)
    assert found
    assert set(found.values()) == {"yes"}
    assert any(one.endswith("or a kite?") for one in found)
    assert any(one.startswith("Do you see a cat or a") for one in found)


def test_with_both_there_no_one_atom_changes_the_answer() -> None:
    item = asked(_room(), "Do you see a cup or a dog?", "yes", either("cup (2)", "dog (3)"))
    assert reasons(item) == {"both are there, so that no one atom can change the answer"}


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("On which side of the photo is the dog?", "On which side of the photo are the shoes?"),
        ("Which side is the dog on?", "Which side are the shoes on?"),
        (
            "Which side of the picture is the dog on, the left or the right?",
            "Which side of the picture are the shoes on, the left or the right?",
        ),
        ("The dog is on which side of the image?", "The shoes are on which side of the image?"),
        (
            "Is the dog on the left or on the right side of the image?",
            "Are the shoes on the left or on the right side of the image?",
        ),
    ],
)
def test_what_is_on_one_side_becomes_what_is_on_the_other(text: str, changed: str) -> None:
    item = asked(_room(), text, "left", program("select: dog (3)", "query: hposition"))
    assert _begins(_texts(item, SIDE), {changed: "right"})


def test_a_thing_in_the_middle_is_on_no_side() -> None:
    found = _texts(
        asked(_room(), "Which side are the shoes on?", "right", program("select: shoes (4)", "query: hposition")), SIDE
    )
    assert _begins(found, {"Which side is the dog on?": "left"})


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("What color is the cup?", "What color are the shoes?"),
        ("Which color is the cup?", "Which color are the shoes?"),
        ("What is the color of the cup?", "What is the color of the shoes?"),
        ("The cup is what color?", "The shoes are what color?"),
        ("The cup has what color?", "The shoes have what color?"),
        ("What color does the cup have?", "What color do the shoes have?"),
        ("What color do you think the cup is?", "What color do you think the shoes are?"),
    ],
)
def test_what_has_one_color_becomes_what_has_another(text: str, changed: str) -> None:
    found = _texts(asked(_room(), text, "red", program("select: cup (2)", "query: color")), COLOR)
    assert found[changed] == "white"
    assert len(found) > 2
    assert not any(color in text for text in found for color in ("brown", "black", "white"))


def test_a_value_before_the_noun_can_be_the_atom() -> None:
    things = [("dog", ("black",), (10, 200, 60, 60)), ("dog", ("white",), (330, 200, 60, 60))]
    item = asked(
        scene(1, things),
        "Which side is the black dog on?",
        "left",
        program("select: dog (1)", "filter color: black", "query: hposition"),
    )
    groups, _ = made(item)
    assert groups[0].variants[0].text == "Which side is the white dog on?"
    assert dict(groups[0].tags[1]) | {"proof": ""} == {
        "question": "007",
        "template": SIDE,
        "atom": "attribute",
        "from": "black",
        "to": "white",
        "proof": "",
    }


def test_a_relation_is_turned_round_and_its_subject_exchanged() -> None:
    steps = program("select: dog (3)", "verify rel: table,to the left of,o (1)")
    item = asked(_room(), "Is the dog to the left of the table?", "yes", steps)
    assert _begins(_texts(item, RELATION), {"Is the dog to the right of the table?": "no"})
    assert "Are the shoes to the left of the table?" in _texts(item, OBJECT)
    groups, _ = made(item)
    assert [dict(group.tags[1])["atom"] for group in groups] == ["object", "relation"]
    assert {dict(group.tags[0])["question"] for group in groups} == {"007"}


def test_a_verb_keeps_its_subjects_of_a_kind() -> None:
    things = [
        ("dog", (), (10, 100, 60, 150)),
        ("hat", ("red",), (20, 90, 40, 30)),
        ("cat", (), (320, 100, 60, 150)),
        ("tree", (), (200, 20, 80, 200)),
    ]
    dressed = scene(1, things, (("1", "wearing", "2"),))
    steps = program("select: dog (1)", "verify rel: hat,wearing,o (2)")
    item = asked(dressed, "Is the dog wearing the hat?", "yes", steps)
    assert _texts(item, OBJECT) == {"Is the cat wearing the hat?": "no"}


def _street() -> Scene:
    things = [
        ("man", (), (10, 100, 60, 150)),
        ("bicycle", ("red",), (5, 180, 80, 80)),
        ("woman", (), (320, 100, 60, 150)),
        ("bench", (), (300, 200, 90, 60)),
        ("dog", (), (170, 220, 40, 40)),
    ]
    return scene(2, things, (("1", "riding", "2"), ("3", "sitting on", "4")))


@pytest.mark.parametrize(
    ("text", "answer", "changed"),
    [
        ("Is the man riding a bicycle?", "yes", {"Is the woman riding a bicycle?": "no"}),
        ("Does the man ride a bicycle?", "yes", {"Does the woman ride a bicycle?": "no"}),
        ("Do you think the woman is riding a bicycle?", "no", {"Do you think the man is riding a bicycle?": "yes"}),
        (
            "Is the man riding a red bicycle in this photo?",
            "yes",
            {"Is the woman riding a red bicycle in this photo?": "no"},
        ),
    ],
)
def test_the_other_thing_of_a_relation_may_be_any_such_thing(text: str, answer: str, changed: dict[str, str]) -> None:
    steps = program(f"select: {'woman (3)' if 'woman' in text else 'man (1)'}", "verify rel: bicycle,riding,o (2)")
    assert _texts(asked(_street(), text, answer, steps), OBJECT) == changed


def test_a_relation_to_any_such_thing_is_turned_round_in_either_form_of_the_verb() -> None:
    steps = program("select: woman (3)", "verify rel: bench,sitting on,o (4)")
    assert _texts(asked(_street(), "Is the woman sitting on a bench?", "yes", steps), RELATION) == {
        "Is the woman sitting under a bench?": "no"
    }
    assert _texts(asked(_street(), "Does the woman sit on a bench?", "yes", steps), RELATION) == {
        "Does the woman sit under a bench?": "no"
    }
    dog = _texts(asked(_street(), "Is the woman sitting on a bench?", "yes", steps), OBJECT)
    assert dog.items() > {"Is the man sitting on a bench?": "no", "Is the dog sitting on a bench?": "no"}.items()


def test_nobody_is_said_to_be_without_what_people_wear_unannotated() -> None:
    things = [("man", (), (10, 100, 60, 150)), ("shirt", (), (15, 130, 50, 50)), ("woman", (), (320, 100, 60, 150))]
    dressed = scene(1, things, (("1", "wearing", "2"),))
    steps = program("select: man (1)", "verify rel: shirt,wearing,o (2)")
    assert reasons(asked(dressed, "Is the man wearing a shirt?", "yes", steps)) == {
        "nothing in the picture or its like changes the answer for sure"
    }


def test_a_man_and_a_woman_are_told_apart_unless_both_names_may_be_for_one_body() -> None:
    dog = ("dog", (), (170, 220, 40, 40))
    steps = program("select: man (1)", "query: hposition")
    two = scene(1, [("man", (), (10, 100, 60, 150)), ("woman", (), (320, 100, 60, 150)), dog])
    assert _texts(asked(two, "Which side is the man on?", "left", steps), SIDE) == {
        "Which side is the woman on?": "right"
    }
    one = scene(1, [("man", (), (10, 100, 60, 150)), ("woman", (), (12, 102, 60, 150)), dog])
    assert [list(SceneGrounder(one).descriptions(person)) for person in one.objects[:2]] == [[], []]
    assert next(SceneGrounder(two).descriptions(two["1"])).words == "man"


def test_the_program_says_which_of_two_people_is_meant() -> None:
    dog = ("dog", (), (170, 220, 40, 40))
    boys = scene(1, [("man", (), (10, 100, 60, 150)), ("boy", (), (320, 100, 60, 150)), dog])
    steps = program("select: boy (2)", "verify rel: man,to the right of,o (1)")
    item = asked(boys, "Is the boy to the right of the man?", "yes", steps)
    assert _begins(_texts(item, RELATION), {"Is the boy to the left of the man?": "no"})
    two = scene(1, [("man", (), (10, 100, 60, 150)), ("man", (), (320, 100, 60, 150)), dog])
    side = program("select: man (1)", "query: hposition")
    assert reasons(asked(two, "Which side is the man on?", "left", side)) == {"several things could be meant"}


def test_what_lies_further_right_at_both_edges_is_not_left() -> None:
    things = [("table", (), (150, 150, 100, 80)), ("cup", (), (10, 130, 20, 20)), ("dog", (), (220, 200, 60, 60))]
    steps = program("select: cup (2)", "verify rel: table,to the left of,o (1)")
    item = asked(scene(1, things), "Is the cup to the left of the table?", "yes", steps)
    assert _begins(_texts(item, OBJECT), {"Is the dog to the left of the table?": "no"})
    inside = [*things[:2], ("dog", (), (220, 200, 20, 20))]
    assert "nothing in the picture or its like changes the answer for sure" in reasons(
        asked(scene(1, inside), "Is the cup to the left of the table?", "yes", steps)
    )


def test_what_cannot_be_told_for_sure_is_left_out_and_says_why() -> None:
    two = scene(1, [("dog", (), (10, 200, 60, 60)), ("dog", (), (300, 200, 60, 60)), ("cup", (), (200, 10, 20, 20))])
    side = program("select: dog (1)", "query: hposition")
    assert reasons(asked(two, "Which side is the dog on?", "left", side)) == {"several things could be meant"}
    strange = program("select: dog (99)", "query: hposition")
    assert reasons(asked(_room(), "Which side is the dog on?", "left", strange)) == {
        "the program points at an object that the scene does not have"
    }
    assert reasons(asked(_room(), "Which side is the cat on?", "left", side)) == {
        "its words and its program do not say the same"
    }
    wrong = program("select: dog (3)", "query: hposition")
    assert reasons(asked(_room(), "Which side is the dog on?", "right", wrong)) == {"the scene contradicts its answer"}


def test_a_wording_that_is_not_known_is_counted_with_its_template() -> None:
    item = asked(_room(), "Whereabouts would the dog be?", "left", program("select: dog (3)", "query: hposition"))
    _, tally = made(item)
    assert tally.dropped["no template", f"a wording that is not known of: {SIDE}"] == 1


def test_nothing_is_asked_that_the_source_asks_already() -> None:
    base = asked(_room(), "What color is the cup?", "red", program("select: cup (2)", "query: color"))
    again = asked(_room(), "What color are the shoes?", "white", program("select: shoes (4)", "query: color"), "008")
    groups, _ = made(base, again)
    assert "What color are the shoes?" not in {query.text for group in groups for query in group.variants}


def test_words_are_read_whatever_the_letters() -> None:
    found = match_wording(COLOR, "what color is the red cup")
    assert found is not None
    assert found["x"] == "the red cup"
    assert match_wording(SIDE, "What color is the cup?") is None


def test_a_plural_needs_two_and_what_is_tiny_or_a_room_is_not_asked_about() -> None:
    things = [
        ("table", (), (150, 150, 100, 80)),
        ("bed", (), (10, 150, 60, 60)),
        ("cats", (), (20, 250, 40, 30)),
        ("key", (), (100, 200, 3, 3)),
        ("kitchen", (), (80, 20, 60, 60)),
    ]
    steps = program("select: table (1)", "relate: cups,to the left of,s (-)", "exist: ?")
    found = _texts(asked(scene(1, things), "Are there any cups to the left of the table?", "no", steps), NEAR)
    assert found == {"Are there any cats to the left of the table?": "yes"}
    one = program("select: table (1)", "relate: cup,to the left of,s (-)", "exist: ?")
    found = _texts(asked(scene(1, things), "Is there a cup to the left of the table?", "no", one), NEAR)
    assert set(found) == {"Is there a bed to the left of the table?", "Are there any cats to the left of the table?"}


def test_a_question_without_its_scene_is_matched_by_its_program_or_its_words() -> None:
    item = _near("cup", "yes", "Is there a cup near the table?").question
    assert matching_templates(item) == (NEAR,)
    assert matching_templates(replace(item, program=(), text="What color is the cat?")) == (COLOR,)
    assert matching_templates(replace(item, program=(), text="Why is it so?")) == ("no template",)


def test_descriptions_are_found_once_whoever_asks_and_in_whatever_turn() -> None:
    seen = 0
    for one in World("train", 10).scenes():
        grounder = SceneGrounder(one)
        for thing in one:
            whole = list(SceneGrounder(one).descriptions(thing))
            first, second = grounder.descriptions(thing), grounder.descriptions(thing)
            turns = [next(first, None), *second, *first]
            assert turns == ([whole[0], *whole, *whole[1:]] if whole else [None])
            seen += len(whole)
    assert seen
