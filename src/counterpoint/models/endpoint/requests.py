"""One HTTP request to a chat-completions server, and what its response means for the next one."""

import json
import ssl
from asyncio import timeout
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from socket import gaierror
from time import monotonic

import httpx2

from counterpoint.core.errors import ModelUnreachable
from counterpoint.models.endpoint.completions import Json, MalformedReply, Reply, error_message, read_reply
from counterpoint.models.endpoint.rate_limiter import retry_after
from counterpoint.models.endpoint.scheduler import RetryableError, ServerState
from counterpoint.models.endpoint.server import Server

PATH = "chat/completions"
RETRY_STATUSES = {408, 409, 425, 429}
"""Client errors that are worth a retry; those of the server always are."""
LOADING_STATUSES = {502, 503, 504}
"""What a proxy says while the server behind it still loads its model."""
FATAL_STATUSES = {
    401: "set OPENAI_API_KEY to a key that this server knows",
    402: "the account behind OPENAI_API_KEY has to be paid for",
    403: "the key in OPENAI_API_KEY may not use this model here",
    404: "check the name of the model, and the base URL, which mostly ends in /v1",
    405: "check the base URL, which mostly ends in /v1",
    407: "set the name and password of the proxy in HTTPS_PROXY",
}
"""Statuses that every request would get, each with a hint."""
MAX_RETRY_AFTER = 900.0
"""Seconds; a server that asks for a longer wait ends the run."""
CONNECT_SECONDS = 30.0
"""How long a connection attempt may take."""


class RequestRejected(Exception):  # noqa: N818 - it reads as what it says
    """The server refuses this request, however often it is sent."""


class Endpoint:
    """Sends requests and updates the state of the server: its rate limit, and whether it can be reached."""

    def __init__(
        self,
        server: Server,
        state: ServerState,
        *,
        seconds: float,
        concurrency: int,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._server, self._state, self._seconds, self._clock = server, state, seconds, clock
        self._limits = httpx2.Limits(max_connections=None, max_keepalive_connections=concurrency)

    def client(self) -> httpx2.AsyncClient:
        """An HTTP client, which the caller closes."""
        timeouts = httpx2.Timeout(None, connect=min(self._seconds, CONNECT_SECONDS))
        headers = dict(self._server.headers)
        return httpx2.AsyncClient(headers=headers, timeout=timeouts, limits=self._limits, verify=_ssl_context())

    async def post(self, client: httpx2.AsyncClient, body: Json) -> Reply:
        """The reply to one request.

        Raises RetryableError, RequestRejected, ModelUnreachable or BudgetExhausted where there is none.
        """
        self._state.count_request()
        sent = self._clock()
        response = await self._response(client, body, sent)
        text = self._server.redact(response.content.decode("utf-8", "replace"))
        if not response.is_success:
            self._raise_for_status(response, text, sent)
        self._mark_answered()
        try:
            reply = read_reply(text)
        except MalformedReply as problem:
            raise RetryableError(str(problem)) from None
        self._state.limiter = self._state.limiter.after_answer()
        return reply

    async def _response(self, client: httpx2.AsyncClient, body: Json, sent: float) -> httpx2.Response:
        url, headers = self._server.url(PATH), {"Content-Type": "application/json"}
        try:
            async with timeout(self._seconds):
                return await client.post(url, content=json.dumps(body).encode("ascii"), headers=headers)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as problem:
            raise self._connection_error(_root_cause(problem), sent) from None
        except TimeoutError:
            self._slow_down(sent)
            raise RetryableError(f"no reply within {self._seconds:g} s") from None
        except httpx2.RequestError as problem:
            self._slow_down(sent)
            raise RetryableError(f"the connection broke off ({type(problem).__name__})") from None

    def _connection_error(self, problem: BaseException, sent: float) -> Exception:
        """A wrong host name or a bad certificate is final; a server that does not listen yet may come up."""
        reason = self._server.redact(str(problem)) or type(problem).__name__
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
        status, (message, code) = response.status_code, error_message(text)
        fact = f"{self._server.address} says {status}: {message or response.reason_phrase}"
        if status in LOADING_STATUSES and not self._state.has_answered:
            raise self._mark_down(fact, sent)
        self._mark_answered()
        if response.is_redirect:
            raise ModelUnreachable(fact, hint="it has moved; give its new address as the base URL")
        if status in FATAL_STATUSES or code == "insufficient_quota":
            raise ModelUnreachable(fact, hint=FATAL_STATUSES.get(status, FATAL_STATUSES[402]))
        if status not in RETRY_STATUSES and status < 500:
            raise RequestRejected(f"the server says {status}: {message}")
        wait = retry_after(response.headers, datetime.now(UTC)) or 0.0
        if wait > MAX_RETRY_AFTER:
            hint = "the answers so far are kept; run again then"
            raise ModelUnreachable(f"{fact} (wait for {wait:,.0f} s)", hint=hint)
        self._slow_down(sent, wait)
        raise RetryableError(f"the server says {status}: {message or response.reason_phrase}", wait=wait)

    def _slow_down(self, sent: float, wait: float = 0.0) -> None:
        self._state.limiter = self._state.limiter.after_pushback(sent=sent, now=self._clock(), wait=wait)


@cache
def _ssl_context() -> ssl.SSLContext:
    """The trusted certificates, read once: reading them takes longer than many a request."""
    return httpx2.create_ssl_context()


def _root_cause(problem: BaseException) -> BaseException:
    while below := problem.__cause__ or problem.__context__:
        problem = below
    return problem
