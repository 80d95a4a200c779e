"""How fast the explorer's pages are, and in how much memory: `python -m benchmarks.explorer_speed [--full] [LAB]`.

Makes a lab of a million answers (ten million with --full) unless one is named, starts the real server, and asks for
every page and filter once cold and then warm. `--visitors 50 --seconds 60` adds visitors who ask without a pause.
"""

import argparse
import asyncio
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import getloadavg, sysconf
from pathlib import Path

import httpx2

import counterpoint
from benchmarks.explorer_lab import NOUNS, PLACES, made

AUTHORS = "the tool of the paper takes 260 to 593 ms for a filter at 15,000 samples"

PAGES = (
    "/overview",
    "/overview?suite=first",
    "/overview?metric=worst_case",
    "/models/model-1",
    "/compare?models=model-0,model-1",
    "/suites/first",
    "/suites/first/models/model-1",
    "/suites/second/models/model-2?verdict=broken&page=900",
    "{group}",
    "{sample}",
    "{picture}",
    "/browse",
)
"""The pages, as far as the server has them."""

FILTERS = (
    "/browse?model=model-1&verdict=broken",
    "/browse?suite=first&kind=compare",
    "/browse?metric=accuracy&low=0.3&high=0.6",
    "/browse?model=model-0&metric=comprehensive_accuracy&high=0.5&test=negation",
    "/browse?answer=red&model=model-2",
    "/browse?answer=metal",
    "/browse?text=bicycle",
    "/browse?text=number%2077{n}",
    "/browse?tag=edit%3Dwood&verdict=wrong",
    "/browse?verdict=fails&order=disagreement&view=pictures",
    "/browse?text=umbrella&answer=two&metric=self_consistency&low=0.2",
)
"""Filters; `{n}` is another number each time, so that nothing that was kept helps."""


@dataclass(frozen=True, slots=True)
class Timed:
    """How long one address took, in milliseconds: the first time, and the median of the next ones."""

    address: str
    first: float
    warm: float
    worked: float  # by the processors for one answer, which a busy machine does not change
    size: int


@contextmanager
def served(lab: Path, cache: Path) -> Iterator[tuple[str, int]]:
    """The address and the process of a real server over a lab."""
    words = [sys.executable, "-m", "counterpoint", "serve", str(lab), "--port", "0"]
    own = str(Path(counterpoint.__file__).parents[1])  # the server is that of this copy
    environment = {"XDG_CACHE_HOME": str(cache), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "2", "PYTHONPATH": own}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://[\d.]+:\d+", line)
        assert found, line
        try:
            yield found[0], process.pid
        finally:
            process.terminate()


def memory(process: int) -> tuple[float, float]:
    """What a process holds and held at most, in MB."""
    said = Path(f"/proc/{process}/status").read_text()
    now, most = (int(re.search(rf"{name}:\s+(\d+)", said)[1]) / 1024 for name in ("VmRSS", "VmHWM"))  # type: ignore[index]
    return now, most


def fresh(address: str, number: int) -> str:
    """The address with something that changes nothing but its page's tag, so that no page is sent from memory."""
    asked = address.replace("{n}", str(number))
    return f"{asked}{'&' if '?' in asked else '?'}nothing={number}"


