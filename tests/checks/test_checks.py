"""Each check alone: what it speaks against, and what it leaves alone."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest
from foil_tables import group, judged, pictured, replacing, said, table_of
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.checks import distribution
from counterpoint.checks.check import Check
from counterpoint.checks.model_checks import REASONS, entailment, grammar, plausibility
from counterpoint.checks.text_checks import REVERSED, SAME, TWICE, duplicates, length, minimality
from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.pictures import Edit, Picture


def test_a_caption_that_is_its_own_foil_is_a_duplicate_whatever_its_signs() -> None:
    table = pictured([("A dog.", "a dog"), ("A dog.", "A cat."), ("A  dog", "A dog")])
    assert said(duplicates, table) == [SAME, "", SAME]


def test_a_pair_that_comes_again_is_a_duplicate_also_the_other_way_round() -> None:
    rows = [("A dog.", "A cat."), ("a dog", "a cat"), ("A cat.", "A dog."), ("A dog.", "A cow.")]
    table = table_of(group(texts, "same") for texts in rows)
    assert said(duplicates, table) == ["", TWICE, REVERSED, ""]


def test_the_same_texts_on_another_picture_are_no_duplicate() -> None:
    assert said(duplicates, pictured([("A dog.", "A cat."), ("A dog.", "A cat."), ("A cat.", "A dog.")])) == [""] * 3


def test_a_picture_that_was_changed_makes_no_duplicate_of_its_question() -> None:
    plain = Picture("toy:1.png")
    both = (Query(plain, "Is it?"), Query(plain.edited(Edit("blur", ("2",))), "Is it?"))
    table = table_of([Group(Relation.SAME, both, (Gold.of("yes"),) * 2, test="noise")])
    assert said(duplicates, table) == [""]


def test_two_foils_of_one_caption_are_not_taken_for_two_pairs() -> None:
    assert said(duplicates, table_of([group(("A dog.", "A cat.", "A cow."))])) == ["", ""]


def test_a_text_of_more_tokens_than_allowed_is_too_long_on_either_side() -> None:
    table = pictured([("a b c", "a b d"), ("a b c d e", "a"), ("a", "a, b, c"), ("a b c d", "a b c e")])
    assert [bool(one) for one in said(length, table, tokens=4)] == [False, True, True, False]
    assert not any(said(length, table))


@pytest.mark.parametrize(
    ("caption", "foil", "places"),
    [
        ("a man on a chair", "a man under a chair", 1),
        ("a red dog on a chair", "a blue dog under a chair", 2),
        ("exactly one dog is here", "a number of dogs are here", 1),
        ("a single giant house", "some giant houses", 1),
        ("there is exactly 1 couch", "there are exactly 4 couches", 1),
    ],
)
def test_places_that_differ_are_counted_without_mere_agreement(caption: str, foil: str, places: int) -> None:
    table = pictured([(caption, foil)])
    assert bool(said(minimality, table, spans=places - 1)[0])
    assert not said(minimality, table, spans=places)[0]


def test_the_number_of_changed_words_can_be_bounded_too() -> None:
    table = pictured([("a man on a chair", "a man in front of a chair")])
    assert said(minimality, table) == [""]
    assert said(minimality, table, words=2) == ["differs in more than 2 words"]


def _by_length(texts: Sequence[str]) -> list[float]:
    """A stand-in for a grader: sentences of one word are bad."""
    return [0.9 if " " in text else 0.3 for text in texts]


def test_foils_below_the_threshold_are_ungrammatical_and_each_text_is_asked_for_once() -> None:
    asked = list[str]()

    def grader(texts: Sequence[str]) -> list[float]:
        asked.extend(texts)
        return _by_length(texts)

    table = pictured([("A dog.", "Dog."), ("Dog.", "A dog."), ("Cat.", "Dog.")])
    assert said(grammar, table, grader) == ["the foil scores below 0.8", "", "the foil scores below 0.8"]
    assert sorted(asked) == ["A dog.", "Dog."]
    assert judged(grammar, table, grader).notes["relations"]["mean score"] == pytest.approx(0.5)


def test_a_foil_is_spared_for_what_its_caption_shares_and_a_caption_is_graded_where_that_is_asked_for() -> None:
    table = pictured([("A dog.", "Dog."), ("Dog.", "A dog."), ("Cat.", "Dog.")])
    assert [bool(one) for one in said(grammar, table, _by_length, relative=True)] == [True, False, False]
    assert said(grammar, table, _by_length, both=True)[1] == "the caption scores below 0.8"


def test_labels_of_a_model_of_inference_decide_and_neutral_ones_can_be_kept() -> None:
    labels = {"cat": "contradiction", "pet": "neutral", "animal": "entailment"}

    def infer(premises: Sequence[str], hypotheses: Sequence[str]) -> list[str]:
        assert set(premises) == {"a dog"}
        return [labels[text.split()[-1]] for text in hypotheses]

    table = pictured([("a dog", "a cat"), ("a dog", "a pet"), ("a dog", "an animal"), ("a dog", "a cat")])
    follows, maybe = REASONS["entailment"], REASONS["neutral"]
    assert said(entailment, table, infer) == ["", maybe, follows, ""]
    assert said(entailment, table, infer, keep="contradiction, neutral") == ["", "", follows, ""]
    assert judged(entailment, table, infer).notes["relations"] == {
        "contradiction": 2,
        "neutral": 1,
        "entailment": 1,
    }


def test_a_label_that_there_is_none_of_cannot_be_kept() -> None:
    with pytest.raises(UnknownName, match="'contradict'") as problem:
        said(entailment, pictured([("a dog", "a cat")]), keep="contradict")
    assert "contradiction" in problem.value.hint


def test_without_a_model_rules_speak_and_what_they_do_not_know_is_kept() -> None:
    table = pictured([("a cat on a box", "a cat atop a box"), ("a cat on a box", "a cat under a box"), ("a x", "a y")])
    assert said(entailment, table) == [REASONS["entailment"], "", ""]
    assert judged(entailment, table).notes["relations"] == {"entailment": 1, "contradiction": 1, "unknown": 1}


def _usual(texts: Sequence[str], pictures: Sequence[str]) -> list[float]:
    """A language model to which a text is the more usual the more often it says dog."""
    assert len(texts) == len(pictures)
    return [float(text.count("dog")) for text in texts]


def test_pairs_of_which_one_text_is_far_more_usual_are_implausible() -> None:
    table = pictured([("dog", "cat"), ("cat", "dog"), ("a cat", "cat"), ("cat", "cow")])
    far = said(plausibility, table, _usual)
    assert [one.split(" is ")[0] for one in far] == ["the caption", "the foil", "", ""]
    assert not any(said(plausibility, table, _usual, ratio=3.0))  # a word of difference is a ratio of 2.7
    assert not any(said(plausibility, table, _usual, ratio=0.0))


def test_a_pair_without_a_score_is_neither_plausible_nor_grammatical() -> None:
    """A language model has no score for an empty text, and none for two that it finds impossible."""
    table = pictured([("dog", "dog"), ("dog", "cat"), ("cow", "dog")])
    scores = {"dog": 1.0, "cat": float("nan"), "cow": 1.0}
    found = judged(plausibility, table, lambda texts, pictures: [scores[text] for text in texts])
    assert [code >= 0 for code in found.codes.tolist()] == [False, True, False]
    assert found.notes["relations"] == {"caption more usual": 0.5, "after": 0.5}
    graded = judged(grammar, table, lambda texts: [scores[text] for text in texts])
    assert (graded.codes.tolist().count(-1), graded.notes["relations"]) == (2, {"mean score": 1.0})
    captions = pictured([("cat", "dog"), ("dog", "cow")])
    for both, threshold in ((True, 0.5), (False, 2.0)):
        how = partial(judged, grammar, captions, lambda texts: [scores[text] for text in texts], threshold=threshold)
        graded = how(both=both, relative=not both)
        assert [code >= 0 for code in graded.codes.tolist()] == [True, False]


def test_balance_takes_the_farthest_pairs_until_both_sides_are_the_more_usual_one_as_often() -> None:
    rows = [("dog dog", "cat"), ("dog", "cat"), ("dog", "cow"), ("cat", "dog"), ("cat", "cow")]
    found = judged(plausibility, pictured(rows), _usual, ratio=0.0, balance=True)
    assert found.codes.tolist().count(-1) == 3
    assert found.codes[0] >= 0
    assert found.notes["relations"] == {"caption more usual": 0.7, "after": 0.5}


def test_the_pictures_of_texts_go_to_the_language_model_which_may_have_been_trained_on_others() -> None:
    seen = list[str]()

    def model(texts: Sequence[str], pictures: Sequence[str]) -> list[float]:
        seen.extend(pictures)
        return [0.0] * len(texts)

    said(plausibility, pictured([("dog", "cat"), ("cat", "dog")]), model)
    assert seen == ["toy:0.png", "toy:1.png"] * 2


edges = st.lists(
    st.tuples(*[st.sampled_from(["on", "in", "by", "at"])] * 2).filter(lambda one: one[0] != one[1]), max_size=14
)


@given(edges, st.integers(0, 3))
def test_in_what_distribution_keeps_every_word_is_as_frequent_on_both_sides(
    pairs: list[tuple[str, str]], seed: int
) -> None:
    found = judged(distribution.check, replacing(pairs), seed=seed)
    kept = [pair for pair, code in zip(pairs, found.codes.tolist(), strict=True) if code < 0]
    assert Counter(was for was, _ in kept) == Counter(now for _, now in kept)
    both_ways = sum(min(count, Counter(pairs)[pair[::-1]]) for pair, count in Counter(pairs).items())
    assert len(kept) >= both_ways
    if kept:
        assert found.notes["relations"]["after"] == 0


def test_a_ring_of_words_is_kept_where_it_has_no_pair_the_other_way_round() -> None:
    found = judged(distribution.check, replacing([("on", "in"), ("in", "by"), ("by", "on"), ("by", "at")]))
    assert found.codes.tolist() == [-1, -1, -1, 0]


def test_slack_lets_a_word_stand_more_often_on_one_side() -> None:
    table = replacing([("on", "in")] * 3)
    assert [sum(code < 0 for code in judged(distribution.check, table, slack=n).codes) for n in (0, 1, 2)] == [0, 1, 2]


def test_luck_chooses_among_pairs_that_replace_alike_and_is_the_same_for_one_seed() -> None:
    table = replacing([("on", "in")] * 30 + [("in", "on")] * 10)
    chosen = [judged(distribution.check, table, seed=seed).codes.tolist() for seed in (0, 0, 1)]
    assert chosen[0] == chosen[1] != chosen[2]
    assert [codes.count(-1) for codes in chosen] == [20] * 3


def test_tests_are_balanced_apart() -> None:
    both = [("on", "in", "relations"), ("in", "on", "other")]
    groups = [group((f"a {was} b", f"a {now} b"), str(n), (was, now), test) for n, (was, now, test) in enumerate(both)]
    assert judged(distribution.check, table_of(groups)).codes.tolist() == [0, 0]


def test_words_that_no_tag_names_are_those_that_differ() -> None:
    table = pictured(
        [("a cat on a box", "a cat in a box"), ("a dog in a car", "a dog on a car"), ("it is up", "it is in")]
    )
    assert judged(distribution.check, table).codes.tolist() == [-1, -1, 0]


def test_a_setting_is_read_as_what_its_default_is_and_a_wrong_one_is_a_sentence() -> None:
    assert grammar.setting("threshold", ".7") == 0.7
    assert grammar.setting("both", "yes") is True
    with pytest.raises(CounterpointError, match=r"length.tokens is 'many', not a whole number"):
        length.setting("tokens", "many")
    with pytest.raises(CounterpointError, match=r"grammar.both is 'maybe', not yes or no"):
        grammar.setting("both", "maybe")
    with pytest.raises(UnknownName, match="treshold") as problem:
        grammar.setting("treshold", "1")
    assert "threshold" in problem.value.hint


@pytest.mark.parametrize("check", [duplicates, length, minimality, entailment, distribution.check])
def test_a_table_without_pairs_is_fine(check: Check) -> None:
    alone = table_of([Group(Relation.SAME, (Query(None, "Is it?"),), (None,), test="plain")])
    assert len(judged(check, alone).codes) == 0
    assert np.array_equal(alone["role"].to_numpy(), [0])
