"""Questions in the making: what is asked, the program that finds the answer, and why the answer is right."""

from collections.abc import Sequence
from dataclasses import dataclass

from counterpoint.core.items import Step
from counterpoint.language.english import question, sentence


@dataclass(frozen=True, slots=True)
class QuestionDraft:
    """A question about a scene before it has an id; `texts` are ways of saying the same."""

    kind: str
    texts: tuple[str, ...]
    answer: str
    program: tuple[Step, ...]
    proof: str
    full_answer: str

    @property
    def meaning(self) -> tuple[str, ...]:
        """What is asked, whatever the words: drafts that share it are one question."""
        return tuple(f"{step.operation} {'|'.join(sorted(step.argument.split('|')))}" for step in self.program)


def draft_question(
    kind: str, texts: str | Sequence[str], answer: str, program: Sequence[Step], proof: str, full_answer: str
) -> QuestionDraft:
    """A draft with its sentences capitalised and ended."""
    sentences = (texts,) if isinstance(texts, str) else texts
    return QuestionDraft(
        kind,
        tuple(question(text) for text in sentences),
        answer,
        tuple(program),
        sentence(proof),
        sentence(full_answer),
    )


def select_objects(name: str, ids: Sequence[str] = ()) -> tuple[Step, ...]:
    """The first step of most programs: the objects of a name, with the ids GQA writes beside it."""
    return (Step("select", f"{name} ({','.join(ids) or '-'})"),)


SCENE = (Step("select", "scene"),)
"""The first step of a question about the picture as a whole."""


def add_step(steps: tuple[Step, ...], operation: str, argument: str = "") -> tuple[Step, ...]:
    """One more step that builds on the last."""
    return (*steps, Step(operation, argument, (len(steps) - 1,)))


def add_relation(
    steps: tuple[Step, ...], name: str, relation: str, side: str, ids: Sequence[str] = ()
) -> tuple[Step, ...]:
    """Go on to what is the subject ("s") or the object ("o") of a relation with what was found."""
    return add_step(steps, "relate", f"{name},{relation},{side} ({','.join(ids) or '-'})")


def join_programs(
    first: tuple[Step, ...], second: tuple[Step, ...], operation: str, argument: str = ""
) -> tuple[Step, ...]:
    """Two programs side by side and a step that needs the results of both."""
    moved = (Step(step.operation, step.argument, tuple(place + len(first) for place in step.inputs)) for step in second)
    return (*first, *moved, Step(operation, argument, (len(first) - 1, len(first) + len(second) - 1)))
