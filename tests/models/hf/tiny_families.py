"""Tiny checkpoints of further families of models that speak, in the shapes that the real ones have."""

import json
from pathlib import Path
from typing import Any

import tiny_words
from tiny_generative import LANGUAGE, SIGHT, numbers, qwen, saved

WINDOW = {"sliding_window": 16, "layer_types": ["sliding_attention", "full_attention"]}
"""A layer that sees the last tokens alone, and one that sees all."""


def qwen3_vl(folder: Path) -> None:
    """Qwen2-VL with features of several layers of the eye added to several layers of the tongue."""
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

    _later_qwen(folder, Qwen3VLForConditionalGeneration, Qwen3VLConfig, {}, {"deepstack_visual_indexes": [0]})


def qwen3_vl_moe(folder: Path) -> None:
    """The same with experts."""
    from transformers import Qwen3VLMoeConfig, Qwen3VLMoeForConditionalGeneration

    experts = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
    sight = {"deepstack_visual_indexes": [0]}
    _later_qwen(folder, Qwen3VLMoeForConditionalGeneration, Qwen3VLMoeConfig, experts, sight)


def qwen3_5(folder: Path) -> None:
    """Layers of linear attention between those of full attention."""
    from transformers import Qwen3_5Config, Qwen3_5ForConditionalGeneration

    linear = {
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 8,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
        "layer_types": ["full_attention", "linear_attention"],
    }
    _later_qwen(folder, Qwen3_5ForConditionalGeneration, Qwen3_5Config, linear, {})


def _later_qwen(folder: Path, family: Any, settings: Any, tongue: dict[str, Any], sight: dict[str, Any]) -> None:
    eye = {"hidden_size": 32, "intermediate_size": 48, "out_hidden_size": 32, "num_position_embeddings": 16}
    rope = {"rope_type": "default", "mrope_section": [2, 1, 1], "mrope_interleaved": True, "rope_theta": 1e4}
    qwen(folder, family, settings, eye | sight, {"head_dim": 8, "rope_parameters": rope, **tongue}, 16)


def glm4v(folder: Path) -> None:
    """GLM's own eye, and positions in three dimensions."""
    from transformers import Glm4vConfig, Glm4vForConditionalGeneration, Glm4vImageProcessorPil

    marks = [
        "<|begin_of_image|>",
        "<|end_of_image|>",
        "<|image|>",
        "<|video|>",
        "<|begin_of_video|>",
        "<|end_of_video|>",
    ]
    words = tiny_words.byte_pairs(*marks)
    start, end, image, video, video_start, video_end = (words.convert_tokens_to_ids(mark) for mark in marks)
    rope = {"rope_type": "default", "mrope_section": [2, 1, 1], "partial_rotary_factor": 1.0, "rope_theta": 1e4}
    config = Glm4vConfig(
        vision_config={
            "depth": 2,
            "num_heads": 4,
            "hidden_size": 32,
            "intermediate_size": 48,
            "out_hidden_size": 32,
            "image_size": 84,
        },
        text_config={**LANGUAGE, **numbers(words), "rope_parameters": rope},
        image_token_id=image,
        video_token_id=video,
        image_start_token_id=start,
        image_end_token_id=end,
        video_start_token_id=video_start,
        video_end_token_id=video_end,
    )
    eyes = Glm4vImageProcessorPil(
        patch_size=14, merge_size=2, size={"shortest_edge": 28 * 28, "longest_edge": 84 * 84 * 2}
    )
    words.chat_template = tiny_words.turns("<|begin_of_image|><|image|><|end_of_image|>")
    saved(Glm4vForConditionalGeneration, config, folder, words)
    eyes.save_pretrained(folder)


def gemma3(folder: Path) -> None:
    """Tokens of a picture that attend to each other, and layers with a window."""
    from transformers import Gemma3Config, Gemma3ForConditionalGeneration, Gemma3ImageProcessorPil, Gemma3Processor

    marks = {"boi_token": "<start_of_image>", "eoi_token": "<end_of_image>", "image_token": "<image_soft_token>"}
    words = tiny_words.byte_pairs(*marks.values(), begin=True, **marks)
    start, end, image = (words.convert_tokens_to_ids(mark) for mark in marks.values())
    config = Gemma3Config(
        vision_config={"model_type": "siglip_vision_model", **SIGHT, "vision_use_head": False},
        text_config={"head_dim": 8, **LANGUAGE, **numbers(words), "query_pre_attn_scalar": 8, **WINDOW},
        mm_tokens_per_image=4,
        boi_token_index=start,
        eoi_token_index=end,
        image_token_index=image,
    )
    eyes = Gemma3ImageProcessorPil(size={"height": 28, "width": 28})
    template = "{{ bos_token }}" + tiny_words.turns("<start_of_image>")
    processor = Gemma3Processor(eyes, words, image_seq_length=4, chat_template=template)
    saved(Gemma3ForConditionalGeneration, config, folder, processor, words=0.05)


