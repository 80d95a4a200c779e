"""Counterfactual questions in dialogues: a turn is asked for yes or no, after the same caption and the same turns."""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from random import Random

from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.items import Dialogue, Turn
from counterpoint.language.english import plural, singular
from counterpoint.suites.rad.augmentation import Augmentation, InterpretedQuestion, QuestionSubject
from counterpoint.suites.rad.color_questions import color, color_value
from counterpoint.suites.rad.count_questions import how_many
from counterpoint.suites.rad.counterfactuals import (
    NO_OTHER,
    AnswerSamplers,
    answer_proof,
    augmentation_of,
    build_samplers,
    draw_answer,
    yes_no_text,
)
from counterpoint.suites.suite import Rejection, Suite

_LEADS = re.compile(
    r"(?:(?:it is|it's|its|they are|they're|there is|there are|there's|i see|i can see|only|just|yes)[, ]+)+"
)
_SAME = {
    ("color", "yes"): re.compile(r"yes|yep|yup|yeah|(?:yes )?it is"),
    ("color", "no"): re.compile(r"no|nope|nah|(?:no )?it (?:is not|isn't)"),
    ("how-many", "yes"): re.compile(r"yes|yep|yup|yeah|(?:yes )?there (?:is|are)"),
    ("how-many", "no"): re.compile(r"no|nope|nah|(?:no )?there (?:is not|isn't|are not|aren't)"),
}
_EDGES = " .,;!?"


def dialogue_context(caption: str, turns: Iterable[Turn]) -> str:
    """What was said so far: the caption, then questions with their answers.

    >>> dialogue_context("a cat on a bed", [Turn("is it black", "yes")])
    'a cat on a bed. is it black? yes.'
    """
    said = [caption.strip(_EDGES) + "."] if caption.strip(_EDGES) else []
    said += [f"{turn.question.strip(_EDGES)}? {turn.answer.strip(_EDGES)}." for turn in turns]
    return " ".join(said)


def plain_value(one: Augmentation, asked: QuestionSubject, answer: str) -> str:
    """The plain value that an answer in a dialogue gives: white for "it is white", 2 for "2 dogs"; else nothing.

    >>> plain_value(how_many, QuestionSubject("dogs"), "only 1 dog")
    '1'
    >>> plain_value(color, QuestionSubject("cat"), "the cat is mostly white")
    ''
    """
    said = " ".join(answer.lower().split()).strip(_EDGES)
    subject = re.escape(asked.subject.lower())
    said = _LEADS.sub("", re.sub(rf"^the {subject} (?:is|are) ", "", said), count=1)
    if one is color:
        return color_value(asked, said)
    things = "|".join(map(re.escape, {asked.subject, singular(asked.subject), plural(asked.subject)}))
    said = re.sub(rf" (?:{things}|of them|total|in total)$", "", said)
    return "0" if said in ("no", "none") and answer.strip() != "no" else one.value(asked, said)


def read_turn(turn: Turn) -> tuple[Augmentation, InterpretedQuestion | str] | None:
    """What a turn asks and what was answered, or why that cannot be told; nothing for turns of another sort."""
    one = augmentation_of(turn.question)
    if one not in (color, how_many):
        return None
    asked = one.read(turn.question)
    if isinstance(asked, str):
        return one, asked
    found = plain_value(one, asked, turn.answer)
    if not found or not one.words(asked, found):
        return one, "its answer is no plain value"
    return one, InterpretedQuestion(asked, found, 1, (found,))


def survey(dialogues: Iterable[Dialogue]) -> AnswerSamplers:
    """How often each value is the answer of a turn."""
    turns = (read_turn(turn) for dialogue in dialogues for turn in dialogue.turns)
    return build_samplers(
        (found[0], found[1]) for found in turns if found and isinstance(found[1], InterpretedQuestion)
    )


def propose_turns(
    dialogue: Dialogue, pools: AnswerSamplers, rng: Random, *, offered: bool
) -> Iterator[Group | Rejection]:
    """Each turn that can be asked for yes or no, with the options of the turn as choices if they are offered."""
    for place, turn in enumerate(dialogue.turns):
        known = read_turn(turn)
        if known is None:
            continue
        one, found = known
        made = found if isinstance(found, str) else draw_answer(one, found, pools, rng) or NO_OTHER
        if isinstance(found, str) or isinstance(made, str):
            yield Rejection(one.name, str(made))
        elif offered and not turn.options:
            yield Rejection(one.name, "no options are offered")
        else:
            yield _group(dialogue, place, one, found, *made, offered=offered)


def turn_options(turn: Turn, one: Augmentation, answer: str) -> tuple[tuple[str, ...], Gold]:
    """The options of a turn with yes and no among them, as many as before, and those that say the right one."""
    kept, wanted = list(turn.options), [word for word in ("yes", "no") if word not in turn.options]
    places = [place for place in reversed(range(len(kept))) if kept[place] not in ("yes", "no", turn.answer)]
    for word, place in zip(wanted, places, strict=False):
        kept[place] = word
    says = _SAME[one.name, answer]
    plain = [said for said in kept if says.fullmatch(" ".join(re.sub(r"[^\w' ]", " ", said).split()))]
    return tuple(kept), Gold.of(*dict.fromkeys((answer, *plain)))


def _group(
    dialogue: Dialogue,
    place: int,
    one: Augmentation,
    found: InterpretedQuestion,
    answer: str,
    wanted: str,
    *,
    offered: bool,
) -> Group:
    turn, before = dialogue.turns[place], dialogue_context(dialogue.caption, dialogue.turns[:place])
    choices, right = turn_options(turn, one, answer) if offered else ((), Gold.of(answer))
    own = Gold.of(*dict.fromkeys((turn.answer, found.value))) if not offered else Gold.of(turn.answer)
    text = yes_no_text(one, found, wanted, turn.question)
    return Group(
        Relation.GOLD,
        (
            Query(dialogue.picture, turn.question, choices=turn.options if offered else (), context=before),
            Query(dialogue.picture, text, choices=choices, context=before),
        ),
        (own, right),
        proof=answer_proof(found, wanted),
        kind=one.name,
        tags=(
            (("dialogue", dialogue.id), ("turn", str(place)), ("augmentation", one.name)),
            (("augmentation", one.name), ("answer", answer), ("value", wanted)),
        ),
    )


suite = Suite(
    "rad-dialogues",
    tests="who ranks the answer to an open turn first does so where the turn asks for yes or no",
    propose=partial(propose_turns, offered=True),
    survey=survey,
    takes="dialogues",
)
open_suite = Suite(
    "rad-open-dialogues",
    tests="who answers an open turn rightly also tells whether that is the answer",
    propose=partial(propose_turns, offered=False),
    survey=survey,
    takes="dialogues",
    rules="vqa-short",
)
