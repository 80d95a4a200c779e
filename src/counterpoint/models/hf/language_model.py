"""Text-only language models, as blind baselines for questions and sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from counterpoint.core.groups import Answer, Query
from counterpoint.core.ports import Floats, Model, Pictures, PlacedAnswer, SampledAnswer, Scale
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.decoder import sequence_log_likelihoods
from counterpoint.models.hf.generation import GenerationSettings, GenerativeModel
from counterpoint.models.hf.processors import set_padding
from counterpoint.models.hf.prompt_formats import PromptFormat, chat_template
from counterpoint.models.prompts import Prompt

PLAIN = Prompt(
    question="Question: {text}\nAnswer:",
    choice="Question: {text}\nChoices: {choices}\nAnswer:",
)
"""The prompt of a base model, whose answer ends with its line."""


def make(
    checkpoint: Checkpoint,
    pictures: Pictures,
    *,
    prompt: str = "",
    system: str = "",
    template: str = "",
    tokens: int = 32,
    rule: str = "auto",
    choose: str = "generate",
    temperature: float = 1.0,
    batch: int = 32,
) -> Model:
    """A language model as a text-only baseline, with the settings of vision-language models."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = checkpoint.load(AutoTokenizer.from_pretrained)
    set_padding(tokenizer, "left")
    chat = "" if template == "plain" else chat_template(tokenizer, tokenizer, template)
    prompts = replace((Prompt() if chat else PLAIN).with_question(prompt), system=system)
    settings = GenerationSettings(prompts.content + chat, tokens, rule, choose, temperature, batch)
    model = checkpoint.weights(AutoModelForCausalLM)
    return LanguageModel(checkpoint, model, PromptFormat(tokenizer, prompts, chat), pictures, settings)


class LanguageModel(GenerativeModel[PromptFormat]):
    """A language model: it answers from the question alone, and scores a sentence by its log-likelihood."""

    scale = Scale.SIMILARITY

    def stream_scores(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Scores with their positions; a text without tokens fails with a reason."""
        return ((position, answer) for position, _, answer in self._sample_scores(queries, (0,), 0))

    def score(self, queries: Sequence[Query]) -> Floats:
        """The mean log-likelihood of the tokens of each text: the negative logarithm of its perplexity.

        A text follows the BOS token (where there is none, EOS) and its context, so that its first token counts too.
        Without either token it does not, and a text of one token has no score.
        """
        rows = [self._split(query) for query in queries]
        order = sorted(range(len(rows)), key=lambda place: sum(map(len, rows[place])))
        scores = np.full(len(rows), np.nan, np.float32)
        for start in range(0, len(order), self._micro_batch):
            places = [place for place in order[start : start + self._micro_batch] if all(rows[place])]
            if places:
                heads, tails = zip(*(rows[place] for place in places), strict=True)
                totals = sequence_log_likelihoods(self._decoder.model, heads, tails)
                scores[places] = [total / len(tail) for total, tail in zip(totals, tails, strict=True)]
        return scores

    def _sample_scores(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[SampledAnswer]:
        """The score itself in every trial: a log-likelihood is deterministic."""
        for place, score in enumerate(self.score(queries)):
            answer = Answer.scored(float(score)) if score == score else Answer.failed("the text has no tokens")
            yield from ((place, trial, answer) for trial in trials)

    def _split(self, query: Query) -> tuple[list[int], list[int]]:
        """The tokens before the text, and those of the text."""
        bos, eos = self._tokenizer.bos_token_id, self._tokenizer.eos_token_id
        mark = bos if bos is not None else eos
        before = self._tokenizer.encode(f"{query.context}\n\n", add_special_tokens=False) if query.context else []
        text = self._tokenizer.encode(query.text, add_special_tokens=False)
        head = [*([] if mark is None else [mark]), *before]
        return (head, text) if head else (text[:1], text[1:])
