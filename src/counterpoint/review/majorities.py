"""From votes to choices: majorities of items, agreement of voters, and what each voter did."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from statistics import median

from counterpoint.core.errors import CounterpointError
from counterpoint.core.grouping import Key, group_pairs
from counterpoint.core.quantities import counted
from counterpoint.core.votes import Vote, VotedItem, is_anonymous
from counterpoint.metrics.agreement import cohen_kappa, count_choices, fleiss_kappa, krippendorff_alpha
from counterpoint.metrics.dawid_skene import MINIMUM_VOTES, fit_dawid_skene
from counterpoint.metrics.intervals import NO_SCORE, Score
from counterpoint.review.qualification import is_expected


@dataclass(frozen=True, slots=True)
class Majority:
    """The votes of one item: the choice of more than half of the voters, or an empty one."""

    choice: str
    votes: int
    agreeing: int  # with the most frequent choice

    @property
    def is_unanimous(self) -> bool:
        """Whether three or more voters chose the same."""
        return self.votes > 2 and self.agreeing == self.votes

    @classmethod
    def of(cls, choices: Sequence[str]) -> "Majority":
        """Count the choices of an item.

        >>> Majority.of(["caption", "caption", "both"])
        Majority(choice='caption', votes=3, agreeing=2)
        """
        choice, agreeing = min(Counter(choices).items(), key=lambda pair: (-pair[1], pair[0]))
        return cls(choice if 2 * agreeing > len(choices) else "", len(choices), agreeing)


@dataclass(frozen=True, slots=True)
class VoterRecord:
    """What one voter did: votes, the median time of one, agreement with majorities of the others, and gold items."""

    voter: str
    votes: int
    seconds: float
    agreement: float  # with the choice of more than half of the other voters; nan where there is none
    gold_items: int
    gold_right: int
    left_out: tuple[str, ...]  # tasks in which the voter did not qualify


@dataclass(frozen=True, slots=True)
class AgreementScores:
    """How far voters agree beyond chance; `is_adaptive` where more votes were asked for where two disagreed.

    Alpha is then of the first two votes of each item, since later ones are selected by disagreement.
    """

    alpha: Score
    fleiss: Score
    cohen: Score
    is_adaptive: bool


def votes_by_item(votes: Iterable[Vote]) -> dict[VotedItem, list[Vote]]:
    """The votes of each item, in their order."""
    return group_pairs((vote.item, vote) for vote in votes)


def find_majorities(votes: Iterable[Vote]) -> dict[VotedItem, Majority]:
    """The majority of each item."""
    return {item: Majority.of([vote.choice for vote in own]) for item, own in votes_by_item(votes).items()}


@dataclass(frozen=True, slots=True)
class VoterConfusion:
    """What a voter chooses where one choice is the most probable one, by Dawid and Skene's model."""

    voter: str
    probable: str
    votes: int  # of the voter, on items with this most probable choice
    shares: Mapping[str, float]  # by choice; the prior is in them, and they add up to one


@dataclass(frozen=True, slots=True)
class ChoiceEstimate:
    """The most probable choice of each item, and how each voter confuses choices."""

    choices: Mapping[VotedItem, str]
    confusions: tuple[VoterConfusion, ...]


def estimate_choices(votes: Sequence[Vote], known: Mapping[VotedItem, str] | None = None) -> ChoiceEstimate:
    """The most probable choices of items by Dawid and Skene's model; `known` are the choices of gold items.

    Raises a CounterpointError where a voter has fewer than 30 votes, since confusions cannot be told from luck then.
    """
    few = [voter for voter, number in Counter(vote.voter for vote in votes).items() if number < MINIMUM_VOTES]
    if few:
        fact = f"{counted(len(few), 'voter', 'have')} fewer than {MINIMUM_VOTES} votes, such as {few[0]}"
        raise CounterpointError(fact, hint="use the majority, or ask for more votes of each")
    anchors = known or {}
    choices = sorted({vote.choice for vote in votes} | set(anchors.values()))
    items, item = _codes([vote.item for vote in votes])
    voters, voter = _codes([vote.voter for vote in votes])
    choice = [choices.index(vote.choice) for vote in votes]
    fixed = {place: choices.index(anchors[key]) for place, key in enumerate(items) if key in anchors}
    model = fit_dawid_skene(item, voter, choice, len(choices), fixed)
    probable = {key: choices[code] for key, code in zip(items, model.choice.tolist(), strict=True)}
    numbers = Counter((vote.voter, probable[vote.item]) for vote in votes)
    confusions = tuple(
        VoterConfusion(name, right, numbers[name, right], dict(zip(choices, row.tolist(), strict=True)))
        for name, table in sorted(zip(voters, model.confusion, strict=True), key=lambda pair: pair[0])
        for right, row in zip(choices, table, strict=True)
        if numbers[name, right]
    )
    return ChoiceEstimate(probable, confusions)


