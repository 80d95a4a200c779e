"""Predictions become answers in a lab: values by rule, scores as they are; what is there already is not added again."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Any

import pyarrow as pa

from counterpoint.core.answers import Answer, State
from counterpoint.core.groups import Mode, Query
from counterpoint.lab.matching import MatchResult, QueryIndex
from counterpoint.language.answers.extraction import extract_answer
from counterpoint.sources.results.predictions import Prediction, as_number
from counterpoint.store.groups import read_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.rows import StoredAnswer

_KEPT = ("query", "trial", "raw", "value", "state", "score", "digest")


@dataclass(frozen=True, slots=True)
class Imported:
    """How many answers were added, how many of these took the place of another one, and how many were there already."""

    added: int
    replaced: int
    there: int
    unparsed: int  # of those that were found in the file, by the rule


def imported_fingerprint(name: str) -> str:
    """The model behind predictions of which nothing but its name is known."""
    return f"imported {name}"


def put(
    lab: LabStore,
    name: str,
    run: str,
    asked: QueryIndex,
    found: MatchResult,
    *,
    rule: str = "auto",
    waiting: Callable[[str], None] = lambda holder: None,
    watch: Callable[[Iterator[StoredAnswer]], Iterator[StoredAnswer]] = iter,
) -> Imported:
    """Add the answers that are new, or other than those that are there; the last answer to a query stands.

    All of them pass through `watch`, which may tell how far it is.
    """
    with lab.answers(imported_fingerprint(name), run=run, waiting=waiting) as log:
        known = _known(lab.read_answers(imported_fingerprint(name), _KEPT))
        added = replaced = there = unparsed = 0
        for given in watch(_given(lab, asked, found, rule)):
            query, trial, answer, digest, _ = given
            before = known.get((query, trial))
            unparsed += answer.state is State.UNPARSED
            if before == (answer.raw, answer.value, answer.state.value, answer.score, digest):
                there += 1
                continue
            added, replaced = added + 1, replaced + (before is not None)
            log.add([given])
    return Imported(added, replaced, there, unparsed)


def answer_from_prediction(query: Query, one: Prediction, rule: str) -> Answer:
    """The answer that a prediction gives: a score where the query asks for one, else a value by the rule.

    Where the choices were shown in another order, the letter A means the first of that order.
    """
    if query.mode is Mode.SCORE:
        score = as_number(one.raw) if one.score is None else one.score
        return Answer(raw=one.raw or repr(score), rule="score", score=score)
    if one.options and sorted(one.options) == sorted(query.choices):
        query = replace(query, choices=one.options)
    return extract_answer(one.raw, query, rule=rule, top=one.top)


def file_facts(path: Path, form: str) -> dict[str, Any]:
    """What a run keeps of a file that it was made from."""
    with path.open("rb") as file:
        digest = file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
    return {"name": path.name, "bytes": path.stat().st_size, "digest": digest, "format": form}


def _given(lab: LabStore, asked: QueryIndex, found: MatchResult, rule: str) -> Iterator[StoredAnswer]:
    keys = sorted(found.standing)
    rows = asked.table.take(pa.array([row for row, _ in keys], pa.int64()))
    digests = lab.with_digests(rows, lab.pictures())["digest"].to_pylist()
    for key, query, own, digest in zip(keys, read_queries(rows), rows["query"].to_pylist(), digests, strict=True):
        yield own, key[1], answer_from_prediction(query, found.standing[key], rule), digest, 0.0


def _known(table: pa.Table) -> Mapping[tuple[int, int], tuple[Any, ...]]:
    columns = [table[name].to_pylist() for name in _KEPT]
    return {(row[0], row[1]): row[2:] for row in zip(*columns, strict=True)}
