"""What all models that speak share: answers in batches, said, chosen or drawn; and scores by how they begin."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from counterpoint.core.answers import Answer
from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Mode, Query
from counterpoint.core.ids import canonical
from counterpoint.core.ports import Floats, Pictures, PlacedAnswer, Scale
from counterpoint.language.answers.extraction import extract_answer
from counterpoint.models.hf.batch_preparation import (
    BatchPreparer,
    BatchRow,
    PreparationProcesses,
    PreparedBatch,
    PromptFormatT,
)
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.decoder import Decoder
from counterpoint.models.hf.likelihood import (
    FirstStepLogits,
    FirstTokens,
    first_token_probabilities,
    log_likelihoods,
    rank_words,
    softmax,
)
from counterpoint.models.hf.sampling import TokenSampler, sampling_rng

PREFETCHED_BATCHES = 256
"""Batches that are best asked for at once: the device waits for the first of them, and for no other."""
YES_NO = ("yes", "no")
"""The two words of a score."""

Batches: TypeAlias = Callable[[Sequence[BatchRow]], Iterator[PreparedBatch]]
"""What makes rows ready."""
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """How a model is asked and how it speaks, as users set it."""

    asking: str  # the content of its prompts
    tokens: int = 32
    rule: str = "auto"
    choose: str = "generate"
    temperature: float = 1.0
    batch: int = 16

    def __post_init__(self) -> None:
        extract_answer(
            "", Query(None, ""), rule=self.rule
        )  # a rule that nobody knows is said before anything is loaded
        if self.choose not in ("generate", "likelihood"):
            raise ModelError(f"choose is {self.choose!r}", hint="choose=generate or choose=likelihood")
        if self.tokens < 1 or self.batch < 1 or self.temperature <= 0:
            fact = f"tokens={self.tokens}, batch={self.batch}, temperature={self.temperature}"
            raise ModelError(f"{fact}: each must be above 0", hint="leave a setting out to have its usual value")

    @property
    def content(self) -> str:
        """What a fingerprint needs of it; answers do not depend on the batch."""
        return canonical([self.asking, self.tokens, self.rule, self.choose, repr(self.temperature)])


class GenerativeModel(Generic[PromptFormatT]):
    """A model that answers in words, and draws its answers where it is asked to."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        model: Any,
        wording: PromptFormatT,
        pictures: Pictures,
        manner: GenerationSettings,
        elsewhere: PreparationProcesses | None = None,
    ) -> None:
        self.fingerprint, self.former_fingerprints = checkpoint.identity(manner.content)
        self._voice, self._manner, self._micro = Decoder(model, wording.tokenizer), manner, manner.batch
        self._preparer = BatchPreparer(wording, pictures, self._voice.packed, elsewhere)
        self._wording = self._preparer.wording
        self._words, self._gap = self._wording.tokenizer, self._wording.gap
        self._openings = FirstTokens(self._words)

    @property
    def batch_size(self) -> int:
        """Several batches of its own, which it makes ready while the device is busy with those before."""
        return PREFETCHED_BATCHES * self._micro

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers with their positions, batch by batch.

        With `choose=likelihood` a query with choices is answered by the choice that the model is likeliest to begin
        with, by the sum over its tokens, not divided by their number. Otherwise the model says what it likes; its top
        then are the choices, or yes and no where it said one of these, by the probability that an answer begins so.
        """
        return self._answers([BatchRow(position, query) for position, query in enumerate(queries)], self._batches)

    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[tuple[int, int, Answer]]:
        """Answers drawn at the temperature, each from seed, query and trial; trial 0 is the plain pass."""
        rated = [place for place, query in enumerate(queries) if query.mode is Mode.SCORE]
        for place, trial, answer in self._rated([queries[place] for place in rated], trials, seed):
            yield rated[place], trial, answer
        rows = [BatchRow(place, query) for place, query in enumerate(queries) if query.mode is Mode.ANSWER]
        for batch in self._batches(rows):
            for trial in trials:
                yield from ((place, trial, answer) for place, answer in batch.failed)
                lucks = [sampling_rng(row.query, trial, seed) for row in batch.rows]
                steering = [TokenSampler(lucks, self._manner.temperature)] if trial else []
                yield from ((place, trial, answer) for place, answer in self._spoken(batch, *steering))

    def _rated(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[tuple[int, int, Answer]]:
        """Scores by chance, of a model that has any."""
        for place, _ in enumerate(queries):
            yield from ((place, trial, Answer.failed("this model gives no scores")) for trial in trials)

    def _answers(self, rows: Sequence[BatchRow], batches: Batches) -> Iterator[PlacedAnswer]:
        likely = self._manner.choose == "likelihood"
        for batch in batches([row for row in rows if not (likely and row.query.choices)]):
            yield from batch.failed
            yield from self._spoken(batch)
        yield from self._chosen([row for row in rows if likely and row.query.choices], batches)

    def _spoken(self, batch: PreparedBatch, *steering: Any) -> Iterator[PlacedAnswer]:
        if not batch.rows:
            return
        first = FirstStepLogits()
        said = self._say(batch.inputs, first, *steering, tokens=self._manner.tokens)
        texts = self._words.batch_decode(said, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        plain = [
            extract_answer(self._cut(text), row.query, rule=self._manner.rule) for text, row in _pairs(texts, batch)
        ]
        asked = [row.query.choices or (YES_NO if one.value in YES_NO else ()) for one, row in _pairs(plain, batch)]
        odds = first_token_probabilities(first.logits, [self._openings.of(words) for words in asked])
        for row, one, words, chances in zip(batch.rows, plain, asked, odds, strict=True):
            yield row.position, replace(one, top=rank_words(words, chances))

    def _cut(self, text: str) -> str:
        return text.lstrip().split(self._wording.stop)[0] if self._wording.stop else text

    def _chosen(self, rows: Sequence[BatchRow], batches: Batches) -> Iterator[PlacedAnswer]:
        """Answers by likelihood; choices of one token each need no more than the first step."""
        long = {row.position for row in rows if any(len(tail) > 1 for tail in self._tails(row.query))}
        for batch in batches([row for row in rows if row.position not in long]):
            yield from batch.failed
            if batch.rows:
                first = FirstStepLogits()
                self._say(batch.inputs, first, tokens=1)
                tails = [[[tail[0]] for tail in self._tails(row.query)] for row in batch.rows]
                for row, chances in zip(batch.rows, first_token_probabilities(first.logits, tails), strict=True):
                    yield self._choice(row, chances)
        yield from self._by_rows([row for row in rows if row.position in long], batches)

    def _by_rows(self, rows: Sequence[BatchRow], batches: Batches) -> Iterator[PlacedAnswer]:
        """A row for each choice; it is answered when the last of its choices is."""
        split = [BatchRow(row.position, row.query, tail) for row in rows for tail in self._tails(row.query)]
        sums: dict[int, dict[tuple[int, ...], float]] = {row.position: {} for row in rows}
        for batch in batches(split):
            for position, answer in batch.failed:
                if sums.pop(position, None) is not None:
                    yield position, answer
            if not batch.rows:
                continue
            found = log_likelihoods(self._say, batch.inputs, [row.tail for row in batch.rows], self._voice.end)
            for row, total in zip(batch.rows, found, strict=True):
                sums[row.position][row.tail] = total
                tails = self._tails(row.query)
                if len(sums[row.position]) == len(set(tails)):
                    yield self._choice(row, softmax([sums[row.position][tail] for tail in tails]))

    def _choice(self, row: BatchRow, chances: Sequence[float]) -> PlacedAnswer:
        top = rank_words(row.query.choices, chances)
        return row.position, extract_answer(top[0][0], row.query, rule=self._manner.rule, top=top)

    def _tails(self, query: Query) -> list[tuple[int, ...]]:
        return [tuple(self._words.encode(self._gap + choice, add_special_tokens=False)) for choice in query.choices]

    def _say(self, inputs: Mapping[str, Any], *steering: Any, tokens: int) -> Any:
        """Speak; when memory runs out, it flies on to whoever asked, and the next batches are half as large."""
        import torch

        try:
            return self._voice(inputs, *steering, tokens=tokens)
        except torch.OutOfMemoryError:
            self._micro = max(1, self._micro // 2)
            raise

    def _batches(self, rows: Sequence[BatchRow]) -> Iterator[PreparedBatch]:
        return self._preparer.batches(rows, self._micro)


class ScoringGenerativeModel(GenerativeModel[PromptFormatT]):
    """A model that answers, and says how likely it is to call a sentence right."""

    scale = Scale.PROBABILITY

    def stream_scores(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Scores with their positions; one whose picture cannot be shown fails and says why."""
        asked = [replace(query, mode=Mode.SCORE) for query in queries]
        return ((position, answer) for position, _, answer in self._rated(asked, (0,), 0))

    def score(self, queries: Sequence[Query]) -> Floats:
        """The probability of yes against that of no as the first word; not a number where nothing can be shown."""
        scores = np.full(len(queries), np.nan, np.float32)
        rows = [BatchRow(position, replace(query, mode=Mode.SCORE)) for position, query in enumerate(queries)]
        for batch in self._batches(rows):
            for row, chance in zip(batch.rows, self._chances(batch), strict=True):
                scores[row.position] = chance
        return scores

    def _rated(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[tuple[int, int, Answer]]:
        """A score by chance is 1 where yes was drawn, and 0 where it was no."""
        for batch in self._batches([BatchRow(place, query) for place, query in enumerate(queries)]):
            yield from ((place, trial, answer) for place, answer in batch.failed for trial in trials)
            for row, chance in zip(batch.rows, self._chances(batch), strict=True):
                for trial in trials:
                    drawn = float(sampling_rng(row.query, trial, seed).random() < chance) if trial else chance
                    yield row.position, trial, Answer.scored(drawn)

    def _chances(self, batch: PreparedBatch) -> list[float]:
        if not batch.rows:
            return []
        first = FirstStepLogits()
        self._say(batch.inputs, first, tokens=1)
        words = self._openings.of(YES_NO)
        assert words, "yes and no begin with different letters"
        return [chances[0] for chances in first_token_probabilities(first.logits, [words] * len(batch.rows))]


def _pairs(things: Sequence[Item], batch: PreparedBatch) -> Iterator[tuple[Item, BatchRow]]:
    return zip(things, batch.rows, strict=True)
