"""Where a model is served, and what opens its door: the first may be shown to anybody, the second to nobody."""

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from counterpoint.core.errors import ModelError

DEFAULT_URL = "https://api.openai.com/v1"
"""Where one asks who says nothing else."""
_SECRETIVE = re.compile(r"key|token|secret|sig|pass", re.IGNORECASE)
MIN_SECRET_LENGTH = 8
"""A word with fewer signs is no secret, and may stand in an answer by chance."""


@dataclass(frozen=True, slots=True)
class Server:
    """An address, and what is sent along to be let in, which is in nothing that is printed or kept.

    >>> Server.of("", {"OPENAI_BASE_URL": "http://me:open sesame@127.0.0.1:8000/v1/"})
    Server(address='http://127.0.0.1:8000/v1')
    """

    address: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    asked: str = field(default="", repr=False)  # what follows the path: a version, or another kind of key
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, base_url: str, environment: Mapping[str, str]) -> "Server":
        """The server at an address, else at OPENAI_BASE_URL, else the usual; its key is OPENAI_API_KEY, if any.

        An address that is typed is kept with the run, and so may hold no secret; that of the environment may.
        """
        given = (base_url or environment.get("OPENAI_BASE_URL", "") or DEFAULT_URL).strip()
        key = environment.get("OPENAI_API_KEY", "").strip()
        if not (key.isascii() and key.isprintable()):
            raise ModelError(
                "OPENAI_API_KEY holds signs that no key has",
                hint="set it again, without line breaks and typographic quotes",
            )
        parts, place, login = _parts(given)
        if base_url and (login or _SECRETIVE.search(parts.query)):
            raise ModelError(
                f"the base URL at {place} holds a secret, which would be kept with the run",
                hint="put the whole URL into OPENAI_BASE_URL, or a key into OPENAI_API_KEY",
            )
        path = parts.path.rstrip("/").removesuffix("/chat/completions")
        address = urlunsplit((parts.scheme, place, path, "", ""))
        headers, secrets = {}, [key, parts.query]
        if login:
            packed = b64encode(login.encode()).decode("ascii")
            headers["Authorization"] = f"Basic {packed}"
            secrets += [packed, login, login.partition(":")[2]]
        elif key:
            headers["Authorization"] = f"Bearer {key}"
        return cls(address, headers, parts.query, tuple(one for one in secrets if len(one) >= MIN_SECRET_LENGTH))

    def url(self, path: str) -> str:
        """Where a request goes."""
        return f"{self.address}/{path}" + (f"?{self.asked}" if self.asked else "")

    def hidden(self, text: str) -> str:
        """A text of the server without what opens its door, should it have been so rude as to repeat it."""
        for secret in self.secrets:
            text = text.replace(secret, "…")
        return text


def _parts(given: str) -> tuple[SplitResult, str, str]:
    """An address in its parts, its place without a login, and the login; what is no address is not repeated."""
    hint = f"it looks like {DEFAULT_URL} or http://127.0.0.1:8000/v1"
    try:
        parts = urlsplit(given)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise ModelError("the base URL of the server is no address of the web", hint=hint)
    login, _, place = parts.netloc.rpartition("@")
    return parts, place, unquote(login)
