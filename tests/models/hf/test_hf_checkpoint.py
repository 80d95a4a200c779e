"""A checkpoint: where its files are, what its answers depend on, and what is said of one that cannot be loaded."""

import gc
import json
import os
import shutil
import subprocess
import sys
import weakref
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import tiny_classifiers as tiny

from counterpoint.core.errors import ModelError
from counterpoint.models.hf.checkpoint import FILES, Checkpoint, require_packages


@pytest.fixture(scope="session")
def vilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints") / "vilt"
    tiny.vilt(folder)
    return folder


@pytest.fixture
def copy(vilt: Path, tmp_path: Path) -> Path:
    """One that may be damaged."""
    return Path(shutil.copytree(vilt, tmp_path / "vilt"))


def weights(checkpoint: Checkpoint) -> Any:
    from transformers import ViltForQuestionAnswering

    assert checkpoint.config.model_type == "vilt"
    return checkpoint.weights(ViltForQuestionAnswering)


def configure(folder: Path, **settings: object) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | settings))


def test_a_former_model_has_left_the_device_before_the_next_is_loaded(vilt: Path) -> None:
    gc.disable()
    try:
        former = weights(Checkpoint(str(vilt), "cpu"))
        former.cycle, alive = [former], weakref.ref(former)
        del former
        assert alive()
        weights(Checkpoint(str(vilt), "meta"))
        assert not alive()
    finally:
        gc.enable()


def test_a_model_is_ready_on_its_device_in_its_dtype_with_dropout_off(vilt: Path) -> None:
    for dtype in ("float32", "bfloat16"):
        model = weights(Checkpoint(str(vilt), "cpu", dtype))
        assert {str(part.dtype) for part in model.parameters()} == {f"torch.{dtype}"}
        assert {str(part.device) for part in model.parameters()} == {"cpu"}
        assert not any(part.training for part in model.modules())


def test_the_cpu_gets_float32_and_cuda_bfloat16() -> None:
    assert str(Checkpoint("x", "cpu").torch_dtype) == "torch.float32"
    assert str(Checkpoint("x", "cuda:1").torch_dtype) == "torch.bfloat16"
    assert str(Checkpoint("x", "cuda:1", "float16").torch_dtype) == "torch.float16"


def test_the_fingerprint_follows_files_dtype_and_settings(vilt: Path, copy: Path) -> None:
    plain = Checkpoint(str(vilt), "cpu").identity("top=5").fingerprint
    assert plain.startswith("vilt ")
    assert Checkpoint(str(copy), "cpu").identity("top=5").fingerprint == plain
    assert Checkpoint(str(vilt), "cuda:3", "float32").identity("top=5").fingerprint == plain
    others = [
        Checkpoint(str(vilt), "cpu").identity("top=4").fingerprint,
        Checkpoint(str(vilt), "cpu").identity().fingerprint,
        Checkpoint(str(vilt), "cpu", "bfloat16").identity("top=5").fingerprint,
    ]
    for name in ("model.safetensors", "tokenizer.json", "config.json", "processor_config.json"):
        before = (copy / name).read_bytes()
        changed = before.replace(b"{", b'{"extra": 1,', 1) if name.endswith(".json") else before + b" "
        (copy / name).write_bytes(changed)
        others.append(Checkpoint(str(copy), "cpu").identity("top=5").fingerprint)
        (copy / name).write_bytes(before)
    assert len({plain, *others}) == 8


def test_one_checkpoint_has_one_fingerprint_wherever_it_lies(vilt: Path, copy: Path) -> None:
    moved = copy.rename(copy.with_name("checkpoint-500"))
    config = json.loads((moved / "config.json").read_text())
    config |= {"_name_or_path": "/somewhere/else", "transformers_version": "1.2.3"}
    (moved / "config.json").write_text(json.dumps(config, indent=4))
    (moved / "trainer_state.json").write_text("{}")
    (moved / "eval_results.json").write_text("{}")
    here, there = (Checkpoint(str(folder), "cpu").identity("top=5") for folder in (vilt, moved))
    assert here.fingerprint == there.fingerprint
    assert [former.split()[0] for former in (*here.former, *there.former)] == [vilt.name, "checkpoint-500"]


def test_the_former_fingerprint_is_that_of_earlier_releases(tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "vilt", "transformers_version": "4.0.0"}')
    (folder / "model.safetensors").write_bytes(b"weights")
    assert Checkpoint(str(folder), "cpu").identity("top=5").former == ("tiny 61987f81667792e1",)


@pytest.mark.parametrize(
    "name", ["source.spm", "target.spm", "qwen.tiktoken", "spiece.model", "vocab.txt", "merges.txt", "tokenizer.json"]
)
def test_the_words_of_every_kind_of_tokenizer_are_fetched_and_are_part_of_the_fingerprint(name: str) -> None:
    """Without source.spm and target.spm no checkpoint of Marian, which `translate` takes, could be read."""
    assert any(fnmatch(name, pattern) for pattern in FILES)


def test_missing_packages_are_named() -> None:
    with pytest.raises(ModelError, match="transformers is not installed") as told:
        require_packages(lambda name: None if name == "transformers" else sys)
    assert "counterpoint[hf]" in told.value.hint


