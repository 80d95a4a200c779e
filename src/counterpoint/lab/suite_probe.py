"""The text-only probe of a suite: what it found, kept with the suite, and the groups whose rejection would mend it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from counterpoint.checks.text_pairs import group_numbers
from counterpoint.core.errors import StoreError
from counterpoint.core.ids import content_id
from counterpoint.reports.tables import ResultTable, percent
from counterpoint.store.documents import put_object, read_object
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import StoredSuite
from counterpoint.studies.blind_probe import ProbedTest, ProbeFinding, TellingWord, Verdict, probe, probe_tests

ANSWERABLE = "answerable without the picture"
"""The label of a suite that the probe calls answerable."""
BY_DESIGN = {"counting-adversarial": "small numbers in foils and large ones in captions, by design"}
"""Tests that text gives away on purpose, with the reason."""
MOST_GROUPS = 2_000
"""Of each test, so many groups at most are probed, drawn by their ids."""
VERSION = 1
"""Of what is kept with a suite."""
ROUNDS, SHARE, LEAST = 20, 0.08, 0.5
"""Of balancing: how often the probe is trained again, the share of a test rejected in a round, and what must stay."""


@dataclass(frozen=True, slots=True)
class SuiteProbe:
    """What the probe found in the tests of a suite, and of how many groups."""

    findings: tuple[ProbeFinding, ...]
    groups: int  # that were probed
    of: int  # that the suite has

    @property
    def label(self) -> str:
        """The label of the suite; empty where no test is answerable but by design."""
        tests = [finding for finding in self.findings if finding.verdict is Verdict.ANSWERABLE]
        return ANSWERABLE if any(finding.test not in BY_DESIGN for finding in tests) else ""

    def notes(self, suite: str) -> list[str]:
        """What is answerable by design, whether the suite was read in part, and what to do where it is answerable."""
        tests = [own.test for own in self.findings if own.verdict is Verdict.ANSWERABLE and own.test in BY_DESIGN]
        notes = [f"{test} is {ANSWERABLE}: {BY_DESIGN[test]}" for test in tests]
        if self.groups < self.of:
            notes.append(f"the probe read {self.groups:,} of {self.of:,} groups")
        if self.label:
            notes.append(f"{suite} is {self.label}; --balance proposes the groups to reject")
        return notes

    def sentences(self) -> list[str]:
        """One for each test: the accuracy, the chance level, the verdict, and the most telling words."""
        return [_sentence(finding) for finding in self.findings]


def suite_probe(lab: LabStore, stored: StoredSuite, seed: int = 0) -> SuiteProbe:
    """The probe of a suite: the kept one where it belongs to this table and seed, else a new one, which is kept."""
    kept = read_probe(lab, stored.manifest.suite, seed)
    if kept is not None:
        return kept
    table = sample_groups(stored.table)
    found = SuiteProbe(tuple(probe(table, seed)), _count(table), stored.manifest.groups)
    put_object(lab.storage, _place(stored.manifest.suite), _record(found, stored.manifest.fingerprint, seed))
    return found


def read_probe(lab: LabStore, suite: str, seed: int = 0) -> SuiteProbe | None:
    """The probe that is kept with a suite; None where there is none of this table."""
    try:
        record = read_object(lab.storage, _place(suite))
    except (OSError, StoreError):
        return None
    if [record.get(key) for key in ("version", "fingerprint", "seed")] != [
        VERSION,
        lab.manifest(suite).fingerprint,
        seed,
    ]:
        return None
    findings = (
        ProbeFinding(**{**own, "words": tuple(TellingWord(**word) for word in own["words"])})
        for own in record["findings"]
    )
    return SuiteProbe(tuple(findings), record["groups"], record["of"])


def sample_groups(table: pa.Table, most: int = MOST_GROUPS) -> pa.Table:
    """At most so many groups of each test, those with the smallest content ids of their group ids, in their order."""
    group = group_numbers(table)
    bases = np.unique(group, return_index=True)[1]
    tests = np.asarray(table["test"].to_pylist(), object)[bases]
    if len(bases) <= most:
        return table
    mixed = np.array([content_id(["probe", own]) for own in table["group_id"].to_numpy()[bases].tolist()], np.uint64)
    kept = np.zeros(len(bases), np.bool_)
    for test in sorted(set(tests.tolist())):
        own = np.flatnonzero(tests == test)
        kept[own[np.argsort(mixed[own], kind="stable")[:most]]] = True
    return table.filter(pa.array(kept[group]))


@dataclass(frozen=True, slots=True)
class BalanceProposal:
    """The groups whose rejection would mend a suite, by their place in its table, and the probe before and after."""

    rejected: Mapping[int, str]  # the reason for each
    before: tuple[ProbeFinding, ...]
    after: tuple[ProbeFinding, ...]


def propose_balance(table: pa.Table, seed: int = 0) -> BalanceProposal:
    """Reject groups that text gives away until the probe calls no test answerable (adversarial filtering, as AFLite).

    In every round the probe is trained again, and of each test that it calls answerable the groups that it is most
    sure of are rejected: correctly answered ones where the accuracy is above chance, others where it is below. A test
    of which less than half would be left is not mended; adversarial counting is answerable by design, and stays.
    It ends when two rounds with folds of other seeds have nothing to reject.
    """
    group = group_numbers(table)
    alive, rejected = np.ones(int(group.max(initial=-1)) + 1, np.bool_), dict[int, str]()
    tests = np.asarray(table["test"].to_pylist(), object)[np.unique(group, return_index=True)[1]]
    sizes = {test: int((tests == test).sum()) for test in set(tests.tolist())}
    before: tuple[ProbeFinding, ...] | None = None
    found, quiet = list[ProbedTest](), 0
    for number in range(ROUNDS + 1):
        places = np.flatnonzero(alive)
        found = probe_tests(table.filter(pa.array(alive[group])), seed + number)
        before = before or tuple(test.finding for test in found)
        surplus: dict[int, str] = {}
        for test in found:
            if test.finding.verdict is Verdict.ANSWERABLE and (name := test.finding.test) not in BY_DESIGN:
                room = int(alive[tests == name].sum() - LEAST * sizes[name])
                surplus |= {int(places[own]): reason for own, reason in _surplus(test, room)}
        quiet = 0 if surplus else quiet + 1
        if quiet == 2 or number == ROUNDS:
            break
        alive[list(surplus)] = False
        rejected |= surplus
    return BalanceProposal(rejected, before or (), tuple(test.finding for test in found))


def _surplus(test: ProbedTest, room: int) -> Iterator[tuple[int, str]]:
    """The groups of a test that the probe is most sure of, on the side that outnumbers the other, at most the room."""
    finding = test.finding
    side = 1.0 if finding.value > finding.chance else -1.0
    excess = abs(finding.value - finding.chance) / max(1 - finding.chance if side > 0 else finding.chance, 1e-9)
    many = min(int(np.ceil(excess * finding.n)), int(np.ceil(SHARE * finding.n)), room)
    order = np.argsort(-side * test.margin, kind="stable")
    sure = [case for case in order.tolist() if side * test.margin[case] > 0][: max(many, 0)]
    reason = "its text gives its answer away" if side > 0 else "its text suggests the wrong answer, as few others do"
    yield from ((int(test.groups[case]), reason) for case in sure)


def probe_tables(findings: Sequence[ProbeFinding]) -> list[ResultTable]:
    """The accuracy of the probe in each test, and the most telling words."""
    rows = [
        (
            *(finding.suite, finding.test, finding.unit, percent(finding.value, finding.low, finding.high)),
            *(percent(finding.chance), str(finding.n), str(finding.components), finding.verdict.value),
        )
        for finding in findings
    ]
    title = "Accuracy of a probe trained on the texts of other pictures, per cent with 95 % intervals"
    heads = ("suite", "test", "of", "accuracy", "chance", "n", "components", "verdict")
    table = ResultTable(title, heads, rows, names=3)
    words = [(finding.suite, finding.test, _words(finding)) for finding in findings if finding.words]
    title = "The most telling words, with the answer that they suggest, and how often that is correct where they occur"
    return [table, *([ResultTable(title, ("suite", "test", "words"), words, names=3)] if words else [])]


def _words(finding: ProbeFinding) -> str:
    return ", ".join(f"{word.word} → {word.answer} {word.share:.0%} of {word.cases}" for word in finding.words)


def _sentence(finding: ProbeFinding) -> str:
    is_answerable = finding.verdict is Verdict.ANSWERABLE
    verdict = ANSWERABLE if is_answerable else finding.verdict.value
    if is_answerable and (reason := BY_DESIGN.get(finding.test)):
        verdict = f"{verdict}: {reason}"
    score = f"{percent(finding.value, finding.low, finding.high)} % of {finding.n:,} {finding.unit} from the text alone"
    words = f"; telling: {_words(finding)}" if is_answerable and finding.words else ""
    return f"{finding.test}: {score}, chance {percent(finding.chance)}: {verdict}{words}"


def _record(found: SuiteProbe, fingerprint: str, seed: int) -> dict[str, Any]:
    findings = [asdict(finding) | {"verdict": finding.verdict.value} for finding in found.findings]
    stored = [{key: value for key, value in own.items() if key != "verdict"} for own in findings]
    verdicts = {own["test"]: own["verdict"] for own in findings}
    return {
        "version": VERSION,
        "fingerprint": fingerprint,
        "seed": seed,
        "groups": found.groups,
        "of": found.of,
        "label": found.label,
        "verdicts": verdicts,
        "findings": stored,
    }


def _place(suite: str) -> str:
    return f"suites/{suite}/probe.json"


def _count(table: pa.Table) -> int:
    return int((table["role"].to_numpy() == 0).sum())
