"""Tasks that people vote on: which items of a lab they are given, and who is invited."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Mode, Relation
from counterpoint.core.quantities import counted
from counterpoint.core.votes import (
    AuditVerdict,
    Judgement,
    ReviewSettings,
    Vote,
    VoteTask,
    offered_answers,
    standing_votes,
)
from counterpoint.lab.label_errors import find_label_errors
from counterpoint.lab.results import LabResult
from counterpoint.lab.reviewing import right_answer
from counterpoint.review.assignment import ReviewItem, sample_items
from counterpoint.store.lab import LabStore
from counterpoint.store.votes import all_votes, invite_voter, put_review, read_reviews

TASKS: Mapping[str, str] = MappingProxyType(
    {
        VoteTask.JUDGE: "which of caption and foil describes the picture (VALSE)",
        VoteTask.ANSWER: "answer one query at a time (CARETS, contrast sets)",
        VoteTask.AUDIT: "whether the gold of a group is right, and if not, why (CARETS)",
    }
)
"""The tasks, and what people are asked for in each."""
_GOLD_FACTOR = 3  # gold items that are drawn for each one that a voter qualifies on, so that two see different ones
_NEEDS = {
    VoteTask.JUDGE: "captions with foils",
    VoteTask.ANSWER: "queries to answer",
    VoteTask.AUDIT: "groups with golds",
}

GroupRows = list[dict[str, Any]]
"""The rows of one group, the base first."""


@dataclass(frozen=True, slots=True)
class ReviewPool:
    """The items of a task, gold items included, and the rows of their groups by suite and id."""

    settings: ReviewSettings
    items: tuple[ReviewItem, ...]
    groups: Mapping[tuple[str, int], GroupRows]


@dataclass(frozen=True, slots=True, repr=False)
class ReviewSetup(LabResult[dict[str, Any]]):
    """A task that was set up: what people vote on, and how many votes there are so far."""

    task: str
    suites: tuple[str, ...]
    items: int
    gold_items: int
    per_item: int
    until_majority: bool
    votes: int

    def notes(self) -> list[str]:
        """What is asked of whom."""
        what = "queries" if self.task == VoteTask.ANSWER else "groups"
        majority = f", a further one only until {self.per_item // 2 + 1} agree" if self.until_majority else ""
        gold = f"; voters qualify on {counted(self.gold_items, 'gold item')}" if self.gold_items else ""
        return [
            f"{self.task}: {self.items:,} {what} of {', '.join(self.suites)}, {counted(self.per_item, 'vote')} "
            f"each{majority}{gold}",
            *([f"{counted(self.votes, 'vote', 'are')} there already"] if self.votes else []),
        ]


@dataclass(frozen=True, slots=True, repr=False)
class Invitation(LabResult[dict[str, Any]]):
    """The link of a voter; its secret is not stored, so that it cannot be shown again."""

    voter: str
    path: str

    def link(self, address: str) -> str:
        """The link on a server."""
        return f"{address.rstrip('/')}{self.path}"

    def notes(self) -> list[str]:
        """The link, without the address of the server."""
        return [f"{self.voter}: {self.path}"]


def set_up_review(store: LabStore, settings: ReviewSettings) -> ReviewSetup:
    """Store what people vote on in a task; votes that are there already count on."""
    if settings.task not in TASKS:
        raise UnknownName("review task", settings.task, list(TASKS))
    if settings.gold_suite and settings.gold_voter:
        fact = f"gold items come from the suite {settings.gold_suite} or from the votes of {settings.gold_voter}"
        raise CounterpointError(fact, hint="name one of the two")
    chosen = tuple(dict.fromkeys(settings.suites)) or tuple(_fitting_suites(store, settings.task))
    settings = replace(settings, suites=chosen)
    pool = load_review(store, settings)
    gold = sum(bool(item.expected) for item in pool.items)
    if settings.has_gold and not gold:
        source = settings.gold_suite or f"the votes of {settings.gold_voter}"
        raise CounterpointError(f"there is no gold item in {source}", hint="voters could not qualify")
    settings = replace(settings, gold_items=min(settings.gold_items, gold) if settings.has_gold else 0)
    put_review(store.storage, settings)
    votes = sum(vote.task == settings.task for vote in standing_votes(all_votes(store.storage)))
    each = (len(pool.items) - gold, settings.gold_items, settings.per_item, settings.until_majority)
    return ReviewSetup(settings.task, settings.suites, *each, votes)


def invite(store: LabStore, name: str) -> Invitation:
    """Make a link for a voter; a link that was made for the name before ends."""
    voter, secret = invite_voter(store.storage, name)
    return Invitation(voter.name, f"/review/join?{urlencode({'voter': voter.name, 'secret': secret})}")


def load_review(store: LabStore, settings: ReviewSettings) -> ReviewPool:
    """The items of a task: a sample of each suite, and the gold items."""
    names = [*settings.suites, *([settings.gold_suite] if settings.gold_suite else [])]
    groups = {key: rows for name in dict.fromkeys(names) for key, rows in _load_groups(store, name)}
    by_suite = group_pairs((suite, rows) for (suite, _), rows in groups.items())
    gold = {item.item: item for item in _gold_items(store, settings, by_suite)}
    items: list[ReviewItem] = []
    for suite in settings.suites:
        fitting = [item for rows in by_suite.get(suite, ()) for item in group_items(settings.task, rows)]
        if not fitting:
            fact = f"the suite {suite} has no {_NEEDS[VoteTask(settings.task)]}"
            raise CounterpointError(fact, hint=f"{settings.task}: {TASKS[settings.task]}")
        items += _suspects(store, suite, fitting) if settings.suspects else fitting
    sample = sample_items([item for item in items if item.item not in gold], settings.sample, settings.seed)
    chosen = (*sample, *gold.values())
    used = {(item.suite, item.group_id) for item in chosen}
    return ReviewPool(settings, chosen, {key: rows for key, rows in groups.items() if key in used})


def _suspects(store: LabStore, suite: str, items: Sequence[ReviewItem]) -> list[ReviewItem]:
    """The items of groups whose gold several strong models contradict alike."""
    groups = {int(suspect.group, 16) for suspect in find_label_errors(store, suite).suspects}
    kept = [item for item in items if item.group_id in groups]
    if not kept:
        fact = f"no two strong models contradict a gold of {suite} alike"
        raise CounterpointError(fact, hint="audit a sample without --suspects")
    return kept


def group_items(task: str, rows: GroupRows) -> Iterator[ReviewItem]:
    """The items that a group has in a task."""
    suite, group_id = rows[0]["suite"], rows[0]["group_id"]
    kind = " · ".join(dict.fromkeys(filter(None, [suite, rows[0]["test"], rows[0]["kind"]])))
    is_pair = rows[0]["relation"] == Relation.RANKS and len(rows) > 1
    if task == VoteTask.ANSWER:
        for query in dict.fromkeys(row["query"] for row in rows if row["mode"] == Mode.ANSWER):
            yield ReviewItem(task, suite, group_id, query, kind)
    elif is_pair if task == VoteTask.JUDGE else is_pair or any(row["gold"] for row in rows):
        yield ReviewItem(task, suite, group_id, None, kind)


def _fitting_suites(store: LabStore, task: str) -> Iterator[str]:
    """The suites that have items for a task."""
    for suite in store.opened().suites():
        if any(next(group_items(task, rows), None) for _, rows in _load_groups(store, suite)):
            yield suite


def _load_groups(store: LabStore, suite: str) -> Iterator[tuple[tuple[str, int], GroupRows]]:
    table: pa.Table = store.suite(suite).groups
    table = table.set_column(
        table.column_names.index("suite"), "suite", pa.array([suite] * table.num_rows, pa.string())
    )
    rows = table.take(pc.sort_indices(table, [("group_id", "ascending"), ("role", "ascending")])).to_pylist()
    return iter(group_pairs(((suite, row["group_id"]), row) for row in rows).items())


def _gold_items(
    store: LabStore, settings: ReviewSettings, by_suite: Mapping[str, Sequence[GroupRows]]
) -> Iterable[ReviewItem]:
    """The items whose right choice is known: by the gold of a suite, or by the votes of one person."""
    if settings.gold_voter:
        return _marked_items(standing_votes(all_votes(store.storage)), settings, by_suite)
    known = [item for rows in by_suite.get(settings.gold_suite, ()) for item in _known_items(settings.task, rows)]
    return sample_items(known, _GOLD_FACTOR * settings.gold_items, settings.seed)


def _known_items(task: str, rows: GroupRows) -> Iterator[ReviewItem]:
    """The item of a group with its known choice; of queries, the first with one answer among those offered."""
    for item in group_items(task, rows):
        if task == VoteTask.JUDGE:
            yield replace(item, expected=Judgement.CAPTION.value)
        elif task == VoteTask.AUDIT:
            yield replace(item, expected=AuditVerdict.RIGHT.value)
        else:
            row = next(row for row in rows if row["query"] == item.query)
            if (answer := right_answer(row["gold"])) in offered_answers(row["choices"], row["gold"] or ()):
                yield replace(item, expected=answer)
                return


def _marked_items(
    votes: Iterable[Vote], settings: ReviewSettings, by_suite: Mapping[str, Sequence[GroupRows]]
) -> Iterator[ReviewItem]:
    """The items on which one person voted, with that vote as the known choice."""
    own = (vote for vote in votes if (vote.task, vote.voter) == (settings.task, settings.gold_voter))
    marked = {vote.item: vote.choice for vote in own if not vote.is_gold_item}
    for suite in settings.suites:
        for rows in by_suite.get(suite, ()):
            for item in group_items(settings.task, rows):
                if item.item in marked:
                    yield replace(item, expected=marked[item.item])


def count_choices(votes: Iterable[Vote]) -> dict[tuple[int, int | None], Counter[str]]:
    """How often people chose what, by group and query; for those who audit a gold."""
    pairs = group_pairs(((vote.group_id, vote.query), vote.choice) for vote in votes if not vote.is_gold_item)
    return {key: Counter(choices) for key, choices in pairs.items()}


def stored_review(store: LabStore, task: str) -> ReviewSettings:
    """The settings of a task, or an error that names the command which sets it up."""
    reviews = read_reviews(store.storage)
    if task not in reviews:
        raise UnknownName("review task of this lab", task, list(reviews))
    return reviews[task]
