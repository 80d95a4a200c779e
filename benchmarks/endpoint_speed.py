"""A run against a local server: `python -m benchmarks.endpoint_speed [--concurrency 8,32,128] [--latency 0.5]`.

The server replies after a fixed time and has no limit of its own. It counts how often a request begins with a picture
that an earlier reply was given to, as the prefix cache of vLLM or SGLang holds it, for the last `--cached` pictures.
Printed are the replies within the first seconds beside those that the concurrency allows, hits beside the possible ones
(all requests but the first on each picture), and how often a picture was encoded on our side.
"""

import argparse
import asyncio
import json
import tempfile
from collections import OrderedDict
from contextlib import nullcontext
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import numpy as np
from PIL import Image

from counterpoint import catalog
from counterpoint.core.groups import Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.lab.running import RunRequest, run_model
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest

REPLY = {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1}}


@dataclass
class Seen:
    """What the server has seen: when replies were given, and which requests began with a known picture."""

    cached: int
    times: list[float] = field(default_factory=list)
    requests: int = 0
    hits: int = 0
    text_first: int = 0
    pictures: set[int] = field(default_factory=set)
    known: OrderedDict[int, None] = field(default_factory=OrderedDict)

    def arrive(self, body: bytes) -> int:
        """Count a request; returns a number of its picture."""
        content = json.loads(body)["messages"][-1]["content"]
        self.text_first += content[0]["type"] != "image_url"
        picture = hash(next(part["image_url"]["url"] for part in content if part["type"] == "image_url"))
        self.requests += 1
        self.hits += picture in self.known
        self.pictures.add(picture)
        return picture

    def reply(self, picture: int) -> None:
        """Note a reply, after which the picture is known."""
        self.times.append(monotonic())
        self.known[picture] = None
        self.known.move_to_end(picture)
        while len(self.known) > self.cached:
            self.known.popitem(last=False)


def serve(pipe: Connection, latency: float, cached: int) -> None:
    """Serve until the pipe says so, and send what was seen."""
    seen = Seen(cached)

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        told = json.dumps(REPLY).encode()
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").lower().split("\r\n")
                length = next(int(line.partition(":")[2]) for line in lines if line.startswith("content-length:"))
                picture = seen.arrive(await reader.readexactly(length))
                await asyncio.sleep(latency)
                seen.reply(picture)
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(told)
                )
                writer.write(told)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(connection, "127.0.0.1", 0, limit=2**24, backlog=1024)
        pipe.send(server.sockets[0].getsockname()[1])
        await asyncio.get_running_loop().run_in_executor(None, pipe.recv)
        pipe.send(seen)

    asyncio.run(run())


def main() -> None:
    """Print what each concurrency reaches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--concurrency", default="8,32,128")
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--queries", type=int, default=8)
    parser.add_argument("--cached", type=int, default=256)
    options = parser.parse_args()
    for concurrency in map(int, options.concurrency.split(",")):
        measure(concurrency, options)


def measure(concurrency: int, options: argparse.Namespace) -> None:
    """Run a suite that lasts longer than the seconds that are looked at."""
    allowed = concurrency * options.seconds / options.latency
    pictures = int(1.4 * allowed / options.queries) + 1
    here, there = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=serve, args=(there, options.latency, options.cached), daemon=True)
    process.start()
    with tempfile.TemporaryDirectory() as folder:
        lab = LabStore(Path(folder) / "lab")
        put_suite(lab, Path(folder), pictures, options.queries)
        port, spent = here.recv(), process_time()
        encoded, began, seconds = ask(lab, port, concurrency)
        spent = process_time() - spent
        here.send("stop")
        seen: Seen = here.recv()
    process.join()
    within = sum(time - began <= options.seconds for time in seen.times)
    possible = seen.requests - len(seen.pictures)
    print(
        f"concurrency {concurrency:4}: {within:6,} replies in {options.seconds:g} s, {within / allowed:6.1%}; "
        f"{seen.hits:,} of {possible:,} possible hits, {seen.hits / possible:6.1%}; {encoded:,} encodings of "
        f"{len(seen.pictures):,} pictures; {seen.text_first} requests with the text first; {seconds:.1f} s in all, "
        f"{1000 * spent / seen.requests:.2f} ms of our processor time a request",
        flush=True,
    )


def put_suite(lab: LabStore, folder: Path, pictures: int, queries: int) -> None:
    """A suite with several questions on each picture, which are asked by several groups."""
    shown = folder / "pictures"
    shown.mkdir()
    lab.set_root("speed", shown)
    for number in range(pictures):
        pixels = np.random.default_rng(number).integers(0, 256, (6, 8, 3), np.uint8).repeat(40, 0).repeat(40, 1)
        Image.fromarray(pixels).save(shown / f"{number:06}.jpg")
    groups = [("speed", make_group(number, turn)) for turn in range(queries // 2) for number in range(pictures)]
    table = groups_table(iter(groups), "speed")
    lab.put_suite(Manifest.of(table, generator="benchmarks.endpoint_speed", seed=0), table)


def make_group(number: int, turn: int) -> Group:
    """Two questions on one picture."""
    picture = Picture(f"speed:{number:06}.jpg")
    return Group(Relation.SAME, tuple(Query(picture, f"Is it {word} {turn}?") for word in ("no", "not")), (None, None))


def ask(lab: LabStore, port: int, concurrency: int) -> tuple[int, float, float]:
    """Run the suite; returns how many pictures were encoded, when it began, and the seconds it took."""
    name, began = "openai/local", monotonic()
    args = {"base_url": f"http://127.0.0.1:{port}/v1", "concurrency": str(concurrency)}
    with Prefetcher(lab.pictures()) as prefetcher:
        model: Any = catalog.model(name, prefetcher, args)
        encoded: list[Picture] = []
        encode = model._encode

        def counted(picture: Picture) -> str:
            encoded.append(picture)
            return str(encode(picture))

        model._encode = counted
        outcome = run_model(lab, RunRequest(name, ("speed",)), load=lambda _: nullcontext((model, prefetcher))).outcome
    assert not outcome.failed, f"none fails: {outcome.reasons}"
    return len(encoded), began, monotonic() - began


if __name__ == "__main__":
    main()
