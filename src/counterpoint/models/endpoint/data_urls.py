"""Pictures as they travel inside a request: encoded, and written into an address."""

from base64 import b64encode
from dataclasses import dataclass
from io import BytesIO

from PIL import Image

from counterpoint.core.errors import UnknownName
from counterpoint.core.ports import Pixels

QUALITY = 95
"""Of JPEG, from 1 to 95."""
FORMATS = ("png", "jpeg")
"""The first loses nothing, the second is smaller."""


@dataclass(frozen=True, slots=True)
class PictureEncoding:
    """How pixels become a data URL: in which format, and how long the longer side may be (0: as it is)."""

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
        """What a fingerprint needs of it."""
        return f"{self.format}{QUALITY if self.format == 'jpeg' else ''} {self.side}"
