"""Generative models: answers in batches, generated, sampled, or chosen by likelihood; scores by the first token."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Generic, TypeAlias, TypeVar

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
    FirstTokenLogits,
    FirstTokens,
    TokenSampler,
    choice_probabilities,
    count_tokens,
    log_likelihoods,
    rank_words,
    sampling_rng,
)
from counterpoint.models.hf.picture_sharing import PictureSharing, find_obstacle

logger = logging.getLogger(__name__)

PREFETCHED_BATCHES, BATCH = 512, 16
"""Batches per call: the device waits for the first of them alone; and the batch size where users set none."""
YES_NO = ("yes", "no")

Batches: TypeAlias = Callable[[Sequence[BatchRow]], Iterator[PreparedBatch]]
"""Prepares rows."""
Generation: TypeAlias = tuple[Any, FirstTokenLogits]
"""The new tokens of each row, and the first logits of its choices, or of yes and no; both on the CPU."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """How a model is prompted and how it generates, as users set it."""

    prompt: str  # the content of its prompts, for the fingerprint
    tokens: int = 32
    rule: str = "auto"
    choose: str = "generate"
    temperature: float = 1.0
    batch: int = 0  # 0: as many as the device takes

    def __post_init__(self) -> None:
        extract_answer("", Query(None, ""), rule=self.rule)  # an unknown rule is an error before anything is loaded
        if self.choose not in ("generate", "likelihood"):
            raise ModelError(f"choose is {self.choose!r}", hint="choose=generate or choose=likelihood")
        if self.tokens < 1 or self.batch < 0 or self.temperature <= 0:
            fact = f"tokens={self.tokens}, batch={self.batch}, temperature={self.temperature}"
            raise ModelError(f"{fact}: each must be above 0", hint="leave a setting out for its default")

    @property
    def content(self) -> str:
        """What a fingerprint covers; answers depend neither on the batch size nor on what queries share."""
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
        self._micro_batch = settings.batch or BATCH
        self._preparer = BatchPreparer(prompts, pictures, self._decoder.pack, pool)
        self._prompts = self._preparer.prompts
        self._tokenizer, self._gap = self._prompts.tokenizer, self._prompts.gap
        self._first_tokens = FirstTokens(self._tokenizer)
        self._sharing: PictureSharing | None = None

    @property
    def batch_size(self) -> int:
        """Several batches, which are prepared while the device is busy."""
        return PREFETCHED_BATCHES * self._micro_batch

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers with their positions, batch by batch.

        With `choose=likelihood` a query with choices is answered by the choice of the highest log-likelihood, summed
        over its tokens and not divided by their number; one that begins another counts where the other does not follow.
        Otherwise the model generates; its top then are the choices,
        or yes and no where it gave one of these, by the probability of their first tokens.
        """
        return self._answers([BatchRow(position, query) for position, query in enumerate(queries)], self._batches)

    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[SampledAnswer]:
        """Answers sampled at the temperature, seeded by seed, query and trial; trial 0 is the plain pass."""
        scored = [place for place, query in enumerate(queries) if query.mode is Mode.SCORE]
        for place, trial, answer in self._sample_scores([queries[place] for place in scored], trials, seed):
            yield scored[place], trial, answer
        rows = [BatchRow(place, query) for place, query in enumerate(queries) if query.mode is Mode.ANSWER]
        if self._sharing:
            yield from self._sample_together(rows, trials, seed)
            return
        for batch in self._batches(rows):
            for trial in trials:
                yield from ((place, trial, answer) for place, answer in batch.failed)
                if batch.rows:
                    sampler = self._sampler([row.query for row in batch.rows], [trial] * len(batch.rows), seed)
                    answers = self._extracted(batch, self._generated(batch, sampler))
                    yield from ((place, trial, answer) for place, answer in answers)

    def _sample_together(self, rows: Sequence[BatchRow], trials: Sequence[int], seed: int) -> Iterator[SampledAnswer]:
        """All trials in one batch, so that a picture and a question are computed once for them."""
        keys = [(row, trial) for row in rows for trial in trials]

        def sampled(batch: PreparedBatch) -> Generation:
            drawn = [keys[row.position][1] for row in batch.rows]
            return self._generated(batch, self._sampler([row.query for row in batch.rows], drawn, seed))

        batches = self._batches([BatchRow(number, row.query) for number, (row, _) in enumerate(keys)])
        for batch, generation in self._computed(batches, sampled):
            for number, answer in (*batch.failed, *self._extracted(batch, generation)):
                row, trial = keys[number]
                yield row.position, trial, answer

    def _sampler(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> TokenSampler:
        """A sampler of each query in its trial; the plain pass is greedy."""
        rngs = [
            sampling_rng(query, trial, seed) if trial else None for query, trial in zip(queries, trials, strict=True)
        ]
        return TokenSampler(rngs, self._settings.temperature)

    def _sample_scores(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[SampledAnswer]:
        """Stochastic scores, of a model that has any."""
        for place, _ in enumerate(queries):
            yield from ((place, trial, Answer.failed("this model gives no scores")) for trial in trials)

    def _answers(self, rows: Sequence[BatchRow], batches: Batches) -> Iterator[PlacedAnswer]:
        by_likelihood = self._settings.choose == "likelihood"
        generated = batches([row for row in rows if not (by_likelihood and row.query.choices)])
        for batch, generation in self._computed(generated, self._generated):
            yield from batch.failed
            yield from self._extracted(batch, generation)
        yield from self._chosen([row for row in rows if by_likelihood and row.query.choices], batches)

    def _computed(
        self, batches: Iterable[PreparedBatch], compute: Callable[[PreparedBatch], Result]
    ) -> Iterator[tuple[PreparedBatch, Result | None]]:
        """Batches with what is computed for their rows; the device begins with the next before one is handed on."""
        last: tuple[PreparedBatch, Result | None] | None = None
        for batch in batches:
            self._begin(batch)
            if last is not None:
                yield last
            last = batch, compute(batch) if batch.rows else None
        if last is not None:
            yield last

    def _begin(self, batch: PreparedBatch) -> None:
        import torch

        if self._sharing and batch.shared:
            with suppress(torch.OutOfMemoryError):  # which is raised when the batch is computed
                self._sharing.decoder.begin(batch.shared)

    def _generated(self, batch: PreparedBatch, *processors: Any) -> Generation:
        first = FirstStepLogits()
        tokens = self._generate(batch, first, *processors, tokens=self._settings.tokens)
        offered = [self._first_tokens.of(row.query.choices or YES_NO) for row in batch.rows]
        return tokens.cpu(), FirstTokenLogits(first.logits, offered)

    def _extracted(self, batch: PreparedBatch, generation: Generation | None) -> Iterator[PlacedAnswer]:
        """The answers of a batch; nothing in it needs the device."""
        if generation is None:
            return
        tokens, logits = generation
        texts = self._tokenizer.batch_decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        usages = self._usages(batch, tokens)
        for number, (row, text, usage) in enumerate(zip(batch.rows, texts, usages, strict=True)):
            answer = extract_answer(self._cut(text), row.query, rule=self._settings.rule)
            words = row.query.choices or (YES_NO if answer.value in YES_NO else ())
            top = rank_words(words, logits.probabilities(number)) if words else ()
            yield row.position, replace(answer, top=top, usage=usage)

    def _usages(self, batch: PreparedBatch, tokens: Any) -> Sequence[Usage | None]:
        """The tokens of generated answers; None where they do not cover the picture."""
        if not self._prompts.counts_pictures:
            return [None] * len(batch.rows)
        read = batch.shared.lengths if batch.shared else batch.inputs["attention_mask"].sum(1).tolist()
        return count_tokens(read, tokens, self._decoder.ends)

    def _cut(self, text: str) -> str:
        return text.lstrip().split(self._prompts.stop)[0] if self._prompts.stop else text

    def _chosen(self, rows: Sequence[BatchRow], batches: Batches) -> Iterator[PlacedAnswer]:
        """Answers by likelihood; choices of one token each need the first step alone, and one without any fails."""
        empty = {row.position for row in rows if not all(self._tails(row.query))}
        yield from ((position, Answer.failed("a choice has no tokens")) for position in sorted(empty))
        rows = [row for row in rows if row.position not in empty]
        long = {row.position for row in rows if any(len(tail) > 1 for tail in self._tails(row.query))}
        short = batches([row for row in rows if row.position not in long])
        for batch, logits in self._computed(short, self._first_logits_of_choices):
            yield from batch.failed
            if logits is not None:
                yield from (self._choice(row, logits.probabilities(at)) for at, row in enumerate(batch.rows))
        yield from self._by_log_likelihood([row for row in rows if row.position in long], batches)

    def _first_logits_of_choices(self, batch: PreparedBatch) -> FirstTokenLogits:
        first = FirstStepLogits()
        self._generate(batch, first, tokens=1)
        return FirstTokenLogits(first.logits, [[[tail[0]] for tail in self._tails(row.query)] for row in batch.rows])

    def _by_log_likelihood(self, rows: Sequence[BatchRow], batches: Batches) -> Iterator[PlacedAnswer]:
        """A row for each choice; a query is answered with the last of its choices."""
        split = [BatchRow(row.position, row.query, tail) for row in rows for tail in self._tails(row.query)]
        sums: dict[int, dict[tuple[int, ...], float]] = {row.position: {} for row in rows}
        for batch, totals in self._computed(batches(split), self._log_likelihoods):
            for position, answer in batch.failed:
                if sums.pop(position, None) is not None:
                    yield position, answer
            for row, total in zip(batch.rows, totals or (), strict=True):
                known = sums.get(row.position, {})  # of a query that failed with another choice nothing is kept
                known[row.tail] = total
                tails = self._tails(row.query)
                if row.position in sums and len(known) == len(set(tails)):
                    yield self._choice(row, choice_probabilities(tails, [known[tail] for tail in tails]))

    def _choice(self, row: BatchRow, probabilities: Sequence[float]) -> PlacedAnswer:
        top = rank_words(row.query.choices, probabilities)
        return row.position, extract_answer(top[0][0], row.query, rule=self._settings.rule, top=top)

    def _tails(self, query: Query) -> list[tuple[int, ...]]:
        return [tuple(self._tokenizer.encode(self._gap + choice, add_special_tokens=False)) for choice in query.choices]

    def _log_likelihoods(self, batch: PreparedBatch) -> list[float]:
        """The log-likelihood of the tail of each row after its prompt."""
        tails = [row.tail for row in batch.rows]
        with self._smaller_batches(batch):
            if self._sharing and batch.shared:
                return self._sharing.decoder.log_likelihoods(batch.shared, tails)
            return log_likelihoods(self._decoder, batch.inputs, tails, self._decoder.end)

    def _generate(self, batch: PreparedBatch, *processors: Any, tokens: int) -> Any:
        """Decode."""
        with self._smaller_batches(batch):
            if self._sharing and batch.shared:
                return self._sharing.decoder.generate(batch.shared, *processors, tokens=tokens)
            return self._decoder(batch.inputs, *processors, tokens=tokens)

    @contextmanager
    def _smaller_batches(self, batch: PreparedBatch) -> Iterator[None]:
        """Out of memory is raised to the caller, and the next batches are half as large."""
        import torch

        try:
            yield
        except torch.OutOfMemoryError:
            self._micro_batch = max(1, self._micro_batch // 2)
            if self._sharing:
                self._sharing.halve(len(batch.rows))
            raise

    def share_pictures(self, config: Any) -> None:
        """Compute a picture once for all queries on it, where the model allows that, and else say why not."""
        if obstacle := find_obstacle(self._prompts, config):
            logger.info("each query computes its picture anew: %s", obstacle)
            return
        token = self._prompts.picture_token
        self._sharing = PictureSharing(self._decoder, token, self._settings.batch, self._settings.tokens)

    def _batches(self, rows: Sequence[BatchRow]) -> Iterator[PreparedBatch]:
        shown = [row for row in rows if row.query.picture is not None]
        if self._sharing and shown and not self._sharing.agrees(self._preparer, shown):
            logger.warning("each query computes its picture anew: shared, the first one gave other logits")
            self._sharing = None
        if not self._sharing:
            return self._preparer.batches(rows, self._micro_batch)
        blind = [row for row in rows if row.query.picture is None]
        return chain(self._preparer.batches(blind, self._micro_batch), self._sharing.batches(self._preparer, shown))


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
        batches = self._batches([BatchRow(place, query) for place, query in enumerate(queries)])
        for batch, found in self._computed(batches, self._yes_probabilities):
            yield from ((place, trial, answer) for place, answer in batch.failed for trial in trials)
            for row, yes in zip(batch.rows, found or (), strict=True):
                for trial in trials:
                    score = float(sampling_rng(row.query, trial, seed).random() < yes) if trial else yes
                    yield row.position, trial, Answer.scored(score)

    def _yes_probabilities(self, batch: PreparedBatch) -> list[float]:
        first = FirstStepLogits()
        self._generate(batch, first, tokens=1)
        words = self._first_tokens.of(YES_NO)
        assert words, "yes and no begin with different tokens"
        logits = FirstTokenLogits(first.logits, [words] * len(batch.rows))
        return [logits.probabilities(number)[0] for number in range(len(batch.rows))]
