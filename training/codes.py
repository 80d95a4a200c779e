"""What the data decides: which words, answers, kinds and attributes there are, in the order of their numbers."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from counterpoint.models.builtin.onnx_graphs import split_words


@dataclass(frozen=True, slots=True)
class Codes:
    """The numbers of words, answers, question kinds, kinds of things and attributes, as training found them."""

    words: tuple[str, ...]
    answers: tuple[str, ...]
    questions: tuple[str, ...]
    kinds: tuple[str, ...]
    attributes: tuple[str, ...]

    def save(self, path: Path) -> None:
        """As readable JSON."""
        path.write_text(json.dumps({name: list(getattr(self, name)) for name in self.__slots__}), "utf-8")

    @classmethod
    def load(cls, path: Path) -> "Codes":
        """From that JSON."""
        return cls(**{name: tuple(listed) for name, listed in json.loads(path.read_text("utf-8")).items()})


def frequent_words(texts: Iterable[str], *, least: int = 2) -> tuple[str, ...]:
    """The words that occur at least so often in some texts, sorted.

    >>> frequent_words(["the dog", "The cat", "dog"])
    ('dog', 'the')
    """
    counts = Counter(word for text in texts for word in split_words(text))
    return tuple(sorted(word for word, count in counts.items() if count >= least))
