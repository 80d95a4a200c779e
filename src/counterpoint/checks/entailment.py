"""Entailment: foils contradict their captions, by a natural language inference model or by lexical rules."""

from collections.abc import Sequence

import numpy as np

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.entailment_rules import CONTRADICTED, ENTAILED, LABELS, NEUTRAL, UNKNOWN, entailment_label
from counterpoint.checks.text_pairs import Codes, TextPairs
from counterpoint.core.errors import UnknownName

ACTIONS = "action-replacement", "actions"
"""Tests and kinds in which verbs are exchanged."""
REASONS = {
    ENTAILED: "the foil follows from the caption",
    NEUTRAL: "the foil may be true as well",
    CONTRADICTED: "the foil contradicts the caption",
}


def judge(pairs: TextPairs, context: CheckContext) -> Rejections:
    """Reject foils whose label is not in the setting `keep`; pairs that the rules do not cover are kept."""
    labels = np.array([LABELS.index(label) for label in _labels(pairs, context)], np.int32)
    kept = [_label_number(name.strip()) for name in context.settings["keep"].split(",")]
    codes = np.where(np.isin(labels, [*kept, LABELS.index(UNKNOWN)]), -1, labels)
    notes = {test: _counts(labels[rows]) for test, rows in pairs.by_test()}
    return Rejections(codes.astype(np.int32), [REASONS.get(label, "") for label in LABELS], notes)


def _label_number(name: str) -> int:
    if name not in LABELS:
        raise UnknownName("entailment label", name, LABELS)
    return LABELS.index(name)


def _labels(pairs: TextPairs, context: CheckContext) -> Sequence[str]:
    if context.model is None:
        words = pairs.texts.words
        rows = zip(pairs.caption.tolist(), pairs.foil.tolist(), pairs.test.tolist(), pairs.kind.tolist(), strict=True)
        return [
            entailment_label(words[caption], words[foil], pairs.tests[test] in ACTIONS or pairs.kinds[kind] in ACTIONS)
            for caption, foil, test, kind in rows
        ]
    texts = pairs.texts.all
    distinct, inverse = np.unique(np.stack([pairs.caption, pairs.foil]), axis=1, return_inverse=True)
    labels: Sequence[str] = context.model([texts[code] for code in distinct[0]], [texts[code] for code in distinct[1]])
    return [labels[index] for index in inverse.reshape(-1).tolist()]


def _counts(labels: Codes) -> dict[str, int]:
    used, counts = np.unique(labels, return_counts=True)
    return {LABELS[code]: count for code, count in zip(used.tolist(), counts.tolist(), strict=True)}


check = Check(
    "entailment",
    "a foil contradicts its caption",
    judge,
    {"keep": CONTRADICTED},
    model_kind="entailment",
    model="rules",
)
