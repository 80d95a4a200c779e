"""A question under one template, and the plan of its contrasts."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.scenes import SceneObject
from counterpoint.suites.contrast.grounding import Phrase, SceneGrounder, naming_kind
from counterpoint.suites.contrast.programs import Clue, QuestionRejected, UnknownWording
from counterpoint.suites.contrast.survey import ContrastSurvey
from counterpoint.suites.contrast.wordings import match_wording


@dataclass(frozen=True, slots=True)
class Contrast:
    """A question that differs in one atom, an object, a relation or an attribute, with its answer and the proof."""

    text: str
    gold: Gold
    atom: str
    before: str
    after: str
    proof: str
    objects: tuple[SceneObject, ...] = ()


@dataclass(frozen=True, slots=True)
class ContrastPlan:
    """The objects of a question, how its nouns were grounded, and its contrasts in sampled order."""

    objects: tuple[SceneObject, ...]
    grounding: str
    contrasts: Iterator[Contrast]
    lack: str = "nothing in the picture or its like changes the answer for sure"  # the reason if there are none


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """A question with its scene, read by one template."""

    template: str
    question: Question
    grounder: SceneGrounder
    survey: ContrastSurvey
    rng: Random

    @property
    def text(self) -> str:
        """The words of the question."""
        return self.question.text

    def read(self, relation: str = "") -> re.Match[str]:
        """The question as a wording of the template."""
        match = match_wording(self.template, self.text, relation)
        if match is None:
            raise UnknownWording(f"a wording that is not known of: {self.template}")
        return match

    def phrase(self, match: re.Match[str], part: str, clue: Clue) -> Phrase:
        """The phrase X or Y of a wording, checked against the program."""
        return self.grounder.phrase(self.text, match.span(part), clue)

    @property
    def truth(self) -> bool:
        """The answer of a question that asks for yes or no."""
        if self.question.gold.best not in ("yes", "no"):
            raise QuestionRejected("its answer is neither yes nor no")
        return self.question.gold.best == "yes"

    def require_agreement(self, truth: bool | str | None, gold: bool | str) -> None:
        """Reject a question whose gold answer the scene contradicts."""
        if truth not in (None, "", gold):
            raise QuestionRejected("the scene contradicts its answer")


ContrastPlanner: TypeAlias = Callable[[QuestionContext], ContrastPlan]
"""Plans the contrasts of a question under one template, or raises QuestionRejected."""


def yes_no_gold(truth: bool) -> Gold:
    """Yes or no."""
    return Gold.of("yes" if truth else "no")


def grounding_kind(thing: SceneObject, phrase: Phrase) -> str:
    """How the noun of a phrase relates to the name of its referent."""
    return naming_kind(thing.name, phrase.noun)
