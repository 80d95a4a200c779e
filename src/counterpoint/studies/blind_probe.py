"""A trained text-only probe: can the captions of a test be told from its foils, or its questions be answered, by text?

For pairs it is an antisymmetric logistic regression on differences of hashed n-grams, for questions a multinomial one
for each kind, on the n-grams of the question. It is cross-fitted in folds of connected components of pictures and text
pairs, so that a mirrored pair, whose caption is another's foil, is never judged by a model that saw its mirror.
The text is used only if a randomization test says that it tells anything, and if it lowers the cross-validated loss
within the training folds, by which the penalty is chosen; otherwise the probe guesses, and scores what a guess scores.
Given fresh groups, of other scenes, it learns from all groups in the same way and is judged on the fresh ones alone.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations, compress
from math import log
from typing import Any

import numpy as np

from counterpoint.core.groups import Mode, Relation
from counterpoint.core.ids import content_id
from counterpoint.language.question_types import QuestionType, parse_question
from counterpoint.metrics.intervals import clustered_interval
from counterpoint.models.text.ngram import picture_key
from counterpoint.studies.logistic_regression import (
    Floats,
    Loss,
    Numbers,
    SparseCounts,
    fit,
    ngrams,
    pair_loss,
    softmax_loss,
)
from counterpoint.suites.valse.paired_foils import PAIR_TAG

FOLDS, FEWEST_FOLDS = 5, 3
PENALTIES = (100.0, 10.0, 1.0)
"""Of the squared weights, the strongest first."""
FEWEST_CASES = 20
"""Pairs or questions of a kind from which anything is learned."""
MOST_ANSWERS = 20
"""The most frequent answers of a kind, among which the probe chooses."""
MOST_WORDS = 10
RANDOMIZATIONS, LEVEL = 99, 0.05
"""Of the test of whether text tells anything, before anything is learned."""
FAR, NEAR = 0.05, 0.10
"""The distance from chance beyond which a test is answerable, and within which it is clean."""
_FRESH = -1  # the fold of cases from which nothing is learned


class Verdict(StrEnum):
    """Whether the text of a test gives its answers away."""

    ANSWERABLE = "answerable"
    CLEAN = "clean"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True)
class TellingWord:
    """An n-gram with the side or answer that it suggests, in how many cases it tells, and its share of hits there."""

    word: str
    answer: str  # for pairs caption or foil: the side on which it stands
    cases: int
    share: float


@dataclass(frozen=True, slots=True)
class ProbeFinding:
    """How often the probe is correct in one test, with its interval over components, and the chance level."""

    suite: str
    test: str
    unit: str  # pairs or questions
    value: float
    low: float
    high: float
    n: int
    components: int
    chance: float
    words: tuple[TellingWord, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Answerable if the accuracy is clearly far from chance on either side, clean if it is surely near it."""
        is_apart = not self.low <= self.chance <= self.high
        if is_apart and abs(self.value - self.chance) > FAR + 1e-9:
            return Verdict.ANSWERABLE
        reach = max(self.high - self.chance, self.chance - self.low)
        return Verdict.CLEAN if reach <= NEAR + 1e-9 else Verdict.CANNOT_TELL


@dataclass(frozen=True, slots=True)
class ProbeCase:
    """A pair or a question: its n-grams, and what must not be in two folds."""

    counts: Mapping[str, float]  # of a pair those of the caption less those of the foil
    keys: tuple[str, ...]  # the picture, the texts of the pair, and the pair that it is mirrored in
    kind: str = ""
    credits: tuple[tuple[str, float], ...] = ()  # of each correct answer to a question
    choices: tuple[str, ...] = ()
    group: int = -1  # the place of its group in the table

    @property
    def label(self) -> str:
        """The answer with the highest credit."""
        return max(self.credits, key=lambda answer: answer[1])[0]


@dataclass(frozen=True, slots=True)
class _Learner:
    """A loss on counts, and the loss of a guess by the cases that have a weight."""

    counts: SparseCounts
    loss: Loss
    classes: int
    guess: Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class _Judgement:
    """The credit of each case, and the words of what was learned: weight in the model times hits beyond chance.

    The margin of a case is how far the score of what is correct lies above the others; 0 where the probe guesses.
    """

    credit: Floats
    chance: Floats  # the credit of a guess
    words: tuple[tuple[float, TellingWord], ...] = ()
    margin: Floats | None = None


