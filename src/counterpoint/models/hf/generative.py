"""Vision-language models that answer in words: LLaVA, Qwen-VL, SmolVLM, PaliGemma, and whatever is loaded like them."""

from dataclasses import replace
from functools import partial
from inspect import signature

from counterpoint.core.errors import ModelError
from counterpoint.core.ports import Model, Pictures
from counterpoint.models.hf.chat_prompt import ChatPrompt
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.features import LlavaModel, has_llava_features
from counterpoint.models.hf.generation import GenerationSettings, ScoringGenerativeModel
from counterpoint.models.hf.preparation_pool import PreparationPool
from counterpoint.models.hf.processors import chat_template, load_processor
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
"""Kinds of models that know no conversations, and how they are asked."""


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
    """A model that is shown a picture and asked in words.

    `prompt` and `system` are what it is told, `template` a file with another chat template or the word plain, `tokens`
    the length of an answer, `rule` how its value is taken, `choose` how it chooses, `temperature` that of sampling.
    """
    from transformers import AutoModelForImageTextToText

    build = partial(conversation, checkpoint.unloaded(), prompt, system, template)
    wording = build()
    manner = GenerationSettings(wording.prompt.content + wording.template, tokens, rule, choose, temperature, batch)
    model = checkpoint.weights(AutoModelForImageTextToText)
    wording.kinds = "token_type_ids" in signature(model.forward).parameters
    dtype = str(checkpoint.torch_dtype).removeprefix("torch.")
    elsewhere = PreparationPool.of(partial(build, wording.kinds), pictures, checkpoint.place, dtype)
    speaking = LlavaModel if has_llava_features(checkpoint.config) else ScoringGenerativeModel
    return speaking(checkpoint, model, wording, pictures, manner, elsewhere)


def conversation(checkpoint: Checkpoint, prompt: str, system: str, template: str, kinds: bool = False) -> ChatPrompt:
    """How a model is told what it is asked, as its checkpoint and its user want it."""
    kind = checkpoint.config.model_type
    asked = replace(PLAIN.get(kind, Prompt()).with_question(prompt), system=system)
    processor = load_processor(checkpoint)
    chat = "" if template == "plain" else chat_template(processor, processor.tokenizer, template)
    if not chat and template != "plain" and kind not in PLAIN:
        fact = f"{checkpoint.name} has no chat template"
        raise ModelError(fact, hint="--model-args template=FILE.jinja gives it one, template=plain does without")
    mark = "" if kind in ("blip-2", "instructblip") else str(getattr(processor, "image_token", "<image>"))
    after = "\n" if kind == "paligemma" and not chat else ""
    return ChatPrompt(processor, asked, chat, mark, after, kinds)
