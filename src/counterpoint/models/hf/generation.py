"""What all models that speak share: answers in batches, said, chosen or drawn; and scores by how they begin."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from counterpoint.core.answers import Answer
from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Mode, Query
from counterpoint.core.ids import canonical
from counterpoint.core.ports import Floats, Pictures, Placed, Scale
from counterpoint.language.answers.extraction import extract_answer
from counterpoint.models.hf.batch_preparation import Batch, Elsewhere, Preparer, Row, Worded
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.decoder import Voice
from counterpoint.models.hf.likelihood import First, Openings, log_likelihoods, ranked, shares, softmax
from counterpoint.models.hf.sampling import Drawn, luck_of

AHEAD = 256
"""Batches that are best asked for at once: the device waits for the first of them, and for no other."""
YES_NO = ("yes", "no")
"""The two words of a score."""

Batches: TypeAlias = Callable[[Sequence[Row]], Iterator[Batch]]
"""What makes rows ready."""
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Manner:
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


class Saying(Generic[Worded]):
    """A model that answers in words, and draws its answers where it is asked to."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        model: Any,
        wording: Worded,
        pictures: Pictures,
        manner: Manner,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self.fingerprint = checkpoint.fingerprint(manner.content)
        self._voice, self._manner, self._micro = Voice(model, wording.tokenizer), manner, manner.batch
        self._preparer = Preparer(wording, pictures, self._voice.packed, elsewhere)
        self._wording = self._preparer.wording
        self._words, self._gap = self._wording.tokenizer, self._wording.gap
        self._openings = Openings(self._words)

    @property
    def batch(self) -> int:
        """Several batches of its own, which it makes ready while the device is busy with those before."""
        return AHEAD * self._micro

    def answer(self, queries: Sequence[Query]) -> Iterator[Placed]:
        """Answers with their positions, batch by batch.

        With `choose=likelihood` a query with choices is answered by the choice that the model is likeliest to begin
        with, by the sum over its tokens, not divided by their number. Otherwise the model says what it likes; its top
        then are the choices, or yes and no where it said one of these, by the probability that an answer begins so.
        """
        return self._answers([Row(position, query) for position, query in enumerate(queries)], self._batches)

    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[tuple[int, int, Answer]]:
        """Answers drawn at the temperature, each from seed, query and trial; trial 0 is the plain pass."""
        rated = [place for place, query in enumerate(queries) if query.mode is Mode.SCORE]
        for place, trial, answer in self._rated([queries[place] for place in rated], trials, seed):
            yield rated[place], trial, answer
        rows = [Row(place, query) for place, query in enumerate(queries) if query.mode is Mode.ANSWER]
        for batch in self._batches(rows):
            for trial in trials:
                yield from ((place, trial, answer) for place, answer in batch.failed)
                lucks = [luck_of(row.query, trial, seed) for row in batch.rows]
                steering = [Drawn(lucks, self._manner.temperature)] if trial else []
                yield from ((place, trial, answer) for place, answer in self._spoken(batch, *steering))

    def _rated(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[tuple[int, int, Answer]]:
        """Scores by chance, of a model that has any."""
        for place, _ in enumerate(queries):
            yield from ((place, trial, Answer.failed("this model gives no scores")) for trial in trials)

    def _answers(self, rows: Sequence[Row], batches: Batches) -> Iterator[Placed]:
        likely = self._manner.choose == "likelihood"
        for batch in batches([row for row in rows if not (likely and row.query.choices)]):
            yield from batch.failed
            yield from self._spoken(batch)
        yield from self._chosen([row for row in rows if likely and row.query.choices], batches)

    def _spoken(self, batch: Batch, *steering: Any) -> Iterator[Placed]:
        if not batch.rows:
            return
        first = First()
        said = self._say(batch.inputs, first, *steering, tokens=self._manner.tokens)
        texts = self._words.batch_decode(said, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        plain = [
            extract_answer(self._cut(text), row.query, rule=self._manner.rule) for text, row in _pairs(texts, batch)
        ]
        asked = [row.query.choices or (YES_NO if one.value in YES_NO else ()) for one, row in _pairs(plain, batch)]
        odds = shares(first.logits, [self._openings.of(words) for words in asked])
        for row, one, words, chances in zip(batch.rows, plain, asked, odds, strict=True):
            yield row.position, replace(one, top=ranked(words, chances))

    def _cut(self, text: str) -> str:
        return text.lstrip().split(self._wording.stop)[0] if self._wording.stop else text

    def _chosen(self, rows: Sequence[Row], batches: Batches) -> Iterator[Placed]:
        """Answers by likelihood; choices of one token each need no more than the first step."""
        long = {row.position for row in rows if any(len(tail) > 1 for tail in self._tails(row.query))}
        for batch in batches([row for row in rows if row.position not in long]):
            yield from batch.failed
            if batch.rows:
                first = First()
                self._say(batch.inputs, first, tokens=1)
                tails = [[[tail[0]] for tail in self._tails(row.query)] for row in batch.rows]
                for row, chances in zip(batch.rows, shares(first.logits, tails), strict=True):
                    yield self._choice(row, chances)
        yield from self._by_rows([row for row in rows if row.position in long], batches)

    def _by_rows(self, rows: Sequence[Row], batches: Batches) -> Iterator[Placed]:
        """A row for each choice; it is answered when the last of its choices is."""
        split = [Row(row.position, row.query, tail) for row in rows for tail in self._tails(row.query)]
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

    def _choice(self, row: Row, chances: Sequence[float]) -> Placed:
        top = ranked(row.query.choices, chances)
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

    def _batches(self, rows: Sequence[Row]) -> Iterator[Batch]:
        return self._preparer.batches(rows, self._micro)


class Speaking(Saying[Worded]):
    """A model that answers, and says how likely it is to call a sentence right."""

    scale = Scale.PROBABILITY

    def rate(self, queries: Sequence[Query]) -> Iterator[Placed]:
        """Scores with their positions; one whose picture cannot be shown fails and says why."""
        asked = [replace(query, mode=Mode.SCORE) for query in queries]
        return ((position, answer) for position, _, answer in self._rated(asked, (0,), 0))

    def score(self, queries: Sequence[Query]) -> Floats:
        """The probability of yes against that of no as the first word; not a number where nothing can be shown."""
        scores = np.full(len(queries), np.nan, np.float32)
        rows = [Row(position, replace(query, mode=Mode.SCORE)) for position, query in enumerate(queries)]
        for batch in self._batches(rows):
            for row, chance in zip(batch.rows, self._chances(batch), strict=True):
                scores[row.position] = chance
        return scores

    def _rated(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[tuple[int, int, Answer]]:
        """A score by chance is 1 where yes was drawn, and 0 where it was no."""
        for batch in self._batches([Row(place, query) for place, query in enumerate(queries)]):
            yield from ((place, trial, answer) for place, answer in batch.failed for trial in trials)
            for row, chance in zip(batch.rows, self._chances(batch), strict=True):
                for trial in trials:
                    drawn = float(luck_of(row.query, trial, seed).random() < chance) if trial else chance
                    yield row.position, trial, Answer.scored(drawn)

    def _chances(self, batch: Batch) -> list[float]:
        if not batch.rows:
            return []
        first = First()
        self._say(batch.inputs, first, tokens=1)
        words = self._openings.of(YES_NO)
        assert words, "yes and no begin with different letters"
        return [chances[0] for chances in shares(first.logits, [words] * len(batch.rows))]


def _pairs(things: Sequence[Item], batch: Batch) -> Iterator[tuple[Item, Row]]:
    return zip(things, batch.rows, strict=True)
