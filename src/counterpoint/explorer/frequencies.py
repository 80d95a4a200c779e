"""How often which answer came: over the stochastic passes of a query, or over the variants of a group."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from counterpoint.core.answers import State
from counterpoint.core.ports import MEAN_TRIAL
from counterpoint.explorer.group_parts import AnswerProbability
from counterpoint.lab.reader import LabReader


@dataclass(frozen=True, slots=True)
class AnswerFrequency:
    """An answer with how often it came; `shown` is what stands for an answer without a value."""

    shown: str
    count: int
    share: float


@dataclass(frozen=True, slots=True)
class StochasticPasses:
    """What one model said to one query in its stochastic passes, and the likeliest answers in their mean."""

    model: str
    asked: str
    passes: int
    answers: tuple[AnswerFrequency, ...]
    mean: tuple[AnswerProbability, ...] = ()


MOST = 8
"""Different answers that are listed; the others are counted together."""


def answer_frequencies(shown: Iterable[str], most: int = MOST) -> tuple[AnswerFrequency, ...]:
    """Each answer with its share, the most frequent first; those that come in no table are counted as others.

    >>> [(one.shown, one.count) for one in frequent(["yes", "no", "yes"])]
    [('yes', 2), ('no', 1)]
    """
    counted = Counter(shown)
    total = sum(counted.values())
    ranked = sorted(counted.items(), key=lambda one: (-one[1], one[0]))
    listed, rest = (ranked, []) if len(ranked) <= most else (ranked[: most - 1], ranked[most - 1 :])
    found = [AnswerFrequency(shown, count, count / total) for shown, count in listed]
    if rest:
        count = sum(count for _, count in rest)
        found.append(AnswerFrequency(f"{len(rest)} others", count, count / total))
    return tuple(found)


def display_value(line: Mapping[str, Any]) -> str:
    """What stands for an answer in a table of answers: its value, or why it has none."""
    if line["state"] != State.OK:
        return str(line["state"])
    return str(line["value"]) or "(empty)"


def stochastic_passes(reader: LabReader, asked: Sequence[tuple[int, str]]) -> tuple[StochasticPasses, ...]:
    """The stochastic passes over some queries, each with the name it has on the page, by model and query."""
    found = reader.stochastic_answers(np.array([query for query, _ in asked], np.uint64)).to_pylist()
    of = {key: list(own) for key, own in groupby(found, key=lambda line: (line["model"], line["query"]))}
    return tuple(
        _passes(model.name, name, of[model.slug, query])
        for model in reader.models()
        for query, name in asked
        if (model.slug, query) in of
    )


def _passes(model: str, name: str, lines: Sequence[Mapping[str, Any]]) -> StochasticPasses:
    drawn = [line for line in lines if line["trial"] < MEAN_TRIAL]
    means = [line for line in lines if line["trial"] >= MEAN_TRIAL]
    top = means[-1]["top"][:3] if means else []
    return StochasticPasses(
        model,
        name,
        len(drawn),
        answer_frequencies(map(display_value, drawn)),
        tuple(
            AnswerProbability(one["value"], round(one["probability"], 4)) for one in top if one["probability"] >= 0.01
        ),
    )
