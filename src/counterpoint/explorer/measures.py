"""How measures are called, which of them mean something on a test, and which way is better."""

from collections.abc import Collection, Mapping
from functools import cache
from types import MappingProxyType

from counterpoint import catalog

MAIN = ("accuracy", "self_consistency", "comprehensive_accuracy")
"""The measures that are shown side by side where pairs have gold."""

RANKED = ("acc_r", "auroc", "min_p")
"""The same where captions are ranked above foils."""

EXCHANGED = ("question_bias", "picture_bias", "owed_to_picture", "owed_to_question")
"""The same where an input is exchanged or taken away."""

_EDITED = ("mean_robustness", "accuracy")
_REWRITTEN = ("robustness", "accuracy")

BY_TEST: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(("noise", "noise-severities"), _EDITED),
        **dict.fromkeys(("pictures-changed", "pictures-changed-severities"), _EDITED),
        **dict.fromkeys(("sears", "word-noise", "word-noise-severities"), _REWRITTEN),
        "feature-noise": ("picture_feature_robustness", "question_feature_robustness"),
        "contrast": ("contrast_consistency_5", "accuracy", "comprehensive_accuracy"),
        "rad-counterfactuals": ("rad_forward", "rad_backward", "accuracy"),
        "rad-rephrasings": ("rad_ordered", "accuracy", "self_consistency"),
    }
)
"""The same for tests that have measures of their own."""

LEADS = ("comprehensive_accuracy", "acc_r", "answer_accuracy")
"""The measures that models are ordered by when nothing else is said: the first of them that any suite has."""

CHANCES: Mapping[str, str] = MappingProxyType(
    {"question_bias": "question_chance", "picture_bias": "picture_chance"},
)
"""The measure that says what another would be by chance alone; the two stand in one cell."""

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
        "question_bias": ("Question bias", "lower is better"),
        "picture_bias": ("Picture bias", "lower is better"),
        "owed_to_picture": ("Owed to picture", "accuracy lost"),
        "owed_to_question": ("Owed to question", "accuracy lost"),
        "robustness": ("Robustness", "answers kept"),
        "mean_robustness": ("Robustness", "mean over edits"),
        "picture_feature_robustness": ("Robust features", "of the picture"),
        "question_feature_robustness": ("Robust features", "of the question"),
        "right_to_wrong": ("Right to wrong", "flips"),
        "wrong_to_right": ("Wrong to right", "flips"),
        "rad_forward": ("RAD", "forward"),
        "rad_backward": ("RAD", "backward"),
        "rad_ordered": ("RAD", "both ways"),
        "contrast_consistency_1": ("Contrast", "all of 1"),
        "contrast_consistency_3": ("Contrast", "all of 3"),
        "contrast_consistency_5": ("Contrast", "all of 5"),
        "ece": ("Calibration error", "ECE"),
        "ece_mass": ("Calibration error", "ECE, equal mass"),
        "brier": ("Brier score", "of what was said"),
        "whole_brier": ("Brier score", "of all answers"),
        "aurc": ("Risk and coverage", "AURC"),
        "uncertainty": ("Uncertainty", "lower is better"),
    }
)
"""Label and term of each measure that we know; others are called by their names."""

SAYS: Mapping[str, str] = MappingProxyType(
    {
        "accuracy": "Accuracy is what base and variant earn, half each.",
        "self_consistency": "Self-consistency is the share of pairs whose answers hold together, right or wrong.",
        "comprehensive_accuracy": "Comprehensive accuracy is the share of pairs of which both answers are right.",
        "answer_accuracy": "Accuracy of answers is what single answers earn.",
        "acc_r": "Ranking is the share of captions that score above their foil.",
        "auroc": "Area under curve is how well scores tell captions from foils at any threshold.",
        "min_p": "The worse side is the smaller of the shares of captions and of foils that are told right.",
        "question_bias": "Question bias is the share of pairs answered alike although the picture is another.",
        "picture_bias": "Picture bias is the share of pairs answered alike although the question is another.",
        "owed_to_picture": "What is owed to the picture is the accuracy that is lost without it.",
        "owed_to_question": "What is owed to the question is the accuracy that is lost without it.",
        "robustness": "Robustness is the share of rewrites that leave the answer as it was.",
        "mean_robustness": "Robustness to edits is the share of answers that stay, the mean over kinds of edits.",
    }
)
"""What each measure is, in a sentence."""

REASONS: Mapping[str, str] = MappingProxyType(
    {
        "self_consistency": "no pair here must be answered alike or apart",
        "accuracy": "no pair here has gold for both of its members",
        **dict.fromkeys(("acc_r", "ties", "auroc"), "no caption is ranked above a foil here"),
        **dict.fromkeys(("acc", "p_c", "p_f", "min_p"), "no caption and foil here have probabilities"),
    }
)
"""Why a measure has no value where a model has answered."""


def shown(applying: Collection[str], tests: Collection[str] = ()) -> tuple[str, ...]:
    """The measures that mean something where these apply, the most telling first.

    >>> shown(["accuracy", "base_accuracy", "comprehensive_accuracy"])
    ('comprehensive_accuracy', 'accuracy')
    >>> shown(["accuracy", "robustness", "self_consistency"], ["sears"])
    ('robustness', 'accuracy')
    >>> shown(["answer_accuracy", "worst_case"])
    ('answer_accuracy',)
    """
    own = BY_TEST.get(next(iter(tests)), ()) if len(tests) == 1 else ()
    found = [name for name in own or (*RANKED, *EXCHANGED, *_MAIN) if name in applying]
    return tuple(found or [name for name in (*_MAIN, "answer_accuracy", *sorted(applying)) if name in applying][:1])


_MAIN = ("comprehensive_accuracy", "accuracy", "self_consistency")


@cache
def lower(measure: str) -> bool:
    """Whether less of a measure is better.

    >>> lower("question_bias"), lower("accuracy")
    (True, False)
    """
    return bool(getattr(catalog.find("metrics", measure), "lower", False))


def label(measure: str) -> str:
    """What a measure is called.

    >>> label("self_consistency"), label("some_share")
    ('Self-consistency', 'Some share')
    """
    name = measure.replace("_", " ")
    return LABELS.get(measure, (f"{name[:1].upper()}{name[1:]}", ""))[0]


def named(measure: str) -> str:
    """What a measure is called where its term must tell it from others of the same label.

    >>> named("mean_robustness"), named("accuracy")
    ('Robustness, mean over edits', 'Accuracy')
    """
    alike = [one for one, (label, _) in LABELS.items() if label == LABELS.get(measure, ("", ""))[0]]
    return f"{label(measure)}, {term(measure)}" if len(alike) > 1 else label(measure)


def spoken(measure: str) -> str:
    """A measure within a sentence.

    >>> spoken("self_consistency"), spoken("comprehensive_accuracy")
    ('self-consistency', 'comprehensive accuracy')
    """
    own = {"acc_r": "share of captions ranked above their foil", "auroc": "area under the curve"}
    return own.get(measure, measure.replace("self_", "self-").replace("_", " "))


def term(measure: str) -> str:
    """What the papers call it, where they have a word."""
    return LABELS.get(measure, ("", ""))[1]


def reason(measure: str) -> str:
    """Why there is no value."""
    return REASONS.get(measure, "no group here can be counted by this measure")
