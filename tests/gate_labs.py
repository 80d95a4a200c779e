"""A lab with one suite and a model that says yes, for what holds rules against it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import counterpoint as cp

TEXTS = ("Is there a cat and a dog?", "Is there a dog and a cat?")


def order_lab(folder: Path, *, pictures: int = 24, wrong: int = 0) -> cp.Lab:
    """A suite `order` about pictures of the world; the answer is yes, but for the first `wrong` of them."""
    lab = cp.Lab(folder)
    groups = [
        cp.Group(
            cp.Relation.SAME,
            tuple(cp.Query(cp.Picture(f"world:test/{number:06}.png"), text) for text in TEXTS),
            (cp.Gold.of("no" if number < wrong else "yes"),) * 2,
        )
        for number in range(pictures)
    ]
    lab.add_groups(groups, "order")
    return lab


def say_yes(pictures: Sequence[Any], queries: Sequence[cp.Query]) -> list[str]:
    """A model in memory that says yes."""
    return ["yes" for _ in queries]
