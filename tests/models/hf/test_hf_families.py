"""Families of models that nobody wrote code for answer as their own `generate` does."""

from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from proving import sample
from tiny_families import FAMILIES, WITH_TORCHVISION
from tiny_generative import TEXTS, Blocks

from counterpoint import catalog
from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Query
from counterpoint.core.pictures import Picture
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.picture_sharing import find_obstacle
from counterpoint.models.hf.processors import load_processor
from counterpoint.models.prompts import Prompt

SHARING = {"qwen3_vl", "qwen3_vl_moe", "glm4v", "llava_next", "llava_onevision", "idefics2", "mistral3"}
"""Those that compute a picture once for all its queries."""
QUERIES = [Query(Picture(f"blocks:{number}"), text) for text in TEXTS for number in range(3)]
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # of GLM's processor
without_torchvision = pytest.mark.skipif(find_spec("torchvision") is not None, reason="torchvision is installed")
with_torchvision = pytest.mark.skipif(find_spec("torchvision") is None, reason="torchvision is not installed")


@pytest.mark.parametrize("family", sample(tuple(FAMILIES), 3))
def test_answers_are_those_of_single_prompts(family: str, tmp_path: Path) -> None:
    FAMILIES[family](tmp_path)
    _assert_answers(family, tmp_path)


@with_torchvision
@pytest.mark.parametrize("family", WITH_TORCHVISION)
def test_answers_are_those_of_single_prompts_where_torchvision_is_needed(family: str, tmp_path: Path) -> None:
    WITH_TORCHVISION[family](tmp_path)
    _assert_answers(family, tmp_path)


def _assert_answers(family: str, folder: Path) -> None:
    model: Any = catalog.model(f"hf/{folder}", Blocks(), {"tokens": "5", "batch": "0"})
    found = dict(model.answer(QUERIES))
    answers = [found[place].raw for place in range(len(QUERIES))]
    processor = load_processor(Checkpoint(str(folder)))
    assert answers == [_generated(query, model._decoder.model, processor) for query in QUERIES]
    assert len(set(answers)) > 2, "answers depend on what is shown and asked"
    assert (model._sharing is not None) == (family in SHARING)


def _generated(query: Query, model: Any, processor: Any) -> str:
    """What a program of its own would do: one prompt, one picture, greedy decoding."""
    assert query.picture is not None
    image = Image.fromarray(Blocks().pixels(query.picture))
    content = [{"type": "image"}, {"type": "text", "text": Prompt().text(query)}]
    text = processor.apply_chat_template([{"role": "user", "content": content}], add_generation_prompt=True)
    whole = text.startswith(processor.tokenizer.bos_token)
    inputs = processor(text=[text], images=[[image]], return_tensors="pt", add_special_tokens=not whole)
    inputs = {name: value.to(model.dtype) if value.is_floating_point() else value for name, value in inputs.items()}
    tokens = model.generate(**inputs, do_sample=False, max_new_tokens=5)[0, inputs["input_ids"].shape[1] :]
    return str(processor.tokenizer.decode(tokens, skip_special_tokens=True))


def test_sharing_is_given_up_where_later_tokens_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers of Llama 3.2 Vision look across at the picture, and only from the second token on at the wrong one."""
    FAMILIES["mllama"](tmp_path)
    load = partial(catalog.model, f"hf/{tmp_path}", Blocks())
    model: Any = load({"tokens": "5", "batch": "0"})
    assert "prompt" in find_obstacle(model._prompts, model._decoder.model.config)
    plain = [answer.raw for _, answer in sorted(model.answer(QUERIES), key=lambda row: row[0])]
    monkeypatch.setattr("counterpoint.models.hf.generation.find_obstacle", lambda *_: "")
    model = load({"tokens": "5", "batch": "0"})
    assert model._sharing is not None
    assert [answer.raw for _, answer in sorted(model.answer(QUERIES), key=lambda row: row[0])] == plain


@without_torchvision
def test_a_family_that_needs_torchvision_says_so(tmp_path: Path) -> None:
    FAMILIES["qwen3_vl"](tmp_path)
    config = tmp_path / "config.json"
    config.write_text(config.read_text().replace('"model_type": "qwen3_vl"', '"model_type": "mistral3"'))
    with pytest.raises(ModelError, match="needs torchvision, which is not installed") as caught:
        catalog.model(f"hf/{tmp_path}", Blocks())
    assert caught.value.hint == "pip install torchvision"
