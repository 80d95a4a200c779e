"""A checkpoint by its hub name or folder: what is read from it, where it is put, and what its answers depend on."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Any

from counterpoint.core.errors import CounterpointError, ModelError
from counterpoint.core.ids import canonical, content_id, hex_id

FILES = ("*.json", "*.txt", "*.model", "*.jinja", "*.py", "*.safetensors")
"""What a checkpoint is made of: processor, tokenizer, templates, its own code if it has any, and weights."""
OLD_WEIGHTS = "pytorch_model*.bin"
"""The files of weights where there are none of the other kind."""


@dataclass(frozen=True)
class Checkpoint:
    """A name on the hub or a folder, and how it is to be loaded; nothing is read before it is needed."""

    name: str
    device: str = ""  # as torch names it; the first CUDA device if there is one, else the CPU
    dtype: str = ""  # bfloat16 on CUDA, else float32
    revision: str = "main"
    trust: bool = False  # whether code that comes with the checkpoint may run

    @property
    def anew(self) -> "Checkpoint":
        """The same with nothing read yet, which is soon sent to another process."""
        return replace(self)

    @cached_property
    def folder(self) -> Path:
        """Where its files are on disk; those of the hub are fetched once, or taken from the cache when offline."""
        if Path(self.name).is_dir():
            return Path(self.name)
        from huggingface_hub import snapshot_download  # comes with transformers

        known: tuple[type[Exception], ...] = (OSError, ValueError)  # what the hub raises for names, access and network
        try:
            found = Path(snapshot_download(self.name, revision=self.revision, allow_patterns=list(FILES)))
            if not any(found.glob("*.safetensors")):
                snapshot_download(self.name, revision=self.revision, allow_patterns=[OLD_WEIGHTS])
            return found
        except known as problem:
            hint = "check the name, HF_TOKEN and the network; a folder on disk works too"
            if os.environ.get("HF_HUB_OFFLINE", "") not in ("", "0"):
                hint = "HF_HUB_OFFLINE is set, and the cache does not hold it"
            fact = f"{self.name} is no folder, and the hub did not give it: {_first(problem)}"
            raise ModelError(fact, hint=hint) from problem

    @cached_property
    def config(self) -> Any:
        """What the checkpoint says of itself."""
        from transformers import AutoConfig

        return self.loaded(AutoConfig.from_pretrained)

    @cached_property
    def place(self) -> str:
        """The device it is put on."""
        import torch

        return self.device or ("cuda" if torch.cuda.is_available() else "cpu")

    @cached_property
    def kind(self) -> Any:
        """The type of its numbers, as torch has it."""
        import torch

        name = self.dtype or ("bfloat16" if self.place.startswith("cuda") else "float32")
        if not isinstance(found := getattr(torch, name, None), torch.dtype):
            raise ModelError(f"{name!r} is no dtype", hint="use float32, bfloat16 or float16")
        return found

    @cached_property
    def parameters(self) -> int:
        """How many numbers were learnt; none before the weights were read."""
        return 0

    def weights(self, family: Any, **more: Any) -> Any:
        """The model itself, ready to be asked: on its device, in its dtype, with dropout off.

        Weights that the checkpoint lacks would be made up at random, so that its answers would mean nothing.
        """
        import torch
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # the bar of a run is enough
        try:
            torch.empty(0, device=self.place)  # before anything is read
        except (RuntimeError, AssertionError) as problem:
            fact = f"{self.place!r} is no device of this machine: {_first(problem)}"
            raise ModelError(fact, hint="use cpu, cuda or cuda:1") from problem
        model, info = self.loaded(family.from_pretrained, dtype=self.kind, output_loading_info=True, **more)
        if missing := sorted(info["missing_keys"]):
            fact = f"{self.name} lacks {len(missing)} weights of {type(model).__name__}, {missing[0]} among them"
            raise ModelError(fact, hint="another checkpoint of this kind, or another family, may be meant")
        self.__dict__["parameters"] = sum(part.numel() for part in model.parameters())
        return model.to(self.place).eval()

    def loaded(self, load: Callable[..., Any], **more: Any) -> Any:
        """Whatever one of the loaders of transformers makes of it; what it raises is said in a sentence."""
        try:
            return load(self.folder, trust_remote_code=self.trust, **more)
        except CounterpointError:
            raise
        except Exception as problem:  # of many kinds, for files that are missing, broken, or not what they claim
            untrusted = "trust_remote_code" in str(problem)
            hint = "--model-args trust=yes runs the code that comes with it" if untrusted else ""
            raise ModelError(f"{self.name} cannot be loaded: {_first(problem)}", hint=hint) from problem

    def tokenizer(self, name: str = "") -> Any:
        """Its tokenizer, or that of another checkpoint; one without files would know no words, and say nothing."""
        from transformers import AutoTokenizer

        found = self.loaded(lambda folder, **more: AutoTokenizer.from_pretrained(name or folder, **more))
        if len(found) <= len(found.all_special_tokens):
            fact = f"{name or self.name} comes without the words of its tokenizer"
            raise ModelError(fact, hint="--model-args tokenizer=google-bert/bert-base-uncased takes that of another")
        return found

    def fingerprint(self, *settings: str) -> str:
        """Its name, and a digest of its files, its dtype and whatever else its answers depend on; not of the device."""
        files = sorted(path for pattern in FILES for path in self.folder.glob(pattern))
        if not any(path.suffix == ".safetensors" for path in files):
            files += sorted(self.folder.glob(OLD_WEIGHTS))
        parts = [[path.name, _digest(path)] for path in files]
        return f"{Path(self.name).name} {hex_id(content_id(canonical([parts, str(self.kind), list(settings)])))}"


def _first(problem: Exception) -> str:
    """The first line of what an exception says, and the next one if it leads there."""
    first, *more = [line.strip() for line in str(problem).strip().splitlines()] or [type(problem).__name__]
    return f"{first} {more[0]}" if first.endswith(":") and more else first


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