def test_old_weights_count_only_where_there_are_no_others(copy: Path) -> None:
    def fingerprint() -> str:
        return Checkpoint(str(copy), "cpu").identity().fingerprint

    plain = fingerprint()
    (copy / "training_args.bin").write_bytes(b"1")
    (copy / "pytorch_model.bin").write_bytes(b"1")
    (copy / "notes.md").write_text("read me")
    assert fingerprint() == plain
    (copy / "model.safetensors").unlink()
    old = fingerprint()
    (copy / "pytorch_model.bin").write_bytes(b"2")
    assert len({plain, old, fingerprint()}) == 3


def _without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def _with(name: str, content: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).write_bytes(content)

    return write


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "no configuration": (_without("config.json"), "Unrecognized model"),
    "half a configuration": (_with("config.json", b"{"), "not a valid JSON"),
    "a wrong value": (lambda folder: configure(folder, hidden_size="many"), "'hidden_size'.* expected int, got str"),
    "no weights": (_without("model.safetensors"), "no file named model.safetensors"),
    "half the weights": (_with("model.safetensors", b"123"), "header too small"),
    "other shapes": (lambda folder: configure(folder, hidden_size=64), "cannot be loaded"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_what_cannot_be_loaded_is_said_in_a_sentence(copy: Path, what: str) -> None:
    damage, fact = DAMAGE[what]
    damage(copy)
    with pytest.raises(ModelError, match=fact) as caught:
        weights(Checkpoint(str(copy), "cpu"))
    assert str(caught.value).startswith(f"{copy} cannot be loaded: ")
    assert "\n" not in str(caught.value)


def test_weights_that_would_be_made_up_at_random_are_refused(vilt: Path) -> None:
    from transformers import ViltForImageAndTextRetrieval

    with pytest.raises(ModelError, match=r"lacks 2 weights of ViltForImageAndTextRetrieval, rank_output\.bias among"):
        Checkpoint(str(vilt), "cpu").weights(ViltForImageAndTextRetrieval)


@pytest.mark.parametrize("device", ["gpu", "cuda:99"])
def test_a_device_that_is_not_there_is_refused(vilt: Path, device: str) -> None:
    with pytest.raises(ModelError, match=f"'{device}' is no device of this machine") as caught:
        weights(Checkpoint(str(vilt), device))
    assert "cpu" in caught.value.hint


def test_a_dtype_that_is_none_is_refused() -> None:
    for dtype in ("float99", "nn"):
        with pytest.raises(ModelError, match=f"'{dtype}' is no dtype"):
            _ = Checkpoint("x", "cpu", dtype).torch_dtype


def test_a_tokenizer_without_words_is_refused_and_that_of_another_may_be_taken(vilt: Path, copy: Path) -> None:
    for file in copy.glob("tokenizer*"):
        file.unlink()
    with pytest.raises(ModelError, match="comes without the words of its tokenizer") as caught:
        Checkpoint(str(copy), "cpu").tokenizer()
    assert "tokenizer=" in caught.value.hint
    other = Checkpoint(str(copy), "cpu").tokenizer(str(vilt))
    assert other("a dog")["input_ids"] == Checkpoint(str(vilt), "cpu").tokenizer()("a dog")["input_ids"]


def test_code_that_comes_with_a_checkpoint_runs_only_when_it_is_trusted(tmp_path: Path) -> None:
    code = "from transformers import PretrainedConfig\nclass Strange(PretrainedConfig):\n    model_type = 'strange'\n"
    (tmp_path / "strange.py").write_text(f"{code}open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    settings = {"model_type": "strange", "auto_map": {"AutoConfig": "strange.Strange"}, "architectures": ["Strange"]}
    (tmp_path / "config.json").write_text(json.dumps(settings))
    with pytest.raises(ModelError, match="contains custom code") as caught:
        _ = Checkpoint(str(tmp_path), "cpu").config
    assert caught.value.hint == "--model-args trust=yes runs the code that comes with it"
    assert not (tmp_path / "ran").exists()
    assert Checkpoint(str(tmp_path), "cpu", trust=True).config.model_type == "strange"
    assert (tmp_path / "ran").exists()


def offline(home: Path, script: str) -> str:
    """What a process prints that may reach no hub, and has this folder as its cache."""
    settings = os.environ | {"HF_HOME": str(home), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", f"from counterpoint.models.hf.checkpoint import Checkpoint\n{script}"]
    return subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout


def test_the_cache_of_the_hub_is_used_offline_each_revision_by_its_own_files(tmp_path: Path) -> None:
    cached = tmp_path / "hub" / "models--somebody--vilt"
    for commit, revision in (("a" * 40, "main"), ("b" * 40, "older")):
        (cached / "snapshots" / commit).mkdir(parents=True)
        (cached / "snapshots" / commit / "config.json").write_text("{}")
        (cached / "refs").mkdir(exist_ok=True)
        (cached / "refs" / revision).write_text(commit)
    script = "print(Checkpoint('somebody/vilt').folder, Checkpoint('somebody/vilt', revision='older').folder)"
    assert [Path(path).name for path in offline(tmp_path, script).split()] == ["a" * 40, "b" * 40]


def test_what_the_cache_does_not_hold_is_said_when_offline(tmp_path: Path) -> None:
    script = """
from counterpoint.core.errors import ModelError
try:
    Checkpoint('somebody/nothing').folder
except ModelError as problem:
    print(problem, problem.hint, sep='\\n')
"""
    fact, *_, hint = offline(tmp_path, script).splitlines()
    assert fact.startswith("somebody/nothing is no folder, and the hub did not give it: ")
    assert hint == "HF_HUB_OFFLINE is set, and the cache does not hold it"