@dataclass(frozen=True, slots=True)
class ProbedTest:
    """The finding of a test, and for each of its cases the place of its group in the table, and its margin."""

    finding: ProbeFinding
    groups: Numbers
    margin: Floats


def probe(groups: Any, seed: int = 0, *, fresh: Any = None) -> list[ProbeFinding]:
    """A finding for the pairs of caption and foil, or the questions with gold, of each test in a table of groups.

    `fresh` is a table of groups of other scenes, to be judged in the place of these by what is learned from these.
    """
    return [test.finding for test in probe_tests(groups, seed, fresh=fresh)]


def probe_tests(groups: Any, seed: int = 0, *, fresh: Any = None) -> list[ProbedTest]:
    """The findings of each test, with what they say of each group."""
    tests, others = [], {} if fresh is None else _cases_by_test(fresh)
    for place, cases in _cases_by_test(groups).items():
        suite, test, unit = place
        new = others.get(place, [])
        if fresh is not None and not new:
            continue
        component = connected_components([case.keys for case in cases])
        fold = assign_folds(component, [case.keys for case in cases], seed)
        fold = np.concatenate([fold, np.full(len(new), _FRESH)])
        rng = np.random.default_rng(content_id(["probe", seed, suite, test]))
        every = [*cases, *new]
        judgement = _judge_pairs(every, fold, component, rng) if unit == "pairs" else _judge_questions(every, fold, rng)
        judged = fold == _FRESH if new else fold != _FRESH
        component = connected_components([case.keys for case in new]) if new else component
        score = clustered_interval(judgement.credit[judged], component)
        found = ProbeFinding(
            *(suite, test, unit, score.value, score.low, score.high, score.n),
            int(component.max()) + 1,
            float(judgement.chance[judged].mean()),
            most_telling(judgement.words),
        )
        found = replace(found, words=()) if found.verdict is Verdict.CLEAN else found
        margin = np.zeros(len(every)) if judgement.margin is None else judgement.margin
        tests.append(ProbedTest(found, np.array([case.group for case in new or cases]), margin[judged]))
    return tests


def connected_components(keys: Sequence[Iterable[str]]) -> Numbers:
    """The number of each case's component: cases with a common key are connected (union-find).

    >>> connected_components([["p1", "a"], ["p2", "b"], ["p3", "a"]]).tolist()
    [0, 1, 0]
    """
    parent = list(range(len(keys)))

    def root(case: int) -> int:
        while parent[case] != case:
            parent[case] = parent[parent[case]]
            case = parent[case]
        return case

    first: dict[str, int] = {}
    for case, own in enumerate(keys):
        for key in own:
            parent[root(case)] = root(first.setdefault(key, case))
    _, numbers = np.unique([root(case) for case in range(len(keys))], return_inverse=True)
    return np.asarray(numbers, np.int64)


def assign_folds(component: Numbers, keys: Sequence[Sequence[str]], seed: int = 0, folds: int = FOLDS) -> Numbers:
    """The fold of each case: components, the largest first and equal ones at random, go to the smallest fold."""
    sizes = np.bincount(component)
    names = [""] * len(sizes)
    for number, own in zip(component.tolist(), keys, strict=True):
        names[number] = max(names[number], *own)
    order = sorted(range(len(sizes)), key=lambda number: (-sizes[number], content_id(["probe", seed, names[number]])))
    filled, fold = [0] * folds, np.zeros(len(sizes), np.int64)
    for number in order:
        fold[number] = filled.index(min(filled))
        filled[fold[number]] += int(sizes[number])
    return fold[component]


def _cases_by_test(groups: Any) -> dict[tuple[str, str, str], list[ProbeCase]]:
    cases: dict[tuple[str, str, str], list[ProbeCase]] = {}
    for group, rows in enumerate(_rows_by_group(groups)):
        of_pairs = rows[0]["relation"] == Relation.RANKS
        place = rows[0]["suite"], rows[0]["test"], "pairs" if of_pairs else "questions"
        own = _pairs(rows) if of_pairs else _questions(rows)
        cases.setdefault(place, []).extend(replace(case, group=group) for case in own)
    return {place: own for place, own in sorted(cases.items()) if own}


