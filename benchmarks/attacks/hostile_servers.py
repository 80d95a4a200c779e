"""Whether a rogue server harms a run: `python -m benchmarks.attacks.hostile_servers [--seconds 600]`.

Every behaviour of a server is tried with 1, 4 and 32 requests at once, in a process with a limit on its address space,
set by the operating system. A run must end by itself, with an answer or a reason for each query and none twice, or with
one of our errors, and the lab must hold. The table says how the queries ended.
"""

import argparse
import gzip
import os
import re
import resource
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from math import inf
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

import counterpoint as cp
from benchmarks.attacks.forking import perform
from benchmarks.slow_model import rows
from counterpoint.testing import ChatServer, ServerFault

ADDRESS_SPACE = 6 * 2**30
"""Bytes of the run's address space; libraries map more than they use."""
CONCURRENCY = (1, 4, 32)
LONGEST = 600.0
"""Seconds after which a run that has not ended hangs, also on a busy machine: it takes some 2 on an idle one."""
SETTINGS = "timeout=2,attempts=2,max_downtime=2"


def _response(body: bytes, head: bytes = b"") -> bytes:
    return b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n" % (head, len(body)) + body


def _reply(content: bytes) -> bytes:
    return _response(b'{"choices": [{"message": {"content": %s}}]}' % content)


def _bomb() -> bytes:
    return _response(gzip.compress(bytes(2**28), 1), b"Content-Encoding: gzip\r\n")


RESPONSES: Mapping[str, Callable[[], bytes]] = MappingProxyType(
    {
        "a compressed bomb": _bomb,
        "a body of 40 MiB": lambda: _response(b"x" * 40 * 2**20),
        "an answer of 8 MB": lambda: _reply(b'"' + b"yes " * 2_000_000 + b'"'),
        "a header of 1 MB": lambda: _response(b"{}", b"X: " + b"y" * 2**20 + b"\r\n"),
        "headers without end": lambda: b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200_000,
        "deep JSON": lambda: _response(b"[" * 100_000),
        "a list": lambda: _response(b"[]"),
        "no choices": lambda: _response(b'{"choices": {}}'),
        "a number as text": lambda: _reply(b"7"),
        "half a character": lambda: _reply(b'"\\ud800"'),
        "control characters": lambda: _reply(b'"\\u0000\\u001b[2J\\ufffe"'),
        "wrong UTF-8": lambda: _response(b'{"choices": "\xff\xfe"}'),
        "a redirect": lambda: b"HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n",
        "no HTTP": lambda: b"SSH-2.0-OpenSSH_9.6\r\n",
        "a length below zero": lambda: b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}",
        "a status of 999": lambda: b"HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n",
        "nothing": lambda: b"",
    }
)
"""Whole responses, each sent to every request."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended: the states of its answers, the seconds, and the faults."""

    behaviour: str
    concurrency: int
    states: Mapping[str, int]
    seconds: float
    faults: tuple[str, ...]

    def __str__(self) -> str:
        states = ", ".join(f"{state} {count}" for state, count in sorted(self.states.items())) or "refused"
        return f"{self.behaviour:42}{self.concurrency:>4}  {states:30}{self.seconds:>6.1f} s  {'; '.join(self.faults)}"


def server_of(behaviour: str) -> ChatServer:
    """A server of a behaviour: a whole response, or a fault that passes after the first request, or does not."""
    if behaviour in RESPONSES:
        content = RESPONSES[behaviour]()
        return ChatServer(verbatim=lambda asked: content)
    name, _, lasting = behaviour.rpartition(", ")
    fault, passes = ServerFault(name), lasting == "once"
    return ChatServer(trouble=lambda asked, times: None if passes and times else fault)


BEHAVIOURS = (*RESPONSES, *(f"{fault}, {lasting}" for fault in ServerFault for lasting in ("once", "always")))
"""Every behaviour by name."""


def _perform_limited(words: list[str], cache: str, output: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    os.environ["OPENAI_API_KEY"] = "sk-none"
    perform(words, cache, output)


def attack(behaviour: str, concurrency: int, prepared: Path, folder: Path) -> Ending:
    """Run a model behind a server of a behaviour on a copy of a lab, and say how it ended."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(prepared, folder / "lab")
    lab, output = cp.Lab(folder / "lab"), folder / "output.txt"
    output.touch()  # a run that hangs may not have got that far
    queries = len(set(lab.groups("order").to_arrow()["query"].to_pylist()))
    with server_of(behaviour) as server:
        words = ["run", str(lab.folder), "--model", "openai/double", "--base-url", server.base_url]
        words += ["--concurrency", str(concurrency), "--model-args", SETTINGS]
        began = time.monotonic()
        process = get_context("forkserver").Process(
            target=_perform_limited, args=(words, str(folder / "cache"), str(output))
        )
        process.start()
        process.join(LONGEST)
        faults = ["it hangs"] if process.is_alive() else []
        process.kill()
        process.join()
    seconds, said = time.monotonic() - began, output.read_text(errors="replace")
    is_ours = re.search(r"^counterpoint\.", said, re.MULTILINE)  # the error with which a run is refused
    faults += ["a traceback"] if "Traceback" in said and not is_ours else []
    faults += [f"it ended with {process.exitcode}"] if process.exitcode not in (0, 1, -9) else []
    models = lab.models
    states = lab.store.read_answers(models[0].fingerprint, ["state"])["state"].to_pylist() if models else []
    stored = rows(lab.store, models[0].fingerprint) if models else 0
    complete = len(states) == queries or process.exitcode == 1
    faults += [] if stored == len(states) and complete else [f"{stored} rows, {len(states)} of {queries} answers"]
    faults += [check.found for check in cp.verify_folder(lab.folder).broken]
    return Ending(behaviour, concurrency, Counter(states), seconds, tuple(faults))


def run_attacks(behaviours: tuple[str, ...] = BEHAVIOURS, seconds: float = inf) -> list[Ending]:
    """Every behaviour with every concurrency, or as many as `seconds` allow; each ending is printed."""
    endings, end = list[Ending](), time.monotonic() + seconds
    with TemporaryDirectory() as folder:
        lab = cp.Lab(Path(folder) / "prepared")
        lab.generate("order", source="world", items=12, limit=12)
        for behaviour, concurrency in product(behaviours, CONCURRENCY):
            if time.monotonic() < end:
                endings.append(attack(behaviour, concurrency, lab.folder, Path(folder) / "cell"))
                print(endings[-1], flush=True)
    return endings


def main() -> None:
    """Attack and print how it ended; the exit code is 1 after a fault."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=1200.0, help="end after so many seconds, whatever is left")
    parser.add_argument("--only", action="append", choices=BEHAVIOURS, help="try this behaviour alone")
    given = parser.parse_args()
    endings = run_attacks(tuple(given.only or BEHAVIOURS), given.seconds)
    wrong = sum(bool(ending.faults) for ending in endings)
    print(f"{len(endings)} of {len(BEHAVIOURS) * len(CONCURRENCY)} cells, {wrong} with a fault")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
