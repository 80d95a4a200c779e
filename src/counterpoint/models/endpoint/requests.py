"""A server, one HTTP request to it, and what its response means for the next one."""

import json
import re
import ssl
import zlib
from asyncio import get_running_loop, timeout
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from socket import gaierror
from time import monotonic
from typing import Any, TypeVar
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

import httpx2

from counterpoint.core.costs import Usage
from counterpoint.core.errors import ModelError, ModelUnreachable
from counterpoint.models.endpoint.completions import (
    ErrorReport,
    Json,
    MalformedReply,
    Reply,
    read_error,
    shorten,
)
from counterpoint.models.endpoint.providers import OPENAI, Provider
from counterpoint.models.endpoint.redaction import Redactor
from counterpoint.models.endpoint.scheduler import RetryableError, ServerState, remaining_requests, retry_after

T = TypeVar("T")
_SECRET_NAMES = re.compile(r"key|token|secret|sig|pass", re.IGNORECASE)
RETRY_STATUSES = {408, 409, 425, 429}
"""Client errors that are worth a retry; those of the server always are."""
LOADING_STATUSES = {502, 503, 504}
"""What a proxy says while the server behind it still loads its model."""
FATAL_STATUSES = {
    401: "set {key} to a key that this server knows",
    402: "the account behind {key} has to be paid for",
    403: "the key in {key} may not use this model here",
    404: "check the name of the model, and the base URL{version}",
    405: "check the base URL{version}",
    407: "set the name and password of the proxy in HTTPS_PROXY",
}
"""Statuses that every request would get, each with a hint."""
FATAL_CODES = {"insufficient_quota": 402, "API_KEY_INVALID": 401, "FAILED_PRECONDITION": 403}
"""Codes of errors that every request would get, under a status that says less, and the one that says it."""
FATAL_MESSAGES = {"credit balance is too low": 402}
"""The same where nothing but the message tells."""
_NOT_SUPPORTED = "is not supported"  # as llama.cpp says of pictures, under status 500
_CHARSETS = re.compile(r"iso-?8859|latin|windows-|cp\d|utf-(?:16|32)|gb|big5|shift|euc-|koi8", re.IGNORECASE)
_WEB_PAGE = re.compile(r"\s{0,64}<(?:!doctype html|html)", re.IGNORECASE)
MAX_RETRY_AFTER = 900.0
"""Seconds; a server that asks for a longer wait ends the run."""
CONNECT_SECONDS = 30.0
"""How long a connection attempt may take; at most half of the time of a request, which else may be over before."""
SHOWN_CHARACTERS = 10_000
"""Characters of a message of the server that are looked at; the first few hundred are shown."""
CHUNK_BYTES = 2**20
"""The most bytes that are decompressed at a time."""
REQUESTS_PER_CLIENT = 4
"""Requests at a time that an HTTP client sends."""
MAX_REPLY_BYTES = 32 * 2**20
"""The longest body of a response, decompressed: the log-probabilities of a reply of some ten thousand tokens."""


@dataclass(frozen=True, slots=True)
class Server:
    """An address, with credentials that are in no output, log or file.

    >>> Server.of("", {"OPENAI_BASE_URL": "http://me:open sesame@127.0.0.1:8000/v1/"})
    Server(address='http://127.0.0.1:8000/v1')
    """

    address: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: str = field(default="", repr=False)  # the query string of the URL: an API version, or another kind of key
    redact: Callable[[str], str] = field(default=str, repr=False)  # hides the credentials, which some servers repeat
    provider: Provider = field(default=OPENAI, repr=False)

    @classmethod
    def of(cls, base_url: str, environment: Mapping[str, str], provider: Provider = OPENAI) -> "Server":
        """The server at an address, else at that of the environment, else the provider's, with the key, if any.

        A URL given as a setting is stored with the run and may hold no secret; one in the environment may.
        """
        given = (base_url or environment.get(provider.url_variable, "") or provider.url).strip()
        variable, key = provider.key(environment)
        if not (key.isascii() and key.isprintable()):
            raise ModelError(
                f"{variable} holds characters that no key has",
                hint="set it again, without line breaks and typographic quotes",
            )
        parts, host, login = _split_url(given, provider)
        if base_url and (login or _SECRET_NAMES.search(parts.query)):
            raise ModelError(
                f"the base URL at {host} holds a secret, which would be stored with the run",
                hint=f"put the whole URL into {provider.url_variable}, or a key into {provider.key_variable}",
            )
        address = urlunsplit((parts.scheme, host, provider.base_path(parts.path), "", ""))
        headers, secrets = dict(provider.headers), [key, parts.query]
        if key:
            name, value = provider.key_header
            headers[name] = value.format(key=key)
        if login:
            encoded = b64encode(login.encode()).decode("ascii")
            headers["Authorization"] = f"Basic {encoded}"
            secrets += [encoded, login, login.partition(":")[2]]
        return cls(address, headers, parts.query, Redactor(secrets), provider)

    def url(self, path: str) -> str:
        """The URL of a request."""
        return f"{self.address}/{path}" + (f"{'&' if '?' in path else '?'}{self.query}" if self.query else "")


