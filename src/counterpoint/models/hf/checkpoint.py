"""A checkpoint by its hub name or folder: its files, config, device and dtype, and the identity of its answers."""

import gc
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b, file_digest
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from counterpoint.core.errors import CounterpointError, ModelError, UnknownName
from counterpoint.core.extras import install_command
from counterpoint.core.ids import Plain, canonical, content_id, hex_id
from counterpoint.core.ports import Model, Pictures
from counterpoint.models.settings import convert_settings

FILES = ("*.json", "*.txt", "*.model", "*.spm", "*.tiktoken", "*.jinja", "*.py", "*.safetensors")
"""The files of a checkpoint: processor, tokenizer, templates, its own code if it has any, and weights."""
OLD_WEIGHTS = "pytorch_model*.bin"
"""The weights where there are no safetensors."""
TRAINING_FILES = ("trainer_state.json", "*_results.json")
"""What a trainer writes beside a checkpoint, and no model reads."""
ORIGIN_KEYS = {"_name_or_path", "name_or_path", "transformers_version"}
"""Keys of config files that say where a checkpoint came from, and change no answer."""
OPTIONAL_PACKAGES = ("torchvision", "timm", "sentencepiece", "tiktoken", "einops", "accelerate")
"""What the processor, the tokenizer or the code of some models needs beside transformers."""
FAMILIES = {
    "classifier": "counterpoint.models.hf.classifiers:make",
    "generative": "counterpoint.models.hf.generative:make",
    "blip-vqa": "counterpoint.models.hf.generative:make_blip",
    "towers": "counterpoint.models.hf.towers:TwoTowerModel",
    "matching": "counterpoint.models.hf.matching:make",
    "language": "counterpoint.models.hf.generative:make_language",
}
"""Each family with its factory, a function of checkpoint, pictures and settings."""

HEADS = {
    "ViltForQuestionAnswering": "classifier",
    "LxmertForQuestionAnswering": "classifier",
    "VisualBertForQuestionAnswering": "classifier",
    "BlipForQuestionAnswering": "blip-vqa",
    "BlipForImageTextRetrieval": "matching",
    "Blip2ForImageTextRetrieval": "matching",
    "ViltForImageAndTextRetrieval": "matching",
    "VisualBertForPreTraining": "matching",
    "LxmertForPreTraining": "matching",
}
"""Families by architecture; others are found in the auto-class mappings of transformers."""


TOWER_METHODS = ("get_image_features", "get_text_features")
"""What a model has that is two towers."""


class ModelIdentity(NamedTuple):
    """The fingerprint of a model, and those that earlier releases gave it."""

    fingerprint: str
    former: tuple[str, ...]


def require_packages(find: Callable[[str], object] = find_spec) -> None:
    """Raise ModelError where torch or transformers is not installed."""
    for package in ("torch", "transformers"):
        if find(package) is None:
            raise ModelError(f"{package} is not installed", hint=install_command("hf"))


def device_names() -> list[str]:
    """The accelerators that torch can use."""
    import torch

    apple = ["Apple GPU (mps)"] if torch.backends.mps.is_available() else []
    return [torch.cuda.get_device_name(place) for place in range(torch.cuda.device_count())] + apple


def cuda_devices() -> list[str]:
    """Every CUDA device, as torch names them."""
    require_packages()
    import torch

    if not torch.cuda.is_available():
        raise ModelError("torch sees no CUDA device here", hint="--device cpu computes on the processor")
    return [f"cuda:{place}" for place in range(torch.cuda.device_count())]


