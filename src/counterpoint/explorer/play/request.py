"""What a visitor plays with, read once from an address, a form or JSON: a picture, edits of it, and texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from urllib.parse import urlencode

from counterpoint.core.errors import CounterpointError
from counterpoint.core.pictures import Box, Edit, Picture, Size
from counterpoint.pictures.edits import Foreground, blur_around, crop_around, mean_around
from counterpoint.pictures.noise import SEVERITIES, STRENGTHS, noise_edit
from counterpoint.pictures.patch_shuffle import shuffle_edit
from counterpoint.pictures.transforms import TRANSFORMS

MAX_TEXT = 500
"""Characters of a text, at most."""
MODES = ("question", "captions")
PATCHES = (2, 4, 8)
"""Rows and columns of a shuffled picture at each severity."""
FAMILIES: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "Noise": dict.fromkeys(STRENGTHS, SEVERITIES),
        "Changes": {name: len(edits) for name, edits in TRANSFORMS.items()},
        "Without its content": {"shuffle": len(PATCHES), "blank": 1},
    }
)
"""Every edit that can be moved, by family, with its highest severity."""
EDITS: Mapping[str, int] = MappingProxyType({name: most for own in FAMILIES.values() for name, most in own.items()})
"""Every edit that can be moved, with its highest severity."""
MASKS: Mapping[str, str] = MappingProxyType(
    {
        "": "no mask",
        "hide": "hide what is in the box",
        "keep": "hide all but the box",
        "blur": "blur all but the box",
        "cut": "cut down to the box",
    }
)
"""What can be done with a box in the picture."""
TEXTS = (
    *("suite", "query", "dropped"),  # which picture
    *("mode", "question", "choices", "first", "second", "swap", "into"),  # what is asked
    "mask",
)
"""Every text."""
NUMBERS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "x": (0, 100),
        "y": (0, 100),
        "w": (0, 100),
        "h": (0, 100),
        "draw": (1, 999),
        "noise": (1, 3),
        "page": (1, 100_000),
        "words": (0, 1),
        **{name: (0, most) for name, most in EDITS.items()},
    }
)
"""Every number, with the least and the most that it may be."""

_WHOLE, _GRAY, _BLUR = Size(100, 100), (128, 128, 128), "3"  # boxes are in per cent of the picture, and so is the blur


class MalformedRequest(CounterpointError):  # noqa: N818 - it reads as what it says
    """What was sent cannot be understood."""

    status_code = 400


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """A picture of the lab, by suite and query, or one that was dropped in; what is done to it; and what is asked.

    A box is in per cent of the picture. Severities are by the name of an edit, and none of them is 0.
    """

    suite: str = ""
    query: str = ""
    dropped: str = ""
    mode: str = "question"
    question: str = ""
    choices: str = ""
    first: str = ""
    second: str = ""
    swap: str = ""
    into: str = ""
    mask: str = ""
    x: int = 25
    y: int = 25
    w: int = 50
    h: int = 50
    draw: int = 1
    noise: int = 1  # how much noise there is in words
    words: int | None = None  # whether a question is also asked in other words; where nothing is said, it depends
    page: int = 1  # of the pictures to choose from
    severities: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, given: Mapping[str, object], *, strict: bool = False) -> "PlayRequest":
        """What was sent; where it is `strict`, names that nobody knows are refused as well."""
        unknown = sorted(set(given) - set(TEXTS) - set(NUMBERS))
        if strict and unknown:
            raise MalformedRequest(f"{unknown[0][:40]!r} is unknown", hint=f"there are {', '.join([*TEXTS, *NUMBERS])}")
        said = {name: _text(name, given[name]) for name in TEXTS if name in given}
        numbers = {name: number for name in NUMBERS if (number := _number(name, given.get(name))) is not None}
        for name, known in (("mode", MODES), ("mask", tuple(MASKS))):
            if said.get(name, known[0]) not in known:
                raise MalformedRequest(f"{name} is {said[name]!r}", hint=f"it may be {', '.join(filter(None, known))}")
        own = {name: number for name, number in numbers.items() if name not in EDITS}
        moved = {name: numbers[name] for name in EDITS if numbers.get(name)}
        return cls(**said, **own, severities=moved)  # type: ignore[arg-type] # each name has its own type above

    @property
    def listed(self) -> tuple[str, ...]:
        """The answers to choose from."""
        return tuple(filter(None, map(str.strip, self.choices.split(","))))

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The chain of edits: the mask first, as it is drawn on the picture as it was; noise last, as in a camera."""
        found = list(self._masked())
        found += [TRANSFORMS[name][self.severities[name] - 1] for name in TRANSFORMS if name in self.severities]
        if "shuffle" in self.severities:
            found.append(shuffle_edit(PATCHES[self.severities["shuffle"] - 1], seed=self.draw))
        if "blank" in self.severities:
            found.append(Edit("mean-color"))
        found += [noise_edit(name, self.severities[name], self.draw) for name in STRENGTHS if name in self.severities]
        return tuple(found)

    def said(self, **changes: str) -> dict[str, str]:
        """What of it an address has to say, with some of it changed."""
        usual, found = PlayRequest(), dict[str, str]()
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name == "severities":
                found |= {name: str(number) for name, number in value.items()}
            elif value is not None and value != getattr(usual, one.name):
                found[one.name] = str(value)
        boxed = {
            name: value for name, value in (found | changes).items() if self.mask or name not in ("x", "y", "w", "h")
        }
        return {name: value for name, value in boxed.items() if value}

    def address(self, path: str = "/play", **changes: str) -> str:
        """Where this is shown, with some of it changed."""
        said = self.said(**changes)
        return f"{path}?{urlencode(said)}" if said else path

    def shown(self) -> str:
        """Where the picture is, as it is shown to the models."""
        texts = dict.fromkeys(("mode", "question", "choices", "first", "second", "swap", "into", "noise", "words"), "")
        drawn = {} if self.edits and any(edit.seed for edit in self.edits) else {"draw": ""}
        return self.address("/play/picture.png", page="", **texts, **drawn)

    def _masked(self) -> Sequence[Edit]:
        box = Box(self.x, self.y, min(self.w, 100 - self.x), min(self.h, 100 - self.y))
        if not self.mask or not box.area:
            return ()
        kept = Foreground((box,), _WHOLE)
        if self.mask == "keep":
            return (mean_around(kept, _GRAY),)
        if self.mask == "blur":
            return (blur_around(kept, _BLUR),)
        if self.mask == "cut":
            return (crop_around(kept),)
        rest = _beside(box)
        return (mean_around(Foreground(rest, _WHOLE), _GRAY) if rest else Edit("mean-color"),)


