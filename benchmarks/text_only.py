"""Whether words alone answer the suites of the world: `python -m benchmarks.text_only [SCENES=120] [SUITE …]`.

The trained text-only probe of `study blind` is put to every suite that asks for answers: by folds of pictures, and
trained on the scenes of one world and judged on those of another, which share no scene with them and were never looked
at. A suite that only edits pictures or words asks what its questions ask, so that `plain` stands for all of these.
"""

import sys
from functools import cache
from time import process_time
from typing import Any

from counterpoint import catalog
from counterpoint.lab.suite_probe import BY_DESIGN
from counterpoint.store.groups import groups_table
from counterpoint.studies.blind_probe import ProbeFinding, Verdict, probe
from counterpoint.suites.suite import Suite, generate_groups
from counterpoint.world.source import VqaWorld, World

SUITES = (
    *("rephrase", "order", "ontology", "negation", "antonym", "antonym-colors", "contrast"),
    *("rad-counterfactuals", "rad-dialogues", "negated-questions", "antonym-questions", "reordered-questions"),
    *("rephrased-questions", "plain"),
)
FOILS = (*("existence", "counting", "plurality", "relations", "objects", "actions", "actions-unpaired", "coreference"),)
"""Of these a scene gives few, and five times as many scenes are taken."""
MOST = 500
"""Groups of each suite; more tell the same with narrower intervals, and take longer."""
FRESH = 1
"""The seed of the other world."""
REASONS = BY_DESIGN | {
    "rad-counterfactuals": "the form of a question tells a number or color from yes and no",
    "rad-dialogues": "the form of a question tells a number or color from yes and no",
    "actions-unpaired": "foils are of no likely order, and no caption mirrors them, as in `actions`",
}
"""Why a suite is answerable that is."""


def main(scenes: int, *names: str) -> None:
    """Print a row for each test."""
    print("| suite | n | by folds | fresh n | fresh | chance | verdicts |\n|---|---:|---:|---:|---:|---:|---|")
    start = process_time()
    for name in names or (*SUITES, *FOILS):
        table, fresh = (_table(name, scenes * (5 if name in FOILS else 1), seed) for seed in (0, FRESH))
        others = {found.test: found for found in probe(table, fresh=fresh)}
        for found in probe(table):
            print(_row(found, others.get(found.test)), flush=True)
    print(f"{process_time() - start:.0f} s of one core")


def _table(name: str, scenes: int, seed: int) -> Any:
    suite: Suite[Any, Any] = catalog.find("suites", name)
    items = list(_items(suite.prefers or suite.takes, name.startswith("rad-counter"), scenes, seed))
    return groups_table(generate_groups(suite, items, seed, MOST), name)


@cache
def _items(takes: str, crowd: bool, scenes: int, seed: int) -> tuple[Any, ...]:
    world = (VqaWorld if crowd else World)("test", scenes, seed=seed)
    return tuple(getattr(world, takes)())


def _row(found: ProbeFinding, fresh: ProbeFinding | None) -> str:
    verdicts = dict.fromkeys(_verdict(one) for one in (found, fresh) if one)
    name = found.suite if found.test == found.suite else f"{found.suite}: {found.test}"
    cells = [name, f"{found.n:,}", _score(found), *((f"{fresh.n:,}", _score(fresh)) if fresh else ("0", "–"))]
    chances = " / ".join(dict.fromkeys(f"{100 * one.chance:.1f}" for one in (found, fresh) if one))
    return f"| {' | '.join(cells)} | {chances} | {'; '.join(verdicts)} |"


def _score(found: ProbeFinding) -> str:
    return f"{100 * found.value:.1f} ({100 * found.low:.1f}–{100 * found.high:.1f})"


def _verdict(found: ProbeFinding) -> str:
    if found.verdict is not Verdict.ANSWERABLE:
        return found.verdict.value
    words = ", ".join(f"{word.word} → {word.answer}" for word in found.words[:3])
    return f"answerable: {REASONS.get(found.suite) or REASONS.get(found.test) or words}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 120, *sys.argv[2:])
