"""A client of the pages on this machine, which is the host that a server on a loopback address answers to."""

from typing import Any, cast

from starlette.applications import Starlette
from starlette.testclient import TestClient

from counterpoint.lab.reader import LabReader


def local_client(app: Starlette, **settings: Any) -> TestClient:
    """A client that asks an application without a network."""
    return TestClient(app, base_url="http://127.0.0.1", **settings)


def reader_of(client: TestClient) -> LabReader:
    """The reader behind the pages that a client asks for."""
    reader: LabReader = cast(Starlette, client.app).state.reader
    return reader
