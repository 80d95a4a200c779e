"""Pictures that visitors drop in: decoded with care, made smaller, and kept in memory alone, the last few of them."""

from collections import OrderedDict
from io import BytesIO
from secrets import token_hex
from threading import Lock

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from counterpoint.core.errors import PictureError
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures, Pixels
from counterpoint.pictures.edits import apply_edits
from counterpoint.pictures.folders import DECODE_ERRORS, to_rgb

NAMESPACE = "dropped"
"""Where such a picture is, as its address says."""
MAX_BYTES = 10_000_000
"""Bytes of a file, at most."""
MAX_PIXELS = 40_000_000
"""Pixels of a picture before it is decoded, at most."""
MAX_SIDE = 1024
"""Pixels of its longer side, once it is kept."""
MAX_KEPT = 24
"""So many pictures are kept; the one that was not looked at for longest goes first."""
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")


class UploadedPictures:
    """Pixels by a name that nobody can guess."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, Pixels] = OrderedDict()
        self._lock = Lock()

    def keep(self, content: bytes) -> str:
        """Keep a picture, and say its name."""
        pixels, name = decode_upload(content), token_hex(16)
        with self._lock:
            self._held[name] = pixels
            if len(self._held) > MAX_KEPT:
                self._held.popitem(last=False)
        return name

    def pixels(self, name: str) -> Pixels:
        """The picture of a name."""
        with self._lock:
            if name not in self._held:
                raise PictureError("the picture that was dropped in is gone", hint="drop it in again")
            self._held.move_to_end(name)
            return self._held[name]


class PlayPictures:
    """The pictures that models are shown while somebody plays: those of the lab, and those that were dropped in."""

    def __init__(self, lab: Pictures, dropped: UploadedPictures) -> None:
        self._lab, self.dropped = lab, dropped

    def pixels(self, picture: Picture) -> Pixels:
        """The picture as shown."""
        if picture.namespace == NAMESPACE:
            return apply_edits(picture.edits, self.dropped.pixels(picture.path))
        return self._lab.pixels(picture)


def decode_upload(content: bytes) -> Pixels:
    """The pixels of a file from somebody we do not know: its format and size are looked at before it is decoded."""
    if len(content) > MAX_BYTES:
        raise PictureError(f"the picture has {len(content):,} bytes, and at most {MAX_BYTES:,} are taken")
    try:
        with Image.open(BytesIO(content), formats=FORMATS) as opened:
            if opened.width * opened.height > MAX_PIXELS:
                raise PictureError(f"the picture has {opened.width} × {opened.height} pixels, which are too many")
            opened.draft("RGB", (MAX_SIDE, MAX_SIDE))
            upright = to_rgb(ImageOps.exif_transpose(opened))
            upright.thumbnail((MAX_SIDE, MAX_SIDE))
            return np.asarray(upright)
    except UnidentifiedImageError:
        fact = "this is no picture that can be shown"
        raise PictureError(fact, hint=f"it may be {', '.join(FORMATS[:-1])} or {FORMATS[-1]}") from None
    except DECODE_ERRORS as problem:
        raise PictureError(f"the picture cannot be decoded: {problem}") from problem
