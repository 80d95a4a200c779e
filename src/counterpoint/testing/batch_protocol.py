"""The server side of OpenAI's batches: files, batches, and the lines of their results."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from typing import Any

from counterpoint.testing.chat_protocol import RequestError, packed

LIVES = ("validating", "in_progress", "finalizing", "completed")
CREATED = 1_700_000_000


@dataclass(slots=True)
class BatchState:
    """A batch: its id, its file, how often its status was requested, and what it came to."""

    id: str
    file: str
    lines: list[bytes]
    looks: int = 0
    status: str = "validating"
    output: str = ""  # the ids of the files of replies and of errors
    errors: str = ""


def next_status(batch: BatchState) -> str:
    """One step at each look, to the end."""
    return LIVES[min(batch.looks, len(LIVES) - 1)]


LineReply = Callable[[Mapping[str, Any]], tuple[int, Any] | None]
"""Status and body of the reply to a line; None where there is none."""


@dataclass(slots=True)
class BatchDesk:
    """Takes files and batches; `decide` says which status a batch has when it is looked at.

    A batch that is completed has a reply to each line, in reverse order; one that is expired or cancelled to the first
    half of them; one that failed to none.
    """

    reply: LineReply
    decide: Callable[[BatchState], str] = next_status
    files: dict[str, bytes] = field(default_factory=dict)
    batches: list[BatchState] = field(default_factory=list)

    def respond(self, method: str, path: str, query: str, headers: Mapping[str, str], content: bytes) -> bytes | None:
        """The body of the response; None where the path is another; RequestError where the request is wrong."""
        if (method, path) == ("POST", "/v1/files"):
            return self._take_file(headers, content)
        if (method, path) == ("POST", "/v1/batches"):
            return packed(self._shown(self.open(json.loads(content))))
        if (method, path) == ("GET", "/v1/batches"):
            return self._listed(dict(part.split("=", 1) for part in query.split("&") if "=" in part))
        if method == "GET" and (match := re.fullmatch(r"/v1/files/([^/]+)/content", path)):
            if match[1] not in self.files:
                raise RequestError(404, f"No such File object: {match[1]}")
            return self.files[match[1]]
        if method == "GET" and (match := re.fullmatch(r"/v1/batches/([^/]+)", path)):
            return packed(self._shown(self._look(match[1])))
        return None

    def _take_file(self, headers: Mapping[str, str], content: bytes) -> bytes:
        form = message_from_bytes(f"Content-Type: {headers.get('content-type', '')}\r\n\r\n".encode() + content)
        parts = {part.get_param("name", header="content-disposition"): part for part in form.walk()}
        if "file" not in parts or "purpose" not in parts:
            raise RequestError(400, "a form with purpose and file is expected")
        if parts["purpose"].get_payload(decode=True) != b"batch":
            raise RequestError(400, "the purpose is batch", param="purpose")
        file, name = parts["file"].get_payload(decode=True), f"file-{len(self.files):04}"
        assert isinstance(file, bytes), "a part that is no form has bytes"
        self.files[name] = file
        about = {"id": name, "object": "file", "bytes": len(file), "created_at": CREATED, "status": "processed"}
        return packed({**about, "filename": parts["file"].get_filename(), "purpose": "batch"})

    def open(self, body: Mapping[str, Any]) -> BatchState:
        """A new batch."""
        if body.get("endpoint") != "/v1/chat/completions" or body.get("completion_window") != "24h":
            raise RequestError(400, "endpoint and completion_window are /v1/chat/completions and 24h")
        if body.get("input_file_id") not in self.files:
            raise RequestError(400, f"No such File object: {body.get('input_file_id')}", param="input_file_id")
        lines = self.files[body["input_file_id"]].splitlines()
        self.batches.append(BatchState(f"batch_{len(self.batches):04}", body["input_file_id"], lines))
        return self.batches[-1]

    def _listed(self, parameters: Mapping[str, str]) -> bytes:
        latest = self.batches[::-1]
        names = [batch.id for batch in latest]
        start = names.index(parameters["after"]) + 1 if "after" in parameters else 0
        limit = int(parameters.get("limit", "20"))
        page = [self._shown(batch) for batch in latest[start : start + limit]]
        return packed({"object": "list", "data": page, "has_more": start + limit < len(latest)})

    def _look(self, name: str) -> BatchState:
        for batch in self.batches:
            if batch.id == name:
                if batch.status not in ("completed", "failed", "expired", "cancelled"):
                    batch.status = self.decide(batch)
                    batch.looks += 1
                    self._work(batch)
                return batch
        raise RequestError(404, f"No batch found with id '{name}'.")

    def _work(self, batch: BatchState) -> None:
        """Write the files of a batch that has ended."""
        if batch.status not in ("completed", "expired", "cancelled"):
            return
        whole = batch.status == "completed"
        count = len(batch.lines) if whole else len(batch.lines) // 2
        done = list(self._results(batch.lines[:count]))[::-1]
        late = {"code": f"batch_{batch.status}", "message": "This request could not be executed in time."}
        done += [
            (False, {"custom_id": json.loads(line)["custom_id"], "response": None, "error": late})
            for line in batch.lines[count:]
        ]
        for good, kind in ((True, "output"), (False, "errors")):
            lines = [packed({"id": f"batch_req_{n}", **line}) for n, (fine, line) in enumerate(done) if fine is good]
            if lines:
                name = f"file-{batch.id}-{kind}"
                self.files[name] = b"".join(line + b"\n" for line in lines)
                setattr(batch, kind, name)

    def _results(self, lines: list[bytes]) -> Iterator[tuple[bool, dict[str, Any]]]:
        for line in map(json.loads, lines):
            if (reply := self.reply(line)) is not None:
                response = {"status_code": reply[0], "request_id": f"req_{line['custom_id']}", "body": reply[1]}
                yield reply[0] == 200, {"custom_id": line["custom_id"], "response": response, "error": None}

    def _shown(self, batch: BatchState) -> dict[str, Any]:
        errors = {"object": "list", "data": [{"code": "invalid", "message": "the file is refused", "line": 1}]}
        return {
            "id": batch.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "errors": errors if batch.status == "failed" else None,
            "input_file_id": batch.file,
            "completion_window": "24h",
            "status": batch.status,
            "output_file_id": batch.output or None,
            "error_file_id": batch.errors or None,
            "created_at": CREATED,
            "request_counts": {"total": len(batch.lines), "completed": 0, "failed": 0},
            "metadata": None,
        }
