"""One request to a server, and what its answer means for the next one."""

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
"""What is worth another try, beside whatever is the server's own fault."""
LOADING_STATUSES = {502, 503, 504}
"""What stands before a server that is not ready yet."""
FATAL_STATUSES = {
    401: "set OPENAI_API_KEY to a key that this server knows",
    402: "the account behind OPENAI_API_KEY has to be paid for",
    403: "the key in OPENAI_API_KEY may not use this model here",
    404: "check the name of the model, and the base URL, which mostly ends in /v1",
    405: "check the base URL, which mostly ends in /v1",
    407: "set the name and password of the proxy in HTTPS_PROXY",
}
"""What every query would be told alike, with what helps."""
MAX_RETRY_AFTER = 900.0
"""Seconds; who is told to wait for longer had better come back later."""
CONNECT_SECONDS = 30.0
"""Seconds until a connection that does not come about is given up."""


class RequestRejected(Exception):  # noqa: N818 - it reads as what it says
    """The server will not have this request, however often it is sent."""


class Endpoint:
    """Sends requests, and takes note of what comes back: how fast to go on, and whether to go on at all."""

    def __init__(
        self, server: Server, line: ServerState, *, seconds: float, at_once: int, clock: Callable[[], float] = monotonic
    ) -> None:
        self._server, self._line, self._seconds, self._clock = server, line, seconds, clock
        self._limits = httpx2.Limits(max_connections=None, max_keepalive_connections=at_once)

    def client(self) -> httpx2.AsyncClient:
        """Connections, to be closed by whoever opens them."""
        patience = httpx2.Timeout(None, connect=min(self._seconds, CONNECT_SECONDS))
        headers = dict(self._server.headers)
        return httpx2.AsyncClient(headers=headers, timeout=patience, limits=self._limits, verify=_trusted())

    async def post(self, client: httpx2.AsyncClient, body: Json) -> Reply:
        """The reply to one request; raises Again, Rejected, Unreachable or Spent where there is none."""
        self._line.send()
        sent = self._clock()
        response = await self._response(client, body, sent)
        text = self._server.hidden(response.content.decode("utf-8", "replace"))
        if not response.is_success:
            self._judge(response, text, sent)
        self._line.heard, self._line.away = True, None
        try:
            reply = read_reply(text)
        except MalformedReply as problem:
            raise RetryableError(str(problem)) from None
        self._line.pace = self._line.pace.answered()
        return reply

    async def _response(self, client: httpx2.AsyncClient, body: Json, sent: float) -> httpx2.Response:
        url, headers = self._server.url(PATH), {"Content-Type": "application/json"}
        try:
            async with timeout(self._seconds):
                return await client.post(url, content=json.dumps(body).encode("ascii"), headers=headers)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as problem:
            raise self._nobody(_cause(problem), sent) from None
        except TimeoutError:
            self._ease(sent)
            raise RetryableError(f"no reply within {self._seconds:g} s") from None
        except httpx2.RequestError as problem:
            self._ease(sent)
            raise RetryableError(f"the connection broke off ({type(problem).__name__})") from None

    def _nobody(self, problem: BaseException, sent: float) -> Exception:
        """A wrong name or a bad certificate will not mend itself; a server that is not there yet may come."""
        said = self._server.hidden(str(problem)) or type(problem).__name__
        fact = f"{self._server.address} cannot be reached: {said}"
        if isinstance(problem, gaierror | ssl.SSLCertVerificationError) and not self._line.heard:
            return ModelUnreachable(fact, hint="check the base URL, and what stands between here and there")
        return self._away(fact, sent)

    def _away(self, fact: str, sent: float) -> RetryableError:
        self._line.away = sent if self._line.away is None else self._line.away
        self._ease(sent)
        return RetryableError(fact, away=True)

    def _judge(self, response: httpx2.Response, text: str, sent: float) -> None:
        """What it means that a request was not answered."""
        status, (said, code) = response.status_code, error_message(text)
        fact = f"{self._server.address} says {status}: {said or response.reason_phrase}"
        if status in LOADING_STATUSES and not self._line.heard:
            raise self._away(fact, sent)
        self._line.heard, self._line.away = True, None
        if response.is_redirect:
            raise ModelUnreachable(fact, hint="it has moved; give its new address as the base URL")
        if status in FATAL_STATUSES or code == "insufficient_quota":
            raise ModelUnreachable(fact, hint=FATAL_STATUSES.get(status, FATAL_STATUSES[402]))
        if status not in RETRY_STATUSES and status < 500:
            raise RequestRejected(f"the server says {status}: {said}")
        wait = retry_after(response.headers, datetime.now(UTC)) or 0.0
        if wait > MAX_RETRY_AFTER:
            raise ModelUnreachable(f"{fact} (wait for {wait:,.0f} s)", hint="what was answered is kept; run again then")
        self._ease(sent, wait)
        raise RetryableError(f"the server says {status}: {said or response.reason_phrase}", wait=wait)

    def _ease(self, sent: float, wait: float = 0.0) -> None:
        self._line.pace = self._line.pace.pushed_back(sent=sent, now=self._clock(), wait=wait)


@cache
def _trusted() -> ssl.SSLContext:
    """Whom to trust; to read all these certificates takes longer than many a request."""
    return httpx2.create_ssl_context()


def _cause(problem: BaseException) -> BaseException:
    """What lies at the bottom of an error."""
    while below := problem.__cause__ or problem.__context__:
        problem = below
    return problem
