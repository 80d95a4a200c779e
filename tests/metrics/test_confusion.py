"""The confusion table: counts of a loop, classes and the rest, spellings, and answers that were not read."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from counterpoint.metrics.confusion import AnswerTally, confusion_table

WORDS = st.sampled_from(["cat", "dog", "cow", "hen", "owl"])
TALLIES = st.lists(
    st.builds(
        lambda gold, value, count: AnswerTally(gold, value, "exact", gold == value, count),
        WORDS,
        st.none() | WORDS | st.just("tree"),
        st.integers(1, 9),
    )
)


@given(TALLIES, st.integers(1, 5))
def test_every_answer_stands_in_one_cell(tallies: list[AnswerTally], most: int) -> None:
    table = confusion_table(tallies, most)
    totals = Counter[str]()
    for tally in tallies:
        totals[tally.gold] += tally.answers
    if len(totals) < 2:
        assert table is None
        return
    assert table
    assert sum(row.total for row in table.rows) == totals.total()
    assert sum(row.correct for row in table.rows) == sum(tally.answers for tally in tallies if tally.is_correct)
    classes = [row.gold for row in table.rows if row.gold != "others"]
    assert [totals[gold] for gold in classes] == sorted(totals.values(), reverse=True)[:most]
    assert table.columns[: len(classes)] == tuple(classes)
    for row in table.rows:
        assert sum(row.counts) == row.total
        if row.gold == "others":
            continue
        for column, count in zip(table.columns, row.counts, strict=True):
            given_here = [t for t in tallies if t.gold == row.gold and _column(t, classes) == column]
            assert count == sum(t.answers for t in given_here)


def _column(tally: AnswerTally, classes: list[str]) -> str:
    if tally.value is None:
        return "not read"
    return tally.value if tally.value in classes else "others"


def test_a_correct_answer_counts_under_the_right_one_in_whatever_spelling() -> None:
    table = confusion_table(
        [
            AnswerTally("gray", "grey", "vqa", True, 2),
            AnswerTally("gray", "The Red", "vqa", False, 1),
            AnswerTally("red", None, "vqa", False, 1),
        ]
    )
    assert table
    assert table.columns == ("gray", "red", "not read")
    assert [(row.gold, row.counts, row.correct) for row in table.rows] == [
        ("gray", (2, 1, 0), 2),
        ("red", (0, 0, 1), 0),
    ]
