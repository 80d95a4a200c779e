"""What a model said, and what became of it."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """What became of a query: answered, answered out of form, refused, or not answered at all."""

    OK = "ok"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Answer:
    """Raw text as it came, the value taken from it and the rule that took it; a score where the mode asks for one.

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
    top: tuple[tuple[str, float], ...] = ()  # the likeliest values with their probabilities, best first
    reason: str = ""  # why a query failed

    @classmethod
    def of(
        cls, raw: str, *, value: str | None = None, rule: str = "exact", top: tuple[tuple[str, float], ...] = ()
    ) -> "Answer":
        """An answer in words; its value is the raw text unless a rule took something else from it."""
        return cls(raw=raw, value=raw if value is None else value, rule=rule, top=top)

    @classmethod
    def scored(cls, score: float) -> "Answer":
        """An answer that is a number: how well the text fits the picture."""
        return cls(raw=repr(score), rule="score", score=score)

    @classmethod
    def failed(cls, reason: object) -> "Answer":
        """No answer came; the reason is kept, and the next run asks again."""
        return cls(state=State.FAILED, reason=str(reason) or type(reason).__name__)
