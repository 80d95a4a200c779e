"""A small lab with many versions of a model, whose shares of right answers are chosen."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

GROUPS = 200


def version_groups(suite: str) -> list[Group]:
    """Two questions on each of two hundred pictures, of which three are files."""
    texts = (f"Is there a {suite}?", f"Is a {suite} there?")
    return [
        Group(
            Relation.SAME,
            tuple(Query(Picture(f"{suite}:{number}.png"), text) for text in texts),
            (Gold.of("yes"),) * 2,
            proof="it is drawn",
        )
        for number in range(GROUPS)
    ]


def lab_of_versions(folder: Path, shares: Mapping[str, Mapping[str, Sequence[int]]]) -> LabStore:
    """A lab whose models have, on each suite, so many right groups at step 100, 200, …: always the first ones.

    A negative number means that this version was not asked. Each version is run on a day of its own.
    """
    lab = LabStore(folder)
    suites = list(dict.fromkeys(suite for own in shares.values() for suite in own))
    for suite in suites:
        (folder / suite).mkdir(parents=True)
        for number in range(3):
            Image.fromarray(np.full((30, 40, 3), 60 * number, np.uint8)).save(folder / suite / f"{number}.png")
        lab.set_root(suite, folder / suite)
        table = groups_table([(suite, group) for group in version_groups(suite)], suite)
        lab.put_suite(Manifest.of(table, generator="version_labs", seed=0), table)
    for model, own in shares.items():
        for step in range(len(next(iter(own.values())))):
            fingerprint, run = f"{model} {step}", f"202611{step + 1:02}T000000-{model}"
            with lab.answers(fingerprint, run=run) as log:
                for suite, right in own.items():
                    for number, group in enumerate(version_groups(suite) if right[step] >= 0 else ()):
                        answer = Answer.of("yes" if number < right[step] else "no")
                        log.add((query.id, 0, answer, "", 0.0) for query in group.queries)
            lab.put_run(RunRecord(run, model, fingerprint, {}, f"step-{100 * (step + 1)}"))
    return lab
