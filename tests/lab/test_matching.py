"""Predictions find their queries, and every record and every query is accounted for."""

from collections.abc import Iterable
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Edit, Picture
from counterpoint.lab.importing import answer_from_prediction
from counterpoint.lab.matching import MatchResult, QueryIndex, add_questions, match_predictions, missing_queries
from counterpoint.sources.results.predictions import AskedQuestion, Prediction, RejectedRecord
from counterpoint.store.groups import groups_table

SEVEN, EIGHT = Picture("coco:val/000007.jpg"), Picture("coco:train/000007.jpg")


def _table(*pairs: tuple[Query, str], suite: str = "plain") -> pa.Table:
    """A suite of plain questions, each with the id that its source gave it, if any."""
    groups = [
        Group(Relation.SAME, (query,), (Gold.of("yes"),), tags=(((("question_id", own),) if own else ()),))
        for query, own in pairs
    ]
    return groups_table((("test", group) for group in groups), suite)


def _found(table: pa.Table, *predictions: Prediction | RejectedRecord, by_text: bool = False) -> MatchResult:
    return match_predictions(predictions, QueryIndex(table, by_text=by_text))


def _why(found: MatchResult) -> list[tuple[str, str]]:
    return [(note.kind, note.why) for note in found.notes]


CAT, DOG = Query(SEVEN, "Is there a cat?"), Query(EIGHT, "Is there a cat?")


def test_an_id_is_ours_in_hex_or_as_a_number_or_that_of_the_source() -> None:
    table = _table((CAT, "0017"), (DOG, "17"))
    for own in (hex_id(CAT.id), hex_id(CAT.id).upper(), str(CAT.id), "0017"):
        assert list(_found(table, Prediction(own, "yes")).predictions) == [(0, 0)]
    assert list(_found(table, Prediction("17", "yes")).predictions) == [(1, 0)]
    assert _why(_found(table, Prediction("00017", "yes"))) == [("unmatched", "no query has the id '00017'")]


def test_an_id_that_several_queries_share_is_told_apart_by_text_and_picture_or_left_out() -> None:
    table = _table((CAT, "5"), (DOG, "5"), (CAT.with_text("Do you see a cat?"), "5"))
    seen = Prediction("5", "yes", text="do you SEE  a cat?")
    assert list(_found(table, seen).predictions) == [(2, 0)]
    assert _why(_found(table, Prediction("5", "yes"))) == [("ambiguous", "3 queries have the id '5'")]


def test_an_id_does_not_count_where_the_text_is_that_of_another_query() -> None:
    dog = Query(EIGHT, "Is there a dog?")
    table = _table((CAT, "0"), (dog, "1"))
    numbered = [Prediction("0", "yes", text="Is there a dog?"), Prediction("1", "no", text="Is there a cat?\nBriefly.")]
    found = _found(table, *numbered)
    assert not found.predictions
    assert all(kind == "unmatched" and "has another text" in why for kind, why in _why(found))
    assert [row for row, _ in _found(table, *numbered, by_text=True).predictions] == [1, 0]


def test_an_id_does_not_count_where_the_picture_is_that_of_another_query() -> None:
    table = _table((CAT, "0"), (Query(Picture("coco:val/000008.jpg"), "Is there a cat?"), "1"))
    found = _found(table, Prediction("0", "yes", "000008.jpg"), Prediction("1", "yes", "images/000007.jpg"))
    assert not found.predictions
    assert all(kind == "unmatched" and "has another picture" in why for kind, why in _why(found))
    for picture in ("000007.jpg", "7", "resized-7.png", ""):
        assert list(_found(table, Prediction("0", "yes", picture)).predictions) == [(0, 0)], picture


def test_an_id_counts_where_the_text_is_a_prompt_or_no_query_has_it() -> None:
    table = _table((CAT, "0"), (Query(EIGHT, "Is there a dog?"), "1"))
    for text in ("Question: is there a cat? Answer:", "Y a-t-il un chat ?", "IS THERE A CAT?", ""):
        assert list(_found(table, Prediction("0", "yes", text=text)).predictions) == [(0, 0)], text


def test_a_picture_is_known_by_its_address_its_path_its_name_or_its_stem() -> None:
    table = _table((CAT, ""), (Query(Picture("coco:val/000008.jpg"), "Is there a cat?"), ""))
    for picture in ("coco:val/000007.jpg", "/data/coco/val/000007.jpg", "000007.jpg", "000007", "C:\\val\\000007.png"):
        assert list(_found(table, Prediction("x", "yes", picture, "is there a cat?")).predictions) == [(0, 0)], picture
    wrong = Prediction("x", "yes", "000009.jpg", "Is there a cat?")
    assert _why(_found(table, wrong)) == [("unmatched", "no query has the id 'x', nor this picture and text")]


def test_of_two_pictures_of_one_name_the_one_with_more_of_its_path_is_meant() -> None:
    table = _table((CAT, ""), (DOG, ""))
    assert list(_found(table, Prediction("", "yes", "images/train/000007.jpg", CAT.text)).predictions) == [(1, 0)]
    either = _found(table, Prediction("", "yes", "000007.jpg", CAT.text))
    assert _why(either) == [("ambiguous", "2 queries have this picture and text; they differ in picture")]


