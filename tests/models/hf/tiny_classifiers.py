"""Tiny checkpoints that choose from a list of answers, with random weights, and the pictures and regions for them."""

from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np
import tiny_words
from numpy.typing import NDArray

from counterpoint.core.errors import PictureError
from counterpoint.core.groups import Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pixels

LABELS = ("yes", "no", "red", "blue", "two", "a dog", "left")
TEXTS = ("Is there a dog?", "What color is the cup to the left of the tree?", "How many?", "Is the car red or blue?")
NUMBERS = 12
"""How many describe a region."""
SMALL = {
    "hidden_size": 32,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "hidden_dropout_prob": 0.2,
    "attention_probs_dropout_prob": 0.2,
    "initializer_range": 0.4,  # random answers that differ
}
NAMED = {"id2label": dict(enumerate(LABELS)), "label2id": {label: number for number, label in enumerate(LABELS)}}


class Shades:
    """Pictures of several sizes, which follow from the number in the address; `broken` cannot be read."""

    def __init__(self) -> None:
        self.shown: list[Picture] = []

    def pixels(self, picture: Picture) -> Pixels:
        if picture.path == "broken":
            raise PictureError("broken")
        self.shown.append(picture)
        height, width = ((60, 90), (90, 60), (64, 64))[int(picture.path) % 3]
        return np.random.default_rng(int(picture.path)).integers(0, 256, (height, width, 3)).astype(np.uint8)


def asked(pictures: int = 4) -> list[Query]:
    return [Query(Picture(f"shades:{number}"), text) for number in range(pictures) for text in TEXTS]


def vilt(folder: Path, **settings: Any) -> None:
    """Patches of eight pixels in pictures of 64 on their shorter side."""
    from transformers import ViltConfig, ViltForQuestionAnswering, ViltImageProcessorPil, ViltProcessor

    words = tiny_words.word_pieces()
    config = ViltConfig(
        **SMALL | NAMED | settings,
        vocab_size=len(words),
        num_hidden_layers=2,
        max_position_embeddings=20,
        image_size=64,
        patch_size=8,
    )
    eyes = ViltImageProcessorPil(size={"shortest_edge": 64}, size_divisor=8)
    _save(ViltForQuestionAnswering, config, folder)
    ViltProcessor(eyes, words).save_pretrained(folder)


def lxmert(folder: Path, **settings: Any) -> None:
    """Regions of twelve numbers, with boxes."""
    from transformers import LxmertConfig, LxmertForQuestionAnswering

    words = tiny_words.word_pieces()
    layers = {"l_layers": 1, "x_layers": 1, "r_layers": 1}
    shape = {"visual_feat_dim": NUMBERS, "num_qa_labels": len(LABELS), "max_position_embeddings": 20}
    config = LxmertConfig(**SMALL | NAMED | layers | shape | settings, vocab_size=len(words))
    _save(LxmertForQuestionAnswering, config, folder)
    words.save_pretrained(folder)


def visual_bert(folder: Path, **settings: Any) -> None:
    """Regions of twelve numbers, without boxes."""
    from transformers import VisualBertConfig, VisualBertForQuestionAnswering

    words = tiny_words.word_pieces()
    shape = {"num_hidden_layers": 2, "visual_embedding_dim": NUMBERS, "max_position_embeddings": 20}
    config = VisualBertConfig(**SMALL | NAMED | shape | settings, vocab_size=len(words))
    _save(VisualBertForQuestionAnswering, config, folder)
    words.save_pretrained(folder)


MADE = {"vilt": vilt, "lxmert": lxmert, "visual_bert": visual_bert}


def detected(number: int) -> dict[str, NDArray[np.float32]]:
    """What a detector saw in one of the pictures: more in some than in others."""
    luck = np.random.default_rng(number)
    count = 3 + number % 3
    corners = luck.uniform(0, 0.5, (count, 2))
    boxes = np.concatenate([corners, corners + luck.uniform(0.1, 0.5, (count, 2))], 1)
    return {"features": luck.normal(size=(count, NUMBERS)).astype(np.float32), "boxes": boxes.astype(np.float32)}


def save_table(path: Path, pictures: int = 4) -> Path:
    """Regions in the columns of bottom-up attention, boxes in pixels of pictures of 200 by 100."""
    with path.open("w", encoding="ascii") as file:
        for number in range(pictures):
            found = detected(number)
            pixels = found["boxes"] * np.array([200, 100, 200, 100], np.float32)
            cells = [str(number), "200", "100", str(len(pixels)), encoded(pixels), encoded(found["features"])]
            file.write("\t".join(cells) + "\n")
    return path


def encoded(numbers: NDArray[Any]) -> str:
    """Numbers as such tables have them."""
    return b64encode(np.ascontiguousarray(numbers).tobytes()).decode()


def _save(family: Any, config: Any, folder: Path) -> None:
    import torch

    with torch.random.fork_rng([]):
        torch.manual_seed(7)
        model = family(config)
        for weights in model.parameters():
            if weights.ndim > 1 and not weights.any():  # places that begin at zero would not be missed
                torch.nn.init.normal_(weights, std=0.3)
        model.save_pretrained(folder)
