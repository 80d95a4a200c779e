"""Captions for tests of foils: a small world of sentences in which words stand with many others."""

from collections.abc import Iterator

from hypothesis import strategies as st

from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture

SUBJECTS = ("a dog", "two dogs", "a cat", "some cats", "a bird", "three birds", "a horse", "several horses")
PLACES = ("on", "under", "next to", "behind", "in front of", "on top of", "in")
THINGS = ("a bench", "a car", "the bed", "a truck", "a box")


def caption(text: str, number: int = 7) -> Caption:
    """A sentence about a picture of its own."""
    return Caption(f"{number}", Picture(f"coco:{number:012}.jpg"), text)


def every_caption() -> Iterator[Caption]:
    """Every subject at every place, each of its own picture."""
    texts = (f"{who} sitting {where} {what}." for who in SUBJECTS for where in PLACES for what in THINGS)
    yield from (caption(text[0].upper() + text[1:], number) for number, text in enumerate(texts))


def sentences() -> st.SearchStrategy[str]:
    """Sentences as captions have them, some of them odd."""
    verbs = st.sampled_from(["is", "are", "sits", "sit", "holding", "that has", "and", "with", ""])
    parts = st.tuples(st.sampled_from(SUBJECTS), verbs, st.sampled_from(PLACES), st.sampled_from((*THINGS, "its tail")))
    return st.lists(parts, min_size=1, max_size=3).map(lambda rows: " ".join(" ".join(row) for row in rows) + ".")
