"""Tiny checkpoints of models that match pictures and texts, with random weights, saved as the real ones are."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import tiny_words

from counterpoint import catalog
from counterpoint.core.errors import PictureError
from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Pixels, Scorer
from counterpoint.store.groups import groups_table, unique_queries

SIGHT = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": 32,
    "patch_size": 16,
}
WORDS = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
SQUARE = {"height": 32, "width": 32}
TEXTS = ("a dog", "a red cup is on the left", "two cats and a ball, not one car", "a dog.")
SIZES = ((40, 60), (60, 40), (48, 48), (33, 64))


class Shown:
    """Pictures in memory, of several sizes, each with colors of its own; those called `gone` cannot be read."""

    def pixels(self, picture: Picture) -> Pixels:
        """A grid of colors drawn from the address."""
        if "gone" in picture.address:
            raise PictureError(f"{picture.address} is not there")
        height, width = SIZES[int(picture.path) % len(SIZES)]
        luck = np.frombuffer(seeded_rng("shown", picture.address).randbytes(48), np.uint8).reshape(4, 4, 3)
        return luck[np.arange(height) * 4 // height][:, np.arange(width) * 4 // width].copy()


def asked(pictures: int = 6, texts: Sequence[str] = TEXTS) -> list[Query]:
    """Every text on every picture."""
    return [Query(Picture(f"p:{n}"), text, Mode.SCORE) for n in range(pictures) for text in texts]


def table(queries: Sequence[Query]) -> pa.Table:
    """Queries as suites have them."""
    return unique_queries(
        groups_table([("plain", Group(Relation.RANKS, (query,), (None,))) for query in queries], "some")
    )


def scorer(folder: Path, pictures: Any = None, **settings: str) -> Any:
    """The model of a checkpoint, as users name it."""
    exact = {"device": "cpu", "dtype": "float32"}
    made = catalog.model(f"hf/{folder}", pictures or Shown(), exact | settings)
    assert isinstance(made, Scorer)
    return made


def spread(scores: Floats, queries: Sequence[Query]) -> tuple[float, float]:
    """How far scores differ at least between texts on one picture, and between pictures for one text."""
    grid = scores.reshape(-1, len({query.text for query in queries}))
    return float(np.ptp(grid, axis=1).min()), float(np.ptp(grid, axis=0).min())


@contextmanager
def passed(kind: str) -> Iterator[list[int]]:
    """How many pictures went through each call of a module of this kind, as torch itself sees it."""
    from torch.nn.modules.module import register_module_forward_hook

    rows: list[int] = []

    def note(module: Any, inputs: Any, output: Any) -> None:
        if type(module).__name__ == kind:
            rows.append(len(output[0]))

    handle = register_module_forward_hook(note)
    try:
        yield rows
    finally:
        handle.remove()


def clip(folder: Path) -> None:
    """CLIP: patches, words, and a scale."""
    from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel

    words = tiny_words.word_pieces()
    config = CLIPConfig(
        vision_config=SIGHT,
        text_config={**WORDS, "max_position_embeddings": 24, **_numbers(words)},
        projection_dim=16,
    )
    _saved(CLIPModel, config, folder, words, CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size=SQUARE))


def siglip(folder: Path) -> None:
    """SigLIP: texts of full length, a scale and a bias."""
    from transformers import SiglipConfig, SiglipImageProcessorPil, SiglipModel

    words = tiny_words.word_pieces()
    words.model_input_names = ["input_ids"]
    config = SiglipConfig(
        vision_config=SIGHT,
        text_config={**WORDS, "max_position_embeddings": 24, "projection_size": 32, **_numbers(words)},
    )
    _saved(SiglipModel, config, folder, words, SiglipImageProcessorPil(size=SQUARE))


def siglip2(folder: Path) -> None:
    """SigLIP 2 with pictures of any proportions, as patches and their number."""
    from transformers import Siglip2Config, Siglip2ImageProcessorPil, Siglip2Model

    words = tiny_words.word_pieces()
    words.model_input_names = ["input_ids"]
    sight = {key: value for key, value in SIGHT.items() if key != "image_size"}
    config = Siglip2Config(
        vision_config={**sight, "num_patches": 4},
        text_config={**WORDS, "max_position_embeddings": 24, "projection_size": 32, **_numbers(words)},
    )
    _saved(Siglip2Model, config, folder, words, Siglip2ImageProcessorPil(patch_size=16, max_num_patches=8))


def align(folder: Path) -> None:
    """ALIGN: convolutions, BERT, and a temperature."""
    from transformers import AlignConfig, AlignModel, EfficientNetImageProcessorPil

    words = tiny_words.word_pieces()
    sight = {
        "image_size": 32,
        "in_channels": [32, 16],
        "out_channels": [16, 16],
        "kernel_sizes": [3, 3],
        "strides": [1, 2],
        "num_block_repeats": [1, 1],
        "expand_ratios": [1, 2],
        "depthwise_padding": [],
        "width_coefficient": 1.0,
        "depth_coefficient": 1.0,
        "hidden_dim": 16,
        "depth_divisor": 8,
    }
    config = AlignConfig(
        vision_config=sight,
        text_config={**WORDS, "max_position_embeddings": 64, **_numbers(words)},
        projection_dim=16,
    )
    eyes = EfficientNetImageProcessorPil(size=SQUARE, rescale_offset=True, include_top=False)
    _saved(AlignModel, config, folder, words, eyes)


def altclip(folder: Path) -> None:
    """AltCLIP: CLIP's eye, and a text tower of RoBERTa's kind."""
    from transformers import AltCLIPConfig, AltCLIPModel, CLIPImageProcessorPil

    words = tiny_words.word_pieces()
    config = AltCLIPConfig(
        vision_config=SIGHT,
        text_config={**WORDS, "max_position_embeddings": 26, "project_dim": 16, **_numbers(words)},
        projection_dim=16,
    )
    eyes = CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size=SQUARE)
    _saved(AltCLIPModel, config, folder, words, eyes)


def blip(folder: Path) -> None:
    """BLIP's matching head, and its cosine."""
    from transformers import BlipConfig, BlipForImageTextRetrieval, BlipImageProcessorPil

    words = tiny_words.word_pieces()
    config = BlipConfig(
        vision_config=SIGHT,
        text_config={**WORDS, "max_position_embeddings": 64, "encoder_hidden_size": 32, **_numbers(words)},
        image_text_hidden_size=16,
    )
    _saved(BlipForImageTextRetrieval, config, folder, words, BlipImageProcessorPil(size=SQUARE))


