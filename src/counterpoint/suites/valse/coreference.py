"""Coreference: a caption, a question with a pronoun, and "yes" against "no"."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from counterpoint.core.groups import Group
from counterpoint.core.items import Dialogue, Turn
from counterpoint.core.pictures import Picture
from counterpoint.language.english import question as asked
from counterpoint.language.english import sentence
from counterpoint.suites.question_groups import ranking_group
from counterpoint.suites.suite import Rejection, Suite
from counterpoint.suites.valse.paired_foils import PAIR_TAG, PairSampler, pair_cases
from counterpoint.suites.valse.plausibility import word_pattern
from counterpoint.suites.valse.pronouns import caption_answers, join_pronouns, pronouns, refer_to_caption

KIND = "coreference"
STANDARD, CLEAN = "coreference-standard", "coreference-clean"
_LED = re.compile(r"(?:is|are|was|were|do|does|did|has|have|can|could)\b")
_YES, _NO = re.compile(r"(?:yes|yeah|yep|yup)\b"), re.compile(r"(?:no|nope|nah)\b")
_CLOSED = frozenset({"validation", "val", "test", "shifted"})


@dataclass(frozen=True, slots=True)
class PronounTurn:
    """A turn of a dialogue whose pronoun refers to the caption."""

    id: str
    turn: int
    text: str  # caption and question
    question: str
    answer: str
    pair: str = ""


CoreferencePlan: TypeAlias = Mapping[str, Sequence[PronounTurn]]
"""The cases that are kept, by the id of their dialogue."""


def yes_or_no(answer: str) -> str | None:
    """Yes or no, if an answer is clearly one of them.

    >>> yes_or_no("yes, he is"), yes_or_no("no i don't think so"), yes_or_no("no"), yes_or_no("2")
    ('yes', None, 'no', None)
    """
    text = answer.strip().lower()
    if word_pattern("coreference", "unsure").search(text):
        return None
    return "yes" if _YES.match(text) else "no" if _NO.match(text) else None


def pronoun_turns(dialogue: Dialogue) -> Iterator[PronounTurn | str]:
    """Every turn with a pronoun that refers to the caption, or the reason why one with a pronoun is rejected."""
    since = list[str]()
    for place, turn in enumerate(dialogue.turns):
        pronoun_turn = _case(dialogue, place, turn, since)
        if pronoun_turn:
            yield pronoun_turn
        since += turn.question, turn.answer


def _case(dialogue: Dialogue, place: int, turn: Turn, since: Sequence[str]) -> PronounTurn | str:
    text = " ".join(turn.question.lower().split())
    if not _LED.match(text) or not pronouns(text):
        return ""
    if word_pattern("coreference", "open").search(text):
        return "the question is not for yes or no"
    if (answer := yes_or_no(turn.answer)) is None:
        return "the answer is no plain yes or no"
    if not refer_to_caption(text, dialogue.caption, since):
        return "the pronoun may mean something that the caption does not name"
    if caption_answers(dialogue.caption, text):
        return "the caption answers the question"
    full_text = f"{sentence(dialogue.caption)} {asked(turn.question)}"
    return PronounTurn(f"{dialogue.id}-{place}", place, full_text, text.rstrip(" ?"), answer)


def plan_pairs(dialogues: Iterable[Dialogue]) -> CoreferencePlan:
    """As many turns with yes as with no in each instrument, for questions with the same beginning."""
    shelves, owner = defaultdict[str, list[PronounTurn]](list), dict[str, str]()
    for dialogue in dialogues:
        for case in pronoun_turns(dialogue):
            if isinstance(case, PronounTurn):
                shelves[instrument(dialogue.picture)].append(case)
                owner[case.id] = dialogue.id
    by_dialogue = defaultdict[str, list[PronounTurn]](list)
    for name, cases in shelves.items():
        for pair in pair_cases(
            cases, side=lambda case: case.answer, keys=(_whole,), otherwise=(_three, _two), half=True
        ):
            for case in pair.kept:
                by_dialogue[owner[case.id]].append(replace(case, pair=pair.name(name)))
    return {own: sorted(cases, key=lambda case: case.turn) for own, cases in by_dialogue.items()}


def instrument(picture: Picture) -> str:
    """Standard for pictures of training splits, clean for held-out pictures."""
    folder = picture.path.partition("/")[0]
    return CLEAN if folder in _CLOSED or folder.startswith("VisualDialog_") else STANDARD


def propose_foils(dialogue: Dialogue, plan: CoreferencePlan, rng: Random) -> Iterator[Group | Rejection]:
    """Caption and question with the correct answer, and with the other one."""
    planned = plan.get(dialogue.id, ())
    ids = {case.id for case in planned}
    for case in planned:
        other = "no" if case.answer == "yes" else "yes"
        tags = (
            ("word", case.answer),
            ("dialogue", dialogue.id),
            ("pronoun", join_pronouns(pronouns(case.question))),
            (PAIR_TAG, case.pair),
        )
        yield ranking_group(
            dialogue.picture,
            (f"{case.text} {sentence(word)}" for word in (case.answer, other)),
            (tags, (("word", other),)),
            proof=f"turn {case.turn + 1} of dialogue {dialogue.id} is answered {dialogue.turns[case.turn].answer!r}",
            kind=KIND,
            test=instrument(dialogue.picture),
        )
    for rejected in pronoun_turns(dialogue):
        if isinstance(rejected, str):
            yield Rejection(KIND, rejected)
        elif rejected.id not in ids:
            yield Rejection(KIND, "no question that begins alike has the other answer")


def _whole(case: PronounTurn) -> str:
    return case.question


def _three(case: PronounTurn) -> str:
    return " ".join(case.question.split()[:3])


def _two(case: PronounTurn) -> str:
    return " ".join(case.question.split()[:2])


suite = Suite(
    KIND,
    tests="a question with a pronoun is answered for the object in the caption that it refers to",
    propose=propose_foils,
    survey=plan_pairs,
    choose=PairSampler,
    takes="dialogues",
)
