"""Rewrites of questions by their words: what is accepted, what is rejected and why, and what the referee derives."""

from collections import Counter
from collections.abc import Callable

import pytest

from counterpoint.core.groups import Gold, Group, Relation
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.suites.questions import suites
from counterpoint.suites.questions.referee import derive_answer
from counterpoint.suites.questions.rewriting import Rewrites, exchange_antonym, negate, reorder, rephrase
from counterpoint.suites.suite import Tally, generate_groups

NEGATIONS = {
    ("Is there a dog?", "yes"): ("is it true that there is no dog", "no"),
    ("Are there any people in the photo?", "no"): ("is it true that there are no people in the photo", "yes"),
    ("Is there grass?", "yes"): ("is it true that there is no grass", "no"),
    ("do you see a barn", "no"): ("is it true that there is no barn", "yes"),
    ("Can you see any trees?", "no"): ("is it true that there are no trees", "yes"),
    ("Can you see a oven?", "no"): ("is it true that there is no oven", "yes"),
    ("Is the door open?", "no"): ("is it true that the door is not open", "yes"),
    ("Does the man have a beard?", "yes"): ("is it true that the man does not have a beard", "no"),
    ("Are the windows open?", "yes"): ("is it true that the windows are not open", "no"),
}
ANTONYMS = {
    ("Is the door open?", "yes"): ("Is the door closed", "no"),
    ("Is the door open?", "no"): ("Is the door closed", "yes"),
    ("Is the woman sitting at a table?", "yes"): ("Is the woman standing at a table", "no"),
    ("Is the cat to the left of the dog?", "yes"): ("Is the cat to the right of the dog", "no"),
    ("Is it daytime?", "yes"): ("Is it nighttime", "no"),
    ("Is his hair short?", "yes"): ("Is his hair long", "no"),
    ("Are the walls clean?", "yes"): ("Are the walls dirty", "no"),
}
ORDERS = {
    "Is it day or night?": "Is it night or day",
    "Is it a man or a woman?": "Is it a woman or a man",
    "Does it appear to be in a home or office?": "Does it appear to be in an office or home",
    "Is the bag to the left or to the right of the man?": "Is the bag to the right or to the left of the man",
    "Is it red, blue, or green?": "Is it green, blue, or red",
    "Is there a cat and a dog?": "Is there a dog and a cat",
    "Is there either a cat or a dog?": "Is there either a dog or a cat",
}
REPHRASINGS = {
    "Is there a dog on the bed?": ["do you see a dog on the bed"],
    "Is there a oven?": ["do you see an oven"],
    "What is the man holding?": ["in this picture, what is the man holding"],
    "Do you see any cars in the photo?": ["are there any cars in the photo", "do you see any cars in the picture"],
    "Is this a hospital?": ["is it true that this is a hospital"],
    "Is the man tall?": ["is it true that the man is tall", "in this picture, is the man tall"],
    "What color are the man's shoes?": [
        "what is the color of the man's shoes",
        "in this picture, what color are the man's shoes",
    ],
    "What is the color of the sky?": ["what color is the sky", "in this picture, what is the color of the sky"],
    "How many dogs are on the couch?": [
        "what is the number of dogs on the couch",
        "how many dogs can be seen on the couch",
        "in this picture, how many dogs are on the couch",
    ],
    "What kind of bird is this?": ["what type of bird is this"],
    "Where is the mirror?": ["where is the mirror located", "in this picture, where is the mirror"],
    "What material is the counter made of?": ["what is the counter made of"],
    "Are there many people in the image?": ["are there many people in the picture"],
    "Is there a lamp to the left of the picture?": ["do you see a lamp to the left of the picture"],
}


def _texts(rewrites: Rewrites) -> list[str]:
    assert isinstance(rewrites, list)
    return [rewrite.text for rewrite in rewrites]


@pytest.mark.parametrize(
    ("derive", "asked", "wanted"),
    [(negate, *row) for row in NEGATIONS.items()] + [(exchange_antonym, *row) for row in ANTONYMS.items()],
)
def test_a_new_gold_follows_from_the_old_one_and_the_referee_derives_it_too(
    derive: Callable[[str, str], Rewrites], asked: tuple[str, str], wanted: tuple[str, str]
) -> None:
    rewrites = derive(*asked)
    assert isinstance(rewrites, list)
    assert [(rewrite.text, rewrite.answer) for rewrite in rewrites] == [wanted]
    assert f"the gold is {asked[1]}" in rewrites[0].proof
    assert derive_answer(*asked, rewrites[0].text) == wanted[1]


