"""Errata of a suite: which groups people refused, which golds they corrected, and why; a file that can be shared."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from counterpoint.core.errors import CounterpointError, write_error
from counterpoint.core.groups import Relation
from counterpoint.core.votes import AuditCause, AuditVerdict, Judgement, Vote
from counterpoint.review.majorities import Majority, votes_by_item

REMOVE, CHANGE = "remove", "change"
_AMBIGUOUS = {AuditCause.SEMANTICALLY_AMBIGUOUS.value, AuditCause.VISUALLY_AMBIGUOUS.value}
_OPPOSITE = {"yes": "no", "no": "yes"}


@dataclass(frozen=True, slots=True)
class Erratum:
    """One correction: a group that is removed, or a query whose gold is changed; ids have sixteen digits."""

    action: str
    group: str
    reason: str
    query: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Errata:
    """The corrections of one suite, and the fingerprint of the table that they were made for."""

    suite: str
    fingerprint: str
    votes: int
    voters: int
    errata: tuple[Erratum, ...]

    def write(self, path: Path) -> None:
        """Write them as JSON that can be read and compared line by line."""
        lines = ",\n".join(f"  {msgspec.json.encode(own).decode()}" for own in self.errata)
        head = {"suite": self.suite, "fingerprint": self.fingerprint, "votes": self.votes, "voters": self.voters}
        body = json.dumps(head, ensure_ascii=False, indent=1)[:-2]
        try:
            path.write_text(f'{body},\n "errata": [\n{lines}\n ]\n}}\n', "utf-8")
        except OSError as problem:
            raise write_error(path, problem) from problem

    @classmethod
    def read(cls, path: Path) -> "Errata":
        """Errata from a file; a CounterpointError says what is wrong with it."""
        try:
            return msgspec.json.decode(path.read_bytes(), type=cls)
        except (OSError, msgspec.DecodeError, RecursionError) as problem:
            hint = "counterpoint suite LAB NAME --valid --errata FILE writes one"
            raise CounterpointError(f"{path} holds no errata: {problem}", hint=hint) from problem


@dataclass(frozen=True, slots=True)
class GoldGroup:
    """The golds of a group by query, the base's first, as far as corrections need them."""

    relation: str
    golds: Mapping[str, str]


def refuse_invalid(groups: Iterable[str], votes: Sequence[Vote]) -> list[Erratum]:
    """Remove the groups that people did not accept, and those on which nobody voted."""
    by_group = {f"{item[2]:016x}": own for item, own in votes_by_item(votes).items()}
    errata = []
    for group in groups:
        choices = [vote.choice for vote in by_group.get(group, ())]
        chosen = choices.count(Judgement.CAPTION)
        if not choices:
            errata.append(Erratum(REMOVE, group, "no votes"))
        elif chosen < 2 or 2 * chosen <= len(choices):
            errata.append(Erratum(REMOVE, group, f"{chosen} of {len(choices)} chose the caption alone"))
    return errata


def correct_golds(groups: Mapping[str, GoldGroup], votes: Sequence[Vote]) -> list[Erratum]:
    """Change the golds that most auditors call wrong, where they agree on the right answer; else remove the group."""
    errata: list[Erratum] = []
    for item, own in votes_by_item(votes).items():
        group = f"{item[2]:016x}"
        if group in groups and Majority.of([vote.choice for vote in own]).choice == AuditVerdict.WRONG:
            errata += _correct(group, groups[group], [vote for vote in own if vote.choice == AuditVerdict.WRONG])
    return errata


def _correct(group: str, golds: GoldGroup, wrong: Sequence[Vote]) -> list[Erratum]:
    cause = Counter(vote.reason or AuditCause.UNKNOWN.value for vote in wrong).most_common(1)[0][0]
    base = next(iter(golds.golds))
    proposals = Counter(
        (base if vote.query is None else f"{vote.query:016x}", vote.value.strip().lower()) for vote in wrong
    )
    (query, answer), number = proposals.most_common(1)[0]
    agreed = 2 * number > len(wrong) and answer and query in golds.golds and cause not in _AMBIGUOUS
    changes = _changes(golds, query, answer) if agreed else {}
    if not changes:
        return [Erratum(REMOVE, group, cause)]
    return [Erratum(CHANGE, group, cause, own, golds.golds[own], after) for own, after in changes.items()]


def _changes(golds: GoldGroup, query: str, answer: str) -> dict[str, str]:
    """The golds of a group after one was corrected; none where the others do not follow from it.

    >>> _changes(GoldGroup("differs", {"a": "yes", "b": "no"}), "a", "no")
    {'a': 'no', 'b': 'yes'}
    """
    before = golds.golds[query]
    if golds.relation == Relation.SAME:
        return {own: answer for own, gold in golds.golds.items() if gold == before}
    if golds.relation == Relation.GOLD:
        return {query: answer}
    if golds.relation == Relation.DIFFERS and answer in _OPPOSITE and {*golds.golds.values()} <= {*_OPPOSITE}:
        return {own: answer if gold == before else _OPPOSITE[answer] for own, gold in golds.golds.items()}
    return {}
