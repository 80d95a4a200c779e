"""Coverage: of what one model has right, the share that another has right too."""

import pyarrow as pa
import pytest
from answer_tables import Made, Member, Said, made, tables
from hypothesis import given
from hypothesis import strategies as st
from naive import Case, pair_cases, single_cases

from counterpoint.metrics.coverage import coverage_table
from counterpoint.metrics.scoring import score_table


def _cases(groups: list[Made], pairs: bool, other: bool) -> list[Case]:
    return list(pair_cases(groups, other=other) if pairs else single_cases(groups, other=other))


@given(made(), st.booleans())
def test_coverage_is_that_of_a_loop(groups: list[Made], pairs: bool) -> None:
    table, first, second = tables(groups)
    found = coverage_table(table, {"i": first, "j": second}, pairs=pairs).to_pylist()
    metric = "comprehensive_accuracy" if pairs else "answer_accuracy"
    models = {"i": _cases(groups, pairs, False), "j": _cases(groups, pairs, True)}
    for row in found:
        both = [
            (own.credit[metric] >= 0.5, of.credit[metric] >= 0.5)
            for own, of in zip(models[row["model"]], models[row["of"]], strict=True)
            if (own.group.suite, own.group.test) == (row["suite"], row["test"])
            and metric in own.credit
            and metric in of.credit
        ]
        right = [own for own, of in both if of]
        assert row["n"] == len(right)
        assert row["value"] == (pytest.approx(sum(right) / len(right)) if right else None)


def test_what_two_models_share_is_the_same_seen_from_either() -> None:
    """C(i, j) times the accuracy of j is C(j, i) times that of i, as in CARETS Tables 13 to 17 up to their noise."""
    groups = [
        Made(
            tuple(
                Member({"yes": 1.0}, Said(value="yes" if n % 3 else "no"), {}, Said(value="yes" if n % 5 else "no"))
                for n in (number, number + 1)
            ),
            picture=f"world:{number}.png",
        )
        for number in range(30)
    ]
    table, first, second = tables(groups)
    shares = {
        (row["model"], row["of"]): row["value"] for row in coverage_table(table, {"i": first, "j": second}).to_pylist()
    }
    accuracy = {name: _accuracy(table, own) for name, own in (("i", first), ("j", second))}
    assert shares["i", "j"] * accuracy["j"] == pytest.approx(shares["j", "i"] * accuracy["i"])


def _accuracy(groups: pa.Table, answers: pa.Table) -> float:
    rows = score_table(groups, answers, resamples=20).to_pylist()
    (found,) = (row["value"] for row in rows if row["metric"] == "answer_accuracy")
    return float(found)


def test_no_models_cover_nothing() -> None:
    table, _, _ = tables([Made((Member({"yes": 1.0}, Said()),))])
    assert coverage_table(table, {}).num_rows == 0
