"""Providers of models: where their servers are, which header has the key, and the protocol."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import quote

from counterpoint.models.endpoint.completions import (
    Decoding,
    Json,
    Reply,
    ServerCapabilities,
    read_reply,
    request_body,
)
from counterpoint.models.endpoint.generation import generation_request, read_generation
from counterpoint.models.endpoint.messages import message_request, read_message


class RequestWriter(Protocol):
    """Writes the body of a request; the picture is a data URL, or empty."""

    def __call__(
        self,
        decoding: Decoding,
        text: str,
        picture: str,
        takes: ServerCapabilities,
        /,
        *,
        system: str = "",
        logprobs: bool,
    ) -> Json:
        """The body, as JSON."""


@dataclass(frozen=True, slots=True)
class Provider:
    """How a request is written and a reply is read, where it is sent, and which header has the key."""

    name: str  # the prefix of the names of its models
    url: str  # the base URL where none is given
    path: str  # of a request, below the base URL; {model} is the name of the model
    url_variable: str
    key_variables: tuple[str, ...]  # the first that is set has the key
    key_header: tuple[str, str]  # its name, and the value with {key}
    write_request: RequestWriter
    read_reply: Callable[[str], Reply]
    takes: ServerCapabilities = field(default_factory=ServerCapabilities)
    version: str = ""  # the last part of the base URL, added where that has no version
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def key_variable(self) -> str:
        """The variable that hints name."""
        return self.key_variables[0]

    @property
    def marks(self) -> tuple[tuple[str, ...], ...]:
        """What a fingerprint covers; nothing for chat completions, which came first."""
        return () if self.name == "openai" else (("provider", self.name),)

    def request_path(self, model: str) -> str:
        """The path of a request to a model.

        >>> GOOGLE.request_path("gemini-pro")
        'models/gemini-pro:generateContent'
        """
        return self.path.format(model=quote(model, safe=""))

    def key(self, environment: Mapping[str, str]) -> tuple[str, str]:
        """The variable that has a key, and the key; the latter is empty where none is set."""
        keys = [(name, key) for name in self.key_variables if (key := environment.get(name, "").strip())]
        return keys[0] if keys else (self.key_variable, "")

    def base_path(self, path: str) -> str:
        """The path of a base URL as it was typed, without that of a request, and with a version."""
        base = path.rstrip("/").removesuffix(f"/{self.path}")
        last = base.rpartition("/")[2]
        has_version = last[:1] == "v" and last[1:2].isdigit()
        return base if has_version or not self.version else f"{base}/{self.version}"


OPENAI = Provider(
    name="openai",
    url="https://api.openai.com/v1",
    path="chat/completions",
    url_variable="OPENAI_BASE_URL",
    key_variables=("OPENAI_API_KEY",),
    key_header=("Authorization", "Bearer {key}"),
    write_request=request_body,
    read_reply=read_reply,
)
ANTHROPIC = Provider(
    name="anthropic",
    url="https://api.anthropic.com",
    path="messages",
    url_variable="ANTHROPIC_BASE_URL",
    key_variables=("ANTHROPIC_API_KEY",),
    key_header=("x-api-key", "{key}"),
    write_request=message_request,
    read_reply=read_message,
    takes=ServerCapabilities(alternatives=0, seeds=False),
    version="v1",
    headers={"anthropic-version": "2023-06-01"},
)
GOOGLE = Provider(
    name="google",
    url="https://generativelanguage.googleapis.com",
    path="models/{model}:generateContent",
    url_variable="GOOGLE_GEMINI_BASE_URL",
    key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    key_header=("x-goog-api-key", "{key}"),
    write_request=generation_request,
    read_reply=read_generation,
    version="v1beta",
)
