"""Contrast sets: one atom of a question is changed, so that its answer changes, in up to five ways."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

from counterpoint.core.groups import Group, Relation
from counterpoint.core.items import GroundedQuestion, Question
from counterpoint.suites.contrast.contrasts import (
    Contrast,
    ContrastPlan,
    ContrastPlanner,
    ContrastSurvey,
    QuestionContext,
    survey,
)
from counterpoint.suites.contrast.existence_questions import plan_either, plan_near
from counterpoint.suites.contrast.question_forms import (
    TEMPLATES,
    QuestionRejected,
    UnclearWording,
    UnknownWording,
    templates_of,
    templates_of_text,
)
from counterpoint.suites.contrast.referent_questions import plan_color, plan_object, plan_relation, plan_side
from counterpoint.suites.contrast.restated_questions import restate
from counterpoint.suites.question_groups import base_query, source_proof
from counterpoint.suites.suite import Rejection, Suite

CONTRASTS = 5
"""The largest number of contrasts of one question."""

PLANNERS: Mapping[str, ContrastPlanner] = dict(
    zip(TEMPLATES, (plan_near, plan_either, plan_side, plan_object, plan_relation, plan_color), strict=True)
)
"""The planner of each template."""

_REPEATS = re.compile(r"\b(\w+?)(\w)\2?ing \1\2e?\b")
# as in "Does the person that is playing play with a ball?"

NO_TEMPLATE = "no template"
"""The kind under which all other questions are counted."""


def has_template(item: GroundedQuestion) -> bool:
    """Whether a question is an instance of any template."""
    return bool(templates_of(item.question.program))


def propose_contrasts(
    item: GroundedQuestion, surveyed: ContrastSurvey, rng: Random, contrasts: int = CONTRASTS
) -> Iterator[Group | Rejection]:
    """The contrast sets of a question, one for each template that it is an instance of."""
    names = templates_of(item.question.program)
    if not names:
        yield Rejection(NO_TEMPLATE, "no program is given" if not item.question.program else "it is of another kind")
        return
    grounder = surveyed.grounder(item.scene)
    for name in names:
        context = QuestionContext(name, item.question, grounder, surveyed, rng)
        try:
            yield _group(context, contrasts)
        except UnclearWording as doubt:
            yield _restated_group(context, contrasts) or Rejection(name, str(doubt))
        except QuestionRejected as doubt:
            yield Rejection(NO_TEMPLATE if isinstance(doubt, UnknownWording) else name, str(doubt))


def _restated_group(context: QuestionContext, most: int) -> Group | None:
    """The contrast set of a question in clearer words, if there are any; a tag of the base has those of the source."""
    try:
        group = _group(replace(context, question=restate(context)), most)
    except QuestionRejected:
        return None
    first, *others = group.tags
    return replace(group, tags=((*first, ("restated", context.text)), *others))


def _group(context: QuestionContext, most: int) -> Group:
    if context.grounder.obstacle:
        raise QuestionRejected(context.grounder.obstacle)
    if _REPEATS.search(context.text):
        raise UnclearWording("it says the same verb twice")
    plan = PLANNERS[context.template](context)
    contrasts = list(_new(context, plan, most))
    if not contrasts:
        raise QuestionRejected(plan.lack)
    question, base = context.question, base_query(context.question)
    shared = (("question", question.id), ("template", context.template))
    proof = source_proof(question)
    objects = {one.id: one for own in (plan.objects, *(contrast.objects for contrast in contrasts)) for one in own}
    return Group(
        Relation.GOLD,
        (base, *(base.with_text(contrast.text) for contrast in contrasts)),
        (question.gold, *(contrast.gold for contrast in contrasts)),
        proof=f"{proof}; {contrasts[0].proof}" if len(contrasts) == 1 else proof,
        kind=context.template,
        objects=tuple(objects.values()),
        size=context.grounder.scene.size,
        tags=(
            (*shared, ("grounding", plan.grounding), ("proof", proof)),
            *((*shared, *contrast.tags) for contrast in contrasts),
        ),
    )


def _new(context: QuestionContext, plan: ContrastPlan, most: int) -> Iterator[Contrast]:
    """The first contrasts that are all different and that the source does not ask about this picture."""
    texts, scene = {context.text.lower()}, context.grounder.scene.id
    for contrast in plan.contrasts:
        text = contrast.text.lower()
        if text not in texts and not context.survey.questions.has(scene, text):
            texts.add(text)
            yield contrast
            if len(texts) > most:
                return


def matching_templates(question: Question) -> tuple[str, ...]:
    """The templates that a question is an instance of, by its program or else by its wording."""
    return (templates_of(question.program) or templates_of_text(question.text)) or (NO_TEMPLATE,)


suite: Suite[GroundedQuestion, ContrastSurvey] = Suite(
    "contrast",
    tests="a question that differs in one atom has another answer",
    propose=propose_contrasts,
    survey=survey,
    takes="grounded",
    draws=has_template,
    kinds_of=matching_templates,
    options=("contrasts",),
)
