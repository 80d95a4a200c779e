"""Prompts with a picture: by the chat template of a model, or as plain text after an image token."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from counterpoint.core.groups import Query
from counterpoint.core.ports import Pixels
from counterpoint.models.hf.processors import answer_gap, lacks_bos
from counterpoint.models.prompts import Prompt


@dataclass(slots=True)
class ChatPrompt:
    """A query as a turn of a conversation, or as plain text after an image token."""

    processor: Any
    prompt: Prompt
    template: str
    image_token: str  # in a plain prompt
    after: str = ""  # what the processor appends to it
    token_types: bool = False  # whether the model takes token_type_ids, as prefix LMs do
    stop: str = ""

    @property
    def tokenizer(self) -> Any:
        """The tokenizer of the processor."""
        return self.processor.tokenizer

    @property
    def gap(self) -> str:
        """A space, where a prompt ends in a word."""
        return answer_gap(self.text(Query(None, "")) + self.after, self.tokenizer)

    def shows_picture(self, query: Query) -> bool:
        """Wherever the query has one."""
        return query.picture is not None

    def batch_key(self, query: Query) -> Hashable:
        """Queries with and without a picture are in different batches."""
        return query.picture is None

    def text(self, query: Query) -> str:
        """The whole prompt, with one image token for the picture."""
        text, system = self.prompt.text(query), self.prompt.system
        if not self.template:
            plain = f"{system}\n{text}" if system else text
            return plain if query.picture is None else self.image_token + plain
        image = [{"type": "image"}] if query.picture is not None else []
        turns = [{"role": "user", "content": [*image, {"type": "text", "text": text}]}]
        if system:
            turns.insert(0, {"role": "system", "content": [{"type": "text", "text": system}]})
        template = {"chat_template": self.template, "tokenize": False, "add_generation_prompt": True}
        return str(self.tokenizer.apply_chat_template(turns, **template))

    def inputs(self, queries: Sequence[Query], pixels: Sequence[Pixels | None]) -> Mapping[str, Any]:
        """Tokens padded on the left, and pictures as the model takes them."""
        import torch

        texts = [self.text(query) for query in queries]
        images = [[Image.fromarray(array)] for array in pixels if array is not None]
        process: Callable[..., Mapping[str, Any]] = self.processor if images else self.tokenizer
        more = {"images": images} if images else {"return_token_type_ids": self.token_types}
        bos = self.lacks_bos(texts[0])
        inputs = process(text=texts, padding=True, return_tensors="np", add_special_tokens=bos, **more)
        return {name: torch.as_tensor(value) for name, value in inputs.items() if name != "labels"}

    def lacks_bos(self, text: str) -> bool:
        """Whether a prompt lacks the BOS token, which most templates write themselves."""
        return lacks_bos(text, self.tokenizer)
