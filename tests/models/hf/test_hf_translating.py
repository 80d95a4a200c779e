"""Checkpoints that translate: tiny random ones of two families, made here and read from their folders."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tiny_words import word_pieces

from counterpoint.core.errors import ModelError
from counterpoint.models.text.translation import back_translate, open_translator


def _saved(folder: Path, config: Any, family: Any, seed: int) -> str:
    import torch

    torch.manual_seed(seed)
    family(config).eval().save_pretrained(folder)
    word_pieces().save_pretrained(folder)
    return f"hf/{folder}"


def _marian(folder: Path, seed: int) -> str:
    import transformers

    words = word_pieces()
    config = transformers.MarianConfig(
        vocab_size=len(words),
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        pad_token_id=words.pad_token_id,
        eos_token_id=words.sep_token_id,
        bos_token_id=words.cls_token_id,
        decoder_start_token_id=words.pad_token_id,
        forced_eos_token_id=words.sep_token_id,
        max_position_embeddings=256,
    )
    return _saved(folder, config, transformers.MarianMTModel, seed)


def test_a_marian_checkpoint_translates_the_same_text_the_same_way_alone_and_in_company(tmp_path: Path) -> None:
    made = open_translator(_marian(tmp_path / "there", 0))
    alone = made.translate(["is there a dog"])
    together = made.translate(["is there a dog", "what color is the cat in the picture"])
    assert alone == made.translate(["is there a dog"])
    assert len(together) == 2
    assert together[0] == alone[0]


@pytest.mark.prove
def test_two_checkpoints_bring_texts_there_and_back(tmp_path: Path) -> None:
    there, back = (open_translator(_marian(tmp_path / name, seed)) for seed, name in enumerate(("there", "back")))
    asked = [(str(n), f"is there a dog {n}") for n in range(3)]
    losses = Counter[str]()
    found = list(back_translate(asked, there, back, losses))
    assert len(found) + losses.total() == 3


def test_a_folder_without_a_model_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be loaded"):
        open_translator(f"hf/{tmp_path}")
