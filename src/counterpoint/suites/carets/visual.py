"""Visual obfuscation: hiding the surroundings of the objects that a question is about does not change the answer."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from random import Random

from counterpoint.core.groups import Group, Query
from counterpoint.core.pictures import Edit
from counterpoint.core.scenes import Scene
from counterpoint.pictures.channel_means import Means
from counterpoint.pictures.edits import Foreground, blur_around, crop_around, mean_around
from counterpoint.scenes.cooccurrence import SceneStatistics, survey_scenes
from counterpoint.suites.candidates import Candidate
from counterpoint.suites.carets.foregrounds import foreground
from counterpoint.suites.carets.originals import RNG_KEY, Original, originals
from counterpoint.suites.carets.questions import KINDS
from counterpoint.suites.carets.templates import group_wordings
from counterpoint.suites.suite import Rejection, Suite

DEVIATIONS = ("3", "6", "9")
"""Standard deviations of the Gaussian blur: light, moderate, heavy."""

NO_MEANS = "the mean color of the training pictures is not known: set the option means, --means R,G,B"
"""Why no group is made without the mean color."""


def propose_obfuscations(
    scene: Scene, statistics: SceneStatistics, rng: Random, *, means: Means | None = None
) -> Iterator[Candidate | Rejection]:
    """Ask about the whole picture, then with the surroundings blurred, painted over or cropped."""
    for original in originals(KINDS, scene, statistics, rng):
        yield original if isinstance(original, Rejection) else _candidate(scene, original, means, rng)


def obfuscation_edits(region: Foreground, means: Means) -> Mapping[str, Edit]:
    """The five edits around a foreground, by the name of their tag."""
    blurs = {f"blur-{deviation}": blur_around(region, deviation) for deviation in DEVIATIONS}
    return {**blurs, "mask": mean_around(region, means), "crop": crop_around(region)}


def _candidate(scene: Scene, original: Original, means: Means | None, rng: Random) -> Candidate | Rejection:
    region = foreground(scene, original.content, rng)
    if means is None or isinstance(region, str):
        return Rejection(original.content.kind, NO_MEANS if means is None else str(region))
    return original.candidate(partial(_obfuscated_group, scene, original, region, means))


def _obfuscated_group(scene: Scene, original: Original, region: Foreground, means: Means) -> Group:
    group, edits = group_wordings(scene, [(original.template.ask, original.content)]), obfuscation_edits(region, means)
    variants = (Query(scene.picture.edited(edit), group.base.text) for edit in edits.values())
    return replace(
        group,
        queries=(group.base, *variants),
        gold=group.gold * (1 + len(edits)),
        tags=(*group.tags, *((("edit", name), *group.tags[0]) for name in edits)),
    )


suite = Suite(
    "visual",
    tests="the surroundings of an object do not change the answer about it",
    propose=propose_obfuscations,
    survey=survey_scenes,
    rng_key=RNG_KEY,
    options=("means",),
    required=("means",),
)
