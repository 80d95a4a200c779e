"""Excerpts of real data, which are not in the repository: where they are, and what to do where they are not."""

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("COUNTERPOINT_REAL_DATA") or Path(__file__).parents[2] / "shared" / "data")
"""The folder of the excerpts: named by the environment, or beside the repository."""


def real(place: str) -> Path:
    """A file or folder of the excerpts; a test that asks for one that is absent is skipped, and says so."""
    path = ROOT / place
    if not path.exists():
        pytest.skip(f"no real data: {place} is not at {ROOT}; set COUNTERPOINT_REAL_DATA")
    return path
