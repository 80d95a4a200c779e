"""Paired foils: two cases exchange what distinguishes caption and foil, so that no word or number gives a foil away.

Where "3" is replaced by "5" in one case, "5" is replaced by "3" in the other; the more plausible text is then the
caption of one and the foil of the other, so that a text-only model is right in one of the two. If there are few pairs,
both cases of each are kept. Of many pairs one case each is kept, by a coin: where words are exactly balanced, a model
fitted on all other captions infers the missing one from the counts, and is wrong, so that its inverse is right.

Mirrored sampling balances foils that are not paired: each word replaces another as often as the reverse.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, NamedTuple, Protocol, TypeVar

from counterpoint.core.groups import Group
from counterpoint.core.ids import content_id, seeded_rng
from counterpoint.suites.balanced_sampling import Candidate, Quota, share_evenly

PAIR_TAG = "twin"
"""The tag that the two of a pair share: their instrument and a hash of their ids."""
MANY_PAIRS = 40
"""The number of pairs from which on one case of each is kept."""
_LOOKS = 12  # how many of a side are tried for one case


class Identified(Protocol):
    """A case that can be paired; random decisions are seeded by its id."""

    @property
    def id(self) -> str:
        """Unique among the cases."""
        ...


T = TypeVar("T", bound=Identified)


@dataclass(frozen=True, slots=True)
class FoilPair(Generic[T]):
    """Two cases that exchange their foils, and those of them that are kept."""

    one: T
    other: T
    kept: tuple[T, ...]

    def name(self, instrument: str) -> str:
        """The value of the pair tag."""
        return pair_name(instrument, self.one, self.other)

    def each(self) -> Iterator[tuple[T, T]]:
        """Every kept case with the other case of the pair."""
        for case in self.kept:
            yield case, self.other if case is self.one else self.one


def pair_name(instrument: str, *cases: Identified) -> str:
    """The instrument and a hash of the ids of the cases."""
    return f"{instrument} {content_id(sorted(case.id for case in cases)):016x}"


def pair_cases(
    cases: Iterable[T],
    *,
    side: Callable[[T], str],
    keys: Sequence[Callable[[T], Hashable]],
    fits: Callable[[T, T], bool] = lambda one, other: True,
    otherwise: Sequence[Callable[[T], Hashable]] = (),
) -> list[FoilPair[T]]:
    """Pairs of cases on different sides, first those that share the first key, then the next.

    The keys in `otherwise` are used only if the others yield few pairs. Of many pairs a coin keeps one case each.
    No case is in two pairs. Random draws are seeded by the ids, so that the order of cases does not matter.
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
    coins = (seeded_rng(PAIR_TAG, "coin", one.id, other.id).randrange(2) for one, other in pairs)
    return [FoilPair(*pair, kept=(pair[coin],)) for pair, coin in zip(pairs, coins, strict=True)]


def _pair_bucket(
    bucket: Sequence[T], side: Callable[[T], str], fits: Callable[[T, T], bool]
) -> tuple[list[tuple[T, T]], list[T]]:
    """Greedy pairing, the largest side first, with a random partner among those of other sides that fit."""
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
    """Samples pairs evenly over instruments; the two of a pair are kept or dropped together."""

    def __init__(self, quota: int | Quota, seed: int) -> None:
        self._quota = quota if isinstance(quota, int) else quota.binary + quota.choice
        self._seed = seed
        self._twins = defaultdict[str, list[Candidate]](list)

    def add(self, group: Group | Candidate) -> None:
        """Offer one group."""
        draft = Candidate.of(group)
        self._twins[dict(draft.tags)[PAIR_TAG]].append(draft)

    def merge(self, other: "PairSampler") -> None:
        """Take over what the sampler of a later part of the stream was offered."""
        for name, drafts in other._twins.items():
            self._twins[name] += drafts

    def chosen(self) -> list[Candidate]:
        """The sampled candidates, shuffled: every prefix is a fair sample."""
        room = Counter[str]()
        for name, drafts in self._twins.items():
            room[name.partition(" ")[0]] += len(drafts)
        shares, kept = share_evenly(room, self._quota), list[Candidate]()
        for name in sorted(self._twins, key=lambda name: (content_id([self._seed, name]), name)):
            instrument, drafts = name.partition(" ")[0], self._twins[name]
            if len(drafts) <= shares[instrument]:
                shares[instrument] -= len(drafts)
                kept += drafts
        places = [(content_id([self._seed, "place", draft.number]), dict(draft.tags)[PAIR_TAG]) for draft in kept]
        return [draft for _, draft in sorted(zip(places, kept, strict=True), key=lambda row: row[0])]

    def makes(self) -> Mapping[int, Callable[[], Group]]:
        """What builds the groups of the candidates that are held, by ticket."""
        return _makes(draft for drafts in self._twins.values() for draft in drafts)


