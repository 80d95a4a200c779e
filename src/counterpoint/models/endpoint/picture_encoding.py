"""Pictures as a server is sent them: the bytes of their files where these will do, else encoded anew."""

import logging
from base64 import b64encode
from dataclasses import dataclass, replace
from io import BytesIO

from PIL import Image

from counterpoint.core.errors import UnknownName
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import PictureFiles, Pictures, Pixels
from counterpoint.pictures.folders import DECODE_ERRORS, open_image, shared_format

logger = logging.getLogger(__name__)
QUALITY = 95
"""JPEG quality, from 1 to 95."""
ORIGINAL = "original"
FORMATS = (ORIGINAL, "png", "jpeg")
"""The bytes of the file where nothing is changed; PNG, which is lossless; JPEG, which is smaller."""
PHOTOGRAPHS = ("JPEG", "WEBP")
"""Formats of files that are encoded as JPEG where they cannot be sent as they are."""
DEFAULT_SIDE = 2048
"""Pixels: larger pictures are scaled down by OpenAI's servers too, and by several others to less."""
LARGE_BYTES = 4_000_000
"""A larger picture is warned of: in base64 it has 5.3 MB, more than some public servers take."""


@dataclass(frozen=True, slots=True)
class PictureEncoding:
    """How a picture becomes a data URL: the file format, and the longest side in pixels (0: any)."""

    format: str = ORIGINAL
    side: int = DEFAULT_SIDE

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise UnknownName("format of pictures", self.format, FORMATS)

    @property
    def content(self) -> str:
        """What a fingerprint covers."""
        return f"{self.format}{'' if self.format == 'png' else QUALITY} {self.side}"

    @property
    def former(self) -> tuple["PictureEncoding", ...]:
        """The encodings that earlier releases used with the same settings: PNG, of any size by default."""
        sides = (self.side, 0) if self.side == DEFAULT_SIDE else (self.side,)
        alike = [replace(self, format="png" if self.format == ORIGINAL else self.format, side=side) for side in sides]
        return tuple(encoding for encoding in alike if encoding != self)

    def load(self, pictures: Pictures, picture: Picture) -> tuple[str, bytes]:
        """The format of a picture and the bytes that are sent."""
        path = pictures.file(picture.address) if isinstance(pictures, PictureFiles) else None
        if self.format != ORIGINAL or path is None:
            return self.encode(pictures.pixels(picture))
        try:
            with open_image(path) as image:
                size, photograph = max(image.size), image.format in PHOTOGRAPHS
        except DECODE_ERRORS:  # reported by the decoder that is used next
            size, photograph = 0, False
        if not picture.edits and (size <= self.side or not self.side) and (kind := shared_format(path)):
            return kind.lower(), path.read_bytes()
        return self.encode(pictures.pixels(picture), photograph=photograph)

    def encode(self, pixels: Pixels, *, photograph: bool = False) -> tuple[str, bytes]:
        """Pixels as a JPEG file if they are to be one, or are a photograph and any format will do; else as PNG."""
        image, file = Image.fromarray(pixels), BytesIO()
        if self.side and max(image.size) > self.side:
            image.thumbnail((self.side, self.side), Image.Resampling.LANCZOS)
        if self.format == "jpeg" or (self.format == ORIGINAL and photograph):
            image.save(file, "jpeg", quality=QUALITY)
            return "jpeg", file.getvalue()
        image.save(file, "png", compress_level=1)
        return "png", file.getvalue()


def data_url(kind: str, content: bytes) -> str:
    """The bytes of a picture as a data URL."""
    return f"data:image/{kind};base64,{b64encode(content).decode('ascii')}"


class PictureEncoder:
    """Encodes the pictures of a source for a server, and warns of the first that is large."""

    def __init__(self, pictures: Pictures, encoding: PictureEncoding) -> None:
        self._pictures, self._encoding, self._warned = pictures, encoding, False

    def __call__(self, picture: Picture) -> str:
        """The picture as a data URL."""
        kind, content = self._encoding.load(self._pictures, picture)
        if len(content) > LARGE_BYTES and not self._warned:
            self._warned = True
            fact = "%s is sent as %.1f MB, which some servers refuse; lower picture_side, or set picture_format=jpeg"
            logger.warning(fact, picture.address, len(content) / 1e6)
        return data_url(kind, content)
