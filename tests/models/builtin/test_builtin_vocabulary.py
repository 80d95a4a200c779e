from hypothesis import given
from hypothesis import strategies as st

from counterpoint.models.builtin.onnx_graphs import BUCKETS, LENGTH, Vocabulary, split_words

WORDS = Vocabulary(["a", "cat", "dog", "is", "there"])


@given(st.text(), st.text())
def test_every_text_has_between_one_and_all_places_and_never_padding(text: str, context: str) -> None:
    numbers = WORDS.numbers(text, context)
    assert 1 <= len(numbers) <= LENGTH
    assert all(0 < number < len(WORDS) for number in numbers)


@given(st.text())
def test_letter_case_and_punctuation_change_nothing(text: str) -> None:
    assert WORDS.numbers(" ".join(split_words(text))) == WORDS.numbers(text)
    assert WORDS.numbers("Is there a CAT?") == WORDS.numbers("is there a cat")


def test_an_unknown_word_takes_a_bucket_that_follows_from_its_letters() -> None:
    assert [WORDS.number(word) for word in ("zebra", "giraffe", "unicorn")] == [8, 6, 8]
    assert all(1 <= WORDS.number(word) <= BUCKETS for word in ("zebra", "giraffe", "unicorn"))


def test_known_words_have_numbers_of_their_own() -> None:
    assert [WORDS.number(word) for word in WORDS.known] == [BUCKETS + 1 + place for place in range(5)]


def test_what_was_said_before_fills_the_room_that_a_text_leaves() -> None:
    said = " ".join(["dog"] * 40)
    numbers = WORDS.numbers("is there a cat", said)
    assert len(numbers) == LENGTH
    assert numbers[-4:] == WORDS.numbers("is there a cat")
    assert WORDS.numbers("cat " * 40, "dog") == WORDS.numbers("cat " * 40)
