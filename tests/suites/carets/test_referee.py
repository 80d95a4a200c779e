import pytest
from judging import CARETS, disagreements, judged, suite_named
from proving import scaled
from referee import Referee
from scenery import scene, world

from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.scenes import Link, Scene
from counterpoint.suites.suite import generate_groups

SHOWN = scene(
    0,
    ("cup", "red", "open"),
    ("cup", "blue", "closed"),
    ("dog", "brown", "running"),
    ("table", "wooden"),
    ("car",),
    ("duck", "white"),
    ("lamp", "on"),
    ("cheese", "yellow"),
)


def _verdict(text: str, shown: Scene = SHOWN) -> str:
    found = Referee([shown]).answer(shown.picture.address, text)
    return found.answer or found.problem.partition(":")[0]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Is there a red cup?", "yes"),
        ("Is there a green cup in this photo?", "no"),
        ("Is there an animal?", "yes"),
        ("Is there a bird in the picture?", "yes"),
        ("Is there a poodle?", "undecided"),  # the dog may be one
        ("Is there a tire?", "undecided"),  # the car may have one in sight
        ("Is there a brown table?", "undecided"),  # nobody noted its color
        ("Are there no cups?", "no"),
        ("Is there neither a cat nor a horse in the image?", "yes"),
        ("Is there either no cat or no dog?", "yes"),
        ("Are there no cats or dogs?", "no"),
        ("Is it not true that there is a dog?", "no"),
        ("Do you see both a dog and a cat?", "no"),
        ("Do you see either a dog or a cat?", "yes"),
        ("Is the red cup open?", "yes"),
        ("Is the red cup closed?", "no"),
        ("Is the cup open?", "undecided"),  # there are two
        ("Is the lamp turned on or off?", "turned on"),
        ("Which material is the table, wood or metal?", "wood"),
        ("Is the brown animal a dog or a cat?", "dog"),
        ("Is the cheese orange or yellow?", "yellow"),  # nor is there a fruit of cheese
        ("Why is there a dog?", "cannot parse"),
        ("Is the zorgle red?", "cannot parse"),
    ],
)
def test_the_referee_answers_from_the_words_and_the_scene(text: str, answer: str) -> None:
    assert _verdict(text) == answer


def test_the_referee_knows_what_stands_where() -> None:
    shown = Scene(SHOWN.id, SHOWN.picture, SHOWN.size, SHOWN.objects, (Link("1", "on", "4"),))
    assert _verdict("Is there a cup on the table?", shown) == "yes"
    assert _verdict("Is the cup on the table red or green?", shown) == "red"
    shown = scene(0, ("bicycle", "red"), ("apple",))
    shown = Scene(shown.id, shown.picture, shown.size, shown.objects, (Link("1", "near", "2"),))
    assert _verdict("Is the bicycle near the apple orange?", shown) == "no"


@pytest.mark.parametrize("name", CARETS)
def test_the_referee_agrees_with_every_gold_answer_of_the_world(name: str) -> None:
    scenes = world(scaled(150))
    found = judged(generate_groups(suite_named(name), scenes, limit=scaled(250)), Referee(scenes))
    assert found.pairs > scaled(100)
    assert not found.wrong, "\n".join(found.wrong[:10])


@pytest.mark.parametrize("answer", ["yes", "no", "red"])
def test_a_wrong_gold_answer_does_not_escape_the_referee(answer: str) -> None:
    texts = {"yes": "Is there a cat?", "no": "Is there a dog?", "red": "Is the table made of wood or metal?"}
    group = Group(Relation.GOLD, (Query(SHOWN.picture, texts[answer]),), (Gold.of(answer),))
    assert len(list(disagreements(group, Referee([SHOWN])))) == 1
