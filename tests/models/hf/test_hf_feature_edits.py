"""Edited features of Hugging Face classifiers on tiny checkpoints, and how large these are."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny_classifiers as tiny
from tiny_classifiers import Shades, asked

from counterpoint import catalog
from counterpoint.core.groups import Answer, Side, exchange_picture, noise_edit, reference_name
from counterpoint.core.ports import Answerer, FeatureModel, SizedModel
from counterpoint.models.feature_edits import FeatureEditor

NAME = reference_name(asked())


def _near(one: Answer, other: Answer) -> bool:
    mine, its = ([chance for _, chance in answer.top] for answer in (one, other))
    return one.value == other.value and np.allclose(mine, its, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "name", ["vilt", *(pytest.param(name, marks=pytest.mark.prove) for name in tiny.MADE if name != "vilt")]
)
def test_noise_of_no_width_changes_nothing_and_batches_change_no_noise(tmp_path: Path, name: str) -> None:
    tiny.MADE[name](tmp_path / name)
    settings = {} if name == "vilt" else {"regions": str(tiny.save_table(tmp_path / "regions.tsv"))}
    model = catalog.model(f"hf/{tmp_path / name}", Shades(), {"device": "cpu"} | settings)
    assert isinstance(model, FeatureModel)
    assert isinstance(model, Answerer)
    assert isinstance(model, SizedModel)
    assert model.parameters > 1000
    edits = FeatureEditor(model, {NAME: asked()})
    plain = dict(model.answer(asked()))  # type: ignore[arg-type]
    for side in Side:
        still = [replace(query, edits=(noise_edit(side, "0", NAME, 1),)) for query in asked()]
        assert all(_near(answer, plain[place]) for place, answer in edits.answer(still))
        noisy = [replace(query, edits=(noise_edit(side, "2", NAME, 1),)) for query in asked()]
        together = dict(edits.answer(noisy))
        alone = {place: answer for place, one in enumerate(noisy) for _, answer in edits.answer([one])}
        assert all(_near(together[place], alone[place]) for place in alone)
        assert any(not _near(together[place], plain[place]) for place in plain)
    other = asked()[-1].picture
    assert other is not None
    swapped = [replace(query, edits=(exchange_picture(other),)) for query in asked()]
    wanted = dict(model.answer([replace(query, picture=other) for query in asked()]))  # type: ignore[arg-type]
    assert all(_near(answer, wanted[place]) for place, answer in edits.answer(swapped))
