"""Votes as they come in: who votes, what is given to whom, and a vote is acknowledged when it is on disk."""

import asyncio
import base64
import re
import time
from binascii import Error as NotBase64
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from counterpoint.core.ids import hex_id
from counterpoint.core.votes import AuditCause, AuditVerdict, GoldCorrection, Vote, VoteTask, standing_votes
from counterpoint.explorer.pages.review import (
    GoldCorrectionView,
    PastVote,
    ReviewItemView,
    ReviewView,
    TaskProgress,
    VoterProgress,
    item_view,
    sent_choice,
    shown_order,
    stored_choice,
)
from counterpoint.explorer.pages.review.leases import LeaseJournal
from counterpoint.lab.review_tasks import GroupRows, ReviewPool, count_choices, load_review, stored_review
from counterpoint.review.assignment import AssignmentQueue, ReviewItem
from counterpoint.review.qualification import VoterStanding, is_expected
from counterpoint.store.lab import LabStore
from counterpoint.store.votes import VoteLog, all_votes, find_voter, read_reviews

AUTHOR = "author"
"""The name of whoever votes on this machine without a link."""
PREFETCH = 3
"""Items that a person holds: the one on the screen and the next ones."""
HISTORY = 20
"""Votes to which a person can go back after the page was loaded again."""
_ID = re.compile(r"[0-9a-f]{32}")
_LONGEST = {"choice": 300, "value": 1000, "note": 4000}
_DAY = 86_400.0


@dataclass(slots=True)
class ReviewRoom:
    """A task while people vote on it. Only the event loop touches it, so that no item is handed out twice."""

    pool: ReviewPool
    queue: AssignmentQueue
    said: Mapping[tuple[int, int | None], Mapping[str, int]]  # by people in other tasks, for audits
    by_query: Mapping[tuple[str, int], dict[str, Any]]
    journal: LeaseJournal
    votes: dict[str, Vote] = field(default_factory=dict)  # all of the task by id, replaced ones included
    by_voter: dict[str, dict[str, Vote]] = field(default_factory=dict)  # those that count, the oldest first

    @classmethod
    def load(cls, store: LabStore, task: str, cache: Path) -> "ReviewRoom":
        """The items of a task, its votes so far, and what people were given before the server was started again."""
        pool = load_review(store, stored_review(store, task))
        stored = all_votes(store.storage)
        votes = standing_votes(stored)
        counts = count_choices(vote for vote in votes if vote.task in (VoteTask.JUDGE, VoteTask.ANSWER))
        by_query = {(suite, row["query"]): row for (suite, _), rows in pool.groups.items() for row in rows}
        queue = AssignmentQueue(pool.items, pool.settings)
        room = cls(
            pool, queue, counts if task == VoteTask.AUDIT else {}, by_query, LeaseJournal.of(cache, store.place, task)
        )
        room.votes = {vote.vote: vote for vote in stored if vote.task == task}
        for vote in votes:
            if vote.task == task:
                room._count(vote)
        now = time.monotonic()
        room.journal.rewrite([lease for lease in room.journal.read() if queue.restore(*lease, now)])
        return room

    def record(self, vote: Vote) -> None:
        """Take a stored vote into account, once."""
        if vote.vote not in self.votes:
            self.votes[vote.vote] = vote
            self._count(vote)

    def _count(self, vote: Vote) -> None:
        own = self.by_voter.setdefault(vote.voter, {})
        own.pop(vote.replaces, None)
        own[vote.vote] = vote
        self.queue.record(vote)

    def view(self, voter: str, token: str, *, history: bool = True) -> ReviewView:
        """The page of a voter: the next items, which are handed out by this, and the latest votes."""
        now, task = time.monotonic(), self.pool.settings.task
        items = self.queue.hand_out(voter, now, PREFETCH)
        self.journal.add(voter, [item.item for item in items if not item.expected])
        own = list(self.by_voter.get(voter, {}).values())
        past = [self._past(vote) for vote in own[-HISTORY:]] if history else []
        return ReviewView(
            task=task,
            voter=voter,
            token=token,
            standing=self.queue.standing(voter).value,
            done=self.queue.done(voter),
            left=self.queue.left(voter, now),
            seconds=round(sum(vote.seconds for vote in own) / len(own), 1) if own else 0.0,
            items=tuple(self._item(item, voter) for item in items),
            history=tuple(vote for vote in past if vote),
        )

    def progress(self) -> TaskProgress:
        """How far the task is."""
        settings = self.pool.settings
        ordinary = [vote for own in self.by_voter.values() for vote in own.values() if not vote.is_gold_item]
        left_out = sum(self.queue.standing(vote.voter) is VoterStanding.DISQUALIFIED for vote in ordinary)
        counts = (self.queue.size, self.queue.complete_items(), len(ordinary), left_out)
        how = (settings.per_item, settings.until_majority)
        return TaskProgress(settings.task, settings.suites, *counts, *how, f"/review/{settings.task}")

    def voters(self) -> Iterator[VoterProgress]:
        """What each person did."""
        for voter, own in sorted(self.by_voter.items()):
            gold = [vote for vote in own.values() if vote.is_gold_item]
            seconds = round(sum(vote.seconds for vote in own.values()) / len(own), 1)
            about = (len(own) - len(gold), self.queue.standing(voter).value, seconds)
            yield VoterProgress(self.pool.settings.task, voter, *about, sum(map(is_expected, gold)), len(gold))

    def find(self, suite: str, group_id: int, query: int | None) -> ReviewItem:
        """The item of a vote; HTTP 404 where the task has none."""
        wanted = ReviewItem(self.pool.settings.task, suite, group_id, query, "").item
        if wanted not in self.queue:
            raise HTTPException(404, "this task has no such item; load the page again")
        return ReviewItem(*wanted, "", self.queue.expected(wanted))

    def rows(self, suite: str, group_id: int) -> GroupRows:
        """The rows of a group."""
        return self.pool.groups[suite, group_id]

    def _item(self, item: ReviewItem, voter: str) -> ReviewItemView:
        return item_view(item, self.rows(item.suite, item.group_id), voter, self.said)

    def _past(self, vote: Vote) -> PastVote | None:
        if vote.item not in self.queue:
            return None  # of a sample that was drawn before
        view = self._item(ReviewItem(*vote.item, ""), vote.voter)
        wrong = tuple(GoldCorrectionView(hex_id(own.query), own.answer) for own in vote.wrong_golds)
        return PastVote(vote.vote, view, sent_choice(vote), vote.value, vote.reason, vote.note, wrong)