def test_the_first_line_of_a_prompt_may_be_the_question() -> None:
    prompt = "<image>\nIs there a cat?\nAnswer with a single word."
    assert _found(_table((CAT, "")), Prediction("", "yes", "000007.jpg", prompt)).counts["matched"] == 1


@pytest.mark.parametrize(
    "text", ["<image 1> Is there a cat?", "Is there a cat? <image 1>", "<image_1>\nIs there a cat?"]
)
def test_the_mark_of_a_picture_is_no_part_of_the_question_as_in_own_files(text: str) -> None:
    assert _found(_table((CAT, "")), Prediction("", "yes", "000007.jpg", text)).counts["matched"] == 1


def test_queries_that_differ_in_edits_or_choices_are_not_guessed() -> None:
    blurred = replace(CAT, picture=SEVEN.edited(Edit("blur", ("6",))))
    seen = Prediction("", "yes", "000007.jpg", CAT.text)
    both = _found(_table((CAT, ""), (blurred, "")), seen)
    assert _why(both) == [("ambiguous", "2 queries have this picture and text; they differ in edits")]
    only = _found(_table((blurred, "")), seen)
    assert _why(only) == [("unmatched", "the only query with this picture and text shows it edited")]
    table = _table((replace(CAT, choices=("yes", "no")), ""), (replace(CAT, choices=("yes", "maybe")), ""))
    assert _why(_found(table, seen))[0][1].endswith("they differ in choices")
    assert list(_found(table, structs.replace(seen, options=("maybe", "yes"))).predictions) == [(1, 0)]


def test_a_text_alone_counts_only_if_that_was_asked_for_and_one_query_has_it() -> None:
    table = _table((CAT, ""), (DOG, ""), (CAT.with_text("Why?"), ""))
    why = Prediction("", "so", text="why?")
    assert _found(table, why).counts["unmatched"] == 1
    assert list(_found(table, why, by_text=True).predictions) == [(2, 0)]
    assert _found(table, Prediction("", "yes", text=CAT.text), by_text=True).counts["ambiguous"] == 1


def test_of_two_answers_to_one_query_the_last_stands_and_both_are_told() -> None:
    said = [Prediction("17", raw, place=f"line {n}") for n, raw in enumerate(("yes", "yes", "no"), 1)]
    found = _found(_table((CAT, "17")), *said)
    assert found.predictions == {(0, 0): said[2]}
    assert _why(found) == [
        ("repeated", "as in line 1"),
        ("conflict", "'no', where line 1 says 'yes'; the last stands"),
    ]
    assert _found(_table((CAT, "17")), said[0], structs.replace(said[2], trial=1)).counts["matched"] == 2


def test_a_score_is_needed_where_one_is_asked_for_and_words_where_not() -> None:
    caption = replace(CAT, mode=Mode.SCORE)
    found = _found(
        _table((caption, "c"), (DOG, "d")),
        Prediction("c", "yes"),
        Prediction("d", "", score=0.5),
        Prediction("c", "0.75"),
        Prediction("d", "", place="an empty reply is a reply"),
    )
    assert [why for _, why in _why(found)] == [
        "the query asks for a score, and there is no number",
        "the query asks for an answer, and there is only a score",
    ]
    for prediction, score in ((found.predictions[0, 0], 0.75), (Prediction("c", score=-2.0), -2.0)):
        assert answer_from_prediction(prediction, caption.text, (), Mode.SCORE, "auto").score == score


def test_a_letter_means_a_choice_in_the_order_in_which_it_was_shown() -> None:
    shown = {("blue", "red"): "blue", (): "red", ("blue", "green"): "red"}
    for options, value in shown.items():
        prediction = Prediction("", "A", options=options)
        assert answer_from_prediction(prediction, CAT.text, ("red", "blue"), Mode.ANSWER, "auto").value == value


def test_a_query_in_two_suites_is_one_query_and_missing_in_both() -> None:
    tables = [_table((CAT, "1"), (DOG, "2"), suite="a"), _table((DOG, "2"), suite="b")]
    table = pa.concat_tables(tables)
    queries = QueryIndex(table)
    found = match_predictions([Prediction("1", "yes")], queries)
    assert len(queries) == 2
    assert missing_queries(table, queries, found) == {"a": (hex_id(DOG.id),), "b": (hex_id(DOG.id),)}
    assert missing_queries(table, queries, match_predictions([], queries))["a"] == (hex_id(CAT.id), hex_id(DOG.id))


MANY = _table(*((CAT.with_text(f"Is there cat {n}?"), f"q{n}") for n in range(12)))


@st.composite
def _records(draw: st.DrawFn) -> list[Prediction | RejectedRecord]:
    """Records in any order: of queries that are there, of others, twice, with other answers, and no predictions."""
    known = st.builds(Prediction, st.sampled_from([f"q{n}" for n in range(15)]), st.sampled_from(["yes", "no"]))
    odd = st.builds(RejectedRecord, st.just("somewhere"), st.just("a summary"))
    return draw(st.lists(st.one_of(known, odd), max_size=40))


