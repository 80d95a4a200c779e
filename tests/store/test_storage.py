"""The contract of storage backends, held by every one: a folder, a client in memory, three S3 servers."""

import logging
import pickle
import socket
from collections.abc import Callable, Iterator, MutableMapping
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from object_stores import BUCKET, KEY, SECRET, SmallStore, bucket_environment, moto, seaweed, small_store
from obstore.store import MemoryStore
from patience import SECONDS
from proving import prove

from counterpoint.core.errors import StoreError
from counterpoint.store import bucket
from counterpoint.store.bucket import StorageBucket
from counterpoint.store.folder import StorageFolder
from counterpoint.store.storage import FileMissing, Storage, StoredFile, is_address, open_storage
from counterpoint.store.tables import PICTURES, read_parquet, to_parquet

ADDRESS = f"s3://{BUCKET}/some/lab"


@pytest.fixture(scope="session")
def seaweed_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real S3 server, started once."""
    with seaweed(tmp_path_factory.mktemp("seaweed")) as server:
        yield server


@pytest.fixture(scope="session")
def moto_server() -> Iterator[str]:
    """The S3 server of another project, started once."""
    with moto() as server:
        yield server


@pytest.fixture
def small_server(environ: MutableMapping[str, str]) -> Iterator[type[SmallStore]]:
    """A small S3 server that the environment names."""
    with small_store() as (server, held):
        _set_environment(environ, server)
        yield held


def _set_environment(environ: MutableMapping[str, str], server: str) -> None:
    for name, value in bucket_environment(server).items():
        environ[name] = value


@pytest.fixture(params=["folder", "memory", "small", prove("seaweed"), prove("moto")])
def storage(request: pytest.FixtureRequest, tmp_path: Path, environ: MutableMapping[str, str]) -> Storage:
    """An empty storage of each kind."""
    match request.param:
        case "folder":
            return StorageFolder(tmp_path / "lab")
        case "memory":
            return StorageBucket(ADDRESS, objects=MemoryStore())
        case "small":
            request.getfixturevalue("small_server")
            return open_storage(ADDRESS)
    _set_environment(environ, request.getfixturevalue(f"{request.param}_server"))
    return open_storage(f"s3://{BUCKET}/{tmp_path.name}")


def test_what_is_put_is_shown_by_browsers_as_what_it_is() -> None:
    objects = MemoryStore()
    for name in ("site/index.html", "site/app.js", "lab/part.parquet", "lab/table.csv.gz"):
        StorageBucket(ADDRESS, objects=objects).put(name, b"")
    kinds = [objects.get(meta["path"]).attributes["Content-Type"] for meta in objects.list().collect()]
    assert sorted(kinds) == ["application/octet-stream"] * 2 + ["text/html", "text/javascript"]


def test_what_is_put_is_found_under_its_name(storage: Storage) -> None:
    assert (storage.names(), storage.is_empty(), storage.find("a.txt")) == ([], True, None)
    for name, content in {"b/2.txt": b"two", "b/1.txt": b"one", "a.txt": b"", "c/d e/ü%20#.txt": b"odd"}.items():
        storage.put(name, content)
    assert storage.names() == ["a.txt", "b/1.txt", "b/2.txt", "c/d e/ü%20#.txt"]
    assert not storage.is_empty()
    assert storage.names("b/") == storage.names("b") == ["b/1.txt", "b/2.txt"]
    assert (storage.names("b/2"), storage.names("nothing/")) == (["b/2.txt"], [])
    assert storage.get("b/1.txt") == b"one"
    assert storage.get("c/d e/ü%20#.txt") == b"odd"
    storage.put("b/1.txt", b"another")
    assert storage.get("b/1.txt") == b"another"
    storage.delete("b/1.txt")
    storage.delete("b/1.txt")
    assert storage.names("b/") == ["b/2.txt"]
    assert (storage.has("b/1.txt"), storage.has("b/2.txt"), storage.has("b")) == (False, True, False)


def test_a_listing_has_sizes_and_stamps_that_change_with_the_content(storage: Storage) -> None:
    storage.put("a/one", b"1")
    storage.put("a/two", b"22")
    before = storage.list_files("a/")
    assert [(file.name, file.size) for file in before] == [("a/one", 1), ("a/two", 2)]
    storage.put("a/one", b"another")
    after = storage.list_files("a/")
    assert after[0].stamp != before[0].stamp
    assert after[1] == before[1] == storage.find("a/two")


def test_what_is_missing_is_named(storage: Storage) -> None:
    for reading in (storage.get, lambda name: storage.open(name).__enter__()):
        with pytest.raises(FileMissing, match=r"nothing\.txt does not exist") as raised:
            reading("a/nothing.txt")
        assert storage.describe("a/nothing.txt") in str(raised.value)


def test_a_large_file_is_read_by_ranges_and_a_small_one_whole(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytes(range(256)) * 20_000
    storage.put("large", content[:5_000_000])
    for whole_bytes in (8_000_000, 1000):
        monkeypatch.setattr(bucket, "WHOLE_BYTES", whole_bytes)
        with storage.open("large") as file:
            assert file.read(4) == content[:4]
            assert file.seek(-3, 2) == 4_999_997
            assert file.read() == content[4_999_997:5_000_000]
            assert file.seek(2_500_000) == file.tell() == 2_500_000
            assert file.read(300) == content[2_500_000:2_500_300]
            file.seek(0)
            assert file.read() == content[:5_000_000]


def test_threads_of_arrow_hold_no_file_of_python(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    table = PICTURES.empty_table()
    storage.put("one.parquet", to_parquet(table))
    opened, told = pq.ParquetFile, list[tuple[bool, bool]]()

    def note(file: object, **how: Any) -> pq.ParquetFile:
        told.append((isinstance(file, pa.NativeFile), how["pre_buffer"]))
        return opened(file, **how)

    monkeypatch.setattr(pq, "ParquetFile", note)
    for whole_bytes in (8_000_000, 10):
        monkeypatch.setattr(bucket, "WHOLE_BYTES", whole_bytes)
        assert read_parquet(storage, "one.parquet", "pictures").equals(table)
    assert told[0] == (True, True)
    assert told[1][0] == told[1][1]


def test_a_storage_is_pickled_by_its_address(storage: Storage) -> None:
    travelled = pickle.loads(pickle.dumps(storage))
    assert (type(travelled), travelled.address) == (type(storage), storage.address)
    assert SECRET.encode() not in pickle.dumps(storage)


def test_a_lease_is_held_by_one_and_hidden_from_listings(storage: Storage) -> None:
    told, order = list[str](), list[str]()
    begun, done = Event(), Event()

    def tell(holder: str) -> None:
        told.append(holder)
        begun.set()

    def second() -> None:
        with storage.lease("models/a", tell):
            order.append("second")
        done.set()

    with storage.lease("models/a"), storage.lease("models/b"):
        thread = Thread(target=second)
        thread.start()
        assert begun.wait(SECONDS)
        assert storage.names() == []
        order.append("first")
    assert done.wait(SECONDS)
    thread.join()
    assert order == ["first", "second"]
    assert ["process" in holder for holder in told] == [True]
    with storage.lease("models/a", told.append):
        assert len(told) == 1


def _bucket(objects: MemoryStore, seconds: float) -> StorageBucket:
    return StorageBucket(ADDRESS, objects=objects, lease_seconds=seconds)


def test_a_lease_that_is_not_renewed_is_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterpoint.store.leases._GRAIN", 0.0)
    objects, told = MemoryStore(), list[str]()
    killed = _bucket(objects, 0.0).lease("models/a")
    monkeypatch.setattr(Thread, "start", lambda thread: None)  # the process is killed, and renews nothing
    killed.__enter__()
    with _bucket(objects, 1000.0).lease("models/a", told.append):
        assert told == []


def test_a_lease_is_renewed_before_it_expires_and_a_lost_one_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    objects = MemoryStore()
    with _bucket(objects, 0.03).lease("models/a"):
        first = objects.head("models/a/.lease")["e_tag"]
        while objects.head("models/a/.lease")["e_tag"] == first:
            pass
        objects.put("models/a/.lease", b'{"holder": "process 7 on elsewhere", "seconds": 1000}')
        while "was taken over" not in caplog.text:
            pass
    assert b"elsewhere" in bytes(objects.get("models/a/.lease").bytes())


def test_a_store_that_ignores_conditions_is_named_once(
    environ: MutableMapping[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    with small_store(honors_conditions=False) as (server, held):
        _set_environment(environ, server)
        storage = open_storage(ADDRESS)
        for _ in range(2):
            with storage.lease("models/a"):
                storage.put("models/a/part", b"1")
        assert [record.message for record in caplog.records] == [
            f"{ADDRESS} ignores conditional puts, so that two runs of one model do not wait for each other; "
            "no answer is lost, but some may be asked for twice"
        ]
        assert list(held.objects) == ["some/lab/models/a/part"]


def test_a_missing_bucket_is_not_a_missing_file(small_server: type[SmallStore]) -> None:
    with pytest.raises(StoreError, match="there is no bucket nowhere of s3://") as raised:
        open_storage("s3://nowhere/lab")
    assert not isinstance(raised.value, FileMissing)
    assert small_server.requests == ["GET nowhere"]


def test_refused_credentials_are_said_and_not_shown(
    small_server: type[SmallStore], environ: MutableMapping[str, str]
) -> None:
    storage = open_storage(ADDRESS)
    environ["AWS_ACCESS_KEY_ID"] = "another-key"
    for asking in (lambda: open_storage(ADDRESS), lambda: _deny(small_server, storage)):
        with pytest.raises(StoreError, match="refuses the credentials") as raised:
            asking()
        text = f"{raised.value!r} {raised.value.hint} {raised.value.__cause__!r}"
        assert not any(secret in text for secret in (KEY, SECRET, "another-key"))
        assert "AWS_ACCESS_KEY_ID" in raised.value.hint


def _deny(server: type[SmallStore], storage: Storage) -> None:
    server.denies = True
    storage.get("a")


@pytest.mark.parametrize("answers", [False, prove(True)])
def test_a_server_that_does_not_answer_is_said(answers: bool, environ: MutableMapping[str, str]) -> None:
    with socket.socket() as silent:  # takes connections, and replies to none
        silent.bind(("127.0.0.1", 0))
        _set_environment(environ, f"http://127.0.0.1:{silent.getsockname()[1]}")
        if answers:
            silent.listen()
        with pytest.raises(StoreError, match="cannot be opened: the server does not answer") as raised:
            open_storage(ADDRESS)
    assert "AWS_ENDPOINT_URL" in raised.value.hint


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("s3://", "names no bucket"),
        ("ftp://host/lab", "ftp:// is no object store that is known"),
        (f"s3://{KEY}:{SECRET}@bucket/lab", "holds no user, password or port"),
        ("s3://bucket/../lab", "names no bucket and lab"),
    ],
)
def test_an_address_that_cannot_be_is_refused(address: str, message: str) -> None:
    assert is_address(address)
    with pytest.raises(StoreError, match=message) as raised:
        open_storage(address)
    assert SECRET not in str(raised.value)


def test_an_address_is_the_same_however_it_is_written(small_server: type[SmallStore]) -> None:
    places: list[Callable[[str], Path | str]] = [str, lambda address: f"{address}/", Path]
    assert {open_storage(place(ADDRESS)).address for place in places} == {ADDRESS}


def test_drafts_are_of_folders_alone() -> None:
    storage = StorageBucket(ADDRESS, objects=MemoryStore())
    storage.put("a/whole", b"1")
    storage.sweep("a")
    assert storage.list_files() == [StoredFile("a/whole", 1, storage.list_files()[0].stamp)]
