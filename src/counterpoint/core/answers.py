"""Answers of models, and their states."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """The state of an answer: answered, answered but unparsed, refused, or failed."""

    OK = "ok"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Answer:
    """The raw text, the value extracted from it and the extraction rule; a score where the mode is `score`.

    >>> Answer.of("Yes.", value="yes", rule="yes-no").value
    'yes'
    >>> Answer.failed("time-out after 30 s").state
    <State.FAILED: 'failed'>
    """

    raw: str = ""
    value: str = ""
    rule: str = "exact"
    state: State = State.OK
    score: float | None = None
    top: tuple[tuple[str, float], ...] = ()  # the most probable values with their probabilities, best first
    reason: str = ""  # why a query failed

    @classmethod
    def of(
        cls, raw: str, *, value: str | None = None, rule: str = "exact", top: tuple[tuple[str, float], ...] = ()
    ) -> "Answer":
        """A text answer; its value is the raw text unless a rule extracted another."""
        return cls(raw=raw, value=raw if value is None else value, rule=rule, top=top)

    @classmethod
    def scored(cls, score: float) -> "Answer":
        """An answer that is a score: how well the text fits the picture."""
        return cls(raw=repr(score), rule="score", score=score)

    @classmethod
    def failed(cls, reason: object) -> "Answer":
        """A failed answer with its reason; the next run asks again."""
        return cls(state=State.FAILED, reason=str(reason) or type(reason).__name__)
