"""Language models that never look: what can be answered and told apart from words alone."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from counterpoint.core.answers import Answer
from counterpoint.core.groups import Query
from counterpoint.core.ports import Floats, Model, Pictures, Pixels, PlacedAnswer, Scale
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.generation import GenerationSettings, GenerativeModel
from counterpoint.models.hf.likelihood import sequence_log_likelihoods
from counterpoint.models.hf.processors import answer_gap, chat_template, set_padding
from counterpoint.models.prompts import Prompt

PLAIN = Prompt(
    question="Question: {text}\nAnswer:",
    choice="Question: {text}\nChoices: {choices}\nAnswer:",
)
"""What a model is asked that only goes on with a text; its answer ends where its line ends."""


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
    """A language model as a baseline that is blind; its settings are those of models that see."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = checkpoint.load(AutoTokenizer.from_pretrained)
    set_padding(tokenizer, "left")
    chat = "" if template == "plain" else chat_template(tokenizer, tokenizer, template)
    asked = replace((Prompt() if chat else PLAIN).with_question(prompt), system=system)
    manner = GenerationSettings(asked.content + chat, tokens, rule, choose, temperature, batch)
    model = checkpoint.weights(AutoModelForCausalLM)
    return LanguageModel(checkpoint, model, TextPrompt(tokenizer, asked, chat), pictures, manner)


@dataclass(slots=True)
class TextPrompt:
    """A query in words alone, by a chat template or as the beginning of a text."""

    tokenizer: Any
    prompt: Prompt
    template: str

    @property
    def stop(self) -> str:
        """The end of the line, where no template says what the end of a turn is."""
        return "" if self.template else "\n"

    @property
    def gap(self) -> str:
        """A space, where a prompt ends in a word."""
        return answer_gap(self.text(Query(None, "")), self.tokenizer)

    def looks(self, query: Query) -> bool:
        """Never."""
        return False

    def alike(self, query: Query) -> Hashable:
        """All queries stand together."""
        return True

    def text(self, query: Query) -> str:
        """The whole prompt."""
        words = self.prompt.text(query)
        if not self.template:
            return f"{self.prompt.system}\n\n{words}" if self.prompt.system else words
        told = [{"role": "system", "content": self.prompt.system}] if self.prompt.system else []
        return str(
            self.tokenizer.apply_chat_template(
                [*told, {"role": "user", "content": words}],
                chat_template=self.template,
                tokenize=False,
                add_generation_prompt=True,
            )
        )

    def inputs(self, queries: Sequence[Query], shown: Sequence[Pixels | None]) -> Mapping[str, Any]:
        """Tokens, padded on the left."""
        texts = [self.text(query) for query in queries]
        begin = self.tokenizer.bos_token
        bare = not (begin and texts[0].startswith(begin))
        found = self.tokenizer(texts, padding=True, return_tensors="pt", add_special_tokens=bare)
        return {name: found[name] for name in ("input_ids", "attention_mask")}


class LanguageModel(GenerativeModel[TextPrompt]):
    """A language model: it answers what it can guess, and scores a sentence by how usual it is."""

    scale = Scale.SIMILARITY

    def stream_scores(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Scores with their positions; a text without tokens fails and says so."""
        return ((position, answer) for position, _, answer in self._rated(queries, (0,), 0))

    def score(self, queries: Sequence[Query]) -> Floats:
        """The mean log-likelihood of the tokens of each text, which is the negative logarithm of its perplexity.

        A text follows the mark of a beginning (where there is none that of an end), and what was said before it; so
        its first token counts too. Without either mark it does not, and a text of one token has no score.
        """
        rows = [self._read(query) for query in queries]
        order = sorted(range(len(rows)), key=lambda place: sum(map(len, rows[place])))
        scores = np.full(len(rows), np.nan, np.float32)
        for start in range(0, len(order), self._micro):
            some = [place for place in order[start : start + self._micro] if all(rows[place])]
            if some:
                found = sequence_log_likelihoods(
                    self._voice.model, [rows[place][0] for place in some], [rows[place][1] for place in some]
                )
                scores[some] = [total / len(rows[place][1]) for place, total in zip(some, found, strict=True)]
        return scores

    def _rated(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[tuple[int, int, Answer]]:
        """The score itself, in every trial: there is no luck in reading."""
        for place, score in enumerate(self.score(queries)):
            answer = Answer.scored(float(score)) if score == score else Answer.failed("the text has no tokens")
            yield from ((place, trial, answer) for trial in trials)

    def _read(self, query: Query) -> tuple[list[int], list[int]]:
        """What a text follows, and the text."""
        mark = self._words.bos_token_id if self._words.bos_token_id is not None else self._words.eos_token_id
        before = self._words.encode(f"{query.context}\n\n", add_special_tokens=False) if query.context else []
        text = self._words.encode(query.text, add_special_tokens=False)
        head = [*([] if mark is None else [mark]), *before]
        return (head, text) if head else (text[:1], text[1:])
