"""Generative models: answers in batches, generated, sampled, or chosen by likelihood; scores by the first token."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias

from counterpoint.core.costs import Usage
from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Answer, Mode, Query
from counterpoint.core.ids import canonical
from counterpoint.core.ports import Floats, Pictures, PlacedAnswer, SampledAnswer, Scale, score_array
from counterpoint.engine.mapped_arrays import MappedPool
from counterpoint.language.answers.extraction import extract_answer
from counterpoint.models.hf.batch_preparation import BatchPreparer, BatchRow, PreparedBatch, PromptFormatT
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.decoder import (
    Decoder,
    FirstStepLogits,
    FirstTokens,
    TokenSampler,
    count_tokens,
    first_token_probabilities,
    log_likelihoods,
    rank_words,
    sampling_rng,
    softmax,
)

PREFETCHED_BATCHES = 256
"""Batches per call: the device waits for the first of them alone."""
YES_NO = ("yes", "no")

Batches: TypeAlias = Callable[[Sequence[BatchRow]], Iterator[PreparedBatch]]
"""Prepares rows."""


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """How a model is prompted and how it generates, as users set it."""

    prompt: str  # the content of its prompts, for the fingerprint
    tokens: int = 32
    rule: str = "auto"
    choose: str = "generate"
    temperature: float = 1.0
    batch: int = 16

    def __post_init__(self) -> None:
        extract_answer("", Query(None, ""), rule=self.rule)  # an unknown rule is an error before anything is loaded
        if self.choose not in ("generate", "likelihood"):
            raise ModelError(f"choose is {self.choose!r}", hint="choose=generate or choose=likelihood")
        if self.tokens < 1 or self.batch < 1 or self.temperature <= 0:
            fact = f"tokens={self.tokens}, batch={self.batch}, temperature={self.temperature}"
            raise ModelError(f"{fact}: each must be above 0", hint="leave a setting out for its default")

    @property
    def content(self) -> str:
        """What a fingerprint covers; answers do not depend on the batch size."""
        return canonical([self.prompt, self.tokens, self.rule, self.choose, repr(self.temperature)])


class GenerativeModel(Generic[PromptFormatT]):
    """A model that generates answers, and samples them in stochastic passes."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        model: Any,
        prompts: PromptFormatT,
        pictures: Pictures,
        settings: GenerationSettings,
        pool: MappedPool | None = None,
    ) -> None:
        self.fingerprint, self.former_fingerprints = checkpoint.identity(settings.content)
        self._decoder, self._settings = Decoder(model, prompts.tokenizer), settings
        self._micro_batch = settings.batch
        self._preparer = BatchPreparer(prompts, pictures, self._decoder.pack, pool)
        self._prompts = self._preparer.prompts
        self._tokenizer, self._gap = self._prompts.tokenizer, self._prompts.gap
        self._first_tokens = FirstTokens(self._tokenizer)

    @property
    def batch_size(self) -> int:
        """Several batches, which are prepared while the device is busy."""
        return PREFETCHED_BATCHES * self._micro_batch

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers with their positions, batch by batch.

        With `choose=likelihood` a query with choices is answered by the choice of the highest log-likelihood, summed
        over its tokens and not divided by their number. Otherwise the model generates; its top then are the choices,
        or yes and no where it gave one of these, by the probability of their first tokens.
        """
        return self._answers([BatchRow(position, query) for position, query in enumerate(queries)], self._batches)

    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[SampledAnswer]:
        """Answers sampled at the temperature, seeded by seed, query and trial; trial 0 is the plain pass."""
        scored = [place for place, query in enumerate(queries) if query.mode is Mode.SCORE]
        for place, trial, answer in self._sample_scores([queries[place] for place in scored], trials, seed):
            yield scored[place], trial, answer
        rows = [BatchRow(place, query) for place, query in enumerate(queries) if query.mode is Mode.ANSWER]
        for batch in self._batches(rows):
            for trial in trials:
                yield from ((place, trial, answer) for place, answer in batch.failed)
                rngs = [sampling_rng(row.query, trial, seed) for row in batch.rows]
                samplers = [TokenSampler(rngs, self._settings.temperature)] if trial else []
                yield from ((place, trial, answer) for place, answer in self._generated(batch, *samplers))

    def _sample_scores(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[SampledAnswer]:
        """Stochastic scores, of a model that has any."""
        for place, _ in enumerate(queries):
            yield from ((place, trial, Answer.failed("this model gives no scores")) for trial in trials)

    def _answers(self, rows: Sequence[BatchRow], batches: Batches) -> Iterator[PlacedAnswer]:
        by_likelihood = self._settings.choose == "likelihood"
        for batch in batches([row for row in rows if not (by_likelihood and row.query.choices)]):
            yield from batch.failed
            yield from self._generated(batch)
        yield from self._chosen([row for row in rows if by_likelihood and row.query.choices], batches)

    def _generated(self, batch: PreparedBatch, *processors: Any) -> Iterator[PlacedAnswer]:
        if not batch.rows:
            return
        first = FirstStepLogits()
        tokens = self._generate(batch.inputs, first, *processors, tokens=self._settings.tokens)
        texts = self._tokenizer.batch_decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        answers, offered = [], []
        for text, row in zip(texts, batch.rows, strict=True):
            answers.append(extract_answer(self._cut(text), row.query, rule=self._settings.rule))
            offered.append(row.query.choices or (YES_NO if answers[-1].value in YES_NO else ()))
        probabilities = first_token_probabilities(first.logits, [self._first_tokens.of(words) for words in offered])
        for row, answer, usage, words, shares in zip(
            batch.rows, answers, self._usages(batch, tokens), offered, probabilities, strict=True
        ):
            yield row.position, replace(answer, top=rank_words(words, shares), usage=usage)

    def _usages(self, batch: PreparedBatch, tokens: Any) -> Sequence[Usage | None]:
        """The tokens of generated answers; None where they do not cover the picture."""
        if not self._prompts.counts_pictures:
            return [None] * len(batch.rows)
        return count_tokens(batch.inputs, tokens, self._tokenizer.pad_token_id, self._decoder.end)

    def _cut(self, text: str) -> str:
        return text.lstrip().split(self._prompts.stop)[0] if self._prompts.stop else text

    def _chosen(self, rows: Sequence[BatchRow], batches: Batches) -> Iterator[PlacedAnswer]:
        """Answers by likelihood; choices of one token each need the first step alone."""
        long = {row.position for row in rows if any(len(tail) > 1 for tail in self._tails(row.query))}
        for batch in batches([row for row in rows if row.position not in long]):
            yield from batch.failed
            if batch.rows:
                first = FirstStepLogits()
                self._generate(batch.inputs, first, tokens=1)
                tails = [[[tail[0]] for tail in self._tails(row.query)] for row in batch.rows]
                for row, shares in zip(batch.rows, first_token_probabilities(first.logits, tails), strict=True):
                    yield self._choice(row, shares)
        yield from self._by_log_likelihood([row for row in rows if row.position in long], batches)

    def _by_log_likelihood(self, rows: Sequence[BatchRow], batches: Batches) -> Iterator[PlacedAnswer]:
        """A row for each choice; a query is answered with the last of its choices."""
        split = [BatchRow(row.position, row.query, tail) for row in rows for tail in self._tails(row.query)]
        sums: dict[int, dict[tuple[int, ...], float]] = {row.position: {} for row in rows}
        for batch in batches(split):
            for position, answer in batch.failed:
                if sums.pop(position, None) is not None:
                    yield position, answer
            if not batch.rows:
                continue
            totals = log_likelihoods(self._generate, batch.inputs, [row.tail for row in batch.rows], self._decoder.end)
            for row, total in zip(batch.rows, totals, strict=True):
                sums[row.position][row.tail] = total
                tails = self._tails(row.query)
                if len(sums[row.position]) == len(set(tails)):
                    yield self._choice(row, softmax([sums[row.position][tail] for tail in tails]))

    def _choice(self, row: BatchRow, probabilities: Sequence[float]) -> PlacedAnswer:
        top = rank_words(row.query.choices, probabilities)
        return row.position, extract_answer(top[0][0], row.query, rule=self._settings.rule, top=top)

    def _tails(self, query: Query) -> list[tuple[int, ...]]:
        return [tuple(self._tokenizer.encode(self._gap + choice, add_special_tokens=False)) for choice in query.choices]

    def _generate(self, inputs: Mapping[str, Any], *processors: Any, tokens: int) -> Any:
        """Decode; out of memory is raised to the caller, and the next batches are half as large."""
        import torch

        try:
            return self._decoder(inputs, *processors, tokens=tokens)
        except torch.OutOfMemoryError:
            self._micro_batch = max(1, self._micro_batch // 2)
            raise

    def _batches(self, rows: Sequence[BatchRow]) -> Iterator[PreparedBatch]:
        return self._preparer.batches(rows, self._micro_batch)


class ScoringGenerativeModel(GenerativeModel[PromptFormatT]):
    """A generative model that also gives the probability that a sentence is correct."""

    scale = Scale.PROBABILITY

    def stream_scores(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Scores with their positions; one whose picture cannot be read fails with a reason."""
        scored = [replace(query, mode=Mode.SCORE) for query in queries]
        return ((position, answer) for position, _, answer in self._sample_scores(scored, (0,), 0))

    def score(self, queries: Sequence[Query]) -> Floats:
        """The probability of yes against no as the first token; NaN where the picture cannot be read."""
        return score_array(self.stream_scores(queries), len(queries))

    def _sample_scores(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[SampledAnswer]:
        """A sampled score is 1 where yes was drawn, and 0 where no was."""
        for batch in self._batches([BatchRow(place, query) for place, query in enumerate(queries)]):
            yield from ((place, trial, answer) for place, answer in batch.failed for trial in trials)
            for row, yes in zip(batch.rows, self._yes_probabilities(batch), strict=True):
                for trial in trials:
                    score = float(sampling_rng(row.query, trial, seed).random() < yes) if trial else yes
                    yield row.position, trial, Answer.scored(score)

    def _yes_probabilities(self, batch: PreparedBatch) -> list[float]:
        if not batch.rows:
            return []
        first = FirstStepLogits()
        self._generate(batch.inputs, first, tokens=1)
        words = self._first_tokens.of(YES_NO)
        assert words, "yes and no begin with different tokens"
        return [yes for yes, _ in first_token_probabilities(first.logits, [words] * len(batch.rows))]
