"""The regressions of RAD's Appendix E, held against statsmodels and against plain arithmetic."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import examples

from counterpoint.core.errors import CounterpointError, SourceError
from counterpoint.studies import rad_prediction as rad
from counterpoint.studies.rad_prediction import (
    POOL,
    RadCounts,
    counts_text,
    design,
    example,
    fit_regression,
    read_counts,
    regressions,
    summaries,
)


def _some(instances: int, seed: int = 0) -> list[RadCounts]:
    """Instances that get better, all sets alike, with some noise."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(instances):
        for name in POOL:
            base = rng.random(200) < 0.3 + 0.5 * number / instances
            variant = np.where(base, rng.random(200) < 0.8, rng.random(200) < 0.4)
            found.append(RadCounts.of(f"i{number:02}", name, base.astype(float), variant.astype(float), 0.5))
    return found


@given(st.integers(0, 2**32 - 1), st.booleans(), st.integers(1, 3))
@examples(15)
def test_a_fit_is_that_of_statsmodels_seen_and_left_out(seed: int, intercept: bool, width: int) -> None:
    from statsmodels.regression.linear_model import OLS
    from statsmodels.tools import add_constant

    rng = np.random.default_rng(seed)
    x, y = rng.random((12, width)), rng.random(12)
    found = fit_regression("color", "all", x, y, intercept=intercept)
    theirs = OLS(y, add_constant(x, prepend=False) if intercept else x).fit()
    assert found.coefficients == pytest.approx(theirs.params)
    assert found.r2 == pytest.approx(1 - theirs.ssr / ((y - y.mean()) ** 2).sum())
    assert found.r2_about_zero == pytest.approx(1 - theirs.ssr / (y**2).sum())
    if not intercept:
        assert found.r2_about_zero == pytest.approx(theirs.rsquared)
    press = theirs.get_influence().resid_press
    assert found.r2_left_out == pytest.approx(1 - (press**2).sum() / ((y - y.mean()) ** 2).sum())


def test_features_are_pooled_over_the_three_other_sets_and_the_label_is_on_the_modified_one() -> None:
    counts = [
        RadCounts("a", "color", 10, 6.5, 5.0, 6, 5, 4),
        RadCounts("a", "how-many", 30, 12.0, 9.0, 12, 9, 3),
        RadCounts("a", "what-kind", 5, 2.0, 1.0, 2, 1, 1),
        RadCounts("a", "rephrase", 20, 15.0, 14.0, 15, 14, 12),
    ]
    kept, features, wanted, left_out = design(counts, "what-kind")
    assert (kept, left_out) == (["a"], [])
    assert features[0] == pytest.approx([(6.5 + 12 + 15) / 60, (4 + 3 + 12) / (6 + 12 + 15), 19 / (5 + 9 + 14)])
    assert wanted[0] == pytest.approx(1 / 5)


def test_an_instance_that_got_nothing_right_has_no_rad_and_is_left_out_by_name() -> None:
    counts = [*_some(8), *(RadCounts("zero", name, 10, 0.0, 0.0, 0, 0, 0) for name in POOL)]
    fits, left_out = regressions(counts)
    assert all(names == ["zero"] for names in left_out.values())
    assert {fit.instances for fit in fits} == {8}


def test_every_target_is_fitted_with_all_features_and_each_alone_with_and_without_intercept() -> None:
    fits, _ = regressions(_some(12))
    assert len(fits) == len(POOL) * len(rad.CHOICES) * 2
    for one in summaries(fits):
        own = [
            getattr(fit, one.measure) for fit in fits if (fit.features, fit.intercept) == (one.features, one.intercept)
        ]
        assert one.mean == pytest.approx(np.mean(own))
        assert one.sd == pytest.approx(np.std(own, ddof=1))
        assert one.targets == 4


def test_a_target_that_never_varies_has_no_r2() -> None:
    found = fit_regression("color", "all", np.random.default_rng(0).random((6, 1)), np.full(6, 0.5), intercept=True)
    assert (found.r2, found.r2_left_out) == (None, None)


def test_too_few_instances_are_an_error_that_counts_them() -> None:
    with pytest.raises(CounterpointError, match="4 instances"):
        regressions(_some(4))


def test_counts_are_written_and_read_again(tmp_path: Path) -> None:
    counts = _some(3)
    path = tmp_path / "counts.csv"
    path.write_text(counts_text(counts))
    assert read_counts(path, 0.5) == counts


def _rows(pairs: list[tuple[float, float]]) -> Iterator[str]:
    yield "instance,augmentation,base,variant"
    yield from (f"a,color,{base},{variant}" for base, variant in pairs)


def test_a_table_with_one_row_a_pair_is_counted_by_the_threshold(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(_rows([(1, 1), (0.5, 0), (0.25, 1), (0, 0)])))
    assert read_counts(path, 0.5) == [RadCounts("a", "color", 4, 1.75, 2.0, 2, 2, 1)]
    assert read_counts(path, 0.7) == [RadCounts("a", "color", 4, 1.75, 2.0, 1, 2, 1)]


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n",
        "instance,augmentation,base,variant\na,color,x,1\n",
        "instance,augmentation,base,variant\na,color,2,1\n",
        "instance,augmentation,base,variant\n",
        "instance,augmentation,base,variant\na,color\n",
        f"{','.join(rad.columns())}\na,color,5,1,1,4,3,9\n",
    ],
)
def test_a_table_that_cannot_be_is_one_sentence(text: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text(text)
    with pytest.raises(SourceError):
        read_counts(path, 0.5)


def test_the_worked_example_has_forty_five_instances_of_every_augmentation() -> None:
    counts = example()
    assert {len([count for count in counts if count.augmentation == name]) for name in POOL} == {45}
    fits, left_out = regressions(counts)
    assert not any(left_out.values())
    assert all(fit.r2 is not None and fit.r2 <= 1 for fit in fits)
