"""Counterfactuals in dialogues: a turn becomes a yes/no question, with the same caption and preceding turns."""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from random import Random

from counterpoint.core.groups import Gold, Group, Query
from counterpoint.core.items import Dialogue, Question, Turn
from counterpoint.language.english import plural, singular
from counterpoint.suites.rad.augmentation import Augmentation, InterpretedQuestion, QuestionSubject
from counterpoint.suites.rad.color_questions import color, color_value, shows_picture
from counterpoint.suites.rad.count_questions import how_many
from counterpoint.suites.rad.counterfactuals import (
    NO_OTHER,
    PICTURE_ITSELF,
    AnswerSamplers,
    augmentation_of,
    build_samplers,
    counterfactual_group,
    draw_answer,
)
from counterpoint.suites.rad.told_before import after_dialogue, doubt_after
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
_PICTURE_AS_THING = re.compile(
    r"\b(?:an?|any|some|other) (?:picture|photo|painting|poster|image)s?\b|\bpictures? on the\b"
)


def dialogue_context(caption: str, turns: Iterable[Turn]) -> str:
    """The context of a turn: the caption, then the preceding questions with their answers.

    >>> dialogue_context("a cat on a bed", [Turn("is it black", "yes")])
    'a cat on a bed. is it black? yes.'
    """
    lines = [caption.strip(_EDGES) + "."] if caption.strip(_EDGES) else []
    lines += [f"{turn.question.strip(_EDGES)}? {turn.answer.strip(_EDGES)}." for turn in turns]
    return " ".join(lines)


def plain_value(augmentation: Augmentation, subject_of_question: QuestionSubject, answer: str) -> str:
    """The plain value that an answer in a dialogue gives: white for "it is white", 2 for "2 dogs"; else nothing.

    >>> plain_value(how_many, QuestionSubject("dogs"), "only 1 dog")
    '1'
    >>> plain_value(color, QuestionSubject("cat"), "the cat is mostly white")
    ''
    """
    text = " ".join(answer.lower().split()).strip(_EDGES)
    subject = re.escape(subject_of_question.noun.lower())
    text = _LEADS.sub("", re.sub(rf"^the {subject} (?:is|are) ", "", text), count=1)
    if augmentation is color:
        return color_value(subject_of_question, text)
    things = "|".join(
        map(re.escape, {subject_of_question.noun, singular(subject_of_question.noun), plural(subject_of_question.noun)})
    )
    text = re.sub(rf" (?:{things}|of them|total|in total)$", "", text)
    return "0" if text in ("no", "none") and answer.strip() != "no" else augmentation.value(subject_of_question, text)


def asks_for_picture(turns: Iterable[Turn]) -> bool:
    """Whether somebody asks for a picture as a thing, as one on the wall; then "the picture" is that one.

    >>> [asks_for_picture([Turn(text, "yes")]) for text in ("is there a picture on the wall", "is the picture old")]
    [True, False]
    """
    return any(_PICTURE_AS_THING.search(turn.question.lower()) for turn in turns)


def turn_questions(dialogue: Dialogue) -> Iterator[Question]:
    """Each turn as a question of its own, with the caption and the turns before it as its context."""
    for place, turn in enumerate(dialogue.turns):
        if turn.answer:
            context = dialogue_context(dialogue.caption, dialogue.turns[:place])
            tags = (("dialogue", dialogue.id), ("turn", str(place)))
            gold = Gold.of(turn.answer)
            yield Question(f"{dialogue.id}-{place}", dialogue.picture, turn.question, gold, context=context, tags=tags)


def read_turn(turn: Turn) -> tuple[Augmentation, InterpretedQuestion | str] | None:
    """The augmentation and parsed question of a turn, or the reason why not; None for turns of another kind."""
    augmentation = augmentation_of(turn.question)
    if augmentation not in (color, how_many):
        return None
    subject = augmentation.read(turn.question)
    if isinstance(subject, str):
        return augmentation, subject
    value = plain_value(augmentation, subject, turn.answer)
    if not value or not augmentation.words(subject, value):
        return augmentation, "its answer is no plain value"
    return augmentation, InterpretedQuestion(subject, value, 1, (value,))


def survey(dialogues: Iterable[Dialogue]) -> AnswerSamplers:
    """How often each value is the answer of a turn."""
    turns = (read_turn(turn) for dialogue in dialogues for turn in dialogue.turns)
    return build_samplers((read[0], read[1]) for read in turns if read and isinstance(read[1], InterpretedQuestion))


def propose_turns(
    dialogue: Dialogue, samplers: AnswerSamplers, rng: Random, *, offered: bool
) -> Iterator[Group | Rejection]:
    """A group for each turn that an augmentation applies to, with the options of the turn as choices if `offered`."""
    for place, turn in enumerate(dialogue.turns):
        read = read_turn(turn)
        if read is None:
            continue
        augmentation, interpreted = read
        if isinstance(interpreted, InterpretedQuestion) and augmentation is color:
            is_photo = shows_picture(interpreted.subject) and not asks_for_picture(dialogue.turns[:place])
            interpreted = PICTURE_ITSELF if is_photo else interpreted
        if isinstance(interpreted, InterpretedQuestion):
            interpreted = doubt_after(dialogue, place, augmentation, interpreted) or interpreted
        drawn_answer = None
        if isinstance(interpreted, InterpretedQuestion):
            drawn_answer = draw_answer(after_dialogue(dialogue, place, augmentation), interpreted, samplers, rng)
        if isinstance(interpreted, str) or drawn_answer is None:
            yield Rejection(augmentation.name, interpreted if isinstance(interpreted, str) else NO_OTHER)
        elif offered and not turn.options:
            yield Rejection(augmentation.name, "no options are offered")
        else:
            before = dialogue_context(dialogue.caption, dialogue.turns[:place])
            base = Query(dialogue.picture, turn.question, choices=turn.options if offered else (), context=before)
            gold = Gold.of(*dict.fromkeys((turn.answer,) if offered else (turn.answer, interpreted.value)))
            answer = drawn_answer[0]
            choices, right = turn_options(turn, augmentation, answer) if offered else ((), Gold.of(answer))
            tags = (("dialogue", dialogue.id), ("turn", str(place)))
            yield counterfactual_group(
                augmentation, interpreted, *drawn_answer, base, (gold, right), tags, choices=choices
            )


def turn_options(turn: Turn, augmentation: Augmentation, answer: str) -> tuple[tuple[str, ...], Gold]:
    """The options of a turn with yes and no among them, as many as before, and the correct ones."""
    offered, wanted = list(turn.options), [word for word in ("yes", "no") if word not in turn.options]
    places = [place for place in reversed(range(len(offered))) if offered[place] not in ("yes", "no", turn.answer)]
    for word, place in zip(wanted, places, strict=False):
        offered[place] = word
    says = _SAME[augmentation.name, answer]
    plain = [option for option in offered if says.fullmatch(" ".join(re.sub(r"[^\w' ]", " ", option).split()))]
    return tuple(offered), Gold.of(*dict.fromkeys((answer, *plain)))


suite = Suite(
    "rad-dialogues",
    tests="a model that ranks the answer to an open turn first does so for the yes/no turn about it",
    propose=partial(propose_turns, offered=True),
    survey=survey,
    takes="dialogues",
)
open_suite = Suite(
    "rad-open-dialogues",
    tests="a model that answers an open turn correctly also answers the yes/no turn about it",
    propose=partial(propose_turns, offered=False),
    survey=survey,
    takes="dialogues",
    rules="vqa-short",
)