def _split_url(given: str, provider: Provider) -> tuple[SplitResult, str, str]:
    """A URL in its parts, its host without a login, and the login; an invalid one is not repeated in the error."""
    hint = f"it looks like {provider.url} or http://127.0.0.1:8000/v1"
    try:
        parts = urlsplit(given)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise ModelError("the base URL of the server is no web address", hint=hint)
    login, _, host = parts.netloc.rpartition("@")
    return parts, host, unquote(login)


class RequestRejected(Exception):  # noqa: N818 - it reads as what it says
    """The server refuses this request, however often it is sent."""


class RequestFiltered(RequestRejected):
    """A content filter of the server refuses this request, or withholds the reply."""


class ResourceMissing(RequestRejected):
    """There is nothing at the path of a request."""


async def read_limited(response: httpx2.Response) -> bytes:
    """The body of a response, decompressed as it arrives; RequestRejected where it is longer than MAX_REPLY_BYTES."""
    body = bytearray()
    async for chunk in _decompressed(response):
        body += chunk
        if len(body) > MAX_REPLY_BYTES:
            raise RequestRejected(f"the reply is longer than {MAX_REPLY_BYTES // 2**20} MiB")
    return bytes(body)


def decode_body(content: bytes, charset: str | None = None) -> str:
    """The text of a body: UTF-8, as JSON is, or where it is not, in the charset that the server declares.

    Charsets of texts alone are taken, since Python has others, such as punycode, that are slow on long bodies.

    >>> decode_body("Sí".encode()), decode_body("Sí".encode(), "iso-8859-1"), decode_body(b"S\\xed", "iso-8859-1")
    ('Sí', 'Sí', 'Sí')
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        known = charset if charset and _CHARSETS.match(charset) else "utf-8"
    try:
        return content.decode(known, "replace")
    except LookupError:
        return content.decode("utf-8", "replace")


async def _read_lines(response: httpx2.Response) -> AsyncIterator[bytes]:
    """The lines of a body of any length; RequestRejected where one is longer than MAX_REPLY_BYTES."""
    rest = bytearray()
    async for chunk in _decompressed(response):
        *lines, last = chunk.split(b"\n")
        for line in lines:
            yield bytes(rest) + line
            rest.clear()
        rest += last
        if len(rest) > MAX_REPLY_BYTES:
            raise RequestRejected(f"a line is longer than {MAX_REPLY_BYTES // 2**20} MiB")
    if rest:
        yield bytes(rest)


async def _decompressed(response: httpx2.Response) -> AsyncIterator[bytes]:
    """The body of a response in chunks of at most CHUNK_BYTES, or as they arrive where it is not compressed."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", "x-gzip", "deflate"):
        raise RequestRejected("the reply is compressed in a way that was not offered")
    decoder = None if encoding == "identity" else zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    async for chunk in response.aiter_raw():
        rest = chunk
        while decoder and rest:
            try:
                piece = decoder.decompress(rest, CHUNK_BYTES)
            except zlib.error:
                raise RetryableError("the reply is no valid gzip stream") from None
            rest = decoder.unconsumed_tail
            yield piece
        if decoder is None:
            yield chunk


class ClientPool:
    """HTTP clients, each for a few requests at a time, since a client looks at all its connections for each request."""

    def __init__(self, clients: Sequence[httpx2.AsyncClient]) -> None:
        self._free = [client for client in clients for _ in range(REQUESTS_PER_CLIENT)]

    @contextmanager
    def lend(self) -> Iterator[httpx2.AsyncClient]:
        """A client for one request, the one last used first, whose connections are open."""
        client = self._free.pop()
        try:
            yield client
        finally:
            self._free.append(client)


