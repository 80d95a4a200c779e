"""A built-in model on disk: a card, and up to three ONNX graphs, each run on one core."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.errors import ModelError
from counterpoint.core.ports import Floats
from counterpoint.models.builtin.vocabulary import split_words

WEIGHTS = Path(str(files("counterpoint.models.builtin").joinpath("weights")))
"""The weights that come with the package."""


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
