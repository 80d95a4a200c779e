"""A callback of `transformers.Trainer`: the model in training is evaluated, its scores are logged, a gate stops it."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

import counterpoint as cp

try:
    import torch
    from transformers import TrainerCallback
except ImportError as problem:
    raise cp.CounterpointError(f"{problem.name} is not installed", hint=cp.install_command("hf")) from problem

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE = 4096
"""Values of each tensor, evenly spaced, that are hashed."""


class CounterpointCallback(TrainerCallback):
    """Evaluates the model in training on suites of a lab, logs its scores through the trainer, and may stop it.

    `answer` gets the model, a list of pictures (arrays, or None) and a list of queries, and returns a reply to each.
    `when` is a number of steps, "evaluate" or "save". `version` is the tag of each evaluation; a tag that belongs to
    other weights gets a number. Further arguments are those of `counterpoint.evaluate`: suites, limit, batch_size,
    seconds, metrics, gates, baseline, mode, log. Training ends after `patience` evaluations in a row whose gate fails;
    with None it never does.
    """

    def __init__(
        self,
        trainer: Any,
        answer: Callable[[Any, list[Any], list[cp.Query]], Sequence[Any]],
        lab: "cp.Lab | Path | str",
        *,
        name: str,
        version: str = "step-{step}",
        when: int | Literal["evaluate", "save"] = "evaluate",
        patience: int | None = 1,
        **options: Any,
    ) -> None:
        if when not in ("evaluate", "save") and not (isinstance(when, int) and when > 0):
            raise cp.CounterpointError(
                f"{when!r} is no time to evaluate", hint='a number of steps, "evaluate" or "save"'
            )
        self._trainer, self._answer, self._patience, self._options = trainer, answer, patience, options
        self._lab = lab if isinstance(lab, cp.Lab) else cp.Lab(lab)
        self._name, self._version, self._when = name, version, when
        self.evaluations: list[cp.Evaluation] = []

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Refuse to mix the versions of two trainings before this one costs anything."""
        tag = re.compile(re.escape(self._version).replace(r"\{step\}", r"\d+(\.\d+)?"))
        used = [version.version for version in self._lab.models if version.name == self._name]
        if not state.global_step and (others := [old for old in used if tag.fullmatch(old)]):
            fact = f"{self._lab.address} has versions of {self._name} of another training: {', '.join(others[:3])}"
            raise cp.CounterpointError(fact, hint='give another name, or another version, such as "second-{step}"')

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Evaluate after every so many steps."""
        if isinstance(self._when, int) and state.global_step % self._when == 0:
            self._evaluate(state, control)

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Evaluate where the trainer does."""
        if self._when == "evaluate":
            self._evaluate(state, control)

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Evaluate what is saved."""
        if self._when == "save":
            self._evaluate(state, control)

    def _evaluate(self, state: Any, control: Any) -> None:
        fails = False
        if state.is_world_process_zero:
            model = self._trainer.accelerator.unwrap_model(self._trainer.model)
            identity = f"{self._name} weights {digest_weights(model)}"
            tag = self._free_tag(self._version.format(step=state.global_step), identity)
            with _inference(model):
                evaluation = cp.evaluate(
                    lambda pictures, queries: self._answer(model, pictures, queries),
                    self._lab,
                    name=self._name,
                    version=tag,
                    fingerprint=identity,
                    **self._options,
                )
            self.evaluations.append(evaluation)
            self._trainer.log({f"counterpoint/{key}": value for key, value in evaluation.metrics.items()})
            last = self.evaluations[-self._patience :] if self._patience else []
            fails = bool(last) and len(last) == self._patience and all(own.gate_fails for own in last)
        control.should_training_stop |= _from_first_process(fails)

    def _free_tag(self, tag: str, fingerprint: str) -> str:
        """The tag, or, where a training that was resumed has given it to other weights, the next as in step-100.2."""
        own = [version for version in self._lab.models if version.name == self._name]
        used = {alias for old in own if old.fingerprint != fingerprint for alias in (old.version, *old.aliases)}
        return next(
            name for name in (tag, *(f"{tag}.{number}" for number in range(2, len(used) + 3))) if name not in used
        )


def digest_weights(model: Any) -> str:
    """A digest of the weights of a torch module, from values of each tensor, so that it costs little in a loop."""
    digest = blake2b(digest_size=8)
    for name, tensor in model.state_dict().items():
        values = tensor.detach().reshape(-1)
        sample = values[:: max(1, len(values) // SAMPLE)].cpu().contiguous()
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
        digest.update(sample.view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


@contextmanager
def _inference(model: Any) -> Iterator[None]:
    """Without dropout and gradients; the model is in training again afterwards."""
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(training)


def _from_first_process(fails: bool) -> bool:
    """What the first of several processes found: all have to stop together."""
    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return fails
    found = [fails]
    torch.distributed.broadcast_object_list(found)
    return found[0]
