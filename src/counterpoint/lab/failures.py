"""The groups that a model fails, with pictures, texts, gold and answers, for a notebook or a terminal."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import CounterpointError, shorten
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Query, State
from counterpoint.core.ids import hex_id
from counterpoint.core.ports import Pictures
from counterpoint.core.quantities import check_least, counted
from counterpoint.lab.picture_locations import find_worlds
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_answers, load_groups, select_models, version_notes
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.verdicts import FAILING, VERDICTS, Verdicts, group_verdicts
from counterpoint.reports.tables import ResultTable
from counterpoint.store.groups import read_queries
from counterpoint.store.lab import LabStore

_WIDTH = 160  # pixels of a picture in a notebook
_LONGEST = 80  # characters of a text in a table
_MARKS = {True: "✓", False: "✗", None: ""}


@dataclass(frozen=True, slots=True)
class FailedQuery:
    """One member of a failed group: what was asked, what is right, and what the model answered."""

    query: Query
    gold: tuple[str, ...]
    answer: str | None  # None where there is none
    correct: bool | None  # None without gold or answer


@dataclass(frozen=True, slots=True)
class FailedGroup:
    """A group with a wrong answer, or whose answers do not satisfy its relation; the base comes first."""

    group_id: str
    suite: str
    test: str
    kind: str
    relation: str
    verdict: str
    proof: str
    members: tuple[FailedQuery, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        members = [
            {
                "picture": member.query.picture.address if member.query.picture else None,
                "text": member.query.text,
                "gold": list(member.gold),
                "answer": member.answer,
                "correct": member.correct,
            }
            for member in self.members
        ]
        about = {name: getattr(self, name) for name in ("group_id", "suite", "test", "kind", "relation", "verdict")}
        return about | {"proof": self.proof, "members": members}


@dataclass(frozen=True, slots=True, repr=False)
class Failures(LabResult[FailedGroup], rows="groups"):
    """Failed groups of one model, in the order of the suites."""

    model: str
    total: int  # failed groups in all
    groups: tuple[FailedGroup, ...]
    pictures: Pictures = field(compare=False)
    remarks: tuple[str, ...] = ()

    def __getitem__(self, place: int) -> FailedGroup:
        return self.groups[place]

    def to_dict(self) -> dict[str, Any]:
        """The model, how many groups fail, and those that are listed."""
        return {"model": self.model, "failed": self.total, "groups": [group.to_dict() for group in self.groups]}

    def records(self) -> list[dict[str, Any]]:
        """One row per member of a group."""
        return [
            {name: value for name, value in group.items() if name != "members"} | {"role": role} | member
            for group in (group.to_dict() for group in self.groups)
            for role, member in enumerate(group["members"])
        ]

    def notes(self) -> list[str]:
        """How many there are in all."""
        left = self.total - len(self)
        more = f"{counted(left, 'further group')} {'fails' if left == 1 else 'fail'}; limit=… lists more"
        return [*self.remarks, *([more] if left > 0 else [])]

    def tables(self) -> list[ResultTable]:
        """One line per member of a group."""
        lines = []
        for group in self.groups:
            for role, member in enumerate(group.members):
                said, right = shorten(member.answer or "–", _LONGEST), " / ".join(member.gold) or "–"
                text = shorten(member.query.text, _LONGEST)
                lines.append((group.test if role == 0 else "", text, right, said, _MARKS[member.correct]))
        heads = ("test", "text", "gold", self.model, "")
        return [ResultTable(f"{counted(self.total, 'group')} that {self.model} fails", heads, lines, names=5)]

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes())
        title = f"<p>{counted(self.total, 'group')} that {escape(self.model)} fails</p>"
        return title + "".join(map(self.card, self.groups)) + notes

    def card(self, group: FailedGroup) -> str:
        """One group in HTML: its pictures, texts, gold and answers."""
        members = "".join(
            f'<figure style="margin:0;max-width:{_WIDTH}px">{self._picture(member.query)}<figcaption>'
            f"{escape(member.query.text)}<br>gold: {escape(' / '.join(member.gold) or '–')}<br>"
            f"{_MARKS[member.correct]} {escape(shorten(member.answer or '–', _LONGEST))}</figcaption></figure>"
            for member in group.members
        )
        about = f"{group.suite} · {group.test} · {group.kind} · {VERDICTS[group.verdict]}"
        return (
            f'<div style="margin:12px 0"><small>{escape(about)}</small>'
            f'<div style="display:flex;flex-wrap:wrap;gap:12px">{members}</div>'
            f"<small>{escape(group.proof)}</small></div>"
        )

    def _picture(self, query: Query) -> str:
        """The picture as the model was shown it, small, inside the page."""
        from counterpoint.pictures.embedding import data_address

        if query.picture is None:
            return ""
        try:
            address = data_address(self.pictures.pixels(query.picture), _WIDTH)
        except CounterpointError as problem:
            return f"<i>{escape(str(problem))}</i>"
        return f'<img alt="{escape(query.picture.address)}" src="{address}">'


def list_failures(
    store: LabStore,
    model: str,
    suites: Sequence[str],
    limit: int,
    answers: pa.Table | None = None,
    threshold: float = 0.5,
) -> Failures:
    """The first groups that a model fails, of the named suites or of all; `answers` are its own, if loaded before."""
    check_least(0, limit=limit)
    ((title, version),) = select_models(store, [model]).items()
    groups = load_groups(store, suites)
    answers = load_answers(store, version) if answers is None else answers
    outcomes = judge(groups, answers, threshold)
    verdicts = group_verdicts(outcomes)
    names = [verdicts.name(place) for place in range(len(verdicts.code))]
    failed = [place for place, name in enumerate(names) if name in FAILING]
    listed = read_failed_groups(outcomes, groups, answers, verdicts, failed[:limit])
    pictures = store.pictures(find_worlds(store, groups))
    return Failures(title, len(failed), listed, pictures, version_notes([model], [version]))


def read_failed_groups(
    outcomes: Outcomes, groups: pa.Table, answers: pa.Table, verdicts: Verdicts, places: Sequence[int]
) -> tuple[FailedGroup, ...]:
    """The groups at some places of the verdicts, with their texts, gold and answers."""
    rows = _rows_by_group(groups, {int(verdicts.group_id[place]) for place in places})
    values = _values_by_query(answers, pa.concat_tables(rows.values())["query"]) if rows else {}
    return tuple(
        _failed_group(outcomes, int(verdicts.row[place]), verdicts.name(place), rows, values) for place in places
    )


def _rows_by_group(groups: pa.Table, wanted: Collection[int]) -> dict[tuple[str, int], pa.Table]:
    """The rows of the wanted groups by suite and group id, the base first."""
    kept = groups.filter(pc.is_in(groups["group_id"], value_set=pa.array(sorted(wanted), pa.uint64())))
    keys = zip(kept["suite"].to_pylist(), kept["group_id"].to_pylist(), strict=True)
    places = group_pairs((key, place) for place, key in enumerate(keys))
    return {key: kept.take(pa.array(own)).sort_by("role") for key, own in places.items()}


def _values_by_query(answers: pa.Table, queries: pa.ChunkedArray) -> dict[int, str]:
    """What the model answered, by query: the value, the raw text where no value was read, or the score."""
    wanted = pc.is_in(answers["query"], value_set=queries.combine_chunks())
    plain = answers.filter(pc.and_(pc.equal(answers["trial"], 0), wanted))
    columns = (plain[name].to_pylist() for name in ("query", "value", "raw", "score", "state"))
    return {
        query: f"{score:.3f}" if score is not None else value or raw
        for query, value, raw, score, state in zip(*columns, strict=True)
        if state != State.FAILED
    }


def _failed_group(
    outcomes: Outcomes, base: int, verdict: str, rows: Mapping[tuple[str, int], pa.Table], values: Mapping[int, str]
) -> FailedGroup:
    about = outcomes.table.slice(base, 1).to_pylist()[0]
    own = rows[about["suite"], about["group_id"]]
    correct = outcomes.correct[base : base + own.num_rows]
    members = []
    columns = own["gold"].to_pylist(), own["query"].to_pylist(), correct
    for query, golds, query_id, credit in zip(read_queries(own), *columns, strict=True):
        is_correct = None if np.isnan(credit) or query_id not in values else bool(credit >= outcomes.threshold)
        right = tuple(gold["answer"] for gold in golds or ())
        members.append(FailedQuery(query, right, values.get(query_id), is_correct))
    suite, test, kind, relation = (about[name] for name in ("suite", "test", "kind", "relation"))
    proof = own["proof"][0].as_py() or ""
    return FailedGroup(hex_id(about["group_id"]), suite, test, kind, relation, verdict, proof, tuple(members))
