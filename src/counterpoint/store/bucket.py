"""Storage in a bucket of an object store; credentials come from the environment alone and reach no message."""

import io
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from mimetypes import guess_type
from typing import TYPE_CHECKING, Any, BinaryIO, Self, cast

import pyarrow as pa

from counterpoint.core.errors import StoreError
from counterpoint.core.extras import install_command
from counterpoint.store.leases import LEASE_SECONDS, ObjectLease
from counterpoint.store.storage import SCHEMES, FileMissing, StoredFile

if TYPE_CHECKING:
    from obstore.store import ObjectStore

WHOLE_BYTES = 8_000_000
"""Up to this size a file is fetched whole; of a larger one, only the ranges that are read."""
RETRY_SECONDS = 120.0
"""So long a request is tried again while the server does not answer."""
PROBE_SECONDS = 2.0
"""So long a server may take to answer the first request."""
_RANGE_BYTES = 1 << 20  # at least, of one request for a part of a file
_CODE = re.compile(r"<Code>(\w+)</Code>")  # of an S3 error
_STATUS = re.compile(r"status code: (\d{3})")
_REFUSALS = (
    "AccessDenied",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "ExpiredToken",
    "InvalidToken",
    "401",
    "403",
)
_VARIABLES = {
    "s3": "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and, for a server of one's own, AWS_ENDPOINT_URL",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
}

logger = logging.getLogger("counterpoint")


class StorageBucket:
    """Bytes by name below an address such as `s3://bucket/lab`. A put is one request, and whole or absent.

    `objects` is the client, by default the one that the address and the environment give.
    """

    part_seconds = 10.0

    def __init__(
        self, address: str, *, objects: "ObjectStore | None" = None, lease_seconds: float = LEASE_SECONDS
    ) -> None:
        self.scheme, self.bucket, self._prefix = _parse_address(address)
        place = self.scheme, self.bucket, self._prefix
        self._patient, self._hasty = (objects or _client(*place, seconds) for seconds in (RETRY_SECONDS, PROBE_SECONDS))
        self._is_away = False  # whether the server did not answer a request that was tried again and again
        self._lease_seconds = lease_seconds
        self._is_honored: bool | None = None  # whether the store honors conditional puts, once that is known

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self.address,)

    def __repr__(self) -> str:
        return f"StorageBucket({self.address!r})"

    @property
    def _objects(self) -> "ObjectStore":
        """The client; while the server is away it gives up at once, so that a run that has waited once can end."""
        return self._hasty if self._is_away else self._patient

    @property
    def address(self) -> str:
        """The address, without a slash at its end."""
        return f"{self.scheme}://{'/'.join(filter(None, (self.bucket, self._prefix)))}"

    def describe(self, name: str = "") -> str:
        """The address of a name."""
        return f"{self.address}/{name}" if name else self.address

    def probe(self) -> None:
        """Raise StoreError if the bucket does not exist, refuses the credentials, or cannot be reached, within 3 s."""
        with self._translated_errors("", "opened"):
            self._hasty.list(offset="\U0010ffff").collect()  # a page that has nothing on it

    def put(self, name: str, content: bytes) -> None:
        """Write an object: a reader finds all of it or nothing."""
        with self._translated_errors(name, "written"):
            self._objects.put(name, content, attributes={"Content-Type": _media_type(name)})

    def get(self, name: str) -> bytes:
        """The bytes of an object."""
        with self._translated_errors(name, "read"):
            return bytes(self._objects.get(name).bytes())

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """An object for partial reads."""
        with self._translated_errors(name, "read"):
            result = self._objects.get(name)  # the body is fetched when it is asked for
            size = result.meta["size"]
            file: Any = _in_memory(memoryview(result.bytes())) if size <= WHOLE_BYTES else None
        with file or io.BufferedReader(_ObjectFile(self, name, size), _RANGE_BYTES) as opened:
            yield cast("BinaryIO", opened)

    def read_range(self, name: str, start: int, stop: int) -> bytes:
        """Some bytes of an object."""
        with self._translated_errors(name, "read"):
            return bytes(self._objects.get_range(name, start=start, end=stop))

    def list_files(self, prefix: str = "") -> list[StoredFile]:
        """The objects with this prefix, sorted by name, without leases; the stamp is the entity tag."""
        folder = prefix.rpartition("/")[0]
        with self._translated_errors(folder, "listed"):
            listed = self._objects.list(prefix=folder or None).collect()
        files = (StoredFile(meta["path"], meta["size"], _stamp(meta)) for meta in listed)
        kept = (file for file in files if file.name.startswith(prefix) and not re.search(r"(^|/)\.", file.name))
        return sorted(kept, key=lambda file: file.name)

    def names(self, prefix: str = "") -> list[str]:
        """The names with this prefix, sorted, without leases."""
        return [file.name for file in self.list_files(prefix)]

    def find(self, name: str) -> StoredFile | None:
        """The object of this name, as a listing has it; None if there is none."""
        try:
            with self._translated_errors(name, "read"):
                meta = self._objects.head(name)
        except FileMissing:
            return None
        return StoredFile(name, meta["size"], _stamp(meta))

    def has(self, name: str) -> bool:
        """Whether there is an object of this name."""
        return self.find(name) is not None

    def is_empty(self) -> bool:
        """Whether there is nothing below the address."""
        with self._translated_errors("", "listed"):
            return not any(self._objects.list(chunk_size=1))

    def delete(self, name: str) -> None:
        """Remove an object; a missing one is no error."""
        try:
            with self._translated_errors(name, "deleted"):
                self._objects.delete(name)
        except FileMissing:
            pass

    def sweep(self, folder: str, seconds: float = 0.0) -> None:
        """Nothing: a put leaves no draft."""

    @contextmanager
    def lease(self, folder: str, waiting: Callable[[str], None] = lambda holder: None) -> Iterator[None]:
        """Hold the lease of a folder, an object that is renewed while it is held and expires if it is not."""
        lease = ObjectLease(lambda: self._objects, f"{folder}/.lease", self.describe(folder), self._lease_seconds)
        with self._translated_errors(f"{folder}/.lease", "leased"):
            honored = lease.acquire(waiting, is_honored=self._is_honored)
        if not honored and self._is_honored is None:
            logger.warning(
                "%s ignores conditional puts, so that two runs of one model do not wait for each other; "
                "no answer is lost, but some may be asked for twice",
                self.address,
            )
        self._is_honored = honored
        try:
            yield
        finally:
            lease.release()

    @contextmanager
    def _translated_errors(self, name: str, action: str) -> Iterator[None]:
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, OSError, ValueError) as problem:
            # the text of the error may hold a key, an account or a signed address, so that only its code is told
            raise self._error(name, action, str(problem), isinstance(problem, FileNotFoundError)) from None
        self._is_away = False

    def _error(self, name: str, action: str, text: str, is_missing: bool) -> StoreError:
        code = next((found[1] for form in (_CODE, _STATUS) if (found := form.search(text))), "")
        if code in ("NoSuchBucket", "ContainerNotFound"):
            fact = f"there is no bucket {self.bucket} of {self.scheme}://"
            return StoreError(fact, hint="make the bucket first, or check its name and AWS_ENDPOINT_URL")
        if code in _REFUSALS:
            fact = f"{self.describe(name)} cannot be {action}: the server refuses the credentials ({code})"
            return StoreError(fact, hint=f"the environment has them: {_VARIABLES[self.scheme]}")
        if is_missing:
            return FileMissing(f"{self.describe(name)} does not exist", hint="check the address, or make it anew")
        if code:
            fact = f"{self.describe(name)} cannot be {action}: the server answers {code}"
            return StoreError(fact, hint="what was stored before is whole")
        self._is_away = "error sending request" in text or "timed out" in text
        problem = "does not answer" if self._is_away else "answers otherwise"
        fact = f"{self.describe(name)} cannot be {action}: the server {problem}"
        return StoreError(fact, hint=f"check the network and the environment: {_VARIABLES[self.scheme]}")


