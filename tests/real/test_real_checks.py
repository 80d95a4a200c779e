"""The checks on the released files of VALSE, held against what annotators said of them."""

import pyarrow as pa
import pytest
from real_data import real

from counterpoint.checks import distribution
from counterpoint.checks.check import Action, Check, CheckContext
from counterpoint.checks.model_checks import entailment
from counterpoint.checks.pipeline import CheckResult, CheckStep, CheckSummary, apply_checks
from counterpoint.checks.text_checks import SAME, duplicates, length
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.valse import valse
from counterpoint.store.groups import groups_table


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    """All pairs, and those that annotators found valid."""
    found = {}
    for split in ("all", "valid"):
        groups = [ready.group for ready in Source(valse, real("valse"), split, limit=None).groups()]
        found[split] = groups_table(((group.test, group) for group in groups), "released")
    return found


def _checked(table: pa.Table, check: Check) -> CheckResult:
    return apply_checks(table, [CheckStep(check, CheckContext(check.settings), lambda test: Action.DROP)])


def _effect(table: pa.Table, check: Check) -> CheckSummary:
    return _checked(table, check).summaries[0]


def test_the_captions_that_are_their_own_foils_go_and_nothing_that_is_valid(tables: dict[str, pa.Table]) -> None:
    assert _effect(tables["all"], duplicates).dropped == {SAME: 24}
    assert _effect(tables["valid"], duplicates).dropped == {}
    assert _effect(tables["all"], length).dropped == {}


@pytest.mark.prove
def test_the_rules_of_inference_drop_hardly_anything_that_is_valid(tables: dict[str, pa.Table]) -> None:
    assert sum(_effect(tables["valid"], entailment).dropped.values()) <= 20
    notes = _effect(tables["all"], entailment).notes
    assert notes["plurals"]["contradiction"] >= 980
    assert notes["existence"]["contradiction"] == 533
    assert notes["coreference-standard"] == {"contradiction": 916}


def test_what_is_balanced_has_no_divergence_and_loses_little_where_the_paper_balanced(
    tables: dict[str, pa.Table],
) -> None:
    found = _effect(tables["all"], distribution.check)
    for test in ("relations", "counting-balanced", "counting-small", "coreference-standard"):
        assert found.tests[test]["dropped"] <= 0.07 * found.tests[test]["seen"]
        assert found.notes[test]["after"] == 0 < found.notes[test]["divergence"] < 0.09
    assert found.tests["counting-adversarial"]["dropped"] == 756
