"""The mean of the passes of a classifier, on a tiny checkpoint."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import tiny_classifiers as tiny
from tiny_classifiers import LABELS, Shades, asked

from counterpoint import catalog
from counterpoint.core.groups import Answer, Query
from counterpoint.core.ports import MEAN_TRIAL, AveragingSampler
from counterpoint.models.answer_distributions import AnswerDistribution
from counterpoint.models.hf.classifiers import DropoutClassifier
from counterpoint.models.hf.picture_encoders import EncodedPicture


def _sampled(
    model: DropoutClassifier, queries: Sequence[Query], trials: Sequence[int]
) -> dict[tuple[int, int], dict[str, float]]:
    return {(place, trial): dict(answer.top) for place, trial, answer in model.sample(queries, trials, 7)}


def test_the_mean_is_that_of_the_passes_which_are_made_once_though_a_batch_ends_in_their_midst(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny.vilt(tmp_path / "vilt")
    settings = {"device": "cpu", "top": str(len(LABELS))}
    model = catalog.model(f"hf/{tmp_path / 'vilt'}", Shades(), settings)
    assert isinstance(model, DropoutClassifier)
    assert isinstance(model, AveragingSampler)
    some, passed, counted = asked()[:2], model._passed, list[int]()

    def counting(seen: EncodedPicture, query: Query, trial: int, seed: int) -> AnswerDistribution | Answer:
        counted.append(trial)
        return passed(seen, query, trial, seed)

    monkeypatch.setattr(model, "_passed", counting)
    made = _sampled(model, some, [1, 2, 3]) | _sampled(model, some[1:], [MEAN_TRIAL + 3])
    assert counted == [1, 2, 3] * 2
    whole = np.mean([[made[1, trial][word] for word in LABELS] for trial in (1, 2, 3)], axis=0)
    assert made[0, MEAN_TRIAL + 3] == pytest.approx(dict(zip(LABELS, whole, strict=True)))
