"""What is worth knowing of a run beside its answers: settings, versions, hardware, counts."""

import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from counterpoint._version import __version__
from counterpoint.engine.progress import Progress
from counterpoint.engine.running import RunSummary

PACKAGES = ("numpy", "pillow", "pyarrow", "onnxruntime", "torch", "transformers", "httpx2")
"""The packages on which an answer or its speed may depend."""


def describe_run(
    settings: Mapping[str, Any], suites: Mapping[str, str], became: Progress | RunSummary, state: str
) -> dict[str, Any]:
    """A run as JSON has it; `suites` are those asked with their fingerprints, `state` is running, stopped or done."""
    return {
        "state": state,
        "settings": dict(settings),
        "suites": dict(suites),
        "counts": _counts(became),
        **(_checked(became) if isinstance(became, RunSummary) else {}),
        "versions": package_versions(),
        "hardware": hardware_info(),
    }


def package_versions() -> dict[str, str]:
    """Ours, that of Python, and those of the packages that are there."""
    found = {"counterpoint": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def hardware_info() -> dict[str, Any]:
    """The machine; its accelerators, and the most memory that was taken of each, only if torch is there to ask."""
    torch = sys.modules.get("torch")
    devices = range(torch.cuda.device_count()) if torch is not None else ()
    return {
        "system": platform.platform(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "devices": [torch.cuda.get_device_name(device) for device in devices] if torch is not None else [],
        "memory": [torch.cuda.max_memory_allocated(device) for device in devices] if torch is not None else [],
    }


def _counts(became: Progress | RunSummary) -> dict[str, Any]:
    if isinstance(became, Progress):
        return {"asked": became.done, "failed": became.failed, "cached": became.cached}
    return {name: getattr(became, name) for name in ("asked", "failed", "cached", "beyond", "left", "retries")}


def _checked(outcome: RunSummary) -> dict[str, Any]:
    return {
        "seconds": round(outcome.seconds, 3),
        "batch": outcome.batch,
        "alike": None if outcome.alike is None else asdict(outcome.alike),
        "disagreement": None if outcome.alike is None else outcome.alike.disagreement,
        "reasons": dict(outcome.reasons),
    }
