"""What people's votes say: validity, agreement, voters, and people as a model of the lab."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from math import isnan
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import CounterpointError, StoreError
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Answer, Mode, State
from counterpoint.core.quantities import counted
from counterpoint.core.votes import (
    AMBIGUOUS,
    OTHER,
    AuditVerdict,
    Judgement,
    Vote,
    VotedItem,
    VoteTask,
    is_anonymous,
    standing_votes,
)
from counterpoint.lab.picture_locations import find_worlds
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_groups
from counterpoint.language.answers.extraction import extract_value
from counterpoint.metrics.intervals import NO_SCORE, Score, clustered_interval
from counterpoint.reports.tables import ResultTable, TableCell, percent
from counterpoint.review.majorities import (
    AgreementScores,
    ChoiceEstimate,
    Majority,
    VoterConfusion,
    VoterRecord,
    describe_voters,
    estimate_choices,
    find_majorities,
    measure_agreement,
    votes_by_item,
)
from counterpoint.review.qualification import VoterStanding, voter_standings
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import RunRecord, tag_version
from counterpoint.store.votes import all_votes, read_reviews

PEOPLE = "people"
"""The name of the model whose answers are what most people said."""
MAJORITY, DAWID_SKENE = "majority", "dawid-skene"
ESTIMATES = (MAJORITY, DAWID_SKENE)
"""The ways to get from the votes of an item to one choice."""
_VOTES_TAG = "votes"
_CHOICES = 6  # that the table of confusions shows, the most frequent ones
_ACCEPTED = {VoteTask.JUDGE: Judgement.CAPTION, VoteTask.AUDIT: AuditVerdict.RIGHT}
_SELECTED = (
    "α accepted is of items that the same votes selected, which pulls it down, even below zero: read it with care"
)
_THREE_CATEGORIES = (
    "α has three categories, caption, foil and other: the released files name no voters, and do not tell both, neither "
    "and cannot tell apart, so that the paper's α of five categories cannot be had from them"
)


@dataclass(frozen=True, slots=True)
class VoteCount:
    """The votes on one test of a suite in one task.

    `accepted` are the items whose caption describes the picture alone (judge), whose gold is right (audit), or that
    have an answer that is not "ambiguous" (answer), each by the choice of more than half of the voters.
    """

    task: str
    suite: str
    test: str
    items: int
    votes: int
    accepted: int
    share: Score  # of the accepted, with an interval over pictures
    unanimous: int | None  # by three or more votes; none where a third vote was asked for only after disagreement
    undecided: int  # without a majority
    agreement: AgreementScores
    alpha_accepted: Score


@dataclass(frozen=True, slots=True)
class TaskEstimate:
    """What Dawid and Skene's model makes of the votes of a task: items, those accepted, and each voter's confusion."""

    task: str
    items: int
    accepted: int
    confusions: tuple[VoterConfusion, ...]

    def table(self) -> ResultTable:
        """A row for each voter and frequent most probable choice, with the shares of what the voter chose."""
        total = Counter[str]()
        for own in self.confusions:
            total.update({choice: own.votes * share for choice, share in own.shares.items()})
        shown = [choice for choice, _ in total.most_common(_CHOICES)]
        rest = len(total) > len(shown)
        rows = [
            (own.voter, own.probable, f"{own.votes:,}", *map(percent, (*chosen, *([1 - sum(chosen)] if rest else []))))
            for own in self.confusions
            if own.probable in shown
            for chosen in [[own.shares[choice] for choice in shown]]
        ]
        heads = ("voter", "most probable", "votes", *shown, *(["others"] if rest else []))
        return ResultTable(f"What voters choose, by Dawid–Skene, in % ({self.task})", heads, rows, names=2)


@dataclass(frozen=True, slots=True, repr=False)
class VoteSummary(LabResult[VoteCount], rows="counts"):
    """The votes of a lab: a count for each test, a record for each voter, and estimates where they were asked for."""

    counts: tuple[VoteCount, ...]
    voters: tuple[VoterRecord, ...]
    votes: int
    left_out: int = 0  # votes of voters who do not qualify
    remarks: tuple[str, ...] = field(default=())
    estimates: tuple[TaskEstimate, ...] = field(default=())

    def tables(self) -> list[ResultTable]:
        """What was accepted, how far people agree, what each voter did, and how voters confuse choices."""
        rows = [
            (count.task, count.suite, count.test, *_cells(count))
            for count in sorted(self.counts, key=lambda count: (count.task, count.suite, count.test))
        ]
        heads = ("task", "suite", "test", "items", "votes", "accepted", "%", "3 of 3", "no majority")
        agreement = ("α", "α accepted", "Fleiss' κ", "Cohen's κ")
        note = "accepted by more than half: caption and not foil (judge), gold right (audit), not ambiguous (answer)"
        tables = [ResultTable("Votes by test", (*heads, *agreement), rows, names=3, note=note)] if rows else []
        return [*tables, *([self._voter_table()] if self.voters else []), *(own.table() for own in self.estimates)]

    def _voter_table(self) -> ResultTable:
        rows = [
            (
                record.voter,
                f"left out of {', '.join(record.left_out)}" if record.left_out else "",
                f"{record.votes:,}",
                _number(record.seconds, 1),
                percent(record.agreement),
                f"{record.gold_right} of {record.gold_items}" if record.gold_items else "–",
            )
            for record in self.voters
        ]
        heads = ("voter", "", "votes", "median s", "with the others %", "gold items")
        return ResultTable("Voters", heads, rows, names=2)

    def notes(self) -> list[str]:
        """What was left out, and how agreement is to be read."""
        people = sum(bool(record.left_out) for record in self.voters)
        left = f"{counted(self.left_out, 'vote')} of {counted(people, 'voter')} left out, who did not qualify"
        adaptive = "a third vote was asked for only where two disagreed: α is of the first two votes of each item"
        selected = any(not isnan(count.alpha_accepted.value) for count in self.counts)
        return [
            *self.remarks,
            *([left] if people else []),
            *([adaptive] if any(count.agreement.is_adaptive for count in self.counts) else []),
            *([_SELECTED] if selected else []),
            *(f"{own.task}: Dawid–Skene accepts {own.accepted:,} of {own.items:,} items" for own in self.estimates),
        ]


def _cells(count: VoteCount) -> tuple[str | TableCell, ...]:
    agreement = count.agreement
    return (
        f"{count.items:,}",
        f"{count.votes:,}",
        f"{count.accepted:,}",
        _score(count.share, 100, 1),
        "–" if count.unanimous is None else f"{count.unanimous:,}",
        f"{count.undecided:,}",
        *(_score(own) for own in (agreement.alpha, count.alpha_accepted, agreement.fleiss, agreement.cohen)),
    )


def _score(score: Score, scale: float = 1.0, digits: int = 2) -> str | TableCell:
    if isnan(score.value):
        return "–"
    interval = "" if isnan(score.low) else f"{scale * score.low:.{digits}f}–{scale * score.high:.{digits}f}"
    return TableCell(f"{scale * score.value:.{digits}f}", interval)


def _number(value: float, digits: int) -> str:
    return "–" if isnan(value) else f"{value:.{digits}f}"


@dataclass(frozen=True, slots=True)
class LabVotes:
    """The votes of a lab that count, with the voters and the tests and pictures of groups."""

    votes: tuple[Vote, ...]  # of voters who qualify, not on gold items
    voters: tuple[VoterRecord, ...]
    left_out: int
    tests: Mapping[tuple[str, int], Sequence[str]]  # by suite and group, which may be in several
    pictures: Mapping[int, str]  # by group
    gold: tuple[Vote, ...] = ()  # of the same voters on gold items

    def tests_of(self, vote: Vote) -> Sequence[str]:
        """The tests that a vote is about: all that have its group, or the one that a released file names."""
        tests = self.tests.get((vote.suite, vote.group_id), ())
        return [vote.note] if is_anonymous(vote.voter) and vote.note in tests else tests


def load_votes(store: LabStore, suites: Sequence[str] = (), task: str = "") -> LabVotes:
    """Read the votes on suites; raises a StoreError where there are none."""
    stored = [vote for vote in all_votes(store.storage) if task in ("", vote.task) and vote.task != VoteTask.NOTE]
    standing = standing_votes(stored)
    known = {store.manifest(suite).suite for suite in suites} or set(
        store.suites()
    )  # a name that is unknown is an error
    plain = [vote for vote in standing if not vote.is_gold_item and vote.suite in known]
    if not plain:
        about = f" on {', '.join(suites)}" if suites else ""
        hint = f"counterpoint review {store.address} --task judge asks for votes"
        raise StoreError(f"{store.address} has no votes{about}", hint=hint)
    out = _left_out(store, standing)
    votes = tuple(vote for vote in plain if (vote.task, vote.voter) not in out)
    gold = [vote for vote in standing if vote.is_gold_item]
    voters = describe_voters(plain, gold, out)
    groups = load_groups(store, sorted({vote.suite for vote in plain}))
    bases = groups.filter(pc.equal(groups["role"], 0))
    columns = (bases[name].to_pylist() for name in ("suite", "group_id", "test", "picture"))
    rows = list(zip(*columns, strict=True))
    tests = group_pairs(((suite, group), test) for suite, group, test, _ in rows)
    pictures = {group: picture or "" for _, group, _, picture in rows}
    anchors = tuple(vote for vote in gold if (vote.task, vote.voter) not in out)
    return LabVotes(votes, tuple(voters), len(plain) - len(votes), tests, pictures, anchors)


def qualified_votes(store: LabStore) -> list[Vote]:
    """The votes that stand and whose voters qualify, of every task; those on gold items are not among them."""
    standing = standing_votes(all_votes(store.storage))
    out = _left_out(store, standing)
    return [vote for vote in standing if not vote.is_gold_item and (vote.task, vote.voter) not in out]


def tag_votes(groups: pa.Table, votes: Iterable[Vote]) -> pa.Table:
    """The groups that people judged with the tag `votes`, as released files have it for three votes each.

    It is 3 where all of three or more chose the caption alone, 2 for another accepted pair, and 0 for the rest.
    """
    levels = {
        (item[1], item[2]): 0 if not is_accepted(VoteTask.JUDGE, majority) else 3 if majority.is_unanimous else 2
        for item, majority in find_majorities(votes).items()
    }
    keys = zip(groups["suite"].to_pylist(), groups["group_id"].to_pylist(), strict=True)
    tags = [
        [*own, (_VOTES_TAG, str(levels[key]))] if key in levels and _VOTES_TAG not in dict(own) else own
        for key, own in zip(keys, groups["tags"].to_pylist(), strict=True)
    ]
    column = groups.schema.get_field_index("tags")
    return groups.set_column(column, groups.schema.field(column), pa.array(tags, groups.schema.field(column).type))


def _left_out(store: LabStore, votes: Sequence[Vote]) -> set[tuple[str, str]]:
    """Task and name of the voters who did not qualify."""
    return {
        (task, voter)
        for task, settings in read_reviews(store.storage).items()
        for voter, standing in voter_standings(votes, settings).items()
        if standing is not VoterStanding.QUALIFIED
    }


def summarize_votes(
    store: LabStore, suites: Sequence[str] = (), task: str = "", estimate: str = MAJORITY
) -> VoteSummary:
    """Count what people voted, by task and test, with agreement and voters; Dawid–Skene adds each voter's confusion."""
    _check_estimate(estimate)
    lab = load_votes(store, suites, task)
    by_test = group_pairs(((vote.task, vote.suite, test), vote) for vote in lab.votes for test in lab.tests_of(vote))
    adaptive = {task: settings.until_majority for task, settings in read_reviews(store.storage).items()}
    counts = tuple(_vote_count(key, own, lab.pictures, adaptive.get(key[0])) for key, own in by_test.items())
    unknown = sum(not lab.tests_of(vote) for vote in lab.votes)
    remarks = [f"{counted(unknown, 'vote', 'are')} on groups that the suite no longer has"] if unknown else []
    remarks += [_THREE_CATEGORIES] if any(vote.choice == OTHER for vote in lab.votes) else []
    estimates = _task_estimates(store, lab) if estimate == DAWID_SKENE else ()
    return VoteSummary(counts, lab.voters, len(lab.votes), lab.left_out, tuple(remarks), tuple(estimates))


