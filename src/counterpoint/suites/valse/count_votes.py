"""What those who were asked how many agree on: the number, every number that was said, and whether there is any."""

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
    """How often each number was said in answer to a question; -1 stands for several."""

    said: tuple[tuple[int, int], ...]
    asked: int

    @property
    def number(self) -> int | None:
        """The number that most people said, if enough did."""
        best, votes = max(self.said, key=lambda row: row[1], default=(-1, 0))
        return best if best >= 0 and votes >= _MOST * self.asked else None

    @property
    def exists(self) -> bool | None:
        """Whether there is any; nothing where people differ."""
        none = dict(self.said).get(0, 0)
        some = sum(votes for _, votes in self.said) - none
        return none < some if max(none, some) >= _SURE * self.asked and min(none, some) <= self.asked / 10 else None

    @property
    def many(self) -> bool | None:
        """Whether there are several rather than one; nothing where people differ."""
        one = dict(self.said).get(1, 0)
        several = sum(votes for number, votes in self.said if number not in (0, 1))
        return one < several if max(one, several) >= _SURE * self.asked else None

    def was_said(self, number: int) -> bool:
        """Whether anybody said so."""
        return number in dict(self.said)


def read_votes(question: Question) -> CountVotes:
    """What was answered to a how-many question, by each who was asked or by the one answer that there is.

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
