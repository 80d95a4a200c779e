"""The same answers written in five manners have the same scores."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest

import counterpoint as cp
from counterpoint.core.groups import State
from counterpoint.language.answers.extraction import extract_answer
from counterpoint.language.question_types import QuestionType, parse_question
from counterpoint.metrics.scoring import score_table
from counterpoint.store.answers import AnswerRows
from counterpoint.store.groups import read_queries

FEW, MANY = (
    ("plain", "negation", "rephrase"),
    ("plain", "contrast", "order", "negation", "antonym", "rephrase", "ontology"),
)
LEAST_READ = 0.99


def _sentence(value: str, kind: QuestionType) -> str:
    if kind is QuestionType.YES_NO:
        return f"{value.capitalize()}, that is what I see in the picture."
    if kind is QuestionType.NUMBER:
        return f"There are {value} of them in the picture."
    return f"I would say that it is {value}."


MANNERS: Mapping[str, Callable[[str, str, QuestionType], str]] = {
    "terse": lambda value, other, kind: f"{value.capitalize()}.",
    "sentence": lambda value, other, kind: _sentence(value, kind),
    "markdown": lambda value, other, kind: f"### Answer\n\n**{value}**",
    "reasoning": lambda value, other, kind: (
        f"<think>It could be {other}, or {value}. Is it {other}? Hm, no.</think>\n\nTherefore, the answer is {value}."
    ),
    "json": lambda value, other, kind: json.dumps({"reasoning": f"It is not {other}.", "answer": value}),
}


def _answers(groups: pa.Table) -> Iterator[tuple[cp.Query, str, str]]:
    """Each query with an answer, seven in ten times its gold, and with another answer of its type."""
    rng, golds = Random(18), groups["gold"].to_pylist()
    queries = list(read_queries(groups))
    pools: dict[tuple[object, ...], list[str]] = {}
    keys = []
    for query, gold in zip(queries, golds, strict=True):
        question = parse_question(query.text, query.choices)
        keys.append((question.type, question.options))
        pools.setdefault(keys[-1], []).append(gold[0]["answer"])
    for query, gold, (kind, options) in zip(queries, golds, keys, strict=True):
        pool = sorted({*pools[kind, options], *options})
        value = gold[0]["answer"] if rng.random() < 0.7 else rng.choice(pool)
        yield query, value, rng.choice(pool)


def _compare_manners(folder: Path, suites: tuple[str, ...], items: int) -> dict[str, float]:
    """Assert that all scores over the groups that are read agree; the share of replies that are read, by manner."""
    lab = cp.Lab(folder)
    lab.generate(*suites, items=items)
    groups = lab.groups(*suites).table
    given = {query.id: (query, value, other) for query, value, other in _answers(groups)}
    read = {
        manner: {
            own: extract_answer(write(value, other, parse_question(query.text, query.choices).type), query)
            for own, (query, value, other) in given.items()
        }
        for manner, write in MANNERS.items()
    }
    unread = {own for answers in read.values() for own, answer in answers.items() if answer.state is not State.OK}
    members = list(zip(groups["group_id"].to_pylist(), groups["query"].to_pylist(), strict=True))
    left_out = {group for group, query in members if query in unread}
    scored = groups.filter(pa.array([group not in left_out for group, _ in members]))
    tables = {}
    for manner, answers in read.items():
        rows = AnswerRows(manner)
        rows.extend([(own, 0, answer, "", 0.0) for own, answer in answers.items()])
        scores = score_table(scored, rows.drain(), by=("suite",)).to_pylist()
        tables[manner] = {(row["suite"], row["metric"]): row["value"] for row in scores if row["value"] is not None}
    assert len(tables["terse"]) > 2 * len(suites)
    for manner, scores in tables.items():
        assert scores.keys() == tables["terse"].keys()
        different = [name for name, value in scores.items() if round(value, 4) != round(tables["terse"][name], 4)]
        assert different == [], manner
    return {
        manner: float(np.mean([answer.state is State.OK for answer in own.values()])) for manner, own in read.items()
    }


def test_replies_in_five_manners_are_read_and_have_the_same_scores(tmp_path: Path) -> None:
    assert min(_compare_manners(tmp_path / "lab", FEW, 20).values()) >= LEAST_READ


@pytest.mark.prove
def test_many_replies_in_five_manners_are_read_and_have_the_same_scores(tmp_path: Path) -> None:
    shares = _compare_manners(tmp_path / "lab", MANY, 500)
    assert min(shares.values()) >= LEAST_READ
