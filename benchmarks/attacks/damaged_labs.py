"""Whether damage to a lab is named: `python -m benchmarks.attacks.damaged_labs [--count 10000] [--seconds 600]`.

One file of a small lab is damaged at a time: a byte flipped, bytes cut off, added or overwritten, a value of a document
changed, the file deleted or exchanged for another one. `verify` must name it or refuse the lab, or all that can be read
must be what it was; a document that stands alone, such as a named slice, may be gone. Everything
else is a fault: an exception of another kind, a lab that holds and reads otherwise, and more memory than the operating
system allows.
"""

import argparse
import json
import resource
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from itertools import takewhile
from math import inf
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import counterpoint as cp
from counterpoint.core.errors import CounterpointError
from counterpoint.lab.saved_slices import list_slices
from counterpoint.store.lab import LabStore
from counterpoint.store.votes import read_reviews, read_voters, read_votes

ADDRESS_SPACE = 8 * 2**30
"""Bytes of the program's address space; libraries map more than they use."""

DAMAGE = ("flip", "cut", "append", "overwrite", "edit", "delete", "exchange")

ALONE = ("reviews", "voters", "slices", "baselines.json")
"""What nothing else counts: a file that is deleted is unknown to whoever asks for it by name."""


def make_lab(folder: Path) -> Path:
    """A lab of two suites and two models, one of them run twice, with votes, notes, a slice and a baseline."""
    lab = cp.Lab(folder)
    lab.generate("order", "negation", source="world", items=12, limit=4)
    lab.run("constant", suites=["order"])
    lab.run("constant")
    lab.run("random")
    lab.set_baseline("random")
    lab.save_slice("some", {"suite": "order"})
    lab.review("audit", suites=["order"])
    lab.invite("ann")
    group = lab.groups("order").to_arrow()["group_id"][0].as_py()
    for text in ("one", "two", "three"):
        lab.add_note("order", f"{group:016x}", text)
    return lab.folder


def read_lab(folder: Path) -> dict[str, Any]:
    """All that scores follow from."""
    lab = LabStore(folder).opened()
    content: dict[str, Any] = {"roots": {name: str(root) for name, root in lab.roots.items()}}
    for name in lab.suites():
        suite = lab.suite(name)
        content[f"suite {name}"] = asdict(suite.manifest), suite.table.to_pylist()
    for version in lab.versions():
        content[f"model {version.fingerprint}"] = lab.read_answers(version.fingerprint).to_pylist()
    content["runs"] = [asdict(record) for record in lab.runs()]
    content["votes"] = read_votes(lab.storage).to_pylist()
    content["reviews"], content["voters"] = read_reviews(lab.storage), read_voters(lab.storage)
    content["slices"] = list_slices(lab)
    content["baselines.json"] = [version.fingerprint for version in lab.versions() if version.is_baseline]
    return content


def damage_file(path: Path, others: list[Path], rng: Random) -> str:
    """Damage one file in a random way, and return how."""
    content, way = path.read_bytes(), rng.choice(DAMAGE)
    place = rng.randrange(max(len(content), 1))
    if way == "delete":
        path.unlink()
        return way
    if way == "edit" and path.suffix == ".json":
        path.write_text(json.dumps(_edited(json.loads(content), rng), indent=2), encoding="utf-8")
        return way
    damaged: dict[str, Callable[[], bytes]] = {
        "cut": lambda: content[:place],
        "append": lambda: content + rng.randbytes(rng.randrange(1, 9)),
        "overwrite": lambda: content[:place] + rng.randbytes(9) + content[place + 9 :],
        "exchange": lambda: rng.choice(others).read_bytes(),
    }
    way = way if way in damaged else "flip"
    flipped = content[:place] + bytes([content[place] ^ rng.randrange(1, 256)]) + content[place + 1 :]
    path.write_bytes(damaged[way]() if way in damaged else flipped)
    return way


def _edited(document: Any, rng: Random) -> Any:
    """A document in which one value is another one."""
    if isinstance(document, dict) and document:
        key = rng.choice(sorted(document))
        return document | {key: _edited(document[key], rng)}
    if isinstance(document, list) and document:
        place = rng.randrange(len(document))
        return [*document[:place], _edited(document[place], rng), *document[place + 1 :]]
    if isinstance(document, bool | int | float):
        return document + 1
    return f"{document}x"


def attack(whole: Path, work: Path, rng: Random, before: dict[str, Any]) -> tuple[str, str]:
    """Damage a copy of a lab and return how it ended, named, refused or harmless, or a fault, and what was done."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(whole, work)
    files = sorted(path for path in work.rglob("*") if path.is_file() and not path.name.startswith("."))
    path = rng.choice(files)
    done = f"{damage_file(path, files, rng)} {path.relative_to(work)}"
    try:
        named = not cp.verify_folder(work).holds
    except CounterpointError:
        return "refused", done
    except Exception as problem:  # the fault that this program looks for
        return f"fault: {type(problem).__name__}: {problem}", done
    if named:
        return "named", done
    try:
        found = read_lab(work)
        if not path.exists() and (alone := path.relative_to(work).parts[0]) in ALONE:
            return "gone" if found | {alone: ()} == before | {alone: ()} else "fault: silently altered", done
        return "harmless" if found == before else "fault: silently altered", done
    except CounterpointError as problem:
        return f"fault: holds, but cannot be read: {problem}", done


def run_attacks(count: int, seed: int, seconds: float = inf) -> tuple[Counter[str], list[str]]:
    """So many attacks, or as many as `seconds` allow; returns the endings, and the faults with what was done."""
    endings, faults, end = Counter[str](), list[str](), perf_counter() + seconds
    with TemporaryDirectory() as folder:
        whole = make_lab(Path(folder) / "whole" / "lab")
        shutil.copytree(whole, Path(folder) / "lab")
        before = read_lab(Path(folder) / "lab")
        for number in takewhile(lambda _: perf_counter() < end, range(count)):
            ending, done = attack(whole, Path(folder) / "lab", Random(f"{seed} {number}"), before)
            endings[ending.partition(":")[0]] += 1
            if ending.startswith("fault"):
                faults.append(f"attack {number}: {done}: {ending}")
    return endings, faults


def main() -> None:
    """Attack and print how it ended; the exit code is 1 after a fault."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=inf, help="end after so many seconds, whatever the count")
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    start = perf_counter()
    endings, faults = run_attacks(given.count, given.seed, given.seconds)
    print(f"{endings.total():,} damaged files in {perf_counter() - start:.0f} s: {dict(endings.most_common())}")
    print(*faults, sep="\n")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
