"""The address of a server, and its credentials, which are never printed or stored."""

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from counterpoint.core.errors import ModelError

DEFAULT_URL = "https://api.openai.com/v1"
"""The server that is asked where no other is named."""
_SECRET_NAMES = re.compile(r"key|token|secret|sig|pass", re.IGNORECASE)
MIN_SECRET_LENGTH = 8
"""A shorter string is no secret, and may occur in an answer by chance."""


@dataclass(frozen=True, slots=True)
class Server:
    """An address, with credentials that are in no output, log or file.

    >>> Server.of("", {"OPENAI_BASE_URL": "http://me:open sesame@127.0.0.1:8000/v1/"})
    Server(address='http://127.0.0.1:8000/v1')
    """

    address: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: str = field(default="", repr=False)  # the query string of the URL: an API version, or another kind of key
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, base_url: str, environment: Mapping[str, str]) -> "Server":
        """The server at an address, else at OPENAI_BASE_URL, else the default; its key is OPENAI_API_KEY, if any.

        A URL given as a setting is stored with the run and may hold no secret; one in the environment may.
        """
        given = (base_url or environment.get("OPENAI_BASE_URL", "") or DEFAULT_URL).strip()
        key = environment.get("OPENAI_API_KEY", "").strip()
        if not (key.isascii() and key.isprintable()):
            raise ModelError(
                "OPENAI_API_KEY holds characters that no key has",
                hint="set it again, without line breaks and typographic quotes",
            )
        parts, host, login = _split_url(given)
        if base_url and (login or _SECRET_NAMES.search(parts.query)):
            raise ModelError(
                f"the base URL at {host} holds a secret, which would be stored with the run",
                hint="put the whole URL into OPENAI_BASE_URL, or a key into OPENAI_API_KEY",
            )
        path = parts.path.rstrip("/").removesuffix("/chat/completions")
        address = urlunsplit((parts.scheme, host, path, "", ""))
        headers, secrets = {}, [key, parts.query]
        if login:
            encoded = b64encode(login.encode()).decode("ascii")
            headers["Authorization"] = f"Basic {encoded}"
            secrets += [encoded, login, login.partition(":")[2]]
        elif key:
            headers["Authorization"] = f"Bearer {key}"
        return cls(
            address, headers, parts.query, tuple(secret for secret in secrets if len(secret) >= MIN_SECRET_LENGTH)
        )

    def url(self, path: str) -> str:
        """The URL of a request."""
        return f"{self.address}/{path}" + (f"?{self.query}" if self.query else "")

    def redact(self, text: str) -> str:
        """A text of the server without the credentials, which some servers repeat."""
        for secret in self.secrets:
            text = text.replace(secret, "…")
        return text


def _split_url(given: str) -> tuple[SplitResult, str, str]:
    """A URL in its parts, its host without a login, and the login; an invalid one is not repeated in the error."""
    hint = f"it looks like {DEFAULT_URL} or http://127.0.0.1:8000/v1"
    try:
        parts = urlsplit(given)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise ModelError("the base URL of the server is no web address", hint=hint)
    login, _, host = parts.netloc.rpartition("@")
    return parts, host, unquote(login)