def gemma4(folder: Path) -> None:
    """Pictures of any shape, whose tokens attend to each other, and a processor that hears too."""
    from transformers import (
        Gemma4AudioFeatureExtractor,
        Gemma4Config,
        Gemma4ForConditionalGeneration,
        Gemma4ImageProcessorPil,
    )

    seen = {"boi_token": "<|image>", "eoi_token": "<image|>", "image_token": "<|image|>"}
    heard = {"boa_token": "<|audio>", "eoa_token": "<audio|>", "audio_token": "<|audio|>"}
    words = tiny_words.byte_pairs(*seen.values(), *heard.values(), "<|video|>", begin=True, **seen, **heard)
    places = {f"{mark}_id": words.convert_tokens_to_ids(word) for mark, word in {**seen, **heard}.items()}
    config = Gemma4Config(
        text_config={
            **LANGUAGE,
            **numbers(words),
            **WINDOW,
            "head_dim": 8,
            "global_head_dim": 8,
            "hidden_size_per_layer_input": 0,
        },
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 4,
            "head_dim": 8,
            "patch_size": 4,
            "position_embedding_size": 128,
        },
        video_token_id=words.convert_tokens_to_ids("<|video|>"),
        **places,
    )
    parts = {
        "image_processor": Gemma4ImageProcessorPil(patch_size=4, max_soft_tokens=70),
        "feature_extractor": Gemma4AudioFeatureExtractor(),
    }
    words.chat_template = tiny_words.turns("<|image|>")
    saved(Gemma4ForConditionalGeneration, config, folder, words, words=0.05)
    parts["image_processor"].save_pretrained(folder)
    settings = {name: json.loads(part.to_json_string()) for name, part in parts.items()}
    (folder / "processor_config.json").write_text(json.dumps({"processor_class": "Gemma4Processor", **settings}))


def llava_next(folder: Path) -> None:
    """Tiles by the shape of the picture, beside the whole of it."""
    from transformers import (
        LlavaNextConfig,
        LlavaNextForConditionalGeneration,
        LlavaNextImageProcessorPil,
        LlavaNextProcessor,
    )

    words = tiny_words.byte_pairs("<image>", begin=True)
    points = [[28, 56], [56, 28], [56, 56]]
    config = LlavaNextConfig(
        vision_config={"model_type": "clip_vision_model", **SIGHT},
        text_config={"model_type": "llama", "head_dim": 8, **LANGUAGE, **numbers(words)},
        image_token_index=words.convert_tokens_to_ids("<image>"),
        image_grid_pinpoints=points,
        image_seq_length=4,
    )
    eyes = LlavaNextImageProcessorPil(
        size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}, image_grid_pinpoints=points
    )
    processor = LlavaNextProcessor(
        eyes,
        words,
        patch_size=14,
        vision_feature_select_strategy="default",
        chat_template=tiny_words.turns("<image>"),
        num_additional_image_tokens=1,
    )
    saved(LlavaNextForConditionalGeneration, config, folder, processor)


def llava_onevision(folder: Path) -> None:
    """The same with SigLIP's eye and Qwen's tongue."""
    from transformers import (
        LlavaOnevisionConfig,
        LlavaOnevisionForConditionalGeneration,
        LlavaOnevisionImageProcessorPil,
    )

    words = tiny_words.byte_pairs("<image>", "<video>")
    points = [[28, 28], [28, 56], [56, 28], [56, 56]]
    config = LlavaOnevisionConfig(
        vision_config={"model_type": "siglip_vision_model", **SIGHT, "vision_use_head": False},
        text_config={"model_type": "qwen2", **LANGUAGE, **numbers(words)},
        image_token_index=words.convert_tokens_to_ids("<image>"),
        video_token_index=words.convert_tokens_to_ids("<video>"),
        image_grid_pinpoints=points,
    )
    eyes = LlavaOnevisionImageProcessorPil(size={"height": 28, "width": 28}, image_grid_pinpoints=points)
    words.chat_template = tiny_words.turns("<image>")
    saved(LlavaOnevisionForConditionalGeneration, config, folder, words)
    eyes.save_pretrained(folder)
    settings = {"num_image_tokens": 4, "vision_feature_select_strategy": "full"}
    (folder / "processor_config.json").write_text(
        json.dumps({"processor_class": "LlavaOnevisionProcessor", **settings})
    )


