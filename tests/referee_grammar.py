"""The referee's grammar: a question is a claim about what is there, a claim about one thing, or a choice for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from referee_words import FRAME, PICTURE, SORTS, Piece, Thing, Value, Vocabulary, pieces

DENIALS = frozenset(("not", "unable", "false", "untrue", "wrong"))
LACKS = frozenset(("missing", "absent", "lack", "lacks", "without"))


class UnreadError(Exception):
    """A question that the grammar has no reading for."""


@dataclass(frozen=True, slots=True)
class There:
    """A claim that there is such a thing, or that there is none."""

    thing: Thing
    holds: bool = True


@dataclass(frozen=True, slots=True)
class Joined:
    """Claims joined by "and" or by "or"; the whole may be denied."""

    claims: tuple[There, ...]
    every: bool
    holds: bool = True


@dataclass(frozen=True, slots=True)
class Said:
    """A claim that one thing is so, or is a so-and-so."""

    topic: Thing
    value: Value | Thing
    holds: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of several is true of one thing."""

    topic: Thing
    options: tuple[Value | Thing, ...]


Reading = Joined | Said | Choice
"""What a question asks."""


def read(text: str, words: Vocabulary) -> Reading:
    """What a question asks, from its words alone."""
    found = _without_frame(pieces(text, words), text)
    topics = [one for one in found if isinstance(one, Thing) and one.article == "the"]
    return _about(topics[0], found, text) if topics else _existence(found, text)


def _without_frame(found: Sequence[Piece], text: str) -> list[Piece]:
    """The same without talk of the picture; a word that is left over and unknown makes the question unreadable."""
    kept: list[Piece] = []
    for one in found:
        if isinstance(one, str):
            if one in PICTURE or one in SORTS:
                continue
            if one not in FRAME | DENIALS | LACKS | {"neither", "nor", "no"}:
                raise UnreadError(f"{one!r} in {text!r}")
        kept.append(one)
    return kept


def _about(topic: Thing, found: Sequence[Piece], text: str) -> Reading:
    rest = [one for one in found if one is not topic]
    options = tuple(_option(one) for one in rest if not isinstance(one, str))
    said = [one for one in rest if isinstance(one, str)]
    if said[-2:] == ["or", "not"]:
        said = said[:-2]
    if len(options) == 1:
        return Said(topic, options[0], holds=sum(word in DENIALS for word in said) % 2 == 0)
    if len(options) < 2 or "or" not in said or DENIALS & set(said):
        raise UnreadError(text)
    return Choice(topic, options)


def _option(one: Thing | Value) -> Thing | Value:
    return Value(one.bare_value) if isinstance(one, Thing) and one.bare_value else one


def _existence(found: Sequence[Piece], text: str) -> Reading:
    things = [one for one in found if isinstance(one, Thing)]
    said = [one for one in found if isinstance(one, str)]
    if not 1 <= len(things) <= 2 or any(isinstance(one, Value) for one in found):
        raise UnreadError(text)
    between = _between(found, things)
    if len(things) == 2 and not {"and", "or", "nor", "well"} & set(between):
        raise UnreadError(text)
    if "neither" in said or "nor" in said:
        return Joined(tuple(There(thing, False) for thing in things), every=True)
    none = [thing.article == "no" for thing in things]
    lacking = any(word in LACKS for word in said)
    every = len(things) == 1 or "or" not in between
    if len(things) == 2 and none[0] and not none[1]:
        if "or" not in between:
            raise UnreadError(text)
        none, every = [True, True], True  # "no cat or dog" is no cat and no dog
    claims = tuple(There(one, holds=bare == lacking) for one, bare in zip(things, none, strict=True))
    return Joined(claims, every, holds=sum(word in DENIALS for word in said) % 2 == 0)


def _between(found: Sequence[Piece], things: Sequence[Thing]) -> list[str]:
    if len(things) < 2:
        return []
    first, second = (next(place for place, one in enumerate(found) if one is thing) for thing in things)
    return [one for one in found[first:second] if isinstance(one, str)]
