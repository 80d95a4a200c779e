"""Count questions: "How many dogs are in the picture?" becomes "Are there two dogs in the picture?"."""

import re
from functools import cache, lru_cache

from counterpoint.core.errors import UnknownName
from counterpoint.language.answers.rule_sets import normalize_vqa
from counterpoint.language.english import (
    a,
    is_mass,
    is_pair,
    is_plural,
    number_value,
    number_word,
    plural,
    singular,
    third_person,
)
from counterpoint.language.lexicon.senses import is_a
from counterpoint.language.tokens import is_noun, tag_words
from counterpoint.suites.rad.augmentation import Augmentation, QuestionSubject, listed_words

LARGEST = 100
"""The largest number that is written in words."""
NO_NOUN = "the word after 'how many' is no noun"
OTHERWISE = "asks for something else than how many there are"
_SEEING = re.compile(
    r"(?:(?:do|can|could|did) (?:you|we|i) (?:see|count|find|spot|notice)|(?:are|is|can be|could be) "
    r"(?:seen|counted|spotted|found))"
    r"(?: (?=\w)|$)"
)
_BEING = re.compile(r"(?:are|is)(?: there)?(?: (?=\w)|$)")
_TOGETHER = re.compile(r"\b(?:each other|one another|together|both|all|same|different|between|apart|their)\b")
_PLACED = ("PRP", "AV", "VVG", "VVN", "VVD")
_WITH_THEM = re.compile(r"\b(wearing|holding|carrying|riding|using|on) (\w+)$")
_DIGITS = re.compile(r"[0-9]+")


@cache
def is_person(things: str) -> bool:
    """Whether a noun names people, of whom a clause says "who"."""
    try:
        return is_a(singular(things), "person")
    except UnknownName:
        return False


@lru_cache(1 << 14)
def parse_counted(text: str) -> QuestionSubject | str:
    """The counted noun and its modifiers, or the reason why the question cannot be parsed."""
    words = text.split()
    tags = tag_words(("How", "many", *words, "?"))[2:-1]
    if len(tags) != len(words) or not is_noun(tags[0]):
        return NO_NOUN
    end = _end(words, tags)
    things = " ".join(words[:end])
    if is_mass(things) or "'" in things:
        return "its subject is not counted one by one"
    is_one = not is_plural(things) and plural(things) != things
    if is_one or words[end : end + 1] == ["is"] or words[0].lower() == "wear":
        return "its words do not agree"
    rest = _rest(" ".join(words[end:]), tags[end:])
    if rest is None:
        return OTHERWISE
    return QuestionSubject(things, re.sub("^that ", "who ", rest) if is_person(things) else rest)


def count_value(subject: QuestionSubject, answer: str) -> str:
    """The number of an answer in digits, or nothing for "many", "5+", or an estimate.

    >>> [count_value(QuestionSubject("dogs"), answer) for answer in ("Two", "03", "lots", "50")]
    ['2', '3', '', '']
    """
    text = normalize_vqa(answer)
    number = None if text in ("no", "single") else number_value(text)
    return str(number) if number is not None and number <= LARGEST and not _is_estimate(number) else ""


def _is_estimate(number: int) -> bool:
    """Whether a number is rather a guess than a count: a multiple of ten above fifteen."""
    return number > 15 and number % 10 == 0


def counts_exclude(subject: QuestionSubject, wanted: str, answer: str) -> bool:
    """Whether an answer does not name the number, and the number can be asked for."""
    named = {int(digits) for digits in _DIGITS.findall(normalize_vqa(answer))[:3]} | {count_value(subject, answer)}
    return int(wanted) not in named and wanted not in named and bool(count_question(subject, wanted))


def count_question(subject: QuestionSubject, wanted: str) -> str:
    """The question of Table 1 of the paper with "exactly", in the singular for one; nobody asks for zero dogs.

    >>> count_question(QuestionSubject("dogs"), "2"), count_question(QuestionSubject("dogs"), "0")
    ('are there exactly two dogs', 'is it true that there are no dogs')
    """
    number = int(wanted)
    if number != 1:
        opening = f"are there exactly {number_word(number)}" if number else "is it true that there are no"
        rest = subject.rest.replace("{be}", "are").replace("{s}", "")
        return " ".join(f"{opening} {plural(subject.noun)} {rest}".split())
    if is_pair(subject.noun) or _TOGETHER.search(subject.rest):
        return ""
    rest = re.sub(r"^(that|who) (\w+)\{s\}", lambda match: f"{match[1]} {third_person(match[2])}", subject.rest)
    rest = _WITH_THEM.sub(_own, rest).replace("{be}", "is")
    return " ".join(f"is there exactly one {singular(subject.noun)} {rest}".split())


def _own(match: re.Match[str]) -> str:
    """One wears a hat where many wear hats."""
    things = match[2].lower()
    if not is_plural(things) or is_pair(things) or things in listed_words("count.in_pairs"):
        return match[0]
    return f"{match[1]} {a(singular(things))}"


def _end(words: list[str], tags: tuple[str, ...]) -> int:
    """Where the name of the things ends: nouns, and "of" with what follows it."""
    end = 1
    while end < len(words):
        if is_noun(tags[end]) or tags[end] == "VVZ":  # which is how a tagger may take "bears" in "teddy bears"
            end += 1
        elif words[end].lower() == "of" and (noun := _noun_after(tags, end + 1)):
            end = noun
        else:
            break
    return end


def _noun_after(tags: tuple[str, ...], start: int) -> int:
    """The place behind the noun that articles and adjectives lead to, or 0."""
    while start < len(tags) and tags[start].startswith(("AT", "DT", "DPS", "AJ")):
        start += 1
    return start + 1 if start < len(tags) and is_noun(tags[start]) else 0


def _rest(text: str, tags: tuple[str, ...]) -> str | None:
    """What follows the things in "there are …"; nothing at all where it does not say where they are or what they do."""
    if not text:
        return ""
    lead = _SEEING.match(text.lower()) or _BEING.match(text.lower())
    remainder = text[lead.end() :] if lead else text
    tags = tags[len(text.split()) - len(remainder.split()) :]
    if not remainder or remainder.lower() in listed_words("count.in_all"):
        return ""
    first = remainder.split()[0].lower()
    if first.endswith("ly"):  # "How many people can be seen clearly?"
        return None
    if (tags[0].startswith(_PLACED) or first.endswith("ing")) and first not in listed_words("count.leading_on"):
        return remainder
    if lead is None and tags[0] in ("VHB", "VVB") and len(tags) > 1:
        verb, _, more = remainder.partition(" ")
        return f"that {verb}{{s}} {more}"
    if tags[0].startswith("AJ") and lead and "there" not in text.lower().split()[:2]:
        if first in listed_words("count.behind"):
            return remainder
        return None if len(tags) > 1 and not tags[1].startswith("PR") else f"that {{be}} {remainder}"
    return None


how_many = Augmentation(
    "how-many",
    "how many",
    parse_counted,
    count_value,
    counts_exclude,
    count_question,
    "its answer is no number up to one hundred",
)
