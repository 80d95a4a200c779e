"""Take the pictures of the pages that the documentation shows: `python scripts/screenshots.py LAB`.

Needs Chromium and playwright; writes small PNG files to docs/pictures.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import uvicorn
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from counterpoint.cli.serve import drawn
from counterpoint.explorer.app import explorer
from counterpoint.store.lab import Lab

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
SUITE, MODEL = "order", "cnn-lstm"

SHOTS = (
    ("leaderboard", "/leaderboard", 1400, 900, "light"),
    ("suite", f"/suites/{SUITE}/models/{MODEL}", 1400, 1100, "light"),
    ("group", "", 1400, 860, "light"),
    ("group-dark", "", 1400, 860, "dark"),
    ("group-phone", "", 390, 1100, "dark"),
    ("leaderboard-phone", "/leaderboard", 390, 1100, "light"),
)
"""Name, address (a group where it is empty), width, height and colours of each picture."""


@contextmanager
def served(lab: Lab) -> Iterator[str]:
    """The address of a server over the lab, while it is used."""
    app = explorer(lab, extra=drawn(lab))
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


def small(content: bytes) -> bytes:
    """The same picture in at most 256 colours, which is enough for a page and makes a small file."""
    file = BytesIO()
    Image.open(BytesIO(content)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def one_group(page: Page, home: str) -> str:
    """The address of a group that the model got right, then wrong."""
    page.goto(f"{home}/suites/{SUITE}/models/{MODEL}?verdict=broken")
    return home + str(page.locator("a.entry").nth(1).get_attribute("href"))


def main(folder: str) -> None:
    """Write every picture."""
    with served(Lab(folder).opened()) as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, address, width, height, scheme in SHOTS:
            page = browser.new_page(viewport={"width": width, "height": height})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.goto(home + address if address else one_group(page, home))
            if address:
                page.wait_for_selector("body[data-drawn]", state="attached")
            else:
                page.keyboard.press("b")
            page.wait_for_load_state("networkidle")
            page.wait_for_timeout(300)
            (FOLDER / f"pages-{name}.png").write_bytes(small(page.screenshot()))
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
