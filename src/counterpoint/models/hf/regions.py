"""Region features from a file: the output of an object detector, for models that take regions and not pixels.

Three layouts are read, each one picture at a time:

- `*.tsv`, a line for each picture, in the columns of bottom-up attention (image_id, image_w, image_h, num_boxes, boxes,
  features) or in the ten of LXMERT (img_id, img_h, img_w, …, num_boxes, boxes, features), numbers as float32 in base64;
- a folder with one `.npz` for each picture (`features`, `boxes`, `width`, `height`) or one `.npy` (features alone);
- one `.npz` for all pictures, its arrays named `PICTURE/features`, `PICTURE/boxes` and so on.
"""

import binascii
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Any
from weakref import finalize
from zipfile import BadZipFile, is_zipfile

import numpy as np

from counterpoint.core.errors import ModelError, PictureError
from counterpoint.core.ids import Plain, content_id, hex_id
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats
from counterpoint.models.hf.checkpoint import digest_file

CACHED_PICTURES = 256
"""Pictures whose regions are cached, least recently used first out."""

_LAYOUTS = (
    "a .tsv of bottom-up attention or LXMERT, a folder of .npz or .npy, or one .npz; see how-to/use-region-features"
)
_BROKEN = (OSError, ValueError, KeyError, EOFError, BadZipFile)  # what numpy raises on a file that is broken
_ARRAYS = ("features", "boxes", "width", "height")


@dataclass(frozen=True, slots=True)
class PictureRegions:
    """The regions of one picture: features, and boxes from 0 to 1 where they are given."""

    features: Floats  # regions × numbers
    boxes: Floats | None  # regions × (left, top, right, bottom)


