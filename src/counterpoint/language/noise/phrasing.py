"""Noise in phrasing: politeness, fillers, letter case, punctuation, and reordering that keeps the meaning."""

import re
from collections.abc import Callable, Iterator
from random import Random

from counterpoint.language.lexicon.attributes import classes_of
from counterpoint.language.lexicon.vocabulary import everyday_words
from counterpoint.language.lexicon.word_lists import split_list, word_list, word_table
from counterpoint.language.noise.protected_words import MARKS, ProtectedQuestion
from counterpoint.language.tokens import is_noun, match_case

_DETERMINERS = frozenset(split_list("the, a, an, this, these, that, those, his, her, their"))
_COURTESY = frozenset(split_list("please, thanks, thank, hello, hi, sorry, kindly"))


def add_politeness(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """Add "please", then a request before the question, then greeting and thanks; none where it is polite already."""
    if not _COURTESY.isdisjoint(question.tokens.lower) or not question.is_single:
        return
    for number, form in enumerate(word_table("noise")["polite"]):
        body = _lowercase_start(question, question.body) if number else question.body
        yield form.format(question=body, mark=question.mark)


def add_fillers(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """Add a filler before the question, then one inside it, then one after it."""
    if not question.is_single:
        return
    lists = [split_list(word_table("noise")["fillers"][kind]) for kind in ("opening", "inner", "closing")]
    opening, inner, closing = (fillers[int(rng.random() * len(fillers))] for fillers in lists)
    yield f"{opening}, {_lowercase_start(question, question.body)}{question.mark}"
    filled = _insert_filler(question, inner)
    if filled is None:
        return
    body = f"{opening}, {_lowercase_start(question, filled.rstrip(MARKS))}"
    yield body + question.mark
    yield f"{body}, {closing}{question.mark}"


def change_case(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """Change the first letter's case, then capitalize each word, then all letters."""
    tokens = question.tokens
    if not question.is_lowercase:
        return
    lower = tokens.text[:1].lower() + tokens.text[1:]
    yield lower if lower != tokens.text else tokens.text[:1].upper() + tokens.text[1:]
    yield tokens.replace({index: word[:1].upper() + word[1:] for index, word in enumerate(tokens.words)})
    yield tokens.text.upper()


def change_punctuation(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """Remove the question mark (or add one, without one), then write three marks, then mixed ones."""
    text = question.tokens.text
    body = text.rstrip().rstrip(MARKS).rstrip()
    if text.strip() != text or text[len(body) :] not in ("", "?", " ?"):
        return
    yield body if body != text else f"{body}?"
    yield f"{body}???"
    yield f"{body} ?!?"


def _lowercase_start(question: ProtectedQuestion, text: str) -> str:
    """The text with a lowercase first letter, unless it may begin with a name."""
    first = question.tokens.words[0] if question.tokens.words else ""
    return text[:1].lower() + text[1:] if first != "I" and first.lower() in everyday_words() else text


def _insert_filler(question: ProtectedQuestion, filler: str) -> str | None:
    """The text with a filler before the last noun phrase that does not begin it."""
    tokens = question.tokens
    indices = [
        index
        for index in range(2, len(tokens.words) - 1)
        if tokens.lower[index] in _DETERMINERS and tokens.lower[index - 1][0].isalpha()
    ]
    if not indices:
        return None
    end = tokens.end(indices[-1] - 1)
    return f"{tokens.text[:end]}, {filler},{tokens.text[end:]}"


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
_AUXILIARIES = frozenset({"is", "are", "was", "were", "do", "does", "did", "can", "could"})
_MANY = frozenset({"are", "do", "were"})
_CLINGING = ("PR", "CJ", "PNQ", "DTQ")  # tags of words that may modify the last item of a list alone
_VISIBLE_CLASSES = frozenset({"size", "color", "material", "shape", "age", "length", "height", "pattern", "newness"})


def reorder(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """The question in another order, by a random choice among the ways that apply."""
    texts = [text for way in _WAYS if (text := way(question)) is not None]
    if texts:
        yield texts[int(rng.random() * len(texts))]


def _place_first(question: ProtectedQuestion) -> str | None:
    """ "What color is the car in the picture?" as "In the picture, what color is the car?"."""
    tokens = question.tokens
    if _PREPOSITIONS.isdisjoint(tokens.lower):
        return None
    place = _PLACE.search(tokens.text)
    if place is None:
        spot = _SPOT.search(tokens.text)
        place = spot if spot and _THERE.fullmatch(tokens.text[: spot.start()]) else None
    if place is None or "," in tokens.text:
        return None
    rest = tokens.text[: place.start()]
    if _BARE.search(rest) or not _stands_alone(question, len(rest)):
        return None
    return f"{match_case(rest[:1], place[1])}, {rest[:1].lower()}{rest[1:]}{place[2]}"


def _stands_alone(question: ProtectedQuestion, end: int) -> bool:
    """Whether the text before the place is a complete question: it has a wh-word, "there", or a verb."""
    tokens = question.tokens
    count = sum(tokens.end(index) <= end for index in range(len(tokens.words)))
    words = tokens.lower[:count]
    if not words or words[0] in _WH:
        return bool(words)
    return words[0] in _AUXILIARIES and ("there" in words or any(tag.startswith("VV") for tag in tokens.tags[:count]))


def _swap_list(question: ProtectedQuestion) -> str | None:
    """ "Are there a cat and a dog?" as "Are there a dog and a cat?", where nothing modifies one of them alone."""
    tokens = question.tokens
    lower = tokens.lower
    joints = [index for index, word in enumerate(lower) if word in ("and", "or")]
    if len(joints) != 1 or "," in lower:
        return None
    joint = joints[0]
    left, right = _phrase_before(question, joint), _phrase_after(question, joint)
    if left is None or right is None or not _is_shared(question, left, right):
        return None
    first = tokens.text[tokens.starts[left] : tokens.end(joint - 1)]
    second = tokens.text[tokens.starts[joint + 1] : tokens.end(right)]
    between = tokens.text[tokens.end(joint - 1) : tokens.starts[joint + 1]]
    return tokens.text[: tokens.starts[left]] + second + between + first + tokens.text[tokens.end(right) :]


def _phrase_before(question: ProtectedQuestion, joint: int) -> int | None:
    """The start of the item before a conjunction: one word, with its article if it has one."""
    lower = question.tokens.lower
    if joint < 2 or not lower[joint - 1].isalpha():
        return None
    return joint - 2 if lower[joint - 2] in _ARTICLES else joint - 1


def _phrase_after(question: ProtectedQuestion, joint: int) -> int | None:
    """The end of the item after a conjunction."""
    lower = question.tokens.lower
    end = joint + 2 if lower[joint + 1 : joint + 2] and lower[joint + 1] in _ARTICLES else joint + 1
    return end if end < len(lower) and lower[end].isalpha() else None


def _is_shared(question: ProtectedQuestion, left: int, right: int) -> bool:
    """Whether both items have the same form and the rest of the question applies to both."""
    lower, tags = question.tokens.lower, question.tokens.tags
    joint = lower.index("and" if "and" in lower else "or")
    has_article = lower[left] in _ARTICLES
    if has_article != (lower[joint + 1] in _ARTICLES):
        return False
    ends = right + 1 == len(lower) or lower[right + 1 :] == ("?",)
    if has_article:
        subject = left == 1 and lower[0] in _MANY and not ends and not tags[right + 1].startswith(_CLINGING)
        listed = ends and left > 0 and lower[left - 1] in _LISTERS
        return (subject or listed) and is_noun(tags[joint - 1]) and is_noun(tags[right])
    shared = set(classes_of(lower[joint - 1])) & set(classes_of(lower[right]))
    shades = word_list("replies", "shades") | {"not", "too", "so"}
    return ends and left > 1 and bool(shared) and lower[left - 1] not in shades


def _swap_adjectives(question: ProtectedQuestion) -> str | None:
    """ "a big red ball" as "a red big ball"."""
    tokens = question.tokens
    lower = tokens.lower
    for index in range(1, len(lower) - 2):
        if lower[index - 1] not in _ARTICLES:
            continue
        first, second = [_VISIBLE_CLASSES.intersection(classes_of(word)) for word in lower[index : index + 2]]
        if not (first and second and first.isdisjoint(second)):
            continue
        if tokens.tags[index] == tokens.tags[index + 1] == "AJ0" and is_noun(tokens.tags[index + 2]):
            return tokens.replace({index: match_case(tokens.words[index], lower[index + 1]), index + 1: lower[index]})
    return None


_WAYS: tuple[Callable[[ProtectedQuestion], str | None], ...] = (_place_first, _swap_list, _swap_adjectives)
