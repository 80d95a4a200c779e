"""Pictures in folders: resolve an address, decode the file, apply its edits; channel means, and a PNG encoder."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from math import ceil
from os.path import exists, normpath
from pathlib import Path
from struct import error as StructError  # noqa: N812 - it is a class
from struct import pack
from typing import TypeAlias
from unicodedata import normalize
from zlib import compress, crc32

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from counterpoint.core.errors import PictureError, UnknownName
from counterpoint.core.ids import seeded_rng
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


FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
"""The formats that are decoded; Pillow would hand others, such as EPS, to programs of the system."""
_UPRIGHT, _TURNED = 1, 0x0112  # the tag by which a camera says how it was held
_SIDEWAYS = range(5, 9)  # its values where width and height change places
_DEPTH_PLACE = 24  # of the bits per channel in a PNG file
MAX_PIXELS = 89_478_485
"""Pixels of a picture before it is decoded: where Pillow begins to warn."""


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

        A file that is missing at its path is looked for in the root, and under the other normal form of its name.
        """
        root = self._roots.get(picture.namespace)
        if root is None:
            raise UnknownName("namespace of pictures", picture.namespace, self._roots)
        path = Path(normpath(root / picture.path))
        if not path.is_relative_to(root):
            raise PictureError(f"{picture.address} leads out of the folder of {picture.namespace}")
        return picture_file(root, path)

    def file(self, address: str) -> Path | None:
        """The file behind an address; None if it is missing, or of no known namespace."""
        if address.partition(":")[0] not in self._roots:
            return None
        try:
            path = self.path(Picture(address))
        except PictureError:
            return None
        return path if path.is_file() else None

    def pixels(self, picture: Picture) -> Pixels:
        """The picture as RGB, rotated upright, with its edits applied in order."""
        return apply_edits(picture.edits, decode(self.path(picture)))


def picture_file(root: Path, path: Path) -> Path:
    """The file of a path within a root; where nothing is there, a file in another place that it may mean.

    That is the root, where people unpack one data set alone, and the other normal form of a name, since systems write
    an accented letter as one character or as two.
    """
    if exists(path):
        return path
    for place in (path, root / path.name):
        within = str(place.relative_to(root))
        forms = [within] if within.isascii() else [within, normalize("NFC", within), normalize("NFD", within)]
        if found := next((form for form in forms if exists(root / form)), None):
            return root / found
    return path


def decode(
    file: Path | BytesIO, *, name: str = "", max_pixels: int = MAX_PIXELS, max_size: tuple[int, int] | None = None
) -> Pixels:
    """Decode a file in one of FORMATS to 8-bit RGB: upright, the first frame, transparency on white.

    Only these decoders are tried, whatever the file is called, and its size is checked before it is decoded. A picture
    that is larger than `max_size`, in width or height, is scaled down to fit.
    """
    name = name or str(file)
    try:
        with open_image(file, max_pixels) as image:
            if max_size:
                _draft(image, max_size)
            ImageOps.exif_transpose(image, in_place=True)
            upright = to_rgb(image)
            if max_size:
                upright.thumbnail(max_size)
            return np.asarray(upright)
    except FileNotFoundError:
        raise PictureError(f"{name} does not exist", hint="check the root that its namespace is given") from None
    except UnidentifiedImageError:
        hint = f"it may be {', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        raise PictureError(f"{name} cannot be read as a picture: {_unknown_format(file)}", hint=hint) from None
    except DECODE_ERRORS as problem:
        raise PictureError(f"{name} cannot be read as a picture: {problem}") from problem


def _read_start(path: Path) -> bytes:
    with path.open("rb") as opened:
        return opened.read(12)


def _unknown_format(file: Path | BytesIO) -> str:
    """What a file is that none of the decoders takes, as far as its first bytes tell."""
    start = file.getvalue()[:12] if isinstance(file, BytesIO) else _read_start(file)
    if not start:
        return "it is empty"
    if start[4:8] == b"ftyp":
        kind = "HEIC" if start[8:11] in (b"hei", b"hev", b"mif") else "AVIF"
        return f"it is {kind}, or a video; convert it to JPEG or PNG"
    if start.lstrip()[:1] == b"<":
        return "it is HTML, SVG or XML, as of a page that says why a download failed"
    return "its format is not known"


