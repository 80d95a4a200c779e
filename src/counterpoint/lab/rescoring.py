"""Values taken from the answers of a lab by another extraction rule, without asking a model again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Mode, State
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_groups, select_models
from counterpoint.language.answers.extraction import EXTRACTION_RULES, extract_value, seen_choices
from counterpoint.reports.tables import ResultTable
from counterpoint.store.groups import unique_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.values import put_values, values_table

GIVEN = "given"
"""The rule that restores the values which the run stored."""

_STATES = (State.OK, State.UNPARSED, State.REFUSED, State.HEDGED)
_COLUMNS = ("query", "model", "trial", "raw", "value", "rule", "state", "offered")


@dataclass(frozen=True, slots=True)
class RescoredModel:
    """How the answers of one model changed: how many values differ, and the states before and after."""

    model: str
    fingerprint: str
    rule: str
    answers: int
    changed: int
    before: Mapping[str, int]
    after: Mapping[str, int]


@dataclass(frozen=True, slots=True, repr=False)
class Rescoring(LabResult[RescoredModel], rows="models"):
    """The models whose values were taken again."""

    rule: str
    models: tuple[RescoredModel, ...]

    def tables(self) -> list[ResultTable]:
        """One line per model."""
        lines = []
        for own in self.models:
            states = (f"{own.before[state]:,} → {own.after[state]:,}" for state in _STATES)
            lines.append((own.model, f"{own.answers:,}", f"{own.changed:,}", *states))
        title = f"Values by the rule {self.rule}; states before → after"
        return [ResultTable(title, ("model", "answers", "changed", *_STATES), lines)]


def rescore_models(store: LabStore, rule: str, models: Sequence[str], suites: Sequence[str]) -> Rescoring:
    """Take values by a rule from all answers of models to suites; scores use them from then on."""
    if rule not in (*EXTRACTION_RULES, GIVEN):
        raise UnknownName("extraction rule", rule, (*EXTRACTION_RULES, GIVEN))
    queries = unique_queries(load_groups(store, suites))
    chosen = select_models(store, models).items()
    return Rescoring(rule, tuple(_rescore(store, title, model.fingerprint, queries, rule) for title, model in chosen))


def _rescore(store: LabStore, title: str, fingerprint: str, queries: pa.Table, rule: str) -> RescoredModel:
    before = _text_answers(store, fingerprint, queries)
    values = _extract(before, queries, rule) if rule != GIVEN else before.slice(0, 0)
    taken = values_table(values, *(values[name].combine_chunks() for name in ("value", "rule", "state")))
    put_values(store.storage, fingerprint, taken, queries["query"].combine_chunks())
    after = _text_answers(store, fingerprint, queries)
    same = pc.and_(pc.equal(before["value"], after["value"]), pc.equal(before["state"], after["state"]))
    counts = before.num_rows, before.num_rows - (pc.sum(same).as_py() or 0)
    return RescoredModel(title, fingerprint, rule, *counts, _count_states(before), _count_states(after))


def _text_answers(store: LabStore, fingerprint: str, queries: pa.Table) -> pa.Table:
    """The answers in words to these queries, without failed ones; `row` is the place of the query among them."""
    answers = store.read_answers(fingerprint, _COLUMNS)
    in_words = pc.equal(queries["mode"], Mode.ANSWER.value)
    rows = pa.array(range(queries.num_rows), pa.int64())
    wanted = queries.select(["query"]).append_column("row", rows).filter(in_words)
    places = pc.index_in(answers["query"], value_set=wanted["query"].combine_chunks())
    answers = answers.append_column("row", wanted["row"].take(places))
    return answers.filter(pc.and_(pc.is_valid(places), pc.not_equal(answers["state"], State.FAILED.value)))


def _extract(answers: pa.Table, queries: pa.Table, rule: str) -> pa.Table:
    """The answers with the values that a rule takes from them."""
    texts, choices = queries["text"].to_pylist(), [tuple(offered) for offered in queries["choices"].to_pylist()]
    values = [
        extract_value(raw, texts[row], seen_choices(offered, choices[row]), Mode.ANSWER, rule)
        for raw, row, offered in zip(*(answers[name].to_pylist() for name in ("raw", "row", "offered")), strict=True)
    ]
    columns = dict(zip(("value", "rule", "state"), zip(*values, strict=True), strict=True)) if values else {}
    for name, column in columns.items():
        answers = answers.set_column(answers.column_names.index(name), name, pa.array(column, pa.string()))
    return answers


def _count_states(answers: pa.Table) -> dict[str, int]:
    counts = dict.fromkeys(map(str, _STATES), 0)
    return counts | {pair["values"]: pair["counts"] for pair in pc.value_counts(answers["state"]).to_pylist()}
