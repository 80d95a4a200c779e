"""Encoder of a built-in model: features of pictures and texts, each computed once however many queries share it."""

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np
from PIL import Image

from counterpoint.core.errors import CounterpointError, PictureError
from counterpoint.core.groups import Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Pictures, Pixels
from counterpoint.models.builtin.onnx_graphs import OnnxGraphs, Vocabulary, group_by_length

WIDTH, HEIGHT = 320, 240
"""The size that pictures are resized to."""

Key = TypeVar("Key", bound=Hashable)


class FeatureCache(Generic[Key]):
    """An LRU cache of features."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._features: OrderedDict[Key, Floats] = OrderedDict()

    def __len__(self) -> int:
        return len(self._features)

    def get(self, key: Key) -> Floats | None:
        """The features of a key, if they are cached."""
        if key in self._features:
            self._features.move_to_end(key)
        return self._features.get(key)

    def put(self, key: Key, features: Floats) -> Floats:
        """Cache features, and evict the least recently used where there are too many."""
        self._features[key] = features
        if len(self._features) > self._most:
            self._features.popitem(last=False)
        return features


class Encoder:
    """The picture and text encoders of a model."""

    def __init__(
        self, graphs: OnnxGraphs, pictures: Pictures, *, picture_cache: int = 128, text_cache: int = 2048
    ) -> None:
        self.vocabulary = Vocabulary(graphs.card.vocabulary)
        self.pictures_encoded = 0
        self._graphs, self._pictures = graphs, pictures
        self._picture_features = FeatureCache[Picture](picture_cache)
        self._text_features = FeatureCache[tuple[int, ...]](text_cache)

    def picture(self, query: Query) -> Floats:
        """The features of a query's picture; PictureError where it is missing or unreadable."""
        if "picture" not in self._graphs.card.sees:
            return np.zeros(1, np.float32)
        picture = query.picture
        if picture is None:
            raise PictureError("the query has no picture")
        cached = self._picture_features.get(picture)
        return self._picture_features.put(picture, self._encode_picture(picture)) if cached is None else cached

    def tokens(self, query: Query) -> list[int]:
        """The words of a query as numbers."""
        return self.vocabulary.numbers(query.text, query.context)

    def texts(self, queries: Sequence[Query]) -> list[Floats]:
        """The features of each text; texts of one length are encoded together, so none is padded."""
        if "text" not in self._graphs.card.sees:
            return [np.zeros(1, np.float32)] * len(queries)
        rows = [tuple(self.tokens(query)) for query in queries]
        features = {row: self._text_features.get(row) for row in rows}
        new = [row for row, cached in features.items() if cached is None]
        for positions in group_by_length(new).values():
            same_length = [new[position] for position in positions]
            for row, encoded in zip(same_length, self._encode_texts(same_length), strict=True):
                features[row] = self._text_features.put(row, encoded)
        return [found for row in rows if (found := features[row]) is not None]

    def _encode_texts(self, rows: list[tuple[int, ...]]) -> Floats:
        tokens = np.array(rows, np.int64)
        present = np.ones((len(rows), 1 + tokens.shape[1]), np.float32)
        return self._graphs.run("text", {"tokens": tokens, "present": present})[0]

    def _encode_picture(self, picture: Picture) -> Floats:
        try:
            pixels = resize_pixels(self._pictures.pixels(picture))
        except (CounterpointError, OSError) as problem:
            raise PictureError(f"{picture.address} cannot be shown: {problem}") from problem
        self.pictures_encoded += 1
        signed = (pixels[None] ^ np.uint8(128)).view(np.int8)  # bytes minus 128, as the graph takes them
        (features,) = self._graphs.run("picture", {"pixels": signed})[0]
        return np.asarray(features)


def resize_pixels(pixels: Pixels) -> Pixels:
    """A picture at the size that the models were trained on."""
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise PictureError(f"pixels are {pixels.dtype} {pixels.shape}, and should be uint8 (height, width, 3)")
    if pixels.shape[:2] == (HEIGHT, WIDTH):
        return pixels
    return np.asarray(Image.fromarray(pixels).resize((WIDTH, HEIGHT), Image.Resampling.BILINEAR))
