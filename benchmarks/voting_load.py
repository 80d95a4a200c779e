"""Many people vote at once, and a server is killed while they do: `python -m benchmarks.voting_load [--kills 50]`.

The server is the real one in a process of its own. Everybody sends a vote until it is acknowledged, as the page does;
at the end every acknowledged vote must be in the lab once, and no item with two votes of one person, or too many.
"""

import argparse
import asyncio
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from secrets import token_hex
from typing import Any

import httpx2

import counterpoint as cp
from counterpoint.core.votes import standing_votes
from counterpoint.explorer.pages.review.routes import COOKIE
from counterpoint.explorer.pages.review.voting import cookie_value
from counterpoint.explorer.security import HEADER
from counterpoint.store.votes import all_votes, invite_voter

CHOICES = ("first", "second", "both", "neither", "cannot-tell")
_PAUSE = 0.02  # seconds until a voter tries again


def make_voting_lab(folder: Path, groups: int) -> cp.Lab:
    """A lab with so many foils of four kinds."""
    lab = cp.Lab(folder)
    foils = []
    for number in range(groups):
        texts = (f"There are exactly {2 * number} cars.", f"There are exactly {2 * number + 1} cars.")
        queries = tuple(cp.Query(None, text, cp.Mode.SCORE) for text in texts)
        foils.append(cp.Group(cp.Relation.RANKS, queries, (None, None), kind=f"kind {number % 4}"))
    lab.add_groups(foils, "foils")
    return lab


