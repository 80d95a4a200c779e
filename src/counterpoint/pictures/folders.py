"""Pictures in folders: resolve an address against the root of its namespace, decode the file, apply its edits."""

from collections.abc import Mapping
from os.path import normpath
from pathlib import Path
from struct import error as StructError  # noqa: N812 - it is a class

import numpy as np
from PIL import Image, ImageOps

from counterpoint.core.errors import PictureError, UnknownName
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pixels
from counterpoint.pictures.edits import apply_edits

DECODE_ERRORS = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    IndexError,
    TypeError,
    StructError,
    Image.DecompressionBombError,
)
"""What Pillow's decoders raise on a broken file."""


class PictureFolders:
    """One folder per namespace; `coco:val2014/7.jpg` is the file `val2014/7.jpg` in the folder of `coco`.

    >>> folders = PictureFolders({"coco": Path("pictures")})
    >>> folders.path(Picture("coco:val2014/7.jpg")).as_posix().endswith("pictures/val2014/7.jpg")
    True
    """

    def __init__(self, roots: Mapping[str, str | Path]) -> None:
        self._roots = {namespace: Path(root).resolve() for namespace, root in roots.items()}

    def path(self, picture: Picture) -> Path:
        """The file of a picture; an address cannot lead out of the root, links inside the root may.

        A file that is missing in its folder is looked up in the root, where people unpack one data set alone.
        """
        root = self._roots.get(picture.namespace)
        if root is None:
            raise UnknownName("namespace of pictures", picture.namespace, self._roots)
        path = Path(normpath(root / picture.path))
        if not path.is_relative_to(root):
            raise PictureError(f"{picture.address} leads out of the folder of {picture.namespace}")
        flat = root / path.name
        return flat if path != flat and not path.exists() and flat.exists() else path

    def pixels(self, picture: Picture) -> Pixels:
        """The picture as RGB, rotated upright, with its edits applied in order."""
        return apply_edits(picture.edits, decode(self.path(picture)))


def decode(path: Path) -> Pixels:
    """Decode a file in any format that Pillow reads to 8-bit RGB, transparency on white."""
    try:
        with Image.open(path) as opened:
            return np.asarray(to_rgb(ImageOps.exif_transpose(opened)))
    except FileNotFoundError:
        raise PictureError(f"{path} does not exist", hint="check the root that its namespace is given") from None
    except DECODE_ERRORS as problem:
        raise PictureError(f"{path} cannot be read as a picture: {problem}") from problem


def to_rgb(image: Image.Image) -> Image.Image:
    """Convert to RGB, with transparency on white."""
    if image.mode.startswith("I"):
        image = Image.fromarray((np.asarray(image).clip(0, 65535) // 257).astype(np.uint8))
    if image.mode == "F":
        raise ValueError("floating-point gray has no defined white")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        rgba = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", rgba.size, "white"), rgba)
    return image.convert("RGB")
