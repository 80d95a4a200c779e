"""The models that come with the package: small, real models trained on the built-in world."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from counterpoint.core.errors import PictureError
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Answer, Mode, Query
from counterpoint.core.ids import seeded_rng
from counterpoint.core.ports import Floats, Pictures, PlacedAnswer, SampledAnswer, Scale, score_array
from counterpoint.models.answer_distributions import AnswerDistribution, AnswerLabels, answer_in_trial, required_passes
from counterpoint.models.builtin.onnx_graphs import WEIGHTS, Encoder, ModelCard, OnnxGraphs

CHUNK, GRAPH_BATCH, TOP = 256, 32, 5
"""Queries encoded at a time, queries in one run of a graph, and answers listed for each."""


class BuiltinModel:
    """What all built-in models share: features of pictures and texts, and answers from both."""

    def __init__(self, folder: Path, pictures: Pictures) -> None:
        self._graphs = OnnxGraphs(folder)
        self._encoder = Encoder(self._graphs, pictures)
        self._labels = AnswerLabels(self.card.answers, TOP, "softmax")

    @property
    def card(self) -> ModelCard:
        """Architecture, vocabulary, answers, training and accuracy of the model."""
        return self._graphs.card

    @property
    def fingerprint(self) -> str:
        """The name, and a digest of weights, vocabulary and answers."""
        return self._graphs.fingerprint

    @property
    def parameters(self) -> int:
        """The number of its parameters."""
        return self.card.parameters

    @property
    def needs_picture(self) -> bool:
        """Whether it sees pictures at all."""
        return "picture" in self.card.sees

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """The features of the pictures; one that cannot be read raises PictureError."""
        return np.stack([self._encoder.picture(query) for query in queries])

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """The features of the texts; where each word has features, zeros follow the last word."""
        rows = self._encoder.texts(queries)
        if rows[0].ndim == 1:
            return np.stack(rows)
        padded = np.zeros((len(rows), 1 + self.card.length, rows[0].shape[1]), np.float32)
        for row, features in zip(padded, rows, strict=True):
            row[: len(features)] = features
        return padded

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers, or scores in mode `score`, from features."""
        passes = self._passes(list(picture), list(text), queries, (0,), seed=0)
        yield from ((place, answer_in_trial(0, results, TOP)) for place, results in enumerate(passes))

    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[SampledAnswer]:
        """Passes with dropout on, seeded by seed, query and trial; trial 0 is the plain pass.

        The passes of a mean are run once, though they may be asked for as well.
        """
        failed: list[PlacedAnswer] = []
        for positions, chunk, pictures, texts in self._encoded(queries, failed):
            results = self._passes(pictures, texts, chunk, required_passes(trials), seed)
            for position, passes in zip(positions, results, strict=True):
                yield from ((position, trial, answer_in_trial(trial, passes, TOP)) for trial in trials)
        for position, answer in failed:
            yield from ((position, trial, answer) for trial in trials)

    def _passes(
        self,
        pictures: Sequence[Floats],
        texts: Sequence[Floats],
        queries: Sequence[Query],
        trials: Sequence[int],
        seed: int,
    ) -> list[dict[int, AnswerDistribution | Answer]]:
        """For each query the result of each pass; texts of one length go through the graph together, unpadded."""
        lengths = [len(self._encoder.tokens(query)) for query in queries]
        rows = [(place, trial) for place in range(len(queries)) for trial in trials]
        results: list[dict[int, AnswerDistribution | Answer]] = [{} for _ in queries]
        for length, same_length in group_pairs((lengths[place], row) for row, (place, _) in enumerate(rows)).items():
            for part in _chunks(same_length, GRAPH_BATCH):
                asked = [rows[row] for row in part]
                read = [texts[place] for place, _ in asked]
                outputs = self._graphs.run(
                    "answer",
                    {
                        "picture": np.stack([pictures[place] for place, _ in asked]),
                        "text": np.stack([row if row.ndim == 1 else row[: 1 + length] for row in read]),
                        "present": np.ones((len(asked), 1 + length), np.float32),
                        "mask": np.stack([self._mask(queries[place], trial, seed) for place, trial in asked]),
                    },
                )
                for (place, trial), *row_outputs in zip(asked, *outputs, strict=True):
                    results[place][trial] = self._result(queries[place], row_outputs)
        return results

    def _encoded(
        self, queries: Sequence[Query], failed: list[PlacedAnswer]
    ) -> Iterator[tuple[list[int], list[Query], list[Floats], list[Floats]]]:
        """Queries sorted by picture, a chunk at a time, with their features; those that fail are added to `failed`."""
        by_picture = group_pairs((query.picture, position) for position, query in enumerate(queries))
        ordered = [position for positions in by_picture.values() for position in positions]
        for chunk in _chunks(ordered, CHUNK):
            positions, pictures = [], []
            for position in chunk:
                try:
                    pictures.append(self._encoder.picture(queries[position]))
                    positions.append(position)
                except PictureError as problem:
                    failed.append((position, Answer.failed(problem)))
            encoded = [queries[position] for position in positions]
            if encoded:
                yield positions, encoded, pictures, self._encoder.texts(encoded)

    def _result(self, query: Query, outputs: list[Floats]) -> AnswerDistribution | Answer:
        """The result of one query; the first output holds the logits of answers, the last the score of the text."""
        if query.mode is Mode.SCORE:
            return self._scored(outputs)
        if not self.card.answers:
            return Answer.failed(f"{self.card.name} scores texts, and answers no questions")
        return self._labels.distribution(query, outputs[0])

    def _scored(self, outputs: list[Floats]) -> Answer:
        if self.card.scores == Scale.SIMILARITY:
            return Answer.scored(float(outputs[-1][0]))
        if self.card.scores == Scale.PROBABILITY:
            return Answer.scored(float(1 / (1 + np.exp(-outputs[-1][0].astype(np.float64)))))
        return Answer.failed(f"{self.card.name} does not score texts")

    def _mask(self, query: Query, trial: int, seed: int) -> Floats:
        """The scaled dropout mask of a pass; drawn from bytes, so that every machine agrees."""
        if trial == 0:
            return np.ones(self.card.units, np.float32)
        drawn = np.frombuffer(seeded_rng("dropout", seed, query.id, trial).randbytes(self.card.units), np.uint8)
        return (drawn < self.card.kept).astype(np.float32) * np.float32(256 / self.card.kept)