class VotingServer:
    """The tasks of one server over a lab, and a log to which votes that arrive together are written as one part."""

    def __init__(self, store: LabStore, cache: Path, *, is_local: bool) -> None:
        self._store, self._cache, self._is_local, self._log = store, cache, is_local, VoteLog(store.storage)
        self._rooms: dict[str, ReviewRoom] = {}
        self._loading = asyncio.Lock()
        self._waiting: dict[str, tuple[Vote, asyncio.Future[None]]] = {}
        self._writing: asyncio.Task[None] | None = None

    def tasks(self) -> list[str]:
        """The tasks that are set up."""
        return list(read_reviews(self._store.storage))

    async def row(self, suite: str, query: int) -> dict[str, Any] | None:
        """The row of a query that an item of any task shows."""
        for task in await run_in_threadpool(self.tasks):
            if row := (await self.room(task)).by_query.get((suite, query)):
                return row
        return None

    async def voter(self, cookie: str) -> str | None:
        """Who votes: the owner of a link, or on this machine its author; None for others."""
        name, secret = parse_cookie(cookie)
        found = await run_in_threadpool(find_voter, self._store.storage, name, secret) if name else None
        return found.name if found else AUTHOR if self._is_local and not name else None

    async def room(self, task: str) -> ReviewRoom:
        """A task; its items are read again when the author has set it up anew."""
        settings = await run_in_threadpool(stored_review, self._store, task)
        async with self._loading:
            if task not in self._rooms or self._rooms[task].pool.settings != settings:
                self._rooms[task] = await run_in_threadpool(ReviewRoom.load, self._store, task, self._cache)
            return self._rooms[task]

    async def add(self, vote: Vote) -> ReviewRoom:
        """Write a vote; returns its task when it is on disk. One that is there, or on its way, is not written again."""
        if vote.vote in self._rooms[vote.task].votes:
            return self._rooms[vote.task]
        if vote.vote not in self._waiting:
            self._waiting[vote.vote] = vote, asyncio.get_running_loop().create_future()
            if self._writing is None or self._writing.done():
                self._writing = asyncio.create_task(self._write())
        await asyncio.shield(self._waiting[vote.vote][1])
        return self._rooms[vote.task]

    async def _write(self) -> None:
        """Group commit: all votes that wait become one part, until none waits."""
        while batch := list(self._waiting.values()):
            problem = None
            try:
                await run_in_threadpool(self._log.append, [vote for vote, _ in batch])
            except Exception as raised:  # every voter of the batch is told
                problem = raised
            for vote, future in batch:
                del self._waiting[vote.vote]
                if problem:
                    future.set_exception(problem)
                    future.exception()  # a voter who left does not ask for it
                else:
                    self._rooms[vote.task].record(vote)
                    future.set_result(None)

    def close(self) -> None:
        """Merge the parts of this server."""
        self._log.close()


def cookie_value(name: str, secret: str) -> str:
    """The cookie of a voter.

    >>> parse_cookie(cookie_value("Ann Lee", "secret"))
    ('Ann Lee', 'secret')
    """
    return f"{base64.urlsafe_b64encode(name.encode()).decode().rstrip('=')}.{secret}"


