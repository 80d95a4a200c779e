"""Milliseconds from a vote to the next item in a real Chromium, on photographs of twelve megapixels.

    python -m benchmarks.voting_pace [--votes 24] [--pause 1]

The next item is there when its texts and its picture are drawn. A person reads before voting: so many seconds pass
between two votes.
"""

import argparse
import shutil
import statistics
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

import counterpoint as cp
from benchmarks.voting_load import VotingProcess

WIDTH, HEIGHT = 4000, 3000
READY = "(image => image?.complete && image.naturalWidth > 0)(document.querySelector('[data-picture] img'))"
VOTE = """() => new Promise(resolve => {
  const texts = document.querySelector("[data-texts]"), before = texts.innerText, start = performance.now();
  const drawn = () => texts.innerText !== before && READY;
  const look = () => drawn()
    ? requestAnimationFrame(() => resolve(performance.now() - start)) : requestAnimationFrame(look);
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "3", bubbles: true}));
  look();
})""".replace("READY", READY)
"""Press a key as a voter does, and wait until the frame with the next item and its picture is drawn."""


def make_photograph_lab(folder: Path, groups: int) -> cp.Lab:
    """A lab with one photograph for each pair of caption and foil."""
    lab, pictures = cp.Lab(folder / "lab"), folder / "photographs"
    pictures.mkdir()
    rng = np.random.default_rng(0)
    foils = []
    for number in range(groups):
        coarse = Image.fromarray(rng.integers(0, 256, (HEIGHT // 20, WIDTH // 20, 3), np.uint8))
        coarse.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC).save(pictures / f"{number}.jpg", quality=92)
        texts = (f"There are exactly {2 * number} cars.", f"There are exactly {2 * number + 1} cars.")
        queries = tuple(cp.Query(cp.Picture(f"photographs:{number}.jpg"), text, cp.Mode.SCORE) for text in texts)
        foils.append(cp.Group(cp.Relation.RANKS, queries, (None, None)))
    lab.add_groups(foils, "foils")
    lab.store.set_root("photographs", pictures)
    return lab


def measure_pace(folder: Path, votes: int, pause: float) -> list[float]:
    """The milliseconds of so many votes of one person."""
    lab = make_photograph_lab(folder, votes + 1)
    lab.review("judge", suites=["foils"])
    server = VotingProcess(lab.folder, folder / "cache")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(bypass_csp=True)
            page.goto(lab.invite("ann").link(server.address))
            page.wait_for_selector("body[data-voting]")
            page.wait_for_function(READY)
            pace = []
            for _ in range(votes):
                page.wait_for_timeout(1000 * pause)
                pace.append(float(page.evaluate(VOTE)))
            browser.close()
            return pace
    finally:
        server.kill()


def main() -> None:
    """Vote and print the median and the 95th percentile."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--votes", type=int, default=24)
    parser.add_argument("--pause", type=float, default=1.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pace = measure_pace(Path(folder), given.votes, given.pause)
    late = statistics.quantiles(pace, n=20)[18]
    print(f"{given.votes} votes: {statistics.median(pace):.0f} ms to the next item (median), {late:.0f} ms (95 %)")


if __name__ == "__main__":
    main()
