"""Commands in processes that begin within milliseconds: each is forked from one that has loaded everything."""

import os
import re
import signal
import sys
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.slow_model import ROOT
from benchmarks.voting_load import VotingProcess
from counterpoint.cli.main import commands

_CONTEXT = get_context("forkserver")
_LOADED = (
    "benchmarks.attacks.forking",
    "counterpoint.cli.serve",
    "counterpoint.explorer.app",
    "counterpoint.lab.running",
)


def perform(words: list[str], cache: str, output: str = os.devnull) -> None:
    """The command in a process of its own, whose output goes to a file."""
    os.environ["XDG_CACHE_HOME"] = cache
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(file, stream)
    sys.path.append(str(ROOT))
    commands(words)


def start(words: list[str], cache: Path, output: Path | None = None) -> Any:
    """Start a command by forking a process that has loaded everything, within some milliseconds."""
    _CONTEXT.set_forkserver_preload(list(_LOADED))
    process = _CONTEXT.Process(target=perform, args=(words, str(cache), str(output or os.devnull)))
    process.start()
    return process


class ForkedServer(VotingProcess):
    """A real server, forked from a process that has loaded everything."""

    def __init__(self, lab: Path, cache: Path) -> None:
        self._words, self._cache, self._output = ["serve", str(lab), "--port", "0"], cache, lab.with_name("address.txt")
        self.start()

    def start(self) -> None:
        """Start it, and wait until it listens."""
        self._output.write_text("")
        self._process = start(self._words, self._cache, self._output)
        while not (found := re.search(r"(http://[\d.]+:\d+)\D*\n", self._output.read_text())):
            assert self._process.is_alive(), self._output.read_text()
            time.sleep(0.01)
        self.address = found[1]

    def kill(self, how: int = signal.SIGKILL) -> None:
        """End it at once, whatever it is doing."""
        os.kill(self._process.pid, how)
        self._process.join()