class BuiltinAnswerer(BuiltinModel):
    """A built-in model that answers questions, with the probability of every answer."""

    averages = True

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers with their positions, sorted by picture; each picture is encoded once."""
        return ((position, answer) for position, _, answer in self.sample(queries, (0,), seed=0))


class BuiltinScorer(BuiltinModel):
    """A built-in model that scores how well a text fits a picture."""

    @property
    def scale(self) -> Scale:
        """Whether its numbers are probabilities or similarities."""
        return Scale(self.card.scores)

    def stream_scores(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Scores with their positions; a query without a readable picture fails with a reason."""
        scored = [Query(query.picture, query.text, Mode.SCORE, context=query.context) for query in queries]
        return ((position, answer) for position, _, answer in self.sample(scored, (0,), seed=0))

    def score(self, queries: Sequence[Query]) -> Floats:
        """One number per query, higher where the text fits better; NaN where the picture cannot be read."""
        return score_array(self.stream_scores(queries), len(queries))


class BuiltinAnswererScorer(BuiltinAnswerer, BuiltinScorer):
    """A built-in model that does both."""


def fusion(pictures: Pictures, *, weights: Path = WEIGHTS) -> BuiltinAnswererScorer:
    """Cross-attention of words to picture cells; answers, and gives the probability that a sentence fits."""
    return BuiltinAnswererScorer(weights / "fusion", pictures)


def cnn_lstm(pictures: Pictures, *, weights: Path = WEIGHTS) -> BuiltinAnswerer:
    """A six-layer CNN and a bidirectional LSTM side by side, as in the appendix of CARETS."""
    return BuiltinAnswerer(weights / "cnn-lstm", pictures)


def question_only(pictures: Pictures, *, weights: Path = WEIGHTS) -> BuiltinAnswerer:
    """Text-only baseline: answers from the question alone."""
    return BuiltinAnswerer(weights / "question-only", pictures)


def picture_only(pictures: Pictures, *, weights: Path = WEIGHTS) -> BuiltinAnswerer:
    """Picture-only baseline: answers from the picture alone."""
    return BuiltinAnswerer(weights / "picture-only", pictures)


def two_tower(pictures: Pictures, *, weights: Path = WEIGHTS) -> BuiltinScorer:
    """One vector per picture and one per sentence; their cosine is the score."""
    return BuiltinScorer(weights / "two-tower", pictures)


def _chunks(items: list[int], size: int) -> Iterator[list[int]]:
    return (items[start : start + size] for start in range(0, len(items), size))
