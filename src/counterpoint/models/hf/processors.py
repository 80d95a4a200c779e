"""The processor and the tokenizer of a checkpoint; texts are padded only to the longest of a batch."""

import logging
from bisect import bisect_left
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np

from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Query
from counterpoint.models.hf.checkpoint import Checkpoint, missing_package
from counterpoint.models.hf.picture_processing import stack_on_device

logger = logging.getLogger(__name__)
TokenFields: TypeAlias = dict[str, list[int]]
"""The inputs of one text by name: token ids, and masks or types of each."""


def load_processor(checkpoint: Checkpoint) -> Any:
    """The processor, with Pillow for pictures, so that answers do not depend on whether torchvision is installed."""
    import transformers
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES

    family = getattr(transformers, PROCESSOR_MAPPING_NAMES.get(checkpoint.config.model_type) or "", None)
    parts = checkpoint.load(lambda _, trust_remote_code: getattr(family, "get_attributes", list)())
    if "video_processor" in parts and find_spec("torchvision") is None:
        processor = _without_video(checkpoint, family)
    else:
        processor = checkpoint.load(transformers.AutoProcessor.from_pretrained)
    if not hasattr(processor, "image_processor"):
        hint = "a folder holds preprocessor_config.json or processor_config.json beside its weights"
        raise ModelError(f"{checkpoint.name} has no processor of pictures", hint=hint)
    processor.image_processor = checkpoint.load(transformers.AutoImageProcessor.from_pretrained, backend="pil")
    set_padding(processor.tokenizer, "left")
    return processor


def set_padding(tokenizer: Any, side: str) -> None:
    """Let a tokenizer pad on one side, with its EOS token where it has no padding token."""
    tokenizer.padding_side = side
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token


def _without_video(checkpoint: Checkpoint, family: Any) -> Any:
    """A processor without its parts for video and sound; that for video needs torchvision, and none is used here."""
    from transformers import AutoImageProcessor, AutoTokenizer

    def check(self: Any, name: str, part: Any) -> Any:
        return type(part) if part is None else family.check_argument_for_proper_class(self, name, part)

    kind: Any = type(family.__name__, (family,), {"check_argument_for_proper_class": check})
    parts = {
        "image_processor": checkpoint.load(AutoImageProcessor.from_pretrained, backend="pil"),
        "tokenizer": checkpoint.load(AutoTokenizer.from_pretrained),
    }
    settings, _ = family.get_processor_dict(checkpoint.folder)
    for name in (*family.get_attributes(), "processor_class"):
        settings.pop(name, None)

    try:
        return kind.from_args_and_dict([parts.get(name) for name in family.get_attributes()], settings)
    except AttributeError as problem:  # as MiniCPM-V, which takes settings from there
        raise missing_package(checkpoint.name, "torchvision") from problem


def drop_full_mask(tokens: TokenFields) -> TokenFields:
    """The tokens without a mask that hides none of them, which many models would synchronize the device to check.

    >>> drop_full_mask({"input_ids": [7, 9], "attention_mask": [1, 1]})
    {'input_ids': [7, 9]}
    """
    hides = not all(tokens.get("attention_mask", ()))
    return {name: numbers for name, numbers in tokens.items() if hides or name != "attention_mask"}


class TextTokenizer:
    """The tokenizer of a checkpoint, which truncates texts beyond the length of the model."""

    def __init__(self, tokenizer: Any, longest: int, *, whole: bool = False) -> None:
        self._tokenizer, self._longest = tokenizer, longest
        self._padding = "max_length" if whole else False
        self._has_warned = False

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> "TextTokenizer":
        """The tokenizer of a checkpoint; SigLIP was trained on texts padded to full length, and takes no other."""
        from transformers import AutoTokenizer

        tokenizer = checkpoint.load(AutoTokenizer.from_pretrained)
        config = checkpoint.config
        texts = getattr(config, "qformer_config", None) or getattr(config, "text_config", None) or config
        places = int(getattr(texts, "max_position_embeddings", 0) or tokenizer.model_max_length)
        if config.model_type == "altclip":
            places -= 2  # as in RoBERTa, whose first two positions are reserved
        return cls(tokenizer, min(places, tokenizer.model_max_length), whole=config.model_type.startswith("siglip"))

    def full_text(self, query: Query, template: str = "{}") -> str:
        """The text of a query after its context in a template; where both are too long, the context begins later."""
        words = query.context.split()

        def behind(start: int) -> str:
            context = " ".join(words[start:]) if start else query.context
            return template.replace("{}", f"{context} {query.text}" if context else query.text)

        if not words or self._is_whole(behind(0)):
            return behind(0)
        return behind(bisect_left(range(len(words)), True, key=lambda start: self._is_whole(behind(start))))

    def _is_whole(self, text: str) -> bool:
        """Whether the model reads all of a text."""
        tokens = self._tokenizer(text, truncation=True, max_length=self._longest + 1)["input_ids"]
        return len(tokens) <= self._longest

    def tokens(self, texts: Sequence[str]) -> list[TokenFields]:
        """Each text as its tokens."""
        if not texts:
            return []
        read = self._tokenizer(list(texts), truncation=True, max_length=self._longest, padding=self._padding)
        if not self._has_warned:
            self._warn_of_truncation(texts, read["input_ids"])
        names, columns = list(read), [read[name] for name in read]
        return [dict(zip(names, fields, strict=True)) for fields in zip(*columns, strict=True)]

    def _warn_of_truncation(self, texts: Sequence[str], tokens: Sequence[Sequence[int]]) -> None:
        """Warn once that the end of a text is not read: a caption and a foil that differ there have equal scores."""
        padding = self._tokenizer.pad_token_id if self._padding else None
        full = (  # the last token is the end of the text, which SigLIP pads with
            text for text, row in zip(texts, tokens, strict=True) if len(row) >= self._longest and row[-2] != padding
        )
        if text := next((text for text in full if not self._is_whole(text)), ""):
            self._has_warned = True
            what = "the model reads %d tokens of a text, and not the end of longer ones, such as %r"
            logger.warning(what, self._longest, f"{text[:60]}…")

    def batch(self, texts: Sequence[TokenFields], device: Any) -> dict[str, Any]:
        """Texts as the inputs of a model, padded on the right to the longest; asynchronous to the device."""
        longest = max(len(text["input_ids"]) for text in texts)
        inputs = {}
        for name in texts[0]:
            filled = (self._tokenizer.pad_token_id or 0) if name == "input_ids" else 0
            rows = [text[name] + [filled] * (longest - len(text[name])) for text in texts]
            inputs[name] = stack_on_device([np.array(rows, np.int64)], device)[0]
        return inputs
