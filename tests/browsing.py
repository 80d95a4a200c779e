"""What every test in a real browser needs: Chromium as Debian has it, and a real server over a lab."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette

CHROMIUM = Path("/usr/bin/chromium")
PATIENCE = 120_000
"""Milliseconds that a test in the browser waits for what it expects."""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)

in_chromium = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no Chromium is installed at {CHROMIUM}")


@contextmanager
def served(app: Starlette) -> Iterator[str]:
    """The address of a real server on a free port, while it is used."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
