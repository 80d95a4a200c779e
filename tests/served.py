"""A model behind our own server, and what is asked of it in tests."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from patience import SECONDS

from counterpoint.core.errors import PictureError
from counterpoint.core.groups import Answer, Gold, Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures, Pixels
from counterpoint.engine import running
from counterpoint.models.endpoint.chat import Chat, ChatSettings, ScoringChat
from counterpoint.models.endpoint.completions import Decoding
from counterpoint.models.endpoint.picture_encoding import PictureEncoding
from counterpoint.models.endpoint.providers import OPENAI, Provider
from counterpoint.models.endpoint.requests import Server
from counterpoint.models.endpoint.scheduler import RetryPolicy
from counterpoint.models.prompts import Prompt
from counterpoint.store import groups
from counterpoint.testing import ChatServer

T = TypeVar("T")
run = partial(running.run, read=groups.read_queries)
QUICK = RetryPolicy(attempts=8, first_delay=0.001, max_downtime=SECONDS)


class Plain:
    """Pictures of one gray each, by the number in their names; it counts how often each is looked at."""

    def __init__(self) -> None:
        self.looks = Counter[str]()

    def pixels(self, picture: Picture) -> Pixels:
        self.looks[picture.address] += 1
        if "missing" in picture.path:
            raise PictureError(f"{picture.path} does not exist")
        return np.full((4, 6, 3), int(picture.path.partition(".")[0]), np.uint8)


def some(count: int, *, pictures: int = 4, mode: Mode = Mode.ANSWER) -> list[Query]:
    """Open questions on a few pictures, in no order of pictures."""
    return [Query(Picture(f"p:{n % pictures}.png"), f"What is number {n}?", mode) for n in range(count)]


def served(
    server: ChatServer | str,
    pictures: Pictures | None = None,
    *,
    tokens: int = 256,
    provider: Provider = OPENAI,
    key: str = "",
    **settings: Any,
) -> ScoringChat:
    """The model of a server, asked again without delay."""
    made = ChatSettings(Decoding("double", tokens), retries=QUICK)
    address = server if isinstance(server, str) else server.base_url
    found = Server.of(address, {provider.key_variable: key}, provider)
    return ScoringChat(replace(made, **settings), pictures or Plain(), server=found)


def gathered(given: AsyncIterable[T]) -> list[T]:
    """All that comes, by an event loop in a thread of its own."""

    async def walk() -> list[T]:
        return [one async for one in given]

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, walk()).result()


def answers(model: Chat, queries: Sequence[Query]) -> list[Answer]:
    """The answer to each query, which comes exactly once."""
    placed = gathered(model.answer(queries))
    assert sorted(place for place, _ in placed) == list(range(len(queries)))
    return [answer for _, answer in sorted(placed, key=lambda pair: pair[0])]


def own_reply(query: Query) -> str:
    """What the double replies to a query, by its picture and its words."""
    if query.picture is None:
        return Prompt().text(query)
    _, content = PictureEncoding().encode(Plain().pixels(query.picture))
    return f"{digest(content)[:8]} {Prompt().text(query)}"


def asked_table(queries: Sequence[Query]) -> pa.Table:
    """A table as suites have it, each query once."""
    made = [("plain", Group(Relation.SAME, (query,), (Gold.of("yes"),))) for query in queries]
    return groups.unique_queries(groups.groups_table(made, "some"))


def digest(content: bytes) -> str:
    """As the server takes it of a picture's file."""
    return blake2b(content, digest_size=16).hexdigest()
