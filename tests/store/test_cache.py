"""Files in the cache folder: whole or absent, also on a full disk."""

from pathlib import Path

import pytest
from full_disk import full_disk

from counterpoint.store.cache import FileCache

CONTENT = b"bytes " * 1000


def test_a_full_disk_costs_the_file_alone_and_leaves_no_draft(tmp_path: Path) -> None:
    cache = FileCache(tmp_path / "cache")
    with full_disk():
        assert cache.get_or_make("one", lambda: CONTENT) == CONTENT
        with pytest.raises(OSError, match="File too large"):
            cache.path_of("two", lambda: CONTENT)
    assert list(cache.folder.iterdir()) == []
    assert cache.path_of("one", lambda: CONTENT).read_bytes() == CONTENT
    assert [path.name for path in cache.folder.iterdir()] == ["one"]
