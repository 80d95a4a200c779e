"""Names of relations: which read well in a sentence, and which exclude each other."""

import tomllib
from collections.abc import Mapping
from functools import cache

from counterpoint.language.lexicon.word_lists import split_list
from counterpoint.scenes.ambiguity import DATA


@cache
def can_follow_noun(relation: str) -> bool:
    """Whether a relation reads well after a noun: "a cup on the table", but nothing "of" it."""
    return relation in _list("said")


@cache
def is_exclusive(relation: str) -> bool:
    """Whether an object has this relation with one other at a time: one umbrella is held by one person."""
    return relation in _list("alone")


def opposed_relation(relation: str) -> str:
    """The relation that excludes this one between the same two objects, or nothing.

    >>> opposed_relation("behind"), opposed_relation("on")
    ('in front of', '')
    """
    return _opposed().get(relation, "")


@cache
def _opposed() -> Mapping[str, str]:
    pairs = (split_list(row) for row in _file()["opposed"])
    return {one: other for first, second in pairs for one, other in ((first, second), (second, first))}


@cache
def _list(key: str) -> frozenset[str]:
    return frozenset(split_list(str(_file()[key])))


@cache
def _file() -> Mapping[str, str | list[str]]:
    return tomllib.loads((DATA / "relations.toml").read_text("utf-8"))
