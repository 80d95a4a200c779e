"""Pictures that visitors upload: decoded with care, scaled down, and held in memory only, the last few of them."""

from io import BytesIO
from secrets import token_hex

from counterpoint.core.errors import PictureError
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures, Pixels
from counterpoint.pictures.edits import apply_edits
from counterpoint.pictures.folders import decode
from counterpoint.store.cache import LRUCache

NAMESPACE = "dropped"
"""The namespace of an uploaded picture's address."""
MAX_BYTES = 10_000_000
"""Bytes of an uploaded file."""
MAX_PIXELS = 40_000_000
"""Pixels of a picture before it is decoded."""
MAX_SIDE = 1024
"""Pixels of the longer side of a picture that is held."""
MAX_KEPT = 24
"""Pictures that are held; the least recently used is evicted first."""


class UploadedPictures:
    """Pixels by a name that nobody can guess."""

    def __init__(self) -> None:
        self._pixels = LRUCache[str, Pixels](MAX_KEPT, lambda pixels: 1)

    def add(self, content: bytes) -> str:
        """Hold the picture of a file, and return its name."""
        name = token_hex(16)
        self._pixels.put(name, decode_upload(content))
        return name

    def pixels(self, name: str) -> Pixels:
        """The picture of a name."""
        pixels = self._pixels.get(name)
        if pixels is None:
            raise PictureError("the uploaded picture is no longer held", hint="upload it again")
        return pixels


class PlayPictures:
    """The pictures that models are shown in "Try a model": those of the lab, and uploaded ones."""

    def __init__(self, lab: Pictures, uploads: UploadedPictures) -> None:
        self._lab, self.uploads = lab, uploads

    def pixels(self, picture: Picture) -> Pixels:
        """The picture with its edits."""
        if picture.namespace == NAMESPACE:
            return apply_edits(picture.edits, self.uploads.pixels(picture.path))
        return self._lab.pixels(picture)


def decode_upload(content: bytes) -> Pixels:
    """The pixels of an untrusted file; its format and size are checked before it is decoded."""
    if len(content) > MAX_BYTES:
        raise PictureError(f"the picture has {len(content):,} bytes, and at most {MAX_BYTES:,} are taken")
    return decode(BytesIO(content), name="the upload", max_pixels=MAX_PIXELS, max_size=(MAX_SIDE, MAX_SIDE))
