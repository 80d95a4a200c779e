"""Our language model beside the same one by dictionaries and loops: `python -m benchmarks.ngram_speed [CAPTIONS]`.

Both learn the captions of the built-in world, or those of a file (a caption a line, or COCO's layout), count and
discount alike, and score every caption; scores are compared. Seconds are those of the process, and the best of some
rounds. Both split texts into words by the same function, which is in the seconds of both.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path
from time import process_time
from typing import TypeVar

import numpy as np

from counterpoint.language.kneser_ney import ORDER, KneserNeyModel, tokenize, train_model
from counterpoint.models.text.ngram import read_captions
from counterpoint.world.source import World

T = TypeVar("T")
ROUNDS, SCENES = 3, 2000
BEGIN, END = "<s>", "</s>"
Run = tuple[str, ...]


class Plain:
    """A dictionary of counts for each length of run, and a loop over the runs of each sentence."""

    def __init__(self, texts: Sequence[str], order: int = ORDER) -> None:
        self.order = order
        raw: list[Counter[Run]] = [Counter() for _ in range(order + 1)]
        before: list[dict[Run, set[str]]] = [defaultdict(set) for _ in range(order + 1)]
        for text in texts:
            said = (BEGIN, *tokenize(text), END)
            for place in range(1, len(said)):
                for length in range(1, min(order, place + 1) + 1):
                    run = said[place - length + 1 : place + 1]
                    raw[length][run] += 1
                    if place >= length:
                        before[length][run].add(said[place - length])
        self.counts: list[dict[Run, int]] = [
            {run: n if length == order or run[0] == BEGIN else len(before[length][run]) for run, n in own.items()}
            for length, own in enumerate(raw)
        ]
        self.taken = [_discounts(Counter(own.values())) for own in self.counts]
        self.totals: Counter[Run] = Counter()
        self.left: dict[Run, float] = defaultdict(float)
        for own, taken in zip(self.counts, self.taken, strict=True):
            for run, n in own.items():
                self.totals[run[:-1]] += n
                self.left[run[:-1]] += taken[min(n, 3)]

    def score(self, text: str) -> float:
        """The mean logarithm of the probability of each word and of the end."""
        said = (BEGIN, *tokenize(text), END)
        chances = [self._chance(said, place) for place in range(1, len(said))]
        return sum(map(log, chances)) / len(chances)

    def _chance(self, said: Run, place: int) -> float:
        chance = 1 / (len(self.counts[1]) + 1)
        for length in range(1, min(self.order, place + 1) + 1):
            run = said[place - length + 1 : place + 1]
            if total := self.totals.get(run[:-1]):
                n = self.counts[length].get(run, 0)
                chance = (n - self.taken[length][min(n, 3)] + self.left[run[:-1]] * chance) / total
        return chance


def _discounts(many: Counter[int]) -> tuple[float, ...]:
    n1, n2, n3, n4 = (many[k] for k in (1, 2, 3, 4))
    if not (n1 and n2 and n3 and n4):
        return 0, 0.5, 1, 1.5
    y = n1 / (n1 + 2 * n2)
    found = (0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
    return found if all(0 < found[k] < k for k in (1, 2, 3)) else (0, 0.5, 1, 1.5)


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """What the work gives, and the seconds of its best round."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = process_time()
        made = work()
        best = min(best, process_time() - start)
    return made, best


def main(file: str = "") -> None:
    """Print seconds, captions a second, and how many times faster ours is."""
    if file:
        texts = [one.text for one in read_captions(Path(file))]
    else:
        texts = [caption.text for caption in World("train", SCENES).captions()]
    print(f"{len(texts):,} captions, {sum(len(tokenize(text)) for text in texts):,} words, runs of up to {ORDER}")
    ours, ours_training = timed(lambda: train_model(texts))
    plain, plain_training = timed(lambda: Plain(texts))
    _show("training", len(texts), ours_training, plain_training)
    asked: KneserNeyModel = ours
    scores, ours_scoring = timed(lambda: asked.scores(texts))
    others, plain_scoring = timed(lambda: [plain.score(text) for text in texts])
    _show("scoring", len(texts), ours_scoring, plain_scoring)
    print(f"scores differ by {np.abs(scores - others).max():.1e} at most")


def _show(what: str, many: int, ours: float, plain: float) -> None:
    rates = f"{many / ours:10,.0f} captions a second, by loops {many / plain:8,.0f}"
    print(f"{what:<8} {ours:6.2f} s, by loops {plain:6.2f} s; {rates}: {plain / ours:.1f} times faster")


if __name__ == "__main__":
    main(*sys.argv[1:2])
