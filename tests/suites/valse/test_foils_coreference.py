"""Coreference: the pronoun of a question means what the caption speaks of."""

from collections import Counter

import pytest
from proving import prove

from counterpoint.core.items import Dialogue, Turn
from counterpoint.core.pictures import Picture
from counterpoint.suites.suite import Tally, generate_groups
from counterpoint.suites.valse.coreference import (
    CLEAN,
    SCENE,
    STANDARD,
    PronounTurn,
    caption_answers,
    find_antecedents,
    instrument,
    is_about,
    pronoun_turns,
    pronouns,
    suite,
    with_scenes,
    yes_or_no,
)
from counterpoint.world.source import World


def _dialogue(place: int, caption: str, *turns: tuple[str, str], folder: str = "VisualDialog_val2018") -> Dialogue:
    said = tuple(Turn(question, answer) for question, answer in turns)
    return Dialogue(str(place), Picture(f"visdial:{folder}/{place}.jpg"), caption, said)


def test_a_caption_a_question_and_its_answer_become_a_caption_and_a_foil() -> None:
    talks = [
        _dialogue(1, "a skateboarding man is on a half pipe", ("does he wear a helmet", "no, he doesn't")),
        _dialogue(2, "a man on a horse", ("does he wear a helmet?", "yes")),
    ]
    texts = {tuple(query.text for query in group.queries) for _, group in generate_groups(suite, talks)}
    assert texts == {
        (
            "A skateboarding man is on a half pipe. Does he wear a helmet? No.",
            "A skateboarding man is on a half pipe. Does he wear a helmet? Yes.",
        ),
        ("A man on a horse. Does he wear a helmet? Yes.", "A man on a horse. Does he wear a helmet? No."),
    }


@pytest.mark.parametrize(
    ("question", "caption", "since", "antecedents"),
    [
        ("is he tall", "a man with a dog", (), ("man",)),
        ("is she tall", "a man with a dog", (), ()),
        ("are they tall", "two men with a dog", (), ("man",)),
        ("is it sunny", "two men", ("is there a car", "yes"), (SCENE,)),
        ("is it red", "two men", (), ()),
        ("is it red", "a bus on a street", (), ("bus",)),
        ("is it red", "a bus on a street", ("is there a car", "yes"), ()),
        ("is it red", "a bus and a car", (), ()),
        ("is it red", "a man with a kite near a car", (), ()),
        ("is it grazing", "a parent zebra stands next to a young zebra", (), ()),
        ("is her hair gray", "a young girl brushing an older woman's hair", (), ()),
        ("are they police officers", "a woman watches traffic", (), ()),
        ("are they at a wedding", "a man and a woman cut a cake", (), ("man",)),
        ("is there water in it", "a glass vase sits on a table", (), ("vase",)),
        ("is this a zoo", "a giraffe", ("is there a fence", "yes"), (SCENE,)),
        ("are there clouds", "a giraffe", (), ()),
        ("is she wearing glasses", "a woman and a boy", ("is there a girl", "yes"), ()),
        ("is his hat red", "a boy at a table", (), ("boy",)),
        ("does it have writing on it", "a garbage truck on a street", (), ("truck", "truck")),
        ("is he wearing shoes", "a small child walking in the snow", ("is his hat red", "can't tell"), ("child",)),
        ("is it red", "a bus on a street", ("is it new", "i don't know, can't see"), ("bus",)),
        ("is he tall", "a man with a dog", ("what color is the boy's hat", "red"), ()),
        ("are any of the people on their phones", "a train for the people who are waiting", (), ()),
        ("are they smiling", "4 women on a beach 1 facing 3 others who hold boards", (), ()),
        ("are they smiling", "4 women on a beach who hold boards", (), ("woman",)),
        ("is he in his gear", "a firefighter rests his arm on a meter as another walks past", (), ()),
        ("is it watermarked", "a sandwich on a plate", (), ("scene",)),
        ("is it a crowd of people", "an airplane over 2 stacks", (), ("scene",)),
    ],
)
def test_a_pronoun_is_taken_where_it_can_mean_one_thing(
    question: str, caption: str, since: tuple[str, ...], antecedents: tuple[str, ...]
) -> None:
    assert find_antecedents(question, caption, since) == antecedents


