"""Pictures as pages show them: edits applied, made smaller, kept by content in a cache and never in the lab."""

from hashlib import blake2b
from io import BytesIO

from PIL import Image

from counterpoint._version import __version__
from counterpoint.core.ids import canonical
from counterpoint.core.pictures import Picture
from counterpoint.store.cache import FileCache
from counterpoint.store.pictures import LabPictures

WIDTHS = (160, 320, 640, 960)
"""The widths in pixels that a page may ask for; a picture is never made larger than it is."""


class Thumbnails:
    """Small pictures in the shape of the large ones; a replaced file, or a newer version of us, makes new ones."""

    def __init__(self, pictures: LabPictures, cache: FileCache) -> None:
        self._pictures, self._cache = pictures, cache

    def png(self, picture: Picture, width: int) -> bytes:
        """A PNG file of the picture as it was shown to a model, at most `width` pixels wide."""
        content = canonical([picture.content, self._digest(picture), __version__, width])
        name = blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return self._cache.get_or_make(f"thumbnails/{name[:2]}/{name}.png", lambda: self._made(picture, width))

    def _digest(self, picture: Picture) -> str:
        """Of the file behind a picture; a picture that is drawn has none, and follows from its address."""
        path = self._pictures.file(picture.address)
        return blake2b(path.read_bytes(), digest_size=16).hexdigest() if path else ""

    def _made(self, picture: Picture, width: int) -> bytes:
        image = Image.fromarray(self._pictures.pixels(picture))
        if image.width > width:
            height = max(1, round(image.height * width / image.width))
            image = image.resize((width, height), Image.Resampling.LANCZOS)
        file = BytesIO()
        image.save(file, format="PNG", compress_level=6)
        return file.getvalue()


def thumbnail_width(width: int) -> int:
    """The least of the widths that pages use which is at least this one.

    >>> fitting(200)
    320
    """
    return next((one for one in WIDTHS if one >= width), WIDTHS[-1])
