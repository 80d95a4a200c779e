"""What is said instead of what, by kind: for the pages of a suite, of a model, and of a model on a suite."""

from msgspec import Struct

from counterpoint.explorer.group_filters import browse_address
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.confusion import UNREAD
from counterpoint.metrics.verdicts import FAILS
from counterpoint.store.outcomes.queries import kind_confusions
from counterpoint.store.outcomes.selection import GroupFilter

KINDS = 12
"""Kinds whose confusions are shown, those with the most incorrect answers."""


class ConfusionLine(Struct, frozen=True):
    """An answer in the place of another, how often, of how many questions, and where its groups are listed."""

    gold: str
    given: str
    answers: int
    questions: int
    address: str = ""


class ConfusionBlock(Struct, frozen=True):
    """The confusions of one kind of a test."""

    test: str
    kind: str
    answers: int
    incorrect: int
    lines: tuple[ConfusionLine, ...]


def confusion_blocks(reader: LabReader, suite: str, slug: str = "") -> tuple[ConfusionBlock, ...]:
    """Return the most frequent confusions of each kind of a suite, of one model or of all."""
    kinds = reader.cached(("kind confusions", suite, slug), lambda: kind_confusions(reader, suite, slug))

    def address(test: str, kind: str, given: str) -> str:
        if given == UNREAD:
            return ""
        return browse_address(GroupFilter(slug, suite, test=test, kind=kind, verdict=FAILS, answer=given, browse="1"))

    return tuple(
        ConfusionBlock(
            own.test,
            own.kind,
            own.answers,
            own.incorrect,
            tuple(
                ConfusionLine(
                    line.gold, line.given, line.answers, line.questions, address(own.test, own.kind, line.given)
                )
                for line in own.confusions
            ),
        )
        for own in kinds[:KINDS]
    )
