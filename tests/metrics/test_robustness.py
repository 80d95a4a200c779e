"""Robustness to edits: the mean of kinds, whatever their number, with the interval of its resamples."""

import numpy as np
import pytest
from answer_tables import Made, Member, Said, tables

from counterpoint.metrics.robustness import mean_robustness, robustness
from counterpoint.metrics.scoring import score_table

KINDS = ("gaussian", "poisson", "salt-and-pepper", "speckle")


def _group(stays: dict[str, list[bool]], picture: int, relation: str = "same") -> Made:
    variants = (
        Member(None, Said(value="red" if one else "blue"), {"edit": kind}) for kind, own in stays.items() for one in own
    )
    return Made((Member(None, Said(value="red")), *variants), relation, picture=f"world:{picture}.png")


def _scored(groups: list[Made]) -> dict[str, dict[str, float]]:
    table, answers, _ = tables(groups)
    rows = score_table(table, answers, (), metrics=[mean_robustness, robustness]).to_pylist()
    return {row["metric"]: row for row in rows}


def test_each_kind_counts_as_much_as_every_other_however_often_it_was_tried() -> None:
    groups = [_group({"gaussian": [True] * 9, "poisson": [False]}, n) for n in range(3)]
    scored = _scored(groups)
    assert scored["mean_robustness"]["value"] == 0.5
    assert scored["robustness"]["value"] == 0.9
    assert scored["mean_robustness"]["n"] == 30


def test_with_as_many_trials_of_each_kind_it_is_the_share_of_all_as_the_authors_count() -> None:
    rng = np.random.default_rng(0)
    groups = [_group({kind: (rng.random(3) < 0.8).tolist() for kind in KINDS}, n) for n in range(60)]
    scored = _scored(groups)
    assert scored["mean_robustness"]["value"] == pytest.approx(scored["robustness"]["value"])
    assert scored["mean_robustness"]["low"] == pytest.approx(scored["robustness"]["low"], abs=0.02)
    assert scored["mean_robustness"]["high"] == pytest.approx(scored["robustness"]["high"], abs=0.02)


def test_pairs_without_an_edit_or_that_need_not_agree_do_not_count() -> None:
    plain = Made((Member(None, Said(value="red")), Member(None, Said(value="blue"))), "same", picture="world:1.png")
    swap = _group({"gaussian": [False]}, 2, "swap")
    assert _scored([plain, swap])["mean_robustness"]["value"] is None
    whole = _scored([plain, swap, _group({"gaussian": [True]}, 3)])
    assert whole["mean_robustness"]["value"] == 1.0
    assert whole["mean_robustness"]["n"] == 1
