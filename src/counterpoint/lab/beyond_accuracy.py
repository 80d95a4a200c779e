"""The suites of Beyond Accuracy from one source, all of the same questions."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from counterpoint import catalog
from counterpoint.lab.batteries import Part, attempted
from counterpoint.lab.generation import Recipe, made, opened
from counterpoint.store.lab import LabStore
from counterpoint.suites.families import beyond_accuracy as family
from counterpoint.suites.suite import Tally

BEYOND = "beyond-accuracy"
"""The name for all of them at once."""
PLAIN = family.questions_from
"""The suite that says which questions are asked."""
SUITES = family.suites
"""The suites, in the order of the leaderboard."""


def made_beyond(
    lab: LabStore,
    recipe: Recipe,
    seed: int = 0,
    *,
    anew: bool = False,
    data: Path | None = None,
    watch: Callable[[Iterable[Any]], Iterable[Any]] = iter,
    tell: Callable[[str], object] = lambda line: None,
) -> list[Part]:
    """Make every suite of the questions that the plain one keeps; one that comes to nothing says why."""
    opened(recipe, data, seed)  # what is wrong with the source itself is said once
    how: dict[str, Any] = {"anew": anew, "data": data, "watch": watch}
    tally = Tally()
    plain = made(lab, _own(recipe, PLAIN), seed, tally=tally, tell=tell, **how)
    kept = questions(lab, plain.suite) if recipe.groups is not None else None
    others = (attempted(lab, _own(recipe, name), seed, kept=kept, **how) for name in SUITES if name != PLAIN)
    return [Part(PLAIN, plain, tally), *others]


def _own(recipe: Recipe, name: str) -> Recipe:
    return replace(
        recipe,
        suite=name,
        variants=recipe.variants if "variants" in catalog.find("suites", name).options else None,
        kept_as=f"{recipe.kept_as}-{name}" if recipe.kept_as else "",
    )


def questions(lab: LabStore, suite: str) -> frozenset[str]:
    """The ids of the questions that a suite asks."""
    table = lab.suite(suite).table
    tags = table.filter(pc.equal(table["role"], 0))["tags"].to_pylist()
    return frozenset(str(dict(own)["question"]) for own in tags)


def sheet(found: Sequence[Part]) -> Iterator[str]:
    """What was made, suite by suite; below it, why others are not there and what could not be made in full."""
    for one in found:
        if one.manifest:
            yield f"{one.manifest.suite:<30}{one.manifest.groups:>8} groups {one.manifest.rows:>9} queries"
    yield from (f"nothing for {one.name}: {one.obstacle}" for one in found if one.obstacle)
