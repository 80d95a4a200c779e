"""A built-in model on disk: a card with its vocabulary, and up to three ONNX graphs, each run on one core."""

import json
import re
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from counterpoint.core.errors import CounterpointError, ModelError, PictureError
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Query
from counterpoint.core.ids import content_id
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Pictures, Pixels

BUCKETS = 8
"""Numbers that unknown words share, by a hash of the word."""
LENGTH = 24
"""Words of a text that are read."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
WEIGHTS = Path(str(files("counterpoint.models.builtin").joinpath("weights")))
"""The weights that come with the package."""
WIDTH, HEIGHT = 320, 240
"""The size that pictures are resized to."""

Key = TypeVar("Key", bound=Hashable)


def split_words(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation.

    >>> split_words("Isn't the dog's T-shirt RED?")
    ["isn't", 'the', "dog's", 't', 'shirt', 'red']
    """
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


class Vocabulary:
    """Words with their numbers, which start after the padding and the buckets.

    >>> words = Vocabulary(["dog", "the"])
    >>> words.numbers("The dog!")
    [10, 9]
    >>> len(words)
    11
    """

    def __init__(self, known: Iterable[str]) -> None:
        self.known = tuple(known)
        self._numbers = {word: 1 + BUCKETS + place for place, word in enumerate(self.known)}

    def __len__(self) -> int:
        return 1 + BUCKETS + len(self.known)

    def number(self, word: str) -> int:
        """The number of one word."""
        known = self._numbers.get(word)
        return 1 + content_id(word) % BUCKETS if known is None else known

    def numbers(self, text: str, context: str = "") -> list[int]:
        """The words of a text, after as many of the last words of the context as fit; never empty."""
        words = split_words(text)[:LENGTH]
        before = split_words(context)[-(LENGTH - len(words)) :] if len(words) < LENGTH else []
        return [self.number(word) for word in (*before, *words)] or [1]


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A model card: inputs, vocabulary, possible answers, training and accuracy."""

    name: str
    sees: tuple[str, ...]
    scores: str = ""  # probability or similarity, of a scorer
    length: int = 24
    units: int = 0  # of a dropout mask
    kept: int = 256  # of 256 units, while dropout is on
    int8: bool = False
    parameters: int = 0
    vocabulary: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    training: Mapping[str, Any] = field(default_factory=dict)
    accuracy: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "ModelCard":
        """A card from JSON; unknown keys are ignored."""
        try:
            content = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            raise ModelError(f"{path} is not there", hint="the weights of a built-in model are missing") from None
        listed: dict[str, Any] = {item.name: content[item.name] for item in fields(cls) if item.name in content}
        return cls(**(listed | {name: tuple(listed.get(name, ())) for name in ("sees", "vocabulary", "answers")}))


class OnnxGraphs:
    """The graphs `picture`, `text` and `answer` of one folder; each is opened when it is first run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.card = ModelCard.read(folder / "card.json")
        self._sessions: dict[str, Any] = {}

    @cached_property
    def fingerprint(self) -> str:
        """The name, and a digest of everything that can change an answer."""
        digest = blake2b(digest_size=8)
        card = self.card
        digest.update(json.dumps([card.sees, card.length, card.kept, card.vocabulary, card.answers]).encode())
        for path in sorted(self.folder.glob("*.onnx")):
            digest.update(path.name.encode() + path.read_bytes())
        return f"{card.name}-{digest.hexdigest()}"

    def run(self, graph: str, inputs: Mapping[str, NDArray[Any]]) -> list[Floats]:
        """The outputs of a graph; inputs that it does not take are ignored."""
        session = self._session(graph)
        taken = {item.name: inputs[item.name] for item in session.get_inputs()}
        return [np.asarray(output, np.float32) for output in session.run(None, taken)]

    def _session(self, graph: str) -> Any:
        if graph not in self._sessions:
            import onnxruntime

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.log_severity_level = 3
            path = self.folder / f"{graph}.onnx"
            self._sessions[graph] = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
        return self._sessions[graph]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_sessions": {}}  # sessions cannot be pickled


def vocabulary_warnings(model: object, name: str, question: str, choices: Sequence[str] = ()) -> Iterator[str]:
    """A sentence for each way in which a question exceeds the vocabulary of a built-in model."""
    card = getattr(model, "card", None)
    if not isinstance(card, ModelCard):
        return
    unknown = [word for word in split_words(question) if word not in card.vocabulary] if "text" in card.sees else []
    if unknown:
        yield f"{name} does not know the word{'s' * (len(unknown) > 1)} {', '.join(dict.fromkeys(unknown))}"
    impossible = [choice for choice in choices if choice.lower() not in card.answers] if card.answers else []
    if impossible:
        yield f"{name} cannot say {' or '.join(impossible)}"


class FeatureCache(Generic[Key]):
    """An LRU cache of features."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._features: OrderedDict[Key, Floats] = OrderedDict()

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
        for length, same_length in group_pairs((len(row), row) for row in new).items():
            present = np.ones((len(same_length), 1 + length), np.float32)
            (outputs,) = self._graphs.run("text", {"tokens": np.array(same_length, np.int64), "present": present})
            for row, encoded in zip(same_length, outputs, strict=True):
                features[row] = self._text_features.put(row, encoded)
        return [encoded for row in rows if (encoded := features[row]) is not None]

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
