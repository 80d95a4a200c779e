"""Corrected suites: what people refused or corrected, as a new version of a suite beside the old one."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import CounterpointError, StoreError, UnknownName
from counterpoint.core.grouping import group_pairs
from counterpoint.core.ids import hex_id
from counterpoint.core.quantities import counted
from counterpoint.core.votes import VoteTask
from counterpoint.lab.results import LabResult
from counterpoint.lab.scores import AnswersMissing, score_models
from counterpoint.lab.voting import load_votes
from counterpoint.metrics.credit import best_answers
from counterpoint.metrics.scoring import ScoreRequest
from counterpoint.reports.tables import ResultTable, percent
from counterpoint.review.errata import CHANGE, REMOVE, Errata, GoldGroup, correct_golds, refuse_invalid
from counterpoint.store.fingerprints import fingerprint as table_fingerprint
from counterpoint.store.lab import LabStore
from counterpoint.store.outputs import write_whole
from counterpoint.store.suites import Manifest, StoredSuite

VALID, CORRECT = "valid", "correct"
_TASKS = {VALID: VoteTask.JUDGE, CORRECT: VoteTask.AUDIT}
_SHOWN = 12  # errata that the terminal lists


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """A score of a model on a suite and on its corrected version."""

    model: str
    metric: str
    before: float
    after: float


@dataclass(frozen=True, slots=True, repr=False)
class CorrectedSuite(LabResult[ScoreChange], rows="scores"):
    """A suite, its corrected version, what was corrected, and the scores of both."""

    suite: str
    stored_as: str
    groups: int  # that are left
    fingerprint: str
    errata: Errata
    scores: tuple[ScoreChange, ...]

    def tables(self) -> list[ResultTable]:
        """The corrections by reason, the first of them, and the scores of both versions."""
        counts = Counter((own.action, own.reason) for own in self.errata.errata)
        rows = [(action, reason, f"{number:,}") for (action, reason), number in counts.most_common()]
        tables = [ResultTable(f"Corrections of {self.suite}", ("action", "reason", "number"), rows, names=2)]
        changes = [own for own in self.errata.errata if own.action == CHANGE][:_SHOWN]
        if changes:
            lines = [(own.group, own.query, own.before, own.after, own.reason) for own in changes]
            tables.append(ResultTable("Changed golds", ("group", "query", "before", "after", "reason"), lines, names=5))
        if self.scores:
            scores = [(own.model, own.metric, percent(own.before), percent(own.after)) for own in self.scores]
            heads = ("model", "metric", self.suite, self.stored_as)
            tables.append(ResultTable("Scores of both versions, in %", heads, scores, names=2))
        return tables if rows else tables[1:]

    def write_errata(self, path: Path | str) -> None:
        """Write the corrections as JSON, for `Lab.correct` of another copy of the suite."""
        write_whole(Path(path), self.errata.to_json())

    def notes(self) -> list[str]:
        """What was stored; answers are shared by both versions."""
        made = f"made from {counted(self.errata.votes, 'vote')} of {counted(self.errata.voters, 'voter')}"
        return [
            f"{counted(self.groups, 'group', 'are')} stored as {self.stored_as}, {made}",
            f"the fingerprint of this version is {self.fingerprint}",
            "both versions share their queries, so no model is asked again",
        ]


def correct_suite(
    store: LabStore,
    suite: str,
    how: str,
    *,
    errata: Path | None = None,
    name: str = "",
    replace_stored: bool = False,
) -> CorrectedSuite:
    """Store a new version of a suite: its valid groups by votes, its corrected golds by audits, or by errata of a file.

    `how` is "valid" or "correct"; with errata of a file it only names the version.
    """
    if how not in _TASKS:
        raise UnknownName("kind of correction", how, _TASKS)
    stored = store.suite(suite)
    found = Errata.read(errata) if errata else _from_votes(store, stored, how)
    table = _apply(stored, found, errata)
    new_name = name or f"{suite}-{'corrected' if how == CORRECT else VALID}"
    manifest = _manifest(stored.manifest, table, found, new_name)
    table = table.set_column(0, table.schema.field(0), pa.array([new_name] * table.num_rows, pa.string()))
    manifest = replace(manifest, fingerprint=table_fingerprint(table, "groups"))
    store.put_suite(manifest, table, replace=replace_stored)
    scores = _scores(store, suite, new_name)
    return CorrectedSuite(suite, new_name, manifest.groups, manifest.fingerprint, found, scores)


def _from_votes(store: LabStore, stored: StoredSuite, how: str) -> Errata:
    """The errata that follow from the votes of a lab."""
    suite, task = stored.manifest.suite, _TASKS[how]
    votes = load_votes(store, [suite], task).votes
    if how == VALID:
        bases = stored.table.filter(pc.equal(stored.table["role"], 0))
        groups = dict.fromkeys(map(hex_id, bases["group_id"].to_pylist()))
        errata = refuse_invalid(groups, votes)
    else:
        errata = correct_golds(_gold_groups(stored.table), votes)
    voters = {vote.voter for vote in votes}
    return Errata(suite, stored.manifest.fingerprint, len(votes), len(voters), tuple(errata))


def _gold_groups(table: pa.Table) -> dict[str, GoldGroup]:
    """The golds of each group, the base's first."""
    table = table.sort_by([("group_id", "ascending"), ("role", "ascending")])
    columns = (table[name].to_pylist() for name in ("group_id", "relation", "query"))
    rows = zip(*columns, best_answers(table["gold"]).to_pylist(), strict=True)
    groups = group_pairs(((group, relation), (hex_id(query), gold or "")) for group, relation, query, gold in rows)
    return {hex_id(group): GoldGroup(relation, dict(golds)) for (group, relation), golds in groups.items()}


