"""Cores that may be used: those of the scheduler, and of a container with a limit of time."""

import os
from pathlib import Path

import pytest

from counterpoint.engine.cores import usable_cores


@pytest.fixture(scope="module")
def allowed() -> int:
    return len(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("file", "content"),
    [("cpu.max", "100000 100000"), ("cpu.max", "50000 100000"), ("cpu/cpu.cfs_quota_us", "90000")],
)
def test_a_container_with_time_for_one_core_has_one(tmp_path: Path, file: str, content: str) -> None:
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu/cpu.cfs_period_us").write_text("100000\n")
    (tmp_path / file).write_text(content + "\n")
    assert usable_cores(tmp_path) == 1


@pytest.mark.parametrize(
    ("file", "content"),
    [("cpu.max", "max 100000"), ("cpu.max", "99000000 100000"), ("cpu/cpu.cfs_quota_us", "-1"), ("cpu.max", "")],
)
def test_without_a_limit_all_of_the_scheduler_are_used(tmp_path: Path, file: str, content: str, allowed: int) -> None:
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu/cpu.cfs_period_us").write_text("100000\n")
    (tmp_path / file).write_text(content + "\n")
    assert usable_cores(tmp_path) == allowed
    assert usable_cores(tmp_path / "absent") == allowed


def test_a_process_that_is_bound_to_one_core_uses_one() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert usable_cores() == 1
    finally:
        os.sched_setaffinity(0, before)
