"""Random values of the core, small enough to be read when a property fails."""

from hypothesis import strategies as st

from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.ids import Plain
from counterpoint.core.pictures import Box, Edit, Picture, Size
from counterpoint.core.scenes import Link, Scene, SceneObject

texts = st.text(st.characters(), max_size=12)
"""Any Unicode, lone surrogates included: annotation files hold everything."""
odd_texts = st.text(st.sampled_from('a1,"\\[]\x1f\0\n\u2028\ud800é́'), max_size=6)
"""Texts of the signs that separate, quote and escape."""
words = st.sampled_from(["cat", "dog", "cup", "table", "red", "on", "near"])


def plains() -> st.SearchStrategy[Plain]:
    """What a content id can be made of."""
    leaves = st.one_of(texts, odd_texts, st.integers(-(2**70), 2**70))
    return st.recursive(leaves, lambda inner: st.lists(inner, max_size=4), max_leaves=8)


@st.composite
def boxes(draw: st.DrawFn, size: int = 24) -> Box:
    """Boxes with at least one pixel on a small picture."""
    x, y = draw(st.integers(0, size - 1)), draw(st.integers(0, size - 1))
    return Box(x, y, draw(st.integers(1, size - x)), draw(st.integers(1, size - y)))


def edits() -> st.SearchStrategy[Edit]:
    """Edits by name; whether there is such an edit is not asked."""
    arguments = st.lists(st.one_of(st.integers(0, 99), st.sampled_from(["6", "0.025"])), max_size=3)
    return st.builds(Edit, st.sampled_from(["blur", "crop", "noise"]), arguments.map(tuple), st.integers(0, 3))


def pictures() -> st.SearchStrategy[Picture]:
    """Addresses with and without edits."""
    addresses = st.one_of(st.sampled_from(["world:test/000007.png", "coco:7.jpg"]), texts)
    return st.builds(Picture, addresses, st.lists(edits(), max_size=2).map(tuple))


def queries() -> st.SearchStrategy[Query]:
    """Queries with every field filled or left out."""
    choices = st.lists(st.one_of(words, odd_texts), max_size=3).map(tuple)
    feature_edits = st.lists(edits(), max_size=2).map(tuple)
    return st.builds(
        Query, st.none() | pictures(), texts, st.sampled_from(Mode), choices, st.one_of(texts, odd_texts), feature_edits
    )


@st.composite
def groups(draw: st.DrawFn) -> Group:
    """Groups of one to four queries."""
    asked = tuple(draw(st.lists(queries(), min_size=1, max_size=4)))
    gold = tuple(draw(st.none() | st.builds(Gold.of, words)) for _ in asked)
    return Group(draw(st.sampled_from(Relation)), asked, gold)


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Scenes of up to six objects, any of which may relate to any other, in any number of ways."""
    count = draw(st.integers(0, 6))
    ids = [str(number) for number in range(count)]
    attributes = st.lists(words, max_size=2, unique=True).map(tuple)
    objects = tuple(SceneObject(one, draw(words), draw(attributes), draw(st.none() | boxes())) for one in ids)
    link = st.builds(Link, st.sampled_from(ids), words, st.sampled_from(ids)) if ids else st.nothing()
    relations = tuple(draw(st.lists(link, max_size=8))) if ids else ()
    return Scene(draw(words), draw(pictures()), Size(24, 24), objects, relations, draw(words), draw(words))
