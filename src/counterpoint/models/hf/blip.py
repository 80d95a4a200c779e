"""BLIP as it was trained to answer questions: a reader that looks at the picture, and a speaker of short answers."""

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
"""The question alone, as the model was trained; it is told no choices, and only what was said before."""


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
    """BLIP for question answering; its settings are those of other models that speak."""
    from transformers import BlipForQuestionAnswering

    asked = QUESTION.with_question(prompt)
    manner = GenerationSettings(asked.content, tokens, rule, choose, temperature, batch)
    processor = load_processor(checkpoint)
    set_padding(processor.tokenizer, "right")
    model = checkpoint.weights(BlipForQuestionAnswering)
    return GenerativeModel(checkpoint, model, BlipPrompt(processor, asked), pictures, manner)


@dataclass(slots=True)
class BlipPrompt:
    """Questions of one length together: the speaker of BLIP would listen to padding as well."""

    processor: Any
    prompt: Prompt
    gap: str = ""
    stop: str = ""

    @property
    def tokenizer(self) -> Any:
        """What makes tokens of words."""
        return self.processor.tokenizer

    def looks(self, query: Query) -> bool:
        """Always; it was never asked without a picture."""
        if query.picture is None:
            raise PictureError("BLIP cannot be asked without a picture")
        return True

    def alike(self, query: Query) -> Hashable:
        """So many tokens a question has."""
        return len(self.tokenizer.encode(self.prompt.text(query)))

    def inputs(self, queries: Sequence[Query], shown: Sequence[Pixels | None]) -> Mapping[str, Any]:
        """Tokens, and pixels for each."""
        seen = [Image.fromarray(pixels) for pixels in shown if pixels is not None]
        found = self.processor(text=[self.prompt.text(query) for query in queries], images=seen, return_tensors="pt")
        return {name: found[name] for name in ("input_ids", "attention_mask", "pixel_values")}
