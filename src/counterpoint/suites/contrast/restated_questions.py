"""Questions in the words of their annotation: who "the person on the left side" is, the program of the source says.

The words of a source may fit several things, or be no good English, while its program points at one object. Where
annotators gave this object a name that nothing else there has, the question is asked by that name.
"""

from dataclasses import replace

from counterpoint.core.items import Question, Step
from counterpoint.core.placement import LEFT
from counterpoint.language.english import be, question
from counterpoint.language.lexicon.senses import is_a
from counterpoint.language.nouns import is_plural, singular
from counterpoint.scenes.ambiguity import may_be
from counterpoint.scenes.programs import select_objects
from counterpoint.suites.contrast.contrasts import QuestionContext, replace_definite
from counterpoint.suites.contrast.grounding import Description, Phrase, SceneGrounder
from counterpoint.suites.contrast.question_forms import Clue, QuestionRejected, read_clue, split_relation
from counterpoint.suites.question_groups import source_proof


def restate(context: QuestionContext) -> Question:
    """The question with annotated names for what its program points at; raises QuestionRejected where they do not help.

    Where everything is annotated, or all of a list of categories, the source knows what its words can mean.
    """
    source, scene, program = context.question, context.grounder.scene, context.question.program
    text = _restated_text(context) if scene.is_sparse else ""
    if text.lower() in ("", source.text.lower()) or context.survey.questions.has(scene.id, text):
        raise QuestionRejected("no other words tell what is meant")
    place = _place_of_chain(program)
    clue = read_clue(program, place)
    if name := _own_name(context.grounder, clue):
        moved = [step._replace(inputs=(n,)) for n, step in enumerate(program[place + 1 :])]
        program = (*select_objects(name, clue.ids), *moved)
    return replace(source, text=text, program=program, proof=f"{source_proof(source)}, by the names of its annotation")


def _place_of_chain(program: tuple[Step, ...]) -> int:
    """The step that ends the description of the object from which the question starts."""
    if any(step.inputs != ((place - 1,) if place else ()) for place, step in enumerate(program)):
        raise QuestionRejected("its program has several branches")
    relating = [place for place, step in enumerate(program) if step.operation == "relate"]
    return relating[-1] - 1 if program[-1].operation == "exist" and relating else len(program) - 2


def _restated_text(context: QuestionContext) -> str:
    grounder, program = context.grounder, context.question.program
    last, chain = program[-1], read_clue(program, _place_of_chain(program))
    parts, relation = {"x": chain}, ""
    if last.operation in ("verify rel", "choose rel"):
        name, relation, forth, ids = split_relation(last.argument)
        named = Clue(name, ids)
        parts = {"x": named, "y": chain} if forth else {"x": chain, "y": named}
        relation = LEFT if last.operation == "choose rel" else relation
    elif last.operation == "exist":
        relation = split_relation(next(s.argument for s in reversed(program) if s.operation == "relate"))[1]
        parts = {"y": chain}
    match, text = context.read(relation), context.text
    names = {part: name for part, clue in parts.items() if (name := _own_name(grounder, clue))}
    if match.groupdict().get("do") and "x" in names:
        other = f"the {names['y']}" if "y" in names else match["y"]
        return question(f"{be(names['x'])} the {names['x']} {relation} {other}")
    for part in sorted(names, reverse=True):  # from the last, so that places stay what they are
        span = match.span(part)
        text = replace_definite(
            text, match, Phrase(names[part], span, span=span), Description(names[part], names[part])
        )
    return text


def _own_name(grounder: SceneGrounder, clue: Clue) -> str:
    """The annotated name of the one object that a program points at, if nothing else goes by it; else nothing."""
    if len(clue.ids) != 1:
        return ""
    name = grounder.scene[clue.ids[0]].name
    if any(_may_go_by(other.name, name) for other in grounder.scene if other.id != clue.ids[0]):
        return ""
    try:
        grounder.referent(Phrase(name, (0, 0), ids=clue.ids))
    except QuestionRejected:
        return ""
    return name


def _may_go_by(other: str, name: str) -> bool:
    """Whether an object of another name may be called so as well: a lady is a woman, but a bag is no backpack.

    >>> _may_go_by("lady", "woman"), _may_go_by("bag", "backpack"), _may_go_by("players", "boy")
    (True, False, False)
    """
    if is_plural(other) != is_plural(name) or not may_be(other, name):
        return False
    return singular(other) == singular(name) or not is_a(name, other)
