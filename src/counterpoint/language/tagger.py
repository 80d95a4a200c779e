"""Part-of-speech tags by the Hanover Tagger, loaded on first use."""

from functools import cache, lru_cache
from typing import Any

NOUN_PREFIXES = ("NN", "NP")
"""How the tags of nouns begin."""


@lru_cache(1 << 15)
def tag_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """The part-of-speech tag of each word of a sentence, in the C5 tag set of the British National Corpus.

    >>> tag_words(("How", "many", "dogs", "are", "here", "?"))
    ('AVQ', 'DT0', 'NN2', 'VBB', 'AV0', 'PUN')
    """
    return tuple(str(tag) for _, _, tag in _tagger().tag_sent(list(words))) if words else ()


def is_noun(tag: str) -> bool:
    """Whether a tag is that of a common or proper noun."""
    return tag.startswith(NOUN_PREFIXES)


@cache
def _tagger() -> Any:
    from HanTa.HanoverTagger import HanoverTagger  # takes 0.4 s to import

    return HanoverTagger("morphmodel_en.pgz")
