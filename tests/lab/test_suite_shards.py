import gc
import os
import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from proving import prove, sample, scaled
from scenery import scene, world

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Group
from counterpoint.core.scenes import Scene
from counterpoint.lab.generation import GenerateRequest, generate
from counterpoint.lab.suite_shards import BuiltSuite, ItemSlice, SuiteTask, build_suites
from counterpoint.lab.world_files import write_world
from counterpoint.sources.item_spool import ItemSpool
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.suites.balanced_sampling import Quota
from counterpoint.suites.carets import antonym, negation, ontology, order, rephrase
from counterpoint.suites.families import carets
from counterpoint.suites.suite import Rejection, Suite, Tally, generate_groups
from counterpoint.world.source import World

CARETS = (rephrase.suite, order.suite, negation.suite, ontology.suite, antonym.suite)
FED = group_pairs(
    (suite.prefers or suite.takes, suite)
    for suite in (catalog.find("suites", name) for name in catalog.TABLES["suites"])
    if hasattr(World, suite.takes)
)
"""The suites that can be made of what the built-in world has, by the kind of item."""


def _task(suite: Suite[Any, Any], items: Sequence[Any], limit: int | Quota | None = None) -> SuiteTask:
    return SuiteTask(suite, suite.name, suite.survey(items) if suite.survey else None, limit)


def _alone(task: SuiteTask, items: Sequence[Any], seed: int = 3) -> tuple[pa.Table, Tally]:
    """What `generate_groups` makes, in a single walk in this process."""
    tally = Tally()
    groups = generate_groups(task.suite, items, seed, task.limit, statistics=task.statistics, tally=tally)
    return groups_table(groups, task.stored_as), tally


def _check(built: BuiltSuite, table: pa.Table, tally: Tally) -> None:
    assert built.table.equals(table)
    assert (built.tally.kept, +built.tally.dropped) == (tally.kept, +tally.dropped)


@pytest.mark.parametrize(("scenes", "limit"), [(3, 9), prove(100, 9), prove(100, None)])
@pytest.mark.parametrize("kind", sample(FED, 1))
def test_any_number_of_processes_makes_the_same_suites(kind: str, scenes: int, limit: int | None) -> None:
    """Every suite that is made of such items, all in one walk, is what it is alone in this process."""
    items = list(getattr(World("test", scenes), kind)())
    ready = [suite.configured(dict.fromkeys(suite.required, World.means)) for suite in FED[kind]]
    tasks = [_task(suite, items, limit) for suite in ready]
    alone = [_alone(task, items) for task in tasks]
    surveyed = [replace(task, statistics=None if task.suite.merges else task.statistics) for task in tasks]
    for processes in (1, 2, 3):
        for kept in (items, ItemSpool.of(items, held=0, portion=3)):
            for built, expected in zip(build_suites(surveyed, kept, 3, processes=processes), alone, strict=True):
                _check(built, *expected)


def test_a_slice_takes_its_items_to_another_machine() -> None:
    scenes = list(world(9))
    for items in (scenes, ItemSpool.of(scenes, held=0, portion=2)):
        part = ItemSlice(items, 2, 7)
        sent = pickle.loads(pickle.dumps(part.copy()))
        assert list(sent) == list(part) == scenes[2:7]
        assert sent.is_held == part.is_held == (items is scenes)
    assert list(sent.pick([0, 3, 4])) == list(part.pick([0, 3, 4])) == [scenes[2], scenes[5], scenes[6]]


@pytest.mark.parametrize(
    ("processes", "limit"),
    [(1, None), (2, Quota(20, 12)), prove(1, 40), prove(1, Quota(20, 12)), prove(2, None), prove(2, 40)],
)
def test_suites_that_are_made_together_are_those_that_are_made_alone(processes: int, limit: int | Quota | None) -> None:
    scenes = world(scaled(96, 12))
    tasks = [_task(suite, scenes, limit) for suite in CARETS]
    for built, task in zip(build_suites(tasks, scenes, 3, processes=processes), tasks, strict=True):
        _check(built, *_alone(task, scenes))


