"""A fast PNG encoder without row filters, which suits drawings."""

from struct import pack
from zlib import compress, crc32

import numpy as np

from counterpoint.core.ports import Pixels


def encode_png(pixels: Pixels) -> bytes:
    """Encode RGB pixels as a PNG file.

    >>> encode_png(np.zeros((2, 3, 3), np.uint8))[:4]
    b'\\x89PNG'
    """
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each row begins with its filter type, 0 for none
    rows[:, 1:] = pixels.reshape(height, 3 * width)
    header = pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", compress(rows.tobytes(), 1)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, content) for name, content in chunks)


def _chunk(name: bytes, content: bytes) -> bytes:
    return pack(">I", len(content)) + name + content + pack(">I", crc32(name + content))
