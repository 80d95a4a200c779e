"""Trains many instances of one small model, each without a share of one kind of question (RAD, Appendix E).

    python -m training.rad_instances --out instances.csv
    python -m training.rad_instances --out instances.csv --withhold all

The second withholds the same shares of all questions, three times: instances then differ in one common respect. The
encoder of the built-in `cnn-lstm` is frozen. For each instance the head is trained: picture and text features are
projected to one width and multiplied, as in BUTD. `counterpoint study rad FILE` fits the regressions.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.groups import Gold, Group, Query
from counterpoint.core.ids import content_id
from counterpoint.core.items import Question
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.models.builtin.models import BuiltinAnswerer, cnn_lstm
from counterpoint.studies.rad_prediction import POOL, RadCounts, counts_text
from counterpoint.suites.rad.counterfactuals import suite as counterfactuals
from counterpoint.suites.rad.question_sets import rephrasings
from counterpoint.suites.suite import generate_groups
from counterpoint.world.source import World

Floats: TypeAlias = NDArray[np.float32]
Numbers: TypeAlias = NDArray[np.int64]
SHARES = (10, 20, 30, 40, 50, 60, 70, 80, 90, 92, 95, 96, 97, 98, 99)
"""How many per cent of a kind are withheld, as in Appendix E."""
WITHHELD: Mapping[str, str] = {"color": "query color", "how-many": "count", "what-kind": "query place"}
"""What is withheld for each augmentation: the kind of the world's questions that it is made from, in either form."""
_PORTION = 256


@dataclass(frozen=True, slots=True)
class Plan:
    """How many scenes are for training and for the test, and how long each instance learns."""

    scenes: int = 3000
    tests: int = 4000
    hidden: int = 256
    epochs: int = 6
    batch: int = 256
    rate: float = 2e-3
    seed: int = 0
    threshold: float = 0.5


