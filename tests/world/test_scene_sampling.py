"""Who is cast: everything there is occurs, and the shifted split has other habits."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

import pytest
from stages import shifted, train

from counterpoint.core.ids import seeded_rng
from counterpoint.world.actions import ACTIONS, WorldAction
from counterpoint.world.kinds import COLORS, OPPOSITES, kind, kinds
from counterpoint.world.scene_building import BuiltScene
from counterpoint.world.scene_sampling import (
    INDOORS,
    PLACES,
    WEATHERS,
    action_member,
    kind_weights,
    sample_member,
    sample_scene,
)

SPATIAL = {"to the left of", "to the right of", "above", "below", "in front of", "behind", "near", "on", "under"}


def counted(scenes: Sequence[BuiltScene], *, relations: bool = False) -> Counter[str]:
    """In how many scenes each kind occurs, or each relation."""
    return Counter(
        chain.from_iterable(
            {link.name for link in staged.plan.relations} if relations else staged.plan.names for staged in scenes
        )
    )


@pytest.mark.prove
def test_every_kind_occurs_in_at_least_seven_scenes_of_a_thousand() -> None:
    found = counted(train())
    assert {name: found[name] for name in kinds() if found[name] < 0.007 * len(train())} == {}


@pytest.mark.prove
def test_every_action_occurs_in_at_least_eight_scenes_of_a_thousand() -> None:
    found = counted(train(), relations=True)
    names = {action.name for action in ACTIONS} | SPATIAL | {"wearing"}
    assert set(found) == names
    assert {name: found[name] for name in names if found[name] < 0.008 * len(train())} == {}


def test_no_kind_of_thing_is_in_more_than_a_fifth_of_all_scenes() -> None:
    found = counted(train())
    things = [name for name, one in kinds().items() if one.family not in ("person", "clothing")]
    assert {name: found[name] for name in things if found[name] > 0.2 * len(train())} == {}


@pytest.mark.prove
def test_every_state_and_pose_of_every_kind_occurs() -> None:
    found = {(thing.name, word) for staged in train() for thing in staged.plan for word in thing.attributes}
    for name, one in kinds().items():
        for state in chain.from_iterable(one.states):
            assert (name, state) in found
        for pose in one.poses:
            assert (name, pose) in found
    assert {state for pair in OPPOSITES for state in pair} <= {word for _, word in found}
    assert set(COLORS) <= {word for _, word in found}


def test_every_place_and_weather_occurs_and_it_does_not_rain_indoors() -> None:
    seen = {(staged.plan.place, staged.plan.weather) for staged in train()}
    outdoors = {(place, weather) for place in PLACES if place not in INDOORS for weather in WEATHERS}
    assert seen == outdoors | {(place, "") for place in INDOORS}


def test_three_scenes_of_four_have_a_person_at_least_one_in_three_busy() -> None:
    people = {"man", "woman", "boy", "girl"}
    deeds = {action.name for action in ACTIONS}
    peopled = [staged.plan for staged in train() if staged.plan.names & people]
    busy = [scene for scene in peopled if deeds & {link.name for link in scene.relations}]
    assert len(peopled) >= 0.7 * len(train())
    assert len(busy) >= 0.33 * len(train())


def test_colours_are_those_that_a_kind_has() -> None:
    for staged in train()[:300]:
        for thing in staged.plan:
            assert {word for word in thing.attributes if word in COLORS} <= set(kind(thing.name).colors)


def test_in_the_shifted_split_most_things_are_where_they_never_are_in_training() -> None:
    usual = {(staged.plan.place, name) for staged in train() for name in staged.plan.names}
    shares = []
    for scenes in (train(), shifted()):
        pairs = [
            (staged.plan.place, thing.name)
            for staged in scenes
            for thing in staged.plan
            if kind(thing.name).family not in ("person", "clothing")
        ]
        shares.append(sum(pair in usual for pair in pairs) / len(pairs))
    assert shares[0] == 1
    assert shares[1] < 0.45


def test_in_the_shifted_split_colours_are_rare_ones() -> None:
    def usual(scenes: Sequence[BuiltScene]) -> float:
        hits = [
            kind(thing.name).colors.get(word, 0) == max(kind(thing.name).colors.values())
            for staged in scenes
            for thing in staged.plan
            for word in thing.attributes[:1]
            if word in COLORS and len(kind(thing.name).colors) > 1
        ]
        return sum(hits) / len(hits)

    assert usual(shifted()) < usual(train()) / 2


def test_the_shifted_split_has_no_kinds_of_its_own() -> None:
    assert set(counted(shifted())) <= set(counted(train()))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("shifted", [False, True])
def test_a_place_has_only_what_can_be_there(place: str, shifted: bool) -> None:
    spots = {kind(name).spot for name in kind_weights(place, shifted)}
    assert spots <= ({"floor", "top", "wall"} if place in INDOORS else {"floor", "top", "sky"})
    assert len(kind_weights(place, shifted)) >= 12


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: f"{action.name} ({action.pose})")
def test_whoever_does_something_takes_the_pose_for_it(action: WorldAction) -> None:
    for agent in action.agents:
        for patient in action.objects:
            if patient == agent:
                continue
            cluster = action_member(seeded_rng("joined", agent, patient), action, agent, patient)
            looks = {one.look.kind: one.look for one in (cluster, *cluster.others)}
            assert set(looks) == {agent, patient}
            assert looks[agent].pose == action.pose
            assert "asleep" not in looks[patient].states
            assert "overturned" not in looks[patient].states


def test_who_sleeps_lies() -> None:
    rng = seeded_rng("sleep")
    for _ in range(200):
        look = sample_member(rng, rng.choice(("cat", "dog"))).look
        assert look.pose == "lying" or "awake" in look.states


def test_the_same_luck_casts_the_same() -> None:
    assert sample_scene(seeded_rng("cast", 1)) == sample_scene(seeded_rng("cast", 1))
    assert sample_scene(seeded_rng("cast", 1)) != sample_scene(seeded_rng("cast", 2))
