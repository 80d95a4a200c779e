"""The credit from which an answer is correct: every method that judges answers takes it, and means the same."""

import pytest
from gate_labs import TEXTS, say_yes

import counterpoint as cp

GROUPS = 60


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> cp.Lab:
    """Half of the golds give "yes" a credit of 0.6, the other half the whole; a model says yes twice."""
    lab = cp.Lab(tmp_path_factory.mktemp("lab"))
    groups = [
        cp.Group(
            cp.Relation.SAME,
            tuple(cp.Query(cp.Picture(f"world:test/{number:06}.png"), text) for text in TEXTS),
            (cp.Gold((("yes", 1.0 if number % 2 else 0.6),)),) * 2,
        )
        for number in range(GROUPS)
    ]
    lab.add_groups(groups, "order")
    for version in ("1", "2"):
        cp.evaluate(say_yes, lab, name="yes", version=version)
    return lab


@pytest.mark.parametrize(("threshold", "wrong"), [(0.5, 0), (0.7, GROUPS // 2)])
def test_every_method_judges_by_the_threshold(lab: cp.Lab, threshold: float, wrong: int) -> None:
    share = 1 - wrong / GROUPS
    (score,) = lab.scores(models=["yes@2"], metrics=["comprehensive_accuracy"], threshold=threshold)
    assert score.value == pytest.approx(share)
    assert lab.failures("yes@2", threshold=threshold).total == wrong
    assert lab.findings("yes@2", threshold=threshold).failed == wrong
    history = lab.history("yes", metrics=["comprehensive_accuracy"], threshold=threshold)
    assert [version.value for version in history] == pytest.approx([share] * 2)
    rules = ["comprehensive_accuracy >= 0.9"]
    gates = [
        lab.gate("yes@2", rules, threshold=threshold),
        lab.gate_sequentially(f"{__name__}:Yes", rules, name=f"sequential-{wrong}", threshold=threshold),
    ]
    assert [gate.verdict == "fails" for gate in gates] == [bool(wrong)] * 2


class Yes:
    """A model that says yes."""

    fingerprint = "yes"

    def answer(self, queries: list[cp.Query]) -> list[tuple[int, cp.Answer]]:
        """Say yes."""
        return [(place, cp.Answer.of("yes")) for place, _ in enumerate(queries)]
