"""Tiny checkpoints of models that speak, with random weights, saved as the real ones are, and what they are asked."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import tiny_words

from counterpoint import catalog
from counterpoint.core.errors import PictureError
from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pixels
from counterpoint.store.groups import groups_table, unique_queries

TEXTS = ("Is there a dog?", "What color is the big car to the left of the tree?", "How many?")

LANGUAGE = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 2048,
}
SIGHT = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": 28,
    "patch_size": 14,
}


def llava(folder: Path) -> None:
    """CLIP's eye, a projector, and Llama's tongue; four tokens a picture."""
    from transformers import CLIPImageProcessorPil, LlavaConfig, LlavaForConditionalGeneration, LlavaProcessor

    words = tiny_words.byte_pairs("<image>", begin=True)
    config = LlavaConfig(
        vision_config={"model_type": "clip_vision_model", **SIGHT},
        text_config={"model_type": "llama", "head_dim": 8, **LANGUAGE, **numbers(words)},
        image_token_id=words.convert_tokens_to_ids("<image>"),
    )
    eyes = CLIPImageProcessorPil(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28})
    processor = LlavaProcessor(
        eyes,
        words,
        patch_size=14,
        vision_feature_select_strategy="default",
        chat_template=tiny_words.turns("<image>"),
        num_additional_image_tokens=1,
    )
    saved(LlavaForConditionalGeneration, config, folder, processor)


def qwen2_vl(folder: Path) -> None:
    """Pictures of any size, a token for each block of four patches, and positions in three dimensions."""
    from transformers import Qwen2VLConfig, Qwen2VLForConditionalGeneration

    sight = {"embed_dim": 32, "hidden_size": 32, "mlp_ratio": 2}
    qwen(folder, Qwen2VLForConditionalGeneration, Qwen2VLConfig, sight)


def qwen2_5_vl(folder: Path) -> None:
    """The same with attention in windows of the picture."""
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

    sight = {"hidden_size": 32, "intermediate_size": 48, "out_hidden_size": 32, "window_size": 56}
    qwen(folder, Qwen2_5_VLForConditionalGeneration, Qwen2_5_VLConfig, {**sight, "fullatt_block_indexes": [1]})


def qwen(
    folder: Path,
    family: Any,
    settings: Any,
    sight: dict[str, Any],
    tongue: dict[str, Any] | None = None,
    patch: int = 14,
) -> None:
    """Any Qwen-VL, by what its eye, its tongue and its positions have of their own."""
    from transformers import Qwen2VLImageProcessorPil

    marks = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    words = tiny_words.byte_pairs(*marks)
    start, end, image, video = (words.convert_tokens_to_ids(mark) for mark in marks)
    rope = {"rope_type": "default", "type": "mrope", "mrope_section": [2, 1, 1], "rope_theta": 1e4}
    config = settings(
        vision_config={"depth": 2, "num_heads": 4, "patch_size": patch, **sight},
        text_config={**LANGUAGE, **numbers(words), "rope_parameters": rope, **(tongue or {})},
        image_token_id=image,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=end,
    )
    edges = {"shortest_edge": (2 * patch) ** 2, "longest_edge": (6 * patch) ** 2}
    words.chat_template = tiny_words.turns("<|vision_start|><|image_pad|><|vision_end|>")
    saved(family, config, folder, words)
    Qwen2VLImageProcessorPil(patch_size=patch, merge_size=2, size=edges).save_pretrained(folder)


def idefics3(folder: Path) -> None:
    """SigLIP's eye on the whole picture and on its tiles, as SmolVLM has it."""
    from transformers import (
        Idefics3Config,
        Idefics3ForConditionalGeneration,
        Idefics3ImageProcessorPil,
        Idefics3Processor,
    )

    tiles = [f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)]
    words = tiny_words.byte_pairs("<image>", "<fake_token_around_image>", "<end_of_utterance>", "<global-img>", *tiles)
    config = Idefics3Config(
        vision_config=SIGHT,
        text_config={"model_type": "llama", "head_dim": 8, **LANGUAGE, **numbers(words)},
        image_token_id=words.convert_tokens_to_ids("<image>"),
        scale_factor=2,
        pad_token_id=words.pad_token_id,
    )
    eyes = Idefics3ImageProcessorPil(size={"longest_edge": 56}, max_image_size={"longest_edge": 28})
    processor = Idefics3Processor(eyes, words, image_seq_len=1, chat_template=tiny_words.turns("<image>"))
    saved(Idefics3ForConditionalGeneration, config, folder, processor)


def internvl(folder: Path) -> None:
    """Tiles of a picture between marks, four tokens each."""
    from transformers import (
        GotOcr2ImageProcessorPil,
        InternVLConfig,
        InternVLForConditionalGeneration,
    )

    marks = {"start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>"}
    more: dict[str, Any] = {**marks, "video_token": "<video>"}
    words = tiny_words.byte_pairs(*marks.values(), "<video>", **more)
    image = words.convert_tokens_to_ids("<IMG_CONTEXT>")
    config = InternVLConfig(
        vision_config={**SIGHT, "image_size": [56, 56], "patch_size": [14, 14]},
        text_config={"model_type": "qwen2", **LANGUAGE, **numbers(words)},
        image_token_id=image,
    )
    eyes = GotOcr2ImageProcessorPil(
        size={"height": 56, "width": 56}, crop_to_patches=True, min_patches=1, max_patches=2
    )
    words.chat_template = tiny_words.turns("<IMG_CONTEXT>")
    saved(InternVLForConditionalGeneration, config, folder, words)
    eyes.save_pretrained(folder)
    (folder / "processor_config.json").write_text('{"image_seq_length": 4, "processor_class": "InternVLProcessor"}')


