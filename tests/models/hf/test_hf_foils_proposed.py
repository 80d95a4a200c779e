"""Foils that a masked language model proposes, from the command line: a tiny random one, read from its folder."""

import json
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from click.testing import CliRunner
from tiny_words import word_pieces

from counterpoint.cli.generate import command
from counterpoint.core.errors import CounterpointError, ModelError
from counterpoint.models.hf import text_models as masked
from counterpoint.store.lab import LabStore
from counterpoint.suites import suite as suites

SMALL = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
NEVER = ("under", "behind")
LIKED = ("on", "in", "above", "beside", "chasing", "riding", "carrying", "holding", "kicking", "throwing")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random checkpoint that would rather say some words than others."""

    import torch
    import transformers

    folder, words = tmp_path_factory.mktemp("models") / "tiny-bert", word_pieces()
    words.add_tokens([*NEVER, *LIKED])
    with torch.random.fork_rng([]):
        torch.manual_seed(5)
        filler = transformers.BertForMaskedLM(transformers.BertConfig(**SMALL, vocab_size=len(words)))
    with torch.no_grad():
        for sign, liked in ((20.0, LIKED), (-20.0, NEVER)):
            filler.cls.predictions.bias[words.convert_tokens_to_ids(list(liked))] = sign
    filler.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def _generate(lab: Path, suite: str, *arguments: object) -> dict[str, Any]:
    given = [str(lab), "--suite", suite, "--json", *map(str, arguments)]
    done = CliRunner().invoke(command, given, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@pytest.fixture(scope="module")
def labs(tmp_path_factory: pytest.TempPathFactory, model: Path) -> tuple[LabStore, LabStore]:
    """All pieces of VALSE with proposals, and without."""
    one, other = (tmp_path_factory.mktemp("labs") for _ in range(2))
    _generate(one, "valse", "--items", 40, "--masked-lm", model)
    _generate(other, "valse", "--items", 40)
    return LabStore(one), LabStore(other)


def _put(lab: LabStore, suite: str) -> set[str]:
    """The words that foils have in the place of others."""
    table = lab.suite(suite).table
    foils = table.filter(pc.and_(pc.equal(table["role"], 1), pc.not_equal(table["test"], "actant-swap")))
    return {dict(tags)["word"].removeprefix("is ").removeprefix("are ") for tags in foils["tags"].to_pylist()}


def test_foils_are_among_what_the_model_proposes(labs: tuple[LabStore, LabStore]) -> None:
    assert _put(labs[0], "actions") <= set(LIKED)
    assert not _put(labs[1], "actions") <= set(LIKED)
    assert "relations" not in labs[0].suites() or _put(labs[0], "relations") <= set(LIKED)


def test_the_manifest_says_which_model_it_was(labs: tuple[LabStore, LabStore], model: Path) -> None:
    said = labs[0].manifest("actions").parameters["masked_lm"]
    assert said == {"model": masked.MaskedLanguageModel(str(model)).fingerprint, "proposals": 50, "words": 2}
    assert said["model"].startswith("bert ")


def test_of_the_pieces_only_those_with_gaps_ask(labs: tuple[LabStore, LabStore]) -> None:
    one, other = labs
    asking = {name for name in one.suites() if "masked_lm" in one.manifest(name).parameters}
    assert asking == {"relations", "actions"} & set(one.suites())
    assert "actions" in asking
    assert not any("masked_lm" in other.manifest(name).parameters for name in other.suites())
    both = set(one.suites()) & set(other.suites())
    alike = {name for name in both if one.manifest(name).fingerprint == other.manifest(name).fingerprint}
    assert alike == both - asking


def test_a_piece_alone_is_the_same(labs: tuple[LabStore, LabStore], tmp_path: Path, model: Path) -> None:
    said = _generate(tmp_path, "actions", "--items", 40, "--masked-lm", f"hf/{model}")
    assert said["suites"][0]["fingerprint"] == labs[0].manifest("actions").fingerprint


def test_a_suite_without_gaps_has_no_use_for_a_model(tmp_path: Path) -> None:
    for suite in ("plurality", "carets", "beyond-accuracy"):
        with pytest.raises(CounterpointError, match="takes no option masked_lm") as caught:
            _generate(tmp_path, suite, "--masked-lm", "nowhere")
        assert "relations, actions" in caught.value.hint


def test_a_folder_without_a_masked_language_model_is_refused(tmp_path: Path) -> None:
    import transformers

    words = word_pieces()
    config = transformers.GPT2Config(n_embd=16, n_layer=1, n_head=2, vocab_size=len(words))
    transformers.GPT2LMHeadModel(config).save_pretrained(tmp_path / "gpt")
    words.save_pretrained(tmp_path / "gpt")
    graded = transformers.BertForSequenceClassification(transformers.BertConfig(**SMALL, vocab_size=len(words)))
    graded.save_pretrained(tmp_path / "graded")
    (tmp_path / "empty").mkdir()
    for name in ("gpt", "graded", "empty"):
        with pytest.raises(ModelError, match=f"{name} holds no masked language model") as caught:
            _generate(tmp_path / "lab", "relations", "--masked-lm", tmp_path / name)
        assert "such as google-bert/bert-base-cased" in caught.value.hint
    assert not (tmp_path / "lab").exists()


def test_suites_and_models_mean_the_same_gap() -> None:
    assert suites.GAP == masked.MASK
