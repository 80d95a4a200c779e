"""Generative vision-language models: LLaVA, Qwen-VL, SmolVLM, PaliGemma, and others of the same auto class."""

from dataclasses import replace
from functools import partial
from inspect import signature

from counterpoint.core.errors import ModelError
from counterpoint.core.ports import Model, Pictures
from counterpoint.models.hf.batch_preparation import PreparationPool
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.features import LlavaModel, has_llava_features
from counterpoint.models.hf.generation import GenerationSettings, GenerativeModel, ScoringGenerativeModel
from counterpoint.models.hf.processors import load_processor, set_padding
from counterpoint.models.hf.prompt_formats import BlipPrompt, ChatPrompt, chat_template
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
BLIP = Prompt(question="{text}", choice="{text}", context="{context} {words}")
"""The question alone after its context, without choices, as the model was trained."""


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
    batch: int = 16,
) -> Model:
    """A generative vision-language model.

    `prompt` and `system` are its prompts, `template` a file with another chat template or the word plain, `tokens` the
    length of an answer, `rule` the extraction rule, `choose` how it chooses, `temperature` that of sampling.
    """
    from transformers import AutoModelForImageTextToText

    build = partial(build_prompt, checkpoint.unloaded(), prompt, system, template)
    prompts = build()
    settings = GenerationSettings(prompts.prompt.content + prompts.template, tokens, rule, choose, temperature, batch)
    model = checkpoint.weights(AutoModelForImageTextToText)
    prompts.token_types = "token_type_ids" in signature(model.forward).parameters
    dtype = str(checkpoint.torch_dtype).removeprefix("torch.")
    processes = PreparationPool.of(partial(build, prompts.token_types), pictures, checkpoint.place, dtype)
    kind = LlavaModel if has_llava_features(checkpoint.config) else ScoringGenerativeModel
    return kind(checkpoint, model, prompts, pictures, settings, processes)


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
    image_token = "" if kind in ("blip-2", "instructblip") else str(getattr(processor, "image_token", "<image>"))
    after = "\n" if kind == "paligemma" and not chat else ""
    return ChatPrompt(processor.tokenizer, prompts, chat, processor, image_token, after, token_types)


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
    return GenerativeModel(
        checkpoint, model, BlipPrompt(processor.tokenizer, prompts, "", processor, ""), pictures, settings
    )
