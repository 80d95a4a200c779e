"""Robustness to noise in features: how often an answer stays when what a model sees or reads is a little off."""

from functools import partial

from counterpoint.core.groups import Relation
from counterpoint.metrics.accuracy import Ratio
from counterpoint.metrics.metric import Metric
from counterpoint.metrics.outcomes import Flags, Pairs, Rows

TEST = "feature-noise"
"""The test on whose pairs these are counted."""
PICTURE, QUESTION = "picture-features", "question-features"
"""What the tag `edit` of a variant says."""
NO_FEATURES = "it was not asked with changed features: it does not let them be changed, or was not run on this"


def _disturbed(edit: str, pairs: Pairs) -> Flags:
    ours = pairs.known & pairs.relation.where([Relation.SAME]) & pairs.labels("test").at(pairs.row).where([TEST])
    return ours & pairs.tagged("edit").where([edit]) if ours.any() else ours


def _why(edit: str, pairs: Pairs, rows: Rows) -> str:
    """The reason, where there is anything to be asked."""
    return NO_FEATURES if _disturbed(edit, pairs)[rows].any() else ""


def _robustness(name: str, edit: str) -> Ratio[Pairs]:
    return Ratio(name, Pairs, lambda p: p.related, partial(_disturbed, edit), partial(_why, edit))


picture_feature_robustness = _robustness("picture_feature_robustness", PICTURE)
"""Answers that stay under noise in what the model makes of the picture (Beyond Accuracy, 3.2)."""

question_feature_robustness = _robustness("question_feature_robustness", QUESTION)
"""Answers that stay under noise in what the model makes of the question."""

FEATURE_NOISE: tuple[Metric, ...] = (picture_feature_robustness, question_feature_robustness)
"""Both of them."""
