"""The pieces of VALSE from one source: each that its items allow, and for the others why there is none."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from counterpoint.core.errors import CounterpointError
from counterpoint.lab.batteries import Part, attempted
from counterpoint.lab.foil_proposals import Filler
from counterpoint.lab.generation import Held, Recipe, opened
from counterpoint.store.lab import LabStore
from counterpoint.suites.families import valse as family

VALSE = "valse"
"""The name for all pieces at once."""
PIECES = family.suites
"""The suites of the pieces, in the order of the paper."""


def made_pieces(
    lab: LabStore,
    recipe: Recipe,
    seed: int = 0,
    *,
    anew: bool = False,
    data: Path | None = None,
    watch: Callable[[Iterable[Any]], Iterable[Any]] = iter,
    tell: Callable[[str], object] = lambda line: None,
    asked: Filler | None = None,
) -> list[Part]:
    """Make every piece, each as if it were made alone, and keep those that came to be; there must be one at least.

    What several are made from is read once. Who is `asked` proposes foils of relations and of actions.
    """
    opened(recipe, data, seed)  # what is wrong with the source itself is said once
    held: Held = {}
    how: dict[str, Any] = {"anew": anew, "data": data, "watch": watch, "tell": tell, "asked": asked, "held": held}
    pieces = [attempted(lab, replace(recipe, suite=name), seed, **how) for name in PIECES]
    if not any(piece.manifest for piece in pieces):
        fact = f"no piece of VALSE can be made of {recipe.source}"
        raise CounterpointError(fact, hint="; ".join(dict.fromkeys(piece.obstacle for piece in pieces)))
    return pieces


def instruments(lab: LabStore, piece: Part) -> dict[str, int]:
    """How many groups each instrument of a piece has, in alphabetical order."""
    if piece.manifest is None:
        return {}
    table = lab.suite(piece.name).table
    tests = table.filter(pc.equal(table["role"], 0))["test"].to_pylist()
    return dict(sorted(Counter(str(test) for test in tests).items()))


def sheet(lab: LabStore, pieces: Sequence[Part]) -> Iterator[str]:
    """What was made, instrument by instrument; below it, why a piece is not there."""
    for piece in pieces:
        for test, count in instruments(lab, piece).items():
            yield f"{piece.name:<14}{test:<24}{count:>8}"
    yield from (f"nothing for {piece.name}: {piece.obstacle}" for piece in pieces if piece.obstacle)
