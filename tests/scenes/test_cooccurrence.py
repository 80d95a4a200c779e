"""Statistics of parts of a source make those of the whole."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from scenery import world

from counterpoint.core.scenes import Scene
from counterpoint.scenes import cooccurrence
from counterpoint.scenes.cooccurrence import survey_scenes

COUNT = 27


def _scenes() -> list[Scene]:
    """So many, of which three occur twice."""
    return [*world(COUNT - 3), *world(3)]


@given(st.lists(st.integers(0, COUNT), max_size=4))
def test_merged_statistics_are_those_of_one_pass(cuts: list[int]) -> None:
    scenes, bounds = _scenes(), [0, *sorted(cuts), COUNT]
    merged, *others = [survey_scenes(scenes[a:b]) for a, b in pairwise(bounds)]
    for other in others:
        merged.merge(other)
    assert merged == survey_scenes(scenes)


def test_the_sample_of_merged_statistics_is_that_of_one_pass() -> None:
    """There are more scenes than the sample holds."""
    many = [scene for number in range(12) for scene in (replace(one, id=f"{number} {one.id}") for one in _scenes())]
    assert len(many) > cooccurrence._SAMPLE
    merged = survey_scenes(many[:290])
    merged.merge(survey_scenes(many[290:]))
    assert [scene.id for _, scene in merged.sample] == [scene.id for _, scene in survey_scenes(many).sample]