class RegionFile:
    """The regions of many pictures, found by the address of a picture, its path, the name of its file, or its number.

    The number is that of COCO: `coco:val2014/COCO_val2014_000000000285.jpg` is found under 285.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        read, names, self.digest = _opened(self._path)
        self._exact = {name: name for name in names}
        self._stems, self._numbers = _unique(names, _stem), _unique(names, _number)
        self._read: Callable[[str], PictureRegions] = lru_cache(CACHED_PICTURES)(read)

    def __len__(self) -> int:
        return len(self._exact)

    def regions(self, picture: Picture) -> PictureRegions:
        """The regions of a picture; an edited one has none, since the detector ran on the original."""
        if picture.edits:
            fact = f"{picture.address} is edited, and {self._path} has the regions of the picture as it was"
            raise PictureError(fact, hint="edits of pixels reach only models that look at pixels")
        return self._read(self._name(picture))

    def features(self, picture: Picture) -> Floats:
        """The features of each region: regions × width."""
        return self.regions(picture).features

    def boxes(self, picture: Picture) -> Floats:
        """The box of each region: left, top, right and bottom, from 0 to 1."""
        if (boxes := self.regions(picture).boxes) is None:
            raise PictureError(f"{self._path} has no boxes for {picture.address}", hint=f"give {_LAYOUTS}")
        return boxes

    def _name(self, picture: Picture) -> str:
        whole = picture.path.removesuffix(PurePosixPath(picture.path).suffix)
        for name in (picture.address, picture.path, whole):
            if name in self._exact:
                return name
        near = self._stems.get(_stem(whole)) or self._numbers.get(_number(whole))
        if near is None:
            fact = f"{self._path} has no regions for {picture.address} among those of {len(self):,} pictures"
            raise PictureError(fact, hint=f"the first is called {next(iter(self._exact), 'nothing')!r}")
        return near


def _stem(name: str) -> str:
    return name.rpartition("/")[2]


def _number(name: str) -> str:
    """The number that a name is or, as those of COCO, ends with."""
    match = re.fullmatch(r"(?:COCO_[a-z]+\d*_)?0*(\d+)", _stem(name))
    return match[1] if match else ""


def _unique(names: Iterable[str], short: Callable[[str], str]) -> dict[str, str]:
    """Names by something shorter, where no two of them share it."""
    pairs = [(short(name), name) for name in names]
    times = Counter(key for key, _ in pairs)
    return {key: name for key, name in pairs if key and times[key] == 1}


def _opened(path: Path) -> tuple[Callable[[str], PictureRegions], list[str], str]:
    """A reader of the regions of one name, the names, and a digest of the file."""
    if path.is_dir():
        return _folder(path)
    if not path.is_file():
        raise ModelError(f"{path} does not exist", hint=f"regions come from {_LAYOUTS}")
    if path.suffix == ".npz":
        return _archive(path)
    if path.suffix == ".tsv" or ".tsv." in path.name:  # parts of the official files end in .tsv.0, .tsv.1
        return _table(path)
    raise ModelError(f"{path} is no file of region features", hint=f"regions come from {_LAYOUTS}")


def _folder(path: Path) -> tuple[Callable[[str], PictureRegions], list[str], str]:
    kinds = {".npz", ".npy"}
    paths = sorted(file for file in path.rglob("*") if file.suffix in kinds and not file.stem.endswith("_info"))
    files = {file.relative_to(path).with_suffix("").as_posix(): file for file in paths}
    looks: Plain = [[name, file.stat().st_size, file.stat().st_mtime_ns] for name, file in files.items()]

    def read(name: str) -> PictureRegions:
        file = files[name]
        try:
            with file.open("rb") as opened:
                loaded = np.load(opened, allow_pickle=False)
                arrays = {"features": loaded} if isinstance(loaded, np.ndarray) else loaded
                return _areas({key: arrays[key] for key in _ARRAYS if key in arrays}, str(file))
        except _BROKEN as problem:
            raise PictureError(f"{file} cannot be read: {problem}", hint=f"regions come from {_LAYOUTS}") from problem

    return read, list(files), hex_id(content_id(looks))


def _archive(path: Path) -> tuple[Callable[[str], PictureRegions], list[str], str]:
    if not is_zipfile(path):
        raise ModelError(f"{path} is no archive of arrays", hint=f"regions come from {_LAYOUTS}")
    loaded = np.load(path, allow_pickle=False)
    names = [key.removesuffix("/features") for key in loaded if key.endswith("/features")]
    if not names:
        fact = f"{path} has no array whose name ends in /features, but {', '.join(list(loaded)[:3]) or 'nothing'}"
        raise ModelError(fact, hint="in one file for all pictures, arrays are named PICTURE/features, PICTURE/boxes")

    def read(name: str) -> PictureRegions:
        place = f"{path}, {name}"
        try:
            return _areas({key: loaded[f"{name}/{key}"] for key in _ARRAYS if f"{name}/{key}" in loaded}, place)
        except _BROKEN as problem:
            raise PictureError(f"{place} cannot be read: {problem}") from problem

    finalize(read, loaded.close)
    return read, names, digest_file(path)


def _table(path: Path) -> tuple[Callable[[str], PictureRegions], list[str], str]:
    """Index the lines of the file in one pass; a line is read again when it is needed."""
    places: dict[str, tuple[int, int, int]] = {}
    digest, start = blake2b(digest_size=16), 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            digest.update(line)
            name = line.partition(b"\t")[0].decode("utf-8", "replace").strip()
            if line.strip() and name not in ("image_id", "img_id"):  # some write a header
                if line.count(b"\t") < 5:
                    fact = f"{path}, line {number}: {line.count(bytes([9])) + 1} columns, and there should be 6 or 10"
                    raise ModelError(fact, hint=f"regions come from {_LAYOUTS}")
                places[name] = number, start, len(line)
            start += len(line)
    return partial(_line, path, places), list(places), digest.hexdigest()


def _line(path: Path, places: Mapping[str, tuple[int, int, int]], name: str) -> PictureRegions:
    number, start, size = places[name]
    place = f"{path}, line {number}, picture {name}"
    with path.open("rb") as file:
        file.seek(start)
        cells = file.read(size).rstrip(b"\r\n").split(b"\t")
    try:
        width, height, count = (int(cells[column]) for column in ((2, 1, 7) if len(cells) == 10 else (1, 2, 3)))
        boxes, features = (  # the last of ten columns are those of LXMERT; bottom-up attention has six, or more
            np.frombuffer(b64decode(cells[column]), "<f4").reshape(count, -1)
            for column in ((8, 9) if len(cells) == 10 else (4, 5))
        )
        sizes = {"width": np.array(width), "height": np.array(height)}
    except (ValueError, binascii.Error) as problem:
        raise PictureError(f"{place}: {problem}", hint=f"regions come from {_LAYOUTS}") from problem
    return _areas({"features": features, "boxes": boxes} | sizes, place)


def _areas(arrays: Mapping[str, Any], place: str) -> PictureRegions:
    """The arrays of one picture, checked and in float32, its boxes from 0 to 1."""
    if "features" not in arrays:
        raise PictureError(f"{place}: there is no array called features", hint=f"regions come from {_LAYOUTS}")
    features = np.asarray(arrays["features"], np.float32)
    if features.ndim != 2 or not features.size:
        raise PictureError(f"{place}: features are {features.shape}, and should be (regions, numbers)")
    if not np.isfinite(features).all():
        raise PictureError(f"{place}: not all features are numbers")
    return PictureRegions(features, _boxes(arrays, len(features), place) if "boxes" in arrays else None)


def _boxes(arrays: Mapping[str, Any], count: int, place: str) -> Floats:
    boxes = np.array(arrays["boxes"], np.float32)
    if boxes.shape != (count, 4):
        raise PictureError(f"{place}: boxes are {boxes.shape}, and should be {(count, 4)}")
    if "width" in arrays and "height" in arrays:
        width, height = (float(arrays[name]) for name in ("width", "height"))
        if min(width, height) <= 0:
            raise PictureError(f"{place}: the picture is {width:g} by {height:g} pixels")
        boxes /= np.array([width, height, width, height], np.float32)
    if not (boxes >= -0.01).all() or not (boxes <= 1.01).all():
        fact = f"{place}: boxes reach from {boxes.min():g} to {boxes.max():g}, and should from 0 to 1"
        raise PictureError(fact, hint="boxes in pixels need the width and height of their picture")
    return np.asarray(boxes.clip(0, 1))
