"""What `counted` says of long work where nobody watches a bar."""

import pytest

from counterpoint.cli import progress
from counterpoint.cli.progress import counted


@pytest.mark.parametrize(
    ("items", "total", "first", "last"),
    [
        (range(3), None, "reading: 1 of 3, ", "reading: 3 of 3, "),
        (iter(range(3)), None, "reading: 1, ", "reading: 3, "),
        (iter(range(5)), 3, "reading: 1 of 3, ", "reading: 5, "),
    ],
)
def test_a_total_is_told_until_more_came_than_it_said(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    items: range,
    total: int | None,
    first: str,
    last: str,
) -> None:
    monkeypatch.setattr(progress, "EVERY", 0)
    assert list(counted(items, "reading", total=total)) == list(range(3 if total is None else 5))
    lines = capsys.readouterr().err.splitlines()
    assert (lines[0][: len(first)], lines[-1][: len(last)]) == (first, last)
    assert [line.endswith("s left") for line in lines] == [" of " in line for line in lines]
    assert "-" not in lines[-1]
