"""How many cores this process may use, which are fewer than the machine has in a job or a container."""

import os
from collections.abc import Iterator
from contextlib import suppress
from math import ceil
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")


def usable_cores(cgroups: Path = CGROUPS) -> int:
    """The cores that the scheduler gives this process, or as many as its container has time for, if that is less."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([allowed, *_time_limits(cgroups)]))


def _time_limits(cgroups: Path) -> Iterator[int]:
    """The limit of each control group around this process, in cores; of both versions of Linux's control groups."""
    own = Path()
    with suppress(OSError):
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        own = Path(next((line[3:] for line in lines if line.startswith("0::")), "/")).relative_to("/")
    for folder in (own, *own.parents):
        with suppress(OSError, ValueError):  # ValueError: "max" is no limit
            quota, period = map(int, (cgroups / folder / "cpu.max").read_text().split())
            yield ceil(quota / period)
    with suppress(OSError, ValueError):
        quota, period = (int((cgroups / "cpu" / f"cpu.cfs_{name}_us").read_text()) for name in ("quota", "period"))
        if quota > 0:
            yield ceil(quota / period)
