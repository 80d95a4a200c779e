"""Answers on their way to disk: gathered as plain lists, one per column, and turned into a table at once."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from counterpoint.core.answers import Answer
from counterpoint.store.tables import ANSWERS

StoredAnswer: TypeAlias = tuple[int, int, Answer, str, float]
"""A query's id, the trial, the answer, the digest of the picture file, and how many seconds it took."""


class AnswerRows:
    """The answers of one part, as they come."""

    def __init__(self, fingerprint: str) -> None:
        self._fingerprint = fingerprint
        self._given: list[list[Any]] = [[], [], [], [], []]

    def __len__(self) -> int:
        return len(self._given[0])

    def extend(self, rows: Iterable[StoredAnswer]) -> None:
        """Gather more."""
        for column, values in zip(self._given, zip(*rows, strict=True), strict=False):
            column.extend(values)

    def drain(self) -> pa.Table:
        """All that was gathered as one table; nothing is left behind."""
        (query, trial, answers, digest, seconds), self._given = self._given, [[], [], [], [], []]
        columns = {
            "query": pa.array(query, pa.uint64()),
            "model": pa.repeat(pa.scalar(self._fingerprint, pa.string()), len(query)),
            "trial": pa.array(trial, pa.uint16()),
            "raw": _texts([one.raw for one in answers]),
            "value": _texts([one.value for one in answers]),
            "rule": _texts([one.rule for one in answers]),
            "state": _texts([one.state.value for one in answers]),
            "score": pa.array([one.score for one in answers], pa.float64()),
            "top": _top([one.top for one in answers]),
            "reason": _texts([one.reason for one in answers]),
            "digest": _texts(digest),
            "seconds": pa.array(seconds, pa.float32()),
        }
        return pa.table([columns[field.name] for field in ANSWERS], schema=ANSWERS)


def _top(tops: Sequence[tuple[tuple[str, float], ...]]) -> pa.Array:
    kind = ANSWERS.field("top").type
    sizes = np.fromiter(map(len, tops), np.int64, len(tops))
    pairs = list(chain.from_iterable(tops))
    likely = [_texts([value for value, _ in pairs]), pa.array([share for _, share in pairs], pa.float32())]
    flat = pa.StructArray.from_arrays(likely, fields=[kind.value_type.field(place) for place in (0, 1)])
    return pa.ListArray.from_arrays(pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int32()), flat)


def _texts(values: Sequence[str]) -> pa.Array:
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError:  # half a character in a reply costs that character, not the reply
        whole = (value.encode("utf-8", "surrogatepass").decode("utf-8", "replace") for value in values)
        return pa.array(list(whole), pa.string())
