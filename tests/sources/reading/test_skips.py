"""What was left out is counted by reason, and the first places are listed."""

from counterpoint.core.errors import SourceError
from counterpoint.sources.reading.skips import LISTED, Skips


def test_reasons_are_counted_and_the_commonest_comes_first() -> None:
    skips = Skips()
    skips.skip("b", "here")
    for number in range(4000):
        skips.skip("a", f"row {number}")
    assert skips.total == 4001
    assert skips.lines() == ["4,000 skipped: a (row 0; row 1; row 2; …)", "1 skipped: b (here)"]
    assert len(skips.places["a"]) == LISTED


def test_a_record_that_cannot_be_read_is_a_skip_that_says_what_is_wrong() -> None:
    skips = Skips()
    skips.problem(SourceError("a.json, image 7 has no width", hint="width should be a number"))
    assert skips.lines() == [
        "1 skipped: not as the layout has it (a.json, image 7 has no width: width should be a number): "
        "the rest is read; if they are many, is it another release?"
    ]
