"""Whether kills lose or repeat anything: `python -m benchmarks.attacks.kills [--kills 1000] [--seconds 1200]`.

Commands that write a lab, and a server on which people vote and look at pages, are killed with SIGKILL at random
moments and started again. After each kill nothing that was there before may be gone, and the lab can be read or says
which suite is half written; at the end all must be what it is without a kill, and nothing may be there twice.
"""

import argparse
import json
import shutil
import signal
import sys
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from http.client import HTTPException
from math import inf
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any
from urllib.request import urlopen

import counterpoint as cp
from benchmarks import slow_model
from benchmarks.attacks.forking import ForkedServer, start
from benchmarks.voting_load import faults, make_voting_lab, run_crowd
from counterpoint.core.errors import CounterpointError
from counterpoint.store.lab import LabStore

LIVES = 6
"""Kills of one lab until it is let through and compared."""
PAGES = ("/overview.json", "/browse.json", "/suites.json")


@dataclass(frozen=True, slots=True)
class Work:
    """A command that is killed: what is there before it, its words, and what the lab holds of its work, by key."""

    name: str
    prepare: Callable[[Path], object]
    words: Callable[[Path], list[str]]
    content: Callable[[Path], dict[str, Any]]


def attack(work: Work, folder: Path, kills: int, rng: Random, end: float) -> tuple[int, list[str]]:
    """Kill a command so often, or until a time; returns the kills at work, and the faults."""
    whole, cache = folder / "whole", folder / "cache"
    work.prepare(whole)
    shutil.copytree(whole, folder / "prepared")
    start(["--version"], cache).join()  # the first one waits until everything is loaded
    began = time.perf_counter()
    (process := start(work.words(whole), cache)).join()
    seconds, killed = time.perf_counter() - began, 0
    if process.exitcode:
        return 0, [f"{work.name} ends with {process.exitcode} without a kill"]
    expected, problems = work.content(whole), list[str]()
    while killed < kills and time.monotonic() < end:
        lab = folder / "lab"
        shutil.rmtree(lab, ignore_errors=True)
        shutil.copytree(folder / "prepared", lab)
        before: dict[str, Any] = {}
        for _ in range(min(LIVES, kills - killed)):
            process = start(work.words(lab), cache)
            process.join(rng.uniform(0.0, 1.1 * seconds))
            killed += process.is_alive()
            process.kill()
            process.join()
            found = _readable(work, lab)
            problems += [f"{work.name}: {key} is lost or altered" for key in _changes(before, found)]
            before = found
        (process := start(work.words(lab), cache)).join()
        found = work.content(lab) if process.exitcode == 0 else {}
        differing = [*_changes(expected, found), *_changes(found, expected)]
        problems += [f"{work.name}: {key} differs at the end" for key in differing]
        problems += [f"{work.name}: {check.place}: {check.found}" for check in cp.verify_folder(lab).broken]
    return killed, problems


def _readable(work: Work, lab: Path) -> dict[str, Any]:
    """What can be read after a kill: nothing where the lab says that a file is half of a pair."""
    try:
        return work.content(lab)
    except CounterpointError:
        return {}


def _changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [key for key, value in before.items() if after.get(key) != value]


def _suites(folder: Path) -> dict[str, Any]:
    """Each whole suite with its manifest and rows; one whose manifest is missing is not there yet."""
    found, lab = {}, LabStore(folder)
    for name in lab.suites():
        with suppress(CounterpointError):
            suite = lab.suite(name)
            found[name] = asdict(suite.manifest), suite.table.to_pylist()
    return found


def _answers(folder: Path) -> dict[str, Any]:
    """Each answer by model and query, and how many rows the model has in its parts once no run goes on."""
    found: dict[str, Any] = {}
    lab = LabStore(folder)
    for fingerprint in {record.fingerprint for record in lab.runs()}:
        rows = lab.read_answers(fingerprint, slow_model.COLUMNS).to_pylist()
        found |= {f"{fingerprint} {row['query']} {row['trial']}": row for row in rows}
        twice = slow_model.rows(lab, fingerprint) - len(rows)
        found |= {f"{twice} answers twice": twice} if twice else {}
    return found


def _values(folder: Path) -> dict[str, Any]:
    """The values that rescoring took, and nothing before; a part of them would be altered by the next kill."""
    answers = LabStore(folder).read_answers("slow", ["query", "value", "rule"])
    return {"values": answers.sort_by("query").to_pylist()} if "normal" in answers["rule"].to_pylist() else {}


def _prepare_import(folder: Path) -> None:
    queries = slow_model.a_lab(folder, 2000).suite("some").table["query"].to_pylist()
    lines = [json.dumps({"id": f"{query:016x}", "answer": "yes"}) for query in queries]
    (folder / "predictions.jsonl").write_text("\n".join(lines))


def _prepare_answers(folder: Path) -> None:
    slow_model.a_lab(folder, 400)
    cp.Lab(folder).run("benchmarks.slow_model:slow")


