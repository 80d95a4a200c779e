"""Twins: two cases that exchange what sets caption and foil apart, so that no word and no number gives a foil away.

Where "3" is replaced by "5" in one case, "5" is replaced by "3" in its twin; what is likelier to be read anywhere is
then the caption of one and the foil of the other, and whoever never looks at the picture is right in one of the two.
Few twins are kept both. Of many only one of each two is kept, by turns: whoever reads all captions but one could else
tell which is left out, since there is one less of it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random
from typing import Generic, Protocol, TypeVar

from counterpoint.core.groups import Group
from counterpoint.core.ids import content_id, seeded_rng
from counterpoint.suites.balanced_sampling import Quota, share_evenly
from counterpoint.suites.candidates import Candidate

PAIR_TAG = "twin"
"""The tag that twins share: their instrument and the ids of their items."""
MANY_PAIRS = 40
"""So many twins that one of each two is enough."""
_OFTEN = 100  # times that two sides meet, from which on nobody learns from one that is left out
_LOOKS = 12  # how many of a side are tried for one case


class Identified(Protocol):
    """What can be paired: it has an id, which decides on its luck."""

    @property
    def id(self) -> str:
        """What sets it apart."""
        ...


T = TypeVar("T", bound=Identified)


@dataclass(frozen=True, slots=True)
class FoilPair(Generic[T]):
    """Two cases that stand against each other, and which of them are kept."""

    one: T
    other: T
    kept: tuple[T, ...]

    def name(self, instrument: str) -> str:
        """What they are told by."""
        return pair_name(instrument, self.one, self.other)

    def each(self) -> Iterator[tuple[T, T]]:
        """Every case that is kept, with its twin."""
        for case in self.kept:
            yield case, self.other if case is self.one else self.one


def pair_name(instrument: str, *cases: Identified) -> str:
    """An instrument, and a number that follows from the ids of the cases."""
    return f"{instrument} {content_id(sorted(case.id for case in cases)):016x}"


def pair_cases(
    cases: Iterable[T],
    *,
    side: Callable[[T], str],
    keys: Sequence[Callable[[T], Hashable]],
    fits: Callable[[T, T], bool] = lambda one, other: True,
    otherwise: Sequence[Callable[[T], Hashable]] = (),
    half: bool = False,
) -> list[FoilPair[T]]:
    """Pairs of cases on different sides, those that share their first key before those that share the next only.

    Keys that say less are for use `otherwise`: where the others do not find many. Where there are two sides, `half` of
    what is kept is of each. No case is in two pairs. Luck comes from the ids, whatever the order of cases.
    """
    left = sorted(cases, key=_sort_key)
    pairs = list[tuple[T, T]]()
    for place, key in enumerate((*keys, *otherwise)):
        if place >= len(keys) and len(pairs) >= MANY_PAIRS:
            break
        buckets = defaultdict[Hashable, list[T]](list)
        for case in left:
            buckets[key(case)].append(case)
        left = []
        for bucket in buckets.values():
            found, alone = _pair_bucket(bucket, side, fits)
            pairs += found
            left += alone
        left.sort(key=_sort_key)
    if len(pairs) < MANY_PAIRS:
        return [FoilPair(one, other, (one, other)) for one, other in pairs]
    return list(_keep_alternately(pairs, side, 0 if half else _OFTEN))


def _keep_alternately(pairs: Iterable[tuple[T, T]], side: Callable[[T], str], often: int) -> Iterator[FoilPair[T]]:
    """One of each two: of two sides that meet often as many of each, of others a few more of that which luck takes.

    It takes about as many as a coin would, so that those that are read tell nothing about the one that is asked about.
    """
    meetings = defaultdict[tuple[str, str], list[tuple[T, T]]](list)
    for one, other in pairs:
        first, second = sorted((one, other), key=side)
        meetings[side(first), side(second)].append((first, second))
    for met in meetings.values():
        rng = seeded_rng(PAIR_TAG, met[0][0].id)
        more = 0 if len(met) >= often else round(sqrt(len(met)) / 2)
        turns = sorted(turn % 2 for turn in range(len(met)))
        turns = turns[more:] + [1] * more
        rng.shuffle(turns)
        turned = rng.randrange(2)
        for turn, pair in zip(turns, met, strict=True):
            yield FoilPair(*pair, kept=(pair[turn ^ turned],))


def _pair_bucket(
    bucket: Sequence[T], side: Callable[[T], str], fits: Callable[[T, T], bool]
) -> tuple[list[tuple[T, T]], list[T]]:
    """The largest side first, each case with a partner that luck picks among those of other sides that fit."""
    sides = defaultdict[str, list[T]](list)
    for case in bucket:
        sides[side(case)].append(case)
    rng = seeded_rng(PAIR_TAG, bucket[0].id)
    pairs, alone = list[tuple[T, T]](), list[T]()
    while sides:
        largest = max(sides, key=lambda name: (len(sides[name]), name))
        case = _take(sides, largest, -1)
        partner = _partner(case, sides, largest, fits, rng)
        if partner is None:
            alone.append(case)
        else:
            pairs.append((case, partner))
    return pairs, alone


def _partner(case: T, sides: dict[str, list[T]], largest: str, fits: Callable[[T, T], bool], rng: Random) -> T | None:
    others = [name for name in sides if name != largest]
    for name in sorted(others, key=lambda name: -(rng.random() ** (1 / len(sides[name])))):
        for place, other in enumerate(sides[name][:_LOOKS]):
            if fits(case, other):
                return _take(sides, name, place)
    return None


def _take(sides: dict[str, list[T]], name: str, place: int) -> T:
    case = sides[name].pop(place)
    if not sides[name]:
        del sides[name]
    return case


def _sort_key(case: Identified) -> tuple[int, str]:
    return content_id([PAIR_TAG, case.id]), case.id


class PairSampler:
    """So many groups, evenly over instruments; twins stay or go together."""

    def __init__(self, quota: int | Quota, seed: int) -> None:
        self._quota = quota if isinstance(quota, int) else quota.binary + quota.choice
        self._seed = seed
        self._twins = defaultdict[str, list[Candidate]](list)

    def add(self, group: Group | Candidate) -> None:
        """See one group."""
        draft = group if isinstance(group, Candidate) else Candidate.of(group)
        self._twins[dict(draft.tags)[PAIR_TAG]].append(draft)

    def chosen(self) -> list[Group]:
        """What stays, in an order that luck decides; any first part of it is a fair sample."""
        room = Counter[str]()
        for name, drafts in self._twins.items():
            room[name.partition(" ")[0]] += len(drafts)
        shares, kept = share_evenly(room, self._quota), list[Candidate]()
        for name in sorted(self._twins, key=lambda name: (content_id([self._seed, name]), name)):
            instrument, drafts = name.partition(" ")[0], self._twins[name]
            if len(drafts) <= shares[instrument]:
                shares[instrument] -= len(drafts)
                kept += drafts
        return [draft.make() for draft in sorted(kept, key=self._place)]

    def _place(self, draft: Candidate) -> tuple[int, str]:
        return content_id([self._seed, "place", draft.number]), dict(draft.tags)[PAIR_TAG]
