"""Captions against foils: each measure as a loop has it, ties reported, probabilities where there are any."""

from collections.abc import Sequence

import pytest
from answer_tables import Made, Member, Said, tables
from hypothesis import given
from hypothesis import strategies as st
from proving import examples

from counterpoint.core.ports import Scale
from counterpoint.metrics.accuracy import ACCURACY_METRICS
from counterpoint.metrics.ranking import RANKING, SCALE_UNKNOWN, SCORES_ARE_SIMILARITIES
from counterpoint.metrics.scoring import score_table

SCORES = st.sampled_from([None, "refused", "unparsed", 0.0, 0.2, 0.5, 0.5, 0.7, 1.0])
Score = float | str | None


def _said(score: Score) -> Said | None:
    if score is None:
        return None
    return Said(state=score, value="") if isinstance(score, str) else Said(score=score, value="")


def _scores(
    pairs: Sequence[tuple[Score, Score]], scale: str = "probability", **request: object
) -> dict[str, dict[str, object]]:
    groups = [
        Made(
            (Member(None, _said(caption)), Member(None, _said(foil))),
            "ranks",
            "plurals",
            f"coco:{number // 2}.jpg",
            mode="score",
        )
        for number, (caption, foil) in enumerate(pairs)
    ]
    table, answers, _ = tables(groups)
    answers = answers.replace_schema_metadata({"scale": scale})
    return {row["metric"]: row for row in score_table(table, answers, **request).to_pylist()}  # type: ignore[arg-type]


def _values(pairs: Sequence[tuple[Score, Score]], **request: object) -> dict[str, object]:
    return {name: row["value"] for name, row in _scores(pairs, **request).items()}  # type: ignore[arg-type]


def _loop(pairs: Sequence[tuple[Score, Score]], threshold: float) -> dict[str, float]:
    """The measures as the paper words them; what has no score is wrong on its side."""
    said = [pair for pair in pairs if None not in pair]
    n = len(said)

    def beats(caption: Score, foil: Score) -> float:
        if isinstance(caption, str) or isinstance(foil, str):
            return 0.0
        assert caption is not None
        assert foil is not None
        return 0.5 if caption == foil else float(caption > foil)

    captions = sum(isinstance(one, float) and one > threshold for one, _ in said) / n
    foils = sum(isinstance(one, float) and one <= threshold for _, one in said) / n
    return {
        "acc_r": sum(beats(*pair) == 1 for pair in said) / n,
        "ties": sum(one == other for one, other in said if isinstance(one, float)) / n,
        "acc": (captions + foils) / 2,
        "p_c": captions,
        "p_f": foils,
        "min_p": min(captions, foils),
        "auroc": sum(beats(one, other) for one, _ in said for _, other in said) / n**2,
    }


@examples(60)
@given(st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=12), st.sampled_from([0.3, 0.5, 0.7]))
def test_every_metric_is_that_of_a_loop(pairs: list[tuple[Score, Score]], threshold: float) -> None:
    found = _scores(pairs, threshold=threshold)
    asked = [pair for pair in pairs if None not in pair]
    for name, value in (_loop(pairs, threshold) if asked else {}).items():
        row = found[name]
        assert row["value"] == pytest.approx(value), name
        assert row["n"] == len(asked)
        assert row["reason"] == ""
        assert 0 <= row["low"] <= row["value"] <= row["high"] <= 1  # type: ignore[operator]
    if not asked:
        assert all(found[metric.name]["value"] is None for metric in RANKING)


@examples(30)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=30))
def test_the_area_is_that_of_a_trusted_library(pairs: list[tuple[float, float]]) -> None:
    library = pytest.importorskip("scipy.stats")
    captions, foils = zip(*pairs, strict=True)
    trusted = library.mannwhitneyu(captions, foils, method="asymptotic").statistic / len(pairs) ** 2
    assert _values(pairs)["auroc"] == pytest.approx(trusted)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12))
@examples(30)
def test_accuracy_is_the_mean_of_both_sides_and_a_tie_is_no_hit(pairs: list[tuple[float, float]]) -> None:
    found = _values(pairs)
    assert found["acc"] == pytest.approx((found["p_c"] + found["p_f"]) / 2)  # type: ignore[operator]
    assert found["min_p"] <= found["acc"]  # type: ignore[operator]
    assert found["acc_r"] + found["ties"] <= 1 + 1e-12  # type: ignore[operator]


def test_a_constant_scorer_ties_everywhere_and_knows_nothing() -> None:
    found = _values([(0.5, 0.5)] * 40)
    assert (found["acc_r"], found["ties"], found["auroc"], found["min_p"]) == (0.0, 1.0, 0.5, 0.0)
    assert (found["p_c"], found["p_f"], found["acc"]) == (0.0, 1.0, 0.5)


@pytest.mark.parametrize(("scale", "reason"), [(Scale.SIMILARITY, SCORES_ARE_SIMILARITIES), ("", SCALE_UNKNOWN)])
def test_what_needs_a_probability_does_not_apply_to_a_similarity_and_says_so(scale: str, reason: str) -> None:
    found = _scores([(25.1, 19.0), (19.5, 20.0)] * 15, scale=scale)
    for name in ("acc", "p_c", "p_f", "min_p"):
        row = found[name]
        assert (row["value"], row["low"], row["n"], row["reason"]) == (None, None, 0, reason)
    assert found["acc_r"]["value"] == 0.5
    assert found["auroc"]["value"] == 0.75


def test_intervals_are_over_pictures_and_need_no_draw() -> None:
    pairs = [(number % 7 / 7, number % 5 / 5) for number in range(120)]
    one, other = (_scores(pairs, seed=seed) for seed in (0, 1))
    for name, method in (("auroc", "jackknife"), ("min_p", "Bonferroni")):
        assert one[name] == other[name]
        assert one[name]["method"] == method
        assert one[name]["clusters"] == 60
        assert one[name]["low"] < one[name]["value"] < one[name]["high"]  # type: ignore[operator]


def test_these_metrics_apply_only_where_texts_are_ranked() -> None:
    plain, answers, _ = tables([Made((Member({"yes": 1.0}, Said()),) * 2)])
    assert {row["metric"] for row in score_table(plain, answers).to_pylist()} == {
        metric.name for metric in ACCURACY_METRICS
    }
    ranked = _scores([(0.7, 0.2)])
    assert set(ranked) == {metric.name for metric in RANKING}


def test_slices_without_captions_and_foils_have_no_reason() -> None:
    ranked = Made((Member(None, Said(score=2.0)), Member(None, Said(score=1.0))), "ranks", "plurals", mode="score")
    table, said, _ = tables([ranked, Made((Member({"yes": 1.0}, Said()),) * 2)])
    answers = said.replace_schema_metadata({"scale": "similarity"})
    reasons = {row["test"]: row["reason"] for row in score_table(table, answers).to_pylist() if row["metric"] == "p_c"}
    assert reasons == {"plurals": SCORES_ARE_SIMILARITIES, "rephrase": ""}