@dataclass(frozen=True, slots=True)
class Stored:
    """Features of questions: that of each text and of each picture once, and which of them a question has."""

    pictures: Floats
    texts: Floats
    picture_of: Numbers
    text_of: Numbers

    def rows(self, places: Numbers) -> tuple[Floats, Floats]:
        """The features of some questions: of their pictures, and of their texts."""
        return self.pictures[self.picture_of[places]], self.texts[self.text_of[places]]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What instances learn from: features, the number of the right answer, and the kind of each question."""

    stored: Stored
    answers: Numbers
    kinds: NDArray[np.str_]
    words: tuple[str, ...]  # the answers


@dataclass(frozen=True, slots=True)
class Test:
    """Pairs by augmentation: the places of base and variant among all queries, and what each answer earns there."""

    stored: Stored
    credit: Floats  # queries × answers
    pairs: Mapping[str, tuple[Numbers, Numbers]]


def instances(plan: Plan) -> Iterator[RadCounts]:
    """Train and judge every instance, one after the other; each yields its counts for all augmentations."""
    lesson = build_lesson(plan)
    exam = build_test(plan, lesson.words)
    for kind, share in product(WITHHELD, SHARES):
        kept = withhold(lesson, WITHHELD[kind], share, plan.seed)
        head = train_head(lesson, kept, plan, seed=content_id(["rad", plan.seed, kind, share]))
        yield from score_head(f"without {share}% of {kind}", head, exam, plan.threshold)


def equal_instances(plan: Plan) -> Iterator[RadCounts]:
    """Train and judge instances that lack a share of all questions, each share with three seeds."""
    lesson = build_lesson(plan)
    exam = build_test(plan, lesson.words)
    for seed, share in product(range(3), reversed(SHARES)):
        order = np.random.default_rng(content_id(["withheld", "all", share, seed])).permutation(len(lesson.answers))
        kept = np.sort(order[round(len(order) * share / 100) :])
        head = train_head(lesson, kept, plan, seed=content_id(["rad", "all", seed, share]))
        yield from score_head(f"without {share}% of all, seed {seed}", head, exam, plan.threshold)


def build_lesson(plan: Plan) -> Lesson:
    """The world's questions in the manner of VQA, from the split that the encoder was trained on, and yes/no ones.

    People ask whether there are two dogs, too, and the world does not: without such questions every instance answers
    them by chance. They are of the kind of the questions that they are made from, and withheld with it.
    """
    world = World("train", plan.scenes, seed=plan.seed)
    asked = list(world.crowd_questions())
    rows = [(Query(one.picture, one.text), one.gold.best, one.kind) for one in asked]
    rows += counterfactual_rows(asked, plan.seed)
    queries, best, kinds = (list(column) for column in zip(*rows, strict=True))
    words = tuple(sorted(set(best)))
    number = {word: place for place, word in enumerate(words)}
    return Lesson(encode_queries(queries, world), np.array([number[one] for one in best]), np.array(kinds), words)


def counterfactual_rows(asked: Sequence[Question], seed: int) -> Iterator[tuple[Query, str, str]]:
    """What counterfactuals make of some questions: each with its answer and the kind of what it is made from."""
    for _, group in generate_groups(counterfactuals, [_judged(question) for question in asked], seed):
        kind = WITHHELD[dict(group.tags[0])["augmentation"]]
        for query, gold in list(_members(group))[1:]:
            yield query, gold.best, kind


def build_test(plan: Plan, words: Sequence[str]) -> Test:
    """Pairs from scenes that nobody has seen: counterfactuals and rephrasings, judged as VQA does."""
    world = World("test", plan.tests, seed=plan.seed)
    rules = rule_set("vqa")
    asked = [_judged(question) for question in world.crowd_questions()]
    groups = [
        group for suite in (counterfactuals, rephrasings) for _, group in generate_groups(suite, asked, plan.seed)
    ]
    queries: dict[Query, int] = {}
    golds: list[Gold] = []
    pairs: dict[str, list[tuple[int, int]]] = {name: [] for name in POOL}
    for group in groups:
        base, *others = (_placed(query, gold, queries, golds) for query, gold in _members(group))
        pairs[dict(group.tags[0])["augmentation"]] += ((base, other) for other in others)
    said = [rules.normalize(word) for word in words]
    credit = np.zeros((len(golds), len(words)), np.float32)
    for row, gold in zip(credit, golds, strict=True):
        earned = {rules.normalize(answer): value for answer, value in gold.answers}
        row[:] = [earned.get(word, 0.0) for word in said]
    places = {name: np.array(rows, np.int64).reshape(-1, 2) for name, rows in pairs.items()}
    return Test(
        encode_queries(list(queries), world), credit, {name: (rows[:, 0], rows[:, 1]) for name, rows in places.items()}
    )


def encode_queries(queries: Sequence[Query], world: World) -> Stored:
    """What the frozen encoder makes of pictures and texts, each encoded once."""
    model: BuiltinAnswerer = cnn_lstm(world)
    pictures = {query.picture: query for query in reversed(queries)}
    texts = {query.text: query for query in reversed(queries)}
    seen = {picture: place for place, picture in enumerate(pictures)}
    read = {text: place for place, text in enumerate(texts)}
    return Stored(
        np.vstack([model.picture_features(part) for part in _portions(list(pictures.values()))]),
        np.vstack([model.text_features(part) for part in _portions(list(texts.values()))]),
        np.array([seen[query.picture] for query in queries]),
        np.array([read[query.text] for query in queries]),
    )


def withhold(lesson: Lesson, kind: str, share: int, seed: int) -> Numbers:
    """The places of all questions but so many per cent of a kind; who loses more loses all that others lose."""
    places = np.flatnonzero(lesson.kinds == kind)
    order = np.random.default_rng(content_id(["withheld", seed, kind])).permutation(places)
    lost = order[: len(order) * share // 100]
    return np.setdiff1d(np.arange(len(lesson.kinds)), lost)


Weights: TypeAlias = tuple[Floats, Floats, Floats, Floats, Floats, Floats]
"""Of pictures, of texts and of answers, each with what is added to it."""


@dataclass(frozen=True, slots=True)
class Head:
    """The graph that answers: what picture and text have in common, then the answers."""

    weights: Weights

    def logits(self, pictures: Floats, texts: Floats) -> Floats:
        """One row of numbers for each question, the highest for its answer."""
        look, looked, read, heard, say, bias = self.weights
        seen, said = np.maximum(pictures @ look + looked, 0), np.maximum(texts @ read + heard, 0)
        return np.asarray((seen * said) @ say + bias)


def train_head(lesson: Lesson, kept: Numbers, plan: Plan, seed: int) -> Head:
    """Cross-entropy by Adam, with a rate that falls to nothing."""
    rng = np.random.default_rng(seed)
    widths = lesson.stored.pictures.shape[1], lesson.stored.texts.shape[1], plan.hidden
    heights = plan.hidden, plan.hidden, len(lesson.words)
    weights: list[Floats] = []
    for width, height in zip(widths, heights, strict=True):
        weights.append(rng.normal(0, np.sqrt(2 / width), (width, height)).astype(np.float32))
        weights.append(np.zeros(height, np.float32))
    moments = [(np.zeros_like(one), np.zeros_like(one)) for one in weights]
    steps = [part for _ in range(plan.epochs) for part in _batches(rng.permutation(kept), plan.batch)]
    for step, places in enumerate(steps, 1):
        slopes = gradient(weights, *lesson.stored.rows(places), lesson.answers[places])
        rate = plan.rate * (1 - step / (len(steps) + 1))
        for weight, slope, (mean, square) in zip(weights, slopes, moments, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            weight -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    look, looked, read, heard, say, bias = weights
    return Head((look, looked, read, heard, say, bias))


def gradient(weights: Sequence[Floats], pictures: Floats, texts: Floats, answers: Numbers) -> list[Floats]:
    """The slopes of the mean cross-entropy with respect to each weight."""
    look, looked, read, heard, say, bias = weights
    seen, said = np.maximum(pictures @ look + looked, 0), np.maximum(texts @ read + heard, 0)
    both = seen * said
    logits = both @ say + bias
    odds = np.exp(logits - logits.max(1, keepdims=True))
    odds /= odds.sum(1, keepdims=True)
    odds[np.arange(len(answers)), answers] -= 1
    odds /= len(answers)
    back = odds @ say.T
    to_seen, to_said = back * said * (seen > 0), back * seen * (said > 0)
    return [pictures.T @ to_seen, to_seen.sum(0), texts.T @ to_said, to_said.sum(0), both.T @ odds, odds.sum(0)]


def score_head(instance: str, head: Head, exam: Test, threshold: float) -> Iterator[RadCounts]:
    """What an instance earns on the pairs of each augmentation."""
    places = np.arange(len(exam.credit))
    said = np.concatenate([head.logits(*exam.stored.rows(part)).argmax(1) for part in _batches(places, 4096)])
    earned = exam.credit[places, said].astype(np.float64)
    for name, (base, variant) in exam.pairs.items():
        yield RadCounts.of(instance, name, earned[base], earned[variant], threshold)


def _judged(question: Question) -> Question:
    return replace(question, gold=rule_set("vqa").gold(question.votes))


def _members(group: Group) -> Iterator[tuple[Query, Gold]]:
    for query, gold in zip(group.queries, group.gold, strict=True):
        assert gold is not None, "every question of these suites has a right answer"
        yield query, gold


def _placed(query: Query, gold: Gold, queries: dict[Query, int], golds: list[Gold]) -> int:
    """The place of a query among all, where it takes the next one if it is new."""
    if query not in queries:
        queries[query] = len(golds)
        golds.append(gold)
    return queries[query]


def _portions(queries: Sequence[Query]) -> Iterator[Sequence[Query]]:
    for start in range(0, len(queries), _PORTION):
        yield queries[start : start + _PORTION]


def _batches(places: Numbers, size: int) -> Iterator[Numbers]:
    for start in range(0, len(places), size):
        yield places[start : start + size]


def main(arguments: Iterable[str] | None = None) -> None:
    """Read the arguments, train and test every instance, and write the counts as CSV."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    for name in ("scenes", "tests", "epochs", "seed"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Plan(), name))
    parser.add_argument("--threshold", type=float, default=Plan().threshold)
    parser.add_argument("--withhold", choices=("kind", "all"), default="kind", help="a share of one kind, or of all")
    chosen = vars(parser.parse_args(None if arguments is None else list(arguments)))
    out, design = chosen.pop("out"), instances if chosen.pop("withhold") == "kind" else equal_instances
    counts = list(design(Plan(**chosen)))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(counts_text(counts), encoding="utf-8")
    print(f"{len(counts)} rows are in {out}", flush=True)


if __name__ == "__main__":
    main()
