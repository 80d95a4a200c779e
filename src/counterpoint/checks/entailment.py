"""Entailment: foils that are false wherever their captions are true, by a model of inference or by lexical rules."""

from collections.abc import Sequence

import numpy as np

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.entailment_rules import CONTRADICTED, ENTAILED, LABELS, NEUTRAL, UNKNOWN, entailment_label
from counterpoint.checks.text_pairs import Codes, TextPairs
from counterpoint.core.errors import UnknownName

ACTIONS = "action-replacement", "actions"
"""Tests and kinds in which verbs were exchanged."""
REASONS = {
    ENTAILED: "the foil follows from the caption",
    NEUTRAL: "the foil may be true as well",
    CONTRADICTED: "the foil contradicts the caption",
}


def judge(pairs: TextPairs, given: CheckContext) -> Rejections:
    """Speak against foils whose label is not among those to be kept; what rules know nothing of is kept."""
    labels = np.array([LABELS.index(one) for one in _labels(pairs, given)], np.int32)
    kept = [_known(one.strip()) for one in given.settings["keep"].split(",")]
    codes = np.where(np.isin(labels, [*kept, LABELS.index(UNKNOWN)]), -1, labels)
    notes = {test: _counts(labels[places]) for test, places in pairs.by_test()}
    return Rejections(codes.astype(np.int32), [REASONS.get(one, "") for one in LABELS], notes)


def _known(name: str) -> int:
    if name not in LABELS:
        raise UnknownName("label of inference", name, LABELS)
    return LABELS.index(name)


def _labels(pairs: TextPairs, given: CheckContext) -> Sequence[str]:
    if given.ask is None:
        verbs = [pairs.tests[test] in ACTIONS or pairs.kinds[kind] in ACTIONS for test, kind in _named(pairs)]
        words = pairs.texts.words
        sides = zip(pairs.caption.tolist(), pairs.foil.tolist(), verbs, strict=True)
        return [entailment_label(words[one], words[other], acted) for one, other, acted in sides]
    texts = pairs.texts.all
    both = np.stack([pairs.caption, pairs.foil])
    used, places = np.unique(both, axis=1, return_inverse=True)
    found: Sequence[str] = given.ask([texts[code] for code in used[0]], [texts[code] for code in used[1]])
    return [found[place] for place in places.reshape(-1).tolist()]


def _named(pairs: TextPairs) -> list[tuple[int, int]]:
    return list(zip(pairs.test.tolist(), pairs.kind.tolist(), strict=True))


def _counts(labels: Codes) -> dict[str, int]:
    used, counts = np.unique(labels, return_counts=True)
    return {LABELS[code]: count for code, count in zip(used.tolist(), counts.tolist(), strict=True)}


check = Check(
    "entailment",
    "a foil contradicts its caption",
    judge,
    {"keep": CONTRADICTED},
    asks="entailment",
    model="rules",
)
