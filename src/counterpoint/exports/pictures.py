"""Pictures encoded for export: every decoder reads the pixels that models are shown here."""

from collections import OrderedDict
from pathlib import Path

from PIL import Image

from counterpoint.core.errors import CounterpointError, StoreError
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Picture
from counterpoint.pictures.png import encode_png
from counterpoint.store.pictures import LabPictures

CACHE_BYTES = 256 * 2**20
"""Encoded pictures that are cached, in bytes."""
_PLAIN = {"JPEG": "jpg", "PNG": "png"}
_UPRIGHT, _TURNED = 1, 0x0112  # the tag by which a camera says how it was held


class PictureExporter:
    """Encodes pictures with their edits applied, with an LRU cache of bounded size.

    A file is exported unchanged where all decoders agree on it: an upright, opaque JPEG or PNG in color or gray. All
    else is encoded as PNG.
    """

    def __init__(self, pictures: LabPictures, *, cache_bytes: int = CACHE_BYTES) -> None:
        self.seen: set[Picture] = set()
        self._pictures, self._cache_bytes, self._held = pictures, cache_bytes, 0
        self._kept: OrderedDict[Picture, dict[str, bytes | str]] = OrderedDict()

    def file(self, picture: Picture) -> dict[str, bytes | str]:
        """The bytes of a picture as shown, and a name for them."""
        encoded = self._kept.get(picture)
        if encoded is not None:
            self._kept.move_to_end(picture)
            return encoded
        content, ending = self._encoded(picture)
        encoded = {"bytes": content, "path": f"{hex_id(picture.id)}.{ending}"}
        self.seen.add(picture)
        self._kept[picture] = encoded
        self._held += len(content)
        while self._held > self._cache_bytes and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._held -= len(dropped["bytes"])
        return encoded

    def _encoded(self, picture: Picture) -> tuple[bytes, str]:
        path = None if picture.edits else self._pictures.file(picture.address)
        ending = path and _unchanged_suffix(path)
        if path and ending:
            return path.read_bytes(), ending
        try:
            return encode_png(self._pictures.pixels(picture)), "png"
        except CounterpointError as problem:
            fact = f"the picture {picture.address} cannot be exported: {problem}"
            raise StoreError(fact, hint="put its file where the lab looks for it, or add --no-pictures") from problem


def _unchanged_suffix(path: Path) -> str:
    """The suffix of a file that can be exported unchanged; empty for any other."""
    try:
        with Image.open(path) as image:
            plain = image.mode in ("RGB", "L") and "transparency" not in image.info
            if not plain or image.getexif().get(_TURNED, _UPRIGHT) != _UPRIGHT:
                return ""
            image.load()
            return _PLAIN.get(image.format or "", "")
    except Exception:  # the decoder that is used next reports the error
        return ""
