"""Words in another order with the same sense: places before the question, lists the other way round, adjectives too."""

import re
from collections.abc import Callable, Iterator
from random import Random

from counterpoint.language.lexicon.attributes import classes_of
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.language.noise.protected_words import ProtectedQuestion
from counterpoint.language.tagger import is_noun
from counterpoint.language.tokens import match_case

_PLACE = re.compile(
    r"\s+(in (?:the|this) (?:picture|image|photo|photograph|scene|background|foreground|distance))\s*(\??)$", re.I
)
_SPOT = re.compile(r"\s+((?:on|under|behind|near|next to|beside|in|above|below|around) the \w+)\s*(\??)$", re.I)
_THERE = re.compile(r"(?:is|are) there (?:a|an|any|some)?\s*(?:\w+ )?\w+|how many (?:\w+ )?\w+ are there", re.I)
_BARE = re.compile(r"\b(?:is|are|was|were|be|been|being|not|of|on|at|to|with|and|or|that|which|who)$", re.I)
_PREPOSITIONS = frozenset({"on", "under", "behind", "near", "to", "beside", "in", "above", "below", "around"})
_WH = frozenset({"what", "which", "who", "where", "how", "why", "whose"})
_ARTICLES = frozenset({"a", "an", "the", "this", "that", "these", "those", "his", "her", "their"})
_LISTERS = frozenset({"there", "see", "both", "either", "any", "have", "has"})
_ASKING = frozenset({"is", "are", "was", "were", "do", "does", "did", "can", "could"})
_MANY = frozenset({"are", "do", "were"})
_CLINGING = ("PR", "CJ", "PNQ", "DTQ")  # what begins like this may belong to the last of a list alone
_LOOKS = frozenset({"size", "color", "material", "shape", "age", "length", "height", "pattern", "newness"})


def reorder(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """The question in another order, by one of the ways that fit."""
    found = [made for way in _WAYS if (made := way(question)) is not None]
    if found:
        yield found[int(rng.random() * len(found))]


def _place_first(question: ProtectedQuestion) -> str | None:
    """ "What color is the car in the picture?" as "In the picture, what color is the car?"."""
    wording = question.wording
    if _PREPOSITIONS.isdisjoint(wording.small):
        return None
    found = _PLACE.search(wording.text)
    if found is None:
        spot = _SPOT.search(wording.text)
        found = spot if spot and _THERE.fullmatch(wording.text[: spot.start()]) else None
    if found is None or "," in wording.text:
        return None
    rest = wording.text[: found.start()]
    if _BARE.search(rest) or not _stands_alone(question, len(rest)):
        return None
    return f"{match_case(rest[:1], found[1])}, {rest[:1].lower()}{rest[1:]}{found[2]}"


def _stands_alone(question: ProtectedQuestion, end: int) -> bool:
    """Whether what stands before the place is a whole question: it asks what, or says "there", or has a verb."""
    wording = question.wording
    places = [place for place in range(len(wording.words)) if wording.end(place) <= end]
    if not places:
        return False
    small = [wording.small[place] for place in places]
    if small[0] in _WH:
        return True
    return small[0] in _ASKING and ("there" in small or any(wording.tags[place].startswith("VV") for place in places))


def _swap_list(question: ProtectedQuestion) -> str | None:
    """ "Are there a cat and a dog?" as "Are there a dog and a cat?", where nothing belongs to one of them alone."""
    wording = question.wording
    small = wording.small
    joints = [place for place, word in enumerate(small) if word in ("and", "or")]
    if len(joints) != 1 or "," in small:
        return None
    joint = joints[0]
    left, right = _phrase_before(question, joint), _phrase_after(question, joint)
    if left is None or right is None or not _is_shared(question, left, right):
        return None
    one = wording.text[wording.starts[left] : wording.end(joint - 1)]
    other = wording.text[wording.starts[joint + 1] : wording.end(right)]
    between = wording.text[wording.end(joint - 1) : wording.starts[joint + 1]]
    return wording.text[: wording.starts[left]] + other + between + one + wording.text[wording.end(right) :]


def _phrase_before(question: ProtectedQuestion, joint: int) -> int | None:
    """Where the name or look before a joint begins: one word, with its article if it has one."""
    small = question.wording.small
    if joint < 2 or not small[joint - 1].isalpha():
        return None
    return joint - 2 if small[joint - 2] in _ARTICLES else joint - 1


def _phrase_after(question: ProtectedQuestion, joint: int) -> int | None:
    """Where the name or look behind a joint ends."""
    small = question.wording.small
    end = joint + 2 if small[joint + 1 : joint + 2] and small[joint + 1] in _ARTICLES else joint + 1
    return end if end < len(small) and small[end].isalpha() else None


def _is_shared(question: ProtectedQuestion, left: int, right: int) -> bool:
    """Whether both parts are alike in form and the rest of the question is about both."""
    small, tags = question.wording.small, question.wording.tags
    joint = small.index("and" if "and" in small else "or")
    named = small[left] in _ARTICLES
    if named != (small[joint + 1] in _ARTICLES):
        return False
    ends = right + 1 == len(small) or small[right + 1 :] == ("?",)
    if named:
        subject = left == 1 and small[0] in _MANY and not ends and not tags[right + 1].startswith(_CLINGING)
        listed = ends and left > 0 and small[left - 1] in _LISTERS
        return (subject or listed) and is_noun(tags[joint - 1]) and is_noun(tags[right])
    alike = set(classes_of(small[joint - 1])) & set(classes_of(small[right]))
    return ends and left > 1 and bool(alike) and small[left - 1] not in _shades()


def _shades() -> frozenset[str]:
    return word_list("replies", "shades") | {"not", "too", "so"}


def _swap_adjectives(question: ProtectedQuestion) -> str | None:
    """ "a big red ball" as "a red big ball"."""
    wording = question.wording
    small = wording.small
    for place in range(1, len(small) - 2):
        if small[place - 1] not in _ARTICLES:
            continue
        one, other = [_LOOKS.intersection(classes_of(word)) for word in small[place : place + 2]]
        if one and other and one.isdisjoint(other) and _heads(question, place):
            words = (match_case(wording.words[place], small[place + 1]), small[place])
            return wording.exchanged({place: words[0], place + 1: words[1]})
    return None


def _heads(question: ProtectedQuestion, place: int) -> bool:
    tags = question.wording.tags
    return tags[place] == tags[place + 1] == "AJ0" and is_noun(tags[place + 2])


_WAYS: tuple[Callable[[ProtectedQuestion], str | None], ...] = (_place_first, _swap_list, _swap_adjectives)
