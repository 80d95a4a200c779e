"""Text-only judges: grammaticality by link-grammar, a system library, or a checkpoint; entailment by a checkpoint.

A sentence is grammatical to the parser link-grammar if all its words can be linked. The score falls with every unlinked
word, and a little with every rare construction: 1 / (1 + unlinked words + cost / 8). So .8 is reached by sentences that
are fully linked at a cost of at most 2.
"""

import ctypes
import re
from collections.abc import Callable, Mapping, Sequence
from ctypes.util import find_library
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from counterpoint.core.errors import ModelError, UnknownName
from counterpoint.core.ports import Floats
from counterpoint.models.settings import convert_settings

NAME = "link-grammar"
HINT = "on Debian: apt install liblink-grammar5 link-grammar-dictionaries-en; or name a checkpoint: hf/NAME"
FRAME = "we see "
"""The prefix that makes a sentence of a caption such as "a man riding a horse"."""
LINKAGES = 100
"""The largest number of linkages of a sentence that are considered."""
LEFT_OUT = 3
"""The largest number of unlinked words; a sentence with more counts as one more."""
SECONDS = 20
"""The time limit of a parse; a longer one counts as unlinked."""
WORTH_ANOTHER = 1.5
"""The cost above which a full linkage is tried again with the prefix."""
_STEEP = 8
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=\S)")
_TWICE = re.compile(r"\b(a|an|the|of|in|on|at|with|to|is|are|and) \1\b", re.IGNORECASE)
_SMALL = re.compile(
    r"(?:A|An|The|Some|There|This|These|That|Those|It|He|She|They|One|Two|Three|Four|Five|Six|Many|Several|Exactly|No)\b"
)
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "sentence_create": (ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_void_p]),
    "sentence_delete": (None, [ctypes.c_void_p]),
    "sentence_parse": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_void_p]),
    "sentence_disjunct_cost": (ctypes.c_float, [ctypes.c_void_p, ctypes.c_int]),
    "dictionary_create_lang": (ctypes.c_void_p, [ctypes.c_char_p]),
    "parse_options_create": (ctypes.c_void_p, []),
    "parse_options_reset_resources": (None, [ctypes.c_void_p]),
    "lg_error_set_handler": (ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_void_p]),
}
Grammar: TypeAlias = Callable[[Sequence[str]], Floats]
"""Scores sentences from 0 to 1."""
Inference: TypeAlias = Callable[[Sequence[str], Sequence[str]], Sequence[str]]
"""Labels pairs of premise and hypothesis: entailment, neutral, contradiction."""
_WAY = "hf/"


class LinkGrammar:
    """The parser with its English dictionary, which takes half a second to load."""

    def __init__(self) -> None:
        self._library = _library()
        self._library.lg_error_set_handler(None, None)  # it would print about locales
        self._words = self._library.dictionary_create_lang(b"en")
        if not self._words:
            raise ModelError("link-grammar has no English dictionary on this machine", hint=HINT)
        self._options = self._library.parse_options_create()
        options = {"verbosity": 0, "spell_guess": 0, "linkage_limit": LINKAGES, "max_parse_time": SECONDS}
        for name, value in options.items():
            getattr(self._library, f"parse_options_set_{name}")(self._options, value)

    def scores(self, texts: Sequence[str]) -> Floats:
        """The grammaticality of each text, from 0 to 1; of several sentences the lowest."""
        return np.array([min(map(self._score, sentences(text)), default=0.0) for text in texts], np.float32)

    def _score(self, sentence: str) -> float:
        left_out, cost = self._linked(sentence)
        if left_out or cost > WORTH_ANOTHER:
            left_out, cost = min((left_out, cost), self._linked(FRAME + sentence))
        return 1 / (1 + left_out + len(_TWICE.findall(sentence)) + cost / _STEEP)

    def _linked(self, sentence: str) -> tuple[int, float]:
        """The number of unlinked words, and the cost of the cheapest linkage."""
        library = self._library
        read = library.sentence_create(sentence.encode("utf-8", "replace"), self._words)
        try:
            library.parse_options_reset_resources(self._options)
            for left_out in range(LEFT_OUT + 1):
                library.parse_options_set_min_null_count(self._options, left_out)
                library.parse_options_set_max_null_count(self._options, left_out)
                if library.sentence_parse(read, self._options) > 0:
                    return left_out, max(0.0, library.sentence_disjunct_cost(read, 0))
            return LEFT_OUT + 1, 0.0
        finally:
            library.sentence_delete(read)


def sentences(text: str) -> list[str]:
    """The sentences of a text with final punctuation; a first word that is no name is in lower case.

    >>> sentences("A dog is here. Is it brown? Yes.")
    ['a dog is here.', 'Is it brown?', 'Yes.']
    """
    parts = [part for part in _SENTENCE.split(" ".join(text.split())) if any(sign.isalnum() for sign in part)]
    return [_small(part) if part[-1] in ".?!" else f"{_small(part)}." for part in parts]


def _small(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:] if _SMALL.match(sentence) else sentence


@cache
def _library() -> Any:
    place = find_library(NAME)
    if place is None:
        raise ModelError("the library link-grammar is not on this machine", hint=HINT)
    library = ctypes.CDLL(place)
    options = ("min_null_count", "max_null_count", "max_parse_time", "linkage_limit", "verbosity", "spell_guess")
    setters = {f"parse_options_set_{name}": (None, [ctypes.c_void_p, ctypes.c_int]) for name in options}
    for name, (gives, takes) in (_FUNCTIONS | setters).items():
        function = getattr(library, name)
        function.restype, function.argtypes = gives, takes
    return library


def grammar_scorer(name: str, settings: Mapping[str, str] | None = None) -> Grammar:
    """A scorer of grammaticality: `link-grammar`, or `hf/` and a checkpoint trained on acceptability, as on CoLA."""
    if name == NAME:
        return LinkGrammar().scores
    from counterpoint.models.hf.text_models import AcceptabilityClassifier  # needs torch

    known = _known(name, "scorer of grammar", (NAME, "hf/…"))
    return AcceptabilityClassifier(known, **convert_settings(AcceptabilityClassifier, settings or {}, name)).scores


def entailment_model(name: str, settings: Mapping[str, str] | None = None) -> Inference:
    """An entailment model: `hf/` and a checkpoint whose labels are entailment, neutral and contradiction."""
    known = _known(name, "model of inference", ("hf/…",))
    from counterpoint.models.hf.text_models import EntailmentClassifier  # needs torch

    return EntailmentClassifier(known, **convert_settings(EntailmentClassifier, settings or {}, name)).labels


def _known(name: str, what: str, ways: Sequence[str]) -> str:
    if not name.startswith(_WAY) or name == _WAY:
        raise UnknownName(what, name, ways)
    return name.removeprefix(_WAY)
