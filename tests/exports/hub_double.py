"""A double of the hub's API: it takes files as `huggingface_hub` sends them, and keeps the requests."""

import json
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass
class HubDouble:
    """What was sent: repositories by the body of the request that made them, files by path, tokens, and addresses."""

    address: str = ""
    created: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)
    paths: list[str] = field(default_factory=list)

    def reply(self, path: str, body: bytes) -> tuple[int, dict[str, Any]]:
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
        return 200, {"id": "me/x", "sha": "0" * 40, "siblings": [], "errors": [], "warnings": []}


@contextmanager
def hub_double() -> Iterator[HubDouble]:
    """A hub on a free port of this machine, until the end of the block."""
    hub = HubDouble()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # as the server calls it
            hub.tokens.add(self.headers.get("authorization", ""))
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, reply = hub.reply(self.path, body)
            content = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            self.do_POST()

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
