"""A small suite with every sort of picture and query that can be told apart on the way out."""

from collections.abc import Callable, Iterator
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from PIL import Image

from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.pictures import Edit, Picture
from counterpoint.core.ports import Pixels
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest, StoredSuite

PLAIN, PHOTO, TURNED, CLEAR = (Picture(f"toy:{name}") for name in ("a.png", "b.jpg", "turned.jpg", "clear.png"))
BLURRED = PLAIN.edited(Edit("blur", ("2",)))


def toy_lab(folder: Path) -> LabStore:
    """A lab with four pictures, and no suite yet."""
    lab, pictures = LabStore(folder), folder / "pictures"
    pictures.mkdir(parents=True)
    lab.set_root("toy", pictures)
    noise = np.random.default_rng(7).integers(0, 256, (30, 40, 3), np.uint8)
    image = Image.fromarray(noise)
    image.save(pictures / "a.png")
    image.save(pictures / "b.jpg")
    exif = Image.Exif()
    exif[0x0112] = 6
    image.save(pictures / "turned.jpg", exif=exif)
    Image.fromarray(np.dstack([noise, noise[:, :, 0]])).save(pictures / "clear.png")
    return lab


def asked() -> Iterator[tuple[str, Group]]:
    """Groups of questions: same, differs, a blind control, an edit, choices and context."""
    yes, no = Gold.of("yes"), Gold.of("no")
    tags = ((("number", "1"),), (("number", "2"),))
    words = (Query(PLAIN, "Is it gray?"), Query(PLAIN, "Is this gray?"))
    yield "words", Group(Relation.SAME, words, (yes, yes), proof="it is", kind="exist", tags=tags)
    yield "words", Group(Relation.DIFFERS, (Query(PHOTO, "Is it?"), Query(TURNED, "Is it not?")), (yes, no))
    yield "noise", Group(Relation.SAME, (Query(PLAIN, "What is it?"), Query(BLURRED, "What is it?")), (None, None))
    yield "blind", Group(Relation.SWAP, (Query(CLEAR, "Is it gray?"), Query(None, "Is it gray?")), (yes, None))
    offered = Query(CLEAR, "Is it “red” or blue?", choices=("red", "blue"), context="It has a color.")
    votes = Gold((("red", 1.0), ("pink", 0.3)))
    yield "choice", Group(Relation.GOLD, (offered,), (votes,))


def scored() -> Iterator[tuple[str, Group]]:
    """A caption against a foil."""
    captions = tuple(Query(PLAIN, text, Mode.SCORE) for text in ("A picture of noise.", "A dog."))
    yield "foil", Group(Relation.RANKS, captions, (None, None))


def put(lab: LabStore, name: str, groups: Iterator[tuple[str, Group]]) -> StoredSuite:
    """A suite of these groups, put into a lab."""
    table = groups_table(groups, name)
    lab.put_suite(Manifest.of(table, generator="tests", seed=7), table)
    return lab.suite(name)


def rows_in(folder: Path) -> list[dict[str, Any]]:
    """The rows of all Parquet files in a folder, in the order of their names."""
    return [row for path in sorted(folder.glob("*.parquet")) for row in pq.read_table(path).to_pylist()]


def pixels_of(image: dict[str, Any]) -> Pixels:
    """What any decoder makes of the bytes of a picture."""
    return np.asarray(opened(image))


def opened(image: dict[str, Any]) -> Image.Image:
    """The picture as other tools open it."""
    return Image.open(BytesIO(image["bytes"])).convert("RGB")


def read_yaml(text: str, functions: Callable[[str], object] = str) -> Any:
    """What a YAML text says; `functions` gives what stands behind `!function module.name`."""
    yaml: Any = import_module("yaml")  # it comes with huggingface_hub, without types
    loader: Any = type("Loader", (yaml.SafeLoader,), {})
    loader.add_constructor("!function", lambda own, node: functions(own.construct_scalar(node)))
    return yaml.load(text, Loader=loader)
