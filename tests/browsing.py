"""What every test in a real browser needs: Chromium as Debian has it, and a real server over a lab."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import uvicorn
from patience import SECONDS
from proving import prove
from starlette.applications import Starlette

from counterpoint.explorer.connections import HttpConnection

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = Path("/usr/bin/chromium")
PATIENCE = 1000 * SECONDS
"""Milliseconds that a test in the browser waits for what it expects."""
WINDOWS = ((390, "dark"), prove(390, "light"), prove(1400, "light"), prove(1400, "dark"))
"""Width and color scheme of the windows in which every page is looked at."""
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
def served(app: Starlette, http: type[HttpConnection] = HttpConnection) -> Iterator[str]:
    """The address of a real server on a free port, while it is used."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, http=http, log_level="warning"))
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


def serious_faults(page: "Page") -> list[str]:
    """What axe-core finds wrong with a page whose context lets it put its script there."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{fault['id']}: {node['html'][:160]} — {node['failureSummary'][:240]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]
