"""The pieces of VALSE from one source: each that its items allow, and for the others why there is none."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from counterpoint.cli.making import Recipe, made, opened
from counterpoint.core.errors import CounterpointError
from counterpoint.store.lab import Lab
from counterpoint.store.suites import Manifest
from counterpoint.suites.suite import Tally

VALSE = "valse"
"""The name for all pieces at once."""
PIECES = ("existence", "plurality", "counting", "relations", "actions", "coreference", "objects")
"""The suites of the pieces, in the order of the paper."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece: its manifest, if there is one, how many groups each instrument has, and why others are not there."""

    name: str
    manifest: Manifest | None
    tally: Tally
    instruments: Mapping[str, int] = field(default_factory=dict)
    obstacle: str = ""


def made_pieces(
    lab: Lab,
    recipe: Recipe,
    seed: int = 0,
    *,
    anew: bool = False,
    data: Path | None = None,
    watch: Callable[[Iterable[Any]], Iterable[Any]] = iter,
    tell: Callable[[str], object] = lambda line: None,
) -> list[Piece]:
    """Make every piece, each as if it were made alone, and keep those that came to be; there must be one at least."""
    opened(recipe, data, seed)  # what is wrong with the source itself is said once
    pieces = list[Piece]()
    for name in PIECES:
        tally, told = Tally(), list[str]()
        try:
            own = replace(recipe, suite=name)
            manifest = made(lab, own, seed, tally=tally, anew=anew, data=data, watch=watch, tell=told.append)
        except CounterpointError as problem:
            if tally.groups:
                raise  # it could be made, and not be kept
            pieces.append(Piece(name, None, tally, obstacle=str(problem)))
        else:
            pieces.append(Piece(name, manifest, tally, instruments(lab, name)))
        for line in told if not any(piece.manifest for piece in pieces[:-1]) else ():
            tell(line)
    if not any(piece.manifest for piece in pieces):
        fact = f"no piece of VALSE can be made of {recipe.source}"
        raise CounterpointError(fact, hint="; ".join(dict.fromkeys(piece.obstacle for piece in pieces)))
    return pieces


def instruments(lab: Lab, suite: str) -> dict[str, int]:
    """How many groups of a suite each of its tests has, in alphabetical order."""
    table = lab.suite(suite).table
    tests = table.filter(pc.equal(table["role"], 0))["test"].to_pylist()
    return dict(sorted(Counter(str(test) for test in tests).items()))


def sheet(pieces: Sequence[Piece]) -> Iterator[str]:
    """What was made, instrument by instrument; below it, why a piece is not there."""
    for piece in pieces:
        for test, count in piece.instruments.items():
            yield f"{piece.name:<14}{test:<24}{count:>8}"
    yield from (f"nothing for {piece.name}: {piece.obstacle}" for piece in pieces if piece.obstacle)


def about(piece: Piece) -> dict[str, object]:
    """A piece as plain data."""
    found = piece.manifest
    known = {"groups": found.groups, "queries": found.rows, "fingerprint": found.fingerprint} if found else {}
    return {**known, "instruments": dict(piece.instruments), "obstacle": piece.obstacle}