def _check_estimate(estimate: str) -> None:
    if estimate not in ESTIMATES:
        raise CounterpointError(f"{estimate} is no way to estimate choices", hint=f"one of {', '.join(ESTIMATES)}")


def _task_estimates(store: LabStore, lab: LabVotes) -> Iterator[TaskEstimate]:
    """What Dawid and Skene's model makes of each task."""
    groups = load_groups(store, sorted({vote.suite for vote in lab.votes}))
    for task, votes in group_pairs((vote.task, vote) for vote in lab.votes).items():
        read = _read_answers(votes, groups) if task == VoteTask.ANSWER else votes
        estimate = _estimate_choices(read, [vote for vote in lab.gold if vote.task == task])
        choices = [estimate.choices[item] for item in {vote.item for vote in read}]
        yield TaskEstimate(task, len(choices), sum(_accepts(task, own) for own in choices), estimate.confusions)


def _estimate_choices(votes: Sequence[Vote], gold: Sequence[Vote]) -> ChoiceEstimate:
    """The most probable choices, to which the gold items of the same voters are anchors."""
    voters = {vote.voter for vote in votes}
    anchors = [vote for vote in gold if vote.voter in voters]
    return estimate_choices([*votes, *anchors], {vote.item: vote.expected.strip().casefold() for vote in anchors})


