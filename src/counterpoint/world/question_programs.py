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


SCENE = (Step("select", "scene"),)
"""The first step of a question about the picture as a whole."""
