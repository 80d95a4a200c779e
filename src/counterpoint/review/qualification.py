"""Whether voters read what they vote on: their votes on gold items, whose right choice is known."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from counterpoint.core.grouping import group_pairs
from counterpoint.core.votes import ReviewSettings, Vote, standing_votes


class VoterStanding(StrEnum):
    """Whether the votes of a person count; those of a disqualified one are kept and left out."""

    QUALIFYING = "qualifying"
    QUALIFIED = "qualified"
    DISQUALIFIED = "disqualified"


def is_expected(vote: Vote) -> bool:
    """Whether a vote on a gold item is the known one; case and outer blanks do not matter.

    >>> from datetime import UTC, datetime
    >>> is_expected(Vote("a", "answer", "order", 1, 2, "ann", "Yes ", datetime.now(UTC), expected="yes"))
    True
    """
    return vote.choice.strip().casefold() == vote.expected.strip().casefold()


def voter_standing(gold_votes: Sequence[Vote], settings: ReviewSettings) -> VoterStanding:
    """The standing of one voter by the standing votes on gold items, the oldest first."""
    if not settings.has_gold or any(vote.voter == settings.gold_voter for vote in gold_votes[:1]):
        return VoterStanding.QUALIFIED
    if len(gold_votes) < settings.gold_items:
        return VoterStanding.QUALIFYING
    latest = gold_votes[-settings.gold_items :]
    is_good = sum(map(is_expected, latest)) >= settings.gold_share * settings.gold_items - 1e-9
    return VoterStanding.QUALIFIED if is_good else VoterStanding.DISQUALIFIED


def voter_standings(votes: Iterable[Vote], settings: ReviewSettings) -> dict[str, VoterStanding]:
    """The standing of everybody who voted in a task."""
    of_task = [vote for vote in standing_votes(votes) if vote.task == settings.task]
    by_voter = group_pairs((vote.voter, vote) for vote in of_task)
    return {
        voter: VoterStanding.QUALIFIED
        if voter == settings.gold_voter
        else voter_standing([vote for vote in own if vote.is_gold_item], settings)
        for voter, own in by_voter.items()
    }
