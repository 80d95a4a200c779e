"""BLIP for visual question answering: an encoder of question and picture, and a decoder of short answers."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from counterpoint.core.errors import PictureError
from counterpoint.core.groups import Query
from counterpoint.core.ports import Model, Pictures, Pixels
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.generation import GenerationSettings, GenerativeModel
from counterpoint.models.hf.processors import load_processor, set_padding
from counterpoint.models.prompts import Prompt

QUESTION = Prompt(question="{text}", choice="{text}", context="{context} {words}")
"""The question alone after its context, without choices, as the model was trained."""


def make(
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

    prompts = QUESTION.with_question(prompt)
    settings = GenerationSettings(prompts.content, tokens, rule, choose, temperature, batch)
    processor = load_processor(checkpoint)
    set_padding(processor.tokenizer, "right")
    model = checkpoint.weights(BlipForQuestionAnswering)
    return GenerativeModel(checkpoint, model, BlipPrompt(processor, prompts), pictures, settings)


@dataclass(slots=True)
class BlipPrompt:
    """Questions of one length per batch, since the decoder of BLIP would attend to padding."""

    processor: Any
    prompt: Prompt
    gap: str = ""
    stop: str = ""

    @property
    def tokenizer(self) -> Any:
        """The tokenizer of the processor."""
        return self.processor.tokenizer

    def shows_picture(self, query: Query) -> bool:
        """Always; a query without a picture is an error."""
        if query.picture is None:
            raise PictureError("BLIP cannot be asked without a picture")
        return True

    def batch_key(self, query: Query) -> Hashable:
        """The number of tokens of the question."""
        return len(self.tokenizer.encode(self.prompt.text(query)))

    def inputs(self, queries: Sequence[Query], pixels: Sequence[Pixels | None]) -> Mapping[str, Any]:
        """Tokens, and a picture for each."""
        images = [Image.fromarray(array) for array in pixels if array is not None]
        inputs = self.processor(text=[self.prompt.text(query) for query in queries], images=images, return_tensors="pt")
        return {name: inputs[name] for name in ("input_ids", "attention_mask", "pixel_values")}