def _rows_by_group(groups: Any) -> Iterator[list[dict[str, Any]]]:
    names = ("suite", "test", "role", "relation", "kind", "picture", "context", "text", "mode", "choices")
    rows: list[dict[str, Any]] = []
    for row in groups.select([*names, "gold", "tags"]).to_pylist():
        if not row["role"] and rows:
            yield rows
            rows = []
        rows.append(row)
    if rows:
        yield rows


def _pairs(rows: Sequence[Mapping[str, Any]]) -> Iterator[ProbeCase]:
    """A caption with each of its foils."""
    caption, *foils = rows
    for foil in foils:
        counts = Counter(ngrams(caption["text"]))
        counts.subtract(ngrams(foil["text"]))
        keys = (*_pictures([caption]), "\n".join(sorted((caption["text"], foil["text"]))), *_pair_tag(caption))
        yield ProbeCase({ngram: count for ngram, count in counts.items() if count}, keys, caption["kind"])


def _pair_tag(row: Mapping[str, Any]) -> list[str]:
    """What two pairs share that exchange their words: apart, each would be inferred from the other, upside down."""
    return [f"{name} {value}" for name, value in row["tags"] if name == PAIR_TAG]


def _questions(rows: Sequence[Mapping[str, Any]]) -> Iterator[ProbeCase]:
    """The different questions of a group that have gold; where it has several texts, they are kept together."""
    texts = {f"{row['context'] or ''} {row['text']}".strip(): row for row in reversed(rows)}
    together = ["\n".join(sorted(texts))] if len(texts) > 1 else []
    for text, row in texts.items():
        credit = {one["answer"]: one["credit"] for one in row["gold"] or ()}
        if credit and row["mode"] == Mode.ANSWER and row["relation"] != Relation.SWAP:
            counts = dict.fromkeys(ngrams(text), 1.0)
            keys = (*_pictures(rows), *together) or (text,)
            yield ProbeCase(counts, keys, row["kind"], tuple(credit.items()), _offers(row))