def worked(process: int) -> float:
    """Milliseconds that a process, and those that it started and that have ended, have kept processors busy."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return 1000 * sum(map(int, fields[11:15])) / sysconf("SC_CLK_TCK")


def builds(process: int) -> bool:
    """Whether a process that the server started still makes tables."""
    return any(task.read_text().strip() for task in Path(f"/proc/{process}/task").glob("*/children"))


def timed(client: httpx2.Client, process: int, address: str, times: int) -> Timed:
    """One address, so many times."""
    took, size, busy = [], 0, 0.0
    for number in range(times + 1):
        busy = busy if number > 1 else worked(process)
        began = time.perf_counter()
        answer = client.get(fresh(address, number))
        answer.raise_for_status()
        took.append(1000 * (time.perf_counter() - began))
        size = len(answer.content)
    return Timed(address, took[0], statistics.median(took[1:]), (worked(process) - busy) / times, size)


def addresses(client: httpx2.Client) -> tuple[list[str], list[str]]:
    """The pages that this server has, with those of one group, one sample and one picture."""
    hits = client.get("/browse.json?model=model-1&verdict=broken").json()["hits"]
    entry = hits[7]["entry"]
    base = client.get(entry["address"].replace("?", ".json?")).json()["queries"][0]["query"]
    known = {"{group}": entry["address"], "{sample}": f"/samples/{base}", "{picture}": entry["picture"]}
    pages = [known.get(page, page) for page in PAGES]
    return [page for page in pages if client.get(page).status_code == 200], list(FILTERS)


def listed(client: httpx2.Client, number: int) -> list[str]:
    """The groups of a page of a list."""
    twin = client.get(f"/suites/first/models/model-{number % 4}.json?page={number}").json()
    return [entry["address"] for entry in twin["groups"]]


def wandering(pages: list[str], hits: list[str], luck: random.Random) -> str:
    """Where a visitor goes next: to a page that all look at, to some group, or to a filter that nobody else has."""
    kind = luck.random()
    if kind < 0.3:
        return luck.choice(pages)
    if kind < 0.6:
        return luck.choice(hits)
    low, high = sorted(luck.randrange(21) / 20 for _ in range(2))
    filters = (
        f"/browse?text=number%20{luck.randrange(9999)}",
        f"/browse?model=model-{luck.randrange(4)}&metric=accuracy&low={low}&high={high}",
        f"/browse?suite=first&answer=red&text={luck.choice(NOUNS)}%20{luck.choice(PLACES)[:2]}",
        f"/suites/second/models/model-{luck.randrange(4)}?page={luck.randrange(900)}",
    )
    return luck.choice(filters)


async def visitor(
    client: httpx2.AsyncClient, places: tuple[list[str], list[str]], until: float, seed: int, took: list[float]
) -> list[str]:
    """One visitor who asks again as soon as the answer is there; what went wrong."""
    wrong, luck = [], random.Random(seed)
    while time.monotonic() < until:
        address = wandering(*places, luck)
        began = time.perf_counter()
        try:
            answer = await client.get(address)
            if answer.status_code != 200:
                wrong.append(f"{address}: {answer.status_code}")
        except httpx2.HTTPError as problem:
            wrong.append(f"{address}: {problem!r}")
        took.append(1000 * (time.perf_counter() - began))
    return wrong


async def visited(
    home: str, places: tuple[list[str], list[str]], visitors: int, seconds: float
) -> tuple[list[float], list[str]]:
    """What many visitors at once meet: how long each request took, and what went wrong."""
    took, limits = list[float](), httpx2.Limits(max_connections=visitors, max_keepalive_connections=visitors)
    async with httpx2.AsyncClient(base_url=home, timeout=60, limits=limits) as client:
        until = time.monotonic() + seconds
        wrong = await asyncio.gather(*(visitor(client, places, until, number, took) for number in range(visitors)))
    return took, [line for lines in wrong for line in lines]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lab", nargs="?", type=Path, help="a lab that was made before")
    parser.add_argument("--cache", type=Path, help="where its tables are kept")
    parser.add_argument("--full", action="store_true", help="ten million answers in the place of one")
    parser.add_argument("--times", type=int, default=5, help="how often each page is asked for when warm")
    parser.add_argument("--visitors", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lab = chosen.lab or Path(folder) / "lab"
        if not lab.exists():
            made(lab, *((10, 1_000_000) if chosen.full else (4, 250_000)))
        measured(lab, chosen.cache or Path(folder) / "cache", chosen)


def measured(lab: Path, cache: Path, chosen: argparse.Namespace) -> None:
    """Start the server over a lab and print what it does."""
    print(f"load of the machine before: {', '.join(f'{one:.1f}' for one in getloadavg())}")
    with served(lab, cache) as (home, process), httpx2.Client(base_url=home, timeout=3600) as client:
        began, worked_before = time.perf_counter(), worked(process)
        while client.get("/overview.json").is_server_error:
            time.sleep(0.2)
        shown = time.perf_counter() - began
        while builds(process):
            time.sleep(0.2)
        answers = client.get("/overview.json").json()["lab"]["answers"]
        took, work = time.perf_counter() - began, worked(process) - worked_before
        print(f"{answers:,} answers; first suite after {shown:.1f} s, all tables after {took:.1f} s", end=", ")
        print(f"of processors {work / 1000:.0f} s")
        pages, filters = addresses(client)
        every = [("page", page) for page in pages] + [("filter", one) for one in filters]
        found = [(kind, timed(client, process, one, chosen.times)) for kind, one in every]
        for kind, line in found:
            said = f"{kind:6} {line.warm:7.1f} ms, first {line.first:7.1f} ms, processors {line.worked:6.1f} ms"
            print(f"{said}, {line.size / 1024:4.0f} kB  {line.address}")
        own = [line for kind, line in found if kind == "filter"]
        print(f"median page {statistics.median(line.warm for _, line in found):.0f} ms", end=", ")
        print(f"of processors {statistics.median(line.worked for _, line in found):.0f} ms", end="; ")
        print(f"slowest filter {max(line.warm for line in own):.0f} ms", end=", ")
        print(f"of processors {max(line.worked for line in own):.0f} ms")
        print(AUTHORS)
        print("memory of the server: {:.0f} MB, at most {:.0f} MB".format(*memory(process)))
        if chosen.visitors:
            places = (pages, [one for number in range(40) for one in listed(client, number)])
            waits, wrong = asyncio.run(visited(home, places, chosen.visitors, chosen.seconds))
            waits.sort()
            print(f"{chosen.visitors} visitors, {chosen.seconds:.0f} s: {len(waits):,} requests", end=", ")
            print(f"{len(wrong)} errors, median {statistics.median(waits):.0f} ms", end=", ")
            print(f"99 % {waits[int(0.99 * len(waits))]:.0f} ms, slowest {waits[-1]:.0f} ms")
            print("memory of the server: {:.0f} MB, at most {:.0f} MB".format(*memory(process)))
            print("\n".join(wrong[:5]))
    print(f"load of the machine after: {', '.join(f'{one:.1f}' for one in getloadavg())}")


if __name__ == "__main__":
    main()
