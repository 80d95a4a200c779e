"""Thumbnails of pictures with their edits applied, cached by content."""

from hashlib import blake2b
from io import BytesIO

from PIL import Image

from counterpoint._version import __version__
from counterpoint.core.ids import canonical
from counterpoint.core.pictures import Picture
from counterpoint.store.cache import FileCache
from counterpoint.store.pictures import LabPictures

WIDTHS = (160, 320, 640, 960, 1920)
"""The widths in pixels that thumbnails have; a picture is never enlarged, and at the largest no pixel is changed."""

TALLEST = 3
"""How many times taller than wide a thumbnail may become; a taller picture is made narrower."""

QUALITY = 75
"""The quality of WebP: a photograph of 640 by 480 pixels takes some 50 kB."""


class Thumbnails:
    """WebP thumbnails in a file cache, keyed by the edited picture, its file's content, the width and our version."""

    def __init__(self, pictures: LabPictures, cache: FileCache) -> None:
        self._pictures, self._cache = pictures, cache

    def webp(self, picture: Picture, width: int) -> bytes:
        """Return the picture as shown to a model as a WebP file, at most `width` pixels wide."""
        content = canonical([picture.content, self._digest(picture), __version__, width])
        name = blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return self._cache.get_or_make(f"thumbnails/{name[:2]}/{name}.webp", lambda: self._draw(picture, width))

    def _digest(self, picture: Picture) -> str:
        """Return the digest of a picture's file, or nothing for a generated picture, which follows from its address."""
        path = self._pictures.file(picture.address)
        return blake2b(path.read_bytes(), digest_size=16).hexdigest() if path else ""

    def _draw(self, picture: Picture, width: int) -> bytes:
        image = Image.fromarray(self._pictures.pixels(picture))
        scale = min(width / image.width, TALLEST * width / image.height)
        if scale < 1:
            size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
            image = image.resize(size, Image.Resampling.LANCZOS)
        file = BytesIO()
        image.save(file, format="WEBP", quality=QUALITY, method=2, lossless=width == WIDTHS[-1])
        return file.getvalue()


def thumbnail_width(width: int) -> int:
    """Return the smallest thumbnail width that is at least this one, else the largest.

    >>> thumbnail_width(200)
    320
    """
    return next((known for known in WIDTHS if known >= width), WIDTHS[-1])
