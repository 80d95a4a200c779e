"""Whether a second opinion agrees with every contrast: `python -m benchmarks.contrast_referee [QUESTIONS=20000] [GQA]`.

It reads the words of a question and the annotation of its scene, and nothing of what the suite knew: no programs, no
margins, no lexicon of doubts. The questions are those of the world, or of a folder in GQA's layout.
"""

import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from time import perf_counter

from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.gqa import gqa
from counterpoint.suites.contrast.contrast_sets import suite
from counterpoint.suites.suite import Tally, generate_groups
from counterpoint.world.source import World

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from contrast_judge import judged

SHOWN = 20


def main(questions: str = "20000", folder: str = "") -> int:
    """Print what was matched, changed and judged by template, and the first disagreements; how many there are."""
    start = perf_counter()
    source = Source(gqa, Path(folder), "val") if folder else World("test", int(questions))
    items = list(islice(source.grounded(), int(questions)))
    scenes = {item.scene.picture.address: item.scene for item in items}
    asked, sets, tally, wrong = Counter[str](), list[tuple[str, int]](), Tally(), list[str]()
    for _, group in generate_groups(suite, items, tally=tally):
        sets.append((group.kind, len(group.variants)))
        for query, gold in zip(group.queries, group.gold, strict=True):
            assert query.picture, "every contrast is about a picture"
            assert gold, "every contrast has an answer"
            asked[group.kind] += 1
            second = judged(scenes[query.picture.address], query.text)
            if second != gold.best:
                wrong.append(f"{query.picture.address} {query.text} {gold.best}, or {second}?")
    print(f"{'template':<28}{'matched':>9}{'changed':>9}{'with 3':>9}{'with 5':>9}{'judged':>9}")
    for kind, count in sorted(asked.items()):
        sizes = [size for own, size in sets if own == kind]
        matched = len(sizes) + sum(tally.reasons.get(kind, {}).values())
        shares = [sum(size >= least for size in sizes) / matched for least in (1, 3, 5)]
        print(f"{kind:<28}{matched:>9,}" + "".join(f"{share:>9.0%}" for share in shares) + f"{count:>9,}")
    print("\n".join(wrong[:SHOWN]))
    agreed = 1 - len(wrong) / asked.total()
    told = f"{asked.total():,} answers to originals and contrasts from {len(items):,} questions"
    print(f"{told}: {agreed:.3%} agreed on, in {perf_counter() - start:.0f} s")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:]), 1))
