"""Pictures embedded in the rows of a file: the address of each follows from a hash of its bytes."""

from base64 import b64decode
from binascii import Error
from hashlib import blake2b
from typing import Any

NAMESPACE = "unpacked"
"""The namespace of all unpacked pictures; their names are hashes of their bytes, so no two clash."""
_PATH = 1000  # characters; what is longer is a picture written as text
_ENDINGS = {b"\xff\xd8": ".jpg", b"\x89PNG": ".png", b"GIF8": ".gif", b"RIFF": ".webp", b"BM": ".bmp", b"II*": ".tif"}


def address(content: bytes) -> str:
    """The address of a picture once it is unpacked.

    >>> address(b"GIF89a")
    'unpacked:a4/a4ebc5f66162847b445559c37cdf009b.gif'
    """
    name = blake2b(content, digest_size=16).hexdigest()
    ending = next((ending for start, ending in _ENDINGS.items() if content.startswith(start)), "")
    return f"{NAMESPACE}:{name[:2]}/{name}{ending}"


def bytes_of(value: Any) -> bytes | None:
    """The picture in a cell: bytes, an object with bytes, or base64 text; none where there is none."""
    if isinstance(value, dict):
        value = value.get("bytes")
    if isinstance(value, bytes):
        return value or None
    if not isinstance(value, str):
        return None
    if value.startswith("data:image/"):
        value = value.partition(",")[2]
    elif len(value) <= _PATH:
        return None
    try:
        return b64decode(value, validate=True) or None
    except (Error, ValueError):
        return None
