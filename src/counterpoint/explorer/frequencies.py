"""Frequencies of answers: over the stochastic passes of a query, or over the variants of a group."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, product
from typing import Any

import numpy as np
from msgspec import Struct

from counterpoint.core.groups import State
from counterpoint.core.ports import MEAN_TRIAL
from counterpoint.explorer.group_parts import AnswerProbability
from counterpoint.lab.reader import LabReader


class AnswerFrequency(Struct, frozen=True):
    """An answer with its count and its share; `shown` is its value, or its state."""

    shown: str
    count: int
    share: float


class StochasticPasses(Struct, frozen=True):
    """The answers of one model to one query in its stochastic passes, and the most probable in their mean."""

    model: str
    asked: str
    passes: int
    answers: tuple[AnswerFrequency, ...]
    mean: tuple[AnswerProbability, ...] = ()


MOST = 8
"""Different answers that are listed; the others are counted together."""


def answer_frequencies(answers: Iterable[str], most: int = MOST) -> tuple[AnswerFrequency, ...]:
    """Return each answer with its share, the most frequent first, and the rest as one.

    >>> [(answer.shown, answer.count) for answer in answer_frequencies(["yes", "no", "yes"])]
    [('yes', 2), ('no', 1)]
    """
    counts = Counter(answers)
    total = sum(counts.values())
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    listed, rest = (ranked, []) if len(ranked) <= most else (ranked[: most - 1], ranked[most - 1 :])
    frequencies = [AnswerFrequency(shown, count, count / total) for shown, count in listed]
    if rest:
        count = sum(count for _, count in rest)
        frequencies.append(AnswerFrequency(f"{len(rest)} others", count, count / total))
    return tuple(frequencies)


def display_value(answer: Mapping[str, Any]) -> str:
    """Return the value of an answer, or its state if it has none."""
    if answer["state"] != State.OK:
        return str(answer["state"])
    return str(answer["value"]) or "(empty)"


def stochastic_passes(reader: LabReader, queries: Sequence[tuple[int, str]]) -> tuple[StochasticPasses, ...]:
    """Return the stochastic passes over some queries, given with their names, by model and query."""
    answers = reader.stochastic_answers(np.array([query for query, _ in queries], np.uint64)).to_pylist()
    grouped = {key: list(rows) for key, rows in groupby(answers, key=lambda row: (row["model"], row["query"]))}
    passes = []
    for model, (query, name) in product(reader.models(), queries):
        if rows := grouped.get((model.slug, query)):
            samples = [row for row in rows if row["trial"] < MEAN_TRIAL]
            means = [row["top"][:3] for row in rows if row["trial"] >= MEAN_TRIAL]
            likely = ((top["value"], round(top["probability"], 4)) for top in (means[-1] if means else ()))
            mean = (AnswerProbability(*pair) for pair in likely if pair[1] >= 0.01)
            frequencies = answer_frequencies(map(display_value, samples))
            passes.append(StochasticPasses(model.name, name, len(samples), frequencies, tuple(mean)))
    return tuple(passes)
