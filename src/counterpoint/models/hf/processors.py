"""The processor of a checkpoint: its tokenizer, its way with pictures, and its template for conversations."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from counterpoint.core.errors import ModelError
from counterpoint.models.hf.checkpoint import Checkpoint


def load_processor(checkpoint: Checkpoint) -> Any:
    """The processor, with pictures fitted by Pillow, so that answers are the same with torchvision and without."""
    from transformers import AutoImageProcessor, AutoProcessor

    family = _family(checkpoint.config.model_type)
    if "video_processor" in getattr(family, "get_attributes", list)() and find_spec("torchvision") is None:
        processor = _still(checkpoint, family)
    else:
        processor = checkpoint.load(AutoProcessor.from_pretrained)
    if not hasattr(processor, "image_processor"):
        hint = "a folder holds preprocessor_config.json or processor_config.json beside its weights"
        raise ModelError(f"{checkpoint.name} has no processor of pictures", hint=hint)
    processor.image_processor = checkpoint.load(AutoImageProcessor.from_pretrained, backend="pil")
    set_padding(processor.tokenizer, "left")
    return processor


def set_padding(tokenizer: Any, side: str) -> None:
    """Let a tokenizer pad on one side, with the end of a text where it knows nothing better."""
    tokenizer.padding_side = side
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token


def chat_template(reader: Any, tokenizer: Any, given: str) -> str:
    """The chat template: that in a file which is given, else that of processor or tokenizer, else none."""
    if given:
        try:
            return Path(given).read_text("utf-8")
        except OSError as problem:
            raise ModelError(f"the template {given} cannot be read: {problem}", hint="template=FILE.jinja") from problem
    found = getattr(reader, "chat_template", None) or tokenizer.chat_template or ""
    return str(found.get("default", "")) if isinstance(found, dict) else str(found)


def answer_gap(prompt: str, tokenizer: Any) -> str:
    """A space, where the first word of an answer needs one: not after a space or a mark, nor if tokens bring theirs."""
    if not prompt or prompt[-1].isspace() or prompt.endswith((">", "]", *tokenizer.all_special_tokens)):
        return ""
    first = tokenizer.convert_ids_to_tokens(tokenizer.encode("yes", add_special_tokens=False)[:1])
    return "" if first and first[0].startswith("▁") else " "


def _family(kind: str) -> Any:
    import transformers
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES

    return getattr(transformers, PROCESSOR_MAPPING_NAMES.get(kind) or "", None)


def _still(checkpoint: Checkpoint, family: Any) -> Any:
    """A processor without its part for videos, which needs torchvision and is never asked for here."""
    from transformers import AutoImageProcessor, AutoTokenizer

    def check(self: Any, name: str, part: Any) -> Any:
        return type(part) if "video" in name else family.check_argument_for_proper_class(self, name, part)

    still: Any = type(family.__name__, (family,), {"check_argument_for_proper_class": check})
    parts = {
        "image_processor": checkpoint.load(AutoImageProcessor.from_pretrained, backend="pil"),
        "tokenizer": checkpoint.load(AutoTokenizer.from_pretrained),
    }
    settings, _ = family.get_processor_dict(checkpoint.folder)
    for name in (*family.get_attributes(), "processor_class"):
        settings.pop(name, None)

    def build(folder: Path, trust_remote_code: bool) -> Any:
        return still.from_args_and_dict([parts.get(name) for name in family.get_attributes()], settings)

    return checkpoint.load(build)
