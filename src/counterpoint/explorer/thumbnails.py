"""Thumbnails of pictures with their edits applied, cached by content."""

from hashlib import blake2b
from io import BytesIO

from PIL import Image

from counterpoint._version import __version__
from counterpoint.core.ids import canonical
from counterpoint.core.pictures import Picture
from counterpoint.store.cache import FileCache
from counterpoint.store.pictures import LabPictures

WIDTHS = (160, 320, 640, 960)
"""The widths in pixels that thumbnails have; a picture is never enlarged."""


class Thumbnails:
    """PNG thumbnails in a file cache, keyed by the edited picture, its file's content, the width and our version."""

    def __init__(self, pictures: LabPictures, cache: FileCache) -> None:
        self._pictures, self._cache = pictures, cache

    def png(self, picture: Picture, width: int) -> bytes:
        """Return the picture as shown to a model as a PNG file, at most `width` pixels wide."""
        content = canonical([picture.content, self._digest(picture), __version__, width])
        name = blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return self._cache.get_or_make(f"thumbnails/{name[:2]}/{name}.png", lambda: self._draw(picture, width))

    def _digest(self, picture: Picture) -> str:
        """Return the digest of a picture's file, or nothing for a generated picture, which follows from its address."""
        path = self._pictures.file(picture.address)
        return blake2b(path.read_bytes(), digest_size=16).hexdigest() if path else ""

    def _draw(self, picture: Picture, width: int) -> bytes:
        image = Image.fromarray(self._pictures.pixels(picture))
        if image.width > width:
            height = max(1, round(image.height * width / image.width))
            image = image.resize((width, height), Image.Resampling.LANCZOS)
        file = BytesIO()
        image.save(file, format="PNG", compress_level=6)
        return file.getvalue()


def thumbnail_width(width: int) -> int:
    """Return the smallest thumbnail width that is at least this one, else the largest.

    >>> thumbnail_width(200)
    320
    """
    return next((known for known in WIDTHS if known >= width), WIDTHS[-1])