def _draft(image: Image.Image, max_size: tuple[int, int]) -> None:
    """Have the decoder of JPEG, which is much faster then, scale by 2, 4 or 8 to no less than what fits."""
    width, height = max_size[::-1] if image.getexif().get(_TURNED, _UPRIGHT) in _SIDEWAYS else max_size
    scale = min(width / image.width, height / image.height, 1)
    image.draft("RGB", (ceil(image.width * scale), ceil(image.height * scale)))


@contextmanager
def open_image(file: Path | BytesIO, max_pixels: int = MAX_PIXELS) -> Iterator[Image.Image]:
    """Open a file in one of FORMATS that has at most so many pixels, not yet decoded."""
    with Image.open(file, formats=FORMATS) as image:
        if image.width * image.height > max_pixels:
            raise ValueError(f"it has {image.width} × {image.height} pixels, and at most {max_pixels:,} are decoded")
        yield image


def shared_format(path: Path) -> str:
    """The format of a JPEG, PNG or WEBP file that every decoder shows alike; empty for any other file.

    It is upright, opaque, in color or gray of 8 bits, has one frame, and can be decoded.
    """
    try:
        with open_image(path) as image, path.open("rb") as file:
            header = file.read(_DEPTH_PLACE + 1)
            plain = image.mode in ("RGB", "L") and "transparency" not in image.info
            plain = plain and not (image.format == "PNG" and header[_DEPTH_PLACE] == 16)  # which opens as 8 bits
            plain = plain and getattr(image, "n_frames", 1) == 1
            if not plain or image.getexif().get(_TURNED, _UPRIGHT) != _UPRIGHT:
                return ""
            image.load()
            return image.format if image.format in ("JPEG", "PNG", "WEBP") else ""
    except DECODE_ERRORS:  # reported by the decoder that is used next
        return ""


def to_rgb(image: Image.Image) -> Image.Image:
    """Convert to RGB, with transparency on white."""
    if image.mode.startswith("I"):
        image = Image.fromarray((np.asarray(image).clip(0, 65535) // 257).astype(np.uint8))
    if image.mode == "F":
        raise ValueError("floating-point gray has no defined white")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        rgba = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", rgba.size, "white"), rgba)
    return image if image.mode == "RGB" else image.convert("RGB")


def encode_png(pixels: Pixels) -> bytes:
    """Encode RGB pixels as a PNG file.

    >>> encode_png(np.zeros((2, 3, 3), np.uint8))[:4]
    b'\\x89PNG'
    """
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each row begins with its filter type, 0 for none
    rows[:, 1:] = pixels.reshape(height, 3 * width)
    header = pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", compress(rows.tobytes(), 1)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        pack(">I", len(content)) + name + content + pack(">I", crc32(name + content)) for name, content in chunks
    )


Means: TypeAlias = tuple[int, int, int]
"""Red, green and blue from 0 to 255."""
SAMPLE = 1000
"""The largest sample of a folder: enough for a mean that is right to about one level."""

PICTURE_ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff")
"""How the names of pictures end."""


def folder_means(folder: Path, limit: int = SAMPLE) -> Means:
    """The channel means of the pictures in a folder and below, of a fixed random sample where there are many."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in PICTURE_ENDINGS)
    if not paths:
        raise PictureError(f"{folder} has no pictures", hint=f"their names end in {', '.join(PICTURE_ENDINGS)}")
    sample = seeded_rng("channel means", len(paths)).sample(paths, k=min(limit, len(paths)))
    return channel_means(decode(path) for path in sample)


def channel_means(pictures: Iterable[Pixels]) -> Means:
    """The mean of each channel over all pixels of all pictures, to the nearest whole number.

    >>> channel_means([np.full((2, 2, 3), (10, 20, 30), np.uint8), np.full((2, 4, 3), (40, 50, 61), np.uint8)])
    (30, 40, 51)
    """
    sums, count = np.zeros(3, np.int64), 0
    for pixels in pictures:
        sums += pixels.sum(axis=(0, 1), dtype=np.int64)
        count += pixels.shape[0] * pixels.shape[1]
    if not count:
        raise PictureError("there are no pictures to take channel means of")
    red, green, blue = ((2 * sums + count) // (2 * count)).tolist()
    return red, green, blue
