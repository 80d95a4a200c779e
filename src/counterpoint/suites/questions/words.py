"""The word lists of the rewrites, and whether a text has a word of one."""

import re
from functools import lru_cache, partial
from pathlib import Path

from counterpoint.language.lexicon.word_lists import word_list

DATA = Path(__file__).parent / "data"
"""The folder of the word lists."""
listed_words = partial(word_list, "rewrites", folder=DATA)
"""One word list: `listed_words("measures")`."""
SIGNS = re.compile(r"[^\w\s'’-]|\d")
"""Digits, and signs that end a clause or join two."""


def has_word(text: str, key: str) -> bool:
    """Whether a text has a word or phrase of a list, or a contracted "not"."""
    return bool(_pattern(key).search(text.lower()))


@lru_cache
def _pattern(key: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(listed_words(key))))})(?!\w)|n't\b")
