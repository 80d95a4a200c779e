"""Files that are whole or absent, and a lock that ends with its holder."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow as pa
import pytest
from patience import SECONDS

from counterpoint.core.errors import StoreError
from counterpoint.store.folder import StorageFolder, atomic_folder
from counterpoint.store.storage import FileMissing

HOLDER = """
import sys
from pathlib import Path
from counterpoint.store.folder import StorageFolder
with StorageFolder(Path(sys.argv[1])).lease("models/a"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_what_is_put_is_found_under_its_name(tmp_path: Path) -> None:
    storage = StorageFolder(tmp_path / "new")
    assert storage.names() == []
    storage.put("b/2.txt", b"two")
    storage.put("b/1.txt", b"one")
    storage.put("a.txt", b"")
    assert storage.names() == ["a.txt", "b/1.txt", "b/2.txt"]
    assert storage.names("b/") == storage.names("b") == ["b/1.txt", "b/2.txt"]
    assert storage.names("b/2") == ["b/2.txt"]
    assert storage.get("b/1.txt") == b"one"
    storage.put("b/1.txt", b"another")
    assert storage.get("b/1.txt") == b"another"
    storage.delete("b/1.txt")
    storage.delete("b/1.txt")
    assert storage.names("b/") == ["b/2.txt"]


def test_a_file_for_reading_is_held_by_no_object_of_python_when_the_interpreter_ends(tmp_path: Path) -> None:
    storage = StorageFolder(tmp_path)
    storage.put("a.txt", b"content")
    with storage.open("a.txt") as file:
        assert isinstance(file, pa.OSFile)
        assert file.read(3) == b"con"


def test_a_draft_is_nobodys_file_and_is_swept_by_the_holder_of_the_lock(tmp_path: Path) -> None:
    storage = StorageFolder(tmp_path)
    storage.put("a/whole.txt", b"whole")
    (tmp_path / "a" / ".half.txt.1234.draft").write_bytes(b"ha")
    assert storage.names("a/") == ["a/whole.txt"]
    with storage.lease("a"):
        storage.sweep("a")
    assert sorted(os.listdir(tmp_path / "a")) == [".lock", "whole.txt"]


def test_a_put_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = StorageFolder(tmp_path)
    storage.put("a.txt", b"before")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=r"a\.txt cannot be written: No space left") as said:
        storage.put("a.txt", b"after")
    assert "free space" in said.value.hint
    assert os.listdir(tmp_path) == ["a.txt"]
    assert storage.get("a.txt") == b"before"


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileMissing, match=r"nothing\.txt does not exist"):
        StorageFolder(tmp_path).get("nothing.txt")
    with pytest.raises(FileMissing, match="does not exist"), StorageFolder(tmp_path).open("nothing.txt"):
        pass


def test_a_file_in_the_place_of_a_folder_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a file")
    with pytest.raises(StoreError, match="cannot be"):
        StorageFolder(tmp_path).put("a/b.txt", b"")
    with pytest.raises(StoreError, match="cannot be"):
        StorageFolder(tmp_path).names("a/")


def test_who_waits_for_a_lock_is_told_once_who_holds_it(tmp_path: Path) -> None:
    storage, waits = StorageFolder(tmp_path), threading.Event()
    told: list[str] = []
    order: list[str] = []

    def tell(holder: str) -> None:
        told.append(holder)
        waits.set()

    def second() -> None:
        with storage.lease("a", tell):
            order.append("second")

    with storage.lease("a"):
        thread = threading.Thread(target=second)
        thread.start()
        assert waits.wait(SECONDS)
        order.append("first")
    thread.join(SECONDS)
    assert order == ["first", "second"]
    assert [f"process {os.getpid()} on" in one for one in told] == [True]


def test_different_folders_have_different_locks(tmp_path: Path) -> None:
    storage = StorageFolder(tmp_path)
    with storage.lease("a"), storage.lease("b"):
        assert storage.names() == []


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        holder.kill()
        holder.wait()
    told: list[str] = []
    with StorageFolder(tmp_path).lease("models/a", told.append):
        assert told == []


def _write(out: Path, first: Path) -> None:
    with atomic_folder(out) as second:
        (second / "b.txt").write_text("b")
        assert first.exists()
        assert list(out.iterdir()) == []
        (out / "somebody.txt").write_text("else's")


def test_a_draft_folder_becomes_whole_and_replaces_those_of_the_killed(tmp_path: Path) -> None:
    left, others, out = tmp_path / ".out.00.draft", tmp_path / ".outer.00.draft", tmp_path / "out"
    for folder in (left, others):
        folder.mkdir()
        (folder / ".lock").touch()
    out.mkdir()
    with atomic_folder(out) as first:
        (first / "a.txt").write_text("a")
        with pytest.raises(StoreError, match="cannot be written"):
            _write(out, first)
        (out / "somebody.txt").unlink()
    assert [path.name for path in out.iterdir()] == ["a.txt"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [".outer.00.draft", "out"]