@pytest.mark.parametrize(("text", "wanted"), ORDERS.items())
def test_what_is_listed_is_put_in_another_order(text: str, wanted: str) -> None:
    assert _texts(reorder(text, ())) == [wanted]
    assert derive_answer(text, "kept", wanted) == "kept"


@pytest.mark.parametrize(("text", "wanted"), REPHRASINGS.items())
def test_a_question_is_put_in_other_words(text: str, wanted: list[str]) -> None:
    assert _texts(rephrase(text)) == wanted
    assert [derive_answer(text, "kept", new) for new in wanted] == ["kept"] * len(wanted)


@pytest.mark.parametrize(
    ("text", "answer", "reason"),
    [
        ("Can you see a sky?", "yes", "what it asks for is no noun phrase"),
        ("Is there a women?", "no", "what it asks for is no noun phrase"),
        ("Are there many people?", "yes", "it asks for an amount, or for several things at once"),
        ("Is there a cat and a dog?", "yes", "it asks for an amount, or for several things at once"),
        ("Is there a tag still on the bear?", "no", "it asks for an amount, or for several things at once"),
        ("Is there a lot of traffic?", "no", "it asks for an amount, or for several things at once"),
        ("Is there trees?", "no", "its verb does not agree with what it asks for"),
        ("Can you see outside?", "yes", "what it asks for is no noun phrase"),
        ("Is the man wearing a hat and a tie?", "no", "what its negation would deny is not settled by its words"),
        ("Are the windows open?", "no", "of several things some may and some may not"),
        ("Are some of the flowers red?", "yes", "its subject is not definite"),
        ("Is the towel unused?", "no", "it denies something already"),
        ("Is this an American?", "yes", "no picture shows what it asks for"),
        ("Does he know he's being photographed?", "no", "no picture shows what it asks for"),
        ("Does this person have a child?", "no", "no picture shows what it asks for"),
        ("Does this bus have a known destination?", "no", "no picture shows what it asks for"),
        ("Are there any landmarks nearby?", "no", "no picture shows what it asks for"),
        ("Is he wearing a a necklace?", "yes", "a word stands there twice"),
        ("Is this summer event?", "no", "a noun has no article"),
        ("Can you see umbrella?", "yes", "a noun has no article"),
        ("Is the man standing in kitchen?", "yes", "a noun has no article"),
    ],
)
def test_a_question_without_a_sure_negation_has_its_reason(text: str, answer: str, reason: str) -> None:
    assert negate(text, answer) == reason


@pytest.mark.parametrize(
    "text",
    [
        "Is there a playground here?",
        "What animal is this?",
        "Can you ride this bus today?",
        "How many legs does the man with the racket have?",
        "What does the symbol mean?",
        "What is the title of the man?",
        "How many people are shown?",
        "Is it green tea?",
        "How many children in the dugout?",
        "How many wear glasses?",
    ],
)
def test_in_this_picture_is_said_only_of_what_it_may_show_so_or_otherwise(text: str) -> None:
    rewrites = rephrase(text)
    assert isinstance(rewrites, str) or not [row for row in rewrites if row.rule == "lead-in"]


@pytest.mark.parametrize(
    ("text", "answer", "reason"),
    [
        ("Is the dog small?", "no", "what is not one of two opposites need not be the other"),
        ("Are the doors open?", "no", "what is not one of two opposites need not be the other"),
        ("Is the toaster sitting on the burners?", "yes", "its predicate has no listed opposite"),
        ("Is the dog brown?", "yes", "its predicate has no listed opposite"),
        ("Is it sunny?", "yes", "its predicate has no listed opposite"),
        ("Is the dog small and wet?", "yes", "it says more than that something is so"),
        ("Is there an open door?", "yes", "its subject is not definite"),
        ("Is the sun shining?", "yes", "its predicate has no listed opposite"),
        ("Is the fridge crowded?", "yes", "its predicate has no listed opposite"),
        ("Is the cheese melted?", "yes", "its predicate has no listed opposite"),
        ("Is the train moving?", "no", "what is not one of two opposites need not be the other"),
        ("Is this meal gluten free?", "yes", "no picture shows what it asks for"),
    ],
)
def test_a_question_without_a_sure_antonym_has_its_reason(text: str, answer: str, reason: str) -> None:
    assert exchange_antonym(text, answer) == reason


@pytest.mark.parametrize(
    ("text", "choices", "reason"),
    [
        ("Is it red?", (), "it offers no choice and lists nothing"),
        ("Is it a sunny day or night?", (), "where what it lists begins and ends is not settled by its words"),
        ("Does the fridge full or empty?", (), "where what it lists begins and ends is not settled by its words"),
        ("Is this roses are real or fake?", (), "it has two verbs"),
        ("Which is right?", ("A dog", "A cat", "Both"), "a choice refers to other choices"),
    ],
)
def test_what_cannot_be_reordered_has_its_reason(text: str, choices: tuple[str, ...], reason: str) -> None:
    assert reorder(text, choices) == reason


