"""How long the checks that need no model take: `python -m benchmarks.check_speed [PAIRS]`."""

import sys
from time import perf_counter

from counterpoint.checks import distribution
from counterpoint.checks.check import Action, CheckContext
from counterpoint.checks.model_checks import entailment
from counterpoint.checks.pipeline import CheckStep, apply_checks
from counterpoint.checks.text_checks import duplicates, length, minimality
from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Picture
from counterpoint.language.lexicon.word_lists import split_list
from counterpoint.store.groups import groups_table

PLACES = split_list("on, in, under, next to, near, behind, in front of, above, on top of, beside, inside, over, by, at")
THINGS = split_list("cat, dog, box, table, chair, bus, horse, cup, tree, boat, bed, bench, car, bowl, kite, sheep")
LOOKS = split_list("red, small, large, white, old, wooden, wet, young, brown, tall")


def pairs(count: int) -> list[tuple[str, Group]]:
    """Captions of about twelve words, of which a preposition was replaced, each on a picture of its own."""
    luck = seeded_rng("check_speed")
    made = []
    for number in range(count):
        was, now = luck.sample(PLACES, 2)
        looks, things = luck.choices(LOOKS, k=3), luck.choices(THINGS, k=3)
        end = f"the {looks[1]} {things[1]} near {number % 97} {looks[2]} {things[2]}s."
        texts = (f"A {looks[0]} {things[0]} is standing {place} {end}" for place in (was, now))
        asked = tuple(Query(Picture(f"toy:{number}.png"), text, Mode.SCORE) for text in texts)
        tags = ((("word", was),), (("word", now),))
        made.append(("relations", Group(Relation.RANKS, asked, (None, None), kind="relations", tags=tags)))
    return made


def main() -> None:
    """Print the seconds of each check, and of all with what is done around them."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    table = groups_table(pairs(count), "speed")
    chosen = (duplicates, length, minimality, entailment, distribution.check)
    start = perf_counter()
    found = apply_checks(
        table, [CheckStep(one, CheckContext(one.settings), lambda test: Action.DROP) for one in chosen]
    )
    whole = perf_counter() - start
    for effect in found.summaries:
        print(f"{effect.check:<14}{effect.seen:>9,} groups{effect.kept:>9,} kept{effect.seconds:>8.2f} s")
    print(f"{'all':<14}{count:>9,} groups{found.table.num_rows // 2:>9,} kept{whole:>8.2f} s")


if __name__ == "__main__":
    main()
