"""Ranking accuracy over text alone: the best text-only model of each test, on the same pairs, paired by picture."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import counterpoint as cp
from counterpoint.core.groups import Answer, Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.ranking import acc_r, acc_r_over_text, relate_by_text
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.store.groups import groups_table
from counterpoint.store.versions import RunRecord

PICTURES = 60
TESTS = ("first", "second")


def _groups() -> pa.Table:
    groups = [
        (
            test,
            Group(
                Relation.RANKS,
                tuple(Query(Picture(f"toy:{n}.png"), f"{side} {n} of {test}", Mode.SCORE) for side in ("a", "no")),
                (None, None),
            ),
        )
        for test in TESTS
        for n in range(PICTURES)
    ]
    table = groups_table(groups, "toy")
    return table.append_column("rules", pa.array(["exact"] * table.num_rows))


def _outcomes(groups: pa.Table, shares: dict[str, float], seed: int) -> Outcomes:
    """A model that ranks this share of the pairs of each test correctly, at random."""
    rng = np.random.default_rng(seed)
    right = {test: rng.permutation(PICTURES) < share * PICTURES for test, share in shares.items()}
    rows = groups.select(["query", "test", "role"]).to_pylist()
    seen = dict.fromkeys(TESTS, -1)
    scores = []
    for row in rows:
        seen[row["test"]] += row["role"] == 0
        scores.append(float(right[row["test"]][seen[row["test"]]]) if row["role"] == 0 else 0.5)
    answers = pa.table(
        {
            "query": groups["query"],
            "trial": pa.array([0] * len(rows), pa.int32()),
            "raw": [""] * len(rows),
            "value": [""] * len(rows),
            "state": ["ok"] * len(rows),
            "score": scores,
        }
    )
    return judge(groups, answers)


def test_the_gain_is_the_difference_to_the_best_text_only_model_of_each_test_or_to_a_coin() -> None:
    groups = _groups()
    model = _outcomes(groups, {"first": 0.9, "second": 0.9}, 1)
    weak, strong = (
        _outcomes(groups, {"first": 0.4, "second": 0.2}, 2),
        _outcomes(groups, {"first": 0.7, "second": 0.3}, 3),
    )
    related = relate_by_text([weak, strong])
    request = ScoreRequest(("test",), metrics=(acc_r, acc_r_over_text))
    rows = score_outcomes(replace(model, text_related=related), request).to_pylist()
    gain = {row["test"]: row for row in rows if row["metric"] == acc_r_over_text.name}
    assert gain["first"]["value"] == pytest.approx(0.9 - 0.7)
    assert gain["second"]["value"] == pytest.approx(0.9 - 0.5)
    assert [gain[test]["n"] for test in TESTS] == [PICTURES, PICTURES]
    pairs, text = model.pairs(), related[model.pairs().row]
    own = pairs.labels("test").at(pairs.row).where(["first"])
    difference = pairs.related[own] - text[own]
    half = 2.001 * difference.std(ddof=1) / np.sqrt(PICTURES)  # t with 59 degrees of freedom
    assert gain["first"]["high"] - gain["first"]["value"] == pytest.approx(half, rel=0.05)


def test_without_text_only_scores_the_metric_says_what_is_missing() -> None:
    groups = _groups()
    outcomes = _outcomes(groups, {"first": 0.9, "second": 0.9}, 1)
    (row,) = score_outcomes(outcomes, ScoreRequest((), metrics=(acc_r_over_text,))).to_pylist()
    assert row["n"] == 0
    assert row["value"] is None
    assert "counterpoint study blind" in (row["reason"] or acc_r_over_text.not_applicable)


def test_the_blind_study_shows_the_other_models_of_a_lab_over_text_alone(tmp_path: Path) -> None:
    lab = cp.Lab(tmp_path / "lab")
    texts = ["a dog runs", "no dog runs"]
    groups = [
        Group(
            Relation.RANKS, tuple(Query(Picture(f"toy:{n}.png"), f"{t} {n}", Mode.SCORE) for t in texts), (None, None)
        )
        for n in range(30)
    ]
    lab.add_groups(groups, "toy")
    assert "gains" not in lab.study("blind", models=["ngram"]).to_dict()
    store, info = lab.store, next(iter(lab.models))
    queries = lab.groups("toy").to_arrow()
    with store.answers("other", run="r1") as log:
        log.add(
            (query, 0, Answer(raw="", value="", rule="exact", score=0.9 if text.startswith("a ") else 0.1), "", 0.01)
            for query, text in zip(queries["query"].to_pylist(), queries["text"].to_pylist(), strict=True)
        )
    store.put_run(RunRecord("r1", "other", "other", {"scale": "probability"}))
    (gain,) = lab.study("blind", models=["ngram"]).to_dict()["gains"]
    ranked = {
        score.model: score for score in lab.scores(metrics=["acc_r", "acc_r_over_text"]) if score.metric == "acc_r"
    }
    assert info.name == "ngram"
    assert (gain["model"], gain["acc_r"], gain["n"]) == ("other", 1.0, 30)
    assert gain["value"] == pytest.approx(1 - max(ranked["ngram"].value or 0.0, 0.5))
