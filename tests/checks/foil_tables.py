"""Captions with foils as tables of groups, for tests of checks."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from counterpoint.checks.check import Action, Check, CheckContext, ModelFunction, Rejections
from counterpoint.checks.pipeline import CheckResult, CheckStep, apply_checks
from counterpoint.checks.text_pairs import TextPairs, group_numbers
from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.store.groups import groups_table

Row = tuple[str, ...]
"""A caption and its foils."""


def group(texts: Row, picture: str = "", words: tuple[str, str] | None = None, test: str = "relations") -> Group:
    """One caption with its foils; without a picture of their own, all texts are about one."""
    shown = Picture(f"toy:{picture or 'one'}.png")
    tags = tuple((("word", word),) for word in words) if words else ()
    return Group(
        Relation.RANKS,
        tuple(Query(shown, text, Mode.SCORE) for text in texts),
        (None,) * len(texts),
        kind=test,
        tags=tags,
        test=test,
    )


def table_of(groups: Iterable[Group], suite: str = "foils") -> pa.Table:
    """The table of some groups."""
    return groups_table(((one.test, one) for one in groups), suite)


def pictured(rows: Iterable[Row], test: str = "relations") -> pa.Table:
    """Captions with foils, each on a picture of its own."""
    return table_of(group(texts, str(number), test=test) for number, texts in enumerate(rows))


def replacing(edges: Iterable[tuple[str, str]], test: str = "relations") -> pa.Table:
    """A pair for each replacement of one word by another."""
    return table_of(
        group((f"a cat {was} a box", f"a cat {now} a box"), str(number), (was, now), test)
        for number, (was, now) in enumerate(edges)
    )


def judged(
    check: Check, table: pa.Table, ask: ModelFunction | None = None, seed: int = 0, **settings: Any
) -> Rejections:
    """What a check says of the pairs of a table."""
    pairs = TextPairs.of(table, group_numbers(table))
    return check.judge(pairs, CheckContext({**check.settings, **settings}, seed, ask))


def said(check: Check, table: pa.Table, ask: ModelFunction | None = None, **settings: Any) -> list[str]:
    """The reason against each pair, nothing where there is none."""
    found = judged(check, table, ask, **settings)
    return ["" if code < 0 else found.reasons[code] for code in found.codes.tolist()]


def applied(table: pa.Table, *checks: Check, action: Action = Action.DROP) -> CheckResult:
    """Checks with their defaults, one after the other, in every test."""
    return apply_checks(
        table, [CheckStep(check, CheckContext(check.settings), lambda test: action) for check in checks]
    )


def bases(table: pa.Table) -> list[str]:
    """The captions of a table."""
    return list(np.array(table["text"].to_pylist(), object)[table["role"].to_numpy() == 0])
