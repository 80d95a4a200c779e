"""Questions in words: the sentences of every kind, those of them that fit, and groups made of them."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from string import Formatter

from counterpoint.core.groups import Group, Query, Relation
from counterpoint.core.scenes import Scene
from counterpoint.language.english import a, any_of, be, do, is_mass, is_plural, it, listed, question
from counterpoint.suites.arguments import Asked
from counterpoint.suites.doubts import DATA, words
from counterpoint.suites.looks import bare, predicate

Wording = tuple[str, Asked]
"""A template and what it is filled with."""


@cache
def templates(kind: str) -> tuple[str, ...]:
    """The sentences of a kind of question, in the order of the file."""
    found: Mapping[str, Mapping[str, list[str]]] = tomllib.loads((DATA / "templates.toml").read_text("utf-8"))
    return tuple(found[kind]["templates"])


def fitting(asked: Asked) -> list[str]:
    """The templates that can say this and agree with its words."""
    slots = _slots(asked)
    return [template for template in templates(asked.kind) if _needs(template) <= slots.keys()]


def worded(template: str, asked: Asked) -> str:
    """The question in words."""
    return question(template.format_map(_slots(asked)))


def grouped(scene: Scene, wordings: Sequence[Wording]) -> Group:
    """A group of one question in several wordings, all of which must be answered alike."""
    base = wordings[0][1]
    tags = (("answer", base.gold.best), *base.tags)
    return Group(
        relation=Relation.SAME,
        queries=tuple(Query(scene.picture, worded(template, asked)) for template, asked in wordings),
        gold=(base.gold,) * len(wordings),
        proof=base.proof,
        kind=base.kind,
        objects=base.objects,
        size=scene.size,
        tags=tuple((("template", template), *tags) for template, _ in wordings),
    )


def spoken(text: str) -> list[str]:
    """The words of a question, in lower case and without marks."""
    return re.findall(r"[\w'-]+", text.lower())


@cache
def _needs(template: str) -> frozenset[str]:
    return frozenset(slot for _, slot, _, _ in Formatter().parse(template) if slot)


def _slots(asked: Asked) -> dict[str, str]:
    if asked.kind.endswith("choice"):
        return _choice(asked)
    return _said(asked, predicate(asked.options)) if asked.about else _there(asked)


def _there(asked: Asked) -> dict[str, str]:
    first, *rest = asked.options
    if not rest:
        return {"x": a(first), "any": any_of(first), "be": be(first), "do": do(first)}
    both = {"x": _one_or_bare(first), "y": _one_or_bare(rest[0])}
    return both | ({"is": "is"} if all(be(one) == "is" for one in asked.options) else {})


def _one_or_bare(noun: str) -> str:
    """As `a`, without "some": "both a bus and ice cream"."""
    return noun if is_mass(noun) or is_plural(noun) else a(noun)


def _said(asked: Asked, value: str) -> dict[str, str]:
    about = asked.about
    return {"the": f"the {about}", "be": be(about), "do": do(about), "it": it(about), "v": value}


def _choice(asked: Asked) -> dict[str, str]:
    if asked.kind == "object choice":
        return _said(asked, listed([a(one) for one in asked.options], "or"))
    named = {"sort": asked.sort} if asked.sort in words("attributes.with_a_name") else {}
    return _said(asked, predicate(asked.options)) | {"w": bare(asked.options)} | named
