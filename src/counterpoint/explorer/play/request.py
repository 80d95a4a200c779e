"""The inputs of "Try a model", parsed once from an address, a form or JSON: a picture, its edits, and texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from urllib.parse import urlencode

from counterpoint.core.errors import CounterpointError
from counterpoint.core.pictures import Box, Edit, Picture, Size
from counterpoint.pictures.edits import Foreground, blur_around, crop_around, mean_around
from counterpoint.pictures.noise import SEVERITIES, STRENGTHS, noise_edit
from counterpoint.pictures.transforms import TRANSFORMS, shuffle_edit

MAX_TEXT = 500
"""Characters of a text."""
MODES = ("question", "captions")
PATCHES = (2, 4, 8)
"""Rows and columns of a shuffled picture at each severity."""
FAMILIES: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "Noise": dict.fromkeys(STRENGTHS, SEVERITIES),
        "Changes": {name: len(edits) for name, edits in TRANSFORMS.items()},
        "Without content": {"shuffle": len(PATCHES), "blank": 1},
    }
)
"""The edits by family, each with its highest severity."""
EDITS: Mapping[str, int] = MappingProxyType({name: most for edits in FAMILIES.values() for name, most in edits.items()})
"""The edits, each with its highest severity."""
MASKS: Mapping[str, str] = MappingProxyType(
    {
        "": "no mask",
        "hide": "hide the box",
        "keep": "hide all but the box",
        "blur": "blur all but the box",
        "cut": "cut down to the box",
    }
)
"""The operations of a mask on its box, with their labels."""
TEXTS = (
    *("suite", "query", "dropped"),  # which picture
    *("mode", "question", "choices", "first", "second", "swap", "into"),  # what is asked
    "mask",
)
"""The names of text inputs."""
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
"""The names of numeric inputs, with their least and greatest values."""

_WHOLE, _GRAY, _BLUR = Size(100, 100), (128, 128, 128), "3"  # boxes are in per cent of the picture, and so is the blur


class MalformedRequest(CounterpointError):  # noqa: N818 - it reads as what it says
    """The inputs cannot be parsed."""

    status_code = 400


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """A picture of the lab, by suite and query, or an uploaded one; its edits; and the texts.

    A box is in per cent of the picture. Severities are by name of an edit, without those that are 0.
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
    draw: int = 1  # the seed of noise and of shuffling
    noise: int = 1  # severity of noise in words
    words: int | None = None  # whether a question is also asked in other words; None leaves it to the models
    page: int = 1  # of the list of pictures
    severities: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, given: Mapping[str, object], *, strict: bool = False) -> "PlayRequest":
        """Parse the inputs by name; `strict` rejects unknown names."""
        unknown = sorted(set(given) - set(TEXTS) - set(NUMBERS))
        if strict and unknown:
            raise MalformedRequest(f"{unknown[0][:40]!r} is unknown", hint=f"there are {', '.join([*TEXTS, *NUMBERS])}")
        texts = {name: _text(name, given[name]) for name in TEXTS if name in given}
        numbers = {name: number for name in NUMBERS if (number := _number(name, given.get(name))) is not None}
        for name, known in (("mode", MODES), ("mask", tuple(MASKS))):
            if texts.get(name, known[0]) not in known:
                raise MalformedRequest(f"{name} is {texts[name]!r}", hint=f"it may be {', '.join(filter(None, known))}")
        others = {name: number for name, number in numbers.items() if name not in EDITS}
        severities = {name: numbers[name] for name in EDITS if numbers.get(name)}
        return cls(**texts, **others, severities=severities)  # type: ignore[arg-type] # each name has its own type above

    @property
    def choice_list(self) -> tuple[str, ...]:
        """The answers to choose from."""
        return tuple(filter(None, map(str.strip, self.choices.split(","))))

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The chain of edits: the mask first, as its box refers to the original; noise last, as in a camera."""
        edits = list(self._mask_edits())
        edits += [TRANSFORMS[name][self.severities[name] - 1] for name in TRANSFORMS if name in self.severities]
        if "shuffle" in self.severities:
            edits.append(shuffle_edit(PATCHES[self.severities["shuffle"] - 1], seed=self.draw))
        if "blank" in self.severities:
            edits.append(Edit("mean-color"))
        edits += [noise_edit(name, self.severities[name], self.draw) for name in STRENGTHS if name in self.severities]
        return tuple(edits)

    def parameters(self, **changes: str) -> dict[str, str]:
        """The inputs that differ from their defaults, as address parameters, with some of them changed."""
        default, inputs = PlayRequest(), dict[str, str]()
        for field_ in fields(self):
            value = getattr(self, field_.name)
            if field_.name == "severities":
                inputs |= {name: str(number) for name, number in value.items()}
            elif value is not None and value != getattr(default, field_.name):
                inputs[field_.name] = str(value)
        unused = () if self.mask else ("x", "y", "w", "h")
        return {name: value for name, value in (inputs | changes).items() if value and name not in unused}

    def address(self, path: str = "/play", **changes: str) -> str:
        """The address of the page with these inputs, some of them changed."""
        parameters = self.parameters(**changes)
        return f"{path}?{urlencode(parameters)}" if parameters else path

    def picture_address(self) -> str:
        """The address of the picture with its edits, as models are shown it."""
        texts = dict.fromkeys(("mode", "question", "choices", "first", "second", "swap", "into", "noise", "words"), "")
        drawn = {} if self.edits and any(edit.seed for edit in self.edits) else {"draw": ""}
        return self.address("/play/picture.png", page="", **texts, **drawn)

    def _mask_edits(self) -> Sequence[Edit]:
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


def apply_request(picture: Picture | None, play: PlayRequest) -> Picture | None:
    """The picture with the chosen edits after those that it has already."""
    return picture.edited(*play.edits) if picture is not None else None


def _beside(box: Box) -> tuple[Box, ...]:
    """Boxes that cover all of the picture but a box."""
    across, down = _WHOLE.width, _WHOLE.height
    around = (
        Box(0, 0, across, box.y),
        Box(0, box.bottom, across, down - box.bottom),
        Box(0, box.y, box.x, box.height),
        Box(box.right, box.y, across - box.right, box.height),
    )
    return tuple(side for side in around if side.area)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise MalformedRequest(f"{name} is {type(value).__name__}", hint="it must be a text")
    if len(value) > MAX_TEXT:
        raise MalformedRequest(f"{name} has {len(value):,} characters", hint=f"it may have {MAX_TEXT}")
    return value.replace("\0", "").encode("utf-8", "replace").decode()


def _number(name: str, value: object) -> int | None:
    """A whole number, or its digits; None if it is empty."""
    if value is None or value == "":
        return None
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 8:
        value = int(value)
    least, most = NUMBERS[name]
    if not isinstance(value, int) or not least <= value <= most:
        raise MalformedRequest(f"{name} is {str(value)[:40]!r}", hint=f"it is a whole number from {least} to {most}")
    return int(value)
