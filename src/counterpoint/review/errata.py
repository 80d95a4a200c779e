"""Errata of a suite: which groups people refused, which golds they corrected, and why; a file that can be shared."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from counterpoint.core.errors import CounterpointError
from counterpoint.core.grouping import group_pairs
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

    def to_json(self) -> str:
        """The text of their file: JSON that can be read and compared line by line."""
        lines = ",\n".join(f"  {msgspec.json.encode(own).decode()}" for own in self.errata)
        head = {"suite": self.suite, "fingerprint": self.fingerprint, "votes": self.votes, "voters": self.voters}
        body = json.dumps(head, ensure_ascii=False, indent=1)[:-2]
        return f'{body},\n "errata": [\n{lines}\n ]\n}}\n'

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
    """Change the golds that most auditors call wrong, where they agree on the right answers; else remove the group.

    A corrected query has its new gold in the groups that nobody audited too, with what follows from it there.
    """
    errata: list[Erratum] = []
    audited = set[str]()
    for item, own in votes_by_item(votes).items():
        group, verdict = f"{item[2]:016x}", Majority.of([vote.choice for vote in own]).choice
        if group in groups and verdict:
            audited.add(group)
        if group in groups and verdict == AuditVerdict.WRONG:
            errata += _correct(group, groups[group], [vote for vote in own if vote.choice == AuditVerdict.WRONG])
    return errata + _correct_sharers(groups, errata, audited)


def _correct_sharers(
    groups: Mapping[str, GoldGroup], errata: Sequence[Erratum], audited: Collection[str]
) -> list[Erratum]:
    """The corrections of groups that were not audited and share a corrected query with another group."""
    pending = [own for own in errata if own.action == CHANGE]
    golds, done, further = {own.query: own.after for own in pending}, set(audited), list[Erratum]()
    sharers = group_pairs((query, group) for group, own in groups.items() if pending for query in own.golds)
    while pending:
        erratum = pending.pop(0)
        for group in [own for own in sharers[erratum.query] if own not in done]:
            done.add(group)
            own = groups[group]
            changes = _changes(own, {query: golds[query] for query in own.golds if query in golds})
            errata_here = [
                Erratum(CHANGE, group, erratum.reason, query, own.golds[query], after)
                for query, after in changes.items()
            ]
            golds = changes | golds
            pending += errata_here
            further += errata_here or [Erratum(REMOVE, group, erratum.reason)]
    return further


def _correct(group: str, golds: GoldGroup, wrong: Sequence[Vote]) -> list[Erratum]:
    cause = Counter(vote.reason or AuditCause.UNKNOWN.value for vote in wrong).most_common(1)[0][0]
    agreed = _agreed_answers(golds, wrong)
    changes = _changes(golds, agreed) if cause not in _AMBIGUOUS and all(agreed.values()) else {}
    if not changes:
        return [Erratum(REMOVE, group, cause)]
    return [Erratum(CHANGE, group, cause, own, golds.golds[own], after) for own, after in changes.items()]


def _agreed_answers(golds: GoldGroup, wrong: Sequence[Vote]) -> dict[str, str]:
    """The queries that most auditors call wrong, with the answer that most of all give; empty where they do not agree.

    An auditor who names no query means the base.
    """
    base = next(iter(golds.golds))
    proposals = [{f"{own.query:016x}": own.answer for own in vote.wrong_golds} or {base: vote.value} for vote in wrong]
    agreed = {}
    for query in golds.golds:
        answers = Counter(own[query].strip().lower() for own in proposals if query in own)
        if 2 * answers.total() > len(wrong):
            answer, number = answers.most_common(1)[0]
            agreed[query] = answer if 2 * number > len(wrong) else ""
    return agreed


def _changes(golds: GoldGroup, corrected: Mapping[str, str]) -> dict[str, str]:
    """The golds of a group that change after some were corrected; none where the group's relation would not hold.

    Where an auditor named one of several, the others follow from the relation.

    >>> _changes(GoldGroup("differs", {"a": "yes", "b": "no"}), {"a": "no"})
    {'a': 'no', 'b': 'yes'}
    >>> _changes(GoldGroup("same", {"a": "red", "b": "red"}), {"a": "blue", "b": "green"})
    {}
    """
    before = golds.golds
    if golds.relation == Relation.GOLD:
        return dict(corrected)
    following: list[dict[str, str]] = []
    for query, answer in corrected.items():
        if golds.relation == Relation.SAME:
            following.append({own: answer for own, gold in before.items() if gold == before[query]})
        elif golds.relation == Relation.DIFFERS and {answer, *before.values()} <= {*_OPPOSITE}:
            same = {own: gold == before[query] for own, gold in before.items()}
            following.append({own: answer if same[own] else _OPPOSITE[answer] for own in before})
    changes = {own: answer for changed in following for own, answer in changed.items()} | dict(corrected)
    is_settled = all(changes[own] == answer for changed in following for own, answer in changed.items())
    return changes if is_settled and _holds(golds, changes) else {}


def _holds(golds: GoldGroup, changes: Mapping[str, str]) -> bool:
    """Whether the golds after changes satisfy the relation of the group."""
    base, *variants = {**golds.golds, **changes}.values()
    if golds.relation == Relation.DIFFERS:
        return base not in variants
    return golds.relation == Relation.SAME
