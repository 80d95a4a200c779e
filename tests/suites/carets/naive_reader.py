"""A second opinion: reads the words of a question and looks at the annotation, with none of the generator's rules."""

import re
from collections.abc import Collection, Iterator

from counterpoint.core.scenes import Scene, SceneObject

_NOUNS = {"wood": "wooden"}  # a material as a noun, and as it is annotated


def answer(kind: str, text: str, scene: Scene, names: Collection[str], values: Collection[str]) -> str:
    """What the annotation says to a question of this kind."""
    if kind == "object choice":
        value = next(word for word in re.findall(r"\bthe (\w+)", text.lower()) if word in values)
        options = [name for _, name in _read(text.lower().replace(f"the {value}", "", 1), names, values)[0]]
        (right,) = (name for name in options if any(_is(one, name, value) for one in scene.objects))
        return right
    if kind in ("object verification", "conjunctive verification", "disjunctive verification"):
        things, _ = _read(text, names, values)
        found = [any(_is(one, name, value) for one in scene.objects) for value, name in things]
        return _said(any(found) if kind.startswith("disj") else all(found))
    called = re.search(rf"\bthe (?:({_either(values)}) )?({_either(names)})\b", text.lower())
    assert called, text
    value, name = called[1] or "", called[2]
    _, free = _read(text.lower().replace(called[0], "", 1), (), values)
    (thing,) = (one for one in scene.objects if _is(one, name, value))
    if kind == "attribute verification":
        (asked,) = free
        return _said(asked in thing.attributes)
    (right,) = (one for one in free if one in thing.attributes)
    return "wood" if right == "wooden" else right


def _either(words: Collection[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


def _said(truth: bool) -> str:
    return "yes" if truth else "no"


def _is(one: SceneObject, name: str, value: str) -> bool:
    return one.name == name and (not value or value in one.attributes)


def _read(text: str, names: Collection[str], values: Collection[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Things with the value before each, and the values that stand alone."""
    things, free, waiting = list[tuple[str, str]](), list[str](), ""
    for is_name, word in _words(text, names, values):
        if is_name:
            things.append((waiting, word))
        elif waiting:
            free.append(waiting)
        waiting = word if is_name is False else ""
    return things, [*free, waiting] if waiting else free


def _words(text: str, names: Collection[str], values: Collection[str]) -> Iterator[tuple[bool | None, str]]:
    """Names, values, and None for any other word, from left to right, the longest first."""
    tokens, place = re.findall(r"[\w'-]+", text.lower()), 0
    while place < len(tokens):
        for length in (3, 2, 1):
            word = " ".join(tokens[place : place + length])
            if word in names and not (word in values and _starts(tokens[place + 1 :], names)):
                yield True, word
                break
            if _NOUNS.get(word, word) in values:
                yield False, _NOUNS.get(word, word)
                break
        else:
            length = 1
            yield None, ""
        place += length


def _starts(tokens: list[str], names: Collection[str]) -> bool:
    return any(" ".join(tokens[:length]) in names for length in (1, 2, 3) if len(tokens) >= length)
