"""Word lists of the foils, and sentences rewritten in several spans at once."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from counterpoint.language.lexicon.word_lists import split_list

DATA = Path(__file__).parent / "data"
"""The folder of the word lists."""


class Rewrite(NamedTuple):
    """A span of a text, and its replacement in the caption and in the foil."""

    start: int
    end: int
    caption: str
    foil: str

    def ordered(self, first: int) -> "Rewrite":
        """The rewrite, with caption and foil exchanged if `first` is 1."""
        return self._replace(caption=self.foil, foil=self.caption) if first else self


def apply_rewrites(text: str, rewrites: Iterable[Rewrite]) -> tuple[str, str]:
    """A text with its spans rewritten, as a caption and as a foil; the capital of a sentence is kept.

    >>> apply_rewrites("A dog is here.", [Rewrite(0, 5, "exactly one dog", "some dogs"), Rewrite(6, 8, "is", "are")])
    ('Exactly one dog is here.', 'Some dogs are here.')
    """
    caption, foil, place = "", "", 0
    for rewrite in sorted(rewrites):
        unchanged, capital = (
            text[place : rewrite.start],
            text[rewrite.start : rewrite.start + 1].isupper() and _begins(text[: rewrite.start]),
        )
        caption += unchanged + _begun(rewrite.caption, capital)
        foil += unchanged + _begun(rewrite.foil, capital)
        place = rewrite.end
    return caption + text[place:], foil + text[place:]


def _begins(before: str) -> bool:
    """Whether a sentence begins after this: a Frisbee in the middle of one is no reason for a capital."""
    return not before.strip() or before.rstrip().endswith((".", "!", "?"))


def _begun(text: str, capital: bool) -> str:
    return text[:1].upper() + text[1:] if capital else text


@cache
def read_lists(name: str) -> Mapping[str, Any]:
    """The content of one file of word lists."""
    return tomllib.loads((DATA / f"{name}.toml").read_text("utf-8"))


@cache
def listed_words(name: str, key: str) -> frozenset[str]:
    """One list of a file: words or phrases between commas."""
    return frozenset(split_list(read_lists(name)[key]))
