"""Parts of speech, by a tagger that is loaded when it is first asked."""

from functools import cache, lru_cache
from typing import Any

NOUN_PREFIXES = ("NN", "NP")
"""How the tags of nouns begin."""


@lru_cache(1 << 15)
def tag_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """The part of speech of each word of a sentence, in the tags of the British National Corpus (C5).

    >>> tagged(("How", "many", "dogs", "are", "here", "?"))
    ('AVQ', 'DT0', 'NN2', 'VBB', 'AV0', 'PUN')
    """
    return tuple(str(tag) for _, _, tag in _tagger().tag_sent(list(words))) if words else ()


def is_noun(tag: str) -> bool:
    """Whether a tag is that of a noun, common or proper."""
    return tag.startswith(NOUN_PREFIXES)


@cache
def _tagger() -> Any:
    from HanTa.HanoverTagger import HanoverTagger  # 0.4 s, so only where a question has to be understood

    return HanoverTagger("morphmodel_en.pgz")
