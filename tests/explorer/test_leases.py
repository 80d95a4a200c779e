"""The journal of what people were given: read after a restart, without what has ended, and never in the way."""

from pathlib import Path

from counterpoint.core.votes import voted_item
from counterpoint.explorer.pages.review.leases import LeaseJournal
from counterpoint.review.assignment import LEASE_SECONDS

FIRST, SECOND = voted_item("judge", "foils", 1, None), voted_item("answer", "order", 2, 3)


def test_leases_are_there_after_a_restart_once_until_they_end(tmp_path: Path) -> None:
    path, now = tmp_path / "cache" / "leases.jsonl", [100.0]
    journal = LeaseJournal(path, lambda: now[0])
    journal.add("ann", [FIRST])
    now[0] = 200.0
    journal.add("ann", [FIRST, SECOND])
    with path.open("a") as file:
        file.write('[200.0, "bob", "judge", "fo')  # cut by a kill
    restarted = LeaseJournal(path, lambda: now[0])
    assert list(restarted.read()) == [("ann", FIRST), ("ann", SECOND)]
    now[0] = 150.0 + LEASE_SECONDS
    assert list(restarted.read()) == [("ann", SECOND)]
    restarted.rewrite([])
    assert list(restarted.read()) == []


def test_a_folder_that_cannot_be_written_costs_no_vote(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    journal = LeaseJournal(tmp_path / "file" / "leases.jsonl")
    journal.add("ann", [FIRST])
    assert list(journal.read()) == []
