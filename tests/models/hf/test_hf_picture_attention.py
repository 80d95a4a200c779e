"""Attention within pictures that stand in one sequence gives the same numbers, with one call for each size."""

from pathlib import Path
from typing import Any

import pytest
from tiny_generative import made

from counterpoint.models.hf import picture_attention
from counterpoint.models.hf.picture_attention import batch_picture_attention

SIZES = {1: [[1, 4, 6]] * 5, 3: [[1, 4, 6], [1, 6, 4], [1, 2, 2], [1, 6, 6], [1, 2, 2]]}
"""The grids of some pictures, by the number of their sizes."""


@pytest.mark.parametrize("kind", ["qwen2_vl", "qwen2_5_vl"])
def test_pictures_of_one_size_attend_in_one_call(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch
    from transformers import AutoModelForImageTextToText

    model: Any = AutoModelForImageTextToText.from_pretrained(made(kind, tmp_path), dtype=torch.float32).eval()
    words, attend, calls = model.config.get_text_config()._attn_implementation, picture_attention._attend, []

    def counted(parts: list[Any], scaling: float | None) -> Any:
        calls.append(len(parts[0]))
        return attend(parts, scaling)

    monkeypatch.setattr(picture_attention, "_attend", counted)
    shown = []
    for sizes, grids in SIZES.items():
        grid = torch.tensor(grids)
        pixels = torch.randn(int(grid.prod(1).sum()), 3 * 2 * 14 * 14, generator=torch.Generator().manual_seed(sizes))
        with torch.inference_mode():
            shown.append((pixels, grid, model.model.visual(pixels, grid_thw=grid).pooler_output))
    assert not calls, "nothing is changed yet"
    batch_picture_attention(model)
    for sizes, (pixels, grid, known) in zip(SIZES, shown, strict=True):
        calls.clear()
        with torch.inference_mode():
            assert torch.equal(model.model.visual(pixels, grid_thw=grid).pooler_output, known)
        if kind == "qwen2_vl":  # the other has windows too
            assert len(calls) == sizes * model.config.vision_config.depth
        assert sum(calls) > len(calls), "several pictures at once"
    assert model.config.get_text_config()._attn_implementation == words
