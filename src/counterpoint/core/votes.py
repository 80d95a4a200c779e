"""Votes of people on groups and queries, and which of them count."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

import msgspec

from counterpoint.core.ids import hex_id


class VoteTask(StrEnum):
    """What a person is asked for."""

    JUDGE = "judge"
    ANSWER = "answer"
    AUDIT = "audit"
    NOTE = "note"


class Judgement(StrEnum):
    """Which of two sentences accurately describes what can be seen (VALSE)."""

    CAPTION = "caption"
    FOIL = "foil"
    BOTH = "both"
    NEITHER = "neither"
    CANNOT_TELL = "cannot-tell"


class AuditVerdict(StrEnum):
    """Whether a gold answer is right."""

    RIGHT = "right"
    WRONG = "wrong"
    UNKNOWN = "unknown"


class AuditCause(StrEnum):
    """Why a gold answer is not right: the causes of CARETS."""

    MISSING_ANNOTATION = "missing-annotation"
    SEMANTICALLY_AMBIGUOUS = "semantically-ambiguous"
    VISUALLY_AMBIGUOUS = "visually-ambiguous"
    WRONG_ANNOTATION = "wrong-annotation"
    UNKNOWN = "unknown"


AMBIGUOUS = "ambiguous"
"""The choice of a person who finds that a query has no single answer."""
YES_NO = ("yes", "no")
CAPTION_FIRST, FOIL_FIRST = "caption-first", "foil-first"
"""Which text of a judged pair was above the other."""

OTHER = "other"
"""A judgement that a released file gives no name: both, neither or cannot tell."""
ANONYMOUS = "unknown voter "
"""How the voters of a file begin that says how often a choice was made, and not by whom."""

VotedItem: TypeAlias = tuple[str, str, int, int | None]
"""What a vote is about: task, suite, group and, in some tasks, query."""


def voted_item(task: str, suite: str, group_id: int, query: int | None) -> VotedItem:
    """The item of a task: a query where each is answered by itself, and else a group."""
    return task, suite, group_id, query if task == VoteTask.ANSWER else None


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """What people vote on in a task, how many votes an item needs, and how voters qualify.

    Gold items are the groups of `gold_suite`, whose golds are known, or the items on which `gold_voter` voted. A voter
    qualifies on the first `gold_items` of them, then gets one more after every `gold_every` votes; who has less than
    `gold_share` of the latest `gold_items` right is disqualified.
    """

    task: str
    suites: tuple[str, ...]
    sample: int | None = None  # groups of each suite; None for all
    per_item: int = 3
    until_majority: bool = False
    seed: int = 0
    gold_suite: str = ""
    gold_voter: str = ""
    gold_items: int = 10
    gold_share: float = 0.7
    gold_every: int = 10
    suspects: bool = False  # only groups whose gold several strong models contradict alike

    @property
    def has_gold(self) -> bool:
        """Whether voters have to qualify."""
        return bool(self.gold_suite or self.gold_voter) and self.gold_items > 0


def offered_answers(choices: Sequence[str], golds: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The answers from which a person chooses; none where any answer can be given.

    >>> offered_answers((), [{"answer": "no", "credit": 1.0}])
    ('yes', 'no')
    """
    if choices:
        return tuple(choices)
    answers = {gold["answer"] for gold in golds}
    return YES_NO if answers and answers <= set(YES_NO) else ()


def is_anonymous(voter: str) -> bool:
    """Whether nothing is known about a voter, so that the same name in two items is not the same person."""
    return voter.startswith(ANONYMOUS)


def parse_review(content: object) -> ReviewSettings:
    """Settings from a JSON object, or a ValueError that names the first misfit."""
    try:
        return msgspec.convert(content, ReviewSettings)
    except msgspec.ValidationError as problem:
        raise ValueError(str(problem)) from problem


@dataclass(frozen=True, slots=True)
class GoldCorrection:
    """A query whose gold an auditor calls wrong, and the right answer; empty where the auditor gives none."""

    query: int
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Vote:
    """One person's choice on one item; `expected` is the known choice of a gold item."""

    vote: str
    task: str
    suite: str
    group_id: int
    query: int | None
    voter: str
    choice: str
    time: datetime
    shown: str = ""
    value: str = ""
    reason: str = ""
    note: str = ""
    seconds: float = 0.0
    replaces: str = ""
    expected: str = ""
    corrections: tuple[GoldCorrection, ...] = ()

    @property
    def item(self) -> VotedItem:
        """What it is about; an audit is of the whole group."""
        return voted_item(self.task, self.suite, self.group_id, self.query)

    @property
    def wrong_golds(self) -> tuple[GoldCorrection, ...]:
        """The golds that an audit calls wrong; an earlier release kept one, as the query and value of the vote."""
        if self.corrections or self.query is None or (self.task, self.choice) != (VoteTask.AUDIT, AuditVerdict.WRONG):
            return self.corrections
        return (GoldCorrection(self.query, self.value),)

    @property
    def is_gold_item(self) -> bool:
        """Whether the right choice was known beforehand, so that the vote says something about the voter alone."""
        return bool(self.expected)


def standing_votes(votes: Iterable[Vote]) -> list[Vote]:
    """The votes that count, by time: each id once, none that its voter replaced, one per voter and item.

    A voter who voted twice on one item without replacing (in two windows) has the later vote; gold items and notes may
    repeat. A vote on another item, or of somebody else, cannot be replaced.
    """
    unique = {vote.vote: vote for vote in sorted(votes, key=_order, reverse=True)}  # of one id, the first row counts
    replaced = {
        vote.replaces
        for vote in unique.values()
        if (former := unique.get(vote.replaces)) and (former.item, former.voter) == (vote.item, vote.voter)
    }
    latest: dict[object, Vote] = {}
    for vote in sorted(unique.values(), key=_order):
        if vote.vote not in replaced:
            may_repeat = vote.is_gold_item or vote.task == VoteTask.NOTE
            latest[vote.vote if may_repeat else (vote.item, vote.voter)] = vote
    return sorted(latest.values(), key=_order)


def _order(vote: Vote) -> tuple[datetime, str]:
    return vote.time, vote.vote


@dataclass(frozen=True, slots=True)
class ItemKey:
    """What a vote is about and how it was shown, as one text that any other tool can carry and give back."""

    task: str
    suite: str
    group_id: int
    query: int | None = None
    shown: str = ""

    def __str__(self) -> str:
        query = "" if self.query is None else hex_id(self.query)
        return "/".join((self.task, self.suite, hex_id(self.group_id), query, self.shown))

    @classmethod
    def parse(cls, text: str) -> "ItemKey":
        """The key of a text; a ValueError where it is none.

        >>> ItemKey.parse("judge/foils/00000000000000ff//foil-first").group_id
        255
        """
        task, suite, group, query, shown = text.strip().split("/")
        return cls(VoteTask(task).value, suite, int(group, 16), int(query, 16) if query else None, shown)

    def choice(self, chosen: str) -> str:
        """What a choice means: of a judged pair, the first text is the caption or the foil, as it was shown."""
        first, second = (
            (Judgement.CAPTION, Judgement.FOIL) if self.shown == CAPTION_FIRST else (Judgement.FOIL, Judgement.CAPTION)
        )
        return {"first": first.value, "second": second.value}.get(chosen, chosen) if self.shown else chosen
