"""What a suite is: a name, the sentence it tests, and up to three pure steps from items to groups."""

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from counterpoint.core.groups import Group
from counterpoint.core.ids import seeded
from counterpoint.core.items import Caption, Question
from counterpoint.core.pictures import Picture
from counterpoint.suites.balance import Balance, Quota
from counterpoint.suites.drafts import Draft


class Item(Protocol):
    """What a suite is made from: a scene, a question, a caption, a dialogue, a frame, or a group of another suite."""

    @property
    def id(self) -> str | int:
        """What sets it apart from the other items of its source."""
        ...


@dataclass(frozen=True, slots=True)
class Dropped:
    """A group that was not made, by its kind, and why; or so many of them."""

    kind: str
    reason: str
    count: int = 1


Made: TypeAlias = tuple[str, Group]
"""A group, and the test that it belongs to."""
Telling: TypeAlias = Callable[[Collection[Picture]], Iterable[Question | Caption]]
"""What a source tells of some pictures beyond the items that were drawn from it."""
SURPLUS = "more than asked for, or out of balance"
"""Why a group that was made is not kept."""
ItemT = TypeVar("ItemT", bound=Item, contravariant=True)
StatisticsT = TypeVar("StatisticsT")


class Chooser(Protocol):
    """The last step: sees every proposal once and keeps so many."""

    def add(self, group: Group | Draft) -> None:
        """See one proposal."""
        ...

    def chosen(self) -> list[Group]:
        """What is kept, in an order that does not depend on the order of proposals."""
        ...


@dataclass(frozen=True, slots=True)
class Suite(Generic[ItemT, StatisticsT]):
    """One phenomenon. Its steps are pure: all luck comes from `rng`, and sets are walked in sorted order."""

    name: str
    tests: str  # the sentence that a model passes or fails
    propose: Callable[[ItemT, StatisticsT, Random], Iterable[Group | Draft | Dropped]]
    survey: Callable[[Iterable[ItemT]], StatisticsT] | None = None  # one pass over all items, before any proposal
    choose: Callable[[int | Quota, int], Chooser] = Balance  # from how many to keep, and a seed
    takes: str = "scenes"  # what it is made from: scenes, questions, captions, dialogues, frames or groups of a source
    whole: bool = False  # items belong together, so that a source is read to its end, however many are asked for
    rules: str = ""  # by which its answers are compared, where neither the recipe nor anything else says so
    balanced: bool = False  # whether it chooses, for the sake of balance, even where all that there are is asked for
    luck: str = ""  # what its luck is drawn for, where suites share it: those that begin alike then go on from the same
    rather: str = ""  # what it is made from where a source has that too, such as questions with their scenes
    noted: Callable[[StatisticsT], Mapping[str, Any]] | None = None  # what of the survey its manifest has to hold
    beside: Callable[[StatisticsT, Telling], StatisticsT] | None = None  # adds what else is told of the pictures


@dataclass(slots=True)
class Tally:
    """What was kept, by kind and answer, and why the rest was not, by kind and reason."""

    kept: Counter[tuple[str, str]] = field(default_factory=Counter)
    dropped: Counter[tuple[str, str]] = field(default_factory=Counter)

    def keep(self, group: Group) -> None:
        """Count a group by the best answer to its base."""
        gold = group.gold[0]
        self.kept[group.kind, gold.best if gold else ""] += 1

    def drop(self, one: Dropped) -> None:
        """Count a group that was not made."""
        self.dropped[one.kind, one.reason] += one.count

    @property
    def groups(self) -> int:
        """How many groups were kept."""
        return self.kept.total()

    @property
    def answers(self) -> dict[str, dict[str, int]]:
        """What was kept by kind, and there by answer, the most frequent first."""
        return _nested(self.kept)

    @property
    def reasons(self) -> dict[str, dict[str, int]]:
        """What was not by kind, and there by reason, the most frequent first."""
        return _nested(self.dropped)


def _nested(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {kind: {} for kind, _ in sorted(counts)}
    for (kind, what), count in sorted(counts.items(), key=lambda row: (-row[1], row[0])):
        found[kind] |= {what: count} if count else {}
    return found


def generate(
    suite: Suite[Any, Any],
    items: Iterable[Any],
    seed: int = 0,
    limit: int | Quota | None = None,
    *,
    statistics: object = None,
    tally: Tally | None = None,
) -> Iterator[Made]:
    """The groups of a suite, the same for one seed whatever the order of items; `limit` keeps a balanced part of them.

    A suite with a survey walks the items twice, unless its `statistics` are given: so parts of a source, each in a
    process of its own, make together what the whole makes at once.
    """
    if suite.survey is not None and statistics is None:
        assert iter(items) is not items, f"{suite.name} walks its items twice: give it a list, not an iterator"
        statistics = suite.survey(items)
    tally = Tally() if tally is None else tally
    limit = sys.maxsize if limit is None and suite.balanced else limit
    drafts = (draft for item in items for draft in proposals(suite, item, statistics, seed, tally))
    whole = (draft.make() for draft in drafts)
    for group in whole if limit is None else _chosen(suite.choose(limit, seed), drafts, tally):
        tally.keep(group)
        yield group.test or suite.name, group


def proposals(suite: Suite[Any, Any], item: Any, statistics: object, seed: int, tally: Tally) -> Iterator[Draft]:
    """What a suite proposes for one item, each base once; what it does not is counted."""
    seen = set[tuple[str, int]]()  # a question can be the base of groups of several kinds
    for one in suite.propose(item, statistics, seeded(seed, suite.luck or suite.name, item.id)):
        if isinstance(one, Dropped):
            tally.drop(one)
            continue
        draft = one if isinstance(one, Draft) else Draft.of(one)
        if (key := (draft.kind, draft.number)) in seen:
            tally.drop(Dropped(draft.kind, "asked before"))
        else:
            seen.add(key)
            yield draft


def _chosen(chooser: Chooser, drafts: Iterable[Draft], tally: Tally) -> Iterator[Group]:
    proposed = Counter[str]()
    for draft in drafts:
        proposed[draft.kind] += 1
        chooser.add(draft)
    kept = chooser.chosen()
    proposed.subtract(group.kind for group in kept)
    for kind, count in proposed.items():
        tally.dropped[kind, SURPLUS] += count
    yield from kept
