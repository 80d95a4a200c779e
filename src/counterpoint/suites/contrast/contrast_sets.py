"""Contrast sets: one atom of a question is changed, so that its answer changes, in up to five ways."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from types import MappingProxyType

from counterpoint.core.groups import Group, Query, Relation
from counterpoint.core.items import GroundedQuestion, Question, Step
from counterpoint.suites.contrast.contrasts import Contrast, ContrastPlan, ContrastPlanner, QuestionContext
from counterpoint.suites.contrast.existence_questions import plan_either, plan_near
from counterpoint.suites.contrast.grounding import SceneGrounder
from counterpoint.suites.contrast.referent_questions import plan_color, plan_object, plan_relation, plan_side
from counterpoint.suites.contrast.rejections import QuestionRejected, UnknownWording
from counterpoint.suites.contrast.survey import ContrastSurvey, survey
from counterpoint.suites.contrast.wordings import COLOR, EITHER, NEAR, OBJECT, RELATION, SIDE
from counterpoint.suites.suite import Rejection, Suite

CONTRASTS = 5
"""How many contrasts a question gets at most."""

PLANNERS: Mapping[str, ContrastPlanner] = MappingProxyType(
    {
        NEAR: plan_near,
        EITHER: plan_either,
        SIDE: plan_side,
        OBJECT: plan_object,
        RELATION: plan_relation,
        COLOR: plan_color,
    }
)
"""Who plans the contrasts of each template."""

NO_TEMPLATE = "no template"
"""The kind under which all other questions are counted."""


def propose_contrasts(
    item: GroundedQuestion, surveyed: ContrastSurvey, rng: Random, contrasts: int = CONTRASTS
) -> Iterator[Group | Rejection]:
    """The contrast sets of a question, one for each template that it is an instance of."""
    names = templates_of(item.question.program)
    if not names:
        yield Rejection(NO_TEMPLATE, "no program is given" if not item.question.program else "it is of another kind")
        return
    look = SceneGrounder(item.scene)
    for name in names:
        try:
            yield _group(QuestionContext(name, item.question, look, surveyed, rng), contrasts)
        except QuestionRejected as doubt:
            yield Rejection(NO_TEMPLATE if isinstance(doubt, UnknownWording) else name, str(doubt))


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


def _group(case: QuestionContext, most: int) -> Group:
    if case.look.obstacle:
        raise QuestionRejected(case.look.obstacle)
    plan = PLANNERS[case.template](case)
    made = list(_new(case, plan, most))
    if not made:
        raise QuestionRejected(plan.lack)
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


def _new(case: QuestionContext, plan: ContrastPlan, most: int) -> Iterator[Contrast]:
    """The first contrasts that are all different and that the source does not ask about this picture."""
    seen, scene = {case.text.lower()}, case.look.scene.id
    for contrast in plan.contrasts:
        text = contrast.text.lower()
        if text not in seen and not case.survey.questions.has(scene, text):
            seen.add(text)
            yield contrast
            if len(seen) > most:
                return


def _query(question: Question, text: str) -> Query:
    return Query(question.picture, text, choices=question.choices, context=question.context)


def _tags(one: Contrast) -> tuple[tuple[str, str], ...]:
    return (("atom", one.atom), ("from", one.before), ("to", one.after), ("proof", one.proof))


suite: Suite[GroundedQuestion, ContrastSurvey] = Suite(
    "contrast",
    tests="a question that differs in one atom has an answer of its own",
    propose=propose_contrasts,
    survey=survey,
    takes="grounded",
    options=("contrasts",),
)
