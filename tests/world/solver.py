"""The solver: runs the program of a question on a scene, and reads nothing else.

It finds everything by name, attribute and relation; the object ids in programs are never looked at, so that its answer
is a check on the one who wrote the question.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TypeAlias

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Step
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.world.kinds import COLORS, OPPOSITES, kinds

Found: TypeAlias = tuple[SceneObject, ...]
"""The objects that a step leaves to the next one."""

_MENTION = re.compile(r"(?:^|\s)\s*\((?:-|[\w,]+)\)$")
_MATERIAL_NOUNS = {"wooden": "wood"}
_INDOORS = ("kitchen", "living room", "bedroom")
_POSES = ("standing", "sitting", "lying", "running", "walking", "eating", "flying", "jumping", "waving")
_CLASSES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "color": frozenset(COLORS),
        "material": frozenset({"wood", "metal", "plastic", "brick"}),
        "size": frozenset({"small", "large"}),
        "state": frozenset(state for pair in OPPOSITES for state in pair),
        "pose": frozenset(_POSES),
        "activity": frozenset(_POSES),
    }
)
_ACTIVITIES = {
    "drinking from": "drinking",
    "sitting on": "sitting",
    **{verb: verb for verb in ("riding", "kicking", "pushing", "throwing", "feeding", "eating", "reading", "watering")},
}
_WORN_ON = {
    "hat": ("head",),
    "glasses": ("head",),
    "scarf": ("neck",),
    "pants": ("legs",),
    "shorts": ("legs",),
    "skirt": ("legs",),
    "shoes": ("feet",),
}
_SIDES = {"to the left of": "left", "to the right of": "right"}


def solve(program: Sequence[Step], scene: Scene) -> str:
    """The answer that a program has on a scene.

    >>> from counterpoint.core.pictures import Picture, Size
    >>> cup = SceneObject("1", "cup", ("red",))
    >>> scene = Scene("7", Picture("world:7.png"), Size(320, 240), (cup,))
    >>> solve((Step("select", "cup (1)"), Step("query", "color", (0,))), scene)
    'red'
    """
    results: list[Found | str] = []
    for step in program:
        results.append(_run(step, [results[place] for place in step.inputs], scene))
    if not results or not isinstance(results[-1], str):
        raise SourceError(
            "the program ends without an answer", hint="the last step queries, chooses, verifies or counts"
        )
    return results[-1]


def _run(step: Step, inputs: Sequence[Found | str], scene: Scene) -> Found | str:
    argument = _MENTION.sub("", step.argument)
    operation, _, detail = step.operation.partition(" ")
    try:
        rule = _RULES[step.operation] if step.operation in _RULES else _RULES[operation]
    except KeyError:
        raise SourceError(f"no operation is called {step.operation!r}", hint=f"there are {', '.join(_RULES)}") from None
    return rule(_Call(scene, tuple(inputs), detail, argument))


class _Call:
    """What one step works on: the results it builds on, the second word of its operation, and its argument."""

    def __init__(self, scene: Scene, inputs: tuple[Found | str, ...], detail: str, argument: str) -> None:
        self.scene, self.inputs, self.detail, self.argument = scene, inputs, detail, argument

    @property
    def options(self) -> list[str]:
        """The alternatives of a choice."""
        return self.argument.split("|")

    def found(self, place: int = 0) -> Found:
        """The objects of one input."""
        result = self.inputs[place]
        if isinstance(result, str):
            raise SourceError(f"{self.detail or 'a step'} works on objects, and was given the answer {result!r}")
        return result

    def one(self, place: int = 0) -> SceneObject:
        """The only object of one input: what is said of "the dog" needs one dog."""
        result = self.found(place)
        if len(result) != 1:
            raise SourceError(f"scene {self.scene.id}: {len(result)} objects fit where one was meant ({self.argument})")
        return result[0]

    def answers(self) -> list[bool]:
        """The inputs of "and" and "or"."""
        return [result == "yes" for result in self.inputs]

    def related(self) -> Found:
        """The objects that stand in the relation of the argument, "name,relation,s" or "name,relation,o"."""
        name, relation, side = (part.strip() for part in self.argument.split(","))
        return _related(self.scene, self.found(), name, (relation,), side)


def _related(scene: Scene, start: Found, name: str, relations: Sequence[str], side: str) -> Found:
    ids = {one.id for one in start}
    reached = {
        link.subject if side == "s" else link.object
        for link in scene.relations
        if link.name in relations and (link.object if side == "s" else link.subject) in ids
    }
    return tuple(one for one in scene.objects if one.id in reached and _is_a(one, name))


@cache
def _families() -> Mapping[str, str]:
    return {name: one.family for name, one in kinds().items()}


def _is_a(one: SceneObject, name: str) -> bool:
    return name in ("_", one.name) or _families().get(one.name) == name


def _values(one: SceneObject, kind: str, scene: Scene) -> tuple[str, ...]:
    """What is true of an object within one class of attributes."""
    if kind == "name":
        return (one.name, _families().get(one.name, one.name))
    if kind == "hposition":
        assert one.box is not None, f"object {one.id} of scene {scene.id} has no box"
        return ("left" if one.box.middle[0] * 2 < scene.size.width else "right",)
    if kind == "worn":
        return _WORN_ON.get(one.name, ())
    if kind == "activity":
        doing = {_ACTIVITIES[link.name] for link in scene.relations_of(one.id) if link.name in _ACTIVITIES}
        if doing:
            return tuple(sorted(doing))
    words = (_MATERIAL_NOUNS.get(word, word) for word in one.attributes)
    known = _CLASSES.get(kind)
    return tuple(word for word in words if known is None or word in known)


def _of_scene(call: _Call) -> Mapping[str, str]:
    scene = call.scene
    return {
        "place": scene.place,
        "weather": scene.weather,
        "location": "indoors" if scene.place in _INDOORS else "outdoors",
    }


def _yes(truth: bool) -> str:
    return "yes" if truth else "no"


def _select(call: _Call) -> Found:
    return () if call.argument == "scene" else tuple(one for one in call.scene.objects if _is_a(one, call.argument))


def _filter(call: _Call) -> Found:
    wanted = call.argument.removeprefix("not(").removesuffix(")")
    keep = not call.argument.startswith("not(")
    return tuple(one for one in call.found() if (wanted in _values(one, call.detail, call.scene)) is keep)


def _verify(call: _Call) -> str:
    if call.detail in _of_scene(call):
        return _yes(_of_scene(call)[call.detail] == call.argument)
    return _yes(call.argument in _values(call.one(), call.detail, call.scene))


def _verify_relation(call: _Call) -> str:
    call.one()
    return _yes(bool(call.related()))


def _query(call: _Call) -> str:
    if call.argument in _of_scene(call):
        return _of_scene(call)[call.argument]
    if call.argument == "name":
        return call.one().name
    values = _values(call.one(), call.argument, call.scene)
    if len(values) != 1:
        raise SourceError(f"scene {call.scene.id}: object {call.one().id} has {len(values)} values of {call.argument}")
    return values[0]


def _choose(call: _Call) -> str:
    if call.detail in _of_scene(call):
        true: tuple[str, ...] = (_of_scene(call)[call.detail],)
    else:
        true = _values(call.one(), call.detail, call.scene)
    return _only(call, [option for option in call.options if option in true])


def _choose_relation(call: _Call) -> str:
    name, relations, side = (part.strip() for part in call.argument.split(","))
    call.one()
    fitting = [each for each in relations.split("|") if _related(call.scene, call.found(), name, (each,), side)]
    return _SIDES.get(_only(call, fitting), _only(call, fitting))


def _only(call: _Call, fitting: Sequence[str]) -> str:
    if len(fitting) != 1:
        raise SourceError(f"scene {call.scene.id}: {len(fitting)} of the options of {call.argument!r} are true")
    return fitting[0]


def _choose_by_area(call: _Call) -> str:
    one, other = call.one(0), call.one(1)
    assert one.box is not None, f"object {one.id} of scene {call.scene.id} has no box"
    assert other.box is not None, f"object {other.id} of scene {call.scene.id} has no box"
    larger, smaller = (one, other) if one.box.area > other.box.area else (other, one)
    return (larger if call.detail == "larger" else smaller).name


def _shared(call: _Call, kind: str) -> bool:
    one, other = (_values(call.one(place), kind, call.scene) for place in (0, 1))
    if not one or not other:
        raise SourceError(f"scene {call.scene.id}: an object has no {kind} to compare")
    return one == other


def _common(call: _Call) -> str:
    sharing = [kind for kind in ("color", "material") if all(_values(call.one(i), kind, call.scene) for i in (0, 1))]
    return _only(call, [kind for kind in sharing if _shared(call, kind)])


_RULES: Mapping[str, Callable[[_Call], Found | str]] = MappingProxyType(
    {
        "select": _select,
        "filter": _filter,
        "relate": _Call.related,
        "exist": lambda call: _yes(bool(call.found())),
        "verify": _verify,
        "verify rel": _verify_relation,
        "query": _query,
        "choose": _choose,
        "choose rel": _choose_relation,
        "choose larger": _choose_by_area,
        "choose smaller": _choose_by_area,
        "and": lambda call: _yes(all(call.answers())),
        "or": lambda call: _yes(any(call.answers())),
        "same": lambda call: _yes(_shared(call, call.detail)),
        "different": lambda call: _yes(not _shared(call, call.detail)),
        "common": _common,
        "count": lambda call: str(len(call.found())),
    }
)