def _makes(drafts: Iterable[Candidate]) -> dict[int, Callable[[], Group]]:
    return {draft.ticket: draft.make for draft in drafts if draft.ticket is not None}


class _Cell(NamedTuple):
    """A stratum: the two words exchanged, the likelier one in its context, and the one of the caption."""

    words: str
    usual: str
    word: str
    frame: str  # where in the sentence, for suites in which that tells something


class FoilOption(NamedTuple):
    """A foil that a caption may get: the two words exchanged, and the likelier text (caption, foil or neither)."""

    word: str
    other: str
    likelier: str

    @property
    def cell(self) -> _Cell:
        """Its stratum."""
        usual = {"caption": self.word, "foil": self.other}.get(self.likelier, "")
        return _Cell(" | ".join(sorted((self.word, self.other))), usual, self.word, "")


def assign_mirrored(options: Mapping[str, Sequence[FoilOption]]) -> dict[str, int]:
    """One option of each caption that has a mirror image in another caption, as many as a greedy pass finds.

    Rare exchanges are served first, and in each the captions with the fewest options.

    >>> first = [FoilOption("on", "in", "caption"), FoilOption("on", "by", "foil")]
    >>> sorted(assign_mirrored({"1": first, "2": [FoilOption("by", "on", "caption")]}).items())
    [('1', 1), ('2', 0)]
    """
    cells = defaultdict[_Cell, list[tuple[str, int]]](list)
    for name in sorted(options, key=lambda name: (len(options[name]), content_id(["option", name]))):
        for place, option in enumerate(options[name]):
            cells[option.cell].append((name, place))
    mirrored = [(cell, cell._replace(word=cell.words.partition(" | ")[2])) for cell in cells]
    mirrored = [(one, other) for one, other in mirrored if one.word != other.word and other in cells]
    assigned = dict[str, int]()
    for one, other in sorted(mirrored, key=lambda pair: (min(len(cells[cell]) for cell in pair), pair)):
        free = ([row for row in cells[cell] if row[0] not in assigned] for cell in (one, other))
        for first, second in zip(*free, strict=False):
            if first[0] != second[0]:
                assigned |= (first, second)
    return assigned


class MirroredSampler:
    """Keeps a foil only together with its mirror image.

    Where a foil replaces p by q in a context that favours p, its mirror replaces q by p in a context that favours p. So
    both words are equally frequent in captions and in foils, and plausibility does not predict which is which. Random
    keys are hashes of base and seed, so that the order of the stream does not matter.
    """

    def __init__(self, quota: int | Quota, seed: int) -> None:
        self._quota = quota if isinstance(quota, int) else quota.binary + quota.choice
        self._seed = seed
        self._cells: dict[_Cell, dict[int, Candidate]] = {}

    def add(self, group: Group | Candidate) -> None:
        """Offer one foil; the tags of its base name the words exchanged and the likelier text."""
        draft = Candidate.of(group)
        tags = dict(draft.tags)
        one, _, other = tags["exchanged"].partition(" | ")
        foil = other if tags["word"] == one else one
        likelier = {"caption": tags["word"], "foil": foil}.get(tags["usual"], "")
        cell = _Cell(tags["exchanged"], likelier, tags["word"], tags.get("frame", ""))
        self._cells.setdefault(cell, {})[draft.number] = draft

    def merge(self, other: "MirroredSampler") -> None:
        """Take over what the sampler of a later part of the stream was offered."""
        for cell, drafts in other._cells.items():
            self._cells.setdefault(cell, {}).update(drafts)

    def chosen(self) -> list[Candidate]:
        """The sampled candidates, shuffled, in mirrored pairs."""
        pairs = sorted(self._pairs(), key=lambda pair: self._hash("couple", pair[0]))
        kept = [draft for pair in pairs[: self._quota // 2] for draft in pair]
        return sorted(kept, key=lambda draft: self._hash("place", draft))

    def makes(self) -> Mapping[int, Callable[[], Group]]:
        """What builds the groups of the candidates that are held, by ticket."""
        return _makes(draft for drafts in self._cells.values() for draft in drafts.values())

    def _pairs(self) -> Iterator[tuple[Candidate, Candidate]]:
        for cell in sorted(self._cells):
            one, _, other = cell.words.partition(" | ")
            mirror = cell._replace(word=other)
            if cell.word == one and mirror in self._cells:
                yield from zip(self._shuffled(cell), self._shuffled(mirror), strict=False)

    def _shuffled(self, cell: _Cell) -> list[Candidate]:
        return sorted(self._cells[cell].values(), key=lambda draft: self._hash("lot", draft))

    def _hash(self, what: str, draft: Candidate) -> int:
        return content_id([self._seed, what, draft.number])
