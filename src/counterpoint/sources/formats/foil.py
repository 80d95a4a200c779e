"""FOIL it!: captions of COCO, each with a foil in which one noun was replaced by a wrong one.

`foilv1.0_train_2017.json` and `foilv1.0_test_2017.json` have the layout of COCO's captions. A caption and its foil are
two annotations with the same `image_id` and the same `id`, that of the caption in COCO; `foil` says which is which. The
foil has `target_word` and `foil_word`, the word that was replaced and the one in its place, where the caption has
"ORIG", and a `foil_id` of its own, by which VALSE knows the pair.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import DataSet, File, SplitFiles, split_names
from counterpoint.sources.formats.coco import NAMESPACE, path_of
from counterpoint.sources.reading.json_files import elements, object_keys
from counterpoint.sources.reading.records import Record, Skips, read_each

NO_CAPTION = "a foil without its caption"
ORIGINAL = "ORIG"
_FOLDERS = {"train": "train2014", "test": "val2014"}
_Key: TypeAlias = tuple[int, str]


class _Foil(NamedTuple):
    id: str
    text: str
    word: str
    foil_word: str
    place: str


def captions(files: SplitFiles, skips: Skips) -> Iterator[Caption]:
    """Every caption with its foil, under the id of the foil; then those that have none, under their own.

    The caption is the one in the file. It is not made from the foil by putting the word back, which spoils other words
    that hold it: "a baseball ball" would become "a basebat bat".
    """
    path, folder = files["captions"], _FOLDERS[files.split]
    is_listed = any(key == "images" for key, _ in object_keys(path))
    images = enumerate(elements(path, "images") if is_listed else ())
    names = dict(
        read_each(images, f"{path.name}, image", skips, lambda image: (image.number("id"), path_of(image, folder)))
    )
    texts: dict[_Key, str] = {}
    unpaired: dict[_Key, list[_Foil]] = {}  # foils whose captions are not read yet
    paired: set[_Key] = set()
    for number, content in enumerate(elements(path, "annotations")):
        with skips:
            record = Record(content, f"{path.name}, annotation", number)
            key = record.number("image_id"), record.word("id")
            if _is_foil(record):
                own = record.word("foil_id" if "foil_id" in record.content else "id")
                text, words = record.word("caption").strip(), (record.word("target_word"), record.word("foil_word"))
                unpaired.setdefault(key, []).append(_Foil(own, text, *words, record.place))
            else:
                texts.setdefault(key, record.word("caption").strip())
            if key in texts and key in unpaired:
                paired.add(key)
                for foil in unpaired.pop(key):
                    yield Caption(foil.id, _picture(key, names, folder), texts[key], *foil[1:4])
    for foils in unpaired.values():
        for foil in foils:
            skips.skip(NO_CAPTION, foil.place, "take the whole file: both have one image_id and one id")
    for key, text in texts.items():
        if key not in paired:
            yield Caption(f"caption-{key[1]}", _picture(key, names, folder), text)


def _picture(key: _Key, names: dict[int, str], folder: str) -> Picture:
    image = key[0]
    return Picture(f"{NAMESPACE}:{names.get(image) or f'{folder}/COCO_{folder}_{image:012}.jpg'}")


def _is_foil(record: Record) -> bool:
    flag = record.content.get("foil")
    if type(flag) is bool:
        return flag
    if flag is not None:
        raise record.wrong("foil", "true or false")
    return record.word("foil_word") != ORIGINAL


_ORIGIN, _NAME = "the FOIL site at Trento, FOIL dataset v1.0", "foilv1.0_{}_2017.json"

foil = DataSet(
    name="foil",
    title="FOIL it!",
    files=(File("captions", split_names(_FOLDERS, _NAME, f"annotations/{_NAME}", "*foil*{}*.json"), _ORIGIN),),
    read={"captions": captions},
    namespace=NAMESPACE,
    pictures=("images",),
    holds=("val2014", "train2014"),
    origin=f"{_ORIGIN}; pictures of COCO 2014",
)
