"""Actions: another verb, or the two exchanged."""

from collections import Counter
from dataclasses import replace

import pytest

from counterpoint.core.items import Frame, Role
from counterpoint.core.pictures import Picture
from counterpoint.language.verbs import gerund
from counterpoint.suites.suite import MASKED_LM, generate_groups
from counterpoint.suites.valse.actions import (
    REPLACEMENT,
    SWAP,
    ActionSentence,
    are_alike,
    read_action,
    suite,
    unpaired,
    verbs_exclude,
)
from counterpoint.suites.valse.agreement import infinitive
from counterpoint.world.source import World


def _frame(place: int, agent: str, verb: str, role: str, noun: str, picture: int | None = None) -> Frame:
    address = f"swig:images_512/{verb}_{place if picture is None else picture}.jpg"
    roles = (Role("agent", agent), Role(role, noun), Role("place", "park"))
    return Frame(f"{verb}_{place}", Picture(address), verb, roles)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (_frame(1, "people", "unveiling", "item", "prize"), "Some people unveil a prize."),
        (_frame(1, "man", "shouting", "addressee", "woman"), "A man shouts at a woman."),
        (_frame(1, "boy", "sitting", "contact", "bench"), "A boy sits on a bench."),
        (_frame(1, "girl", "drinking", "container", "cup"), "A girl drinks from a cup."),
        (_frame(1, "elephant", "carrying", "item", "water"), "An elephant carries some water."),
        (_frame(1, "woman", "dyeing", "item", "hair"), "A woman dyes some hair."),
    ],
)
def test_a_sentence_is_made_from_roles(frame: Frame, text: str) -> None:
    act = read_action(frame)
    assert isinstance(act, ActionSentence)
    assert replace(act, present=True).text == text


def test_exchanged_roles_are_told_anew() -> None:
    act = ActionSentence("1", "people", "unveiling", "", "prize")
    assert act.swapped().text == "A prize is unveiling some people."
    assert replace(act, present=True).swapped().text == "A prize unveils some people."
    assert ActionSentence("1", "man", "shouting", "at", "dogs").swapped().text == "Some dogs are shouting at a man."


def test_a_frame_without_somebody_or_something_is_no_act() -> None:
    assert read_action(Frame("1", Picture("a:b"), "raining", (Role("place", "park"),))) == "the frame has no agent"
    alone = Frame("1", Picture("a:b"), "jogging", (Role("agent", "man"), Role("place", "park")))
    assert "nothing" in str(read_action(alone))


@pytest.mark.parametrize(
    ("verb", "other", "apart"),
    [
        ("kicking", "throwing", True),
        ("carrying", "pushing", True),
        ("pushing", "pulling", True),  # antonyms
        ("eating", "holding", False),  # who eats it holds it
        ("eating", "devouring", False),  # a kind of it
        ("shutting", "closing", False),  # the same
        ("running", "running", False),
    ],
)
def test_a_verb_that_goes_along_with_another_is_no_foil_for_it(verb: str, other: str, apart: bool) -> None:
    assert verbs_exclude(verb, other) is apart
    assert verbs_exclude(other, verb) is apart


@pytest.mark.parametrize("verb", ["tying", "lying", "wrapping", "strolling", "buying", "raking", "vacuuming"])
def test_verbs_are_told_from_their_forms(verb: str) -> None:
    assert gerund(infinitive(verb)) == verb


def test_a_verb_is_exchanged_for_one_that_others_do_with_the_same() -> None:
    frames = [
        _frame(1, "man", "kicking", "item", "ball"),
        _frame(2, "man", "throwing", "item", "ball"),
        _frame(3, "man", "eating", "food", "apple"),
    ]
    texts = {tuple(query.text for query in group.queries) for _, group in generate_groups(suite, frames)}
    assert texts == {
        ("A man is kicking a ball.", "A man is throwing a ball."),
        ("A man is throwing a ball.", "A man is kicking a ball."),
    }


def test_what_happens_in_the_same_picture_is_no_foil() -> None:
    frames = [_frame(1, "man", "kicking", "item", "ball"), _frame(2, "man", "throwing", "item", "ball")]
    together = [Frame(frame.id, Picture("swig:images_512/both.jpg"), frame.verb, frame.roles) for frame in frames]
    assert list(generate_groups(suite, together)) == []


def test_verbs_that_were_proposed_narrow_what_is_taken() -> None:
    frames = [_frame(1, "man", "kicking", "item", "ball"), _frame(2, "man", "throwing", "item", "ball")]
    assert suite.proposals
    assert [gap.text for frame in frames for gap in suite.proposals.gaps(frame)] == ["A man is [MASK] a ball."] * 2
    both = suite.configured({MASKED_LM: {"A man is [MASK] a ball.": ["throwing", "kicking"]}})
    assert len(list(generate_groups(both, frames))) == 2
    other = suite.configured({MASKED_LM: {"A man is [MASK] a ball.": ["throwing", "biting"]}})
    assert list(generate_groups(other, frames)) == []
    assert list(generate_groups(suite.configured({MASKED_LM: {}}), frames)) == []