def _vote_count(
    key: tuple[str, str, str], votes: Sequence[Vote], pictures: Mapping[int, str], adaptive: bool | None
) -> VoteCount:
    """Count the votes on one test; the votes tell whether they are `adaptive` where no settings say it."""
    task, majorities = key[0], find_majorities(votes)
    accepted = {item for item, majority in majorities.items() if is_accepted(task, majority)}
    agreement = measure_agreement(votes, pictures, is_adaptive=adaptive)
    subset = [vote for vote in votes if vote.item in accepted]
    hits = np.array([item in accepted for item in majorities], np.float64)
    share = clustered_interval(hits, [pictures.get(item[2], "") for item in majorities])
    unanimous = sum(majority.is_unanimous for item, majority in majorities.items() if item in accepted)
    judged = task == VoteTask.JUDGE and 0 < len(subset) < len(votes)
    return VoteCount(
        *key,
        len(majorities),
        len(votes),
        len(accepted),
        share,
        None if agreement.is_adaptive else unanimous,
        sum(not majority.choice for majority in majorities.values()),
        agreement,
        measure_agreement(subset, pictures, is_adaptive=agreement.is_adaptive).alpha if judged else NO_SCORE,
    )


def is_accepted(task: str, majority: Majority) -> bool:
    """Whether people accept an item: two or more of them, and more than half, chose what says so."""
    return _accepts(task, majority.choice) and majority.agreeing > 1


