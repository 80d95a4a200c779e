"""Noise in words: readable, seeded, mild to strong, and never on what the answer turns."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from counterpoint.core.ids import seeded_rng
from counterpoint.language.lexicon.vocabulary import everyday_words, is_word, possible_readings
from counterpoint.language.noise.kinds import (
    NO_LETTERS,
    NOISE_KINDS,
    NOT_ENGLISH,
    SEVERITIES,
    TYPOS,
    apply_noise,
    misspell,
    rejection_reason,
)
from counterpoint.language.noise.protected_words import ProtectedQuestion

BY_NAME = {kind.name: kind for kind in NOISE_KINDS}
QUESTIONS = (
    "What color is the umbrella of the woman in the picture?",
    "Are there two dogs on the left side of the couch?",
    "Is the person wearing a red or a yellow helmet?",
    "how many elephants are standing near the water",
    'Does the sign say "Slippery when wet"?',
    "Is there no bicycle behind the IBM building?",
)


def _made(text: str, kind: str, seed: int = 0, most: int = len(SEVERITIES)) -> list[str]:
    return [new for _, new in apply_noise(ProtectedQuestion.of(text), BY_NAME[kind], seeded_rng(seed, text), most)]


def _slips_apart(one: str, other: str) -> int:
    """Letters more, less or other, or two neighbours in each other's place: a plain table."""
    rows = [list(range(len(other) + 1))]
    for i, mine in enumerate(one, 1):
        row = [i]
        for j, its in enumerate(other, 1):
            best = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (mine != its))
            if i > 1 and j > 1 and mine == other[j - 2] and one[i - 2] == its:
                best = min(best, rows[i - 2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def _one_slip_from(text: str) -> set[str]:
    """The everyday words that begin alike and are one slip away, or none."""
    near = (word for word in everyday_words() if word[0] == text[0] and abs(len(word) - len(text)) < 2)
    return {word for word in near if _slips_apart(text, word) <= 1}


@given(st.sampled_from(sorted(everyday_words())), st.sampled_from(sorted(TYPOS)))
def test_a_misspelling_is_one_slip_from_its_word_and_from_no_other(word: str, slip: str) -> None:
    for made in misspell(word, slip)[:1]:
        assert not is_word(made)
        assert made[0] == word[0]
        assert _one_slip_from(made) == {word}


@given(st.text("abcdehorst", min_size=2, max_size=6))
def test_what_a_misspelling_may_be_taken_for_is_what_a_plain_search_finds(text: str) -> None:
    assert possible_readings(text) == _one_slip_from(text)


@pytest.mark.parametrize("kind", sorted(TYPOS))
@pytest.mark.parametrize("text", QUESTIONS)
def test_severity_is_the_number_of_misspelt_words_and_each_goes_on_from_the_last(kind: str, text: str) -> None:
    made = _made(text, kind)
    assert made or kind == "dropped"
    words = text.split()
    changed = [{place for place, word in enumerate(new.split()) if word != words[place]} for new in made]
    assert [len(places) for places in changed] == list(range(1, len(made) + 1))
    assert all(few < more for few, more in pairwise(changed))


@pytest.mark.parametrize("kind", sorted(TYPOS))
def test_what_the_answer_turns_on_is_never_misspelt(kind: str) -> None:
    kept = ("left", "two", "red", "yellow", '"Slippery', 'wet"?', "no", "behind", "IBM", "many", "near")
    for text in QUESTIONS:
        for seed in range(30):
            for new in _made(text, kind, seed):
                assert Counter(word for word in text.split() if word in kept) == Counter(
                    word for word in new.split() if word in kept
                )


def test_answers_that_are_offered_beside_a_question_are_not_touched_in_it() -> None:
    loose = ProtectedQuestion.of("Is the animal under the couch a giraffe?", ("a giraffe", "couch"))
    for seed in range(20):
        for kind in NOISE_KINDS[:6]:
            assert all("giraffe" in new and "couch" in new for _, new in apply_noise(loose, kind, Random(seed), 3))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("What color is the car in the picture?", ["In the picture, what color is the car?"]),
        ("are there any cups on the table?", ["on the table, are there any cups?"]),
        ("Is it red or blue?", ["Is it blue or red?"]),
        ("Are there both a cat and a dog?", ["Are there both a dog and a cat?"]),
        ("Do the cup and the plate have the same color?", ["Do the plate and the cup have the same color?"]),
        ("Is there a large wooden table?", ["Is there a wooden large table?"]),
        ("Is the dog in the picture?", []),
        ("What is in the picture?", []),
        ("Is it light blue or red?", []),
        ("Are there a man and a woman wearing hats?", []),
        ("Are the man and the woman on the left tall?", []),
        ("Is the dog on the table and the cat?", []),
        ("Is it red, blue or green?", []),
    ],
)
def test_words_change_their_order_only_where_the_sense_stays(text: str, made: list[str]) -> None:
    assert _made(text, "order") == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Is there an airplane?", ["Is there a plane?"]),
        ("Where are the couches?", ["Where are the sofas?"]),
        ("What is next to the man?", ["What is beside the man?"]),
        ("Is the lady beside the woman old?", ["Is the lady next to the woman old?"]),
        ("Is this a baby elephant?", []),
        ("Is it a couch or a chair?", []),
        ("Is the plane wing broken?", []),
        ("Does he ride?", []),
    ],
)
def test_a_word_is_renamed_only_where_its_sense_is_clear(text: str, made: list[str]) -> None:
    assert _made(text, "synonym") == made


def test_manners_grow_with_severity() -> None:
    text = "Is the dog on the couch?"
    assert _made(text, "polite") == [
        "Is the dog on the couch, please?",
        "Please tell me: is the dog on the couch?",
        "Hello! Please tell me: is the dog on the couch? Thank you very much.",
    ]
    assert _made(text, "casing") == ["is the dog on the couch?", "Is The Dog On The Couch?", "IS THE DOG ON THE COUCH?"]
    assert _made(text, "punctuation") == [
        "Is the dog on the couch",
        "Is the dog on the couch???",
        "Is the dog on the couch ?!?",
    ]
    assert len(_made(text, "filler")) == 3
    assert _made("who is it", "casing")[0] == "Who is it"
    assert _made("who is it", "punctuation")[0] == "who is it?"


def test_what_is_polite_already_or_has_a_name_or_another_end_is_left_alone() -> None:
    assert not _made("Could you please say who it is?", "polite")
    assert not _made("Look at the dog. Is it brown?", "filler")
    assert not _made("Is this in the US?", "casing")
    assert not _made("Tell me who it is.", "punctuation")
    assert _made("Paris is where?", "polite")[1] == "Please tell me: Paris is where?"


def test_what_is_not_english_or_has_no_letters_is_not_noisy() -> None:
    assert rejection_reason(ProtectedQuestion.of("3 + 4 = ?")) == NO_LETTERS
    assert rejection_reason(ProtectedQuestion.of("")) == NO_LETTERS
    for text in (
        "¿De qué color es el coche?",
        "Wie viele Hunde sind auf dem Bild?",
        "这是什么?",
        "Quelle heure est-il?",
    ):
        assert rejection_reason(ProtectedQuestion.of(text)) == NOT_ENGLISH
    assert not any(rejection_reason(ProtectedQuestion.of(text)) for text in QUESTIONS)


@given(texts | st.sampled_from(QUESTIONS), st.integers(0, 9))
def test_any_text_is_taken_and_one_seed_makes_one_noise(text: str, seed: int) -> None:
    for kind in NOISE_KINDS:
        made = _made(text, kind.name, seed)
        assert made == _made(text, kind.name, seed)
        assert text not in made