def test_verbs_are_proposed_with_their_prepositions_and_in_the_tense_of_the_suite() -> None:
    frames = [_frame(1, "men", "shouting", "addressee", "dog"), _frame(2, "men", "kicking", "item", "dog")]
    told = {"Some men are [MASK] a dog.": {"shouting at", "kicking"}, "Some men [MASK] a dog.": {"shout at", "kick"}}
    for one in (suite, unpaired):
        assert one.proposals
        gaps = [gap for frame in frames for gap in one.proposals.gaps(frame)]
        assert {said for _, said in gaps} == told[gaps[0].text]
        found = [group for _, group in generate_groups(one.configured({MASKED_LM: told}), frames)]
        assert [group.test for group in found].count(REPLACEMENT) == 2


def test_who_chases_whom_is_exchanged_beside_one_where_it_is_the_other_way_round() -> None:
    frames = [
        _frame(1, "boy", "chasing", "item", "dog"),
        _frame(2, "dog", "chasing", "item", "boy"),
        _frame(3, "man", "kissing", "item", "woman"),  # she kisses him too
        _frame(4, "woman", "kissing", "item", "man"),
        _frame(5, "man", "unveiling", "item", "prize"),
    ]
    groups = [group for _, group in generate_groups(suite, frames)]
    assert {group.base.text for group in groups} == {"A boy is chasing a dog.", "A dog is chasing a boy."}
    assert {group.test for group in groups} == {SWAP}
    all_swaps = {tuple(query.text for query in group.queries) for _, group in generate_groups(unpaired, frames)}
    assert ("A man unveils a prize.", "A prize unveils a man.") in all_swaps
    assert len(all_swaps) == 3


def test_those_who_are_called_alike_are_not_exchanged() -> None:
    assert are_alike("man", "man")
    assert are_alike("man", "person")
    assert not are_alike("man", "dog")
    assert not are_alike("zzz", "qqq")


@pytest.mark.prove
def test_the_world_makes_both_instruments_with_boxes() -> None:
    groups = [group for _, group in generate_groups(suite, list(World("test", 300).frames()))]
    tests = Counter(group.test for group in groups)
    assert tests[REPLACEMENT] > 20
    assert tests[SWAP] > 5
    for group in groups:
        assert group.objects
        assert group.size
        assert group.base.text != group.variants[0].text
    words = [Counter(dict(group.tags[role])["word"] for group in groups) for role in (0, 1)]
    assert words[0] == words[1]


@pytest.mark.parametrize(
    ("frame", "caption", "foil"),
    [
        (_frame(1, "man", "shouting", "addressee", "woman"), "A man shouts at a woman.", "A woman shouts at a man."),
        (
            _frame(1, "people", "unveiling", "item", "prize"),
            "Some people unveil a prize.",
            "A prize unveils some people.",
        ),
        (
            _frame(1, "baby", "drooling", "surface", "clothing"),
            "A baby drools over some clothing.",
            "Some clothing drools over a baby.",
        ),
        (
            _frame(1, "tennis player", "throwing", "item", "ball"),
            "A tennis player throws a ball.",
            "A ball throws a tennis player.",
        ),
    ],
)
def test_actant_swaps_as_printed_in_valse(frame: Frame, caption: str, foil: str) -> None:
    ((test, group),) = generate_groups(unpaired, [frame])
    assert (test, tuple(query.text for query in group.queries)) == (SWAP, (caption, foil))


@pytest.mark.parametrize(
    ("agent", "verbs", "noun", "text", "said"),
    [
        ("figure", ("climbing", "descending"), "stairs", "A figure {} some stairs.", ("climbs", "descends")),
        ("woman", ("skipping", "releasing"), "jump rope", "A woman {} a jump rope.", ("skips", "releases")),
        ("old man", ("coaching", "bothering"), "people", "An old man {} some people.", ("coaches", "bothers")),
        ("man", ("shouting", "smiling"), "woman", "A man {} at a woman.", ("shouts", "smiles")),
        ("mother", ("scolding", "encouraging"), "son", "A mother {} a son.", ("scolds", "encourages")),
    ],
)
def test_action_replacements_as_printed_in_valse(
    agent: str, verbs: tuple[str, str], noun: str, text: str, said: tuple[str, str]
) -> None:
    role = "addressee" if noun == "woman" else "item"
    frames = [_frame(place, agent, verb, role, noun) for place, verb in enumerate(verbs)]
    texts = {tuple(query.text for query in group.queries) for _, group in generate_groups(unpaired, frames)}
    assert tuple(text.format(verb) for verb in said) in texts


def test_talking_is_no_foil_for_scolding_as_printed_in_valse() -> None:
    assert not verbs_exclude("scolding", "talking")
