"""Pictures on their way out: the bytes of a file that every decoder reads as the pixels that our models are shown."""

from collections import OrderedDict
from pathlib import Path

from PIL import Image

from counterpoint.core.errors import CounterpointError, StoreError
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Picture
from counterpoint.pictures.png import encode_png
from counterpoint.store.pictures import LabPictures

ROOM = 256 * 2**20
"""How many bytes of pictures are kept for the rows to come."""
_PLAIN = {"JPEG": "jpg", "PNG": "png"}
_UPRIGHT, _TURNED = 1, 0x0112  # the tag by which a camera says how it was held


class PictureEncoder:
    """Encodes each picture once, its edits applied, as far as those that were used last fit into some room.

    A file goes out as it is where no decoder can read it otherwise than ours: a JPEG or PNG in color or gray that is
    upright and opaque. All else is written as PNG.
    """

    def __init__(self, pictures: LabPictures, *, room: int = ROOM) -> None:
        self.seen: set[Picture] = set()
        self._pictures, self._room, self._held = pictures, room, 0
        self._kept: OrderedDict[Picture, dict[str, bytes | str]] = OrderedDict()

    def file(self, picture: Picture) -> dict[str, bytes | str]:
        """The bytes of a picture as shown, and a name for them."""
        found = self._kept.get(picture)
        if found is not None:
            self._kept.move_to_end(picture)
            return found
        content, ending = self._encoded(picture)
        found = {"bytes": content, "path": f"{hex_id(picture.id)}.{ending}"}
        self.seen.add(picture)
        self._kept[picture] = found
        self._held += len(content)
        while self._held > self._room and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._held -= len(dropped["bytes"])
        return found

    def _encoded(self, picture: Picture) -> tuple[bytes, str]:
        path = None if picture.edits else self._pictures.file(picture.address)
        ending = path and _as_it_is(path)
        if path and ending:
            return path.read_bytes(), ending
        try:
            return encode_png(self._pictures.pixels(picture)), "png"
        except CounterpointError as problem:
            fact = f"the picture {picture.address} cannot be exported: {problem}"
            raise StoreError(fact, hint="put its file where the lab looks for it, or add --no-pictures") from problem


def _as_it_is(path: Path) -> str:
    """The ending of a file that needs no work; nothing where it needs some, or cannot be read."""
    try:
        with Image.open(path) as image:
            plain = image.mode in ("RGB", "L") and "transparency" not in image.info
            if not plain or image.getexif().get(_TURNED, _UPRIGHT) != _UPRIGHT:
                return ""
            image.load()
            return _PLAIN.get(image.format or "", "")
    except Exception:  # whatever is wrong with it is said by the reader that decodes it next
        return ""
