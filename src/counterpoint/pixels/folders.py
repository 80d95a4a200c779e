"""Pictures in folders: an address is resolved against the root of its namespace, decoded, and edited as it asks."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from counterpoint.core.errors import PictureError, UnknownName
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pixels
from counterpoint.pixels.edits import applied


class PictureFolders:
    """One folder per namespace; `coco:val2014/7.jpg` is the file `val2014/7.jpg` in the folder of `coco`.

    >>> folders = PictureFolders({"coco": Path("pictures")})
    >>> folders.path(Picture("coco:val2014/7.jpg")).as_posix().endswith("pictures/val2014/7.jpg")
    True
    """

    def __init__(self, roots: Mapping[str, Path]) -> None:
        self._roots = {namespace: Path(root).resolve() for namespace, root in roots.items()}

    def path(self, picture: Picture) -> Path:
        """The file behind a picture; it never lies outside the folder of its namespace."""
        root = self._roots.get(picture.namespace)
        if root is None:
            raise UnknownName("namespace of pictures", picture.namespace, self._roots)
        found = (root / picture.path).resolve()
        if not found.is_relative_to(root):
            raise PictureError(f"{picture.address} leads out of the folder of {picture.namespace}")
        return found

    def pixels(self, picture: Picture) -> Pixels:
        """The picture as shown: decoded, turned upright, in red, green and blue, its edits applied in order."""
        return applied(picture.edits, decoded(self.path(picture)))


def decoded(path: Path) -> Pixels:
    """The pixels of a file in any format and mode that Pillow reads; transparency is laid on white."""
    try:
        with Image.open(path) as opened:
            upright = ImageOps.exif_transpose(opened)
            if upright.mode in ("RGBA", "LA", "PA") or "transparency" in upright.info:
                clear = upright.convert("RGBA")
                upright = Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear)
            return np.asarray(upright.convert("RGB"))
    except FileNotFoundError:
        raise PictureError(f"{path} does not exist", hint="check the root that its namespace is given") from None
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as problem:
        raise PictureError(f"{path} cannot be read as a picture: {problem}") from problem
