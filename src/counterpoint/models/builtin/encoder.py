"""Pictures and texts as features, each encoded once however many queries share it."""

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np
from PIL import Image

from counterpoint.core.errors import CounterpointError, PictureError
from counterpoint.core.groups import Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Pictures, Pixels
from counterpoint.models.builtin.onnx_graphs import OnnxGraphs
from counterpoint.models.builtin.vocabulary import Vocabulary, group_by_length

WIDTH, HEIGHT = 320, 240
"""The size pictures are brought to."""

Key = TypeVar("Key", bound=Hashable)


class FeatureCache(Generic[Key]):
    """The features last used, up to a number; the oldest go first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[Key, Floats] = OrderedDict()

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: Key) -> Floats | None:
        """The features of a key, if they are kept."""
        if key in self._found:
            self._found.move_to_end(key)
        return self._found.get(key)

    def put(self, key: Key, features: Floats) -> Floats:
        """Keep some features, and let the oldest go where there are too many."""
        self._found[key] = features
        if len(self._found) > self._most:
            self._found.popitem(last=False)
        return features


class Encoder:
    """What a model makes of pictures and of texts, before it brings the two together."""

    def __init__(
        self, graphs: OnnxGraphs, pictures: Pictures, *, pictures_kept: int = 128, texts_kept: int = 2048
    ) -> None:
        self.words = Vocabulary(graphs.card.vocabulary)
        self.pictures_encoded = 0
        self._graphs, self._pictures = graphs, pictures
        self._seen, self._read = FeatureCache[Picture](pictures_kept), FeatureCache[tuple[int, ...]](texts_kept)

    def picture(self, query: Query) -> Floats:
        """The features of a query's picture; one that is not there or cannot be read is an error that says so."""
        if "picture" not in self._graphs.card.sees:
            return np.zeros(1, np.float32)
        picture = query.picture
        if picture is None:
            raise PictureError("the query has no picture")
        kept = self._seen.get(picture)
        return self._seen.put(picture, self._look(picture)) if kept is None else kept

    def numbers(self, query: Query) -> list[int]:
        """The words of a query as numbers."""
        return self.words.numbers(query.text, query.context)

    def texts(self, queries: Sequence[Query]) -> list[Floats]:
        """The features of each text; texts of one length are read together, so none is padded."""
        if "text" not in self._graphs.card.sees:
            return [np.zeros(1, np.float32)] * len(queries)
        rows = [tuple(self.numbers(query)) for query in queries]
        found = {row: self._read.get(row) for row in rows}
        unread = [row for row, features in found.items() if features is None]
        for positions in group_by_length(unread).values():
            alike = [unread[position] for position in positions]
            for row, features in zip(alike, self._reading(alike), strict=True):
                found[row] = self._read.put(row, features)
        return [features for row in rows if (features := found[row]) is not None]

    def _reading(self, rows: list[tuple[int, ...]]) -> Floats:
        tokens = np.array(rows, np.int64)
        present = np.ones((len(rows), 1 + tokens.shape[1]), np.float32)
        return self._graphs.run("text", {"tokens": tokens, "present": present})[0]

    def _look(self, picture: Picture) -> Floats:
        try:
            pixels = resize_pixels(self._pictures.pixels(picture))
        except (CounterpointError, OSError) as problem:
            raise PictureError(f"{picture.address} cannot be shown: {problem}") from problem
        self.pictures_encoded += 1
        signed = (pixels[None] ^ np.uint8(128)).view(np.int8)  # bytes less 128, as the graph takes them
        (features,) = self._graphs.run("picture", {"pixels": signed})[0]
        return np.asarray(features)


def resize_pixels(pixels: Pixels) -> Pixels:
    """A picture at the size the models were trained on."""
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise PictureError(f"pixels are {pixels.dtype} {pixels.shape}, and should be uint8 (height, width, 3)")
    if pixels.shape[:2] == (HEIGHT, WIDTH):
        return pixels
    return np.asarray(Image.fromarray(pixels).resize((WIDTH, HEIGHT), Image.Resampling.BILINEAR))
