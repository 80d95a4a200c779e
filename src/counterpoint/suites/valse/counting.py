"""Counting: the right number against a wrong one; balanced, small numbers, and adversarial (VALSE, A.3)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from random import Random
from typing import TypeAlias

from counterpoint.core.groups import Group
from counterpoint.core.ids import content_id, seeded_rng
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.suites.question_groups import ranking_group
from counterpoint.suites.questions.flaws import flaw
from counterpoint.suites.suite import Rejection, Suite
from counterpoint.suites.valse.paired_foils import PAIR_TAG, FoilPair, PairSampler, pair_cases, pair_name
from counterpoint.suites.valse.statements import CountClaim, CountVotes, how_many, numeral, read_votes

KIND = "counting"
BALANCED, SMALL, ADVERSARIAL = "counting-balanced", "counting-small", "counting-adversarial"
SMALL_NUMBERS = range(1, 4)
"""The most frequent numbers: foils of the adversarial instrument have one of them, captions none."""


@dataclass(frozen=True, slots=True)
class CountedQuestion:
    """A how-many question, its claim, its votes and its number."""

    id: str
    claim: CountClaim
    count: CountVotes
    number: int


@dataclass(frozen=True, slots=True)
class CountFoil:
    """A wrong number in one of the instruments, with its pair."""

    instrument: str
    number: int
    pair: str


CountingPlan: TypeAlias = Mapping[str, Sequence[CountFoil]]
"""The foils of each question, by its id: one at most for each instrument."""


def read_count(question: Question) -> CountedQuestion | str:
    """The count claim of a question, or the reason why it is rejected."""
    if question.same_as:
        return "it says again what another question says"
    if (claim := how_many(question.text)) is None:
        return "no statement of a number follows from it"
    if reason := flaw(question.text):
        return reason
    count = read_votes(question)
    if (number := count.number) is None:
        return "people differ on the number"
    if number == 0:
        return "there are none, which is said of their existence and not as a number"
    return CountedQuestion(question.id, claim, count, number)


def plan_foils(questions: Iterable[Question]) -> CountingPlan:
    """Foils for all instruments; where possible, each number is equally frequent in captions and in foils."""
    foils = defaultdict[str, list[CountFoil]](list)
    statements = dict[tuple[Picture, CountClaim], CountedQuestion]()  # repeated questions count once
    for question in questions:
        if isinstance(case := read_count(question), CountedQuestion):
            statements.setdefault((question.picture, case.claim), case)
    cases = list(statements.values())
    small = [case for case in cases if case.number in SMALL_NUMBERS]
    for instrument, questions_used in ((BALANCED, cap_numbers(cases)), (SMALL, small)):
        for pair in _exchanging(questions_used):
            for case, other in pair.each():
                foils[case.id].append(CountFoil(instrument, other.number, pair.name(instrument)))
    for case in cases:
        if case.number not in SMALL_NUMBERS and (numbers := [n for n in SMALL_NUMBERS if _is_apart(case, n)]):
            number = seeded_rng(ADVERSARIAL, case.id).choice(numbers)
            foils[case.id].append(CountFoil(ADVERSARIAL, number, pair_name(ADVERSARIAL, case)))
    return foils


def cap_numbers(cases: Sequence[CountedQuestion]) -> list[CountedQuestion]:
    """At most an even share of the questions for each number, so that frequent numbers do not dominate."""
    most = ceil(len(cases) / max(len({case.number for case in cases}), 1))
    counts, kept = Counter[int](), list[CountedQuestion]()
    for case in sorted(cases, key=lambda case: (content_id(["cap", case.id]), case.id)):
        counts[case.number] += 1
        if counts[case.number] <= most:
            kept.append(case)
    return kept


def differ_clearly(one: int, other: int) -> bool:
    """Whether two numbers differ enough not to be confused.

    >>> differ_clearly(2, 3), differ_clearly(7, 8), differ_clearly(6, 8), differ_clearly(20, 18)
    (True, False, True, False)
    """
    return one != other and abs(one - other) >= max(one, other) / 4


def propose_foils(question: Question, plan: CountingPlan, rng: Random) -> Iterator[Group | Rejection]:
    """The statement with the right number, and with a wrong one."""
    case = read_count(question)
    if isinstance(case, str):
        yield Rejection(KIND, case)
        return
    if question.id not in plan:
        yield Rejection(KIND, "no other question has a number to exchange with it")
    for foil in plan.get(question.id, ()):
        words = uses_words(case.claim, foil.instrument)
        numeral_of_caption, numeral_of_foil = (numeral(n, in_words=words) for n in (case.number, foil.number))
        texts = (case.claim.exactly(n, in_words=words) for n in (case.number, foil.number))
        tags = (("word", numeral_of_caption), ("question", question.id), (PAIR_TAG, foil.pair))
        yield ranking_group(
            question.picture,
            texts,
            (tags, (("word", numeral_of_foil),)),
            proof=question.proof or f"question {question.id} is answered {case.number}",
            kind=KIND,
            test=foil.instrument,
        )


def uses_words(claim: CountClaim, instrument: str) -> bool:
    """Whether numbers are spelled out, by a hash of the noun; both questions of a pair agree.

    The balanced instrument does the opposite of the others, so that one question may serve both.
    """
    return (content_id(["in words", claim.noun]) % 2 == 0) != (instrument == BALANCED)


def _exchanging(cases: Sequence[CountedQuestion]) -> list[FoilPair[CountedQuestion]]:
    """Pairs of questions that exchange their numbers, the most similar questions first."""
    return pair_cases(
        cases,
        side=lambda case: str(case.number),
        keys=(lambda case: case.claim, lambda case: case.claim.noun),
        otherwise=(
            lambda case: (case.claim.opening, uses_words(case.claim, KIND)),
            lambda case: uses_words(case.claim, KIND),
        ),
        fits=lambda one, other: _is_apart(one, other.number) and _is_apart(other, one.number),
    )


def _is_apart(case: CountedQuestion, number: int) -> bool:
    return differ_clearly(case.number, number) and not case.count.was_said(number)


suite = Suite(
    KIND,
    tests="a caption with the right number ranks above one with a wrong number",
    propose=propose_foils,
    survey=plan_foils,
    choose=PairSampler,
    takes="questions",
)
