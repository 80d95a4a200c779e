"""Foreground masks: boxes scaled to a picture, their bounding box, and a mask with soft edges."""

from collections.abc import Iterable, Sequence
from functools import reduce
from math import isqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.pictures import Box, Size

Mask: TypeAlias = NDArray[np.uint8]
"""Height × width, from 0 for background to 255 for foreground."""

WIDENED = 10
"""A box is widened on each side by its diagonal divided by this (Yang et al. 2021)."""

_LEAST_MARGIN = 3  # pixels; three box blurs need a margin of at least this


def scale_boxes(boxes: Iterable[Box], before: Size, after: Size) -> list[Box]:
    """Boxes in a resized picture, rounded outward and clipped to it; empty ones are left out.

    >>> scale_boxes([Box(1, 1, 3, 3)], Size(8, 8), Size(4, 16))
    [Box(x=0, y=2, width=2, height=6)]
    """
    return [
        scaled for scaled in (_scale_box(box, before, after) for box in boxes) if scaled.width > 0 and scaled.height > 0
    ]


def bounding_box(boxes: Sequence[Box]) -> Box:
    """The bounding box of boxes.

    >>> bounding_box([Box(1, 5, 3, 3), Box(8, 2, 2, 2)])
    Box(x=1, y=2, width=9, height=6)
    """
    return reduce(_union, boxes)


def soft_mask(boxes: Iterable[Box], size: Size) -> Mask:
    """A mask that is 255 on every box and fades out around it, to half at a tenth of the diagonal.

    Each box is widened by a tenth of its diagonal and smoothed by three box blurs of a third of that, in integers, so
    that the fading starts at the edge of the box.
    """
    mask = np.zeros((size.height, size.width), np.uint8)
    for box in boxes:
        margin = max(isqrt(box.width**2 + box.height**2) // WIDENED, _LEAST_MARGIN)
        left, across = _soft_interval(box.x, box.width, margin, size.width)
        top, down = _soft_interval(box.y, box.height, margin, size.height)
        part = mask[top : top + len(down), left : left + len(across)]
        np.maximum(part, ((np.multiply.outer(down, across) + 127) // 255).astype(np.uint8), out=part)
    return mask


def _soft_interval(start: int, length: int, margin: int, end: int) -> tuple[int, NDArray[np.uint32]]:
    """An interval with soft ends, from 0 to 255, clipped to [0, end), and its first index."""
    radius = margin // 3
    row = np.ones(length + 2 * margin, np.int64)
    for _ in range(3):
        row = np.convolve(row, np.ones(2 * radius + 1, np.int64))
    whole = (2 * radius + 1) ** 3
    first = start - margin - 3 * radius
    begin = max(first, 0)
    kept = row[begin - first : max(end - first, 0)]
    return begin, ((255 * kept + whole // 2) // whole).astype(np.uint32)


def _scale_box(box: Box, before: Size, after: Size) -> Box:
    x, right = _outward(box.x, box.right, before.width, after.width)
    y, bottom = _outward(box.y, box.bottom, before.height, after.height)
    return Box(x, y, right - x, bottom - y)


def _outward(start: int, stop: int, before: int, after: int) -> tuple[int, int]:
    return max(start * after // before, 0), min(-(-stop * after // before), after)


def _union(one: Box, other: Box) -> Box:
    x, y = min(one.x, other.x), min(one.y, other.y)
    return Box(x, y, max(one.right, other.right) - x, max(one.bottom, other.bottom) - y)
