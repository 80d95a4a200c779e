"""Visual obfuscation: what stands around the things that a question is about does not change the answer."""

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
"""How much the surroundings are blurred: lightly, moderately, heavily."""

NO_MEANS = "the channel means of the training pictures are not known: say --means R,G,B"
"""Why nothing is made of a source before somebody has measured its pictures."""


def propose_obfuscations(
    scene: Scene, statistics: SceneStatistics, rng: Random, *, means: Means | None = None
) -> Iterator[Candidate | Rejection]:
    """Ask about the whole picture, then about what is left of it when all around is blurred, painted over or cut."""
    for one in originals(KINDS, scene, statistics, rng):
        yield one if isinstance(one, Rejection) else _obscured(scene, one, means, rng)


def obfuscation_edits(kept: Foreground, means: Means) -> Mapping[str, Edit]:
    """The five edits around a foreground, by the name of their tag."""
    blurs = {f"blur-{deviation}": blur_around(kept, deviation) for deviation in DEVIATIONS}
    return {**blurs, "mask": mean_around(kept, means), "crop": crop_around(kept)}


def _obscured(scene: Scene, one: Original, means: Means | None, rng: Random) -> Candidate | Rejection:
    kept = foreground(scene, one.asked, rng)
    if means is None or isinstance(kept, str):
        return Rejection(one.asked.kind, NO_MEANS if means is None else str(kept))
    return one.drafted(partial(_made, scene, one, kept, means))


def _made(scene: Scene, one: Original, kept: Foreground, means: Means) -> Group:
    group, made = group_wordings(scene, [(one.template.ask, one.asked)]), obfuscation_edits(kept, means)
    variants = (Query(scene.picture.edited(edit), group.base.text) for edit in made.values())
    return replace(
        group,
        queries=(group.base, *variants),
        gold=group.gold * (1 + len(made)),
        tags=(*group.tags, *((("edit", name), *group.tags[0]) for name in made)),
    )


suite = Suite(
    "visual",
    tests="what stands around a thing does not change what is said of it",
    propose=propose_obfuscations,
    survey=survey_scenes,
    rng_key=RNG_KEY,
    options=("means",),
    required=("means",),
)
