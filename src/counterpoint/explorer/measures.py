"""How measures are called: our name, and smaller the papers' term."""

from collections.abc import Mapping
from types import MappingProxyType

MAIN = ("accuracy", "self_consistency", "comprehensive_accuracy")
"""The measures that are shown side by side when none is chosen."""

LABELS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "accuracy": ("Accuracy", "ACC"),
        "self_consistency": ("Self-consistency", "CONS"),
        "comprehensive_accuracy": ("Comprehensive", "C-ACC"),
        "base_accuracy": ("Accuracy, base", "original ACC"),
        "variant_accuracy": ("Accuracy, variant", "perturbed ACC"),
        "all_right": ("All right", "whole groups"),
        "worst_case": ("Worst case", "of a group"),
        "answer_accuracy": ("Accuracy, answers", "single answers"),
        "acc_r": ("Ranking", "acc_r"),
        "ties": ("Ties", "one score"),
        "acc": ("At the threshold", "acc"),
        "p_c": ("Captions right", "p_c"),
        "p_f": ("Foils right", "p_f"),
        "min_p": ("Worse side", "min(p_c, p_f)"),
        "auroc": ("Area under curve", "AUROC"),
    }
)
"""Label and term of each measure that we know; others are called by their names."""

REASONS: Mapping[str, str] = MappingProxyType(
    {
        "self_consistency": "no pair here must be answered alike or apart",
        "accuracy": "no pair here has gold for both of its members",
        **dict.fromkeys(("acc_r", "ties", "auroc"), "no caption is ranked above a foil here"),
        **dict.fromkeys(("acc", "p_c", "p_f", "min_p"), "no caption and foil here have probabilities"),
    }
)
"""Why a measure has no value where a model has answered."""


def label(measure: str) -> str:
    """What a measure is called.

    >>> label("self_consistency"), label("some_share")
    ('Self-consistency', 'Some share')
    """
    name = measure.replace("_", " ")
    return LABELS.get(measure, (f"{name[:1].upper()}{name[1:]}", ""))[0]


def spoken(measure: str) -> str:
    """A measure within a sentence.

    >>> spoken("self_consistency"), spoken("comprehensive_accuracy")
    ('self-consistency', 'comprehensive accuracy')
    """
    return measure.replace("self_", "self-").replace("_", " ")


def term(measure: str) -> str:
    """What the papers call it, where they have a word."""
    return LABELS.get(measure, ("", ""))[1]


def reason(measure: str) -> str:
    """Why there is no value."""
    return REASONS.get(measure, "no group here can be counted by this measure")
