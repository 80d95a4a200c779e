"""What metrics count: pairs, ordered pairs, groups and single answers, as columns with one entry per unit."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.groups import State
from counterpoint.core.ports import Scale
from counterpoint.metrics.credit import AnswerWords
from counterpoint.metrics.labels import Codes, Labels
from counterpoint.metrics.probabilities import AnswerProbabilities

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Rows = NDArray[np.int64]

STATES = (*(state.value for state in State), "missing")
"""The states of a query; the last one was not asked yet."""

_OK = STATES.index(State.OK)


class Unit(Protocol):
    """What metrics count: pairs, groups, or single answers."""

    @property
    def counted(self) -> Flags:
        """No member failed or is missing."""
        ...

    @property
    def cluster(self) -> Codes:
        """The picture of the base."""
        ...

    @property
    def row(self) -> Rows:
        """The row of the suite that says in which slices a unit lies."""
        ...

    @property
    def base(self) -> Rows:
        """The row of the base."""
        ...


class PairColumns:
    """Columns with two answers per entry, a base and a variant, and the credit of each."""

    __slots__ = ()

    base_correct: Floats
    variant_correct: Floats
    threshold: float

    @property
    def gold(self) -> Flags:
        """Both members have gold."""
        return ~(np.isnan(self.base_correct) | np.isnan(self.variant_correct))

    @property
    def base_right(self) -> Flags:
        """The credit of the base is at least the threshold."""
        return self.base_correct >= self.threshold

    @property
    def variant_right(self) -> Flags:
        """The credit of the variant is at least the threshold."""
        return self.variant_correct >= self.threshold


@dataclass(frozen=True, slots=True)
class Pairs(PairColumns):
    """One entry per base and variant; a base with five variants is in five pairs."""

    base_correct: Floats  # 0 to 1, nan without gold or answer
    variant_correct: Floats
    related: Flags  # the answers satisfy the relation; valid only where that is known
    known: Flags  # the relation can be judged from the two answers
    relation: Labels
    counted: Flags
    cluster: Codes
    row: Rows  # of the variant, whose tags slice the pair
    base: Rows
    base_state: NDArray[np.int8]
    variant_state: NDArray[np.int8]
    threshold: float
    score: Floats  # of every row of the suite
    scale: str  # of the scores, as the model declares it
    value: Codes  # of every row of the suite; equal numbers are equal answers
    labels: Callable[[str], Labels]  # a column of the suite by its name
    text_related: Floats  # 1 where the best text-only model ranks the caption above the foil; nan where none did

    def tagged(self, name: str) -> Labels:
        """The value that each variant has for one tag."""
        return self.labels(f"tag:{name}").at(self.row)

    @property
    def base_score(self) -> Floats:
        """The score of the base; nan where the model gave none."""
        return np.where(self.base_state == _OK, self.score[self.base], np.nan)

    @property
    def variant_score(self) -> Floats:
        """The score of the variant; nan where the model gave none."""
        return np.where(self.variant_state == _OK, self.score[self.row], np.nan)

    @property
    def probable(self) -> bool:
        """Whether the scores are probabilities."""
        return self.scale == Scale.PROBABILITY


@dataclass(frozen=True, slots=True)
class OrderedPairs(PairColumns):
    """One entry for every two members of a group in either order; a set of three is in six."""

    base_correct: Floats  # of the first, 0 to 1, nan without gold or answer
    variant_correct: Floats
    counted: Flags
    cluster: Codes
    row: Rows  # of the second
    base: Rows  # of the group, whose tags slice members without tags
    threshold: float


@dataclass(frozen=True, slots=True)
class Sets:
    """One entry per group that has at least one variant."""

    worst: Floats  # the lowest credit of any member; nan where one has no gold or no answer
    counted: Flags
    cluster: Codes
    row: Rows  # of the base
    threshold: float
    variants: Rows  # how many there are; their rows follow the base's
    correct: Floats  # of every row of the suite
    score: Floats  # of every row of the suite; nan where the model gave none
    labels: Callable[[str], Labels]  # a column of the suite by its name

    @property
    def base(self) -> Rows:
        """The row of the base."""
        return self.row

    def worst_of_first(self, k: int) -> Floats:
        """The lowest credit of the base and its first k variants, or all where there are fewer."""
        assert k >= 1, "a set has at least one variant"
        worst = self.correct[self.row]
        for step in range(1, min(k, int(self.variants.max(initial=0))) + 1):
            has_more = np.flatnonzero(self.variants >= step)
            worst[has_more] = np.minimum(worst[has_more], self.correct[self.row[has_more] + step])
        return worst

    @property
    def gold(self) -> Flags:
        """Every member has gold."""
        return ~np.isnan(self.worst)


@dataclass(frozen=True, slots=True)
class Singles:
    """One entry per query of every group, bases and variants."""

    correct: Floats
    state: NDArray[np.int8]
    counted: Flags
    cluster: Codes
    row: Rows
    base: Rows
    threshold: float
    probabilities: AnswerProbabilities
    score: Floats  # nan where the model gave none
    scale: str  # of the scores, as the model declares it
    words: AnswerWords

    @property
    def gold(self) -> Flags:
        """The query has gold."""
        return ~np.isnan(self.correct)

    @property
    def value(self) -> Labels:
        """The value of each answer, as its rule set normalises it; none where it was not read."""
        return self.words.value

    @property
    def gold_answer(self) -> Labels:
        """The right answer with the most credit, as its rule set normalises it; none where there is no gold."""
        return self.words.gold

    @property
    def confidence(self) -> Floats:
        """The probability of the given answer; nan where the model gave none or it was not read."""
        return self.probabilities.confidence

    @property
    def is_base(self) -> Flags:
        """The query is the base of a group."""
        return np.asarray(self.row == self.base)

    @property
    def right(self) -> Flags:
        """The credit of the answer is at least the threshold."""
        return self.correct >= self.threshold


UnitKind = TypeVar("UnitKind", Pairs, OrderedPairs, Sets, Singles)
"""What one metric counts."""
