"""Mirrored sampling of foils: each word replaces another as often as the reverse, at equal plausibility."""

from collections.abc import Iterator
from typing import NamedTuple

from counterpoint.core.groups import Group
from counterpoint.core.ids import content_id
from counterpoint.suites.balanced_sampling import Quota
from counterpoint.suites.candidates import Candidate


class _Cell(NamedTuple):
    """A stratum: the two words exchanged, the likelier one in its context, and the one of the caption."""

    words: str
    usual: str
    word: str
    frame: str  # where in the sentence, for suites in which that tells something


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
        draft = group if isinstance(group, Candidate) else Candidate.of(group)
        tags = dict(draft.tags)
        one, _, other = tags["exchanged"].partition(" | ")
        foil = other if tags["word"] == one else one
        likelier = {"caption": tags["word"], "foil": foil}.get(tags["usual"], "")
        cell = _Cell(tags["exchanged"], likelier, tags["word"], tags.get("frame", ""))
        self._cells.setdefault(cell, {})[draft.number] = draft

    def chosen(self) -> list[Group]:
        """The sampled groups, shuffled, in mirrored pairs."""
        pairs = sorted(self._pairs(), key=lambda pair: self._hash("couple", pair[0]))
        kept = [draft for pair in pairs[: self._quota // 2] for draft in pair]
        return [draft.make() for draft in sorted(kept, key=lambda draft: self._hash("place", draft))]

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
