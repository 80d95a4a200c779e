"""Families of Hugging Face checkpoints: which one a checkpoint belongs to, and what is said if it belongs to none."""

from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
import tiny_classifiers as tiny

from counterpoint import catalog
from counterpoint.core.errors import ModelError, UnknownName
from counterpoint.models.hf.checkpoint import FAMILIES, HEADS, family_of
from counterpoint.models.hf.classifiers import AnswerClassifier

BELONGING = [
    ("ViltConfig", "ViltForQuestionAnswering", "classifier"),
    ("LxmertConfig", "LxmertForQuestionAnswering", "classifier"),
    ("VisualBertConfig", "VisualBertForQuestionAnswering", "classifier"),
    ("LlavaConfig", "LlavaForConditionalGeneration", "generative"),
    ("Qwen2VLConfig", "Qwen2VLForConditionalGeneration", "generative"),
    ("SmolVLMConfig", "SmolVLMForConditionalGeneration", "generative"),
    ("Idefics3Config", "Idefics3ForConditionalGeneration", "generative"),
    ("PaliGemmaConfig", "PaliGemmaForConditionalGeneration", "generative"),
    ("Blip2Config", "Blip2ForConditionalGeneration", "generative"),
    ("BlipConfig", "BlipForQuestionAnswering", "blip-vqa"),
    ("CLIPConfig", "CLIPModel", "towers"),
    ("SiglipConfig", "SiglipModel", "towers"),
    ("AlignConfig", "AlignModel", "towers"),
    ("MetaClip2Config", "MetaClip2Model", "towers"),
    ("GroupViTConfig", "GroupViTModel", "towers"),
    ("Aimv2Config", "Aimv2Model", "towers"),
    ("BlipConfig", "BlipForImageTextRetrieval", "matching"),
    ("Blip2Config", "Blip2ForImageTextRetrieval", "matching"),
    ("ViltConfig", "ViltForImageAndTextRetrieval", "matching"),
    ("VisualBertConfig", "VisualBertForPreTraining", "matching"),
    ("GPT2Config", "GPT2LMHeadModel", "language"),
    ("LlamaConfig", "LlamaForCausalLM", "language"),
]


def config(kind: str, architecture: str) -> Any:
    import transformers

    made = getattr(transformers, kind)()
    made.architectures = [architecture]
    return made


@pytest.fixture(scope="session")
def vilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("families") / "vilt"
    tiny.vilt(folder)
    return folder


@pytest.mark.parametrize(("kind", "architecture", "family"), BELONGING)
def test_an_architecture_belongs_to_a_family(kind: str, architecture: str, family: str) -> None:
    assert family_of(config(kind, architecture)) == family


def test_every_family_is_among_the_examples_and_can_be_made() -> None:
    assert {family for *_, family in BELONGING} == set(FAMILIES)
    assert set(HEADS.values()) <= set(FAMILIES)
    for factory in FAMILIES.values():
        module, _, name = factory.partition(":")
        first, second, *settings = signature(getattr(import_module(module), name)).parameters.values()
        assert (first.name, second.name) == ("checkpoint", "pictures")
        assert all(
            setting.kind is setting.KEYWORD_ONLY and setting.default is not setting.empty for setting in settings
        )


def test_what_belongs_to_none_is_said_with_the_families_there_are() -> None:
    with pytest.raises(
        ModelError, match="no family of models has the architecture 'ViTForImageClassification'"
    ) as caught:
        family_of(config("ViTConfig", "ViTForImageClassification"))
    assert "--model-args family=classifier|generative" in caught.value.hint


def test_the_catalog_loads_a_folder_by_its_family(vilt: Path) -> None:
    found = catalog.model(f"hf/{vilt}", tiny.Shades(), {"device": "cpu"})
    assert isinstance(found, AnswerClassifier)
    named = catalog.model(f"hf/{vilt}", tiny.Shades(), {"device": "cpu", "family": "classifier"})
    assert named.fingerprint == found.fingerprint


def test_device_and_batch_leave_the_fingerprint_alone_and_dtype_does_not(vilt: Path) -> None:
    def fingerprint(**settings: str) -> str:
        return catalog.model(f"hf/{vilt}", tiny.Shades(), {"device": "cpu"} | settings).fingerprint

    assert fingerprint(batch="2") == fingerprint(dtype="float32") == fingerprint()
    assert len({fingerprint(), fingerprint(dtype="bfloat16"), fingerprint(top="2")}) == 3


def test_an_unknown_family_or_setting_is_answered_with_known_ones(vilt: Path) -> None:
    with pytest.raises(UnknownName, match="no family of models is called 'clasifier'") as caught:
        catalog.model(f"hf/{vilt}", tiny.Shades(), {"family": "clasifier"})
    assert "classifier" in caught.value.hint
    with pytest.raises(UnknownName, match="is called 'region'") as caught:
        catalog.model(f"hf/{vilt}", tiny.Shades(), {"region": "x.tsv"})
    assert "regions" in caught.value.hint


def test_a_family_that_does_not_fit_is_refused(vilt: Path) -> None:
    for family in ("generative", "language", "matching", "towers"):
        with pytest.raises(ModelError):
            catalog.model(f"hf/{vilt}", tiny.Shades(), {"device": "cpu", "family": family})
