"""Existence: "there is a dog" against "there is no dog" (VALSE, A.1)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from counterpoint.core.groups import Group
from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import Question
from counterpoint.suites.question_groups import ranking_group, settled_answer
from counterpoint.suites.questions.flaws import flaw
from counterpoint.suites.suite import Rejection, Suite
from counterpoint.suites.valse.paired_foils import PAIR_TAG, PairSampler, pair_cases
from counterpoint.suites.valse.statements import ExistenceClaim, how_many, is_there, read_votes

NAME = "existence"


@dataclass(frozen=True, slots=True)
class ExistenceStatement:
    """The statement and the denial that follow from a question, and which of the two is true."""

    id: str
    exists: bool
    claim: ExistenceClaim
    pair: str = ""


ExistencePlan: TypeAlias = Mapping[str, ExistenceStatement]
"""The cases that are kept, by the id of their question."""


def read_existence(question: Question, many: bool = True) -> ExistenceStatement | str:
    """The existence statement of a question, or the reason why it is rejected.

    The absence of something can be stated in the singular or in the plural: `many` decides.
    """
    if question.same_as:
        return "it says again what another question says"
    claim, asked = how_many(question.text), is_there(question.text)
    if claim is None and asked is None:
        return "no statement that something is there follows from it"
    if reason := flaw(question.text):
        return reason
    if claim is not None:
        count = read_votes(question)
        if count.exists is None:
            return "people differ on whether there is any"
        if count.exists and count.many is None:
            return "people differ on whether there are several"
        settled = count.many if count.exists else None
        existence = claim.existence(many if settled is None else settled, settled)
        return ExistenceStatement(question.id, count.exists, existence)
    assert asked is not None, "it is one of two kinds of questions"
    if (answer := settled_answer(question)) is None:
        return "people differ on whether there is any"
    return ExistenceStatement(question.id, answer == "yes", asked)


def plan_pairs(questions: Iterable[Question]) -> ExistencePlan:
    """As many statements of presence as of absence, in pairs.

    The two of a pair have the same noun where possible, and always the same number.
    """
    by_id = {question.id: question for question in questions}
    cases = [case for question in by_id.values() if isinstance(case := read_existence(question), ExistenceStatement)]
    settled = [case.claim.many for case in cases if case.exists]
    share = sum(map(bool, settled)) / len(settled) if settled else 1.0
    ready = sorted((_settled(case, by_id[case.id], share) for case in cases), key=lambda case: case.id)
    statements = {(by_id[case.id].picture, case.claim.some): case for case in ready}  # repeated questions count once
    pairs = pair_cases(
        statements.values(),
        side=lambda case: "some" if case.exists else "none",
        keys=(lambda case: case.claim.some, lambda case: (case.claim.word, case.claim.noun)),
        otherwise=(lambda case: (case.claim.word, case.claim.some.count(" ")), lambda case: case.claim.word),
    )
    return {case.id: replace(case, pair=pair.name(NAME)) for pair in pairs for case in pair.kept}


def propose_foils(question: Question, plan: ExistencePlan, rng: Random) -> Iterator[Group | Rejection]:
    """The true statement, and its negation."""
    if question.id not in plan:
        reason = read_existence(question)
        yield Rejection(NAME, reason if isinstance(reason, str) else "nothing of its kind stands against it")
        return
    case, claim = plan[question.id], plan[question.id].claim
    sides = [(claim.some, claim.word), (claim.none, "no")][:: 1 if case.exists else -1]
    (caption, word), (foil, other) = sides
    yield ranking_group(
        question.picture,
        (caption, foil),
        ((("word", word), ("question", question.id), (PAIR_TAG, case.pair)), (("word", other),)),
        proof=question.proof or f"question {question.id} is answered {question.gold.best}",
        kind=NAME,
        test=NAME,
    )


def _settled(case: ExistenceStatement, question: Question, share: float) -> ExistenceStatement:
    """A statement with its number: for absence, plural as often as for presence."""
    if case.claim.many is not None:
        return case
    reread = read_existence(question, many=seeded_rng(NAME, case.id).random() < share)
    assert isinstance(reread, ExistenceStatement), "a case stays one in the singular"
    return reread


suite = Suite(
    NAME,
    tests="a true statement of presence or absence ranks above its negation",
    propose=propose_foils,
    survey=plan_pairs,
    choose=PairSampler,
    takes="questions",
)