class Endpoint:
    """Sends requests and updates the state of the server: its rate limit, and whether it can be reached."""

    def __init__(
        self,
        server: Server,
        state: ServerState,
        *,
        seconds: float,
        concurrency: int,
        model: str = "",
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._server, self._state, self._seconds, self._clock = server, state, seconds, clock
        self._url = httpx2.URL(server.url(server.provider.request_path(model)))  # parsed once
        self._limits = httpx2.Limits(max_connections=None, max_keepalive_connections=concurrency)
        self._clients = -(-concurrency // REQUESTS_PER_CLIENT)

    @asynccontextmanager
    async def clients(self) -> AsyncIterator["ClientPool"]:
        """As many HTTP clients as the concurrency needs."""
        async with AsyncExitStack() as stack:
            yield ClientPool([await stack.enter_async_context(self.client()) for _ in range(self._clients)])

    def client(self) -> httpx2.AsyncClient:
        """An HTTP client, which the caller closes."""
        timeouts = httpx2.Timeout(None, connect=self._connect_seconds)
        headers = {"Accept-Encoding": "gzip"} | dict(self._server.headers)
        trusted = _ssl_context(self._url.scheme == "https")
        return httpx2.AsyncClient(headers=headers, timeout=timeouts, limits=self._limits, verify=trusted)

    async def post(
        self, client: httpx2.AsyncClient, body: Json, interpret: Callable[[Reply], T], worker: Executor | None = None
    ) -> T:
        """What `interpret` makes of the reply to one request; it runs in a worker, so that other replies are read.

        Raises RetryableError, RequestRejected, ModelUnreachable or BudgetExhausted where there is none.
        """
        self._state.count_request()
        try:
            return await self._exchange(client, body, interpret, worker)
        finally:
            self._state.in_flight -= 1

    async def _exchange(
        self, client: httpx2.AsyncClient, body: Json, interpret: Callable[[Reply], T], worker: Executor | None
    ) -> T:
        sent = self._clock()
        response, content = await self._response(client, body, sent)
        charset = response.charset_encoding
        if not response.is_success:
            self._raise_for_status(response, decode_body(content, charset), sent)
        self._mark_answered()
        try:
            usage, result = await get_running_loop().run_in_executor(
                worker, self._interpreted, content, interpret, charset
            )
            self._state.count_reply(usage)  # no await follows before it is out of flight, so it counts once
            if isinstance(result, MalformedReply):
                raise result
        except MalformedReply as problem:
            raise self._malformed(str(problem), sent) from None
        self._state.limiter = self._state.limiter.after_answer(remaining_requests(response.headers))
        return result

    def _malformed(self, text: str, sent: float) -> Exception:
        """What a reply that is none means; some servers tell an error under the status of success."""
        error = read_error(text)
        if error.is_filtered:
            return RequestFiltered(self.show(error.message))
        if error.code in ("401", "402"):
            fact = f"{self._server.address} says {error.code}: {self.show(error.message)}"
            return ModelUnreachable(fact, hint=self._hint(int(error.code)))
        if not self._state.cost and _WEB_PAGE.match(text):  # once a reply was whole, a page is a fault of the moment
            return ModelUnreachable(
                f"{self._server.address} returns a web page: {self.show(text)}", hint=self._hint(405)
            )
        if error.code == "429":
            self._slow_down(sent)
        return RetryableError(f"the reply is no chat completion: {self.show(text) or 'it is empty'}")

    async def call(self, client: httpx2.AsyncClient, method: str, path: str, **content: Any) -> Json:
        """The JSON object that any other request returns; raises as `post` does, and ResourceMissing."""
        sent = self._clock()
        with self._translated_errors(sent):
            async with client.stream(method, self._server.url(path), timeout=self._idle, **content) as response:
                text = decode_body(await read_limited(response), response.charset_encoding)
        self._require_success(response, text, sent)
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise RetryableError(f"the reply is no JSON object: {self.show(text) or 'it is empty'}")
        return body

    async def lines(self, client: httpx2.AsyncClient, path: str) -> AsyncGenerator[bytes, None]:
        """The lines of a file, as they arrive; raises as `call` does."""
        sent = self._clock()
        with self._translated_errors(sent):
            async with client.stream("GET", self._server.url(path), timeout=self._idle) as response:
                if not response.is_success:
                    text = decode_body(await read_limited(response), response.charset_encoding)
                    self._require_success(response, text, sent)
                self._mark_answered()
                async for line in _read_lines(response):
                    yield line

    @property
    def address(self) -> str:
        """The base URL, without credentials."""
        return self._server.address

    @property
    def _idle(self) -> httpx2.Timeout:
        """How long a transfer of any length may stand still."""
        return httpx2.Timeout(self._seconds, connect=self._connect_seconds)

    @property
    def _connect_seconds(self) -> float:
        return min(self._seconds / 2, CONNECT_SECONDS)

    def _require_success(self, response: httpx2.Response, text: str, sent: float) -> None:
        if response.status_code == 404:
            self._mark_answered()
            raise ResourceMissing(f"the server says 404: {self.show(read_error(text).message)}")
        if not response.is_success:
            self._raise_for_status(response, text, sent)
        self._mark_answered()

    def read(self, content: bytes, interpret: Callable[[Reply], T]) -> T:
        """What `interpret` makes of the reply in the body of a response, without credentials; its tokens count."""
        usage, result = self._interpreted(content, interpret)
        self._state.count_reply(usage)
        if isinstance(result, MalformedReply):
            raise result
        return result

    def _interpreted(
        self, content: bytes, interpret: Callable[[Reply], T], charset: str | None = None
    ) -> tuple[Usage | None, T | MalformedReply]:
        """The tokens of a reply, and what `interpret` makes of it; nothing of the state is touched."""
        reply, redact = self._server.provider.read_reply(decode_body(content, charset)), self._server.redact
        try:
            return reply.usage, interpret(replace(reply, text=redact(reply.text), reason=self.show(reply.reason)))
        except MalformedReply as problem:
            return reply.usage, problem

    def show(self, text: str) -> str:
        """The beginning of a text of the server, without credentials."""
        return shorten(self._server.redact(text[:SHOWN_CHARACTERS]))

    async def _response(self, client: httpx2.AsyncClient, body: Json, sent: float) -> tuple[httpx2.Response, bytes]:
        content, headers = json.dumps(body).encode("ascii"), {"Content-Type": "application/json"}
        with self._translated_errors(sent):
            async with (
                timeout(self._seconds),
                client.stream("POST", self._url, content=content, headers=headers) as response,
            ):
                return response, await read_limited(response)

    @contextmanager
    def _translated_errors(self, sent: float) -> Iterator[None]:
        """Errors of the connection as what they mean for the next request."""
        try:
            yield
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as problem:
            raise self._connection_error(_root_cause(problem), sent) from None
        except TimeoutError:
            self._slow_down(sent)
            raise RetryableError(f"no reply within {self._seconds:g} s") from None
        except httpx2.RequestError as problem:
            self._slow_down(sent)
            raise RetryableError(f"the connection broke off ({type(problem).__name__})") from None
        except RequestRejected:
            self._mark_answered()
            raise

    def _connection_error(self, problem: BaseException, sent: float) -> Exception:
        """A wrong host name or a bad certificate is final; a server that does not listen yet may come up."""
        reason = self.show(str(problem)) or type(problem).__name__
        fact = f"{self._server.address} cannot be reached: {reason}"
        if isinstance(problem, gaierror | ssl.SSLCertVerificationError) and not self._state.has_answered:
            return ModelUnreachable(fact, hint="check the base URL, the network and the certificates")
        return self._mark_down(fact, sent)

    def _mark_down(self, fact: str, sent: float) -> RetryableError:
        self._state.down_since = sent if self._state.down_since is None else self._state.down_since
        self._slow_down(sent)
        return RetryableError(fact, unreachable=True)

    def _mark_answered(self) -> None:
        self._state.has_answered, self._state.down_since = True, None

    def _raise_for_status(self, response: httpx2.Response, text: str, sent: float) -> None:
        """Raise what a response without success means."""
        status, error = response.status_code, read_error(text)
        message = self.show(error.message) or self.show(response.reason_phrase)
        fact = f"{self._server.address} says {status}: {message}"
        if status in LOADING_STATUSES and not self._state.has_answered:
            raise self._mark_down(fact, sent)
        self._mark_answered()
        if response.is_redirect:
            raise ModelUnreachable(fact, hint="it has moved; give its new address as the base URL")
        if error.is_filtered and status < 500:
            raise RequestFiltered(message)
        if meaning := _fatal_status(status, error):
            raise ModelUnreachable(fact, hint=self._hint(meaning))
        if (status not in RETRY_STATUSES and status < 500) or _NOT_SUPPORTED in message:
            raise RequestRejected(f"the server says {status}: {message}")
        wait = retry_after(response.headers, datetime.now(UTC)) or error.wait
        if wait > MAX_RETRY_AFTER:
            hint = "the answers so far are kept; run again then"
            raise ModelUnreachable(f"{fact} (wait for {wait:,.0f} s)", hint=hint)
        self._slow_down(sent, wait)
        raise RetryableError(f"the server says {status}: {message}", wait=wait)

    def _hint(self, status: int) -> str:
        provider = self._server.provider
        version = "" if provider.version else ", which mostly ends in /v1"
        return FATAL_STATUSES[status].format(key=provider.key_variable, version=version)

    def _slow_down(self, sent: float, wait: float = 0.0) -> None:
        self._state.limiter = self._state.limiter.after_pushback(sent=sent, now=self._clock(), wait=wait)


def _fatal_status(status: int, error: ErrorReport) -> int:
    """The status in FATAL_STATUSES that says what an error means for all requests; 0 where it is about this one."""
    told = [meaning for phrase, meaning in FATAL_MESSAGES.items() if phrase in error.message]
    return FATAL_CODES.get(error.code) or next(iter(told), status if status in FATAL_STATUSES else 0)


@cache
def _ssl_context(is_needed: bool) -> ssl.SSLContext:
    """The trusted certificates, read once: it takes longer than many a request; none where no connection needs them."""
    return httpx2.create_ssl_context() if is_needed else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _root_cause(problem: BaseException) -> BaseException:
    while below := problem.__cause__ or problem.__context__:
        problem = below
    return problem