def mllama(folder: Path) -> None:
    """A tongue that looks at the picture across, in layers of its own."""
    from transformers import MllamaConfig, MllamaForConditionalGeneration, MllamaImageProcessorPil, MllamaProcessor

    words = tiny_words.byte_pairs("<|image|>", "<|python_tag|>", begin=True)
    config = MllamaConfig(
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_global_layers": 1,
            "attention_heads": 4,
            "image_size": 28,
            "patch_size": 14,
            "max_num_tiles": 4,
            "intermediate_layers_indices": [0],
            "vision_output_dim": 64,
            "supported_aspect_ratios": [[1, 1], [1, 2], [1, 3], [1, 4], [2, 1], [2, 2], [3, 1], [4, 1]],
        },
        text_config={
            **LANGUAGE,
            **numbers(words),
            "vocab_size": len(words) - 1,
            "cross_attention_layers": [1],
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e4},
        },
        image_token_index=words.convert_tokens_to_ids("<|image|>"),
    )
    eyes = MllamaImageProcessorPil(size={"height": 28, "width": 28}, max_image_tiles=4)
    processor = MllamaProcessor(eyes, words, chat_template="{{ bos_token }}" + tiny_words.turns("<|image|>"))
    saved(MllamaForConditionalGeneration, config, folder, processor)


def aya_vision(folder: Path) -> None:
    """Tiles between marks, and Cohere's tongue with windows."""
    from transformers import (
        AyaVisionConfig,
        AyaVisionForConditionalGeneration,
        AyaVisionProcessor,
        GotOcr2ImageProcessorPil,
    )

    marks = [
        "<image>",
        "<|START_OF_IMG|>",
        "<|END_OF_IMG|>",
        "<|IMG_PATCH|>",
        "<|IMG_LINE_BREAK|>",
        "TILE",
        "TILE_GLOBAL",
    ]
    words = tiny_words.byte_pairs(*marks, begin=True)
    config = AyaVisionConfig(
        vision_config={"model_type": "siglip_vision_model", **SIGHT, "image_size": 56, "vision_use_head": False},
        text_config={"model_type": "cohere2", "head_dim": 8, **LANGUAGE, **numbers(words), **WINDOW},
        image_token_index=words.convert_tokens_to_ids("<|IMG_PATCH|>"),
        downsample_factor=2,
    )
    eyes = GotOcr2ImageProcessorPil(
        size={"height": 56, "width": 56}, crop_to_patches=True, min_patches=1, max_patches=2
    )
    processor = AyaVisionProcessor(
        eyes, words, patch_size=14, img_size=56, downsample_factor=2, chat_template=tiny_words.turns("<image>")
    )
    saved(AyaVisionForConditionalGeneration, config, folder, processor, words=0.3)


def ovis2(folder: Path) -> None:
    """A picture written as a grid of tiles with marks."""
    from transformers import Ovis2Config, Ovis2ForConditionalGeneration, Ovis2ImageProcessorPil, Ovis2Processor

    marks = ["<IMG_START>", "<IMG_GRID>", "<IMG_COL>", "<IMG_ROW>", "<IMG_END>"]
    words = tiny_words.byte_pairs("<image>", "<IMG_ATOM>", *marks)
    config = Ovis2Config(
        vision_config={
            **SIGHT,
            "vocab_size": 64,
            "hidden_stride": 1,
            "num_visual_indicator_tokens": 5,
            "qkv_bias": False,
        },
        text_config={"model_type": "qwen2", **LANGUAGE, **numbers(words)},
        image_token_id=words.convert_tokens_to_ids("<IMG_ATOM>"),
        visual_indicator_token_ids=[words.convert_tokens_to_ids(mark) for mark in marks],
        hidden_size=32,
        vocab_size=len(words),
    )
    eyes = Ovis2ImageProcessorPil(size={"height": 28, "width": 28}, max_patches=4)
    processor = Ovis2Processor(eyes, words, chat_template=tiny_words.turns("<image>"), image_seq_length=4)
    saved(Ovis2ForConditionalGeneration, config, folder, processor)


def idefics2(folder: Path) -> None:
    """A perceiver between eye and tongue."""
    from transformers import (
        Idefics2Config,
        Idefics2ForConditionalGeneration,
        Idefics2ImageProcessorPil,
        Idefics2Processor,
    )

    words = tiny_words.byte_pairs("<image>", "<fake_token_around_image>", "<end_of_utterance>", begin=True)
    eyes = Idefics2ImageProcessorPil(size={"shortest_edge": 28, "longest_edge": 42}, do_image_splitting=False)
    processor = Idefics2Processor(eyes, words, image_seq_len=3, chat_template=tiny_words.turns("<image>"))
    config = Idefics2Config(
        vision_config={**SIGHT, "image_size": 42},
        perceiver_config={
            "hidden_size": 32,
            "resampler_n_latents": 3,
            "resampler_depth": 1,
            "resampler_n_heads": 2,
            "resampler_head_dim": 8,
            "num_key_value_heads": 1,
        },
        text_config={"model_type": "mistral", "head_dim": 8, **LANGUAGE, **numbers(words), "sliding_window": None},
        image_token_id=words.convert_tokens_to_ids("<image>"),
    )
    saved(Idefics2ForConditionalGeneration, config, folder, processor)


