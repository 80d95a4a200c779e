"""Counterpoint tells whether a vision-language model understands, or only answers.

>>> import counterpoint as cp
>>> world = cp.World("test", scenes=3)
>>> [scene.place for scene in world.scenes()]
['street', 'kitchen', 'garden']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from counterpoint._version import __version__

if TYPE_CHECKING:
    from counterpoint.catalog import model
    from counterpoint.core.answers import Answer, State
    from counterpoint.core.errors import CounterpointError
    from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
    from counterpoint.core.items import Caption, Dialogue, Frame, Question
    from counterpoint.core.pictures import Box, Edit, Picture, Size
    from counterpoint.core.ports import Answerer, FeatureModel, Sampler, Scale, Scorer
    from counterpoint.core.scenes import Link, Scene, SceneObject
    from counterpoint.pictures.folders import PictureFolders
    from counterpoint.world.source import World

__all__ = [
    "Answer",
    "Answerer",
    "Box",
    "Caption",
    "CounterpointError",
    "Dialogue",
    "Edit",
    "FeatureModel",
    "Frame",
    "Gold",
    "Group",
    "Link",
    "Mode",
    "Picture",
    "PictureFolders",
    "Query",
    "Question",
    "Relation",
    "Sampler",
    "Scale",
    "Scene",
    "SceneObject",
    "Scorer",
    "Size",
    "State",
    "World",
    "__version__",
    "model",
]

_HOMES = {
    "catalog": ("model",),
    "core.answers": ("Answer", "State"),
    "core.errors": ("CounterpointError",),
    "core.groups": ("Gold", "Group", "Mode", "Query", "Relation"),
    "core.items": ("Caption", "Dialogue", "Frame", "Question"),
    "core.pictures": ("Box", "Edit", "Picture", "Size"),
    "core.ports": ("Answerer", "FeatureModel", "Sampler", "Scale", "Scorer"),
    "core.scenes": ("Link", "Scene", "SceneObject"),
    "pixels.folders": ("PictureFolders",),
    "world.source": ("World",),
}


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used, so that `import counterpoint` costs nothing."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"counterpoint.{home}"), name)
    raise AttributeError(f"module 'counterpoint' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
