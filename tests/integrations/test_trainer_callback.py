"""A real, tiny training by `transformers.Trainer`: evaluated as it goes, logged, and stopped by a gate."""

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from gate_labs import order_lab

import counterpoint as cp
from counterpoint import integrations  # whose names load transformers, which need not be there to collect tests

WORDS = ("no", "is", "there", "a", "and")
ANSWERS = ("yes", "no")
TWO_PROCESSES = """
import os, sys
from pathlib import Path
from counterpoint.integrations import CounterpointCallback
from test_trainer_callback import answer, make_trainer

training = make_trainer(Path(), save_strategy="no", ddp_backend="gloo", ddp_find_unused_parameters=False)
gates = ["order.accuracy >= 0.95"]
callback = CounterpointCallback(training, answer, sys.argv[1], name="tiny", when=2, gates=gates)
training.add_callback(callback)
training.train()
process, step = os.environ["RANK"], training.state.global_step
print(f"process {process}: {len(callback.evaluations)} evaluations, stopped at {step}\\n", end="", flush=True)
"""


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return order_lab(tmp_path_factory.mktemp("lab")).folder


@pytest.fixture
def lab(suites: Path, tmp_path: Path) -> cp.Lab:
    return cp.Lab(copytree(suites, tmp_path / "lab"))


def _encode(texts: list[str]) -> Any:
    """Which of a few words a text has, as token ids."""
    import torch

    return torch.tensor([[1 + place * (word in text.lower()) for place, word in enumerate(WORDS)] for text in texts])


def answer(model: Any, pictures: list[Any], queries: list[cp.Query]) -> list[str]:
    assert not model.training
    logits = model(_encode([query.text for query in queries])).logits
    assert not logits.requires_grad
    return [ANSWERS[place] for place in logits.argmax(-1)]


def make_trainer(folder: Path, **arguments: Any) -> Any:
    """The training of a BERT of 2 layers that learns to say no to everything."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

    logging.getLogger("transformers").setLevel(logging.ERROR)
    torch.manual_seed(0)
    size = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    model = BertForSequenceClassification(BertConfig(vocab_size=8, num_labels=2, **size))
    texts = _encode(["is there a cat?", "is there a dog and a cat?"] * 16)
    rows = [{"input_ids": row, "labels": 1} for row in texts]
    settings = TrainingArguments(
        str(folder / "out"),
        use_cpu=True,
        report_to="none",
        max_steps=6,
        per_device_train_batch_size=4,
        learning_rate=0.05,
        disable_tqdm=True,
        **arguments,
    )
    return Trainer(model, settings, train_dataset=rows, eval_dataset=rows[:4])


@pytest.fixture
def trainer(tmp_path: Path) -> Callable[..., Any]:
    """A function that makes a training."""
    return partial(make_trainer, tmp_path)


def test_scores_of_a_training_are_versions_and_reach_the_log(lab: cp.Lab, trainer: Callable[..., Any]) -> None:
    training = trainer(save_strategy="no")
    callback = integrations.CounterpointCallback(training, answer, lab, name="tiny", when=3, suites=["order"])
    training.add_callback(callback)
    training.train()
    assert [(version.name, version.version) for version in lab.models] == [("tiny", "step-3"), ("tiny", "step-6")]
    key = "counterpoint/order/accuracy"
    logged = [row[key] for row in training.state.log_history if key in row]
    assert logged == [evaluation.metrics["order/accuracy"] for evaluation in callback.evaluations]
    assert training.model.training
    says_no = [row["value"] == "no" for row in lab.answers("tiny@step-6").records()]
    assert all(says_no), "that is what it was taught"


def test_a_gate_that_fails_stops_the_training(lab: cp.Lab, trainer: Callable[..., Any]) -> None:
    training = trainer(eval_strategy="steps", eval_steps=2, save_strategy="no")
    gates = ["order.accuracy >= 0.95"]
    callback = integrations.CounterpointCallback(training, answer, lab, name="tiny", gates=gates)
    training.add_callback(callback)
    training.train()
    assert training.state.global_step == 2
    assert callback.evaluations[-1].gate_fails


def test_a_training_goes_on_until_gates_failed_as_often_as_patience_says(
    lab: cp.Lab, trainer: Callable[..., Any]
) -> None:
    training = trainer(save_strategy="no")
    how: dict[str, Any] = {"name": "tiny", "when": 1, "gates": ["order.accuracy >= 0.95"], "patience": 3}
    training.add_callback(integrations.CounterpointCallback(training, answer, lab, **how))
    training.train()
    assert training.state.global_step == 3
    with pytest.raises(cp.CounterpointError, match="'evals' is no time to evaluate"):
        integrations.CounterpointCallback(training, answer, lab, **how | {"when": "evals"})


def test_a_second_training_does_not_mix_with_the_first(lab: cp.Lab, trainer: Callable[..., Any]) -> None:
    for tag, refused in (("step-{step}", False), ("step-{step}", True), ("second-{step}", False)):
        training = trainer(save_strategy="steps", save_steps=6)
        how: dict[str, Any] = {"when": "save", "version": tag, "suites": ["order"], "limit": 2}
        training.add_callback(integrations.CounterpointCallback(training, answer, lab, name="tiny", **how))
        if refused:
            with pytest.raises(cp.CounterpointError, match="of another training: step-6"):
                training.train()
        else:
            training.train()
    (version,) = lab.models
    assert {version.version, *version.aliases} == {"step-6", "second-6"}, "the same weights are one version"


@pytest.mark.prove
def test_in_two_processes_the_first_evaluates_and_both_stop(lab: cp.Lab, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(TWO_PROCESSES)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(script)]
    place = os.pathsep.join([*sys.path, str(Path(__file__).parent)])
    variables = os.environ | {"PYTHONPATH": place}
    done = subprocess.run(
        [*command, str(lab.folder)], cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert sorted(line for line in done.stdout.splitlines() if line.startswith("process")) == [
        "process 0: 1 evaluations, stopped at 2",
        "process 1: 0 evaluations, stopped at 2",
    ]
    assert [version.version for version in lab.models] == ["step-2"]


def test_other_weights_at_a_step_of_a_training_that_was_resumed_get_a_number(
    lab: cp.Lab, trainer: Callable[..., Any]
) -> None:
    training = trainer(save_strategy="steps", save_steps=3)
    callback = integrations.CounterpointCallback(training, answer, lab, name="tiny", when=6, suites=["order"], limit=2)
    training.add_callback(callback)
    training.train()
    training.train_dataset = [row | {"labels": 0} for row in training.train_dataset]
    training.train(resume_from_checkpoint=f"{training.args.output_dir}/checkpoint-3")
    assert [version.version for version in lab.models] == ["step-6", "step-6.2"]
