"""Who may come in, and whose requests count: a password where others reach the server, a token against other sites."""

import time
from collections import deque
from hashlib import blake2b
from hmac import compare_digest
from secrets import token_urlsafe
from urllib.parse import quote, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from counterpoint.core.errors import CounterpointError
from counterpoint.explorer.request_bodies import read_form

SHORTEST = 8
"""Characters of a password, at least."""
HEADER = "X-Counterpoint-Token"
"""The header in which a script of ours proves that it is ours."""
COOKIE = "counterpoint"
OPEN = frozenset({"/login", "/static/style.css", "/static/icon.svg"})
"""What everybody may see: the door."""
TRIES, PER = 10, 60.0
"""So many wrong passwords are heard in so many seconds, from all visitors together."""


class AccessKeys:
    """The secrets of one server, made when it starts; of the password only a digest is kept, and nothing is logged."""

    def __init__(self, password: str = "") -> None:
        if password and len(password) < SHORTEST:
            raise CounterpointError(
                f"the token has {len(password)} characters, and at least {SHORTEST} are expected",
                hint="python -c 'import secrets; print(secrets.token_urlsafe())' makes a good one",
            )
        self.page = token_urlsafe(24)
        self._password = _digest(password) if password else b""
        self._session = token_urlsafe(24)
        self._wrong: deque[float] = deque(maxlen=TRIES)

    @property
    def locked(self) -> bool:
        """Whether a password is needed."""
        return bool(self._password)

    def admits(self, request: Request) -> bool:
        """Whether a request comes from somebody who has the password: by cookie, or as a bearer of it."""
        if not self.locked or _alike(request.cookies.get(COOKIE, ""), _digest(self._session)):
            return True
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self._opens(given.strip())

    def session(self, password: str) -> str | None:
        """What the cookie of a visitor with the right password holds; too many wrong ones are an error."""
        return self._session if self._opens(password) else None

    def check(self, request: Request, given: object) -> None:
        """Refuse a request that changes or costs something, unless one of our own pages has made it."""
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise HTTPException(403, "this was sent by the page of another site")
        if not isinstance(given, str) or not _alike(given, _digest(self.page)):
            raise HTTPException(403, "the token of the page is missing or old; load the page again")

    def _opens(self, password: str) -> bool:
        now = time.monotonic()
        if len(self._wrong) == TRIES and now - self._wrong[0] < PER:
            raise HTTPException(429, "too many wrong passwords; wait a minute", {"Retry-After": str(int(PER))})
        right = _alike(password, self._password)
        if not right:
            self._wrong.append(now)
        return right


class PasswordGate:
    """Lets nobody past the door without the password, where there is one."""

    def __init__(self, app: ASGIApp, keys: AccessKeys) -> None:
        self._app, self._keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or show the door."""
        if scope["type"] != "http" or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            admitted = self._keys.admits(request)
        except HTTPException as problem:
            await _refused(problem.detail, problem.status_code)(scope, receive, send)
            return
        await (self._app if admitted else _door(request))(scope, receive, send)


async def log_in(request: Request) -> Response:
    """GET /login: where the password is given. POST /login: where it is taken, for a cookie."""
    keys: AccessKeys = request.app.state.keys
    if request.method != "POST":
        return _login_page(request, request.query_params.get("next", ""))
    given = await read_form(request)
    keys.check(request, given.get("token"))
    onward, password = (one if isinstance(one := given.get(name), str) else "" for name in ("next", "password"))
    session = keys.session(password) if keys.locked else ""
    if session is None:
        return _login_page(request, onward, "This is not the password.", 403)
    answer = RedirectResponse(local_address(onward), 303)
    answer.set_cookie(COOKIE, session, httponly=True, samesite="lax", secure=request.url.scheme == "https")
    return answer


def local_address(address: str) -> str:
    """An address on this server, or the leaderboard where it leads elsewhere.

    >>> inside("/browse?text=dog"), inside("//evil.example/"), inside("https://evil.example/")
    ('/browse?text=dog', '/overview', '/overview')
    """
    ours = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    try:
        return address if ours and not urlsplit(address).netloc else "/overview"
    except ValueError:
        return "/overview"


def _login_page(request: Request, onward: str, problem: str = "", status: int = 200) -> Response:
    from counterpoint.explorer.templating import environment

    keys: AccessKeys = request.app.state.keys
    shown = (
        environment().get_template("login.html").render(token=keys.page, onward=local_address(onward), problem=problem)
    )
    return Response(shown, status, {"Cache-Control": "no-store"}, "text/html")


def _door(request: Request) -> ASGIApp:
    """The login page for people, and a plain refusal for programs."""
    if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
        asked = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
        return RedirectResponse(f"/login?next={quote(asked)}", 303, {"Cache-Control": "no-store"})
    return _refused("a password is needed", 401)


def _refused(said: str, status: int) -> Response:
    hint = "send it in the header Authorization, as Bearer and the password"
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    return JSONResponse({"problem": f"{said[:1].upper()}{said[1:]}.", "hint": hint}, status, headers)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).digest()


def _alike(given: str, digest: bytes) -> bool:
    """Whether a text has this digest, in a time that tells nothing of either."""
    return compare_digest(_digest(given), digest)