def _apply(stored: StoredSuite, errata: Errata, file: Path | None) -> pa.Table:
    """The table of a suite after corrections; raises where they are of another suite."""
    table, known = stored.table, set(map(hex_id, stored.table["group_id"].to_pylist()))
    foreign = sum(own.group not in known for own in errata.errata)
    if foreign:
        fact = f"{stored.manifest.suite} has not the groups of {foreign:,} of {len(errata.errata):,} corrections"
        raise CounterpointError(fact, hint=f"{file} is of {errata.suite}, with the fingerprint {errata.fingerprint}")
    _check_golds(stored, errata, file)
    removed = {int(own.group, 16) for own in errata.errata if own.action == REMOVE}
    changed = {(int(own.group, 16), int(own.query, 16)): own.after for own in errata.errata if own.action == CHANGE}
    kept = table.filter(pc.invert(pc.is_in(table["group_id"], pa.array(sorted(removed), pa.uint64()))))
    if not kept.num_rows:
        raise StoreError(f"no group of {stored.manifest.suite} would be left", hint="ask for more votes")
    golds = kept["gold"].to_pylist()
    for place, member in enumerate(zip(kept["group_id"].to_pylist(), kept["query"].to_pylist(), strict=True)):
        if member in changed:
            golds[place] = [{"answer": changed[member], "credit": 1.0}]
    column = kept.schema.get_field_index("gold")
    return kept.set_column(column, kept.schema.field(column), pa.array(golds, kept.schema.field(column).type))


def _check_golds(stored: StoredSuite, errata: Errata, file: Path | None) -> None:
    """Raise where a query to correct is not there, or has another gold than the one that was corrected."""
    golds = {
        (group, query): gold for group, own in _gold_groups(stored.table).items() for query, gold in own.golds.items()
    }
    changes = [own for own in errata.errata if own.action == CHANGE]
    unfit = [own for own in changes if golds.get((own.group, own.query)) != own.before]
    if unfit:
        found = golds.get((unfit[0].group, unfit[0].query), "no such query")
        fact = f"{stored.manifest.suite} has other golds than {len(unfit):,} of {len(changes):,} corrections expect"
        hint = f"in group {unfit[0].group} of {file}, {unfit[0].before} is corrected, and here it is {found}"
        raise CounterpointError(fact, hint=hint)


def _manifest(before: Manifest, table: pa.Table, errata: Errata, name: str) -> Manifest:
    """The manifest of a corrected version, which names the suite, the votes and every correction."""
    about: Mapping[str, Any] = {
        "suite": before.suite,
        "fingerprint": before.fingerprint,
        "votes": errata.votes,
        "voters": errata.voters,
        "errata": [asdict(own) for own in errata.errata],
    }
    groups = int(pc.sum(pc.equal(table["role"], 0)).as_py())
    parameters = {**before.parameters, "corrected": about}
    size = {"rows": table.num_rows, "groups": groups}
    return replace(before, suite=name, version=before.next_version, parameters=parameters, **size)


def _scores(store: LabStore, suite: str, corrected: str) -> tuple[ScoreChange, ...]:
    """What each model has on both versions, by the metrics that apply; nothing where no model was asked."""
    if not store.versions():
        return ()
    try:
        both = score_models(store, ScoreRequest(()), (), [suite, corrected])
    except AnswersMissing:
        return ()
    shown = {metric.name for metric in both.displayed.get(suite, ())}
    values = {
        (row["model"], row["metric"], row["suite"]): row["value"]
        for row in both.rows
        if row["metric"] in shown and row["value"] is not None  # a model may lack what a metric needs
    }
    return tuple(
        ScoreChange(model, metric, value, values[model, metric, corrected])
        for (model, metric, own), value in values.items()
        if own == suite and (model, metric, corrected) in values
    )