def _offers(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The choices of a question, else the options that its text offers: chance is one of them."""
    question = parse_question(row["text"])
    return tuple(row["choices"] or (question.options if question.type is QuestionType.EITHER else ()))


def _pictures(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    return [f"picture {picture_key(picture)}" for picture in dict.fromkeys(row["picture"] for row in rows) if picture]


def _judge_pairs(cases: Sequence[ProbeCase], fold: Numbers, component: Numbers, rng: np.random.Generator) -> _Judgement:
    """A pair is correct if its caption scores higher; a guess counts one half."""
    chance = np.full(len(cases), 0.5)
    taught = fold != _FRESH
    exchanges = (rng.choice((-1.0, 1.0), int(component.max()) + 1)[component][:, None] for _ in range(RANDOMIZATIONS))
    own = SparseCounts.of((case.counts for case in compress(cases, taught)), constant=0.0)
    if len(component) < FEWEST_CASES or not _is_telling(own, np.ones((len(component), 1)), exchanges):
        return _Judgement(chance, chance)
    counts = own if taught.all() else SparseCounts.of((case.counts for case in cases), constant=0.0)
    learner = _Learner(counts, pair_loss, 1, lambda weights: np.full(len(cases), log(2)))
    scores, penalty = _cross_fit(learner, fold)
    credit = (1 + np.sign(np.nan_to_num(scores[:, 0]))) / 2
    if penalty is None:
        return _Judgement(credit, chance)
    margin = np.nan_to_num(scores[:, 0])
    weights = fit(counts, pair_loss, taught.astype(np.float64), penalty, np.zeros((1, len(counts.names))))[0]
    words = []
    for column, values in _columns(counts):
        side = 1 if weights[column] > 0 else -1
        word = TellingWord(
            counts.names[column], "caption" if side > 0 else "foil", len(values), float((side * values > 0).mean())
        )
        words.append((float(abs(weights[column])) * len(values) * (word.share - 0.5), word))
    return _Judgement(credit, chance, tuple(words), margin)


def _judge_questions(cases: Sequence[ProbeCase], fold: Numbers, rng: np.random.Generator) -> _Judgement:
    """The questions of each kind by a model of their own."""
    credit, chance, margin = (np.zeros(len(cases)) for _ in range(3))
    words = list[tuple[float, TellingWord]]()
    kinds = np.array([case.kind for case in cases], dtype=object)
    for kind in sorted(set(kinds)):
        own = np.flatnonzero(kinds == kind)
        judgement = _judge_kind([cases[case] for case in own.tolist()], fold[own], rng)
        credit[own], chance[own] = judgement.credit, judgement.chance
        words += judgement.words
        margin[own] = 0.0 if judgement.margin is None else judgement.margin
    return _Judgement(credit, chance, tuple(words), margin)


def _judge_kind(cases: Sequence[ProbeCase], fold: Numbers, rng: np.random.Generator) -> _Judgement:
    """The credit of the predicted answers; a guess is the majority answer of the kind, or one of the choices."""
    taught = fold != _FRESH
    known = list(compress(cases, taught))
    guess = _guess(cases, known)
    answers = [answer for answer, _ in Counter(case.label for case in known).most_common(MOST_ANSWERS)]
    if len(known) < FEWEST_CASES or len(answers) < 2:
        return _Judgement(guess, guess)
    label = np.array([answers.index(case.label) if case.label in answers else -1 for case in cases])
    surplus = (np.eye(len(answers))[label] * (label >= 0)[:, None])[taught]
    surplus -= surplus.mean(axis=0)
    own = SparseCounts.of((case.counts for case in known), constant=1.0)
    if not _is_telling(own, surplus, (rng.permutation(surplus) for _ in range(RANDOMIZATIONS))):
        return _Judgement(guess, guess)
    counts = own if taught.all() else SparseCounts.of((case.counts for case in cases), constant=1.0)

    def prior(weights: Floats) -> Floats:
        shares = np.bincount(label[label >= 0], weights[label >= 0], minlength=len(answers)) + 0.5
        return np.where(label >= 0, -np.log(shares / shares.sum())[label], 0.0)

    loss = softmax_loss(label)
    scores, penalty = _cross_fit(_Learner(counts, loss, len(answers), prior), fold)
    credit = guess.copy()
    for place, case in enumerate(cases):
        if not np.isnan(scores[place, 0]):
            offered = {choice.casefold() for choice in case.choices}
            allowed = [number for number, answer in enumerate(answers) if answer.casefold() in offered]
            if not taught[place] and len(allowed) < len(offered):
                continue  # one of its choices was never an answer: a guess
            best = max(allowed or range(len(answers)), key=lambda number: scores[place, number])
            credit[place] = dict(case.credits).get(answers[best], 0.0)
    if penalty is None:
        return _Judgement(credit, guess)
    ranked = np.nan_to_num(scores)
    right = ranked[np.arange(len(cases)), label]
    ranked[np.arange(len(cases)), label] = -np.inf
    margin = np.where(label >= 0, right - ranked.max(axis=1), 0.0)
    weights = fit(counts, loss, taught.astype(np.float64), penalty, np.zeros((len(answers), len(counts.names))))
    weights -= weights.mean(axis=0)
    words = []
    for column, _ in _columns(counts):
        best = int(weights[:, column].argmax())
        cases_with = counts.rows[counts.column_range(column)]
        share = float((label[cases_with] == best).mean())
        word = TellingWord(counts.names[column], answers[best], len(cases_with), share)
        base = float((label == best).mean())
        words.append((float(weights[best, column]) * len(cases_with) * (share - base), word))
    return _Judgement(credit, guess, tuple(words), margin)


def _guess(cases: Sequence[ProbeCase], known: Sequence[ProbeCase]) -> Floats:
    """The credit in each case of the constant answer that is best in those known, or of a random choice if more."""
    totals: dict[str, float] = {}
    for case in known:
        for answer, credit in case.credits:
            totals[answer] = totals.get(answer, 0.0) + credit
    best = min(totals, key=lambda answer: (-totals[answer], answer))
    constant = np.array([dict(case.credits).get(best, 0.0) for case in cases])
    choice = np.array([1 / len(case.choices) if case.choices else 0.0 for case in cases])
    return choice if choice.mean() > constant.mean() else constant


def _columns(counts: SparseCounts) -> Iterator[tuple[int, Floats]]:
    """The values of each n-gram, without the constant."""
    for column in range(1, len(counts.names)):
        yield column, counts.column_values[counts.column_range(column)]


def _is_telling(counts: SparseCounts, surplus: Floats, randomized: Iterable[Floats]) -> bool:
    """A randomization test at 5 % of whether n-grams and answers go together (score test of all weights at once).

    Pairs of different folds that share a word are not independent, so that accuracy out of fold varies more than its
    interval allows where nothing is to be found; this test holds there, since it keeps the texts as they are.
    """
    statistic = float((counts.summed(surplus) ** 2).sum())
    larger = sum(float((counts.summed(own) ** 2).sum()) >= statistic - 1e-9 for own in randomized)
    return (1 + larger) / (1 + RANDOMIZATIONS) <= LEVEL


def _cross_fit(learner: _Learner, fold: Numbers) -> tuple[Floats, float | None]:
    """Scores by models of other folds, and the penalty that most folds chose; nan and none where a guess is better.

    For each fold the penalty with the least loss on the others is taken, each of which is held out in turn. Whether
    text is used at all is decided by the sum of these losses, so that a test is guessed as a whole or not at all.
    Fresh cases are scored by a model of all others, with the penalty that most folds chose.
    """
    folds = [number for number in range(FOLDS) if (fold == number).any()]
    scores = np.full((len(fold), learner.classes), np.nan)
    if len(folds) < FEWEST_FOLDS:
        return scores, None
    losses: dict[tuple[int, int], list[float]] = {}  # on the first fold, without both: of a guess, of each penalty
    for first, second in combinations(folds, 2):
        weights = (~np.isin(fold, (first, second, _FRESH))).astype(np.float64)
        models = [learner.guess(weights), *(learner.loss(scores)[0] for _, scores in _path(learner, weights))]
        for held, other in ((first, second), (second, first)):
            losses[held, other] = [float(own[fold == held].sum()) for own in models]
    totals = {held: np.sum([losses[other, held] for other in folds if other != held], axis=0) for held in folds}
    best = {held: 1 + int(own[1:].argmin()) for held, own in totals.items()}
    if sum(own[best[held]] - own[0] for held, own in totals.items()) >= 0:
        return scores, None
    usual = Counter(best.values()).most_common(1)[0][0]
    for held in (*folds, _FRESH) if (fold == _FRESH).any() else folds:
        *_, (_, own) = _path(learner, (~np.isin(fold, (held, _FRESH))).astype(np.float64), best.get(held, usual))
        scores[fold == held] = own[fold == held]
    return scores, PENALTIES[usual - 1]


def _path(learner: _Learner, weights: Floats, many: int = len(PENALTIES)) -> Iterator[tuple[float, Floats]]:
    """The scores of all cases by the models of each penalty, each fitted from the one before."""
    model = np.zeros((learner.classes, len(learner.counts.names)))
    for penalty in PENALTIES[:many]:
        model = fit(learner.counts, learner.loss, weights, penalty, model)
        yield penalty, learner.counts.scores(model)


def most_telling(words: Iterable[tuple[float, TellingWord]], most: int = MOST_WORDS) -> tuple[TellingWord, ...]:
    """The first by their weight, which is that in the model times the hits beyond chance.

    Of n-grams that contain each other and suggest one answer, only the first is taken.
    """
    kept: list[TellingWord] = []
    for weight, word in sorted(words, key=lambda one: (-round(one[0], 6), one[1].word.count(" "), one[1].word)):
        if len(kept) == most or weight <= 0:
            break
        if not any(word.answer == other.answer and _overlap(word.word, other.word) for other in kept):
            kept.append(word)
    return tuple(kept)


def _overlap(first: str, second: str) -> bool:
    return f" {first} " in f" {second} " or f" {second} " in f" {first} "