def test_a_question_whose_verb_does_not_agree_with_its_pronoun_is_left_out() -> None:
    talk = _dialogue(1, "a man plays the drums", ("are he wearing a chain", "no"), ("is he wearing a hat", "no"))
    first, second = pronoun_turns(talk)
    assert first == "its verb does not agree with its pronoun"
    assert isinstance(second, PronounTurn)


@pytest.mark.parametrize(
    ("caption", "broken"),
    [
        ("the man is armor is looking at his phone", True),
        ("the man is in a room that is dark", False),
        ("the man is tall and the dog is small", False),
        ("the man is sitting while the dog is asleep", False),
    ],
)
def test_a_caption_with_two_verbs_in_a_clause_has_a_slip(caption: str, broken: bool) -> None:
    (turn,) = pronoun_turns(_dialogue(1, caption, ("is he wearing a helmet", "no")))
    assert (turn == "the caption has a slip") == broken


def test_a_relative_that_is_no_pronoun_of_its_own() -> None:
    assert pronouns("is the man that you see tall") == ()
    assert find_antecedents("is he the man that you see", "a man", ()) == ()


def test_what_was_asked_for_and_is_not_there_is_no_antecedent() -> None:
    turns = ("are they wearing bridles", "no"), ("are they wearing saddles", "yes")
    cases = list(pronoun_turns(_dialogue(1, "two brown horses by a barn", *turns)))
    assert [case.antecedents for case in cases if isinstance(case, PronounTurn)] == [("horse",), ("horse",)]


@pytest.mark.parametrize(
    ("question", "antecedent", "fits"),
    [
        ("is it a garbage truck", "truck", True),
        ("is it a laptop", "computer", True),
        ("is it a zoo", "zebra", False),
        ("is it laptop", "computer", False),
        ("are they fruits", "toothpick", False),
        ("can you see their face", "barrel", False),
        ("is it on paper plate", "sausage", False),
        ("do they headdresses on", "elephant", False),
        ("do they have headdresses on", "elephant", True),
        ("are they drinking", "cup", False),
        ("is he the conductor", "man", False),
        ("is he in uniform", "man", True),
    ],
)
def test_a_question_fits_what_its_pronoun_refers_to(question: str, antecedent: str, fits: bool) -> None:
    assert is_about(question, antecedent) is fits


def test_weather_and_time_are_left_out_unless_they_are_asked_for_and_then_have_a_tag() -> None:
    talks = [
        _dialogue(place, "a man on a horse", ("is it sunny", answer)) for place, answer in enumerate(("yes", "no"))
    ]
    tally = Tally()
    assert list(generate_groups(suite, talks, tally=tally)) == []
    assert tally.dropped["coreference", "the pronoun means the weather, the time or the picture"] == 2
    groups = [group for _, group in generate_groups(with_scenes, talks)]
    assert [dict(group.tags[0])["antecedent"] for group in groups] == [SCENE, SCENE]


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        ("yes", "yes"),
        ("nope", "no"),
        ("Yes, she is", "yes"),
        ("no but close", None),
        ("i think so", None),
        ("2", None),
        ("nobody", None),
        ("yes i think", None),
        ("", None),
    ],
)
def test_answers_are_cut_to_yes_or_no_where_they_are_sure(answer: str, word: str | None) -> None:
    assert yes_or_no(answer) == word


def test_a_question_that_the_caption_answers_is_not_asked() -> None:
    talks = [_dialogue(1, "a closed red umbrella", ("is it open", "no")), _dialogue(2, "a box", ("is it open", "yes"))]
    tally = Tally()
    assert list(generate_groups(suite, talks, tally=tally)) == []
    assert tally.dropped["coreference", "the caption answers the question"] == 1
    assert caption_answers("a closed red umbrella", "is it open")
    assert not caption_answers("an umbrella", "is it open")