def _accepts(task: str, choice: str) -> bool:
    wanted = _ACCEPTED.get(VoteTask(task))
    return choice == wanted if wanted else choice not in ("", AMBIGUOUS)


@dataclass(frozen=True, slots=True, repr=False)
class PeopleReport(LabResult[dict[str, Any]]):
    """People who became models of the lab, by name with their numbers of answers."""

    models: Mapping[str, int]
    lab: str

    def notes(self) -> list[str]:
        """How many answers each has, and where to see them."""
        lines = [f"{name}: {counted(answers, 'answer')}" for name, answers in self.models.items()]
        return [*lines, f"counterpoint leaderboard {self.lab} shows them beside the models"]


def add_people(
    store: LabStore, suites: Sequence[str] = (), *, each: bool = False, estimate: str = MAJORITY
) -> PeopleReport:
    """Store what most people said as answers of the model `people`; with `each`, those of every voter too.

    Where no choice has a majority, or most find the query ambiguous, the answer is `hedged`: it is wrong and never
    consistent. Of judged pairs, the scores are the shares of voters who took each text to describe the picture.
    """
    _check_estimate(estimate)
    lab = load_votes(store, suites)
    groups = load_groups(store, sorted({vote.suite for vote in lab.votes}))
    digests = _picture_digests(store, groups)
    counts = {PEOPLE: _store_people(store, PEOPLE, lab.votes, groups, digests, estimate, lab.gold)}
    if not counts[PEOPLE]:
        hint = f"counterpoint review {store.address} --task answer asks people; audits correct golds"
        raise StoreError("no vote answers a query or judges a pair", hint=hint)
    for voter, votes in group_pairs((vote.voter, vote) for vote in lab.votes).items() if each else ():
        name = f"{PEOPLE}/{voter.replace('@', ' ')}"
        counts[name] = _store_people(store, name, votes, groups, digests, MAJORITY)
    return PeopleReport({name: number for name, number in counts.items() if number}, store.address)


def _picture_digests(store: LabStore, groups: pa.Table) -> dict[int, str]:
    """The digest of each query's picture file, where there is one."""
    digests = store.with_digests(groups, store.pictures(find_worlds(store, groups)))["digest"].cast(pa.string())
    return dict(zip(groups["query"].to_pylist(), digests.to_pylist(), strict=True))


