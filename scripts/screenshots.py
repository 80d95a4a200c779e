"""Take the screenshots of pages that the documentation shows: `python scripts/screenshots.py LAB [NAME …]`.

Needs Chromium and playwright; writes PNG files of 256 colors to docs/pictures. LAB is that of `counterpoint demo`,
with the suites `noise` and `relations` generated, all its models run on them, and the task `judge` set up for
`relations`. Some are taken only where they are named, of another LAB: `history` and `history-phone` of that of
`python -m training.checkpoint_series`, those that begin with `crowded` of that of `python -m benchmarks.crowded_lab`.
"""

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BytesIO
from pathlib import Path

import uvicorn
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from counterpoint.explorer.app import create_app
from counterpoint.explorer.server import load_models
from counterpoint.lab.picture_locations import lab_worlds
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes.snapshots import TablesNotReady

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
OTHER_LABS = ("history", "crowded")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
SUITE, MODEL, OTHER, NOISY, FOILS = "order", "cnn-lstm", "fusion", "noise", "relations"
TRIED = "fusion"
KIND = "attribute choice"  # whose groups have boxes
FIRST_PAGE = 300_000
"""Milliseconds to wait for a page: the outcome tables are built before the first."""

SHOTS = (
    ("readme", "/overview", 1180, 1180, "light"),
    ("readme-dark", "/overview", 1180, 1180, "dark"),
    ("overview", "/overview", 1400, 900, "light"),
    ("overview-phone", "/overview", 390, 1100, "light"),
    ("model", f"/models/{MODEL}?suite={SUITE}&against={OTHER}", 1400, 1100, "light"),
    ("findings", f"/models/{OTHER}/findings", 1400, 900, "light"),
    ("compare", f"/compare?models={OTHER},{MODEL}", 1400, 1000, "light"),
    ("agreement", "/agreement", 1400, 900, "light"),
    ("map", f"/suites/{SUITE}/map?model={MODEL}", 1400, 900, "light"),
    ("browse", "/browse", 1400, 900, "light"),
    ("browse-dark", f"/browse?model={MODEL}&suite={SUITE}&metric=accuracy&high=0.7", 1400, 900, "dark"),
    ("browse-pictures", f"/browse?suite={NOISY}&view=pictures", 1400, 900, "light"),
    ("browse-phone", f"/browse?model={MODEL}&suite={SUITE}&verdict=broken", 390, 1100, "light"),
    ("suite", f"/suites/{SUITE}/models/{MODEL}", 1400, 1100, "light"),
    ("suites", f"/suites/{SUITE}", 1400, 1100, "light"),
    ("group", f"{SUITE}/{MODEL}", 1400, 860, "light"),
    ("group-dark", f"{SUITE}/{MODEL}", 1400, 860, "dark"),
    ("group-phone", f"{SUITE}/{MODEL}", 390, 1100, "dark"),
    ("noise", f"{NOISY}/{MODEL}", 1400, 1000, "light"),
    ("foils", f"{FOILS}/two-tower", 1400, 800, "light"),
    ("sample", "sample", 1400, 1100, "light"),
    ("history", "/history", 1400, 1000, "light"),
    ("history-phone", "/history?suite=negation", 390, 1100, "dark"),
    ("judge", "/review/judge", 1400, 900, "light"),
    ("judge-phone", "/review/judge", 390, 844, "light"),
    ("crowded-overview", "/overview", 1400, 1080, "light"),
    ("crowded-overview-phone", "/overview?suite=negation", 390, 900, "dark"),
    ("crowded-browse", "/browse", 1400, 900, "light"),
    ("crowded-group", "negation/gemma-3-27b-it", 1400, 900, "light"),
    ("try-a-model", f"/play?suite={SUITE}&gaussian=3", 1400, 900, "light"),
    ("try-a-model-phone", f"/play?suite={SUITE}&gaussian=3", 390, 1100, "dark"),
)
"""Name, address, width, height and color scheme of each screenshot; an address without a leading slash is a group's."""


@contextmanager
def serve_lab(lab: LabStore) -> Iterator[str]:
    """Serve the lab on a free port, and yield its address."""
    app = create_app(lab, extra=lab_worlds(lab), models=partial(load_models, [(TRIED, {})]))
    with suppress(TablesNotReady):
        app.state.reader.refresh()
    app.state.reader.wait()
    app.state.reader.findings.in_background = False  # a picture does not wait for them
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def quantize(content: bytes) -> bytes:
    """The same PNG in at most 256 colors, which is enough for a page and makes a small file."""
    file = BytesIO()
    Image.open(BytesIO(content)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def group_address(page: Page, home: str, place: str) -> str:
    """The address of a group with a correct base and an incorrect variant; or of the question of a noisy one."""
    suite, _, model = (place if "/" in place else f"{NOISY}/{MODEL}").partition("/")
    filters = {FOILS: "verdict=breaks", SUITE: f"verdict=broken&kind={KIND}"}.get(suite, "verdict=broken")
    page.goto(f"{home}/suites/{suite}/models/{model}?{filters}")
    address = home + str(page.locator("a.entry").nth(1).get_attribute("href"))
    if "/" in place:
        return address
    page.goto(address)
    return home + str(page.locator("a[href^='/samples/']").first.get_attribute("href"))


def wait_until_settled(page: Page) -> None:
    """Wait until the page is complete and models have answered."""
    page.wait_for_selector("[role=status] progress", state="detached")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(3000 if "/play" in page.url else 300)


def main(folder: str, *only: str) -> None:
    """Write every screenshot, or only those that are named."""
    with serve_lab(LabStore(folder).opened()) as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name, address, width, height, scheme in SHOTS:
            if name not in only if only else name.startswith(OTHER_LABS):
                continue
            page = browser.new_page(viewport={"width": width, "height": height})
            page.set_default_timeout(FIRST_PAGE)
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.goto(home + address if address.startswith("/") else group_address(page, home, address))
            if "/groups/" in page.url:
                page.keyboard.press("b")
            page.evaluate(
                "document.querySelectorAll('details[open]:not(.all-suites)').forEach(details => details.open = false)"
            )
            wait_until_settled(page)
            (FOLDER / f"pages-{name}.png").write_bytes(quantize(page.screenshot()))
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
