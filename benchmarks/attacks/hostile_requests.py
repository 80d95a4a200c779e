"""Whether requests can stop a server: `python -m benchmarks.attacks.hostile_requests [--count 5000] [--seconds 600]`.

A real server with a limit on its address space, set by the operating system, gets forms of many and of nested parts,
deep JSON, headers without end, bodies that are shorter than they say, methods and paths made at random, and connections
that send half a request. Meanwhile a visitor loads a page again and again. A fault is a response of 500 or more, a
server that ended, and a visitor who waited longer than the limit.
"""

import argparse
import resource
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from math import inf
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from urllib.request import urlopen

import counterpoint as cp

ADDRESS_SPACE = 8 * 2**30
"""Bytes of the server's address space; libraries map more than they use."""
SLOWEST = 10.0
"""Seconds in which the visitor has to get a page."""
PATHS = ("/play", "/play/answers", "/play/pictures", "/login", "/review/judge/votes", "/browse", "/overview.json")
SERVE = "from counterpoint.cli.serve import command; command()"


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


@contextmanager
def served_lab(folder: Path) -> Iterator[tuple[int, "subprocess.Popen[str]"]]:
    """The port and the process of a server over a small lab."""
    lab = cp.Lab(folder / "lab")
    lab.generate("order", source="world", items=12, limit=4)
    lab.run("constant")
    words = [sys.executable, "-c", SERVE, str(lab.folder), "--port", "0", "--model", "constant"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=_limit_memory) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline().rpartition(":")[2].partition("/")[0]), process
        finally:
            process.terminate()


def hostile_request(rng: Random) -> bytes:
    """The bytes of one request, which may be anything."""
    body, kind = rng.choice((_tiny_parts, _nested_parts, _deep_json, _noise, _long_fields))(rng)
    length = len(body) + rng.choice((0, 0, 0, 5, -3, 10**12))
    headers = [f"Content-Type: {kind}", f"Content-Length: {max(length, 0)}"]
    headers += rng.choice(([], ["Origin: http://evil.example"], ["Sec-Fetch-Site: cross-site"], ["X: " + "y" * 9000]))
    path = rng.choice((*PATHS, f"/{rng.randbytes(6).hex()}", f"/browse?text=%{rng.randrange(256):02x}" * 3))
    head = f"{rng.choice(('POST', 'POST', 'GET', 'PUT', 'BREW'))} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    whole = f"{head}{chr(13) + chr(10)}".encode() if not headers else f"{head}{_lines(headers)}".encode() + body
    return whole[: rng.randrange(1, len(whole))] if rng.random() < 0.1 else whole


def _lines(headers: list[str]) -> str:
    return "".join(f"{line}\r\n" for line in headers) + "\r\n"


def _tiny_parts(rng: Random) -> tuple[bytes, str]:
    part = b'--b\r\nContent-Disposition: form-data; name="q"\r\n\r\n\r\n'
    return part * rng.randrange(1, 5000) + b"--b--\r\n", "multipart/form-data; boundary=b"


def _nested_parts(rng: Random) -> tuple[bytes, str]:
    levels = range(rng.randrange(1, 500))
    return b"".join(
        f"--{n}\r\nContent-Type: multipart/mixed; boundary={n + 1}\r\n\r\n".encode() for n in levels
    ), "multipart/form-data; boundary=0"


def _deep_json(rng: Random) -> tuple[bytes, str]:
    return rng.choice((b"[", b'{"a":', b'"')) * rng.randrange(1, 20_000), "application/json"


def _noise(rng: Random) -> tuple[bytes, str]:
    return rng.randbytes(rng.randrange(3000)), rng.choice(("image/png", "text/plain", "multipart/form-data; boundary="))


def _long_fields(rng: Random) -> tuple[bytes, str]:
    return b"&".join(b"a=%ff" for _ in range(rng.randrange(1, 9000))), "application/x-www-form-urlencoded"


def send(port: int, request: bytes) -> int:
    """The status of the response, or 0 where the connection was closed without one."""
    with socket.create_connection(("127.0.0.1", port), timeout=0.5) as visitor:
        try:
            visitor.sendall(request)
            start = visitor.recv(64)
        except OSError:  # it waits for more, or has closed the connection
            return 0
    words = start.split()
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0


def run_attacks(count: int, seed: int, seconds: float = inf) -> tuple[Counter[int], float, list[str]]:
    """So many requests, or as many as `seconds` allow; returns the statuses, the visitor's longest wait, the faults."""
    statuses, waits, faults, done = Counter[int](), [0.0], list[str](), threading.Event()
    end = perf_counter() + seconds
    with TemporaryDirectory() as folder, served_lab(Path(folder)) as (port, process):

        def visit() -> None:
            while not done.wait(0.05):
                start = perf_counter()
                with urlopen(f"http://127.0.0.1:{port}/overview.json", timeout=60) as answer:
                    answer.read()
                waits.append(perf_counter() - start)

        visitor = threading.Thread(target=visit)
        visitor.start()
        for number in takewhile(lambda _: perf_counter() < end, range(count)):
            status = send(port, hostile_request(Random(f"{seed} {number}")))
            statuses[status] += 1
            if status >= 500 and status != 501:
                faults.append(f"request {number}: status {status}")
            if process.poll() is not None:
                faults.append(f"request {number}: the server ended with {process.returncode}")
                break
        done.set()
        visitor.join()
    if max(waits) > SLOWEST:
        faults.append(f"a visitor waited {max(waits):.1f} s")
    return statuses, max(waits), faults


def main() -> None:
    """Attack and print how it ended; the exit code is 1 after a fault."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=inf, help="end after so many seconds, whatever the count")
    given = parser.parse_args()
    statuses, wait, faults = run_attacks(given.count, given.seed, given.seconds)
    listed = {status: statuses[status] for status in sorted(statuses)}
    print(f"{statuses.total():,} requests by status: {listed}; the longest wait of a visitor: {wait:.2f} s")
    print(*faults, sep="\n")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