class VotingProcess:
    """A real server over a lab, which can be killed and started again."""

    _process: Any  # of subprocess, or of multiprocessing where it is forked

    def __init__(self, lab: Path, cache: Path) -> None:
        self._words = [sys.executable, "-m", "counterpoint", "serve", str(lab), "--port", "0"]
        self._environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "OMP_NUM_THREADS": "2"}
        self.start()

    def start(self) -> None:
        """Start it, and wait until it listens."""
        self._process = subprocess.Popen(self._words, stdout=subprocess.PIPE, text=True, env=self._environment)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found = re.search(r"http://[\d.]+:\d+", line)
        assert found, line
        self.address = found[0]

    def worked(self) -> float:
        """Seconds that it has kept processors busy since it was started, which a busy machine does not change."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self, how: int = signal.SIGKILL) -> None:
        """End it at once, whatever it is doing."""
        self._process.send_signal(how)
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


@dataclass(slots=True)
class Crowd:
    """People who vote at the same time; what was acknowledged, and how long that took in seconds."""

    server: VotingProcess
    acknowledged: dict[str, tuple[str, str]] = field(default_factory=dict)  # voter and group by vote
    sent: set[str] = field(default_factory=set)
    seconds: list[float] = field(default_factory=list)
    kills: int = 0
    worked: float = 0.0  # by the server for all votes since it was last started, in seconds
    new_vote: asyncio.Event = field(default_factory=asyncio.Event)

    async def vote(self, client: httpx2.AsyncClient, name: str, secret: str, rng: Random) -> None:
        """Vote until there is nothing to vote on."""
        cookie = {"Cookie": f"{COOKIE}={cookie_value(name, secret)}", "Accept": "application/json"}
        state = await self._ask(client, "GET", "items", cookie, None)
        idle = 0
        while idle < 3:  # an item that a killed server had handed out comes back when it is asked for
            if not state["items"]:
                idle += 1
                await asyncio.sleep(_PAUSE)
                state = await self._ask(client, "GET", "items", cookie, None)
                continue
            idle, item = 0, state["items"][0]
            about = {key: item[key] for key in ("suite", "group", "query")}
            ballot = {"vote": token_hex(16), **about, "choice": rng.choice(CHOICES), "seconds": 1.0}
            self.sent.add(ballot["vote"])
            began = time.perf_counter()
            state |= await self._ask(client, "POST", "votes", {**cookie, HEADER: state["token"]}, ballot)
            self.seconds.append(time.perf_counter() - began)
            self.acknowledged[ballot["vote"]] = name, item["group"]
            self.new_vote.set()

    async def _ask(
        self, client: httpx2.AsyncClient, method: str, path: str, headers: dict[str, str], body: Any
    ) -> dict[str, Any]:
        """Ask until an answer comes, by the token that the server has by then."""
        while True:
            try:
                answer = await client.request(
                    method, f"{self.server.address}/review/judge/{path}", headers=headers, json=body
                )
            except httpx2.TransportError:
                await asyncio.sleep(_PAUSE)
                continue
            if answer.status_code == 403:
                plain = {key: value for key, value in headers.items() if key != HEADER}
                headers = {**headers, HEADER: (await self._ask(client, "GET", "items", plain, None))["token"]}
                continue
            assert answer.status_code in (200, 201), answer.text
            told: dict[str, Any] = answer.json()
            return told

    async def kill_server(self, kills: int, rng: Random) -> None:
        """Kill the server so often, each time after a few votes, while the next ones are on their way."""
        for _ in range(kills):
            enough = len(self.acknowledged) + rng.randint(1, 6)
            while len(self.acknowledged) < enough:
                self.new_vote.clear()
                await self.new_vote.wait()
            self.server.kill()
            self.kills += 1
            await asyncio.to_thread(self.server.start)


async def _gather(crowd: Crowd, links: dict[str, str], kills: int, seed: int) -> None:
    limits = httpx2.Limits(max_connections=len(links) + 10)
    async with httpx2.AsyncClient(limits=limits, timeout=60) as client:
        voting = asyncio.gather(
            *(crowd.vote(client, name, secret, Random(f"{seed} {name}")) for name, secret in links.items())
        )
        killing = asyncio.create_task(crowd.kill_server(kills, Random(seed)))
        await voting
        killing.cancel()  # where the votes were too few for so many kills
        with suppress(asyncio.CancelledError):
            await killing


def run_crowd(
    lab: cp.Lab,
    cache: Path,
    voters: int,
    kills: int = 0,
    seed: int = 0,
    process: Callable[[Path, Path], VotingProcess] = VotingProcess,
) -> Crowd:
    """Let so many people vote at once over a real server, which is killed so often meanwhile."""
    links = {name: invite_voter(lab.store.storage, name)[1] for name in (f"voter {n}" for n in range(voters))}
    server = process(lab.folder, cache)
    crowd, began = Crowd(server), server.worked()
    try:
        asyncio.run(_gather(crowd, links, kills, seed))
        crowd.worked = server.worked() - began
    finally:
        server.kill(signal.SIGTERM)
    return crowd


def faults(lab: cp.Lab, crowd: Crowd, per_item: int) -> list[str]:
    """What is wrong with the votes in the lab: nothing."""
    stored = all_votes(lab.store.storage)
    ids = Counter(vote.vote for vote in stored)
    found = {vote.vote: (vote.voter, f"{vote.group_id:016x}") for vote in stored}
    pairs = Counter((vote.voter, vote.item) for vote in stored)
    items = Counter(vote.item for vote in standing_votes(stored))
    return [
        *(f"{vote} was acknowledged and is not in the lab" for vote in crowd.acknowledged if vote not in ids),
        *(f"{vote} is in the lab {number} times" for vote, number in ids.items() if number > 1),
        *(f"{vote} was never sent" for vote in ids if vote not in crowd.sent),
        *(f"{vote} is not what was sent" for vote, about in crowd.acknowledged.items() if found.get(vote) != about),
        *(f"{voter} was given an item twice" for (voter, _), number in pairs.items() if number > 1),
        *(f"an item has {number} votes" for number in items.values() if number != per_item),
    ]


def main() -> None:
    """Let people vote, and print how long a vote took and what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voters", type=int, default=200)
    parser.add_argument("--groups", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lab = make_voting_lab(Path(folder, "lab"), chosen.groups)
        lab.review("judge", suites=["foils"])
        began = time.perf_counter()
        crowd = run_crowd(lab, Path(folder, "cache"), chosen.voters, chosen.kills)
        took = time.perf_counter() - began
        wrong = faults(lab, crowd, per_item=3)
        parts = len(lab.store.storage.names("votes/"))
    quarters = [1000 * part for part in statistics.quantiles(crowd.seconds, n=20)]
    print(
        f"{chosen.voters} voters, {len(crowd.acknowledged):,} votes in {took:.1f} s, {crowd.kills} kills; "
        f"a vote is on disk after {quarters[9]:.0f} ms (median), {quarters[18]:.0f} ms (95 %), "
        f"{1000 * max(crowd.seconds):.0f} ms (longest); {parts} parts at the end; {len(wrong)} faults"
    )
    if not chosen.kills:
        print(f"the server works {1000 * crowd.worked / len(crowd.acknowledged):.1f} ms for a vote")
    print("\n".join(wrong[:10]))


if __name__ == "__main__":
    main()