WORKS = (
    Work(
        "run",
        lambda folder: slow_model.a_lab(folder, 400),
        lambda lab: ["run", str(lab), "--model", "benchmarks.slow_model:slow"],
        _answers,
    ),
    Work(
        "generate",
        lambda folder: LabStore(folder).set_root("none", folder),
        lambda lab: ["generate", str(lab), "--suite", "order", "--suite", "negation", "--items", "20", "--limit", "9"],
        _suites,
    ),
    Work(
        "import",
        _prepare_import,
        lambda lab: ["import", str(lab), str(lab / "predictions.jsonl"), "--name", "mine"],
        _answers,
    ),
    Work("rescore", _prepare_answers, lambda lab: ["rescore", str(lab), "--rule", "normal"], _values),
)


def attack_votes(folder: Path, kills: int, rng: Random, end: float) -> tuple[int, list[str]]:
    """Kill a server so often, while four people vote."""
    killed, problems = 0, list[str]()
    while killed < kills and time.monotonic() < end:
        share = min(kills - killed, 4 * LIVES)
        lab = make_voting_lab(folder / f"lab {killed}", 3 * share)
        lab.review("judge", suites=["foils"])
        crowd = run_crowd(lab, folder / "cache", 4, share, rng.randrange(1 << 30), process=ForkedServer)
        killed += crowd.kills
        problems += [f"votes: {fault}" for fault in faults(lab, crowd, per_item=3)]
        problems += [f"votes: {check.place}: {check.found}" for check in cp.verify_folder(lab.folder).broken]
    return killed, problems


def attack_pages(folder: Path, kills: int, rng: Random, end: float) -> tuple[int, list[str]]:
    """Kill a server so often, while it makes its tables and pages; the cache of the killed ones is used again."""
    lab, killed = cp.Lab(folder / "lab"), 0
    lab.generate("order", source="world", items=12, limit=4)
    lab.run("constant")
    whole = ForkedServer(lab.folder, folder / "whole cache")
    expected = [_page(whole, page) for page in PAGES]
    whole.kill()
    while killed < kills and time.monotonic() < end:
        if killed % LIVES == 0:
            shutil.rmtree(folder / "cache", ignore_errors=True)
        server = ForkedServer(lab.folder, folder / "cache")
        visits = [Thread(target=_visit, args=(server, page)) for page in PAGES]
        for visit in visits:
            visit.start()
        time.sleep(rng.uniform(0.0, 0.4))
        server.kill()
        for visit in visits:
            visit.join()
        killed += 1
    last = ForkedServer(lab.folder, folder / "cache")
    found = [_page(last, page) for page in PAGES]
    last.kill(signal.SIGTERM)
    problems = [f"serve: {page} differs" for page, was, now in zip(PAGES, expected, found, strict=True) if was != now]
    return killed, problems + [f"serve: {check.place}: {check.found}" for check in cp.verify_folder(lab.folder).broken]


def _visit(server: ForkedServer, page: str) -> None:
    with suppress(OSError, HTTPException):  # the server is killed meanwhile
        _page(server, page)


def _page(server: ForkedServer, page: str) -> Any:
    """The values of a page, once its tables are made."""
    while True:
        with urlopen(f"{server.address}{page}", timeout=60) as answer:
            if answer.status == 200:
                return json.load(answer)
        time.sleep(0.05)


ATTACKS: dict[str, Callable[[Path, int, Random, float], tuple[int, list[str]]]] = {
    "votes": attack_votes,
    "serve": attack_pages,
    **{work.name: partial(attack, work) for work in reversed(WORKS)},
}
"""What is killed; the works whose lives last longest come last, and get the time that the others left."""


def run_attacks(
    kills: int, seed: int, seconds: float = inf, works: Collection[str] = tuple(ATTACKS)
) -> tuple[dict[str, int], list[str]]:
    """So many kills over all works, or as many as `seconds` allow; returns the kills by work, and the faults."""
    killed, problems, last = dict[str, int](), list[str](), time.monotonic() + seconds
    for place, name in enumerate(works):
        share = kills * (place + 1) // len(works) - kills * place // len(works)
        end = (now := time.monotonic()) + (last - now) / (len(works) - place)
        with TemporaryDirectory() as folder:
            killed[name], found = ATTACKS[name](Path(folder), share, Random(f"{seed} {name}"), end)
        problems += found
    return killed, problems


def main() -> None:
    """Kill and print how it ended; the exit code is 1 after a fault."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--only", choices=[*ATTACKS], action="append", help="kill this work alone")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1200.0, help="end after so many seconds, whatever the count")
    given = parser.parse_args()
    began = time.monotonic()
    killed, problems = run_attacks(given.kills, given.seed, given.seconds, given.only or ATTACKS)
    counts = ", ".join(f"{name} {count:,}" for name, count in killed.items())
    ending = f"{len(problems)} faults" if problems else "equal, none twice, none lost"
    print(f"{sum(killed.values()):,} kills in {time.monotonic() - began:.0f} s ({counts}): {ending}")
    print(*dict.fromkeys(problems), sep="\n")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
