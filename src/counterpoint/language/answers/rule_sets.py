"""By which rules answers are compared with gold: how they are made comparable, and what credit agreement earns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter

from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Gold
from counterpoint.language.answers.vqa import normalize_vqa, strip_whitespace


def short_credit(agreeing: int, asked: int) -> float:
    """Credit as VQA's paper has it: right if three people say so, min(n/3, 1).

    >>> [round(short(n, 10), 2) for n in range(5)]
    [0.0, 0.33, 0.67, 1.0, 1.0]
    """
    return min(agreeing / 3, 1.0)


@cache
def leave_one_out_credit(agreeing: int, asked: int) -> float:
    """Credit as VQA's program has it: the short form, averaged over leaving out each of the people who were asked.

    >>> [round(left_out(n, 10), 2) for n in range(5)]
    [0.0, 0.3, 0.6, 0.9, 1.0]
    """
    others = (asked - agreeing) * short_credit(agreeing, asked - 1)
    return (agreeing * short_credit(agreeing - 1, asked - 1) + others) / asked if agreeing else 0.0


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A named way of comparing answers, which a suite's manifest and its scores carry."""

    name: str
    about: str
    comparable: Callable[[str], str]
    credit: Callable[[int, int], float] = short_credit
    spares_agreement: bool = False  # where all people said one thing, it is compared as they wrote it

    def gold(self, votes: Sequence[str]) -> Gold:
        """The answers that people gave, as they wrote them, the most frequent first, each with what it earns."""
        agreeing: dict[str, int] = {}
        written: dict[str, str] = {}
        for vote in dict.fromkeys(votes):
            alike = self.comparable(vote)
            agreeing[alike] = agreeing.get(alike, 0) + votes.count(vote)
            written.setdefault(strip_whitespace(vote), alike)
        ranked = [(agreeing[alike], one) for one, alike in written.items()]
        ranked.sort(key=itemgetter(0), reverse=True)
        credit, asked = self.credit, len(votes)
        return Gold(tuple([(one, credit(many, asked)) for many, one in ranked]))


RULE_SETS: Mapping[str, RuleSet] = {
    one.name: one
    for one in (
        RuleSet("exact", "the answer is a gold answer, letter by letter", lambda text: text),
        RuleSet(
            "gqa", "the answer is the gold answer, letter by letter, as GQA's program compares them", strip_whitespace
        ),
        RuleSet("vqa", "VQA accuracy as the official program computes it", normalize_vqa, leave_one_out_credit, True),
        RuleSet("vqa-short", "VQA accuracy in the short form, min(n/3, 1), all answers normalised", normalize_vqa),
    )
}
"""Every rule set by name."""


def rule_set(name: str) -> RuleSet:
    """The rule set of this name."""
    if name not in RULE_SETS:
        raise UnknownName("rule set", name, RULE_SETS)
    return RULE_SETS[name]
