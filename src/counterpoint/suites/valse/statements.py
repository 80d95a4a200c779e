"""Questions as statements, "How many dogs are there?" as "There are exactly 2 dogs.", and the votes on the number."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from counterpoint.core.items import Question
from counterpoint.language.articles import stands_bare
from counterpoint.language.english import (
    article,
    is_countable,
    is_mass,
    is_plural,
    number_value,
    number_word,
    plural,
    sentence,
    singular,
)
from counterpoint.language.tokens import is_noun, tag_words
from counterpoint.language.verbs import third_person
from counterpoint.suites.question_groups import is_agreed
from counterpoint.suites.valse.caption_foils import listed_words, word_pattern

_HOW_MANY = re.compile(r"\s*how many (.+?)[\s?.!]*", re.IGNORECASE)
_IS_THERE = re.compile(r"\s*(is|are) there (?:(an?|any|some) )?(.+?)[\s?.!]*", re.IGNORECASE)
_SIGNS = re.compile(r"[,;:\"()0-9]")
_OVERALL = re.compile(
    r" (?:in total\b|(?:in all|altogether|overall|total|(?:to be )?seen)(?=[\s?.!]*$))", re.IGNORECASE
)
_SHARED = re.compile(r"((?:.* )?(?:\w+ing|have|wear|hold|carry|ride)(?: on| in| with| at)?) ((?:(?!the\b)\w+ )?\w+)")
_THERE = ("there is", "there are")
_BE, _DO = ("is", "are", "was", "were"), ("do", "does", "did")
_SEE = re.compile(r"(?:(?:do|can|could|did) (?:you|we|i)|can one) (?:see|count|spot|find|notice)(?: here)?\b ?(.*)")
_BE_SEEN = re.compile(r"(?:can|could) be (?:seen|counted|found|spotted)\b ?(.*)")

_words = partial(listed_words, "statements")


@dataclass(frozen=True, slots=True)
class CountClaim:
    """A statement about a number of objects, with agreement in singular and plural.

    >>> claim = how_many("How many people are in the picture?")
    >>> claim.exactly(1), claim.exactly(8, in_words=True)
    ('There is exactly 1 person in the picture.', 'There are exactly eight people in the picture.')
    >>> claim.existence(True, None).none, claim.existence(False, False).some
    ('There are no people in the picture.', 'There is a person in the picture.')
    """

    noun: str  # in the plural
    opening: tuple[str, str]
    closing: tuple[str, str] = ("", "")

    def exactly(self, number: int, *, in_words: bool = False) -> str:
        """The statement with an exact number."""
        return self._said(f"exactly {numeral(number, in_words=in_words)}", number != 1)

    def existence(self, many: bool, settled: bool | None) -> "ExistenceClaim":
        """The statement that there is one or none, or that there are several or none."""
        some = self._said("" if many else article(singular(self.noun)), many)
        return ExistenceClaim(some, self._said("no", many), self.noun, settled, NO_ARTICLE if many else "a")

    def _said(self, before: str, many: bool) -> str:
        noun = self.noun if many else singular(self.noun)
        return sentence(" ".join((self.opening[many], before, noun, self.closing[many])))


@dataclass(frozen=True, slots=True)
class ExistenceClaim:
    """The statement that something is present, and its negation.

    >>> asked = is_there("Is there an umbrella behind the dog?")
    >>> asked.some, asked.none
    ('There is an umbrella behind the dog.', 'There is no umbrella behind the dog.')
    """

    some: str
    none: str
    noun: str
    many: bool | None  # None where nothing is there, so that it can be said either way
    word: str  # what stands where the denial has "no"


NO_ARTICLE = "∅"
"""Stands for a missing article."""


def numeral(number: int, *, in_words: bool) -> str:
    """A number in words or in digits."""
    return number_word(number) if in_words else str(number)


@lru_cache(1 << 14)
def how_many(question: str) -> CountClaim | None:
    """The count claim of a how-many question, or None where its form is ambiguous.

    >>> how_many("How many mirrors does this bike have?").exactly(1)
    'This bike has exactly 1 mirror.'
    >>> how_many("How many people wear hats?").exactly(1), how_many("How many years old is he?")
    ('There is exactly 1 person that wears a hat.', None)
    """
    match = _HOW_MANY.fullmatch(_OVERALL.sub("", question))
    words = match[1].split() if match else []
    text = " ".join(words).lower()
    if not words or _has(text, "doubtful") or not is_visible(text):
        return None
    tags = tag_words(("How", "many", *words, "?"))[2:-1]
    end = _noun_end(words, tags)
    nouns = [word for word in words[:end] if word.lower() not in ("different", "total")]
    if not nouns or nouns[0].lower() in {*_words("determiners"), "of"}:
        return None
    if not (_words("measured") | _words("sorts") | _words("vague")).isdisjoint(map(str.lower, nouns)):
        return None
    noun = plural(" ".join(nouns))
    if not is_countable(noun) or plural(singular(noun)) != noun or is_mass(" ".join(nouns)) or "'" in noun:
        return None
    if stands_bare(words[end:], tags[end:]):
        return None
    return _claim(noun, words[end:], tags[end:])


def is_there(question: str) -> ExistenceClaim | None:
    """The existence claim of a question "Is there …?", or None where its negation would be odd."""
    match = _IS_THERE.fullmatch(_OVERALL.sub("", question))
    if not match or _has(match[3].lower(), "negative") or not is_visible(match[3].lower()):
        return None
    be, rest = match[1].lower(), " ".join(match[3].split())
    has_article = (match[2] or "").lower() in ("a", "an")
    behind = word_pattern("statements", "behind").pattern
    noun = re.split(rf" (?={behind}|\w+ing\b(?! \w+$))", rest)[0].lower()
    agrees = is_mass(noun) if be == "is" else is_plural(noun)
    agrees = be == "is" and not is_plural(noun) if has_article else agrees
    if not noun or noun.split()[0] in _words("determiners") or not agrees or "'" in noun:
        return None
    if stands_bare(rest.split(), tag_words(("There", be, *rest.split(), "."))[2:-1]):
        return None
    said = f"{article(rest)} {rest}" if has_article else rest
    some, none = sentence(f"there {be} {said}"), sentence(f"there {be} no {rest}")
    return ExistenceClaim(some, none, noun, be == "are", "a" if has_article else NO_ARTICLE)


def is_visible(text: str) -> bool:
    """Whether what a text says can be seen in a still picture, and by its words alone.

    >>> is_visible("dogs are in the park"), is_visible("trips does the bus make"), is_visible("cars are near her")
    (True, False, False)
    """
    return not word_pattern("statements", "unseen").search(text) and not word_pattern("statements", "anaphors").search(
        text
    )


def _has(text: str, key: str) -> bool:
    """Whether a text has a word of a list, a digit, or a sign within a sentence."""
    return bool(word_pattern("statements", key).search(text) or _SIGNS.search(text))


def _noun_end(words: Sequence[str], tags: Sequence[str]) -> int:
    """The end of the counted noun phrase: after the last noun before a verb or a preposition."""
    end = 0
    for place, (word, tag) in enumerate(zip(words, tags, strict=True)):
        if word.lower() in (*_BE, *_DO, "can", "could", "have", "has", "had"):
            break
        if end and (tag in ("PRP", "VVB", "VVI", "VVD", "VVN", "VVG", "VHB", "CJT", "AVP") and word.lower() != "of"):
            break
        if is_noun(tag) or tag == "VVZ":
            end = place + 1
    return end


def _claim(noun: str, rest: Sequence[str], tags: Sequence[str]) -> CountClaim | None:
    text = " ".join(rest)
    low = [word.lower() for word in rest]
    if later := next((place for place, word in enumerate(low) if place and word in _BE), 0):
        return _narrowed(noun, rest, tags, later)
    if match := _SEE.fullmatch(text) or _BE_SEEN.fullmatch(text):
        return CountClaim(noun, _THERE, _closing(match[1]))
    if low[:1] and low[0] in _BE:
        return _being(noun, rest, tags)
    if low[:1] and low[0] in _DO:
        return _doing(noun, rest, tags)
    if not rest or tags[0] in ("PRP", "VVG", "VVN", "AVP") or low[0] in _words("after"):
        return CountClaim(noun, _THERE, _closing(text))
    if low[0] in ("have", "has"):
        one, many = _closing(f"have {' '.join(rest[1:])}")
        return CountClaim(noun, _THERE, (f"that {third_person(one)}", f"that {many}"))
    if low[0] in _words("showing"):
        one, many = _closing(text)
        return CountClaim(noun, _THERE, (f"that {third_person(one)}", f"that {many}"))
    return None


def _closing(text: str) -> tuple[str, str]:
    """What follows the noun, of one and of many: one person is wearing a hat, many are wearing hats.

    >>> _closing("talking on cell phones"), _closing("wearing shoes")
    (('talking on a cell phone', 'talking on cell phones'), ('wearing shoes', 'wearing shoes'))
    """
    match = _SHARED.fullmatch(text)
    if (
        not match
        or not is_plural(match[2])
        or singular(match[2]) == match[2]
        or match[2].split()[-1] in _words("pairs")
    ):
        return text, text
    one = singular(match[2])
    return f"{match[1]} {article(one)} {one}", text


def _narrowed(noun: str, rest: Sequence[str], tags: Sequence[str], be: int) -> CountClaim | None:
    """ "… in the photo are wearing hats": both are said of them."""
    claim = _being(noun, rest[be:], tags[be:]) if tags[0] == "PRP" else None
    if not claim or not claim.opening[0].startswith("there"):
        return None
    place = " ".join(rest[:be])
    return CountClaim(noun, claim.opening, (f"{place} {claim.closing[0]}", f"{place} {claim.closing[1]}"))


def _being(noun: str, rest: Sequence[str], tags: Sequence[str]) -> CountClaim | None:
    """What follows "are": a place, a doing, or who does what to them."""
    after, kinds = list(rest[1:]), list(tags[1:])
    if after[:1] == ["there"]:
        after, kinds = after[1:], kinds[1:]
        if not after:
            return CountClaim(noun, _THERE)
    if not after:
        return None
    text, first = " ".join(after), after[0].lower()
    if first in _words("determiners"):
        return _inverted(noun, rest[0].lower(), after, kinds)
    if kinds[0] in ("PRP", "VVG", "VVN", "VVD", "VBG", "AVP") or first in _words("after") or first.endswith("ing"):
        return CountClaim(noun, _THERE, _closing(text))
    if kinds[0] == "AJ0" and not any(is_noun(kind) for kind in kinds) and first not in _words("vague"):
        return CountClaim(noun, _THERE, (f"that is {text}", f"that are {text}"))
    return None


def _inverted(noun: str, be: str, after: Sequence[str], tags: Sequence[str]) -> CountClaim | None:
    """ "… is the man holding": the man is holding them."""
    for place, tag in enumerate(tags):
        if tag == "VVG" and place > 1:
            opening, closing = f"{' '.join(after[:place])} {be} {after[place]}", " ".join(after[place + 1 :])
            return CountClaim(noun, (opening, opening), (closing, closing))
    return None


def _doing(noun: str, rest: Sequence[str], tags: Sequence[str]) -> CountClaim | None:
    """ "… does the bike have": the bike has them."""
    if len(rest) < 3 or rest[1].lower() not in _words("determiners"):
        return None
    for place in range(len(rest) - 1, 1, -1):
        verb = rest[place].lower()
        if verb == "have" or verb in _words("showing"):
            one = rest[0].lower() == "does"
            opening = f"{' '.join(rest[1:place])} {third_person(verb) if one else verb}"
            closing = " ".join(rest[place + 1 :])
            return CountClaim(noun, (opening, opening), (closing, closing)) if rest[0].lower() != "did" else None
    return None


_LARGEST = 15
"""The largest number that one person is taken to have counted rather than estimated."""


@dataclass(frozen=True, slots=True)
class CountVotes:
    """The votes for each number; -1 stands for several."""

    said: tuple[tuple[int, int], ...]
    asked: int

    @property
    def number(self) -> int | None:
        """The majority number, if enough annotators agree, and if it is no estimate of a single one."""
        best, votes = max(self.said, key=lambda row: row[1], default=(-1, 0))
        if self.asked == 1 and best and (best > _LARGEST or best % 10 == 0):
            return None
        return best if best >= 0 and is_agreed(votes, self.asked) else None

    @property
    def exists(self) -> bool | None:
        """Whether there is any; None where annotators disagree."""
        none = dict(self.said).get(0, 0)
        some = sum(votes for _, votes in self.said) - none
        return none < some if is_agreed(max(none, some), self.asked) else None

    @property
    def many(self) -> bool | None:
        """Whether there are several rather than one; None where annotators disagree."""
        one = dict(self.said).get(1, 0)
        several = sum(votes for number, votes in self.said if number not in (0, 1))
        return one < several if is_agreed(max(one, several), self.asked) else None

    def was_said(self, number: int) -> bool:
        """Whether anybody voted for a number."""
        return number in dict(self.said)


def read_votes(question: Question) -> CountVotes:
    """The votes of the annotators, or the gold answer as the only vote.

    >>> from counterpoint.core.groups import Gold
    >>> from counterpoint.core.pictures import Picture
    >>> found = read_votes(Question("7", Picture("a:b.png"), "How many dogs?", Gold.of("Two.")))
    >>> found.number, found.exists, found.was_said(3)
    (2, True, False)
    """
    votes = question.votes or ((question.gold.best,) if question.gold.answers else ())
    numbers = Counter[int]()
    for vote in votes:
        text = vote.strip(" .!").lower()
        number = -1 if text in _words("several") else number_value(text)
        if number is not None:
            numbers[number] += 1
    return CountVotes(tuple(sorted(numbers.items())), max(len(votes), 1))
