"""What this installation has: Python and the machine, extras with what they are for, devices and folders."""

import os
import platform
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path

from counterpoint import __version__
from counterpoint.core.extras import install_command
from counterpoint.core.quantities import counted
from counterpoint.engine.cores import usable_cores
from counterpoint.lab.results import LabResult
from counterpoint.reports.tables import ResultTable
from counterpoint.store.cache import user_cache, user_home

EXTRAS: Mapping[str, str] = {
    "hf": "local Hugging Face models, training callbacks",
    "ray": "run --engine ray",
    "s3": "labs and pictures in buckets",
    "hub": "export --push",
    "xlsx": "predictions and questions in spreadsheets",
    "nlp": "the text-only baseline `trigram`",
    "wandb": "eval --log wandb",
    "mlflow": "eval --log mlflow",
    "tensorboard": "eval --log tensorboard",
}
"""Each extra with what it is for."""
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")
"""The variables in which models behind endpoints have their keys; only whether they are set is told."""


@dataclass(frozen=True, slots=True)
class ExtraState:
    """An extra: what it is for, the packages that it has and lacks, and the command that adds them."""

    extra: str
    purpose: str
    installed: tuple[str, ...]
    missing: tuple[str, ...]
    command: str  # empty where nothing is missing


@dataclass(frozen=True, slots=True, repr=False)
class Diagnosis(LabResult[ExtraState], rows="extras"):
    """What is installed, what the machine can do, and what to install for what."""

    machine: Mapping[str, str]
    extras: tuple[ExtraState, ...]

    def tables(self) -> list[ResultTable]:
        """The machine, and one line per extra."""
        rows = [
            (own.extra, own.purpose, ", ".join(own.installed) or "–", ", ".join(own.missing) or "–")
            for own in self.extras
        ]
        return [
            ResultTable("This installation", ("", ""), list(self.machine.items()), names=2),
            ResultTable("Extras", ("extra", "for", "installed", "missing"), rows, names=4),
        ]

    def notes(self) -> list[str]:
        """One command per extra that is missing."""
        lacking = [f"for {own.purpose}: {own.command}" for own in self.extras if own.command]
        return lacking or ["nothing is missing"]


def diagnose() -> Diagnosis:
    """Look at Python, the machine, extras, devices and folders; nothing is written and nothing is sent.

    >>> diagnose().machine["counterpoint"] == __version__
    True
    """
    return Diagnosis(_machine(), tuple(_extra_state(name, purpose) for name, purpose in EXTRAS.items()))


def _machine() -> dict[str, str]:
    cache, keys = user_cache(), [key for key in KEYS if os.environ.get(key)]
    return {
        "counterpoint": __version__,
        "Python": f"{platform.python_version()} at {sys.executable}",
        "machine": f"{platform.system()} {platform.machine()}, {counted(usable_cores(), 'core')}, {_memory()}",
        "devices": _devices(),
        "cache": f"{cache}, {_free(cache)}",
        "Hugging Face cache": str(os.environ.get("HF_HOME") or user_home() / ".cache" / "huggingface"),
        "keys of endpoints": ", ".join(keys) or "none set",
    }


def _memory() -> str:
    if not hasattr(os, "sysconf"):
        return "memory unknown"
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{size / 2**30:.0f} GiB of memory"


def _devices() -> str:
    if find_spec("torch") is None:
        return "the processor, for the built-in models; others need torch"
    from counterpoint.models.hf.checkpoint import device_names  # torch takes seconds

    return ", ".join(["the processor", *device_names()])


def _free(folder: Path) -> str:
    """The free space of a folder that may not be there yet, and whether it can be written."""
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    space = f"{shutil.disk_usage(there).free / 2**30:.0f} GiB free"
    return space if os.access(there, os.W_OK) else f"{space}, but it cannot be written: name another by XDG_CACHE_HOME"


def _extra_state(name: str, purpose: str) -> ExtraState:
    installed, missing = list[str](), list[str]()
    for package in _packages(name):
        try:
            installed.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            missing.append(package)
    return ExtraState(name, purpose, tuple(installed), tuple(missing), install_command(name) if missing else "")


def _packages(extra: str) -> list[str]:
    """The packages of an extra, as the metadata of this package have them."""
    wanted = re.compile(rf"""extra\s*==\s*['"]{extra}['"]""")
    lines = [line for line in requires("counterpoint") or () if wanted.search(line)]
    return [re.split(r"[\s;<>=!~\[]", line)[0] for line in lines]
