"""The processor of a checkpoint: tokenizer, image processor and chat template."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from counterpoint.core.errors import ModelError
from counterpoint.models.hf.checkpoint import Checkpoint


def load_processor(checkpoint: Checkpoint) -> Any:
    """The processor, with Pillow for pictures, so that answers do not depend on whether torchvision is installed."""
    from transformers import AutoImageProcessor, AutoProcessor

    family = _family(checkpoint.config.model_type)
    if "video_processor" in getattr(family, "get_attributes", list)() and find_spec("torchvision") is None:
        processor = _without_video(checkpoint, family)
    else:
        processor = checkpoint.load(AutoProcessor.from_pretrained)
    if not hasattr(processor, "image_processor"):
        hint = "a folder holds preprocessor_config.json or processor_config.json beside its weights"
        raise ModelError(f"{checkpoint.name} has no processor of pictures", hint=hint)
    processor.image_processor = checkpoint.load(AutoImageProcessor.from_pretrained, backend="pil")
    set_padding(processor.tokenizer, "left")
    return processor


def set_padding(tokenizer: Any, side: str) -> None:
    """Let a tokenizer pad on one side, with its EOS token where it has no padding token."""
    tokenizer.padding_side = side
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token


def chat_template(reader: Any, tokenizer: Any, given: str) -> str:
    """The chat template: that of a given file, else that of processor or tokenizer, else none."""
    if given:
        try:
            return Path(given).read_text("utf-8")
        except OSError as problem:
            raise ModelError(f"the template {given} cannot be read: {problem}", hint="template=FILE.jinja") from problem
    template = getattr(reader, "chat_template", None) or tokenizer.chat_template or ""
    return str(template.get("default", "")) if isinstance(template, dict) else str(template)


def answer_gap(prompt: str, tokenizer: Any) -> str:
    """A space, where the first word of an answer needs one: not after white space, nor if tokens include it."""
    if not prompt or prompt[-1].isspace() or prompt.endswith((">", "]", *tokenizer.all_special_tokens)):
        return ""
    first = tokenizer.convert_ids_to_tokens(tokenizer.encode("yes", add_special_tokens=False)[:1])
    return "" if first and first[0].startswith("▁") else " "


def lacks_bos(text: str, tokenizer: Any) -> bool:
    """Whether a prompt lacks the BOS token, which most chat templates write themselves."""
    return not (tokenizer.bos_token and text.startswith(tokenizer.bos_token))


def _family(kind: str) -> Any:
    import transformers
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES

    return getattr(transformers, PROCESSOR_MAPPING_NAMES.get(kind) or "", None)


def _without_video(checkpoint: Checkpoint, family: Any) -> Any:
    """A processor without its video processor, which needs torchvision and is not used here."""
    from transformers import AutoImageProcessor, AutoTokenizer

    def check(self: Any, name: str, part: Any) -> Any:
        return type(part) if "video" in name else family.check_argument_for_proper_class(self, name, part)

    kind: Any = type(family.__name__, (family,), {"check_argument_for_proper_class": check})
    parts = {
        "image_processor": checkpoint.load(AutoImageProcessor.from_pretrained, backend="pil"),
        "tokenizer": checkpoint.load(AutoTokenizer.from_pretrained),
    }
    settings, _ = family.get_processor_dict(checkpoint.folder)
    for name in (*family.get_attributes(), "processor_class"):
        settings.pop(name, None)

    def build(folder: Path, trust_remote_code: bool) -> Any:
        return kind.from_args_and_dict([parts.get(name) for name in family.get_attributes()], settings)

    return checkpoint.load(build)
