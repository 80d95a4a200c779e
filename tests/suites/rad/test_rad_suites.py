"""The suites of RAD: even odds, values by their frequency, one seed one suite, and nothing that is not so."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from counterpoint.core.groups import Gold, Group, Relation
from counterpoint.core.items import Dialogue, Question, Turn
from counterpoint.core.pictures import Picture
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.suites.rad import counterfactuals, dialogues
from counterpoint.suites.rad import question_sets as families
from counterpoint.suites.suite import Tally, generate_groups
from counterpoint.world.source import VqaWorld

Golden = Callable[[str, Iterable[str]], None]
THINGS = ("cat", "car", "bus", "dog", "cup", "hat", "box", "van")
PICTURE = Picture("coco:val2014/COCO_val2014_000000000001.jpg")


def _question(number: int, text: str, votes: Sequence[str], same_as: str = "") -> Question:
    gold = rule_set("vqa").gold(votes)
    return Question(str(number), PICTURE, text, gold, votes=tuple(votes), same_as=same_as)


def _colors(count: int) -> list[Question]:
    """Half of the things are white, the others of three colors."""
    said = [("white", "white", "red", "green")[number % 4] for number in range(count)]
    asked = [_question(number, "What color is the car?", [color] * 10) for number, color in enumerate(said)]
    return [replace(question, picture=Picture(f"coco:val2014/{question.id}.jpg")) for question in asked]


def _made(suite: Any, items: Sequence[Any], seed: int = 0) -> tuple[list[Group], Tally]:
    tally = Tally()
    return [group for _, group in generate_groups(suite, items, seed, tally=tally)], tally


def test_yes_and_no_come_at_even_odds_and_wrong_values_by_their_frequency() -> None:
    groups, tally = _made(counterfactuals.suite, _colors(4000))
    answers = Counter(gold.best for _, gold in (group.gold for group in groups) if gold)
    assert tally.groups == 4000
    assert abs(answers["yes"] - 2000) < 4 * (4000 * 0.25) ** 0.5
    wrong = Counter(dict(group.tags[1])["value"] for group in groups if group.gold[0] == Gold((("green", 1.0),)))
    drawn = wrong["white"] / (wrong["white"] + wrong["red"])
    assert abs(drawn - 2 / 3) < 0.09, "white is the answer twice as often as red"


def test_a_group_holds_the_question_and_its_counterfactual_with_their_own_answers() -> None:
    groups, _ = _made(counterfactuals.suite, _colors(8))
    for group in groups:
        base, variant = group.queries
        assert group.relation is Relation.GOLD
        assert base.text == "What color is the car?"
        value = dict(group.tags[1])["value"]
        assert variant.text == f"Is the color of the car {value}?"
        gold = group.gold[1]
        assert gold
        assert (gold.best == "yes") == (group.gold[0] is not None and group.gold[0].best == value)
        assert all(dict(tags)["augmentation"] == "color" for tags in group.tags)


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        (  # four people at most, and yet nine of ten agree that it is red and white
            ["red & white", "white/red"] * 4 + ["red, white", "blue"],
            {"red & white": 1.0, "white/red": 1.0, "red, white": 1.0, "red and white": 1.0, "blue": 0.3},
        ),
        (["gray"] * 5 + ["grey"] * 4 + ["white"], {"gray": 1.0, "grey": 1.0, "white": 0.3}),
        (["grey"] * 10, {"grey": 1.0, "gray": 1.0}),
        (["Gray"] * 2 + ["gray"] * 7 + ["white"], {"Gray": 1.0, "gray": 1.0, "white": 0.3}),
        (["red"] * 9 + ["orange"], {"red": 1.0, "orange": 0.3}),  # nothing to join
    ],
)
def test_a_value_of_several_spellings_earns_their_credit_together(votes: list[str], expected: dict[str, float]) -> None:
    other = _question(1, "What color is the car?", ["green"] * 10)
    groups, _ = _made(counterfactuals.suite, [_question(0, "What color is the cat?", votes), other])
    gold = next(group.gold[0] for group in groups if group.base.text == "What color is the cat?")
    assert gold
    assert {answer: round(credit, 2) for answer, credit in gold.answers if answer in expected} == expected
    assert [credit for _, credit in gold.answers] == sorted((credit for _, credit in gold.answers), reverse=True)


def test_where_no_wrong_value_can_be_had_nothing_is_asked_whichever_way_the_coin_falls() -> None:
    groups, tally = _made(counterfactuals.suite, [_question(1, "What color is the car?", ["red"] * 10)])
    assert not groups
    assert tally.dropped == {("color", counterfactuals.NO_OTHER): 1}


def test_a_number_is_asked_for_only_where_nine_of_ten_people_count_it() -> None:
    votes = {"towels": "6666662274", "tusks": "3333333344", "hats": "2222222221", "cats": "4444444444"}
    asked = [_question(number, f"How many {name}?", said) for number, (name, said) in enumerate(votes.items())]
    groups, _ = _made(counterfactuals.suite, asked)
    assert [group.base.text for group in groups] == ["How many hats?", "How many cats?"]


def test_the_order_of_questions_and_the_rest_of_them_change_nothing_but_the_pool() -> None:
    questions = _colors(40)
    mixed = Random(1).sample(questions, 40)
    pools = counterfactuals.survey(questions)

    def drawn(items: Sequence[Question], seed: int) -> dict[str, str]:
        made = (group for _, group in generate_groups(counterfactuals.suite, items, seed, statistics=pools))
        return {dict(group.tags[0])["question"]: dict(group.tags[1])["value"] for group in made}

    assert drawn(questions, 5) == drawn(mixed, 5)
    assert drawn(questions, 5) != drawn(questions, 6)


def test_a_wrong_value_is_none_of_the_ten_answers_of_any_question_of_the_world() -> None:
    asked = list(VqaWorld("test", 60).questions())
    votes = {question.id: question.votes for question in asked}
    groups, _ = _made(counterfactuals.suite, asked)
    assert {group.kind for group in groups} >= {"color", "how-many"}
    for group in groups:
        told, made = dict(group.tags[0]), dict(group.tags[1])
        said = {rule_set("vqa").normalize(vote) for vote in votes[told["question"]]}
        assert (made["answer"] == "yes") == (made["value"] in said)


def test_a_turn_of_a_dialogue_is_asked_after_what_was_said_before_it() -> None:
    listed = tuple(f"answer {number}" for number in range(95))
    turns = (
        Turn("is it sunny", "yes", ()),
        Turn("what color is the kite", "it is red", (*listed, "it is red", "blue", "yes", "yes, it is", "no idea")),
        Turn("how many dogs are there", "only 2 dogs", (*listed, "only 2 dogs", "1", "2", "3", "4")),
        Turn("what kind of veggies", "asparagus", ()),
        Turn("what color is it", "red", ()),
        Turn("what color is the sky", "mostly blue", ()),
    )
    more = [Turn("what color is the car", "blue"), Turn("how many cats are there", "3")]
    talks = [Dialogue("1", PICTURE, "a kite", turns), Dialogue("2", PICTURE, "a car", tuple(more))]
    groups, tally = _made(dialogues.suite, talks)
    kite, dogs = groups
    assert kite.base.context == kite.variants[0].context == "a kite. is it sunny? yes."
    assert kite.base.choices[95] == "it is red"
    assert len(kite.variants[0].choices) == 100
    assert {"yes", "no"} <= set(kite.variants[0].choices)
    assert kite.gold[0] == Gold.of("it is red")
    assert kite.gold[1] in (Gold.of("yes", "yes, it is"), Gold.of("no"))
    assert dogs.base.context.endswith("what color is the kite? it is red.")
    assert tally.dropped["color", "its answer is no plain value"] == 1
    free, _ = _made(dialogues.open_suite, talks)
    assert all(not query.choices for group in free for query in group.queries)
    assert free[0].gold[0] == Gold.of("it is red", "red")


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("2", "2"),
        ("2 dogs", "2"),
        ("just 1", "1"),
        ("there are no dogs", "0"),
        ("about 2", ""),
        ("1 or 2", ""),
        ("no", ""),
    ],
)
def test_a_count_is_taken_from_a_plain_answer_only(answer: str, value: str) -> None:
    known = dialogues.read_turn(Turn("how many dogs are there", answer))
    assert known
    found = known[1]
    assert (found if isinstance(found, str) else found.value) == (value or "its answer is no plain value")


def test_rephrasings_stand_with_their_first_question_three_pairs_each() -> None:
    first = _question(1, "What is it?", ["dog"] * 10)
    others = [_question(2 + n, f"What is it, say {n}?", ["dog"] * 10, same_as="1") for n in range(3)]
    strange = _question(9, "Who is it?", ["dog"] * 10, same_as="77")
    groups, tally = _made(families.rephrasings, [first, *others, strange])
    (group,) = groups
    assert group.relation is Relation.SAME
    assert [query.text for query in group.variants] == [other.text for other in others]
    assert tally.dropped == {("rephrase", "its first question is not there"): 1}


def test_a_translation_that_says_the_same_is_dropped_and_counted() -> None:
    first = _question(1, "What is it?", ["dog"] * 10)
    again = _question(2, "What is it?", ["dog"] * 10, same_as="1")
    groups, tally = _made(families.back_translations, [first, again])
    assert not groups
    assert tally.dropped == {("back-translation", "says it in the same words"): 1}


def test_a_set_without_an_original_is_one_group_and_one_question_is_no_set() -> None:
    def member(number: int, text: str, name: str) -> Question:
        return Question(str(number), PICTURE, text, Gold.of("yes"), tags=(("set", name),))

    asked = [member(1, "Is it a dog?", "a"), member(2, "Is it an animal?", "a"), member(3, "Is it red?", "b")]
    groups, tally = _made(families.logical_sets, [*asked, member(4, "Is it an animal?", "a")])
    (group,) = groups
    assert [query.text for query in group.queries] == ["Is it a dog?", "Is it an animal?"]
    assert tally.dropped == {("l-convqa", "one question alone"): 1}


def test_counterfactuals_of_the_world_read_well(golden: Golden) -> None:
    groups, _ = _made(counterfactuals.suite, list(VqaWorld("test", 40).questions()))
    said = [tuple(gold.best if gold else "" for gold in group.gold) for group in groups]
    texts = [tuple(query.text for query in group.queries) for group in groups]
    lines = [f"{q} {a} / {r} {b}" for (q, r), (a, b) in zip(texts, said, strict=True)]
    golden("rad_world.txt", sorted(set(lines)))


def test_a_negation_an_estimate_and_the_picture_itself_are_refused() -> None:
    asked = [
        _question(1, "How many people are not wearing hats?", ["2"] * 10),
        _question(2, "How many men don't wear hats?", ["2"] * 10),
        _question(3, "How many birds are there?", ["50"] * 10),
        _question(4, "What color is the picture?", ["white"] * 10),
        _question(5, "What color is the cat?", ["red"] * 10),
        _question(6, "What color is the car without a roof?", ["red"] * 10),
    ]
    groups, tally = _made(counterfactuals.suite, asked)
    assert [group.base.text for group in groups] == ["What color is the cat?"]
    assert tally.dropped["how-many", "has a negation"] == 2
    assert tally.dropped["color", "has a negation"] == 1
    assert tally.dropped["color", "asks for the color of the picture itself"] == 1


def test_a_wrong_color_has_as_many_parts_as_the_right_one() -> None:
    said = ["red", "blue and white", "green", "black and yellow"]
    groups, _ = _made(
        counterfactuals.suite,
        [
            _question(number, f"What color is the {thing}?", [said[number % 4]] * 10)
            for number, thing in enumerate(THINGS)
        ],
    )
    wrong = [(group.gold[0].best, dict(group.tags[1])["value"]) for group in groups if group.gold[0] and group.gold[1]]
    assert {(" and " in right) is (" and " in other) for right, other in wrong} == {True}


def test_the_picture_of_a_dialogue_is_a_thing_where_somebody_asks_for_one() -> None:
    color, other = Turn("what color is the picture", "red"), Turn("what color is the cat", "green")
    wall = Turn("is there a picture on the wall", "yes")
    asked = [Dialogue("1", PICTURE, "a cat", (wall, other, color)), Dialogue("2", PICTURE, "a dog", (color,))]
    groups, tally = _made(dialogues.open_suite, asked)
    assert "what color is the picture" in {group.base.text for group in groups if "wall" in group.base.context}
    assert tally.dropped["color", "asks for the color of the picture itself"] == 1


def test_the_turns_of_a_dialogue_are_questions_that_can_be_reworded() -> None:
    turns = (Turn("is it sunny", "yes"), Turn("how many dogs", "2"), Turn("is it day", ""))
    asked = list(dialogues.turn_questions(Dialogue("7", PICTURE, "a dog on a beach", turns)))
    assert [(question.id, question.text) for question in asked] == [("7-0", "is it sunny"), ("7-1", "how many dogs")]
    again = replace(asked[1], id="7-1-1", text="what number of dogs", same_as="7-1")
    (group,), _ = _made(families.back_translations, [*asked, again])
    assert [query.text for query in group.queries] == ["how many dogs", "what number of dogs"]
    assert group.queries[1].context == "a dog on a beach. is it sunny? yes."