@pytest.mark.prove
@pytest.mark.parametrize("limit", [7, prove(None), prove(10_000)])
def test_scenes_that_repeat_each_other_make_their_groups_once(limit: int | None) -> None:
    scenes = [*world(12), *world(12)[::-1]]
    task = _task(order.suite, scenes, limit)
    for processes in (1, 2, 5):
        (built,) = build_suites([task], scenes, 3, processes=processes)
        _check(built, *_alone(task, scenes))
        ids = built.table["group_id"].to_pylist()[::2]
        assert len(ids) == len(set(ids)) > 5


def _broken(item: Scene, statistics: None, rng: Random) -> list[Group | Rejection]:
    raise ValueError(f"nothing can be made of {item.id}")


def _deadly(item: Scene, statistics: None, rng: Random) -> list[Group | Rejection]:
    os._exit(9)


def test_what_goes_wrong_in_another_process_is_said_here() -> None:
    scenes = [scene(n, ("cat",)) for n in range(4)]
    with pytest.raises(ValueError, match="nothing can be made of scene"):
        build_suites([SuiteTask(Suite("broken", tests="nothing", propose=_broken), "")], scenes, 0, processes=2)
    with pytest.raises(CounterpointError, match=r"worker shard \d of 2 died with exit code 9"):
        build_suites([SuiteTask(Suite("deadly", tests="nothing", propose=_deadly), "")], scenes, 0, processes=2)


def test_items_are_left_out_of_garbage_collections_until_one_process_made_suites_or_failed() -> None:
    seen, scenes = list[bool](), [scene(n, ("cat",)) for n in range(2)]

    def watch(*_: object) -> tuple[Rejection]:
        seen.append(gc.get_freeze_count() > 0)
        return (Rejection("watched", "no group"),)

    watching: Suite[Scene, None] = Suite("watching", tests="nothing", propose=watch)
    build_suites([SuiteTask(watching, "")], scenes, 0)
    assert seen == [True] * 2
    assert not gc.get_freeze_count()
    with pytest.raises(ValueError, match="nothing can be made of scene"):
        build_suites([SuiteTask(Suite("broken", tests="nothing", propose=_broken), "")], scenes, 0)
    assert not gc.get_freeze_count()


def test_workers_change_no_byte_of_what_a_lab_keeps(tmp_path: Path) -> None:
    kept = []
    for workers in (1, 3):
        lab = LabStore(tmp_path / str(workers))
        generate(lab, GenerateRequest(("contrast", "carets", "existence"), items=4, limit=10, workers=workers))
        kept.append({name: lab.storage.get(name) for name in lab.storage.names("suites/")})
    assert kept[0] == kept[1]
    assert len(kept[0]) >= 12


def test_each_process_reads_its_slice_of_questions_that_are_not_held(tmp_path: Path) -> None:
    data, made = write_world(tmp_path / "data", split="validation", items=3), []
    for workers in (1, 3):
        request = GenerateRequest(("contrast",), source="gqa", data=data, split="val", workers=workers)
        (suite,) = generate(LabStore(tmp_path / str(workers)), request).suites
        assert suite.manifest is not None
        made.append((suite.manifest.fingerprint, suite.manifest.parameters, suite.tally))
    assert made[0] == made[1]


def test_the_sizes_of_the_paper_add_up_to_its_table() -> None:
    assert {name: quota.binary + quota.choice for name, quota in carets.sizes.items()} == {
        "rephrase": 19_412,
        "order": 14_412,
        "ontology": 13_952,
        "visual": 26_272,
        "negation": 10_000,
        "antonym": 5_000,
    }
    pairs = sum((5 if name == "visual" else 1) * (q.binary + q.choice) for name, q in carets.sizes.items())
    assert pairs > 190_000
    assert set(carets.suites) == set(carets.sizes)
