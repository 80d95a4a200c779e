"""Modality bias in features: the exchanges of modality bias, and the same answers from a model that encodes apart."""

import json
from pathlib import Path

from click.testing import CliRunner

from counterpoint.cli.main import commands
from counterpoint.core.groups import Side
from counterpoint.suites.bias import modality_bias as bias
from counterpoint.suites.suite import generate_groups
from counterpoint.world.source import World


def _run(*words: str) -> str:
    result = CliRunner().invoke(commands, list(words))
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def test_the_other_picture_or_the_other_text_is_an_edit_of_the_same_query() -> None:
    items = list(World("test", 6).grounded())
    for made, side in ((bias.feature_question_bias, Side.PICTURE), (bias.feature_picture_bias, Side.TEXT)):
        groups = [group for _, group in generate_groups(made.configured({"variants": 2}), items, 0)]
        assert groups
        for group in groups:
            for variant in group.variants:
                assert (variant.picture, variant.text) == (group.base.picture, group.base.text)
                assert [edit.name for edit in variant.edits] == [side.exchange]


def test_as_many_exchanges_are_made_as_in_pictures_and_words() -> None:
    items = list(World("test", 6).grounded())
    for one, other in (
        (bias.question_bias, bias.feature_question_bias),
        (bias.picture_bias, bias.feature_picture_bias),
    ):
        sizes = [[len(group.variants) for _, group in generate_groups(suite, items, 0)] for suite in (one, other)]
        assert sizes[0] == sizes[1]


def test_a_model_that_never_looks_or_never_reads_is_found_in_features_too(tmp_path: Path) -> None:
    lab = str(tmp_path / "lab")
    for name in ("feature-question-bias", "feature-picture-bias"):
        _run("generate", lab, "--suite", name, "--items", "6", "--limit", "8", "--variants", "3")
    for model in ("question-only", "picture-only", "constant"):
        _run("run", lab, "--model", model)
    rows = json.loads(_run("score", lab, "--metric", "question_bias", "--metric", "picture_bias", "--json"))["scores"]
    found = {(row["model"], row["metric"]): row["value"] for row in rows if row["value"] is not None}
    assert found["question-only", "question_bias"] == 1.0
    assert found["picture-only", "picture_bias"] == 1.0
    assert found["question-only", "picture_bias"] < 1.0
    assert ("constant", "question_bias") not in found