def apply_request(picture: Picture | None, asked: PlayRequest) -> Picture | None:
    """The picture with the edits that a visitor has chosen, after those that it has already."""
    return picture.edited(*asked.edits) if picture is not None else None


def _beside(box: Box) -> tuple[Box, ...]:
    """All of the picture but a box, as boxes."""
    across, down = _WHOLE.width, _WHOLE.height
    around = (
        Box(0, 0, across, box.y),
        Box(0, box.bottom, across, down - box.bottom),
        Box(0, box.y, box.x, box.height),
        Box(box.right, box.y, across - box.right, box.height),
    )
    return tuple(one for one in around if one.area)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise MalformedRequest(f"{name} is {type(value).__name__}", hint="it is a text")
    if len(value) > MAX_TEXT:
        raise MalformedRequest(f"{name} has {len(value):,} characters", hint=f"it may have {MAX_TEXT}")
    return value.replace("\0", "").encode("utf-8", "replace").decode()


def _number(name: str, value: object) -> int | None:
    """A whole number, or its digits; what is empty is not said."""
    if value is None or value == "":
        return None
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 8:
        value = int(value)
    least, most = NUMBERS[name]
    if not isinstance(value, int) or not least <= value <= most:
        raise MalformedRequest(f"{name} is {str(value)[:40]!r}", hint=f"it is a whole number from {least} to {most}")
    return int(value)
