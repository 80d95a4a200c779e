from random import Random

import pytest
from proving import prove, scaled
from scenery import scene, world

from counterpoint.core.groups import Group
from counterpoint.core.scenes import Scene
from counterpoint.suites.balanced_sampling import Quota
from counterpoint.suites.carets import antonym, negation, ontology, order, rephrase
from counterpoint.suites.families import carets
from counterpoint.suites.parallel import PackedSuite, generate_together
from counterpoint.suites.suite import Rejection, Suite, Tally, generate_groups

SUITES = (rephrase.suite, order.suite, negation.suite, ontology.suite, antonym.suite)


def _groups(batch: PackedSuite) -> list[Group]:
    """The groups of a batch in their order, whatever part has them."""
    parts = [iter(part) for part in batch.parts]
    return [next(parts[part]) for part, _ in batch.order]


@pytest.mark.parametrize(
    ("processes", "limit"),
    [(1, None), (2, Quota(20, 12)), prove(1, 40), prove(1, Quota(20, 12)), prove(2, None), prove(2, 40)],
)
def test_suites_that_are_made_together_are_those_that_are_made_alone(processes: int, limit: int | Quota | None) -> None:
    scenes = world(scaled(96))
    made = generate_together(SUITES, scenes, 3, {suite.name: limit for suite in SUITES}, processes=processes)
    for suite in SUITES:
        tally = Tally()
        alone = [group for _, group in generate_groups(suite, scenes, 3, limit, tally=tally)]
        assert [group.id for group in _groups(made[suite.name])] == [group.id for group in alone]
        assert made[suite.name].tally.kept == tally.kept
        assert +made[suite.name].tally.dropped == +tally.dropped
        assert [rows for _, rows in made[suite.name].order] == [len(group.queries) for group in alone]


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("limit", [None, 10_000])
def test_scenes_that_repeat_each_other_make_their_groups_once(processes: int, limit: int | None) -> None:
    scenes = world(12)
    made = generate_together([order.suite], [*scenes, *scenes], 3, {"order": limit}, processes=processes)["order"]
    ids = [group.id for group in _groups(made)]
    assert len(ids) == len(set(ids)) > 5


def _broken(item: Scene, statistics: None, rng: Random) -> list[Group | Rejection]:
    raise ValueError(f"nothing can be made of {item.id}")


def test_what_goes_wrong_in_another_process_is_said_here() -> None:
    broken = Suite("broken", tests="nothing", propose=_broken)
    with pytest.raises(ValueError, match="nothing can be made of scene"):
        generate_together([broken], [scene(n, ("cat",)) for n in range(4)], processes=2)


def test_the_sizes_of_the_paper_add_up_to_its_table() -> None:
    assert {name: quota.binary + quota.choice for name, quota in carets.sizes.items()} == {
        "rephrase": 19_412,
        "order": 14_412,
        "ontology": 13_952,
        "visual": 26_272,
        "negation": 10_000,
        "antonym": 5_000,
    }
    pairs = sum((5 if name == "visual" else 1) * (q.binary + q.choice) for name, q in carets.sizes.items())
    assert pairs > 190_000
    assert set(carets.suites) == set(carets.sizes)
