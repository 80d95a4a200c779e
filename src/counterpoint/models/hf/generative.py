"""Generative models: LLaVA, Qwen-VL, SmolVLM, PaliGemma and others like them, BLIP, and text-only language models."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from inspect import signature
from itertools import chain
from typing import Any

import numpy as np

from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Answer, Mode, Query
from counterpoint.core.ports import Floats, Model, Pictures, PlacedAnswer, SampledAnswer, Scale
from counterpoint.models.hf.batch_preparation import BatchRow, PreparedBatch, preparation_pool
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.decoder import sequence_log_likelihoods
from counterpoint.models.hf.generation import GenerationSettings, GenerativeModel, ScoringGenerativeModel
from counterpoint.models.hf.picture_attention import batch_picture_attention
from counterpoint.models.hf.processors import load_processor, set_padding
from counterpoint.models.hf.prompt_formats import BlipPrompt, ChatPrompt, PromptFormat, chat_template, image_token
from counterpoint.models.prompts import Prompt

PLAIN = {
    "paligemma": Prompt(
        question="answer en {text}",
        choice="answer en {text} {choices}",
        sentence='answer en does "{text}" describe the image?',
    ),
    "blip-2": Prompt(
        question="Question: {text} Answer:",
        choice="Question: {text} Choices: {choices}. Answer:",
        sentence='Question: Does "{text}" describe the picture correctly, yes or no? Answer:',
    ),
    "instructblip": Prompt(),
}
"""Model types without a chat template, and their prompts."""
BASE_MODEL = Prompt(
    question="Question: {text}\nAnswer:",
    choice="Question: {text}\nChoices: {choices}\nAnswer:",
)
"""The prompt of a base model, whose answer ends with its line."""
BLIP = Prompt(question="{text}", choice="{text}", context="{context} {words}")
"""The question alone after its context, without choices, as the model was trained."""


_NO_TOKENS = "the text has no tokens"


def has_llava_features(config: Any) -> bool:
    """Whether a model replaces the image token by features of one shape, and does nothing else with either."""
    vision = getattr(getattr(config, "vision_config", None), "model_type", "")
    return config.model_type == "llava" and vision in ("clip_vision_model", "siglip_vision_model")


class LlavaModel(ScoringGenerativeModel[ChatPrompt]):
    """A model like LLaVA, whose picture and text embeddings can be read, edited and put back."""

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """The output of the projector; zeros where there is no picture."""
        import torch

        rows, asked = [], [BatchRow(position, query) for position, query in enumerate(queries)]
        for batch in self._preparer.batches(asked, self._micro_batch):
            for _, problem in batch.failed:
                raise ModelError(f"a picture has no features: {problem.reason}")
            with torch.inference_mode():
                pixels = self._decoder.to_device(batch.inputs).get("pixel_values")
                encoded = self._no_features(len(batch.rows)) if pixels is None else self._encode(pixels)
            rows += [(row.position, features) for row, features in zip(batch.rows, encoded.float().cpu(), strict=True)]
        return np.stack([features.numpy() for _, features in sorted(rows, key=lambda pair: pair[0])])

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """The embeddings of the prompt, with one position for the whole picture; zeros follow the last token."""
        import torch

        rows, model = [self._ids(query) for query in queries], self._decoder.model
        padded = np.zeros((len(rows), max(map(len, rows)), model.config.text_config.hidden_size), np.float32)
        with torch.inference_mode():
            for place, ids in enumerate(rows):
                embedded = model.get_input_embeddings()(torch.tensor(ids, device=model.device))
                padded[place, : len(ids)] = embedded.float().cpu().numpy()
        return padded

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers, or scores in mode `score`, from features."""

        def batches(rows: Sequence[BatchRow]) -> Iterator[PreparedBatch]:
            for start in range(0, len(rows), self._micro_batch):
                part = list(rows[start : start + self._micro_batch])
                prompts = [self._join(picture[row.position], text[row.position], row.query) for row in part]
                yield PreparedBatch(part, self._decoder.pack(_pad_left(prompts)), [])

        rows = [BatchRow(position, query) for position, query in enumerate(queries)]
        yield from self._answers([row for row in rows if row.query.mode is Mode.ANSWER], batches)
        for batch in batches([row for row in rows if row.query.mode is Mode.SCORE]):
            for row, yes in zip(batch.rows, self._yes_probabilities(batch), strict=True):
                yield row.position, Answer.scored(yes)

    def _join(self, picture: Floats, text: Floats, query: Query) -> Floats:
        """The embeddings of a prompt with those of its picture in their place."""
        ids = self._ids(query)
        if query.picture is None:
            return text[: len(ids)]
        at = ids.index(int(self._decoder.model.config.image_token_id))
        return np.concatenate([text[:at], picture, text[at + 1 : len(ids)]])

    def _encode(self, pixels: Any) -> Any:
        import torch

        features = self._decoder.model.get_image_features(pixel_values=pixels)
        return torch.stack(list(getattr(features, "pooler_output", features)))

    def _no_features(self, rows: int) -> Any:
        """Zeros in the shape of picture features."""
        import torch

        model, size = self._decoder.model, self._decoder.model.config.vision_config.image_size
        blank = torch.zeros((1, 3, size, size), device=model.device, dtype=model.dtype)
        return torch.zeros_like(self._encode(blank)).expand(rows, -1, -1)

    def _ids(self, query: Query) -> list[int]:
        text = self._prompts.text(query)
        return list(self._tokenizer.encode(text, add_special_tokens=self._prompts.lacks_bos(text)))


