"""Whether runs on a Ray cluster end like local ones, whatever is killed: `python -m benchmarks.ray_kills [KIND…]`.

Starts a cluster of a head and two nodes on this machine, and ends it; where no node is to be killed, the head alone.
For each seed a worker, a node or the driver is killed in the middle of a shard; the answers are held against those of
a local run. The kind `suites` kills nothing: it holds suites that three actors generate against those of one process.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.slow_model import ROOT, Slow, a_lab, rows, said
from counterpoint.core.groups import Query
from counterpoint.core.ports import Pictures, PlacedAnswer
from counterpoint.lab.generation import GenerateRequest, generate
from counterpoint.lab.progress import ProgressEvent
from counterpoint.lab.running import RunReport, RunRequest, run_model
from counterpoint.store.answers import slug
from counterpoint.store.lab import LabStore

QUERIES = 1200
SUITES = {"contrast": 10, "objects": None}
MODEL = "benchmarks.ray_kills:mortal"
FINGERPRINT = "mortal"
SECONDS = 300
"""How long a busy machine may take to start a node."""
PATIENCE = {f"RAY_gcs_server_{name}": str(SECONDS) for name in ("port_wait_time_s", "request_timeout_seconds")}
RUN = "import sys; sys.path.append(''); from counterpoint.cli.run import command; command()"


class Mortal(Slow):
    """Kills its process at the query whose number is in a file; the file is gone then."""

    def __init__(self, pictures: Pictures) -> None:
        super().__init__(pictures, 0.002, FINGERPRINT)
        self._order = Path(os.environ.get("COUNTERPOINT_KILL_ORDER", "/nowhere"))

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """The text in capitals, unless it is the last it sees."""
        for place, answer in super().answer(queries):
            if self._order.exists() and queries[place].text == f"Is it {self._order.read_text()}?":
                self._order.unlink()
                os._exit(1)
            yield place, answer


def mortal(pictures: Pictures) -> Mortal:
    """The model of this page."""
    return Mortal(pictures)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a run with a kill ended."""

    kind: str
    seed: int
    happened: bool  # something was lost indeed
    same: bool  # the answers of a local run, each once
    again: int  # queries that a second run asks, a local one

    @property
    def holds(self) -> bool:
        """Whether nothing is missing, doubled or different."""
        return self.happened and self.same and not self.again


class Trial:
    """A cluster with a head and so many nodes, and labs to run on it."""

    def __init__(self, cluster: Any, nodes: int, folder: Path, order: Path) -> None:
        self.cluster, self.folder, self.order = cluster, folder, order
        self.nodes = [cluster.add_node(num_cpus=1, wait=False) for _ in range(nodes)]
        cluster.wait_for_nodes(timeout=SECONDS)
        alone = a_lab(folder / "alone", QUERIES)
        run_model(alone, RunRequest(MODEL))
        self.answers = said(alone, FINGERPRINT)

    def judge(self, kind: str, seed: int) -> Verdict:
        """Run a new lab with a kill, and look at what is there."""
        if kind == "suites":
            return Verdict(kind, seed, True, self._generates_the_same(seed), 0)
        lab = a_lab(self.folder / f"{kind}-{seed}", QUERIES)
        happened = getattr(self, f"kill_{kind}")(lab, random.Random(seed))
        same = said(lab, FINGERPRINT).equals(self.answers) and rows(lab, FINGERPRINT) == QUERIES
        return Verdict(kind, seed, happened, same, run_model(lab, RunRequest(MODEL)).outcome.asked)

    def _generates_the_same(self, seed: int) -> bool:
        """Whether three actors make the bytes of suites that one process makes."""
        files = list[dict[str, bytes]]()
        for workers, engine in ((1, ""), (3, "ray")):
            lab = LabStore(self.folder / f"suites-{seed}-{workers}")
            for suite, limit in SUITES.items():
                generate(
                    lab, GenerateRequest((suite,), items=40, limit=limit, seed=seed, workers=workers, engine=engine)
                )
            files.append({name: lab.storage.get(name) for name in lab.storage.names("suites/")})
        return files[0] == files[1] and len(files[0]) >= 2 * len(SUITES)

    def kill_worker(self, lab: LabStore, rng: random.Random) -> bool:
        """Let a worker die at a query."""
        self.order.write_text(str(rng.randrange(QUERIES)))
        report = run(lab)
        return not self.order.exists() and sum(worker.losses for worker in report.outcome.workers) == 1

    def kill_node(self, lab: LabStore, rng: random.Random) -> bool:
        """Remove a node when so many queries are answered, and add another."""
        threshold, node = rng.randrange(50, QUERIES // 2), self.nodes.pop(0)

        def remove(event: ProgressEvent) -> None:
            if event.done >= threshold and node in self.cluster.worker_nodes:
                self.cluster.remove_node(node, allow_graceful=False)

        report = run(lab, remove)
        self.nodes.append(self.cluster.add_node(num_cpus=1))
        return sum(worker.losses for worker in report.outcome.workers) >= 1

    def kill_driver(self, lab: LabStore, rng: random.Random) -> bool:
        """Kill the process that drives the run, and run it once more."""
        words = [sys.executable, "-c", RUN, str(lab.folder), "--model", MODEL, "--engine", "ray", "--workers", "3"]
        process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        parts = lab.folder / "answers" / slug(FINGERPRINT)
        while process.poll() is None and not list(parts.glob("[!.]*.parquet")):
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.5))
        was_running = process.poll() is None
        process.kill()
        process.wait()
        return was_running and run(lab).outcome.asked > 0


def run(lab: LabStore, progress: Callable[[ProgressEvent], None] = lambda event: None) -> RunReport:
    """A run on three workers of the cluster."""
    return run_model(lab, RunRequest(MODEL, workers=3, engine="ray"), progress)


@contextmanager
def open_trial(nodes: int) -> Iterator[Trial]:
    """A cluster of this process with room for three workers, which ends with it."""
    import ray
    from ray.cluster_utils import Cluster

    with tempfile.TemporaryDirectory() as name:
        order = Path(name) / "order"
        os.environ |= {"COUNTERPOINT_KILL_ORDER": str(order), "RAY_USAGE_STATS_ENABLED": "0", **PATIENCE}
        os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 3 - nodes, "include_dashboard": False})
        os.environ["RAY_ADDRESS"] = cluster.address
        try:
            yield Trial(cluster, nodes, Path(name), order)
        finally:
            ray.shutdown()
            cluster.shutdown()  # type: ignore[no-untyped-call]


def main(kinds: Sequence[str] = ("worker", "node", "driver"), seeds: int = 3) -> bool:
    """Print a line for each kill; whether all of them hold."""
    with open_trial(nodes=2 if "node" in kinds else 0) as trial:
        verdicts = [trial.judge(kind, seed) for seed in range(seeds) for kind in kinds]
    for verdict in verdicts:
        print("holds" if verdict.holds else "FAILS", verdict)
    return all(verdict.holds for verdict in verdicts)


if __name__ == "__main__":
    named, numbers = ([word for word in sys.argv[1:] if word.isdigit() is digits] for digits in (False, True))
    sys.exit(0 if main(named or ("worker", "node", "driver"), int(numbers[0]) if numbers else 3) else 1)