def mistral3(folder: Path) -> None:
    """Pixtral's eye on pictures of any shape, with a mark at the end of each row; its processor needs torchvision."""
    from transformers import (
        Mistral3Config,
        Mistral3ForConditionalGeneration,
        PixtralImageProcessorPil,
        PixtralProcessor,
    )

    words = tiny_words.byte_pairs("[IMG]", "[IMG_BREAK]", "[IMG_END]", begin=True)
    config = Mistral3Config(
        vision_config={"model_type": "pixtral", **SIGHT, "image_size": 112, "head_dim": 8},
        text_config={"model_type": "mistral", "head_dim": 8, **LANGUAGE, **numbers(words), "sliding_window": None},
        image_token_index=words.convert_tokens_to_ids("[IMG]"),
        spatial_merge_size=2,
    )
    eyes = PixtralImageProcessorPil(size={"longest_edge": 84}, patch_size={"height": 14, "width": 14})
    processor = PixtralProcessor(
        eyes, words, patch_size=14, spatial_merge_size=2, chat_template=tiny_words.turns("[IMG]")
    )
    saved(Mistral3ForConditionalGeneration, config, folder, processor)


def llama4(folder: Path) -> None:
    """Experts, layers without positions, and attention in chunks; its image processor needs torchvision."""
    from transformers import Llama4Config, Llama4ForConditionalGeneration, Llama4ImageProcessor, Llama4Processor

    marks = [
        "<|image|>",
        "<|image_start|>",
        "<|image_end|>",
        "<|patch|>",
        "<|tile_x_separator|>",
        "<|tile_y_separator|>",
    ]
    words = tiny_words.byte_pairs(*marks, begin=True)
    config = Llama4Config(
        vision_config={
            **SIGHT,
            "image_size": 56,
            "vision_output_dim": 32,
            "projector_input_dim": 32,
            "projector_output_dim": 32,
            "intermediate_size": 128,
        },
        text_config={
            "head_dim": 8,
            **LANGUAGE,
            **numbers(words),
            "intermediate_size_mlp": 48,
            "num_local_experts": 2,
            "attention_chunk_size": 64,
        },
        image_token_index=words.convert_tokens_to_ids("<|patch|>"),
        boi_token_index=words.convert_tokens_to_ids("<|image_start|>"),
        eoi_token_index=words.convert_tokens_to_ids("<|image_end|>"),
    )
    eyes = Llama4ImageProcessor(size={"height": 56, "width": 56}, max_patches=2)
    processor = Llama4Processor(eyes, words, patch_size=14, chat_template=tiny_words.turns("<|image|>"))
    saved(Llama4ForConditionalGeneration, config, folder, processor)


def lfm2_vl(folder: Path) -> None:
    """Layers of short convolutions; its image processor needs torchvision."""
    from transformers import Lfm2VlConfig, Lfm2VlForConditionalGeneration, Lfm2VlImageProcessor, Lfm2VlProcessor

    words = tiny_words.byte_pairs("<image>", "<|image_start|>", "<|image_end|>", "<|img_thumbnail|>", begin=True)
    config = Lfm2VlConfig(
        vision_config={"model_type": "siglip2_vision_model", **SIGHT, "num_patches": 16, "vision_use_head": False},
        text_config={**LANGUAGE, **numbers(words), "layer_types": ["conv", "full_attention"], "block_multiple_of": 16},
        image_token_id=words.convert_tokens_to_ids("<image>"),
        projector_hidden_size=32,
    )
    eyes = Lfm2VlImageProcessor(
        encoder_patch_size=14,
        tile_size=56,
        min_image_tokens=2,
        max_image_tokens=4,
        max_tiles=4,
        do_image_splitting=False,
    )
    processor = Lfm2VlProcessor(eyes, words, chat_template="{{ bos_token }}" + tiny_words.turns("<image>"))
    saved(Lfm2VlForConditionalGeneration, config, folder, processor, words=0.05)


FAMILIES = {
    family.__name__: family
    for family in (
        qwen3_vl,
        mllama,
        gemma4,
        qwen3_vl_moe,
        qwen3_5,
        glm4v,
        gemma3,
        llava_next,
        llava_onevision,
        aya_vision,
        ovis2,
        idefics2,
    )
}
"""Each family by its name."""
WITH_TORCHVISION = {family.__name__: family for family in (mistral3, lfm2_vl, llama4)}
"""Those whose processor needs torchvision."""
