"""Milliseconds from a vote to the next item in a real Chromium: `python -m benchmarks.voting_pace [--votes 100]`."""

import argparse
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks.voting_load import VotingProcess, make_voting_lab

CHROMIUM = "/usr/bin/chromium"
VOTE = """() => new Promise(resolve => {
  const texts = document.querySelector("[data-texts]"), before = texts.innerText, start = performance.now();
  const look = () => texts.innerText !== before
    ? requestAnimationFrame(() => resolve(performance.now() - start)) : requestAnimationFrame(look);
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "3", bubbles: true}));
  look();
})"""
"""Press a key as a voter does, and wait until the frame with the next item is drawn."""


def measure_pace(folder: Path, votes: int) -> list[float]:
    """The milliseconds of so many votes of one person."""
    lab = make_voting_lab(folder / "lab", votes + 1)
    lab.review("judge", suites=["foils"])
    server = VotingProcess(lab.folder, folder / "cache")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page()
            page.goto(lab.invite("ann").link(server.address))
            page.wait_for_selector("body[data-voting]")
            pace = [float(page.evaluate(VOTE)) for _ in range(votes)]
            browser.close()
            return pace
    finally:
        server.kill()


def main() -> None:
    """Vote and print the median and the 95th percentile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--votes", type=int, default=100)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pace = measure_pace(Path(folder), given.votes)
    late = statistics.quantiles(pace, n=20)[18]
    print(f"{given.votes} votes: {statistics.median(pace):.0f} ms to the next item (median), {late:.0f} ms (95 %)")


if __name__ == "__main__":
    main()