def _pad_left(rows: Sequence[Floats]) -> Mapping[str, Any]:
    """Embeddings of several lengths as one tensor, padded on the left."""
    import torch

    longest = max(map(len, rows))
    padded = np.stack([np.pad(row, ((longest - len(row), 0), (0, 0))) for row in rows])
    mask = [[0] * (longest - len(row)) + [1] * len(row) for row in rows]
    return {"inputs_embeds": torch.from_numpy(padded), "attention_mask": torch.tensor(mask)}


class BlipModel(GenerativeModel[BlipPrompt]):
    """BLIP for question answering, which cannot be asked without a picture."""

    needs_picture = True


class LanguageModel(GenerativeModel[PromptFormat]):
    """A language model: it answers from the question alone, and scores a sentence by its log-likelihood.

    A query with more tokens than a model with learned positions has fails alone: on CUDA it would end the process.
    """

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
            places = [place for place in order[start : start + self._micro_batch] if self._is_scored(*rows[place])]
            if places:
                heads, tails = zip(*(rows[place] for place in places), strict=True)
                totals = sequence_log_likelihoods(self._decoder.model, heads, tails)
                scores[places] = [total / len(tail) for total, tail in zip(totals, tails, strict=True)]
        return scores

    def _sample_scores(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[SampledAnswer]:
        """The score itself in every trial: a log-likelihood is deterministic."""
        for place, (query, score) in enumerate(zip(queries, self.score(queries), strict=True)):
            reason = "the text has more tokens than the model reads" if all(self._split(query)) else _NO_TOKENS
            answer = Answer.scored(float(score)) if score == score else Answer.failed(reason)
            yield from ((place, trial, answer) for trial in trials)

    @cached_property
    def _positions(self) -> int:
        """The positions of a model that has learned them; 0 for one that computes them."""
        return learned_positions(self._decoder.model)

    def _batches(self, rows: Sequence[BatchRow]) -> Iterator[PreparedBatch]:
        """Rows as batches; those that leave no room for an answer are a batch of failed ones."""
        if not self._positions:
            return super()._batches(rows)
        sizes = {row: len(self._tokenizer.encode(self._prompts.text(row.query))) for row in rows}
        most = {row: self._positions - max(self._settings.tokens, len(row.tail)) for row in rows}
        failed = [
            (row.position, Answer.failed(f"the prompt has {sizes[row]:,} tokens, and the model reads {most[row]:,}"))
            for row in rows
            if sizes[row] > most[row]
        ]
        batches = super()._batches([row for row in rows if sizes[row] <= most[row]])
        return chain([PreparedBatch([], {}, failed)] if failed else [], batches)

    def _is_scored(self, head: Sequence[int], tail: Sequence[int]) -> bool:
        return bool(head and tail) and (not self._positions or len(head) + len(tail) <= self._positions)

    def _split(self, query: Query) -> tuple[list[int], list[int]]:
        """The tokens before the text, and those of the text."""
        bos, eos = self._tokenizer.bos_token_id, self._tokenizer.eos_token_id
        mark = bos if bos is not None else eos
        before = self._tokenizer.encode(f"{query.context}\n\n", add_special_tokens=False) if query.context else []
        text = self._tokenizer.encode(query.text, add_special_tokens=False)
        head = [*([] if mark is None else [mark]), *before]
        return (head, text) if head else (text[:1], text[1:])


def learned_positions(model: Any) -> int:
    """How many positions a model has learned, as GPT-2 and OPT have; 0 for one that computes them."""
    from torch.nn import Embedding

    for name, layer in model.named_modules():
        if isinstance(layer, Embedding) and name.rpartition(".")[2] in ("wpe", "embed_positions"):
            return int(layer.num_embeddings) - int(getattr(layer, "offset", 0))
    return 0


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
    batch: int = 0,
    share: bool = True,
) -> Model:
    """A generative vision-language model.

    `prompt` and `system` are its prompts, `template` a file with another chat template or the word plain, `tokens` the
    length of an answer, `rule` the extraction rule, `choose` how it chooses, `temperature` that of sampling, `batch`
    the batch size where it is not left to the device, `share` whether queries on one picture share its computation.
    """
    from transformers import AutoModelForImageTextToText

    build = partial(build_prompt, checkpoint.unloaded(), prompt, system, template)
    prompts = build()
    settings = GenerationSettings(prompts.prompt.content + prompts.template, tokens, rule, choose, temperature, batch)
    model = checkpoint.weights(AutoModelForImageTextToText)
    batch_picture_attention(model)
    prompts.token_types = "token_type_ids" in signature(model.forward).parameters
    dtype = str(checkpoint.torch_dtype).removeprefix("torch.")
    pool = preparation_pool(partial(build, prompts.token_types), pictures, checkpoint.place, dtype)
    kind = LlavaModel if has_llava_features(checkpoint.config) else ScoringGenerativeModel
    made = kind(checkpoint, model, prompts, pictures, settings, pool)
    if share:
        made.share_pictures(checkpoint.config)
    return made