@pytest.mark.parametrize(
    ("caption", "question"),
    [
        ("a cat sitting on a rug", "is it asleep"),
        ("a woman walks a dog", "is she sitting"),
        ("a bull with a head decoration", "does it have decorations on it"),
        ("a man in a hat", "is he wearing a hat"),
        ("a man and a woman", "is he alone"),
        ("a couple kissing while holding white teddy bears", "are they each holding a teddy bear"),
    ],
)
def test_postures_and_what_is_named_are_answered_by_the_caption(caption: str, question: str) -> None:
    assert caption_answers(caption, question)


@pytest.mark.parametrize(
    ("asked", "other", "answer", "open_"),
    [
        ("desk", "table", "yes", True),
        ("couch", "sofa", "yes", True),
        ("desk", "table", "no", False),
        ("desk", "wall", "yes", False),
    ],
)
def test_a_place_that_may_be_called_so_is_not_denied(asked: str, other: str, answer: str, open_: bool) -> None:
    turns = (f"is it on a {asked}", "no"), (f"is it on a {other}", answer)
    first, second = pronoun_turns(_dialogue(1, "a tablet in a keyboard dock", *turns))
    assert (first == "the place may be called so too") is open_
    assert isinstance(second, PronounTurn)


@pytest.mark.parametrize("question", ["do they look happy", "are they bored", "do they seem to wear hats"])
def test_opinions_are_not_asked_for(question: str) -> None:
    (turn,) = pronoun_turns(_dialogue(1, "several people visit a statue", (question, "no")))
    assert turn == "a picture of it does not tell"


def test_pictures_of_training_make_the_standard_instrument() -> None:
    assert instrument(Picture("coco:train2014/COCO_train2014_000000000001.jpg")) == STANDARD
    assert instrument(Picture("coco:val2014/COCO_val2014_000000000001.jpg")) == STANDARD
    assert instrument(Picture("visdial:VisualDialog_val2018/VisualDialog_val2018_000000000001.jpg")) == CLEAN
    assert [instrument(Picture(f"world:{split}/000001.png")) for split in ("train", "test")] == [STANDARD, CLEAN]


@pytest.mark.parametrize(("split", "test"), [prove("train", STANDARD), ("test", CLEAN)])
def test_the_world_speaks_with_pronouns_and_half_of_its_answers_are_yes(split: str, test: str) -> None:
    groups = [group for _, group in generate_groups(suite, list(World(split, 150).dialogues()))]
    words = Counter(dict(group.tags[0])["word"] for group in groups)
    assert {group.test for group in groups} == {test}
    assert words["yes"] == words["no"] > 3


@pytest.mark.parametrize(
    ("caption", "question", "answer"),
    [
        ("a skateboarding man is on a half pipe", "does he wear a helmet", "no"),
        ("2 women who have painted on mustaches petting a horse", "are they wearing hats", "no"),
        ("a woman is driving a motorcycle", "is she wearing a helmet", "yes"),
        ("buffalos walk along grass", "are they in a zoo", "no"),
    ],
)
def test_coreference_as_printed_in_valse(caption: str, question: str, answer: str) -> None:
    other = {"yes": "no", "no": "yes"}[answer]
    talks = [_dialogue(1, caption, (question, answer)), _dialogue(2, caption, (question, other))]
    said = {tuple(query.text for query in group.queries) for _, group in generate_groups(suite, talks)}
    start = f"{caption[0].upper()}{caption[1:]}. {question.capitalize()}?"
    assert (f"{start} {answer.capitalize()}.", f"{start} {other.capitalize()}.") in said


@pytest.mark.parametrize(
    ("caption", "question", "reason"),
    [
        ("a close up of a hot dog with onions", "is it a big hot dog", "a picture of it does not tell"),
        (
            "yellow sunflowers are in a blue and white giraffe styled vase",
            "is it inside",
            "the pronoun means the weather, the time or the picture",
        ),
        (
            "an adult giraffe and a child giraffe standing near a fence",
            "does this look like zoo",
            "the pronoun means the weather, the time or the picture",
        ),
        ("a man is sitting on a bench", "is this outside", "the pronoun means the weather, the time or the picture"),
    ],
)
def test_coreference_printed_in_valse_that_is_not_made(caption: str, question: str, reason: str) -> None:
    assert list(pronoun_turns(_dialogue(1, caption, (question, "yes")))) == [reason]