@dataclass(frozen=True)
class Checkpoint:
    """A hub name or a folder, and how it is loaded; nothing is read before it is needed."""

    name: str
    device: str = ""  # as torch names it; by default the first CUDA device if there is one, else the CPU
    dtype: str = ""  # by default bfloat16 on CUDA, else float32
    revision: str = "main"
    trust: bool = False  # whether code that comes with the checkpoint may run

    def unloaded(self) -> "Checkpoint":
        """The same with nothing loaded, which is small when sent to another process."""
        return replace(self)

    @cached_property
    def folder(self) -> Path:
        """Where its files are on disk; those of the hub are downloaded once, or taken from the cache when offline."""
        if Path(self.name).is_dir():
            return Path(self.name)
        from huggingface_hub import snapshot_download  # comes with transformers

        known: tuple[type[Exception], ...] = (OSError, ValueError)  # what the hub raises for names, access and network
        try:
            folder = Path(snapshot_download(self.name, revision=self.revision, allow_patterns=list(FILES)))
            if not any(folder.glob("*.safetensors")):
                snapshot_download(self.name, revision=self.revision, allow_patterns=[OLD_WEIGHTS])
            return folder
        except known as problem:
            hint = "check the name, HF_TOKEN and the network; a folder on disk works too"
            if os.environ.get("HF_HUB_OFFLINE", "") not in ("", "0"):
                hint = "HF_HUB_OFFLINE is set, and the cache does not hold it"
            fact = f"{self.name} is no folder, and the hub did not give it: {_first_line(problem)}"
            raise ModelError(fact, hint=hint) from problem

    @cached_property
    def config(self) -> Any:
        """The config of the checkpoint."""
        from transformers import AutoConfig

        return self.load(AutoConfig.from_pretrained)

    @cached_property
    def place(self) -> str:
        """The device it is put on."""
        import torch

        return self.device or ("cuda" if torch.cuda.is_available() else "cpu")

    @cached_property
    def torch_dtype(self) -> Any:
        """The dtype of its weights."""
        import torch

        name = self.dtype or ("bfloat16" if self.place.startswith("cuda") else "float32")
        if not isinstance(dtype := getattr(torch, name, None), torch.dtype):
            raise ModelError(f"{name!r} is no dtype", hint="use float32, bfloat16 or float16")
        return dtype

    @cached_property
    def parameters(self) -> int:
        """The number of parameters; 0 before the weights were read."""
        return 0

    def weights(self, family: Any, **more: Any) -> Any:
        """The model itself, on its device, in its dtype, with dropout off.

        Weights that the checkpoint lacks would be initialized at random, so they are an error.
        """
        import torch
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # the progress of a run is enough
        try:
            torch.empty(0, device=self.place)  # before anything is read
        except (RuntimeError, AssertionError) as problem:
            fact = f"{self.place!r} is no device of this machine: {_first_line(problem)}"
            raise ModelError(fact, hint="use cpu, cuda or cuda:1") from problem
        if self.place != "cpu":
            gc.collect()  # weights of a former model in a reference cycle, which take the memory of the device
        model, info = self.load(family.from_pretrained, dtype=self.torch_dtype, output_loading_info=True, **more)
        if missing := sorted(info["missing_keys"]):
            fact = f"{self.name} lacks {len(missing)} weights of {type(model).__name__}, {missing[0]} among them"
            raise ModelError(fact, hint="another checkpoint of this kind, or another family, may be meant")
        self.__dict__["parameters"] = sum(part.numel() for part in model.parameters())
        return model.to(self.place).eval()

    def load(self, loader: Callable[..., Any], **more: Any) -> Any:
        """The result of one of the loaders of transformers; its errors are reported in one sentence."""
        try:
            return loader(self.folder, trust_remote_code=self.trust, **more)
        except CounterpointError:
            raise
        except Exception as problem:  # of many kinds, for files that are missing, broken, or of another format
            raise self._loading_error(problem) from problem

    def _loading_error(self, problem: Exception) -> ModelError:
        message = str(problem)
        lacking = (name for name in OPTIONAL_PACKAGES if name in message.casefold() and find_spec(name) is None)
        if package := next(lacking, ""):
            return missing_package(self.name, package)
        hint = "--model-args trust=yes runs the code that comes with it" if "trust_remote_code" in message else ""
        return ModelError(f"{self.name} cannot be loaded: {_first_line(problem)}", hint=hint)

    def tokenizer(self, name: str = "") -> Any:
        """Its tokenizer, or that of another checkpoint; an empty vocabulary is an error."""
        from transformers import AutoTokenizer

        tokenizer = self.load(lambda folder, **more: AutoTokenizer.from_pretrained(name or folder, **more))
        if len(tokenizer) <= len(tokenizer.all_special_tokens):
            fact = f"{name or self.name} comes without the words of its tokenizer"
            raise ModelError(fact, hint="--model-args tokenizer=google-bert/bert-base-uncased takes that of another")
        return tokenizer

    def identity(self, *settings: str) -> ModelIdentity:
        """The fingerprint: model type, and a digest of files, dtype and settings; not of name, folder or device."""
        files = [path for path in self._digests if not any(path.match(pattern) for pattern in TRAINING_FILES)]
        fingerprint = f"{self.config.model_type} {self._hash([[p.name, self._content(p)] for p in files], settings)}"
        raw: list[Plain] = [[path.name, digest] for path, digest in self._digests.items()]
        return ModelIdentity(fingerprint, (f"{Path(self.name).name} {self._hash(raw, settings)}",))

    def _hash(self, files: list[Plain], settings: tuple[str, ...]) -> str:
        return hex_id(content_id(canonical([files, str(self.torch_dtype), list(settings)])))

    @cached_property
    def _digests(self) -> dict[Path, str]:
        """The digest of each file, computed once, since weights are large."""
        files = sorted(path for pattern in FILES for path in self.folder.glob(pattern))
        if not any(path.suffix == ".safetensors" for path in files):
            files += sorted(self.folder.glob(OLD_WEIGHTS))
        return {path: digest_file(path) for path in files}

    def _content(self, path: Path) -> str:
        """The digest of a file, without the keys of a config that say where it came from."""
        if path.suffix != ".json":
            return self._digests[path]
        try:
            content = json.loads(path.read_bytes())
        except ValueError:
            return self._digests[path]
        plain = _without_origin(content)
        return self._digests[path] if plain == content else hex_id(content_id(json.dumps(plain, sort_keys=True)))


