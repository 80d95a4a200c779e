"""Groups and answers that can be kept in tables: any whole characters, every field filled or left out."""

from hypothesis import strategies as st
from proving import examples

from counterpoint.core.costs import Usage
from counterpoint.core.groups import Answer, Gold, Group, Mode, Query, Relation, State
from counterpoint.core.pictures import Box, Edit, Picture, Size
from counterpoint.core.scenes import SceneObject

calm = examples(50)
"""Tables are slow to write, so few examples are enough."""
odd = st.sampled_from(
    ["", "a", "6", ",", '"', "\\", "[]", "{}", "\x1f", "\0", "\n", "\u2028", "e\u0301", "é", "𝄞", "a;1:b"]
)
texts = odd | st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
numbers = st.integers(-(2**31), 2**31 - 1)


def edits() -> st.SearchStrategy[tuple[Edit, ...]]:
    """Chains whose arguments are numbers, and texts that look like numbers."""
    argument = st.sampled_from([6, -1, 2**70, "6", "0.025"]) | odd
    return st.lists(st.builds(Edit, odd, st.lists(argument, max_size=2).map(tuple), numbers), max_size=2).map(tuple)


def queries() -> st.SearchStrategy[Query]:
    """Queries with and without a picture."""
    pictures = st.none() | st.builds(Picture, texts, edits())
    choices = st.lists(texts, max_size=3).map(tuple)
    return st.builds(Query, pictures, texts, st.sampled_from(Mode), choices, texts, edits())


@st.composite
def groups(draw: st.DrawFn) -> Group:
    """Groups of one to three queries, with whatever a group can have."""
    asked = tuple(draw(st.lists(queries(), min_size=1, max_size=3)))
    credit = st.tuples(texts, st.floats(0, 1))
    gold = st.none() | st.builds(Gold, st.lists(credit, max_size=2).map(tuple))
    boxes = st.none() | st.builds(Box, numbers, numbers, numbers, numbers)
    objects = st.lists(st.builds(SceneObject, texts, texts, box=boxes), max_size=2).map(tuple)
    tags = st.lists(st.tuples(texts, texts), max_size=2).map(tuple)
    return Group(
        draw(st.sampled_from(Relation)),
        asked,
        tuple(draw(gold) for _ in asked),
        proof=draw(texts),
        kind=draw(texts),
        objects=draw(objects),
        size=draw(st.none() | st.builds(Size, numbers, numbers)),
        tags=draw(st.just(()) | st.tuples(*(tags for _ in asked))),
    )


def pairs(most: int = 4) -> st.SearchStrategy[list[tuple[str, Group]]]:
    """Tests with groups, at least one."""
    return st.lists(st.tuples(texts, groups()), min_size=1, max_size=most)


def answers() -> st.SearchStrategy[Answer]:
    """Answers in every state; a reply may hold half a character."""
    replies = texts | st.just("half \ud800 a character")
    top = st.lists(st.tuples(texts, st.floats(0, 1, width=32)), max_size=2).map(tuple)
    scores, usage = st.none() | st.floats(0, 1), st.none() | st.builds(Usage, st.integers(0, 9), st.integers(0, 9))
    return st.builds(Answer, replies, texts, texts, st.sampled_from(State), scores, top, texts, usage)


def some_groups(count: int = 3) -> list[tuple[str, Group]]:
    """Plain groups of two queries, each on its own picture."""
    made = []
    for number in range(count):
        picture = Picture(f"world:test/{number:06}.png")
        asked = (Query(picture, "Is there a cat?"), Query(picture, "Do you see a cat?", choices=("yes", "no")))
        tags = ((), (("template", "see"),))
        cat = SceneObject("1", "cat", box=Box(1, 2, 3, 4))
        gold = (Gold.of("yes"),) * 2
        made.append(("words", Group(Relation.SAME, asked, gold, "it is there", "exist", (cat,), Size(9, 9), tags)))
    return made
