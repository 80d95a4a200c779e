"""How fast captions are foiled, with and without the tagger: `python -m benchmarks.foil_speed [FOLDER]`.

FOLDER has the captions of COCO val2017; without one they are those of the world. For each suite the survey over all
captions and the candidates of each are timed on one core, in seconds of the processor: first with a tagger that has
seen nothing, then again with every sentence tagged before. What is asked for is 500 captions a second after the tagger.
"""

import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any

from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import Caption
from counterpoint.language import tokens as tagging
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.coco import coco
from counterpoint.suites.suite import Rejection, Suite
from counterpoint.suites.valse import objects, plurality, relations
from counterpoint.world.source import World

CAPTIONS, LEAST = 5000, 500
"""So many captions are foiled, at least so many of them a second; the tagger remembers up to 32,768."""


def seconds(suite: Suite[Any, Any], captions: Sequence[Caption]) -> tuple[float, int]:
    """What the survey and the proposals of a suite take, and how many candidates there are."""
    start = process_time()
    assert suite.survey is not None, "these suites look at all captions first"
    survey = suite.survey(captions)
    made = (group for caption in captions for group in suite.propose(caption, survey, seeded_rng(0, caption.id)))
    found = sum(not isinstance(group, Rejection) for group in made)
    return process_time() - start, found


def main(captions: Sequence[Caption]) -> bool:
    """Print a row for each suite; whether those that have to be are fast enough."""
    seconds(plurality.suite, captions[:20])  # what is loaded on first use
    fast = True
    print(f"{len(captions):,} captions      with the tagger    without it, a second on one core")
    for suite in (plurality.suite, relations.suite, objects.suite):
        tagging.tag_words.cache_clear()
        first, found = seconds(suite, captions)
        again, _ = seconds(suite, captions)
        print(f"{suite.name:<20}{len(captions) / first:>15,.0f}{len(captions) / again:>15,.0f}   {found:,} candidates")
        fast &= suite is objects.suite or len(captions) / again >= LEAST
    return fast


if __name__ == "__main__":
    if sys.argv[1:]:
        read = Source(coco, Path(sys.argv[1]), "val2017", limit=CAPTIONS).captions()
    else:
        read = islice(World("test", CAPTIONS).captions(), CAPTIONS)
    sys.exit(0 if main(list(read)) else 1)
