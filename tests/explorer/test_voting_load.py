"""Many people vote at once over the real server, and it is killed while they do."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from proving import prove

from benchmarks.voting_load import faults, make_voting_lab, run_crowd

PER_ITEM = 3


@pytest.mark.parametrize(("voters", "groups", "kills"), [(4, 12, 1), prove(4, 250, 50), prove(200, 400, 0)])
def test_every_acknowledged_vote_is_there_once_and_nobody_is_given_an_item_twice(
    tmp_path: Path, voters: int, groups: int, kills: int
) -> None:
    lab = make_voting_lab(tmp_path / "lab", groups)
    lab.review("judge", per_item=PER_ITEM)
    with ThreadPoolExecutor(1) as thread:  # this one may have a loop already, that of a browser
        crowd = thread.submit(run_crowd, lab, tmp_path / "cache", voters, kills).result()
    assert crowd.kills == kills
    assert len(crowd.acknowledged) == PER_ITEM * groups
    assert faults(lab, crowd, PER_ITEM) == []
    assert lab.verify().holds
