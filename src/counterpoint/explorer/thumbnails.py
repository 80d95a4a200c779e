"""Thumbnails of pictures with their edits applied, cached by content."""

from hashlib import blake2b
from io import BytesIO
from pathlib import Path

from PIL import Image

from counterpoint._version import __version__
from counterpoint.core.ids import canonical
from counterpoint.core.pictures import Picture
from counterpoint.pictures.folders import decode, open_image
from counterpoint.store.cache import FileCache
from counterpoint.store.pictures import LabPictures

WIDTHS = (160, 320, 640, 960, 1920)
"""The widths in pixels that thumbnails have; none is enlarged, and one that fits into the largest keeps every pixel."""

TALLEST = 3
"""How many times taller than wide a thumbnail may become; a taller picture is made narrower."""

QUALITY = 60
"""The quality of WebP: a photograph of 640 by 480 pixels takes some 35 kB."""


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
        size = (width, TALLEST * width)
        path = None if picture.edits else self._pictures.file(picture.address)
        image = Image.fromarray(decode(path, max_size=size) if path else self._pictures.pixels(picture))
        whole = _pixel_count(path) if path else image.width * image.height
        image.thumbnail(size, Image.Resampling.LANCZOS)
        lossless = width == WIDTHS[-1] and image.width * image.height == whole
        file = BytesIO()
        image.save(file, format="WEBP", quality=QUALITY, method=2, lossless=lossless)
        return file.getvalue()


def _pixel_count(path: Path) -> int:
    with open_image(path) as image:
        return image.width * image.height


def thumbnail_width(width: int) -> int:
    """Return the smallest thumbnail width that is at least this one, else the largest.

    >>> thumbnail_width(200)
    320
    """
    return next((known for known in WIDTHS if known >= width), WIDTHS[-1])
