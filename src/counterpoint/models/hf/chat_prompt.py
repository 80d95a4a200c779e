"""Queries as turns of a conversation, by the chat template of a model, or as plain prompts."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from counterpoint.core.groups import Query
from counterpoint.core.ports import Pixels
from counterpoint.models.hf.processors import answer_gap
from counterpoint.models.prompts import Prompt


@dataclass(slots=True)
class ChatPrompt:
    """A query as a turn of a conversation, or as a plain prompt behind the mark of a picture."""

    processor: Any
    prompt: Prompt
    template: str
    mark: str  # of a picture in a plain prompt
    after: str = ""  # what the processor puts behind one
    kinds: bool = False  # whether the model is told what kind each token is, as those are that read a prompt both ways
    stop: str = ""

    @property
    def tokenizer(self) -> Any:
        """What makes tokens of words."""
        return self.processor.tokenizer

    @property
    def gap(self) -> str:
        """A space, where a prompt ends in a word."""
        return answer_gap(self.text(Query(None, "")) + self.after, self.tokenizer)

    def looks(self, query: Query) -> bool:
        """Wherever there is something to see."""
        return query.picture is not None

    def alike(self, query: Query) -> Hashable:
        """Queries with a picture stand together, and those without."""
        return query.picture is None

    def text(self, query: Query) -> str:
        """The whole prompt, with one mark where the picture is shown."""
        words = self.prompt.text(query)
        if not self.template:
            told = f"{self.prompt.system}\n" if self.prompt.system else ""
            return told + words if query.picture is None else self.mark + told + words
        turn = [{"type": "text", "text": words}]
        shown = [{"type": "image"}] if query.picture is not None else []
        rules = [{"role": "system", "content": [{"type": "text", "text": self.prompt.system}]}]
        talk = [*(rules if self.prompt.system else []), {"role": "user", "content": [*shown, *turn]}]
        return str(
            self.tokenizer.apply_chat_template(
                talk, chat_template=self.template, tokenize=False, add_generation_prompt=True
            )
        )

    def inputs(self, queries: Sequence[Query], shown: Sequence[Pixels | None]) -> Mapping[str, Any]:
        """Tokens padded on the left, and pictures as the model takes them."""
        import torch

        texts = [self.text(query) for query in queries]
        seen = [[Image.fromarray(pixels)] for pixels in shown if pixels is not None]
        read: Callable[..., Mapping[str, Any]] = self.processor if seen else self.tokenizer
        more = {"images": seen} if seen else {"return_token_type_ids": self.kinds}
        found = read(text=texts, padding=True, return_tensors="np", add_special_tokens=self.bare(texts[0]), **more)
        return {name: torch.as_tensor(value) for name, value in found.items() if name != "labels"}

    def bare(self, text: str) -> bool:
        """Whether a prompt lacks the mark of the beginning, which most templates write themselves."""
        begin = self.tokenizer.bos_token
        return not (begin and text.startswith(begin))
