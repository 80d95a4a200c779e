"""A local HTTP server with the chat-completions protocol, and faults on demand.

>>> from urllib.request import urlopen
>>> with ChatServer(models=("small",)) as server:
...     print(urlopen(f"{server.base_url}/models").status)
200
"""

import asyncio
import json
import re
import socket
import struct
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from email.utils import formatdate
from enum import StrEnum
from threading import Thread
from time import time
from typing import Any, Self

from counterpoint.testing.batch_protocol import BatchDesk, BatchState, next_status
from counterpoint.testing.chat_protocol import (
    CHAT_COMPLETIONS,
    ReceivedRequest,
    RequestError,
    models_body,
    packed,
    parse_request,
)
from counterpoint.testing.provider_protocols import PROTOCOLS

Says = Callable[[ReceivedRequest], str]
"""The reply to a request."""


class ServerFault(StrEnum):
    """The faults of one request."""

    BUSY = "429"
    BUSY_FOR = "429 with seconds to wait"
    BUSY_UNTIL = "429 with a date to wait for"
    BROKEN = "500"
    LOADING = "503"
    OVERLOADED = "529"
    REJECTED = "400"
    BLOCKED = "400 of a content filter"
    HANG = "no reply at all"
    HALF = "half a response"
    CUT = "a response in chunks, cut"
    GARBLED = "wrong JSON"
    RESET = "connection reset"
    FILTERED = "a content filter"
    REFUSED = "a refusal"
    EMPTY = "an empty reply"
    LONG = "a reply that is cut off"


STATUS = {
    ServerFault.BUSY: 429,
    ServerFault.BUSY_FOR: 429,
    ServerFault.BUSY_UNTIL: 429,
    ServerFault.BROKEN: 500,
    ServerFault.LOADING: 503,
    ServerFault.OVERLOADED: 529,
    ServerFault.REJECTED: 400,
    ServerFault.BLOCKED: 400,
}
"""Faults that are an error status."""
ENDINGS = {
    ServerFault.FILTERED: "content_filter",
    ServerFault.REFUSED: "refusal",
    ServerFault.EMPTY: "empty",
    ServerFault.LONG: "length",
}
"""Faults that are replies all the same."""


def echo(asked: ReceivedRequest) -> str:
    """The first digits of the picture's digest and the text, so that every query has a reply of its own."""
    return f"{asked.picture[:8]} {asked.words}".strip()