def build_prompt(
    checkpoint: Checkpoint, prompt: str, system: str, template: str, token_types: bool = False
) -> ChatPrompt:
    """The prompt format of a checkpoint with the settings of its user."""
    kind = checkpoint.config.model_type
    prompts = replace(PLAIN.get(kind, Prompt()).with_question(prompt), system=system)
    processor = load_processor(checkpoint)
    chat = "" if template == "plain" else chat_template(processor, processor.tokenizer, template)
    if not chat and template != "plain" and kind not in PLAIN:
        fact = f"{checkpoint.name} has no chat template"
        raise ModelError(fact, hint="--model-args template=FILE.jinja gives it one, template=plain does without")
    word = "" if kind in ("blip-2", "instructblip") else str(getattr(processor, "image_token", "<image>"))
    after = "\n" if kind == "paligemma" and not chat else ""
    token = image_token(checkpoint.config)
    made = ChatPrompt(processor.tokenizer, prompts, chat, processor, word, after, token_types)
    return made if token is None else replace(made, picture_token=token)


def make_blip(
    checkpoint: Checkpoint,
    pictures: Pictures,
    *,
    prompt: str = "",
    tokens: int = 16,
    rule: str = "auto",
    choose: str = "generate",
    temperature: float = 1.0,
    batch: int = 32,
) -> Model:
    """BLIP for question answering, with the settings of generative models."""
    from transformers import BlipForQuestionAnswering

    prompts = BLIP.with_question(prompt)
    settings = GenerationSettings(prompts.content, tokens, rule, choose, temperature, batch)
    processor = load_processor(checkpoint)
    set_padding(processor.tokenizer, "right")
    model = checkpoint.weights(BlipForQuestionAnswering)
    return BlipModel(checkpoint, model, BlipPrompt(processor.tokenizer, prompts, "", processor, ""), pictures, settings)


def make_language(
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
    prompts = replace((Prompt() if chat else BASE_MODEL).with_question(prompt), system=system)
    settings = GenerationSettings(prompts.content + chat, tokens, rule, choose, temperature, batch)
    model = checkpoint.weights(AutoModelForCausalLM)
    return LanguageModel(checkpoint, model, PromptFormat(tokenizer, prompts, chat), pictures, settings)
