"""Negation: "Is there a cat?" and "Is it true that there is no cat?" have different answers."""

from counterpoint.core.groups import Gold, Group, Relation
from counterpoint.core.scenes import Scene
from counterpoint.suites.carets.question_kinds import VERIFICATIONS
from counterpoint.suites.carets.question_sampling import Original, original_suite
from counterpoint.suites.carets.templates import group_wordings


def negate_question(scene: Scene, original: Original, draw: float) -> Group:
    """Ask whether something is present, then whether it is absent; two objects are negated by De Morgan's laws."""
    gold = original.content.gold
    other_gold = Gold.of("no" if gold.best == "yes" else "yes")
    wordings = [(original.template.ask, original.content), (original.template.deny, original.content)]
    return group_wordings(scene, wordings, gold=(gold, other_gold), relation=Relation.DIFFERS)


def negation_doubt(scene: Scene, original: Original) -> str:
    """Why an original of photographs is not negated: of two things that are both absent nobody says "either"."""
    is_joint = original.content.kind == "conjunctive verification"
    if scene.is_sparse and is_joint and dict(original.content.tags)["gone"] == "2":
        return "both are absent, and either no A or no B may be heard as one alone"
    return ""


suite = original_suite(
    "negation",
    tests="a question and its negation have different answers",
    kinds=VERIFICATIONS,
    make=negate_question,
    doubt=negation_doubt,
)