@given(_records())
def test_every_record_and_every_query_is_counted_once(records: list[Prediction | RejectedRecord]) -> None:
    queries = QueryIndex(MANY)
    found = match_predictions(records, queries)
    assert found.records == len(records)
    assert found.counts["matched"] == len(found.predictions) == found.answered
    assert found.answered + len(missing_queries(MANY, queries, found)["plain"]) == 12
    assert len(found.notes) == len(records) - found.counts["matched"]
    assert {f"q{row}": one.raw for (row, _), one in found.predictions.items()} == _naive(records)


_QUERIES = (CAT, DOG, CAT.with_text("Ist  das\u2019s  rot?"), replace(CAT, picture=SEVEN.edited(Edit("blur", ("6",)))))
_IDS = ("", "1", "01", "2", "x", *(hex_id(query.id) for query in _QUERIES), *(str(query.id) for query in _QUERIES))
_PICTURES = ("", "7", "000007.jpg", "train/000007.jpg", "9.jpg", "coco:val/000007.jpg")
_CAT_PROMPTS = ("<image>\nIs there a cat?\nIn a word.", "<image 1> Is there a cat?")
_TEXTS = ("", "is there a cat?", "Is there a cat?", *_CAT_PROMPTS, "ist das's rot?", "Why?")


@given(
    st.lists(st.tuples(st.sampled_from(_QUERIES), st.sampled_from(_IDS[:5])), min_size=1, max_size=5),
    st.lists(
        st.builds(
            Prediction, st.sampled_from(_IDS), st.just("yes"), st.sampled_from(_PICTURES), st.sampled_from(_TEXTS)
        ),
        max_size=8,
    ),
    st.booleans(),
)
def test_predictions_are_found_by_columns_as_they_are_one_by_one(
    pairs: list[tuple[Query, str]], predictions: list[Prediction], by_text: bool
) -> None:
    table = _table(*pairs)
    one_by_one = QueryIndex(table, by_text=by_text)
    assert QueryIndex(table, by_text=by_text).find_all(predictions) == list(map(one_by_one.find, predictions))


def _naive(records: Iterable[Prediction | RejectedRecord]) -> dict[str, str]:
    known = {f"q{n}" for n in range(12)}
    return {record.id: record.raw for record in records if isinstance(record, Prediction) and record.id in known}


def test_picture_and_text_tell_ids_of_another_file_apart() -> None:
    other = Query(Picture("coco:val/COCO_val2014_000000000042.jpg"), "Is there a dog?")
    table = _table((CAT, "1"), (other, "2"))
    renumbered = Prediction("1", "yes", "42", "Is there a dog?\nAnswer yes or no.")
    assert list(_found(table, renumbered).predictions) == [(1, 0)]
    unknown = Prediction("1", "yes", "9.jpg", "Is there a bird?")
    assert _why(_found(table, unknown)) == [
        ("unmatched", "the query with the id '1' has another picture and text"),
    ]
    prompted = Prediction("1", "yes", "9.jpg", "Question: Is there a cat? Short answer:")
    assert list(_found(table, prompted).predictions) == [(0, 0)], "the same words, and a copy of the picture"


def test_the_order_of_choices_tells_queries_of_one_id_apart() -> None:
    orders = [("red", "blue"), ("blue", "red")]
    table = _table(*((Query(SEVEN, "Which?", choices=order), "5") for order in orders))
    for row, order in enumerate(orders):
        assert list(_found(table, Prediction("5", "A", "000007", "Which?", options=order)).predictions) == [(row, 0)]


def test_questions_of_one_id_are_told_apart_by_their_text() -> None:
    asked = {"a": [AskedQuestion("1.jpg", "Is it?"), AskedQuestion("1.jpg", "Who is it?\nOne word.")]}
    records = [Prediction("a", "me", text="Who is it?"), Prediction("a", "me"), Prediction("b", "me")]
    first, *rest = add_questions([*records, RejectedRecord("x", "no answer")], asked)
    assert isinstance(first, Prediction)
    assert (first.picture, first.text) == ("1.jpg", "Who is it?\nOne word.")
    assert rest == [*records[1:], RejectedRecord("x", "no answer")]


def test_the_question_as_it_stands_is_meant_where_other_suites_change_its_picture_or_its_spacing() -> None:
    blurred = replace(CAT, picture=SEVEN.edited(Edit("blur", ("6",))))
    noise = _table((CAT, ""), (blurred, ""), (CAT.with_text("is  there a CAT?"), ""), suite="noise")
    seen = Prediction("", "yes", "000007.jpg", CAT.text)
    assert _found(noise, seen).counts["ambiguous"] == 1
    assert list(_found(pa.concat_tables([noise, _table((CAT, ""))]), seen).predictions) == [(0, 0)]
    two = [noise, _table((CAT, "")), _table((CAT.with_text("IS there a cat?"), ""), suite="other")]
    assert _found(pa.concat_tables(two), seen).counts["ambiguous"] == 1
