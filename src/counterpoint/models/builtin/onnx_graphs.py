"""A built-in model on disk: a card, and up to three graphs that onnxruntime runs on one core."""

import json
from collections.abc import Mapping
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

WEIGHTS = Path(str(files("counterpoint.models.builtin").joinpath("weights")))
"""Where the weights are that come with the package."""


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What a model is and knows: the words it reads, the answers it can give, and how it was made and judged."""

    name: str
    sees: tuple[str, ...]
    scores: str = ""  # probability or similarity, where it can say how well a text fits
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
        """From JSON; what this version does not know of is left out."""
        try:
            found = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            raise ModelError(f"{path} is not there", hint="the weights of a built-in model are missing") from None
        listed: dict[str, Any] = {one.name: found[one.name] for one in fields(cls) if one.name in found}
        return cls(**(listed | {name: tuple(listed.get(name, ())) for name in ("sees", "vocabulary", "answers")}))


class OnnxGraphs:
    """The graphs `picture`, `text` and `answer` of one folder; each is opened when it is first run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.card = ModelCard.read(folder / "card.json")
        self._sessions: dict[str, Any] = {}

    @cached_property
    def fingerprint(self) -> str:
        """The name, and a digest of everything an answer depends on."""
        digest = blake2b(digest_size=8)
        card = self.card
        digest.update(json.dumps([card.sees, card.length, card.kept, card.vocabulary, card.answers]).encode())
        for path in sorted(self.folder.glob("*.onnx")):
            digest.update(path.name.encode() + path.read_bytes())
        return f"{card.name}-{digest.hexdigest()}"

    def run(self, graph: str, inputs: Mapping[str, NDArray[Any]]) -> list[Floats]:
        """The outputs of a graph; inputs that it does not take are left out."""
        session = self._session(graph)
        taken = {one.name: inputs[one.name] for one in session.get_inputs()}
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
        return self.__dict__ | {"_sessions": {}}  # sessions stay in their process
