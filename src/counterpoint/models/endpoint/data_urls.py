"""Pictures encoded as data URLs, as chat-completions requests carry them."""

from base64 import b64encode
from dataclasses import dataclass
from io import BytesIO

from PIL import Image

from counterpoint.core.errors import UnknownName
from counterpoint.core.ports import Pixels

QUALITY = 95
"""JPEG quality, from 1 to 95."""
FORMATS = ("png", "jpeg")
"""PNG is lossless, JPEG is smaller."""


@dataclass(frozen=True, slots=True)
class PictureEncoding:
    """How pixels become a data URL: the file format, and the longest side in pixels (0: unchanged)."""

    format: str = "png"
    side: int = 0

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise UnknownName("format of pictures", self.format, FORMATS)

    def __call__(self, pixels: Pixels) -> str:
        """The picture as a data URL."""
        image = Image.fromarray(pixels)
        if self.side and max(image.size) > self.side:
            image.thumbnail((self.side, self.side), Image.Resampling.LANCZOS)
        file = BytesIO()
        image.save(file, self.format, **({"compress_level": 1} if self.format == "png" else {"quality": QUALITY}))
        return f"data:image/{self.format};base64,{b64encode(file.getbuffer()).decode('ascii')}"

    @property
    def content(self) -> str:
        """What a fingerprint covers."""
        return f"{self.format}{QUALITY if self.format == 'jpeg' else ''} {self.side}"
