"""A double of the hub's API: it takes files from `huggingface_hub`, gives them back, and keeps the requests."""

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import unquote

COMMIT = "0" * 40
_FILE = re.compile(r"/datasets/[\w.-]+/[\w.-]+/resolve/[\w.-]+/(.+)")


@dataclass
class HubDouble:
    """What was sent: repositories by the body of the request that made them, files by path, tokens, and addresses."""

    address: str = ""
    created: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)
    paths: list[str] = field(default_factory=list)

    def reply(self, path: str, body: bytes) -> tuple[int, Any]:
        """The status and the body of the reply to a request."""
        self.paths.append(path)
        if self.tokens != {"Bearer hf_right"}:
            return 401, {"error": "Invalid credentials"}
        if path == "/api/repos/create":
            self.created.append(json.loads(body))
            return 200, {"url": f"{self.address}/datasets/me/suite", "name": "me/suite", "id": "1"}
        if "/preupload/" in path:
            sent = json.loads(body)["files"]
            as_text = {"uploadMode": "regular", "shouldIgnore": False}
            return 200, {"files": [{"path": own["path"], **as_text} for own in sent]}
        if "/commit/" in path:
            lines = [json.loads(line) for line in body.splitlines()]
            for line in (line["value"] for line in lines if line["key"] == "file"):
                self.files[line["path"]] = b64decode(line["content"])
            proposed = f"{self.address}/me/model/discussions/1" if "create_pr=1" in path else None
            return 200, {
                "commitUrl": f"{self.address}/me/x/commit/abc",
                "commitOid": "abc",
                "pullRequestUrl": proposed,
            }
        if "/tree/" in path:
            files = [{"type": "file", "path": name, **_description(content)} for name, content in self.files.items()]
            return 200, files
        return 200, {"id": "me/x", "sha": COMMIT, "siblings": [], "errors": [], "warnings": []}

    def file(self, path: str) -> bytes | None:
        """The content of a file, by the path of a request for it."""
        named = _FILE.fullmatch(unquote(path.partition("?")[0]))
        return self.files.get(named[1]) if named else None


def _description(content: bytes) -> dict[str, Any]:
    return {"size": len(content), "oid": sha1(content, usedforsecurity=False).hexdigest()}


@contextmanager
def hub_double() -> Iterator[HubDouble]:
    """A hub on a free port of this machine, until the end of the block."""
    hub = HubDouble()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # as the server calls it
            hub.tokens.add(self.headers.get("authorization", ""))
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, reply = hub.reply(self.path, body)
            self._send(status, json.dumps(reply).encode(), "application/json")

        def do_GET(self) -> None:
            content = hub.file(self.path)
            if content is None:
                self.do_POST()
            else:
                self._send(200, content, "application/octet-stream")

        def do_HEAD(self) -> None:
            self.do_GET()

        def _send(self, status: int, content: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.send_header("x-repo-commit", COMMIT)
            self.send_header("etag", f'"{_description(content)["oid"]}"')
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.address = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
