"""`hf/NAME`: the family of a Hugging Face checkpoint, and the adapter for it."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from counterpoint.core.errors import ModelError, UnknownName
from counterpoint.core.ports import Model, Pictures
from counterpoint.models.hf.checkpoint import Checkpoint, require_packages
from counterpoint.models.settings import convert_settings

FAMILIES = {
    "classifier": "counterpoint.models.hf.classifiers:make",
    "generative": "counterpoint.models.hf.generative:make",
    "blip-vqa": "counterpoint.models.hf.generative:make_blip",
    "towers": "counterpoint.models.hf.towers:make",
    "matching": "counterpoint.models.hf.matching:make",
    "language": "counterpoint.models.hf.language_model:make",
}
"""Each family with its factory, a function of checkpoint, pictures and settings."""

HEADS = {
    "ViltForQuestionAnswering": "classifier",
    "LxmertForQuestionAnswering": "classifier",
    "VisualBertForQuestionAnswering": "classifier",
    "BlipForQuestionAnswering": "blip-vqa",
    "BlipForImageTextRetrieval": "matching",
    "Blip2ForImageTextRetrieval": "matching",
    "ViltForImageAndTextRetrieval": "matching",
    "VisualBertForPreTraining": "matching",
    "LxmertForPreTraining": "matching",
}
"""Families by architecture; others are found in the auto-class mappings of transformers."""


def load(
    name: str,
    pictures: Pictures,
    *,
    family: str = "",
    device: str = "",
    dtype: str = "",
    revision: str = "main",
    trust: bool = False,
    **settings: Any,
) -> Model:
    """A model from the hub or a folder; further settings are those of its family."""
    require_packages()
    checkpoint = Checkpoint(name, device, dtype, revision, trust)
    chosen = family or family_of(checkpoint.config)
    if chosen not in FAMILIES:
        raise UnknownName("family of models", chosen, FAMILIES)
    module, _, factory = FAMILIES[chosen].partition(":")
    make: Callable[..., Any] = getattr(import_module(module), factory)
    model: Any = make(checkpoint, pictures, **convert_settings(make, settings, f"hf/{name}"))
    model.parameters = checkpoint.parameters
    loaded: Model = model
    return loaded


def family_of(config: Any) -> str:
    """The family of a checkpoint: by its architecture, else by its type in the mappings of transformers."""
    from transformers.models.auto import modeling_auto as lists

    architecture = (getattr(config, "architectures", None) or [""])[0]
    kind = config.model_type
    if architecture in HEADS:
        return HEADS[architecture]
    generates = kind in lists.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
    if generates and architecture.endswith(("ForConditionalGeneration", "ForImageTextToText")):
        return "generative"
    if kind in lists.MODEL_FOR_ZERO_SHOT_IMAGE_CLASSIFICATION_MAPPING_NAMES:
        return "towers"
    if generates:
        return "generative"
    if kind in lists.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return "language"
    fact = f"no family of models has the architecture {architecture or kind!r}"
    raise ModelError(fact, hint=f"if one fits, --model-args family={'|'.join(FAMILIES)} chooses it")