class ChatServer:
    """Replies to each request by a function of it, unless a rule has a fault for it.

    `trouble` gets a request and how often the same was sent before, and returns a fault, or None. `chances` are the
    probabilities of the first token, given on request unless `logprobs` is off; a request with a field that it
    `refuses` is answered by 400. `verbatim` may give the bytes of a whole response, which are sent as they are before
    the connection is closed. Requests are validated strictly and kept in the order of arrival (`received`), counted
    by `ReceivedRequest.key` (`asked`), as are complete replies (`settled`); `busy` is the number in flight, `busiest`
    its maximum. The first requests are held back until `together` of them are in flight. With `listening` off the
    port refuses connections until `listen` is called, as that of a server that still loads its model. `provider` is
    openai, anthropic or google: whose protocol it has. With the first it takes files and batches (`desk`); `batches`
    says which status a batch has when it is looked at (None: it takes none), and `drops` whether the reply to such a
    request is lost.
    """

    def __init__(
        self,
        says: Says = echo,
        trouble: Callable[[ReceivedRequest, int], ServerFault | None] = lambda asked, times: None,
        *,
        provider: str = "openai",
        models: tuple[str, ...] = ("double",),
        key: str = "",
        chances: Callable[[ReceivedRequest], Mapping[str, float]] | None = None,
        logprobs: bool = True,
        refuses: tuple[str, ...] = (),
        verbatim: Callable[[ReceivedRequest], bytes] | None = None,
        batches: Callable[[BatchState], str] | None = next_status,
        drops: Callable[[str, str], bool] = lambda method, path: False,
        together: int = 0,
        pause: float = 0.01,
        listening: bool = True,
        port: int = 0,
    ) -> None:
        self.received: list[ReceivedRequest] = []
        self.asked, self.settled = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        self.busy = self.busiest = 0
        self._says, self._trouble, self._chances = says, trouble, chances
        self._protocol = PROTOCOLS[provider]
        self._models, self._key, self._logprobs, self._refuses = models, key, logprobs, refuses
        self._verbatim, self._drops = verbatim, drops
        self.desk = BatchDesk(self._line_reply, batches or next_status)
        self._takes_batches = batches is not None and self._protocol is CHAT_COMPLETIONS
        self._together, self._pause, self._listening, self._port = together, pause, listening, port
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="chat server", daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()
        self._full = asyncio.Event()
        self._server: asyncio.Server | None = None

    @property
    def base_url(self) -> str:
        """The base URL for clients."""
        return f"http://127.0.0.1:{self._port}{self._protocol.base}"

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def open(self) -> None:
        """Take a port, and listen unless told otherwise."""
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", self._port))  # connections are refused until it listens
        self._port = self._socket.getsockname()[1]
        self._thread.start()
        if self._listening:
            self.listen()

    def listen(self) -> None:
        """Accept connections from now on."""
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()

    def close(self) -> None:
        """Close all connections and the port."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._shut(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._socket.close()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._connected, sock=self._socket)

    async def _shut(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None, "a connection runs in a task"
        self._tasks.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Read one request and reply to it; returns whether the connection stays open."""
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        method, path, _ = first.split(" ", 2)
        self.busy += 1
        self.busiest = max(self.busiest, self.busy)
        try:
            return await self._reply(Connection(reader, writer), method, path, headers, content)
        except RequestError as problem:
            await self._send_error(Connection(reader, writer), problem)
            return True
        finally:
            self.busy -= 1

    async def _reply(
        self, to: "Connection", method: str, target: str, headers: Mapping[str, str], content: bytes
    ) -> bool:
        path, _, query = target.partition("?")
        header, prefix = self._protocol.key
        given = headers.get(header, "").removeprefix(prefix)
        if self._key and given != self._key:  # it repeats the whole key, which a client must not pass on
            fact = f"Incorrect API key provided: {given}"
            raise RequestError(self._protocol.bad_key, fact, code="invalid_api_key")
        if path == "/v1/models" and method == "GET":
            await to.send(200, models_body(self._models))
            return True
        if self._takes_batches and (body := self.desk.respond(method, path, query, headers, content)) is not None:
            if dropped := self._drops(method, path):
                to.reset()
            else:
                await to.send(200, body)
            return not dropped
        match = re.fullmatch(self._protocol.base + self._protocol.path, path)
        if match is None:
            raise RequestError(404, f"there is nothing at {path}")
        if method != "POST":
            raise RequestError(405, f"{method} is not allowed here")
        asked, times = self._take(headers, content, match.groupdict().get("model"))
        if self.busy >= self._together:
            self._full.set()
        await self._full.wait()
        if self._verbatim and (response := self._verbatim(asked)):
            await to.send_bytes(response)
            return False
        return await self._respond(to, asked, self._trouble(asked, times))

    def _take(self, headers: Mapping[str, str], content: bytes, named: str | None) -> tuple[ReceivedRequest, int]:
        """A valid request, and how often the same was sent before."""
        number, refused = len(self.received), self._refuses
        asked = parse_request(self._protocol, number, headers, content, self._models, named=named, refused=refused)
        times = self.asked[asked.key]
        self.asked[asked.key] += 1
        self.received.append(asked)
        return asked, times

    def _line_reply(self, line: Mapping[str, Any]) -> tuple[int, Any] | None:
        """Status and body of the reply to a line of a batch; a fault is an error, or no reply at all."""
        try:
            if (line.get("method"), line.get("url")) != ("POST", "/v1/chat/completions"):
                raise RequestError(400, "a line is a POST to /v1/chat/completions")
            asked, times = self._take({}, packed(line.get("body")), None)
            trouble = self._trouble(asked, times)
            if trouble in STATUS:
                raise _error(trouble)
        except RequestError as problem:
            return problem.status, json.loads(self._protocol.error(problem))
        if trouble is ServerFault.HANG:
            return None
        chances = self._chances(asked) if self._chances else None
        self.settled[asked.key] += 1
        ending = ENDINGS.get(trouble, "stop") if trouble else "stop"
        return 200, json.loads(self._protocol.reply(asked, self._says(asked), ending, chances, self._logprobs))

    async def _respond(self, to: "Connection", asked: ReceivedRequest, trouble: ServerFault | None) -> bool:
        if trouble in STATUS:
            wait = self._pause if trouble is ServerFault.BUSY_FOR else 0.0
            problem = _error(trouble, wait)
            until = formatdate(time() + self._pause, usegmt=True)
            await self._send_error(to, problem, until if trouble is ServerFault.BUSY_UNTIL else "")
            return True
        chances = self._chances(asked) if self._chances else None
        ending = ENDINGS.get(trouble, "stop") if trouble else "stop"
        whole = self._protocol.reply(asked, self._says(asked), ending, chances, self._logprobs)
        match trouble:
            case ServerFault.HANG:
                await to.reader.read()
            case ServerFault.HALF:
                await to.send(200, whole[: len(whole) // 2], length=len(whole))
            case ServerFault.CUT:
                await to.send_chunk(whole)
            case ServerFault.GARBLED:
                await to.send(200, whole[: len(whole) // 2])
                return True
            case ServerFault.RESET:
                to.reset()
            case _:
                self.settled[asked.key] += 1  # before the reply, since its reader may check at once
                await to.send(200, whole)
                return True
        return False

    async def _send_error(self, to: "Connection", problem: RequestError, until: str = "") -> None:
        body = self._protocol.error(problem)
        seconds = f"{problem.wait:g}" if problem.wait and b"retryDelay" not in body else ""
        wait = until or seconds
        await to.send(problem.status, body, {"Retry-After": wait} if wait else None)


def _error(fault: ServerFault, wait: float = 0.0) -> RequestError:
    code = "content_filter" if fault is ServerFault.BLOCKED else ""
    return RequestError(STATUS[fault], f"trouble: {fault}", code=code, wait=wait)


class Connection:
    """Reader and writer of a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self._writer = reader, writer

    async def send(
        self, status: int, body: bytes, headers: Mapping[str, str] | None = None, *, length: int = 0
    ) -> None:
        """Send a response; with a `length` beyond the body, half a response."""
        lines = {"Content-Type": "application/json", "Content-Length": str(length or len(body))} | dict(headers or {})
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self._writer.write(
            f"HTTP/1.1 {status} {'OK' if status == 200 else 'No'}\r\n{head}\r\n".encode("latin-1") + body
        )
        await self._writer.drain()

    async def send_bytes(self, response: bytes) -> None:
        """Send a whole response, with its head."""
        self._writer.write(response)
        await self._writer.drain()

    async def send_chunk(self, body: bytes) -> None:
        """Send the first half of a chunked response."""
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        self._writer.write(head + f"{len(body):x}\r\n".encode() + body[: len(body) // 2])
        await self._writer.drain()

    def reset(self) -> None:
        """Reset the connection, as a crash would."""
        raw: socket.socket = self._writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()
