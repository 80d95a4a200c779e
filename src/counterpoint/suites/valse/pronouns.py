"""Coreference of pronouns with the nouns of a caption, given the dialogue since then."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial

from counterpoint.core.errors import UnknownName
from counterpoint.language.lexicon.attributes import are_synonyms, class_of, excludes
from counterpoint.language.lexicon.senses import is_a
from counterpoint.language.nouns import is_plural, singular
from counterpoint.language.tokens import is_noun, tag_words
from counterpoint.suites.valse.plausibility import listed_words, word_pattern

_HE, _SHE = frozenset({"he", "him", "his", "himself"}), frozenset({"she", "her", "hers", "herself"})
_THEY, _IT = frozenset({"they", "them", "their", "theirs", "themselves"}), frozenset({"it", "its", "itself"})
_POINTING = re.compile(r"(?:is|are|was|were|does|do) (?:this|these|that|those)\b")
_PRONOUN = re.compile(r"\b(?:" + "|".join(sorted(_HE | _SHE | _THEY | _IT)) + r")\b")
_STRAY = re.compile(r"\b(?:this|these|those|that)\b")
_LIST = re.compile(r", (?:and )?(?:an?|some|the|two|three) |\band (?:an?|some|the|two|three) ")
"""Coordinated nouns, any of which a pronoun may refer to."""
_words = partial(listed_words, "coreference")


@dataclass(frozen=True, slots=True)
class NounMention:
    """A noun as it occurs in a text."""

    word: str

    @property
    def one(self) -> str:
        """The singular."""
        return singular(self.word)

    @property
    def many(self) -> bool:
        """Whether it is plural."""
        return is_plural(self.word) or self.word in _words("several")

    @property
    def person(self) -> bool:
        """Whether it names a person."""
        return self.one in _words("men") | _words("women") | {"person"} or _is_person(self.one)


@lru_cache(1 << 14)
def noun_mentions(text: str) -> tuple[NounMention, ...]:
    """The nouns of a text, in their order."""
    words = tuple(re.findall(r"[a-z][a-z'-]*", text.lower()))
    return tuple(NounMention(word) for word, tag in zip(words, tag_words(words), strict=True) if is_noun(tag))


def pronouns(question: str) -> tuple[str, ...]:
    """The pronouns of a question that refer to something, in order.

    >>> pronouns("is he holding his bat"), pronouns("is this photo in color"), pronouns("is there a dog")
    (('he', 'his'), ('this',), ())
    """
    text = question.lower()
    pointing = _POINTING.match(text)
    matches = tuple(_PRONOUN.findall(text))
    return (pointing[0].split()[1], *matches) if pointing else matches


def refer_to_caption(question: str, caption: str, since: Sequence[str]) -> bool:
    """Whether every pronoun of a question refers to a noun of the caption, or to the picture as a whole.

    The turns since then must mention nothing else that the pronoun could refer to.

    >>> refer_to_caption("is he tall", "a man with a dog", ()), refer_to_caption("is she tall", "a man with a dog", ())
    (True, False)
    >>> refer_to_caption("is it red", "a man with a dog", ("is there a car", "yes"))
    False
    """
    text = question.lower()
    words = pronouns(question)
    if not words or len(_STRAY.findall(text)) > (words[0] not in _HE | _SHE | _THEY | _IT):
        return False
    scenic = _of_the_scene().match(text) is not None
    named = noun_mentions(caption)
    mentions_since = tuple(mention for line in since for mention in noun_mentions(line))
    listed = _LIST.search(caption.lower()) is not None
    return all(_means(word, named, mentions_since, listed) for word in words if not _is_free(word, scenic))


@cache
def _of_the_scene() -> re.Pattern[str]:
    lead = r"(?:is|was|does) it (?:look |seem |appear |to be |like |a |an |very |really |during |in )*"
    return re.compile(lead + word_pattern("coreference", "scenic").pattern)


def _is_free(word: str, scenic: bool) -> bool:
    """Whether a pronoun refers to the picture, so that it needs no noun."""
    return word in ("this", "these", "that", "those") or (scenic and word in _IT)


def _means(word: str, named: Sequence[NounMention], since: Sequence[NounMention], listed: bool) -> bool:
    """Whether a pronoun refers to the first noun that agrees with it; in a list there must be only one."""
    meant = [mention.one for mention in named if _agrees(word, mention)]
    if listed and word not in _THEY and len(set(meant)) > 1:
        return False
    if not meant and not (word in _THEY and len(named) > 1 and any(mention.person for mention in named)):
        return False
    caption_nouns = {mention.one for mention in named}
    if any(_agrees(word, mention) and mention.one not in caption_nouns for mention in since):
        return False
    last = [mention.one for mention in since if mention.one in meant]
    return not last or last[-1] == meant[0]


def caption_answers(caption: str, question: str) -> bool:
    """Whether a caption alone answers a question.

    >>> caption_answers("a cat sitting on a rug", "is it sitting"), caption_answers("a closed umbrella", "is it open")
    (True, True)
    >>> caption_answers("a cat on a rug", "is it sitting"), caption_answers("a blue clock", "is it white")
    (False, True)
    """
    caption_words, question_words = (sorted(set(re.findall(r"[a-z]+", text.lower()))) for text in (caption, question))
    return any(
        are_synonyms(one, other) or excludes(one, other)
        for one in question_words
        if class_of(one)
        for other in caption_words
    )


def _agrees(word: str, mention: NounMention) -> bool:
    if word in _THEY:
        return mention.many
    if word in _IT:
        return not mention.many and not mention.person and mention.one not in _words("unsaid")
    others = _words("women") if word in _HE else _words("men")
    return mention.person and not mention.many and mention.one not in others


@lru_cache(1 << 12)
def _is_person(noun: str) -> bool:
    try:
        return is_a(noun, "person")
    except UnknownName:
        return False


def join_pronouns(words: Iterable[str]) -> str:
    """The pronouns of a question as one value, for slices."""
    return " | ".join(dict.fromkeys(words))
