"""Plant weaknesses in simulated labs, and count those that findings name first or second; and labs with none.

    python -m benchmarks.findings --labs 20 --null 1000

A lab has 1,800 groups of six tests on 600 pictures of different difficulty; a model fails three groups in ten. A
weakness is of one of ten kinds, of two or three of them together, or of a hidden property that no feature has exactly:
it agrees with a feature on five groups in six, and as many other groups have it too. It counts as found if the first or
second finding is significant and shares half of all groups that either has (Jaccard). Labs without a weakness have
failures from one in ten to eight in ten groups. The draws of this program have other seeds than those it was tuned on.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

import numpy as np

from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.pictures import Box, Edit, Picture, Size
from counterpoint.core.scenes import SceneObject
from counterpoint.metrics.findings.choice import find_weak_slices
from counterpoint.metrics.findings.features import SearchSpace, find_features, prepare_groups
from counterpoint.metrics.units import Flags
from counterpoint.store.groups import groups_table

GROUPS, PICTURES = 1800, 600
KINDS = ("test", "kind", "relation", "tag", "gold", "object", "size", "edit", "word", "new word")
SETTINGS = ((60, 0.45), (150, 0.30), (40, 0.45), (100, 0.30))
"""Affected groups, and by how much more of them fail."""
HIDDEN = 5 / 6
"""The part of a hidden property that a feature has."""


def listed(words: str) -> list[str]:
    """Words by spaces."""
    return words.split()


NOUNS = listed("dog cat horse bus car truck cup plate bowl chair table bed boy girl man woman tree flower ball book")
COLORS = listed("red green blue white black brown yellow gray pink purple")
TESTS = listed("negation order rephrase counting choice presence place color material state action size")
ABOUT = listed("color place kind state number part use pose age weather shape material")
EDITS = listed("blur gaussian crop mirror speckle darken")
PLACES = listed("left right middle top bottom corner back front edge")
OPENINGS = ("Is there", "Do you see", "Can one find", "Does the picture show", "Might there be", "Did somebody draw")
AMOUNTS = listed("any one single exactly some another just only")
WEATHERS = listed("rain snow fog sun wind hail dusk night dawn frost storm haze")
GOLDS, GOLD_SHARES = ("yes", "no", "one", "two", "three"), (0.5, 0.36, 0.08, 0.035, 0.025)
MANNERS, MANNER_SHARES = ("", " now", " perhaps", " clearly"), (0.8, 0.08, 0.085, 0.035)
RELATIONS, RELATION_SHARES = ("same", "differs", "gold", "ranks"), (0.5, 0.385, 0.08, 0.035)
SIDES, SIDE_SHARES = (30, 70, 100, 130, 260), (0.035, 0.3, 0.3, 0.285, 0.08)  # of 480; a feature knows small and large


@cache
def make_space(seed: int) -> SearchSpace:
    """The features of the groups of one lab."""
    rng = np.random.default_rng([seed, 1])
    return find_features(prepare_groups(groups_table([_group(rng, place) for place in range(GROUPS)], "lab")))


def _group(rng: np.random.Generator, place: int) -> tuple[str, Group]:
    noun, color = _skewed(rng, NOUNS), _skewed(rng, COLORS)
    test = _skewed(rng, TESTS)
    where, opening = _skewed(rng, PLACES), _skewed(rng, OPENINGS)
    manner = str(rng.choice(MANNERS, p=MANNER_SHARES))
    base = f"{opening}{manner} a {color} {noun} at the {where}?"
    other = {
        "negation": f"{opening} no {color} {noun} at the {where}?",
        "order": f"At the {where}, {opening.lower()} a {color} {noun}?",
        "rephrase": f"{opening} some {noun} that is {color} at the {where}?",
    }.get(test, f"{opening} {_skewed(rng, AMOUNTS)} {color} {noun} at the {where}?")
    right = str(rng.choice(GOLDS, p=GOLD_SHARES))
    picture = Picture(f"photos:{rng.integers(PICTURES)}.png")
    shown = Picture(picture.address, (Edit(_skewed(rng, EDITS), ("1",)),)) if rng.random() < 0.4 else picture
    side = int(rng.choice(SIDES, p=SIDE_SHARES))
    relation = Relation(str(rng.choice(RELATIONS, p=RELATION_SHARES)))
    queries = Query(picture, f"{base} ({place})"), Query(shown, f"{other} ({place})")
    tags = (("weather", _skewed(rng, WEATHERS)), ("source", _skewed(rng, ("a", "b", "c", "d"))))
    boxes = (SceneObject("1", noun, box=Box(0, 0, side, side)),)
    gold = (Gold.of(right), Gold.of("no" if right == "yes" and relation is Relation.DIFFERS else right))
    kind = f"about {_skewed(rng, ABOUT)}"
    return test, Group(relation, queries, gold, kind=kind, objects=boxes, size=Size(480, 480), tags=(tags, tags))


def _skewed(rng: np.random.Generator, words: tuple[str, ...] | list[str]) -> str:
    """One of the words, the first of them more often."""
    weights = 1 / np.arange(2, len(words) + 2) ** 0.8
    return str(rng.choice(words, p=weights / weights.sum()))


@dataclass(frozen=True, slots=True)
class Weakness:
    """What is planted: groups with all of some features, exactly or nearly."""

    name: str
    affected: Flags


def plant(space: SearchSpace, columns: tuple[str, ...], groups: int, rng: np.random.Generator) -> Weakness | None:
    """A weakness of about so many groups that has a feature of each of these columns; none where none is near."""
    places = [[n for n, own in enumerate(space.features) if _column(own.column) == column] for column in columns]
    found = []
    for slice_ in product(*places):
        if len(slice_) <= 2 or rng.random() < 0.2:
            size = int(space.inside(slice_).sum())
            if abs(size - groups) <= groups / 4 and len(set(slice_)) == len(slice_):
                found.append(slice_)
    if not found:
        return None
    chosen = found[rng.integers(len(found))]
    return Weakness(" and ".join(columns), space.inside(chosen))


def hide(exact: Weakness, rng: np.random.Generator) -> Weakness:
    """A property that agrees with the feature on most groups, and that as many other groups have."""
    inside, outside = np.flatnonzero(exact.affected), np.flatnonzero(~exact.affected)
    lost = rng.choice(inside, round((1 - HIDDEN) * len(inside)), replace=False)
    affected = exact.affected.copy()
    affected[lost], affected[rng.choice(outside, len(lost), replace=False)] = False, True
    return Weakness(f"{exact.name}, hidden", affected)


def _column(column: str) -> str:
    return "tag" if column.startswith("tag:") else column


def answer(space: SearchSpace, rng: np.random.Generator, fails: float = 0.3, spread: float = 1.0) -> Flags:
    """Which groups fail without a weakness: pictures differ in difficulty."""
    difficulty = rng.normal(0, spread, int(space.picture[-1]) + 1)[space.picture]
    level = np.log(fails / (1 - fails)) * np.sqrt(1 + 0.35 * spread**2)
    return np.asarray(rng.random(len(difficulty)) < 1 / (1 + np.exp(-level - difficulty)))


def is_found(space: SearchSpace, weakness: Weakness, gap: float, seed: int) -> bool:
    """Whether the first or the second finding is the weakness."""
    rng = np.random.default_rng([seed, 2])
    plain = answer(space, rng)
    failing = plain | (weakness.affected & (rng.random(len(plain)) < gap / (1 - plain.mean())))
    found = [own for own in find_weak_slices(space, failing, seed=seed)[:2] if own.is_significant]
    return any((own.inside & weakness.affected).sum() >= 0.5 * (own.inside | weakness.affected).sum() for own in found)


def weaknesses(space: SearchSpace, groups: int, rng: np.random.Generator) -> Iterator[tuple[str, Weakness]]:
    """Weaknesses of every row of the table, two exact ones to a hidden one."""
    pairs = list(combinations(("test", "kind", "relation", "tag", "gold", "object", "size", "edit", "word"), 2))
    rows: list[tuple[tuple[str, ...], str]] = [((kind,), kind) for kind in KINDS]
    rows += [(pairs[place], "two together") for place in rng.choice(len(pairs), 6, replace=False)]
    rows += [(("test", "relation", "tag"), "three together"), (("kind", "size", "gold"), "three together")]
    planted = [(row, own) for columns, row in rows if (own := plant(space, columns, groups, rng)) is not None]
    yield from planted
    yield from (("hidden", hide(own, rng)) for _, own in planted[::2])


def try_lab(seed: int) -> dict[tuple[str, int, float], list[bool]]:
    """What is found in one lab, by row and setting."""
    space, rng = make_space(seed), np.random.default_rng([seed, 3])
    found: dict[tuple[str, int, float], list[bool]] = {}
    for groups, gap in SETTINGS:
        for number, (row, weakness) in enumerate(weaknesses(space, groups, rng)):
            found.setdefault((row, groups, gap), []).append(is_found(space, weakness, gap, 1000 * seed + number))
    return found


def has_finding(seed: int) -> bool:
    """Whether a lab without a weakness has a finding."""
    rng = np.random.default_rng([seed, 4])
    space = make_space(seed % SPACES)
    failing = answer(space, rng, fails=float(rng.choice([0.1, 0.2, 0.35, 0.5, 0.65, 0.8])), spread=rng.uniform(0.5, 2))
    return any(own.is_significant for own in find_weak_slices(space, failing, seed=seed))


SPACES = 20
"""Labs whose groups are used by those without a weakness."""
FIRST = 500
"""The first seed that is reported; those before it are for tuning."""


def main() -> None:
    """Print the share of weaknesses found, and of labs without one that have a finding."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labs", type=int, default=20)
    parser.add_argument("--null", type=int, default=1000)
    parser.add_argument("--first", type=int, default=FIRST)
    given = parser.parse_args()
    with ProcessPoolExecutor(2) as pool:
        if given.labs:
            print_found(list(pool.map(try_lab, range(given.first, given.first + given.labs))))
        if given.null:
            labs = range(given.first, given.first + given.null)
            null = sum(pool.map(has_finding, labs, chunksize=10))
            print(f"labs without a weakness that have a finding: {null} of {given.null}")


def print_found(labs: list[dict[tuple[str, int, float], list[bool]]]) -> None:
    """Print the share found, by row and setting."""
    heads = [f"{groups} groups, {100 * gap:.0f} points" for groups, gap in SETTINGS]
    print("| weakness | " + " | ".join(heads) + " |\n|---|" + "---:|" * len(heads))
    for row in (*KINDS, "two together", "three together", "hidden", "all"):
        cells = []
        for setting in SETTINGS:
            own = [
                f
                for lab in labs
                for key, fs in lab.items()
                if key[1:] == setting and row in (key[0], "all")
                for f in fs
            ]
            cells.append(f"{sum(own)} of {len(own)}" if own else "–")
        print(f"| {row} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
