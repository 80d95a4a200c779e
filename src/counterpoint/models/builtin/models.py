"""The models that come with the package, trained on its own world: small, real, and wrong for real reasons."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from counterpoint.core.answers import Answer
from counterpoint.core.errors import PictureError
from counterpoint.core.groups import Mode, Query
from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import MEAN_TRIAL, Floats, Pictures, PlacedAnswer, Scale
from counterpoint.models.answer_distributions import AnswerDistribution, mean_answer_of, required_passes
from counterpoint.models.builtin.encoder import Encoder
from counterpoint.models.builtin.onnx_graphs import WEIGHTS, ModelCard, OnnxGraphs
from counterpoint.models.builtin.vocabulary import group_by_length

AT_ONCE, TOGETHER, TOP = 256, 32, 5
"""Queries that are prepared at once, queries that go through a graph together, and answers listed for each."""

Item = TypeVar("Item")


class BuiltinModel:
    """What all built-in models share: features of pictures and texts, and what follows from the two."""

    def __init__(self, folder: Path, pictures: Pictures) -> None:
        self._graphs = OnnxGraphs(folder)
        self._encoder = Encoder(self._graphs, pictures)

    @property
    def card(self) -> ModelCard:
        """What the model is, knows and achieves."""
        return self._graphs.card

    @property
    def fingerprint(self) -> str:
        """The name, and a digest of weights, words and answers."""
        return self._graphs.fingerprint

    @property
    def parameters(self) -> int:
        """How many numbers were learnt."""
        return self.card.parameters

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """What it makes of the pictures; one that cannot be read is an error here."""
        return np.stack([self._encoder.picture(query) for query in queries])

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """What it makes of the texts; where each word has features, zeros follow the last word."""
        found = self._encoder.texts(queries)
        if found[0].ndim == 1:
            return np.stack(found)
        room = np.zeros((len(found), 1 + self.card.length, found[0].shape[1]), np.float32)
        for row, features in zip(room, found, strict=True):
            row[: len(features)] = features
        return room

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers, or scores where these are asked for, from features."""
        masks = np.ones((len(queries), self.card.units), np.float32)
        yield from self._concluded(list(picture), list(text), queries, masks)

    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[tuple[int, int, Answer]]:
        """Passes with dropout left on, each drawn from seed, query and trial; trial 0 is the plain pass.

        A mean is taken of the distributions of its passes, which are made once, though they may be asked for as well.
        """
        failing: list[PlacedAnswer] = []
        for positions, asked, seen, read in self._prepared(queries, failing):
            made = self._passes(seen, read, asked, required_passes(trials), seed)
            for place, passes in enumerate(made):
                for trial in trials:
                    found = mean_answer_of(trial, passes, TOP) if trial >= MEAN_TRIAL else passes[trial]
                    yield positions[place], trial, found.said(TOP) if isinstance(found, AnswerDistribution) else found
        for position, answer in failing:
            yield from ((position, trial, answer) for trial in trials)

    def _passes(
        self, seen: Sequence[Floats], read: Sequence[Floats], queries: Sequence[Query], trials: Sequence[int], seed: int
    ) -> list[dict[int, AnswerDistribution | Answer]]:
        """For each query what each pass over it says; passes go through the graph together."""
        places = [place for place in range(len(queries)) for _ in trials]
        asked = [queries[place] for place in places]
        looks, words = ([features[place] for place in places] for features in (seen, read))
        masks = np.stack([self._mask(query, trial, seed) for query in queries for trial in trials])
        made: list[dict[int, AnswerDistribution | Answer]] = [{} for _ in queries]
        for row, outputs in self._outputs(looks, words, asked, masks):
            made[places[row]][trials[row % len(trials)]] = self._found(asked[row], outputs)
        return made

    def _answers(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        failing: list[PlacedAnswer] = []
        for positions, asked, seen, read in self._prepared(queries, failing):
            masks = np.ones((len(asked), self.card.units), np.float32)
            for place, answer in self._concluded(seen, read, asked, masks):
                yield positions[place], answer
        yield from failing

    def _prepared(
        self, queries: Sequence[Query], failing: list[PlacedAnswer]
    ) -> Iterator[tuple[list[int], list[Query], list[Floats], list[Floats]]]:
        """Queries on one picture side by side, some at a time, with their features; those that fail are put aside."""
        by_picture: dict[Picture | None, list[int]] = {}
        for position, query in enumerate(queries):
            by_picture.setdefault(query.picture, []).append(position)
        ordered = [position for positions in by_picture.values() for position in positions]
        for some in _portions(ordered, AT_ONCE):
            positions, seen = [], []
            for position in some:
                try:
                    seen.append(self._encoder.picture(queries[position]))
                    positions.append(position)
                except PictureError as problem:
                    failing.append((position, Answer.failed(problem)))
            asked = [queries[position] for position in positions]
            if asked:
                yield positions, asked, seen, self._encoder.texts(asked)

    def _concluded(
        self, seen: Sequence[Floats], read: Sequence[Floats], queries: Sequence[Query], masks: Floats
    ) -> Iterator[PlacedAnswer]:
        """Answers from features."""
        for place, outputs in self._outputs(seen, read, queries, masks):
            found = self._found(queries[place], outputs)
            yield place, found.said(TOP) if isinstance(found, AnswerDistribution) else found

    def _outputs(
        self, seen: Sequence[Floats], read: Sequence[Floats], queries: Sequence[Query], masks: Floats
    ) -> Iterator[tuple[int, list[Floats]]]:
        """What the last graph makes of features, texts of one length together, so that nothing depends on company."""
        for length, alike in group_by_length([self._encoder.numbers(query) for query in queries]).items():
            for places in _portions(alike, TOGETHER):
                outputs = self._graphs.run(
                    "answer",
                    {
                        "picture": np.stack([seen[place] for place in places]),
                        "text": np.stack([_cut(read[place], 1 + length) for place in places]),
                        "present": np.ones((len(places), 1 + length), np.float32),
                        "mask": masks[places],
                    },
                )
                yield from ((place, row) for place, *row in zip(places, *outputs, strict=True))

    def _found(self, query: Query, outputs: list[Floats]) -> AnswerDistribution | Answer:
        """What the outputs of the last graph say: logits of answers come first, then what the text scores."""
        if query.mode is Mode.SCORE:
            return self._scored(outputs)
        if not self.card.answers:
            return Answer.failed(f"{self.card.name} scores texts, and answers no questions")
        return _spread(self.card.answers, outputs[0], query.choices)

    def _scored(self, outputs: list[Floats]) -> Answer:
        if self.card.scores == Scale.SIMILARITY:
            return Answer.scored(float(outputs[-1][0]))
        if self.card.scores == Scale.PROBABILITY:
            return Answer.scored(float(1 / (1 + np.exp(-outputs[-1][0].astype(np.float64)))))
        return Answer.failed(f"{self.card.name} does not score texts")

    def _mask(self, query: Query, trial: int, seed: int) -> Floats:
        """Which units are kept, scaled so that their sum stays; drawn from bytes, so that every machine agrees."""
        if trial == 0:
            return np.ones(self.card.units, np.float32)
        luck = np.frombuffer(seeded_rng("dropout", seed, query.id, trial).randbytes(self.card.units), np.uint8)
        return (luck < self.card.kept).astype(np.float32) * np.float32(256 / self.card.kept)


class BuiltinAnswerer(BuiltinModel):
    """A built-in model that answers questions, and knows how likely every answer is."""

    averages = True

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers with their positions, those on one picture after each other; each picture is encoded once."""
        return self._answers(queries)


class BuiltinScorer(BuiltinModel):
    """A built-in model that says how well a text fits a picture."""

    @property
    def scale(self) -> Scale:
        """Whether its numbers are probabilities or similarities."""
        return Scale(self.card.scores)

    def rate(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Scores with their positions; one that has no picture, or none that can be read, fails and says why."""
        return self._answers([Query(query.picture, query.text, Mode.SCORE, context=query.context) for query in queries])

    def score(self, queries: Sequence[Query]) -> Floats:
        """One number per query, higher where the text fits better; not a number where the picture cannot be read."""
        scores = np.full(len(queries), np.nan, np.float32)
        for position, answer in self.rate(queries):
            if answer.score is not None:
                scores[position] = answer.score
        return scores


class BuiltinAnswererScorer(BuiltinAnswerer, BuiltinScorer):
    """A built-in model that does both."""


def fusion(pictures: Pictures, *, weights: Path = WEIGHTS) -> BuiltinAnswererScorer:
    """Words attend to the cells of the picture; it answers, and gives the probability that a sentence fits."""
    return BuiltinAnswererScorer(weights / "fusion", pictures)


def cnn_lstm(pictures: Pictures, *, weights: Path = WEIGHTS) -> BuiltinAnswerer:
    """A six-layer CNN and a bidirectional LSTM side by side, as in the appendix of CARETS."""
    return BuiltinAnswerer(weights / "cnn-lstm", pictures)


def question_only(pictures: Pictures, *, weights: Path = WEIGHTS) -> BuiltinAnswerer:
    """Guesses from the question; it never looks."""
    return BuiltinAnswerer(weights / "question-only", pictures)


def picture_only(pictures: Pictures, *, weights: Path = WEIGHTS) -> BuiltinAnswerer:
    """Guesses from the picture; it never reads."""
    return BuiltinAnswerer(weights / "picture-only", pictures)


def two_tower(pictures: Pictures, *, weights: Path = WEIGHTS) -> BuiltinScorer:
    """One vector a picture, one vector a sentence; their cosine is the score."""
    return BuiltinScorer(weights / "two-tower", pictures)


def _spread(answers: Sequence[str], logits: Floats, choices: Sequence[str]) -> AnswerDistribution:
    """How likely each answer is, among the choices where it knows any of them."""
    offered = {choice.strip().lower(): choice for choice in reversed(choices)}
    places = [place for place, answer in enumerate(answers) if answer in offered]
    exact = (logits[places] if places else logits).astype(np.float64)
    odds = np.exp(exact - exact.max())
    odds /= odds.sum()
    return AnswerDistribution([offered[answers[place]] for place in places] or answers, odds)


def _cut(features: Floats, places: int) -> Floats:
    return features[:places] if features.ndim == 2 else features


def _portions(items: Sequence[Item], most: int) -> Iterator[list[Item]]:
    for start in range(0, len(items), most):
        yield list(items[start : start + most])