def _store_people(
    store: LabStore,
    name: str,
    votes: Sequence[Vote],
    groups: pa.Table,
    digests: Mapping[int, str],
    estimate: str,
    gold: Sequence[Vote] = (),
) -> int:
    """Write the answers of people as a run, and return their number; the same votes give the same version.

    Audits answer nothing: of these alone there is no version.
    """
    anchors = [vote for vote in gold if vote.task == VoteTask.ANSWER] if estimate == DAWID_SKENE else []
    answers = _answers_of_people(votes, groups, estimate, anchors)
    if not answers:
        return 0
    used = sorted(vote.vote for vote in (*votes, *anchors))
    digest = blake2b("\n".join(used).encode(), digest_size=8).hexdigest()
    fingerprint, now = f"{name} by {estimate} {digest}", datetime.now(UTC)
    if not any(version.fingerprint == fingerprint for version in store.versions()):
        tag = tag_version(store.versions(), name, fingerprint, "", now.strftime("%Y-%m-%d"))
        run = store.new_run(now)
        with store.answers(fingerprint, run=run) as log:
            log.add((query, 0, answer, digests[query], 0.0) for query, answer in answers.items())
        details: dict[str, Any] = {"state": "done", "votes": len(votes), "scale": "probability"}
        details["answers"] = log.written.to_dict()
        details["suites"] = {suite: store.manifest(suite).fingerprint for suite in sorted({v.suite for v in votes})}
        store.put_run(RunRecord(run, name, fingerprint, details, tag))
    return len(answers)


def _answers_of_people(
    votes: Sequence[Vote], groups: pa.Table, estimate: str, anchors: Sequence[Vote]
) -> dict[int, Answer]:
    """The answers to all queries that were voted on, by query."""
    given = [vote for vote in votes if vote.task == VoteTask.ANSWER]
    judged = votes_by_item(vote for vote in votes if vote.task == VoteTask.JUDGE)
    return _majority_answers(given, groups, estimate, anchors) | _score_answers(judged, groups)


def _majority_answers(
    votes: Sequence[Vote], groups: pa.Table, estimate: str, anchors: Sequence[Vote]
) -> dict[int, Answer]:
    """One answer for each query: the value of most people, or of the model, to which gold items are anchors."""
    read = _read_answers(votes, groups)
    if estimate == DAWID_SKENE and read:
        estimated = _estimate_choices(read, anchors).choices
        choices = {vote.item: estimated[vote.item] for vote in read}
    else:
        choices = {item: majority.choice for item, majority in find_majorities(read).items()}
    said = Counter((vote.item, vote.choice) for vote in read)
    return {item[3]: _answer(choice, said[item, choice]) for item, choice in choices.items() if item[3] is not None}


def _read_answers(votes: Sequence[Vote], groups: pa.Table) -> list[Vote]:
    """The votes on queries of these groups, each with the value of its answer as its choice."""
    names = ("query", "text", "choices", "mode")
    asked = {row[0]: row[1:] for row in zip(*(groups[name].to_pylist() for name in names), strict=True)}
    return [_with_value(vote, *asked[vote.query]) for vote in votes if vote.query in asked]


def _with_value(vote: Vote, text: str, choices: Sequence[str], mode: str) -> Vote:
    """The vote with the value that the rules take from what the person wrote."""
    if vote.choice == AMBIGUOUS:
        return vote
    value, _, state = extract_value(vote.choice, text, tuple(choices), Mode(mode), "auto")
    return vote if state is not State.OK else replace(vote, choice=value)


def _answer(choice: str, votes: int) -> Answer:
    if choice in ("", AMBIGUOUS):
        reason = "most people find it ambiguous" if choice else "no answer has a majority"
        return Answer(raw=choice, rule="people", state=State.HEDGED, reason=reason)
    return Answer(raw=choice, value=choice, rule="people", reason=f"said by {votes}")


def _score_answers(judged: Mapping[VotedItem, Sequence[Vote]], groups: pa.Table) -> dict[int, Answer]:
    """Scores of captions and foils: the share of voters who took the text to describe the picture."""
    shares = {
        (item[1], item[2]): (_share(votes, Judgement.CAPTION), _share(votes, Judgement.FOIL))
        for item, votes in judged.items()
    }
    names = ("suite", "group_id", "role", "query", "mode")
    return {
        query: Answer.scored(shares[suite, group][role])
        for suite, group, role, query, mode in zip(*(groups[name].to_pylist() for name in names), strict=True)
        if (suite, group) in shares and role < len(shares[suite, group]) and mode == Mode.SCORE
    }


def _share(votes: Sequence[Vote], text: Judgement) -> float:
    return sum(vote.choice in (text, Judgement.BOTH) for vote in votes) / len(votes)