def parse_cookie(cookie: str) -> tuple[str, str]:
    """Name and secret of a cookie; two empty texts where it is none."""
    name, _, secret = cookie.partition(".")
    try:
        return base64.urlsafe_b64decode(name + "=" * (-len(name) % 4)).decode(), secret
    except (NotBase64, ValueError):
        return "", ""


def parse_vote(room: ReviewRoom, voter: str, sent: Mapping[str, Any]) -> Vote:
    """The vote in a request; HTTP 400 says what is wrong with it."""
    task = room.pool.settings.task
    texts = {name: _text(sent, name, _LONGEST.get(name, 200)) for name in ("choice", "value", "reason", "note")}
    group, query = _number(sent, "group"), _number(sent, "query")
    if group is None:
        raise HTTPException(400, "group is missing")
    item = room.find(_text(sent, "suite", 200), group, query if task == VoteTask.ANSWER else None)
    vote, replaces = (_text(sent, name, 32) for name in ("vote", "replaces"))
    if not _ID.fullmatch(vote) or (replaces and not _ID.fullmatch(replaces)):
        raise HTTPException(400, "vote and replaces are ids of 32 hexadecimal digits")
    if (known := room.votes.get(vote)) and known.voter == voter:
        return known  # sent again, since its acknowledgement was lost
    former = room.votes.get(replaces)
    if replaces and (former is None or (former.item, former.voter) != (item.item, voter)):
        raise HTTPException(400, "replaces names no vote of yours on this item")
    shown = shown_order(voter, item) if task == VoteTask.JUDGE else ""
    rows = room.rows(item.suite, item.group_id)
    corrections = _corrections(sent, {row["query"] for row in rows})
    _check_choice(item, rows, texts, query, corrections)
    choice = stored_choice(texts["choice"], shown) if task == VoteTask.JUDGE else texts["choice"]
    return Vote(
        vote=vote,
        task=task,
        suite=item.suite,
        group_id=item.group_id,
        query=query if task in (VoteTask.ANSWER, VoteTask.AUDIT) else None,
        voter=voter,
        choice=" ".join(choice.split()).lower() if task == VoteTask.ANSWER else choice,
        time=_now(),
        shown=shown,
        value=texts["value"],
        reason=texts["reason"],
        note=texts["note"],
        seconds=_seconds(sent.get("seconds")),
        replaces=replaces,
        expected=item.expected,
        corrections=corrections,
    )


def _corrections(sent: Mapping[str, Any], queries: Collection[int]) -> tuple[GoldCorrection, ...]:
    """The golds that an audit calls wrong, each query of the group at most once."""
    listed = sent.get("corrections") or []
    if not isinstance(listed, list) or not all(isinstance(own, dict) for own in listed):
        raise HTTPException(400, "corrections is no list of objects with query and answer")
    given = [(_number(own, "query"), " ".join(_text(own, "answer", _LONGEST["value"]).split())) for own in listed]
    corrections = tuple(
        GoldCorrection(query, answer) for query, answer in given if query is not None and query in queries
    )
    if len({own.query for own in corrections}) != len(listed):
        raise HTTPException(400, "corrections names a query twice, or one of another group")
    return corrections


def _check_choice(
    item: ReviewItem, rows: GroupRows, texts: Mapping[str, str], query: Any, corrections: Collection[GoldCorrection]
) -> None:
    view = item_view(item, rows, "", {})
    choices = [choice.value for choice in view.choices]
    if not texts["choice"].strip() or (not view.free and texts["choice"] not in choices):
        raise HTTPException(400, f"choice is none of {', '.join(choices)}")
    causes = [cause.value for cause in AuditCause]
    if texts["reason"] and texts["reason"] not in causes:
        raise HTTPException(400, f"reason is none of {', '.join(causes)}")
    if query is not None and query not in [row["query"] for row in rows]:
        raise HTTPException(400, "query is none of this group")
    is_wrong = item.task == VoteTask.AUDIT and texts["choice"] == AuditVerdict.WRONG
    if (item.task == VoteTask.AUDIT and is_wrong != bool(texts["reason"])) or (corrections and not is_wrong):
        raise HTTPException(400, "a gold that is wrong has a reason and may have corrections, and no other")


def _text(sent: Mapping[str, Any], name: str, longest: int) -> str:
    value = sent.get(name) or ""
    if not isinstance(value, str) or len(value) > longest:
        raise HTTPException(400, f"{name} is no text of at most {longest} characters")
    return value.encode("utf-8", "replace").decode()  # half a character cannot be stored


def _number(sent: Mapping[str, Any], name: str) -> int | None:
    text = _text(sent, name, 16)
    if text and not re.fullmatch(r"[0-9a-f]{16}", text):
        raise HTTPException(400, f"{name} is an id of 16 hexadecimal digits")
    return int(text, 16) if text else None


def _seconds(value: object) -> float:
    """Seconds between none and a day; none for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return 0.0
    return float(min(max(value, 0.0), _DAY))


def _now() -> datetime:
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)
