"""Pictures inside HTML: small WebP files as data addresses."""

from base64 import b64encode
from io import BytesIO

from PIL import Image

from counterpoint.core.ports import Pixels

QUALITY = 72
"""The quality of WebP: a photograph of 320 by 240 pixels takes some 15 kB."""


def data_address(pixels: Pixels, side: int) -> str:
    """Return a picture as a data address, with at most so many pixels on its longer side."""
    image = Image.fromarray(pixels)
    image.thumbnail((side, side), Image.Resampling.LANCZOS)
    file = BytesIO()
    image.save(file, format="WEBP", quality=QUALITY, method=4)
    return f"data:image/webp;base64,{b64encode(file.getvalue()).decode()}"
