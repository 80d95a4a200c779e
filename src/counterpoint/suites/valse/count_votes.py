"""Votes on how-many questions: the agreed number, and whether annotators agree that there is any."""

from collections import Counter
from dataclasses import dataclass

from counterpoint.core.items import Question
from counterpoint.language.numbers import number_value

_MOST = 0.6
"""The share of votes that settles a number."""
_SURE = 0.8
"""The share of votes that settles whether there is any, and whether there are several."""
_MANY = frozenset({"many", "lots", "several", "dozens", "hundreds", "a lot", "multiple"})


@dataclass(frozen=True, slots=True)
class CountVotes:
    """The votes for each number; -1 stands for several."""

    said: tuple[tuple[int, int], ...]
    asked: int

    @property
    def number(self) -> int | None:
        """The majority number, if enough annotators agree."""
        best, votes = max(self.said, key=lambda row: row[1], default=(-1, 0))
        return best if best >= 0 and votes >= _MOST * self.asked else None

    @property
    def exists(self) -> bool | None:
        """Whether there is any; None where annotators disagree."""
        none = dict(self.said).get(0, 0)
        some = sum(votes for _, votes in self.said) - none
        return none < some if max(none, some) >= _SURE * self.asked and min(none, some) <= self.asked / 10 else None

    @property
    def many(self) -> bool | None:
        """Whether there are several rather than one; None where annotators disagree."""
        one = dict(self.said).get(1, 0)
        several = sum(votes for number, votes in self.said if number not in (0, 1))
        return one < several if max(one, several) >= _SURE * self.asked else None

    def was_said(self, number: int) -> bool:
        """Whether anybody voted for a number."""
        return number in dict(self.said)


def read_votes(question: Question) -> CountVotes:
    """The votes of the annotators, or the gold answer as the only vote.

    >>> from counterpoint.core.groups import Gold
    >>> from counterpoint.core.pictures import Picture
    >>> found = read_votes(Question("7", Picture("a:b.png"), "How many dogs?", Gold.of("Two.")))
    >>> found.number, found.exists, found.was_said(3)
    (2, True, False)
    """
    votes = question.votes or ((question.gold.best,) if question.gold.answers else ())
    numbers = Counter[int]()
    for vote in votes:
        text = vote.strip(" .!").lower()
        number = -1 if text in _MANY else number_value(text)
        if number is not None:
            numbers[number] += 1
    return CountVotes(tuple(sorted(numbers.items())), max(len(votes), 1))
