"""Access control: a password where others can reach the server, and a token against requests forged by other sites."""

import time
from collections import deque
from functools import partial
from hashlib import blake2b
from hmac import compare_digest
from ipaddress import ip_address, ip_network
from secrets import token_urlsafe
from urllib.parse import quote, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from counterpoint.core.errors import CounterpointError
from counterpoint.explorer.request_bodies import read_form
from counterpoint.explorer.responses import TEMPLATES

SHORTEST = 8
"""Characters of a password, at least."""
HEADER = "X-Counterpoint-Token"
"""The header in which the scripts of our pages send the token of the page."""
COOKIE = "counterpoint"
OPEN = frozenset({"/login", *(f"/static/{file}" for file in ("style.css", "icon.svg", "script.js", "review.js"))})
"""Paths that need no password: the login page, and the files of pages that are shown without it."""
VOTERS = "/review/"
"""The beginning of paths that need no password, but the link of a voter."""
TRIES, PER = 10, 60.0
"""The rate limit: wrong passwords accepted from one address, and seconds in which they count."""
MAX_ADDRESSES = 1_000
"""Addresses whose wrong passwords are counted; the one that was seen longest ago is forgotten first."""


class AccessKeys:
    """The secrets of one server process: digest of the password, session of the cookies, token of the pages."""

    def __init__(self, password: str = "") -> None:
        if password and len(password) < SHORTEST:
            raise CounterpointError(
                f"the token has {len(password)} characters, and at least {SHORTEST} are expected",
                hint="python -c 'import secrets; print(secrets.token_urlsafe())' makes a good one",
            )
        self.page = token_urlsafe(24)
        self._password = _digest(password) if password else b""
        self._session = token_urlsafe(24)
        self._wrong: dict[str, deque[float]] = {}  # times by address, the latest address last

    @property
    def locked(self) -> bool:
        """Whether a password is needed."""
        return bool(self._password)

    def admits(self, request: Request) -> bool:
        """Return whether a request has the session cookie, or the password as a bearer token."""
        if not self.locked or _has_digest(request.cookies.get(COOKIE, ""), _digest(self._session)):
            return True
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self._opens(given.strip(), request)

    def session(self, password: str, request: Request) -> str | None:
        """Return the value of the session cookie, or None for a wrong password; HTTP 429 after too many wrong ones."""
        return self._session if self._opens(password, request) else None

    def check_origin(self, request: Request) -> None:
        """Raise HTTP 403 if the browser says that the page of another site sent a request; nothing of it is read."""
        headers = request.headers
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        is_own = _is_own_origin(origin, headers.get("host", "")) if origin else True
        if site not in ("same-origin", "none") if site else not is_own:  # a proxy may have changed the host
            raise HTTPException(403, "this was sent by the page of another site")

    def check(self, request: Request, given: object) -> None:
        """Raise HTTP 403 unless a request was sent by a page of this server (protection against CSRF)."""
        self.check_origin(request)
        if not isinstance(given, str) or not _has_digest(given, _digest(self.page)):
            raise HTTPException(403, "the token of the page is missing or old; load the page again")

    def _opens(self, password: str, request: Request) -> bool:
        """Whether this is the password; strangers who guess lock out their own address, and nobody else's."""
        address, now = _network(request), time.monotonic()
        wrong = self._wrong.pop(address, deque(maxlen=TRIES))
        if len(wrong) == TRIES and now - wrong[0] < PER:
            self._wrong[address] = wrong
            raise HTTPException(429, "too many wrong passwords; wait a minute", {"Retry-After": str(int(PER))})
        right = _has_digest(password, self._password)
        if not right:
            wrong.append(now)
            self._wrong[address] = wrong
            if len(self._wrong) > MAX_ADDRESSES:
                del self._wrong[next(iter(self._wrong))]
        return right


class PasswordGate:
    """Middleware that answers requests without the password by the login page, where a password is set."""

    def __init__(self, app: ASGIApp, keys: AccessKeys) -> None:
        self._app, self._keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or send the login page."""
        if scope["type"] != "http" or scope["path"] in OPEN or scope["path"].startswith(VOTERS):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            admitted = self._keys.admits(request)
        except HTTPException as problem:
            await _refused(problem.detail, problem.status_code)(scope, receive, send)
            return
        await (self._app if admitted else _ask_password(request))(scope, receive, send)


async def log_in(request: Request) -> Response:
    """GET /login: the form for the password. POST /login: set the session cookie for the right password."""
    keys: AccessKeys = request.app.state.keys
    if request.method != "POST":
        return _login_page(request, request.query_params.get("next", ""))
    keys.check_origin(request)
    given = await read_form(request, partial(keys.check, request))
    onward, password = (value if isinstance(value := given.get(name), str) else "" for name in ("next", "password"))
    session = keys.session(password, request) if keys.locked else ""
    if session is None:
        return _login_page(request, onward, "This is not the password.", 403)
    answer = RedirectResponse(local_address(onward), 303)
    answer.set_cookie(COOKIE, session, httponly=True, samesite="lax", secure=request.url.scheme == "https")
    return answer


def local_address(address: str) -> str:
    """Return an address on this server, or the overview in place of one elsewhere.

    >>> local_address("/browse?text=dog"), local_address("//evil.example/"), local_address("https://evil.example/")
    ('/browse?text=dog', '/overview', '/overview')
    """
    ours = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    try:
        return address if ours and not urlsplit(address).netloc else "/overview"
    except ValueError:
        return "/overview"


def _login_page(request: Request, onward: str, problem: str = "", status: int = 200) -> Response:
    keys: AccessKeys = request.app.state.keys
    template = TEMPLATES.get_template("login.html")
    html = template.render(token=keys.page, onward=local_address(onward), problem=problem)
    return Response(html, status, {"Cache-Control": "no-store"}, "text/html")


def _ask_password(request: Request) -> ASGIApp:
    """Return a redirect to the login page for browsers, and HTTP 401 for programs."""
    if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
        asked = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
        return RedirectResponse(f"/login?next={quote(asked)}", 303, {"Cache-Control": "no-store"})
    return _refused("a password is needed", 401)


def _refused(fact: str, status: int) -> Response:
    hint = "send it in the header Authorization, as Bearer and the password"
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    return JSONResponse({"problem": f"{fact[:1].upper()}{fact[1:]}.", "hint": hint}, status, headers)


def _network(request: Request) -> str:
    """The address that a request comes from; of IPv6 the first 64 bits, all of which one visitor may have."""
    host = request.client.host if request.client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    return str(address) if address.version == 4 else str(ip_network((address, 64), strict=False))


def _is_own_origin(origin: str, host: str) -> bool:
    """Whether the origin of a request is the server that it was sent to, by either scheme."""
    return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).digest()


def _has_digest(given: str, digest: bytes) -> bool:
    """Return whether a text has this digest, compared in constant time."""
    return compare_digest(_digest(given), digest)
