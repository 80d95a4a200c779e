"""Contrast sets: one atom of a question is changed, so that its answer changes, in up to five ways."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from types import MappingProxyType

from counterpoint.core.groups import Group, Query, Relation
from counterpoint.core.items import GroundedQuestion, Question, Step
from counterpoint.suites.contrast.contrasts import Case, Contrast, Family, Plan
from counterpoint.suites.contrast.existence_questions import either, near
from counterpoint.suites.contrast.grounding import Look
from counterpoint.suites.contrast.referent_questions import colored, moved, on_side, turned
from counterpoint.suites.contrast.rejections import Doubt, Unread
from counterpoint.suites.contrast.survey import Survey, survey
from counterpoint.suites.contrast.wordings import COLOR, EITHER, NEAR, OBJECT, RELATION, SIDE
from counterpoint.suites.suite import Dropped, Suite

CONTRASTS = 5
"""How many contrasts a question gets at most."""

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {NEAR: near, EITHER: either, SIDE: on_side, OBJECT: moved, RELATION: turned, COLOR: colored}
)
"""Who plans the contrasts of each template."""

NO_TEMPLATE = "no template"
"""The kind under which all other questions are counted."""


def contrasted(
    item: GroundedQuestion, surveyed: Survey, rng: Random, contrasts: int = CONTRASTS
) -> Iterator[Group | Dropped]:
    """The contrast sets of a question, one for each template that it is an instance of."""
    names = templates_of(item.question.program)
    if not names:
        yield Dropped(NO_TEMPLATE, "no program is given" if not item.question.program else "it is of another kind")
        return
    look = Look(item.scene)
    for name in names:
        try:
            yield _group(Case(name, item.question, look, surveyed, rng), contrasts)
        except Doubt as doubt:
            yield Dropped(NO_TEMPLATE if isinstance(doubt, Unread) else name, str(doubt))


def templates_of(program: Sequence[Step]) -> tuple[str, ...]:
    """The templates that a program can be an instance of, by its last step."""
    if not program:
        return ()
    last = program[-1]
    if last.operation == "exist":
        place = last.inputs[0] if last.inputs else 0
        while program[place].operation.startswith("filter") and program[place].inputs:
            place = program[place].inputs[0]
        return (NEAR,) if program[place].operation == "relate" else ()
    if last.operation == "query":
        return {"hposition": (SIDE,), "color": (COLOR,)}.get(last.argument, ())
    return {"or": (EITHER,), "choose hposition": (SIDE,), "verify rel": (OBJECT, RELATION)}.get(last.operation, ())


def _group(case: Case, most: int) -> Group:
    if case.look.obstacle:
        raise Doubt(case.look.obstacle)
    plan = FAMILIES[case.template](case)
    made = list(_new(case, plan, most))
    if not made:
        raise Doubt(plan.lack)
    question = case.question
    shared = (("question", question.id), ("template", case.template))
    proof = question.proof or f"question {question.id} of its source"
    objects = dict.fromkeys([*plan.objects, *(one for contrast in made for one in contrast.objects)])
    return Group(
        Relation.GOLD,
        (_query(question, question.text), *(_query(question, contrast.text) for contrast in made)),
        (question.gold, *(contrast.gold for contrast in made)),
        proof=f"{proof}; {made[0].proof}" if len(made) == 1 else proof,
        kind=case.template,
        objects=tuple(objects),
        size=case.look.scene.size,
        tags=((*shared, ("grounding", plan.grounding), ("proof", proof)), *((*shared, *_tags(one)) for one in made)),
    )


def _new(case: Case, plan: Plan, most: int) -> Iterator[Contrast]:
    """The first contrasts that are all different and that the source does not ask about this picture."""
    seen, scene = {case.text.lower()}, case.look.scene.id
    for contrast in plan.contrasts:
        text = contrast.text.lower()
        if text not in seen and not case.survey.asked.has(scene, text):
            seen.add(text)
            yield contrast
            if len(seen) > most:
                return


def _query(question: Question, text: str) -> Query:
    return Query(question.picture, text, choices=question.choices, context=question.context)


def _tags(one: Contrast) -> tuple[tuple[str, str], ...]:
    return (("atom", one.atom), ("from", one.before), ("to", one.after), ("proof", one.proof))


suite: Suite[GroundedQuestion, Survey] = Suite(
    "contrast",
    tests="a question that differs in one atom has an answer of its own",
    propose=contrasted,
    survey=survey,
    takes="grounded",
    options=("contrasts",),
)
