"""Missing articles: whether a countable noun in the singular stands bare in a question, as in "dials on oven"."""

import re
from collections.abc import Iterator, Sequence

from counterpoint.language.lexicon.senses import curated_names
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.language.nouns import is_countable, is_mass, is_plural
from counterpoint.language.tokens import is_noun, tag_words

MISSING_ARTICLE = "a noun has no article"
"""Why a question is not repeated in other words."""
_ASKED_FOR = re.compile(
    r"(?:is|are|was|were) there(?= )|(?:do|can|could|did) you (?:see|spot|notice|find)(?= )", re.IGNORECASE
)
_PLACING = frozenset(("PRP",))
_LEADING = _PLACING | {"PRF", "VVG"}
_ENDING = frozenset(("VVN", "VVD", "VBZ", "VBB", "CJT", "CJC", "AVP", "AV0", "DTQ", "PNQ"))
_BE = ("is", "are", "was", "were")


def lacks_article(question: str) -> bool:
    """Whether a noun may stand bare in a question, where it would be countable; pronouns need no article.

    >>> lacks_article("is he in the water"), lacks_article("is it on paper plate"), lacks_article("is it laptop")
    (False, True, True)
    """
    words = question.strip(" ?.!").split()
    tags = tag_words((*words, "?"))[:-1]
    if len(words) == 3 and words[1].lower() in ("it", "they") and is_noun(tags[2]):
        return _is_bare(words[2:])
    return stands_bare(words, tags)


def stands_bare(words: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a noun may stand bare after a preposition or participle: "in photo"."""
    return any(_is_bare(span) for span in _spans(words, tags, _LEADING))


def has_bare_name(question: str) -> bool:
    """Whether the name of a thing surely lacks its article, in a place or where it is asked for.

    >>> has_bare_name("Can you see umbrella?"), has_bare_name("How many dials on oven?")
    (True, True)
    >>> has_bare_name("Is there snow?"), has_bare_name("Is he at home plate?"), has_bare_name("Is he eating pizza?")
    (False, False, False)
    """
    words = question.strip(" ?.!").split()
    tags = tag_words((*words, "?"))[:-1]
    opening = _ASKED_FOR.match(" ".join(words))
    first = len(opening[0].split()) if opening else 0
    spans = _spans(words[first:], tags[first:], _PLACING, is_asked_for=bool(opening))
    return any(_is_bare(span) and span[-1] in curated_names() and is_countable(span[-1]) for span in spans)


def _spans(
    words: Sequence[str], tags: Sequence[str], leading: frozenset[str], *, is_asked_for: bool = False
) -> Iterator[list[str]]:
    """The words that follow a leading word, each time up to the next verb, adverb or conjunction."""
    spans, is_open = [list[str]()], is_asked_for
    for place, (word, tag) in enumerate(zip(words, tags, strict=True)):
        if tag in leading and word.lower() not in ("next", "close"):
            spans.append([])
            is_open = True
        elif tag in _ENDING | _LEADING - leading or word.lower() in _BE or _is_said(place, tags):
            is_open = False
        elif is_open:
            spans[-1].append(word.lower() if word.islower() or not place else word)
    return filter(None, spans)


def _is_said(place: int, tags: Sequence[str]) -> bool:
    """Whether an adjective follows a noun, of which it is said: "is the bottle of wine full"."""
    return place > 0 and tags[place].startswith("AJ") and is_noun(tags[place - 1])


def _is_bare(span: Sequence[str]) -> bool:
    noun = " ".join(span)
    bare = word_list("articles", "bare")
    if span[0] in word_list("articles", "openers") or span[-1] in bare or noun in bare or span[0].endswith("'s"):
        return False
    return not (is_plural(noun) or is_mass(noun) or span[-1].endswith("s"))
