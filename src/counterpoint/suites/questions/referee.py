"""A referee that parses a rewritten question anew, and derives its gold from the gold of the original.

It knows nothing of the rule that made the text: both questions are reduced to logical forms, and only what follows from
these is derived. A statement is parsed as a statement ("the man is not sitting"), with its subject as the noun chunker
finds it, where the rewriting rules parse questions.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile

from counterpoint.language.lexicon.attributes import excludes, opposites
from counterpoint.language.lexicon.word_lists import split_list
from counterpoint.language.lexicon.wordnet import lexicon
from counterpoint.language.noun_chunks import TaggedToken, find_noun_chunks, tag_text
from counterpoint.language.question_types import parse_question
from counterpoint.language.verbs import base_form
from counterpoint.suites.questions.rewriting import is_complementary

_WORDS = re.compile(r"[\w'-]+")
_CANONICAL = {"colour": "color", "which": "what", "type": "kind", "sort": "kind", "an": "a"}
_CANONICAL |= {f"{word}'s": f"{word} is" for word in ("what", "which", "who", "where", "how", "why")}
_CANONICAL |= dict.fromkeys(("photo", "image", "photograph"), "picture")
_BE, _DO = ("is", "are", "was", "were"), ("do", "does", "did")
_SEEING = ("see", "spot", "notice", "find")
_FILLERS = frozenset(split_list("are, is, there, can, be, seen, you, see, do"))
_PRONOUNS = frozenset(split_list("it, he, she, they, this, these"))
_OPPOSED_PLACES = (
    {"left", "right"},
    {"above", "below"},
    {"in front of", "behind"},
    {"foreground", "background"},
    {"on top of", "underneath"},
    {"inside", "outside"},
    {"top", "bottom"},
    {"daytime", "nighttime"},
    {"winter", "summer"},
    {"morning", "evening"},
)


@dataclass(frozen=True, slots=True)
class LogicalForm:
    """What is asked for, the content words in their order, and whether it is denied."""

    asks: str  # existence, claim, color, count or open
    words: tuple[str, ...]
    is_negated: bool = False


def derive_answer(base: str, answer: str, variant: str) -> str | None:
    """The answer to the variant that follows from the answer to the base, or None where nothing follows.

    >>> derive_answer("Is there a dog?", "yes", "Is there no dog?"), derive_answer("Is it red?", "no", "Is it blue?")
    ('no', None)
    """
    one, other = read_form(base), read_form(variant)
    if one is None or other is None or one.asks != other.asks:
        return None
    flipped = {"yes": "no", "no": "yes"}.get(answer)
    if one.words == other.words:
        return answer if one.is_negated == other.is_negated else flipped
    if one.is_negated != other.is_negated:
        return None
    if _lists_the_same(base, one, variant, other):
        return answer
    pair = _difference(one.words, other.words)
    if pair and one.asks == "claim" and _exclude_each_other(*pair):
        return flipped if answer == "yes" or is_complementary(*pair) else None
    return None


@lru_cache(1 << 14)
def read_form(text: str) -> LogicalForm | None:
    """The logical form of a question, or None where a statement in it cannot be parsed."""
    lower = " ".join(text.lower().replace("’", "'").split()).removeprefix("in this picture, ")
    words = [part for word in _WORDS.findall(lower) for part in _CANONICAL.get(word, word).split()]
    if words[:4] == ["is", "it", "true", "that"]:
        return _statement(lower.rstrip(" ?").removeprefix("is it true that "))
    if words[:4] == ["are", "you", "unable", "to"]:
        return replace(_existence(words[5:]), is_negated=True)
    if words[0] in _BE and words[1:2] == ["there"]:
        return _existence(words[2:])
    if words[1:2] == ["you"] and words[2:3] and words[2] in _SEEING:
        return _existence(words[3:])
    if words[:2] == ["what", "color"] and words[2:3] and words[2] in ("is", "are"):
        return LogicalForm("color", tuple(words[3:]))
    if words[:5] == ["what", "is", "the", "color", "of"]:
        return LogicalForm("color", tuple(words[5:]))
    for opening in (["how", "many"], ["what", "is", "the", "number", "of"]):
        if words[: len(opening)] == opening:
            return LogicalForm("count", tuple(word for word in words[len(opening) :] if word not in _FILLERS))
    if words[0] in (*_BE, *_DO):
        return LogicalForm("claim", tuple(words[1:]))
    if words[0] == "where" and words[-1] == "located":
        words.pop()
    return LogicalForm(
        "open", tuple(" ".join(words).replace("what material", "what").replace("made out of", "made of").split())
    )


def _existence(words: Sequence[str]) -> LogicalForm:
    named = words[1:] if words and words[0] in ("a", "any", "some", "no") else words
    return LogicalForm("existence", tuple(named), words[:1] == ["no"])


def _statement(text: str) -> LogicalForm | None:
    """The form of a statement: its subject is a pronoun or the noun chunk at its start, and a verb follows it."""
    tokens = tag_text(f"{text}.")[:-1]
    if tokens[0].text == "there":
        return _existence([_CANONICAL.get(token.text, token.text) for token in tokens[2:]])
    verb = _verb(tokens)
    if not 0 < verb < len(tokens) - 1:
        return None
    rest = [token.text for token in tokens[verb:]]
    is_negated = rest[1] == "not"
    if rest[0] in (*_BE, *_DO):
        rest = rest[2 if is_negated else 1 :]
    else:
        rest[0] = base_form(rest[0])
    subject = [token.text for token in tokens[:verb]]
    words = " ".join((*subject, *rest)).replace(" 's", "'s").split()
    return LogicalForm("claim", tuple(_CANONICAL.get(word, word) for word in words), is_negated)


def _verb(tokens: Sequence[TaggedToken]) -> int:
    """The index of the verb that follows the subject, or -1."""
    chunks = {chunk.start: chunk.end for chunk in find_noun_chunks(tokens)}
    end = chunks.get(0, 1 if tokens[0].text in _PRONOUNS else -1)
    while 0 < end < len(tokens) - 1 and tokens[end].tag.startswith("PR"):  # the windows of the building
        end = chunks.get(end + 1, -1)
    if not 0 < end < len(tokens):
        return -1
    is_verb = tokens[end].text in (*_BE, *_DO) or tokens[end].tag.startswith("V")
    return end if is_verb else -1


def _lists_the_same(base: str, one: LogicalForm, variant: str, other: LogicalForm) -> bool:
    """Whether two questions list the same in another order, and say the same about it."""
    joints = {"and", "or"}
    if not joints & set(one.words) or Counter(one.words) != Counter(other.words):
        return False
    if "or" in one.words and parse_question(base).type != "yes-no":
        options = [sorted(parse_question(text).options) for text in (base, variant)]
        return options[0] == options[1]
    parts = [sorted(re.split(r" (?:and|or) ", " ".join(form.words))) for form in (one, other)]
    strip = [[part.removeprefix("either ").removeprefix("a ") for part in form] for form in parts]
    return sorted(strip[0]) == sorted(strip[1])


def _difference(one: Sequence[str], other: Sequence[str]) -> tuple[str, str] | None:
    """The words between what two sequences begin and end with in common."""
    begin = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    left, right = one[begin:], other[begin:]
    end = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left[::-1], right[::-1], strict=False)))
    pair = " ".join(left[: len(left) - end]), " ".join(right[: len(right) - end])
    return pair if all(pair) else None


def _exclude_each_other(one: str, other: str) -> bool:
    opposed = {one, other} in _OPPOSED_PLACES or other in opposites(one) or excludes(one, other)
    return opposed or other in lexicon().antonyms(one) or other in lexicon().antonyms(one, "n")
