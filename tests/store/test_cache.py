"""Files in the cache folder: whole or absent, also on a full disk."""

from pathlib import Path

import pytest
from full_disk import full_disk

from counterpoint.lab.diagnosis import diagnose
from counterpoint.store.cache import FileCache, user_cache

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


def test_a_user_without_a_home_has_a_cache_below_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")  # a number in a container, without HOME

    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HF_HOME", raising=False)
    assert user_cache() == Path("/.cache/counterpoint")
    assert diagnose().machine["Hugging Face cache"] == "/.cache/huggingface"