def blip2(folder: Path) -> None:
    """BLIP-2's, where queries stand between the patches and the words."""
    from transformers import Blip2Config, Blip2ForImageTextRetrieval, BlipImageProcessorPil

    words = tiny_words.word_pieces()
    reading = {**WORDS, "encoder_hidden_size": 32, "use_qformer_text_input": True, **_numbers(words)}
    config = Blip2Config(
        vision_config=SIGHT,
        qformer_config=reading,
        text_config={"model_type": "opt"},
        num_query_tokens=3,
        image_text_hidden_size=16,
        image_token_index=None,
    )
    _saved(Blip2ForImageTextRetrieval, config, folder, words, BlipImageProcessorPil(size=SQUARE))


def vilt(folder: Path) -> None:
    """ViLT, fine-tuned for retrieval."""
    from transformers import ViltConfig, ViltForImageAndTextRetrieval, ViltImageProcessorPil

    words = tiny_words.word_pieces()
    words.model_max_length = 24
    config = ViltConfig(**WORDS, image_size=64, patch_size=16, max_position_embeddings=24, **_numbers(words))
    eyes = ViltImageProcessorPil(size={"shortest_edge": 32}, size_divisor=16)
    _saved(ViltForImageAndTextRetrieval, config, folder, words, eyes)


def visual_bert(folder: Path) -> None:
    """VisualBERT, as it was pretrained, on regions of twelve numbers."""
    from transformers import VisualBertConfig, VisualBertForPreTraining

    words = tiny_words.word_pieces()
    config = VisualBertConfig(**WORDS, visual_embedding_dim=12, max_position_embeddings=40, **_numbers(words))
    _saved(VisualBertForPreTraining, config, folder, words)


def lxmert(folder: Path) -> None:
    """LXMERT, as it was pretrained, on regions of twelve numbers and their boxes."""
    from transformers import LxmertConfig, LxmertForPreTraining

    words = tiny_words.word_pieces()
    size = {key: value for key, value in WORDS.items() if key != "num_hidden_layers"}
    config = LxmertConfig(
        **size,
        l_layers=1,
        r_layers=1,
        x_layers=1,
        visual_feat_dim=12,
        max_position_embeddings=40,
        num_qa_labels=3,
        **_numbers(words),
    )
    _saved(LxmertForPreTraining, config, folder, words)


def regions(folder: Path, pictures: int = 6, *, numbers: int = 12) -> None:
    """What a detector saw in pictures: between two and four regions in each."""
    folder.mkdir()
    for number in range(pictures):
        luck, count = np.random.default_rng(number), 2 + number % 3
        features = luck.normal(size=(count, numbers)).astype(np.float32)
        boxes = np.sort(luck.random((count, 4)), axis=1).astype(np.float32)
        np.savez(folder / f"{number}.npz", features=features, boxes=boxes)


KINDS: dict[str, Callable[[Path], None]] = {
    kind.__name__: kind for kind in (clip, siglip, siglip2, align, altclip, blip, blip2, vilt, visual_bert, lxmert)
}
"""Each kind of checkpoint by its name."""


@cache
def made(kind: str, folder: Path) -> Path:
    """The folder of a checkpoint, which is made when it is first asked for."""
    KINDS[kind](folder / kind)
    return folder / kind


def _numbers(words: Any) -> dict[str, int]:
    return {
        "vocab_size": len(words),
        "pad_token_id": words.pad_token_id,
        "bos_token_id": words.cls_token_id,
        "eos_token_id": words.sep_token_id,
    }


def _saved(family: Any, config: Any, folder: Path, *readers: Any) -> None:
    """Random weights that are large enough for scores to depend on what is shown and read."""
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(7)
        model = family(config)
        for name, weight in model.named_parameters():
            if weight.ndim > 1:
                torch.nn.init.normal_(weight, std=1.0 if "embed" in name or "query_tokens" in name else 0.3)
        if hasattr(model, "logit_bias"):
            torch.nn.init.constant_(model.logit_bias, -0.5)
            torch.nn.init.constant_(model.logit_scale, 1.0)
    model.save_pretrained(folder)
    for reader in readers:
        reader.save_pretrained(folder)
