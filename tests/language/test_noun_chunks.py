"""Noun phrases and prepositions of captions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.language.noun_chunks import Determiner, find_noun_chunks, find_prepositions, tag_text


def said_in(text: str) -> list[str]:
    words = tag_text(text)
    return [" ".join(word.text for word in words[chunk.start : chunk.end]) for chunk in find_noun_chunks(words)]


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("A black and brown dog wearing a chain.", ["a black and brown dog", "a chain"]),
        ("A clock tower at the end of a pool.", ["a clock tower", "a pool"]),
        ("A cat is sitting in front of a laptop.", ["a cat", "a laptop"]),
        ("Several different vegetables on a pallet.", ["several different vegetables", "a pallet"]),
        ("A dome shaped building in the city.", ["a dome shaped building", "the city"]),
        ("A woman's dog and her hat.", ["a woman 's dog", "her hat"]),
        ("A large group of people on skis.", ["a large group of people", "skis"]),
        ("They look at it.", []),
        ("", []),
    ],
)
def test_noun_phrases_are_found_and_pronouns_are_none(text: str, phrases: list[str]) -> None:
    assert said_in(text) == phrases


@pytest.mark.parametrize(
    ("text", "lead", "many"),
    [
        ("A dog", Determiner.ARTICLE, False),
        ("The dogs", Determiner.DEFINITE, True),
        ("Two dogs", Determiner.COUNT, True),
        ("A few dogs", Determiner.COUNT, True),
        ("One dog", Determiner.COUNT, False),
        ("A herd of cows", Determiner.GROUP, True),
        ("Lots of cows", Determiner.GROUP, True),
        ("Her dogs", Determiner.OWNER, True),
        ("Another dog", Determiner.OTHER, False),
        ("Dogs on a lawn", Determiner.BARE, True),
        ("A sheep", Determiner.ARTICLE, False),
        ("The sheep", Determiner.DEFINITE, None),
        ("A dogs", Determiner.ARTICLE, None),
    ],
)
def test_a_phrase_tells_how_many_where_nothing_in_it_disagrees(text: str, lead: Determiner, many: bool | None) -> None:
    first = find_noun_chunks(tag_text(text))[0]
    assert (first.determiner, first.many) == (lead, many)


@given(st.text(max_size=40))
def test_whatever_the_text_phrases_lie_apart_and_within_it(text: str) -> None:
    words = tag_text(text)
    assert [text[word.start : word.end].lower().replace("’", "'") for word in words] == [word.text for word in words]
    ends = [0]
    for one in find_noun_chunks(words):
        assert ends[-1] <= one.start <= one.first <= one.head < len(words)
        ends.append(one.end)
    assert all(start < end <= len(words) for start, end in find_prepositions(words).items())
