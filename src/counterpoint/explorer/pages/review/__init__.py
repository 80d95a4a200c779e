"""Review: the items of a task as a person sees them, one at a time; nothing in them tells the right choice."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import pyarrow as pa
from msgspec import Struct

from counterpoint.core.groups import Relation
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.votes import (
    AMBIGUOUS,
    CAPTION_FIRST,
    FOIL_FIRST,
    AuditCause,
    AuditVerdict,
    Judgement,
    Vote,
    VoteTask,
    offered_answers,
)
from counterpoint.explorer.group_parts import BoxView, changed_texts, heading, picture_view, query_names
from counterpoint.explorer.page import PageView
from counterpoint.lab.review_tasks import GroupRows
from counterpoint.lab.reviewing import right_answer
from counterpoint.language.word_diff import TextPiece
from counterpoint.review.assignment import ReviewItem
from counterpoint.store.groups import read_queries
from counterpoint.store.tables import GROUPS

QUESTIONS: Mapping[str, str] = MappingProxyType(
    {
        VoteTask.JUDGE: "Which of the two sentences accurately describes what can be seen in the picture?",
        VoteTask.ANSWER: "Answer by what can be seen in the picture.",
        VoteTask.AUDIT: "Is the gold answer to every text right?",
    }
)
"""What is asked in each task."""
_SIDES = (
    ("first", "The first, not the second"),
    ("second", "The second, not the first"),
    (Judgement.BOTH.value, "Both"),
    (Judgement.NEITHER.value, "Neither"),
    (Judgement.CANNOT_TELL.value, "I cannot tell"),
)
_VERDICTS = (
    (AuditVerdict.RIGHT.value, "Right"),
    (AuditVerdict.WRONG.value, "Not right …"),
    (AuditVerdict.UNKNOWN.value, "I cannot tell"),
)
_CAUSES = {cause.value: cause.value.replace("-", " ").capitalize() for cause in AuditCause}
_DESCRIBES = {True: "describes the picture", False: "does not"}


class ReviewChoice(Struct, frozen=True):
    """A choice of an item: what is sent, and what is shown."""

    value: str
    label: str


class ReviewText(Struct, frozen=True):
    """A text of an item, with what differs; in an audit with its gold and with what people said."""

    name: str
    text: tuple[TextPiece, ...]
    query: str = ""
    gold: str = ""
    said: str = ""


class ReviewItemView(Struct, frozen=True):
    """One item as it is shown; `causes` are those of an audit, and without `choices` any answer can be typed."""

    suite: str
    group: str
    query: str
    about: str
    question: str
    context: str
    texts: tuple[ReviewText, ...]
    choices: tuple[ReviewChoice, ...]
    picture: str = ""
    large: str = ""
    width: int | None = None
    height: int | None = None
    boxes: tuple[BoxView, ...] = ()
    proof: str = ""
    free: bool = False
    causes: tuple[ReviewChoice, ...] = ()
    correctable: bool = False  # whether a wrong gold has a right answer; a caption or foil has none


class GoldCorrectionView(Struct, frozen=True):
    """A query whose gold is wrong, and the right answer."""

    query: str
    answer: str


class PastVote(Struct, frozen=True):
    """A vote of the person who looks at the page, to go back to."""

    vote: str
    item: ReviewItemView
    choice: str
    value: str = ""
    reason: str = ""
    note: str = ""
    corrections: tuple[GoldCorrectionView, ...] = ()


class ReviewView(Struct, frozen=True):
    """The next items of a person in a task, the latest votes, and how far the person is; `token` goes with votes."""

    task: str
    voter: str
    token: str
    standing: str
    done: int
    left: int
    seconds: float  # per item
    items: tuple[ReviewItemView, ...]
    history: tuple[PastVote, ...] = ()


class TaskProgress(Struct, frozen=True):
    """How far a task is; votes that are left out are those of people who did not qualify."""

    task: str
    suites: tuple[str, ...]
    items: int
    done: int
    votes: int
    left_out: int
    per_item: int
    until_majority: bool
    address: str


class VoterProgress(Struct, frozen=True):
    """What one person did in a task; the seconds are the mean of an item."""

    task: str
    voter: str
    votes: int
    standing: str
    seconds: float
    gold_right: int
    gold_items: int


@dataclass(frozen=True, slots=True)
class ReviewProgressView(PageView):
    """How far people are with every task, for whoever set it up."""

    tasks: tuple[TaskProgress, ...] = ()
    voters: tuple[VoterProgress, ...] = ()


def shown_order(voter: str, item: ReviewItem) -> str:
    """Which text of a pair a person sees first: half of the people and half of the pairs see the caption first."""
    parity = content_id(["order", voter, item.suite, hex_id(item.group_id)]) % 2
    return FOIL_FIRST if parity else CAPTION_FIRST


def item_view(
    item: ReviewItem, rows: GroupRows, voter: str, said: Mapping[tuple[int, int | None], Mapping[str, int]]
) -> ReviewItemView:
    """An item as a voter sees it; `said` are the choices of people, which an audit shows."""
    shown = [row for row in rows if item.query in (None, row["query"])]
    base = shown[0]
    picture = review_picture(base, item.suite)
    common: dict[str, Any] = {
        "suite": item.suite,
        "group": hex_id(item.group_id),
        "query": "" if item.query is None else hex_id(item.query),
        "about": heading(base["test"], base["kind"] if item.task == VoteTask.AUDIT else ""),  # a kind may tell
        "question": QUESTIONS[item.task],
        "context": base["context"],
    }
    if item.task == VoteTask.JUDGE:
        pair = changed_texts(shown[:2])
        texts = pair if shown_order(voter, item) == CAPTION_FIRST else pair[::-1]
        two = tuple(ReviewText(name, text) for name, text in zip(("1", "2"), texts, strict=True))
        return ReviewItemView(**common, **picture, texts=two, choices=_choices(_SIDES))
    if item.task == VoteTask.ANSWER:
        offered = offered_answers(base["choices"], base["gold"] or ())
        choices = _choices((answer, answer) for answer in (*offered, AMBIGUOUS))
        text = ReviewText("", (TextPiece(base["text"]),))
        return ReviewItemView(**common, **picture, texts=(text,), choices=choices, free=not offered)
    return ReviewItemView(
        **common,
        **picture,
        texts=tuple(_audited_texts(shown, said)),
        choices=_choices(_VERDICTS),
        boxes=_boxes(base),
        proof=base["proof"],
        causes=_choices(_CAUSES.items()),
        correctable=base["relation"] != Relation.RANKS,
    )


def _choices(pairs: Any) -> tuple[ReviewChoice, ...]:
    return tuple(ReviewChoice(value, label) for value, label in pairs)


def _audited_texts(rows: GroupRows, said: Mapping[tuple[int, int | None], Mapping[str, int]]) -> list[ReviewText]:
    group, ranks = rows[0]["group_id"], rows[0]["relation"] == Relation.RANKS
    texts = []
    for name, row, text in zip(query_names(len(rows)), rows, changed_texts(rows), strict=True):
        gold = _DESCRIBES[row["role"] == 0] if ranks else right_answer(row["gold"]) or "none"
        chosen = said.get((group, None) if ranks else (group, row["query"]), {})
        people = ", ".join(f"{choice} {number}" for choice, number in sorted(chosen.items(), key=lambda own: -own[1]))
        texts.append(ReviewText(name, text, hex_id(row["query"]), gold, people))
    return texts


def review_picture(row: Mapping[str, Any], suite: str) -> dict[str, Any]:
    """Where the picture of an item is, for those who have the link of a voter; nothing where there is none."""
    if row["picture"] is None:
        return {}
    address = f"/review/pictures/{quote(suite, safe='')}/{hex_id(row['query'])}.webp"
    view = _picture_view(row)
    size = {"width": view.width, "height": view.height} if view else {}
    return {"picture": f"{address}?width=640", "large": f"{address}?width=1920", **size}


def _boxes(row: Mapping[str, Any]) -> tuple[BoxView, ...]:
    view = _picture_view(row)
    return view.boxes if view else ()


def _picture_view(row: Mapping[str, Any]) -> Any:
    picture = row_picture(row)
    return picture_view(row["suite"], picture, row, [], None) if picture else None


def row_picture(row: Mapping[str, Any]) -> Any:
    """The picture of a row with its edits, or None."""
    return read_queries(pa.Table.from_pylist([dict(row)], schema=GROUPS))[0].picture


def sent_choice(vote: Vote) -> str:
    """The choice of a stored vote as the page has it."""
    if vote.choice not in (Judgement.CAPTION, Judgement.FOIL) or vote.task != VoteTask.JUDGE:
        return vote.choice
    return "first" if (vote.choice == Judgement.CAPTION) == (vote.shown == CAPTION_FIRST) else "second"


def stored_choice(choice: str, shown: str) -> str:
    """The choice of a judge as it is stored: by what the sentence is, and not by where it was.

    >>> stored_choice("first", "foil-first"), stored_choice("both", "foil-first")
    ('foil', 'both')
    """
    if choice not in ("first", "second"):
        return choice
    return Judgement.CAPTION.value if (choice == "first") == (shown == CAPTION_FIRST) else Judgement.FOIL.value
