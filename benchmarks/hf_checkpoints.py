"""Checkpoints with random weights in the shapes of real models, for benchmarks; tiny ones where there is no GPU."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    CLIPConfig,
    CLIPImageProcessorPil,
    CLIPModel,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
    Qwen2VLConfig,
    Qwen2VLForConditionalGeneration,
    Qwen2VLImageProcessorPil,
)

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
DTYPE = torch.bfloat16 if DEVICE == "cuda" else torch.float32
KINDS = ("dog", "cat", "car", "cup", "tree", "ball", "bus", "bird")
PHRASE = "a is on the left of in picture number there Is yes no ? . Answer with single word or short phrase now"
MARKS = ["<pad>", "<s>", "</s>", "<unk>", "<image>"]
VISION = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
ENDS = (("pad", "<pad>"), ("bos", "<s>"), ("eos", "</s>"))
TINY = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
EYE = {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16}


@dataclass(frozen=True, slots=True)
class SavedCheckpoint:
    """A checkpoint on disk, its number of parameters, and how its prompts hold a picture."""

    folder: Path
    parameters: int
    image: str = ""


def make_towers(folder: Path, small: bool) -> SavedCheckpoint:
    """CLIP ViT-L/14."""
    words = {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12}
    reader = make_tokenizer(49_408, end="</s>")
    config = CLIPConfig(
        vision_config={"patch_size": 14, "image_size": 224, **(TINY if small else EYE)},
        text_config=(TINY if small else words) | {"vocab_size": 49_408, **_numbers(reader)},
        projection_dim=768,
    )
    CLIPImageProcessorPil().save_pretrained(folder)
    return SavedCheckpoint(folder, _save(CLIPModel, config, folder, reader))


def make_qwen(folder: Path, small: bool) -> SavedCheckpoint:
    """Qwen2-VL with 2.4 billion parameters; 391 tokens for a picture of 640 x 480."""
    image, vocabulary = "<|vision_start|><|image_pad|><|vision_end|>", 9500 if small else 151_936
    reader = make_tokenizer(vocabulary, template=_turns(image))
    start, end, pad, video = (reader.convert_tokens_to_ids(mark) for mark in VISION)
    words = {"hidden_size": 1536, "intermediate_size": 8960, "num_hidden_layers": 28, "num_attention_heads": 12}
    sections = {"mrope_section": [4, 2, 2] if small else [16, 24, 24], "rope_theta": 1e6, "rope_type": "default"}
    tiny = {"depth": 2, "embed_dim": 64, "hidden_size": 64, "num_heads": 4}
    config = Qwen2VLConfig(
        vision_config=tiny if small else {"hidden_size": 1536},
        text_config={
            **(TINY if small else words),
            "num_key_value_heads": 2,
            "vocab_size": vocabulary,
            "max_position_embeddings": 32_768,
            "rope_parameters": sections,
            **_numbers(reader),
        },
        image_token_id=pad,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=end,
    )
    Qwen2VLImageProcessorPil().save_pretrained(folder)
    return SavedCheckpoint(folder, _save(Qwen2VLForConditionalGeneration, config, folder, reader), image)


def make_llava(folder: Path, small: bool) -> SavedCheckpoint:
    """LLaVA-1.5 with 7 billion parameters; 576 tokens a picture."""
    vocabulary = 9500 if small else 32_064
    reader = make_tokenizer(vocabulary, template=_turns("<image>"))
    words = {"hidden_size": 4096, "intermediate_size": 11_008, "num_hidden_layers": 32, "num_attention_heads": 32}
    side = 56 if small else 336
    config = LlavaConfig(
        vision_config={
            "model_type": "clip_vision_model",
            "patch_size": 14,
            "image_size": side,
            **(TINY if small else EYE),
        },
        text_config={
            "model_type": "llama",
            **(TINY if small else words),
            "vocab_size": vocabulary,
            "max_position_embeddings": 4096,
            **_numbers(reader),
        },
        image_token_id=reader.convert_tokens_to_ids("<image>"),
    )
    eyes = CLIPImageProcessorPil(size={"shortest_edge": side}, crop_size={"height": side, "width": side})
    processor = LlavaProcessor(
        eyes,
        reader,
        patch_size=14,
        vision_feature_select_strategy="default",
        chat_template=reader.chat_template,
        num_additional_image_tokens=1,
    )
    return SavedCheckpoint(folder, _save(LlavaForConditionalGeneration, config, folder, processor), "<image>")


def make_tokenizer(size: int, template: str = "", end: str = "") -> Any:
    """A tokenizer that knows words and numbers, and a word for every other token, so that all of them can be read."""
    known = dict.fromkeys([*MARKS, *VISION, *KINDS, *map(str, range(9000)), *PHRASE.split()])
    known |= dict.fromkeys(f"w{number}" for number in range(len(known), size))
    numbers = {word: number for number, word in enumerate(known)}
    words = Tokenizer(models.WordLevel(numbers, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words.add_special_tokens([*MARKS, *VISION])
    if end:
        words.post_processor = processors.TemplateProcessing(single=f"$A {end}", special_tokens=[(end, numbers[end])])
    marks = {f"{key}_token": mark for key, mark in ENDS}
    return PreTrainedTokenizerFast(tokenizer_object=words, unk_token="<unk>", chat_template=template or None, **marks)


def _turns(image: str) -> str:
    return (
        "{% for message in messages %}{% for part in message['content'] %}{% if part['type'] == 'image' %}"
        f"{{{{ '{image}' }}}}"
        "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endfor %}"
    )


def _numbers(reader: Any) -> dict[str, int]:
    return {f"{key}_token_id": reader.convert_tokens_to_ids(mark) for key, mark in ENDS}


def _save(family: Any, config: Any, folder: Path, reader: Any) -> int:
    torch.manual_seed(7)
    default = torch.get_default_dtype()
    torch.set_default_dtype(DTYPE)
    with torch.device(DEVICE):
        model = family(config)
    torch.set_default_dtype(default)
    if model.can_generate():
        model.generation_config = type(model.generation_config)()
    model.save_pretrained(folder)
    reader.save_pretrained(folder)
    return sum(weight.numel() for weight in model.parameters())


SHAPES = {"towers": make_towers, "qwen": make_qwen, "llava": make_llava}
"""Each shape by its name."""