def _codes(keys: Sequence[Key]) -> tuple[list[Key], list[int]]:
    """The distinct keys in their order, and the place of each key among them."""
    places: dict[Key, int] = {}
    codes = [places.setdefault(key, len(places)) for key in keys]
    return list(places), codes


def measure_agreement(
    votes: Sequence[Vote], clusters: Mapping[int, str] | None = None, *, is_adaptive: bool | None = None
) -> AgreementScores:
    """The agreement of voters on the items of one task, with intervals over the pictures of groups in `clusters`.

    Cohen's kappa is only there where the same two people voted on everything.
    """
    by_item = votes_by_item(votes)
    adaptive = is_adaptive
    if adaptive is None:
        adaptive = _is_adaptive([[vote.choice for vote in own] for own in by_item.values()])
    kept = [own[:2] if adaptive else own for own in by_item.values()]
    flat = [vote for own in kept for vote in own]
    if not flat:
        return AgreementScores(NO_SCORE, NO_SCORE, NO_SCORE, adaptive)
    _, item = _codes([vote.item for vote in flat])
    _, choice = _codes([vote.choice for vote in flat])
    counts = count_choices(item, choice)
    pictures = None if clusters is None else [clusters.get(own[0].group_id, "") for own in kept]
    fleiss = NO_SCORE if adaptive else fleiss_kappa(counts, pictures)
    return AgreementScores(krippendorff_alpha(counts, pictures), fleiss, _cohen(kept, pictures), adaptive)


def _is_adaptive(choices: Iterable[Sequence[str]]) -> bool:
    """Whether third votes stand exactly where the first two disagree, and some items have only two."""
    several = [own for own in choices if len(own) > 1]
    agreeing = [own for own in several if own[0] == own[1]]
    return (
        bool(agreeing)
        and len(agreeing) < len(several)
        and all(len(own) == 2 for own in agreeing)
        and any(len(own) > 2 for own in several)
    )


def _cohen(items: Sequence[Sequence[Vote]], pictures: Sequence[str] | None) -> Score:
    """Cohen's kappa of two voters, where every item with several votes has theirs and no other."""
    several = [place for place, own in enumerate(items) if len(own) > 1]
    couples = [sorted(items[place], key=lambda vote: vote.voter) for place in several]
    voters = {tuple(vote.voter for vote in own) for own in couples}
    if len(voters) != 1 or len(couples[0]) != 2:
        return NO_SCORE
    choices = _codes([vote.choice for own in couples for vote in own])[1]
    clusters = None if pictures is None else [pictures[place] for place in several]
    return cohen_kappa(choices[::2], choices[1::2], clusters)


def describe_voters(
    votes: Sequence[Vote], gold_votes: Sequence[Vote], left_out: Collection[tuple[str, str]] = ()
) -> list[VoterRecord]:
    """What each voter did, by name; those of whom a file does not say who they are have no record.

    `left_out` has the tasks and names of voters who did not qualify.
    """
    by_item = votes_by_item(votes)
    own_votes = group_pairs((vote.voter, vote) for vote in votes)
    own_gold = group_pairs((vote.voter, vote) for vote in gold_votes)
    records = []
    for voter in sorted(voter for voter in own_votes.keys() | own_gold.keys() if not is_anonymous(voter)):
        own, gold = own_votes.get(voter, []), own_gold.get(voter, [])
        right = sum(map(is_expected, gold))
        seconds = median([vote.seconds for vote in own]) if own else nan
        tasks = tuple(sorted(task for task, name in left_out if name == voter))
        records.append(VoterRecord(voter, len(own), seconds, _agreement(own, by_item), len(gold), right, tasks))
    return records


def _agreement(own: Iterable[Vote], by_item: Mapping[VotedItem, Sequence[Vote]]) -> float:
    """How often a voter chose what more than half of the others chose."""
    agreeing = []
    for vote in own:
        others = [other.choice for other in by_item[vote.item] if other.voter != vote.voter]
        majority = Majority.of(others).choice if others else ""
        if majority:
            agreeing.append(vote.choice == majority)
    return sum(agreeing) / len(agreeing) if agreeing else nan
