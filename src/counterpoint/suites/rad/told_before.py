"""What a dialogue tells before a turn, so that nobody would ask it: how many there are, or that there are several."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from counterpoint.core.items import Dialogue
from counterpoint.language.english import number_value, plural, singular
from counterpoint.language.lexicon.senses import is_a
from counterpoint.language.nouns import is_plural
from counterpoint.language.tokens import is_noun, tag_words
from counterpoint.scenes.names import is_known
from counterpoint.suites.rad.augmentation import Augmentation, InterpretedQuestion, QuestionSubject, listed_words
from counterpoint.suites.rad.color_questions import are_near, color
from counterpoint.suites.rad.count_questions import is_person

ASKED_BEFORE = "the dialogue asked it before"
NUMBER_TOLD = "the dialogue tells a number of them before"
SEVERAL_TOLD = "the dialogue tells of several before"
WHICH = "nothing tells which of several comes first"
OWN_NAME = "its color is its name"
_ORDINAL = re.compile(r"\b(?:first|second|third|fourth|fifth|last|next)\b")
_DENIAL = re.compile(r"\b(?:no|not|none|without|any)\b|n't\b")
_FEW = frozenset({"0", "1"})


def told_before(dialogue: Dialogue, place: int) -> tuple[str, ...]:
    """The caption, and the answers before a turn that deny nothing.

    >>> from counterpoint.core.items import Turn
    >>> from counterpoint.core.pictures import Picture
    >>> turns = Turn("any dogs", "no dogs"), Turn("who is there", "2 men"), Turn("how many men", "2")
    >>> told_before(Dialogue("1", Picture("visdial:1.jpg"), "A beach", turns), 2)
    ('a beach', '2 men')
    """
    answers = (turn.answer.lower() for turn in dialogue.turns[:place])
    return (dialogue.caption.lower(), *(answer for answer in answers if not _DENIAL.search(answer)))


def tells_number(text: str, things: str) -> bool:
    """Whether a text tells a number of things, or speaks of others of them, which leaves open who is counted.

    >>> tells_number("2 young zebras in a field", "zebras"), tells_number("one of the zebras", "zebras")
    (True, False)
    >>> tells_number("a sheep among other sheep", "sheep"), tells_number("sheep on a hill", "sheep")
    (True, False)
    """
    names = "|".join(map(re.escape, {singular(things), plural(things)}))
    leads = re.findall(
        rf"\b([\w-]+) (?=(?:(?!(?:of|and|in|on|with|the|an?|to|by)\b)[\w-]+ ){{0,2}}(?:{names})\b)", text
    )
    return any(lead in ("other", "another") or number_value(lead) is not None for lead in leads)


@lru_cache(1 << 12)
def tells_several(text: str, things: str) -> bool:
    """Whether a text names several of the things, or several that are such things.

    >>> tells_several("bed with pillows", "pillows"), tells_several("two men", "people"), tells_several("a man", "men")
    (True, True, False)
    >>> tells_several("a family at the beach", "people"), tells_several("a family at the beach", "kites")
    (True, False)
    """
    words = tuple(re.findall(r"[a-z][a-z-]*", text))
    nouns = [word for word, tag in zip(words, tag_words(words), strict=True) if is_noun(tag)]
    if is_person(things) and not listed_words("count.of_people").isdisjoint(nouns):
        return True
    wanted = singular(things)
    several = (singular(noun) for noun in nouns if is_plural(noun))
    return any(name == wanted or (is_known(name) and is_known(wanted) and is_a(name, wanted)) for name in several)


def doubt_after(dialogue: Dialogue, place: int, augmentation: Augmentation, interpreted: InterpretedQuestion) -> str:
    """Why a turn is not asked after what was said before it, or nothing."""
    things = interpreted.subject.noun.lower()
    asked = dialogue.turns[place].question.lower().strip(" ?")
    if any(turn.question.lower().strip(" ?") == asked for turn in dialogue.turns[:place]):
        return ASKED_BEFORE
    if augmentation is color:
        if _ORDINAL.search(things):
            return WHICH
        return OWN_NAME if things.split()[-1] in interpreted.value.split() else ""
    said = told_before(dialogue, place)
    if any(tells_number(text, things) for text in said):
        return NUMBER_TOLD
    return SEVERAL_TOLD if interpreted.value in _FEW and _several(said, things) else ""


def _several(said: Sequence[str], things: str) -> bool:
    return any(tells_several(text, things) for text in said)


def after_dialogue(dialogue: Dialogue, place: int, augmentation: Augmentation) -> Augmentation:
    """An augmentation whose wrong values may be asked after what was said: not one pillow where there are pillows."""
    said = told_before(dialogue, place)

    def apart(subject: QuestionSubject, wanted: str, answer: str) -> bool:
        if augmentation is color:
            is_open = are_near(subject, wanted, answer)
        else:
            is_open = wanted in _FEW and _several(said, subject.noun.lower())
        return not is_open and augmentation.apart(subject, wanted, answer)

    return replace(augmentation, apart=apart)