@pytest.mark.parametrize(
    ("base", "answer", "variant"),
    [
        ("Is there a dog?", "yes", "Is there no cat?"),
        ("Is the man tall?", "no", "Is the man short?"),
        ("What color is the car?", "red", "What is the color of the bus?"),
        ("How many dogs are there?", "2", "What is the number of cats?"),
        ("Is the man's hat red?", "yes", "Is it true that the man is hat red?"),
        ("Is it red or blue?", "red", "Is it red or green?"),
    ],
)
def test_the_referee_derives_nothing_from_another_question(base: str, answer: str, variant: str) -> None:
    assert derive_answer(base, answer, variant) is None


def _question(text: str, *votes: str, choices: tuple[str, ...] = ()) -> Question:
    return Question("7", Picture("plain:7.jpg"), text, Gold.from_votes(votes), votes=votes, choices=choices)


def _made(name: str, question: Question) -> tuple[list[Group], Tally]:
    tally = Tally()
    return [group for _, group in generate_groups(getattr(suites, name), [question], tally=tally)], tally


def test_a_group_has_the_style_of_its_base_its_rule_and_its_proof() -> None:
    (group,), _ = _made("negated", _question("is the door open", *["yes"] * 9, "no"))
    assert [query.text for query in group.queries] == ["is the door open", "is it true that the door is not open"]
    assert (group.relation, group.gold[1], group.kind) == (Relation.DIFFERS, Gold.of("no"), "yes-no")
    assert (
        group.proof == "the gold is yes, and the variant asks whether the negated statement is true, so its gold is no"
    )
    assert ("rule", "not") in group.tags[1]


def test_nothing_is_derived_from_an_answer_on_which_people_differ() -> None:
    groups, tally = _made("negated", _question("Is the door open?", *["yes"] * 7, *["no"] * 3))
    assert not groups
    assert tally.reasons == {"yes-no": {"its answer is not yes or no, or people differ on it": 1}}


@pytest.mark.parametrize(
    ("text", "votes"),
    [
        ("What is the man holding?", {"racket": 6, "bat": 2, "ball": 2}),
        ("How many elephants are there?", {"3": 7, "4": 3}),
        ("Is the bottle of wine full?", {"yes": 7, "no": 3}),
        ("What is the boy playing?", {"catch": 7, "baseball": 3}),
        ("What kind of floor is it?", {"tile": 8, "linoleum": 2}),
    ],
)
def test_a_question_on_which_people_differ_is_not_rephrased(text: str, votes: dict[str, int]) -> None:
    assert _made("rephrased", _question(text, *Counter(votes).elements()))[0] == []
    best, *others = votes
    agreed = {best: 10 - len(others[:1])} | dict.fromkeys(others[:1], 1)
    assert _made("rephrased", _question(text, *Counter(agreed).elements()))[0]


@pytest.mark.parametrize("text", ["Is the cake level on the table?", "Is there any bikes here?"])
def test_a_question_whose_words_do_not_tell_its_subject_or_do_not_agree_is_not_rephrased(text: str) -> None:
    rewrites = rephrase(text)
    assert isinstance(rewrites, str) or {rewrite.rule for rewrite in rewrites} == {"lead-in"}


@pytest.mark.parametrize("text", ["Are the surfers in the water yet?", "Is the boy riding the horse at all?"])
def test_no_statement_has_a_word_of_questions_and_denials(text: str) -> None:
    assert [rewrite.rule for rewrite in rephrase(text)] == ["lead-in"]  # type: ignore[union-attr]


def test_what_is_put_to_yes_or_no_is_rephrased_only_where_it_is_answered_so() -> None:
    text = "Are the athletes playing softball of baseball?"  # where its author meant "or"
    groups, tally = _made("rephrased", _question(text, *["baseball"] * 10))
    assert not groups
    assert tally.reasons == {"yes-no": {"it asks for yes or no, and its answer is neither": 1}}
    assert _made("rephrased", _question("Are the athletes playing baseball?", *["yes"] * 10))[0]


def test_choices_keep_the_gold_in_every_order() -> None:
    (group,), _ = _made("reordered", _question("What is it?", "a cat", choices=("a dog", "a cat", "a cow")))
    assert [query.choices for query in group.variants] == [("a cow", "a cat", "a dog"), ("a cat", "a cow", "a dog")]
    assert {gold.best for gold in group.gold if gold} == {"a cat"}
    assert len({query.id for query in group.queries}) == 3