def _in_memory(content: memoryview) -> pa.NativeFile:
    """Bytes as a file of Arrow's own kind, in its own memory."""
    held = pa.allocate_buffer(content.nbytes)
    memoryview(held).cast("B")[:] = content.cast("B")
    return pa.BufferReader(held)


class _ObjectFile(io.RawIOBase):
    """A large object as a file; each read is a request for a range."""

    def __init__(self, bucket: StorageBucket, name: str, size: int) -> None:
        self._bucket, self._name, self._size, self._place = bucket, name, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._place = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        return self._place

    def readinto(self, buffer: Any) -> int:
        content = self._read(self._place + len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def readall(self) -> bytes:
        return self._read(self._size)

    def _read(self, stop: int) -> bytes:
        stop = min(stop, self._size)
        content = self._bucket.read_range(self._name, self._place, stop) if stop > self._place else b""
        self._place += len(content)
        return content


def _parse_address(address: str) -> tuple[str, str, str]:
    """The scheme, the bucket and the prefix of an address."""
    scheme, _, rest = address.partition(":")
    bucket, _, prefix = rest.lstrip("/").partition("/")
    known = ", ".join(f"{name}://BUCKET/LAB" for name in SCHEMES)
    if scheme not in SCHEMES:
        raise StoreError(f"{scheme}:// is no object store that is known", hint=f"a folder, or an address: {known}")
    if "@" in bucket or ":" in bucket:
        fact = f"the address of a bucket holds no user, password or port: {scheme}://…"
        raise StoreError(fact, hint=f"credentials come from the environment: {_VARIABLES[scheme]}")
    parts = [part for part in prefix.split("/") if part]
    if not bucket or any(part.startswith(".") for part in parts):
        raise StoreError(f"{address} names no bucket and lab", hint=f"it looks like {scheme}://BUCKET/LAB")
    return scheme, bucket, "/".join(parts)


def _client(scheme: str, bucket: str, prefix: str, seconds: float) -> "ObjectStore":
    """A client whose requests are tried again for so many seconds, with what the environment says."""
    try:
        from obstore import store
    except ImportError:
        fact = f"{scheme}://{bucket} is read by obstore, which is not installed"
        raise StoreError(fact, hint=install_command("s3")) from None
    kinds: dict[str, Any] = {"s3": store.S3Store, "gs": store.GCSStore, "az": store.AzureStore}
    once = seconds <= PROBE_SECONDS
    client = {"connect_timeout": f"{PROBE_SECONDS:g}s", "timeout": f"{PROBE_SECONDS if once else 60:g}s"}
    retries = {"max_retries": 0 if once else 100, "retry_timeout": timedelta(seconds=seconds)}
    options = {"client_options": client | {"allow_http": True}, "retry_config": retries}
    made: ObjectStore = kinds[scheme](bucket, prefix=prefix or None, **options)
    return made


def _media_type(name: str) -> str:
    """What a browser shows a file as, by its name."""
    kind, compressed = guess_type(name)
    return kind if kind and not compressed else "application/octet-stream"


def _stamp(meta: Any) -> str:
    return str(meta["e_tag"] or meta["last_modified"].isoformat())
