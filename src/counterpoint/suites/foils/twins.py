"""Twins: two cases that exchange what sets caption and foil apart, so that no word and no number gives a foil away.

Where "3" is replaced by "5" in one group, "5" is replaced by "3" in its twin; what is likelier to be read anywhere is
then the caption of one and the foil of the other, and whoever never looks at the picture is right in one of the two.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from random import Random
from typing import Generic, Protocol, TypeVar

from counterpoint.core.groups import Group
from counterpoint.core.ids import content_id, seeded
from counterpoint.suites.balance import Quota, even
from counterpoint.suites.drafts import Draft

TAG = "twin"
"""The tag that twins share: their instrument and the ids of their items."""
_LOOKS = 12  # how many of a side are tried for one case


class Identified(Protocol):
    """What can be paired: it has an id, which decides on its luck."""

    @property
    def id(self) -> str:
        """What sets it apart."""
        ...


T = TypeVar("T", bound=Identified)


def twins(
    cases: Iterable[T],
    *,
    side: Callable[[T], str],
    keys: Sequence[Callable[[T], Hashable]],
    fits: Callable[[T, T], bool] = lambda one, other: True,
) -> list[tuple[T, T]]:
    """Pairs of cases on different sides, those that share their first key before those that share the next only.

    No case is in two pairs. Luck comes from the ids, so that the order of cases does not matter.
    """
    left = sorted(cases, key=lambda case: (content_id([TAG, case.id]), case.id))
    found = list[tuple[T, T]]()
    for key in keys:
        shelves = defaultdict[Hashable, list[T]](list)
        for case in left:
            shelves[key(case)].append(case)
        left = []
        for shelf in shelves.values():
            pairs, alone = _paired(shelf, side, fits)
            found += pairs
            left += alone
        left.sort(key=lambda case: (content_id([TAG, case.id]), case.id))
    return found


def _paired(
    shelf: Sequence[T], side: Callable[[T], str], fits: Callable[[T, T], bool]
) -> tuple[list[tuple[T, T]], list[T]]:
    """The largest side first, each case with a partner that luck picks among those of other sides that fit."""
    sides = defaultdict[str, list[T]](list)
    for case in shelf:
        sides[side(case)].append(case)
    rng = seeded(TAG, shelf[0].id)
    pairs, alone = list[tuple[T, T]](), list[T]()
    while sides:
        own = max(sides, key=lambda name: (len(sides[name]), name))
        case = _taken(sides, own, -1)
        partner = _partner(case, sides, own, fits, rng)
        if partner is None:
            alone.append(case)
        else:
            pairs.append((case, partner))
    return pairs, alone


def _partner(case: T, sides: dict[str, list[T]], own: str, fits: Callable[[T, T], bool], rng: Random) -> T | None:
    others = [name for name in sides if name != own]
    for name in sorted(others, key=lambda name: -(rng.random() ** (1 / len(sides[name])))):
        for place, other in enumerate(sides[name][:_LOOKS]):
            if fits(case, other):
                return _taken(sides, name, place)
    return None


def _taken(sides: dict[str, list[T]], name: str, place: int) -> T:
    case = sides[name].pop(place)
    if not sides[name]:
        del sides[name]
    return case


def twin_name(instrument: str, *cases: Identified) -> str:
    """What twins are told by: their instrument, and a number that follows from their ids."""
    return f"{instrument} {content_id(sorted(case.id for case in cases)):016x}"


class Twinned(Generic[T]):
    """So many groups, evenly over instruments; twins stay or go together."""

    def __init__(self, quota: int | Quota, seed: int) -> None:
        self._quota = quota if isinstance(quota, int) else quota.binary + quota.choice
        self._seed = seed
        self._twins = defaultdict[str, list[Draft]](list)

    def add(self, group: Group | Draft) -> None:
        """See one group."""
        draft = group if isinstance(group, Draft) else Draft.of(group)
        self._twins[dict(draft.tags).get(TAG, f" {draft.number:016x}")].append(draft)

    def chosen(self) -> list[Group]:
        """What stays, in an order that luck decides; any first part of it is a fair sample."""
        room = Counter[str]()
        for name, drafts in self._twins.items():
            room[name.partition(" ")[0]] += len(drafts)
        shares = even(room, self._quota)
        kept = list[Draft]()
        for name in sorted(self._twins, key=lambda name: (content_id([self._seed, name]), name)):
            instrument, drafts = name.partition(" ")[0], self._twins[name]
            if len(drafts) <= shares[instrument]:
                shares[instrument] -= len(drafts)
                kept += drafts
        return [draft.make() for draft in sorted(kept, key=self._place)]

    def _place(self, draft: Draft) -> tuple[int, str]:
        return content_id([self._seed, "place", draft.number]), dict(draft.tags).get(TAG, "")
