"""Sets of questions of a source: rephrasings, back-translations, and logically related questions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random

from counterpoint.core.groups import Group, Relation
from counterpoint.core.items import Question
from counterpoint.suites.question_groups import base_query, base_tags
from counterpoint.suites.suite import Rejection, Suite


@dataclass(frozen=True, slots=True)
class QuestionSets:
    """The questions of each set in order, by the id of the first question or by the name of the set."""

    members: Mapping[str, tuple[Question, ...]]
    firsts: frozenset[str]


def survey_repetitions(questions: Iterable[Question]) -> QuestionSets:
    """All rephrasings, by the id of the original question."""
    repetitions, firsts = dict[str, list[Question]](), set[str]()
    for question in questions:
        if question.same_as:
            repetitions.setdefault(question.same_as, []).append(question)
        else:
            firsts.add(question.id)
    return QuestionSets({first: tuple(rows) for first, rows in repetitions.items()}, frozenset(firsts))


def propose_repetitions(
    question: Question, question_sets: QuestionSets, rng: Random, *, name: str
) -> Iterator[Group | Rejection]:
    """An original question with all its rephrasings."""
    if question.same_as:
        if question.same_as not in question_sets.firsts:
            yield Rejection(name, "its first question is not there")
        return
    members = question_sets.members.get(question.id, ())
    others = tuple(other for other in members if other.text != question.text)
    if len(others) < len(members):
        yield Rejection(name, "says it in the same words", len(members) - len(others))
    if others and question.gold.answers:
        yield _group(Relation.SAME, (question, *others), name, "its maker says that they ask the same")


def survey_sets(questions: Iterable[Question]) -> QuestionSets:
    """All questions, by the set that the source assigns them to."""
    sets: dict[str, dict[str, Question]] = {}
    for question in questions:
        if name := dict(question.tags).get("set"):
            sets.setdefault(name, {}).setdefault(question.text, question)
    members = {name: tuple(rows.values()) for name, rows in sets.items()}
    return QuestionSets(members, frozenset(rows[0].id for rows in members.values()))


def propose_set(
    question: Question, question_sets: QuestionSets, rng: Random, *, name: str
) -> Iterator[Group | Rejection]:
    """A set as one group; it has no original, so the first question is the base, which set metrics do not depend on."""
    if question.id not in question_sets.firsts:
        return
    members = question_sets.members[dict(question.tags)["set"]]
    if len(members) < 2:
        yield Rejection(name, "one question alone")
    else:
        yield _group(Relation.GOLD, members, name, "its maker says that the answers follow from each other")


def _group(relation: Relation, members: tuple[Question, ...], name: str, proof: str) -> Group:
    return Group(
        relation,
        tuple(map(base_query, members)),
        tuple(question.gold for question in members),
        proof=proof,
        kind=name,
        tags=tuple((*base_tags(question), ("augmentation", name)) for question in members),
    )


def _suite(name: str, kind: str, tests: str, *, repeats: bool = False) -> Suite[Question, QuestionSets]:
    propose, survey = (propose_repetitions, survey_repetitions) if repeats else (propose_set, survey_sets)
    return Suite(name, tests, partial(propose, name=kind), survey, takes="questions", reads_whole_source=True)


rephrasings = _suite(
    "rad-rephrasings",
    "rephrase",
    "a model that answers a question correctly also answers its rephrasings",
    repeats=True,
)
back_translations = _suite(
    "rad-back-translations",
    "back-translation",
    "a model that answers a question correctly also answers its back-translations",
    repeats=True,
)
logical_sets = _suite("rad-l-convqa", "l-convqa", "logically related questions are all answered correctly")
common_sense_sets = _suite("rad-cs-convqa", "cs-convqa", "questions related by common sense are all answered correctly")
