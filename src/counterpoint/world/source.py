"""The world as a source: scenes, questions, captions, dialogues and frames of one split, and their pictures."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from random import Random

import numpy as np

from counterpoint.core.errors import PictureError
from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import Caption, Dialogue, Frame, GroundedQuestion, Question
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pixels
from counterpoint.core.scenes import Scene
from counterpoint.pictures.edits import apply_edits
from counterpoint.world.captions import captions
from counterpoint.world.dialogues import dialogue
from counterpoint.world.frames import frames
from counterpoint.world.questions import gqa_questions, vqa_questions
from counterpoint.world.scene_building import SPLITS, BuiltScene, build_scene, namespace


class World:
    """Scenes of a split: `train`, `validation`, `test`, or `shifted`, where co-occurrence is different.

    It is also the source of its pictures, which are drawn on demand without any file.
    """

    splits = tuple(SPLITS)
    exhaustive = "everything: the scenes were made before their pictures"
    means = (164, 167, 142)  # of red, green and blue, over the first 4,000 pictures of `train`

    def __init__(self, split: str = "test", scenes: int = 100, *, seed: int = 0) -> None:
        build_scene(split, 0, seed)  # an unknown split is said here, not at the first use
        self.split, self.count, self.seed = split, scenes, seed

    def __repr__(self) -> str:
        return f"World({self.split!r}, scenes={self.count}, seed={self.seed})"

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> BuiltScene:
        if not 0 <= index < self.count:
            raise IndexError(f"{self!r} has no scene {index}")
        return build_scene(self.split, index, self.seed)

    def scenes(self) -> Iterator[Scene]:
        """What there is to see in each picture."""
        for index in range(self.count):
            yield self[index].scene

    def questions(self) -> Iterator[Question]:
        """Questions in the manner of GQA, each with a program and a proof."""
        for scene in self.scenes():
            yield from gqa_questions(scene, self._rng("gqa", scene))

    def grounded(self) -> Iterator[GroundedQuestion]:
        """The same questions, each with the scene it asks about."""
        for scene in self.scenes():
            for question in gqa_questions(scene, self._rng("gqa", scene)):
                yield GroundedQuestion(question, scene)

    def crowd_questions(self) -> Iterator[Question]:
        """Questions in the manner of VQA, each in several phrasings with ten answers."""
        for scene in self.scenes():
            yield from vqa_questions(scene, self._rng("vqa", scene))

    def captions(self) -> Iterator[Caption]:
        """Five sentences about each picture."""
        for scene in self.scenes():
            yield from captions(scene, self._rng("captions", scene))

    def described(self) -> Iterator[Caption]:
        """The same sentences, each with its scene."""
        for scene in self.scenes():
            yield from (replace(caption, scene=scene) for caption in captions(scene, self._rng("captions", scene)))

    def dialogues(self) -> Iterator[Dialogue]:
        """A conversation about each picture."""
        for scene in self.scenes():
            yield dialogue(scene, self._rng("dialogue", scene))

    def frames(self) -> Iterator[Frame]:
        """Who does what to whom."""
        for scene in self.scenes():
            yield from frames(scene)

    def pixels(self, picture: Picture) -> Pixels:
        """The picture at an address of the world, such as `world:test/000007.png`."""
        split, _, number = picture.path.removesuffix(".png").partition("/")
        if picture.namespace != namespace(self.seed) or split not in SPLITS or not number.isdecimal():
            fact = f"{picture.address} is no picture of the world" + f" of seed {self.seed}" * bool(self.seed)
            raise PictureError(fact, hint=f"they look like {namespace(self.seed)}:test/000007.png")
        return apply_edits(picture.edits, _draw_scene(split, int(number), self.seed))

    def _rng(self, kind: str, scene: Scene) -> Random:
        return seeded_rng(kind, self.seed, scene.id)


@lru_cache(128)
def _draw_scene(split: str, index: int, seed: int) -> Pixels:
    """The picture of a scene; the last ones are kept, 230 kB each, since several models are asked about them."""
    return np.asarray(build_scene(split, index, seed).draw())


class VqaWorld(World):
    """Scenes of a split with questions in the manner of VQA, in several phrasings with ten answers, and no others."""

    rules = "vqa"
    """The rule set by which answers are compared: the official program for ten answers."""

    def questions(self) -> Iterator[Question]:
        """Questions in the manner of VQA."""
        return self.crowd_questions()

    def grounded(self) -> Iterator[GroundedQuestion]:
        """The same questions, each with its scene."""
        for scene in self.scenes():
            yield from (GroundedQuestion(question, scene) for question in vqa_questions(scene, self._rng("vqa", scene)))