def _without_origin(content: Any) -> Any:
    if not isinstance(content, dict):
        return content
    return {key: _without_origin(value) for key, value in content.items() if key not in ORIGIN_KEYS}


def missing_package(name: str, package: str) -> ModelError:
    """The error of a checkpoint that needs a package which is not installed."""
    return ModelError(f"{name} needs {package}, which is not installed", hint=f"pip install {package}")


def _first_line(problem: Exception) -> str:
    """The first line of an error message, and the next one if it leads there."""
    first, *more = [line.strip() for line in str(problem).strip().splitlines()] or [type(problem).__name__]
    return f"{first} {more[0]}" if first.endswith(":") and more else first


def digest_file(path: Path) -> str:
    """The digest of a file."""
    with path.open("rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()


def load(
    name: str,
    pictures: Pictures,
    *,
    family: str = "",
    device: str = "",
    dtype: str = "",
    revision: str = "main",
    trust: bool = False,
    **settings: Any,
) -> Model:
    """A model from the hub or a folder; further settings are those of its family."""
    require_packages()
    checkpoint = Checkpoint(name, device, dtype, revision, trust)
    chosen = family or family_of(checkpoint.config)
    if chosen not in FAMILIES:
        raise UnknownName("family of models", chosen, FAMILIES)
    module, _, factory = FAMILIES[chosen].partition(":")
    make: Callable[..., Any] = getattr(import_module(module), factory)
    model: Any = make(checkpoint, pictures, **convert_settings(make, settings, f"hf/{name}"))
    model.parameters = checkpoint.parameters
    loaded: Model = model
    return loaded


def family_of(config: Any) -> str:
    """The family of a checkpoint: by its architecture, else by its type in the mappings of transformers."""
    import transformers
    from transformers.models.auto import modeling_auto as lists

    architecture = (getattr(config, "architectures", None) or [""])[0]
    kind = config.model_type
    if architecture in HEADS:
        return HEADS[architecture]
    generates = kind in lists.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
    if generates and architecture.endswith(("ForConditionalGeneration", "ForImageTextToText")):
        return "generative"
    if kind in lists.MODEL_FOR_ZERO_SHOT_IMAGE_CLASSIFICATION_MAPPING_NAMES:
        return "towers"
    if generates:
        return "generative"
    if kind in lists.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return "language"
    if all(hasattr(getattr(transformers, architecture, None), name) for name in TOWER_METHODS):
        return "towers"
    fact = f"no family of models has the architecture {architecture or kind!r}"
    raise ModelError(fact, hint=f"if one fits, --model-args family={'|'.join(FAMILIES)} chooses it")
