"""Questions whether something is there: "Is there …?" and "Do you see …?", with what they ask for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from counterpoint.language.clauses import strip_question
from counterpoint.language.english import article
from counterpoint.language.lexicon.senses import curated_names
from counterpoint.language.noun_chunks import TaggedToken, find_noun_chunks, tag_text
from counterpoint.language.nouns import is_mass, is_plural, singular
from counterpoint.suites.questions.words import SIGNS, listed_words

_THERE = re.compile(r"(?P<be>is|are|was|were) there (?:(?P<article>an?|any|some) )?(?P<things>.+)", re.IGNORECASE)
_SEE = re.compile(
    r"(?P<opening>(?:do|can|could|did) you (?:see|spot|notice|find)) (?:(?P<article>an?|any|some) )?(?P<things>.+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ExistenceQuestion:
    """A question whether something is there: how it opens, the article, the things, and their noun."""

    opening: str
    article: str
    things: str
    noun: str  # with what stands before it; "" where no noun phrase was found

    @property
    def named(self) -> str:
        """The things with their article, which agrees with the first of their words: "an oven" for "a oven"."""
        own = article(self.things) if self.article in ("a", "an") else self.article
        return f"{own} {self.things}".strip()

    @property
    def is_counted_oddly(self) -> bool:
        """Whether "a" stands before what nobody counts, or before a plural: "a sky", "a snow", "a women"."""
        last = self.noun.rpartition(" ")[2].lower()
        return self.article in ("a", "an") and (
            last in listed_words("unique") or is_plural(self.noun) or is_mass(self.noun)
        )

    @property
    def is_visible(self) -> bool:
        """Whether the noun names what people point at in pictures."""
        last = self.noun.split()[-1:]
        return any(name in curated_names() for word in (self.noun, *last) for name in (word, singular(word)))


@lru_cache(1 << 14)
def parse_existence(text: str) -> ExistenceQuestion | None:
    """The parts of "Is there …?" and "Do you see …?", or None.

    >>> parse_existence("Are there any old boats?")
    ExistenceQuestion(opening='are there', article='any', things='old boats', noun='boats')
    """
    words = strip_question(text)
    match = _THERE.fullmatch(words) or _SEE.fullmatch(words)
    if match is None or SIGNS.search(words):
        return None
    opening = match.groupdict().get("opening") or f"{match['be']} there"
    tokens = tag_text(f"There is {match['article'] or 'some'} {match['things']}.")
    chunks = [chunk for chunk in find_noun_chunks(tokens) if chunk.start == 2]
    noun = _noun(tokens, chunks[0].first, chunks[0].head) if chunks else ""
    return ExistenceQuestion(opening.lower(), (match["article"] or "").lower(), match["things"], noun)


def _noun(tokens: Sequence[TaggedToken], first: int, head: int) -> str:
    while first < head and not tokens[first].tag.startswith("NN"):
        first += 1
    return " ".join(token.text for token in tokens[first : head + 1])
