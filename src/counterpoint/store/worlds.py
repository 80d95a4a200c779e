"""The world at rest: annotations as JSON in the official layouts, written whole or not at all."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from counterpoint.world import layouts
from counterpoint.world.source import World


def annotations(world: World) -> Iterator[tuple[str, Any]]:
    """Each annotation file of a world: what follows the split in its name, and its content."""
    raise AssertionError


def write_annotation(path: Path, content: Any) -> None:
    """Write JSON under a draft name, then give it its own, so that nobody reads half of it."""
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    draft.replace(path)