def paligemma(folder: Path) -> None:
    """No chat template; the prompt is read in both directions, and only the answer word by word."""
    from transformers import (
        PaliGemmaConfig,
        PaliGemmaForConditionalGeneration,
        PaliGemmaProcessor,
        SiglipImageProcessorPil,
    )

    words = tiny_words.byte_pairs("<image>")
    eyes = SiglipImageProcessorPil(size={"height": 28, "width": 28})
    eyes.image_seq_length = 4
    processor = PaliGemmaProcessor(eyes, words)
    config = PaliGemmaConfig(
        vision_config={"model_type": "siglip_vision_model", **SIGHT, "vision_use_head": False},
        text_config={"model_type": "gemma", "head_dim": 8, **LANGUAGE, **numbers(words)},
        image_token_index=words.convert_tokens_to_ids("<image>"),
        projection_dim=32,
    )
    saved(PaliGemmaForConditionalGeneration, config, folder, processor, words=0.05)


def blip(folder: Path) -> None:
    """A reader that looks at the picture, and a speaker that looks at what was read."""
    from transformers import BlipConfig, BlipForQuestionAnswering, BlipImageProcessorPil, BlipProcessor

    words = tiny_words.word_pieces()
    reading = {key: value for key, value in LANGUAGE.items() if "key_value" not in key}
    config = BlipConfig(
        vision_config=SIGHT,
        text_config={
            **reading,
            "vocab_size": len(words),
            "encoder_hidden_size": 32,
            "bos_token_id": words.cls_token_id,
            "eos_token_id": words.sep_token_id,
            "sep_token_id": words.sep_token_id,
            "pad_token_id": words.pad_token_id,
        },
    )
    eyes = BlipImageProcessorPil(size={"height": 28, "width": 28})
    saved(BlipForQuestionAnswering, config, folder, BlipProcessor(eyes, words), words=0.5)


def gpt2(folder: Path, template: str = "") -> None:
    """A language model that has never seen anything."""
    from transformers import GPT2Config, GPT2LMHeadModel

    words = tiny_words.byte_pairs(template=template)
    config = GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=512, **numbers(words))
    saved(GPT2LMHeadModel, config, folder, words, words=0.3)


KINDS: dict[str, Callable[[Path], None]] = {
    kind.__name__: kind for kind in (llava, qwen2_vl, qwen2_5_vl, idefics3, internvl, paligemma, blip, gpt2)
}
"""Each kind of checkpoint by its name."""


@cache
def made(kind: str, folder: Path) -> Path:
    """The folder of a checkpoint, which is made when it is first asked for."""
    KINDS[kind](folder / kind)
    return folder / kind


class Blocks:
    """Pictures of several sizes, which follow from the number in the address; `broken` cannot be read."""

    def __init__(self) -> None:
        self.shown: list[Picture] = []

    def pixels(self, picture: Picture) -> Pixels:
        if picture.path == "broken":
            raise PictureError("broken")
        self.shown.append(picture)
        number = int(picture.path)
        width, height = ((16, 12), (10, 15), (8, 8))[number % 3]
        blocks = np.random.default_rng(number).integers(0, 256, (height, width, 3))
        return blocks.astype(np.uint8).repeat(8, 0).repeat(8, 1)


def speaker(kind: str, folder: Path, pictures: Blocks | None = None, **settings: str) -> Any:
    """A tiny model by its name, as users get it."""
    usual = {"tokens": "5", "batch": "4"}
    return catalog.model(f"hf/{made(kind, folder)}", pictures or Blocks(), usual | settings)


def asked(mode: Mode = Mode.ANSWER, pictures: int = 3) -> list[Query]:
    """Texts of several lengths on pictures of several sizes."""
    return [Query(Picture(f"blocks:{number}"), text, mode) for text in TEXTS for number in range(pictures)]


def a_table(queries: list[Query]) -> pa.Table:
    """A table as suites have it."""
    return unique_queries(
        groups_table([("plain", Group(Relation.SAME, (query,), (None,))) for query in queries], "some")
    )


def numbers(words: Any) -> dict[str, int]:
    """What a config says of a tokenizer."""
    return {
        "vocab_size": len(words),
        "pad_token_id": words.pad_token_id,
        "bos_token_id": words.bos_token_id,
        "eos_token_id": words.eos_token_id,
    }


def saved(family: Any, config: Any, folder: Path, reader: Any, words: float = 1.0) -> None:
    """Random weights that are large enough for answers to depend on what is shown; `words` are those of words."""
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(7)
        model = family(config)
        for name, weight in model.named_parameters():
            if weight.ndim > 1:
                torch.nn.init.normal_(weight, std=words if "embed" in name or "wte" in name else 0.3)
            elif weight.numel() == 1:  # a gate, which is closed at first
                torch.nn.init.constant_(weight, 0.5)
    model.save_pretrained(folder)
    reader.save_pretrained(folder)
