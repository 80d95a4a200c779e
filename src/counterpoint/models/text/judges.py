"""Text-only judges as functions: grammaticality of sentences, and entailment between them."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from counterpoint.core.errors import UnknownName
from counterpoint.core.ports import Floats
from counterpoint.models.settings import convert_settings
from counterpoint.models.text import link_grammar

Grammar: TypeAlias = Callable[[Sequence[str]], Floats]
"""Scores sentences from 0 to 1."""
Inference: TypeAlias = Callable[[Sequence[str], Sequence[str]], Sequence[str]]
"""Labels pairs of premise and hypothesis: entailment, neutral, contradiction."""
_WAY = "hf/"


def grammar_scorer(name: str, settings: Mapping[str, str] | None = None) -> Grammar:
    """A scorer of grammaticality: `link-grammar`, or `hf/` and a checkpoint trained on acceptability, as on CoLA."""
    if name == link_grammar.NAME:
        return link_grammar.LinkGrammar().scores
    from counterpoint.models.hf.sequence_classifiers import AcceptabilityClassifier  # needs torch

    known = _known(name, "scorer of grammar", (link_grammar.NAME, "hf/…"))
    return AcceptabilityClassifier(known, **convert_settings(AcceptabilityClassifier, settings or {}, name)).scores


def entailment_model(name: str, settings: Mapping[str, str] | None = None) -> Inference:
    """An entailment model: `hf/` and a checkpoint whose labels are entailment, neutral and contradiction."""
    known = _known(name, "model of inference", ("hf/…",))
    from counterpoint.models.hf.sequence_classifiers import EntailmentClassifier  # needs torch

    return EntailmentClassifier(known, **convert_settings(EntailmentClassifier, settings or {}, name)).labels


def _known(name: str, what: str, ways: Sequence[str]) -> str:
    if not name.startswith(_WAY) or name == _WAY:
        raise UnknownName(what, name, ways)
    return name.removeprefix(_WAY)
