"""The record of a run beside its answers: settings, versions, hardware, counts."""

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
"""Packages that may change an answer or its speed."""


def describe_run(
    settings: Mapping[str, Any], suites: Mapping[str, str], result: Progress | RunSummary, state: str
) -> dict[str, Any]:
    """A run as JSON; `suites` maps names to fingerprints, `state` is running, stopped or done."""
    return {
        "state": state,
        "settings": dict(settings),
        "suites": dict(suites),
        "counts": _counts(result),
        **(_details(result) if isinstance(result, RunSummary) else {}),
        "versions": package_versions(),
        "hardware": hardware_info(),
    }


def package_versions() -> dict[str, str]:
    """The versions of counterpoint, Python and the installed packages."""
    versions = {"counterpoint": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def hardware_info() -> dict[str, Any]:
    """The machine; its accelerators and the peak memory of each, if torch is loaded."""
    torch = sys.modules.get("torch")
    devices = range(torch.cuda.device_count()) if torch is not None else ()
    return {
        "system": platform.platform(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "devices": [torch.cuda.get_device_name(device) for device in devices] if torch is not None else [],
        "memory": [torch.cuda.max_memory_allocated(device) for device in devices] if torch is not None else [],
    }


def _counts(result: Progress | RunSummary) -> dict[str, Any]:
    if isinstance(result, Progress):
        return {"asked": result.done, "failed": result.failed, "cached": result.cached}
    return {name: getattr(result, name) for name in ("asked", "failed", "cached", "beyond", "left", "retries")}


def _details(summary: RunSummary) -> dict[str, Any]:
    return {
        "seconds": round(summary.seconds, 3),
        "batch": summary.batch,
        "alike": None if summary.batch_invariance is None else asdict(summary.batch_invariance),
        "disagreement": None if summary.batch_invariance is None else summary.batch_invariance.disagreement,
        "reasons": dict(summary.reasons),
    }
