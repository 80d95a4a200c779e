"""What is marked is what was changed, and nothing of a text is lost."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from counterpoint.language.word_diff import TextPiece, mark_changes


def _shown(pieces: Sequence[TextPiece]) -> str:
    return "".join(f"[{piece.text}]" if piece.changed else piece.text for piece in pieces)


@given(st.text(), st.lists(st.text(), max_size=3))
def test_the_pieces_of_a_text_are_the_text(base: str, variants: list[str]) -> None:
    assert ["".join(piece.text for piece in pieces) for pieces in mark_changes(base, variants)] == [base, *variants]


@given(st.text())
def test_equal_texts_have_nothing_marked(text: str) -> None:
    assert not any(piece.changed for pieces in mark_changes(text, [text]) for piece in pieces)


@given(
    st.lists(st.sampled_from(["a", "b", "cat", "dog", "?"])), st.lists(st.sampled_from(["a", "b", "cat", "dog", "?"]))
)
def test_what_is_not_marked_is_the_same_in_both(one: list[str], other: list[str]) -> None:
    base, variant = mark_changes(" ".join(one), [" ".join(other)])
    plain = [" ".join(piece.text for piece in pieces if not piece.changed).split() for pieces in (base, variant)]
    assert plain[0] == plain[1]


def test_a_negation_shows_both_places_where_it_differs() -> None:
    base, variant = mark_changes(
        "Is there both a brown dog and a lamp in the picture?",
        ["Is there either no brown dog or no lamp in the picture?"],
    )
    assert _shown(base) == "Is there [both a] brown dog [and a] lamp in the picture?"
    assert _shown(variant) == "Is there [either no] brown dog [or no] lamp in the picture?"


def test_neighbouring_changes_are_one_piece_and_case_is_no_change() -> None:
    base, variant = mark_changes("Is the door open?", ["is the big red gate open?"])
    assert _shown(base) == "Is the [door] open?"
    assert _shown(variant) == "is the [big red gate] open?"


def test_the_base_shows_what_any_variant_changed() -> None:
    base, *variants = mark_changes("Is the red cat asleep?", ["Is the blue cat asleep?", "Is the red dog asleep?"])
    assert _shown(base) == "Is the [red cat] asleep?"
    assert [_shown(variant) for variant in variants] == ["Is the [blue] cat asleep?", "Is the red [dog] asleep?"]


def test_a_text_without_variants_has_nothing_marked() -> None:
    assert mark_changes("Is it day?", []) == ((TextPiece("Is it day?"),),)
