"""Prompt formats: how queries become the inputs of a generative model, by a chat template or as plain text."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jinja2 import TemplateError
from PIL import Image

from counterpoint.core.errors import ModelError, PictureError
from counterpoint.core.groups import Query
from counterpoint.core.ports import Pixels
from counterpoint.models.prompts import Prompt

_TEMPLATE_HINT = "leave out system=…, or give another template: --model-args template=FILE.jinja"


@dataclass(slots=True)
class PromptFormat:
    """The prompts and tokens of one model; here of a language model, which sees the text alone."""

    tokenizer: Any
    prompt: Prompt
    template: str  # the chat template; empty for a plain prompt
    picture_token: int = field(default=-1, kw_only=True)  # the id of what stands for a part of a picture

    @property
    def stop(self) -> str:
        """A string that ends an answer beside the EOS token: the end of the line, where no template ends a turn."""
        return "" if self.template else "\n"

    @property
    def counts_pictures(self) -> bool:
        """Whether the tokens of a prompt are all that the model reads, its picture included."""
        return True

    @property
    def gap(self) -> str:
        """What separates the end of a prompt from the first word of an answer: a space, or nothing."""
        return answer_gap(self.text(Query(None, "")), self.tokenizer)

    def shows_picture(self, query: Query) -> bool:
        """Whether the model gets the picture; PictureError where it cannot do without."""
        return False

    def batch_key(self, query: Query) -> Hashable:
        """What queries of one batch have in common: whether they show a picture."""
        return self.shows_picture(query)

    def text(self, query: Query) -> str:
        """The whole prompt."""
        text, system = self._words(query), self.prompt.system
        if not self.template:
            return self._plain(query, text, system)
        turns = [{"role": "system", "content": self._content(system, False)}] if system else []
        turns.append({"role": "user", "content": self._content(text, query.picture is not None)})
        template = {"chat_template": self.template, "tokenize": False, "add_generation_prompt": True}
        try:
            made = str(self.tokenizer.apply_chat_template(turns, **template))
        except TemplateError as problem:
            raise ModelError(f"the chat template of the model fails: {problem}", hint=_TEMPLATE_HINT) from problem
        if system.strip() not in made:
            raise ModelError("the chat template of the model leaves out what system says", hint=_TEMPLATE_HINT)
        return made

    def inputs(self, queries: Sequence[Query], pixels: Sequence[Pixels | None]) -> Mapping[str, Any]:
        """The inputs of the model for these queries, on the CPU: tokens, padded on the left."""
        texts = [self.text(query) for query in queries]
        bos = self.lacks_bos(texts[0])
        tokens = self.tokenizer(texts, padding=True, return_tensors="pt", add_special_tokens=bos)
        return {name: tokens[name] for name in ("input_ids", "attention_mask")}

    def tokens(self, queries: Sequence[Query], pixels: Pixels, first: list[int]) -> list[list[int]]:
        """The tokens of prompts on one picture, of which the first is known with the tokens of the picture.

        What a processor writes for the picture is taken from there, so that it is processed once.
        """
        texts = [self.text(query) for query in queries]
        rows: list[list[int]] = self.tokenizer(texts, add_special_tokens=self.lacks_bos(texts[0]))["input_ids"]
        head = common_length(rows[0], first)
        behind = common_length(rows[0][head:][::-1], first[::-1])
        begins = rows[0][: len(rows[0]) - behind]
        with_picture = first[: len(first) - behind]
        return [
            with_picture + row[len(begins) :]
            if row[: len(begins)] == begins
            else self.inputs([query], [pixels])["input_ids"][0].tolist()
            for query, row in zip(queries, rows, strict=True)
        ]

    def lacks_bos(self, text: str) -> bool:
        """Whether a prompt lacks the BOS token, which most chat templates write themselves."""
        return not (self.tokenizer.bos_token and text.startswith(self.tokenizer.bos_token))

    def _words(self, query: Query) -> str:
        """The text of the query in its prompt."""
        return self.prompt.text(query)

    def _plain(self, query: Query, text: str, system: str) -> str:
        return f"{system}\n\n{text}" if system else text

    def _content(self, text: str, shows_picture: bool) -> Any:
        """A turn of a conversation, as the template takes it."""
        return text


@dataclass(slots=True)
class ChatPrompt(PromptFormat):
    """A query with its picture, as a turn of a conversation or as plain text after an image token."""

    processor: Any
    image_token: str  # in a plain prompt
    after: str = ""  # what the processor appends to it
    token_types: bool = False  # whether the model takes token_type_ids, as prefix LMs do

    @property
    def stop(self) -> str:
        """None: an answer ends with the EOS token."""
        return ""

    @property
    def counts_pictures(self) -> bool:
        """Unless the prompt does not hold the picture, as with BLIP."""
        return bool(self.image_token)

    @property
    def gap(self) -> str:
        """A space, where a prompt ends in a word."""
        return answer_gap(self.text(Query(None, "")) + self.after, self.tokenizer)

    def shows_picture(self, query: Query) -> bool:
        """Wherever the query has one."""
        return query.picture is not None

    def inputs(self, queries: Sequence[Query], pixels: Sequence[Pixels | None]) -> Mapping[str, Any]:
        """Tokens padded on the left, and pictures as the model takes them."""
        import torch

        texts = [self.text(query) for query in queries]
        images = [[Image.fromarray(array)] for array in pixels if array is not None]
        process: Callable[..., Mapping[str, Any]] = self.processor if images else self.tokenizer
        more = {"images": images} if images else {"return_token_type_ids": self.token_types}
        bos = self.lacks_bos(texts[0])
        # torchvision may make bfloat16, which NumPy lacks; without it some processors warn of tensors
        form = "pt" if images and _uses_torchvision(self.processor.image_processor) else "np"
        inputs = process(text=texts, padding=True, return_tensors=form, add_special_tokens=bos, **more)
        return {name: torch.as_tensor(value) for name, value in inputs.items() if name != "labels"}

    def _words(self, query: Query) -> str:
        """The text of the query in its prompt, without image tokens, as in the layout of LLaVA: its picture is one."""
        token, texts = self.image_token, (query.text, query.context)
        if token and any(token in text for text in texts):
            text, context = (text.replace(token, "").strip() for text in texts)
            query = replace(query, text=text, context=context)
        return self.prompt.text(query)

    def _plain(self, query: Query, text: str, system: str) -> str:
        plain = f"{system}\n{text}" if system else text
        return plain if query.picture is None else self.image_token + plain

    def _content(self, text: str, shows_picture: bool) -> Any:
        return [*([{"type": "image"}] if shows_picture else []), {"type": "text", "text": text}]


@dataclass(slots=True)
class BlipPrompt(ChatPrompt):
    """Plain questions of one length per batch, since the decoder of BLIP would attend to padding."""

    @property
    def gap(self) -> str:
        """Nothing."""
        return ""

    def shows_picture(self, query: Query) -> bool:
        """Always; a query without a picture is an error."""
        if query.picture is None:
            raise PictureError("BLIP cannot be asked without a picture")
        return True

    def batch_key(self, query: Query) -> Hashable:
        """The number of tokens of the question."""
        return len(self.tokenizer.encode(self.text(query)))

    def inputs(self, queries: Sequence[Query], pixels: Sequence[Pixels | None]) -> Mapping[str, Any]:
        """Tokens, and a picture for each."""
        images = [Image.fromarray(array) for array in pixels if array is not None]
        inputs = self.processor(text=[self.text(query) for query in queries], images=images, return_tensors="pt")
        return {name: inputs[name] for name in ("input_ids", "attention_mask", "pixel_values")}


def chat_template(reader: Any, tokenizer: Any, given: str) -> str:
    """The chat template: that of a given file, else that of processor or tokenizer, else none."""
    if given:
        try:
            return Path(given).read_text("utf-8")
        except OSError as problem:
            raise ModelError(f"the template {given} cannot be read: {problem}", hint="template=FILE.jinja") from problem
    template = getattr(reader, "chat_template", None) or tokenizer.chat_template or ""
    return str(template.get("default", "")) if isinstance(template, dict) else str(template)


def _uses_torchvision(processor: Any) -> bool:
    """Whether an image processor computes with torchvision, as those do that exist for it alone."""
    return any(base.__name__ == "TorchvisionBackend" for base in type(processor).__mro__)


def image_token(config: Any) -> int | None:
    """The token that stands for a part of a picture, if there is one."""
    found = (getattr(config, name, None) for name in ("image_token_id", "image_token_index"))
    return next((token for token in found if token is not None), None)


def common_length(first: Sequence[int], second: Sequence[int]) -> int:
    """How many first tokens two prompts have in common.

    >>> common_length([7, 8, 9], [7, 8, 1, 2])
    2
    """
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(first), len(second)))


def answer_gap(prompt: str, tokenizer: Any) -> str:
    """A space, where the first word of an answer needs one: not after white space, nor if tokens include it."""
    if not prompt or prompt[-1].isspace() or prompt.endswith((">", "]", *tokenizer.all_special_tokens)):
        return ""
    first = tokenizer.convert_ids_to_tokens(tokenizer.encode("yes", add_special_tokens=False)[:1])
    return "" if first and first[0].startswith("▁") else " "
