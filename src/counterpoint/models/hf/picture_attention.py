"""Attention within pictures whose patches stand in one sequence: pictures of one size are computed in one call.

Encoders such as those of Qwen-VL and GLM-V join the patches of all pictures. In transformers each picture, or window of
one, then is a call of its own in each layer. Pictures of one size give the same numbers in a single call.
"""

from inspect import signature
from typing import Any

NAME = "flash_by_length"
"""The name in transformers, which tells the lengths of pictures only to what is named like flash attention."""


def batch_picture_attention(model: Any) -> None:
    """Compute the attention of pictures of one size together in a model whose encoder joins its pictures."""
    from transformers import AttentionInterface

    words = (model.config, model.config.get_text_config())
    for part in model.modules():
        config = getattr(part, "config", None)
        if (
            config is None
            or any(config is other for other in words)
            or "cu_seqlens" not in signature(part.forward).parameters
        ):
            continue
        if config._attn_implementation == "sdpa":
            AttentionInterface.register(NAME, attend_by_length)
            config._attn_implementation = NAME


def attend_by_length(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any = None,
    *,
    scaling: float | None = None,
    cu_seq_lens_q: Any,
    max_length_q: int,
    **more: Any,
) -> tuple[Any, None]:
    """Attention within the parts of one sequence, as transformers calls it: one call for each length of parts."""
    import torch

    count, total = len(cu_seq_lens_q) - 1, query.shape[2]
    if count * max_length_q == total:  # known without waiting for the device
        return _attend([tensor[0].unflatten(1, (count, -1)).transpose(0, 1) for tensor in (query, key, value)], scaling)
    lengths = cu_seq_lens_q.diff().tolist()
    parts = list(zip(*(tensor[0].split(lengths, 1) for tensor in (query, key, value)), strict=True))
    found: list[Any] = [None] * count
    for length in set(lengths):
        places = [place for place, other in enumerate(lengths) if other == length]
        together, _ = _attend(
            [torch.stack(some) for some in zip(*(parts[place] for place in places), strict=True)], scaling
        )
        for place, part in zip(places, together.split(length, 1), strict=True):
            found[place] = part
    return torch.cat(found, 1), None


def _attend(parts: list[Any], scaling: float | None) -> tuple[Any, None]:
    """Attention within parts of one length, whose results stand in one sequence."""
    from torch.nn.functional import scaled_dot_product_attention

    query, key, value = parts
    found = scaled_dot_product_attention(query, key, value, scale=scaling)
    return found.transpose(1, 2).flatten(0, 1)[None], None
