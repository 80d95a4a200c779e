"""Two runs of one model on one lab in a bucket of a real server: the second waits, and takes over after a kill."""

import subprocess
import sys
import time
from collections.abc import MutableMapping
from pathlib import Path

import pytest
from object_stores import BUCKET, bucket_environment, seaweed

from counterpoint import Lab
from counterpoint.store.answers import slug
from counterpoint.store.parts import read_parts

ADDRESS = f"s3://{BUCKET}/drivers"

SLOW = """
import time
from counterpoint.core.groups import Answer


class Slow:
    fingerprint = "slow"

    def answer(self, queries):
        for place, query in enumerate(queries):
            time.sleep({pause})
            yield place, Answer("yes")


model = Slow()
"""

DRIVER = """
import sys
from counterpoint import Lab

lab = Lab(sys.argv[1])
lab.store.storage._lease_seconds, lab.store.storage.part_seconds = 3.0, 0.2
print("begun", flush=True)
lab.run("slow:model", batch_size=2)
print("done", flush=True)
"""


@pytest.mark.prove
def test_a_second_driver_waits_and_takes_over_after_a_kill(tmp_path: Path, environ: MutableMapping[str, str]) -> None:
    with seaweed(tmp_path) as server:
        for name, value in bucket_environment(server).items():
            environ[name] = value
        (tmp_path / "slow.py").write_text(SLOW.format(pause=0.1), encoding="utf-8")
        lab = Lab(ADDRESS)
        lab.generate("negation", items=20, limit=30)
        storage = lab.store.storage
        command = [sys.executable, "-c", DRIVER, ADDRESS]
        first = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE)
        while not storage.names("answers/"):
            assert first.poll() is None
            time.sleep(0.05)
        second = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE)
        assert second.stdout
        assert second.stdout.readline() == b"begun\n"
        time.sleep(2)  # in which the second run comes to the lease
        first.kill()
        first.communicate()
        rest, _ = second.communicate()
        assert (rest, second.returncode) == (b"done\n", 0)
        queries = sorted(set(lab.groups().to_arrow()["query"].to_pylist()))
        fingerprint = lab.models[0].fingerprint
        assert sorted(lab.store.read_answers(fingerprint)["query"].to_pylist()) == queries
        parts = read_parts(storage, f"answers/{slug(fingerprint)}", "answers")
        assert parts.num_rows == len(queries)  # no query was asked twice, so the second run waited
        assert [record.details["state"] for record in lab.store.runs()] == ["killed", "done"]
