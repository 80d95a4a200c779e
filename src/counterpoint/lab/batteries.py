"""Several suites from one source at once: read once, walked once, and told as a table of what could be made."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.core.ids import content_id, hex_id
from counterpoint.lab.generation import Recipe, fingerprint, made, opened, said, settle
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.sources.dataset import DataSet, Source
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.suites.parallel import Batch, Limit, together
from counterpoint.suites.suite import Suite, Tally

_WORTH_IT = 1000  # scenes for each process, below which starting it takes longer than it saves


@dataclass(frozen=True, slots=True)
class Part:
    """One suite of a battery: its manifest, if anything could be made, and what was kept and dropped."""

    name: str
    manifest: Manifest | None
    tally: Tally
    obstacle: str = ""

    @property
    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        found = self.manifest
        counts = {"groups": found.groups, "queries": found.rows, "fingerprint": found.fingerprint} if found else {}
        return {**counts, "obstacle": self.obstacle}


def attempted(lab: LabStore, recipe: Recipe, seed: int, **how: Any) -> Part:
    """One suite, as if it were made alone; where nothing can be made of the source, why."""
    tally = Tally()
    try:
        manifest = made(lab, recipe, seed, tally=tally, **how)
    except CounterpointError as problem:
        if tally.groups:
            raise  # it could be made, and not be kept
        return Part(recipe.suite, None, tally, str(problem))
    return Part(recipe.suite, manifest, tally)


def made_together(
    lab: LabStore,
    recipe: Recipe,
    limits: Mapping[str, Limit],
    seed: int = 0,
    *,
    anew: bool = False,
    data: Path | None = None,
    watch: Callable[[Iterable[Any]], Iterable[Any]] = iter,
    tell: Callable[[str], object] = lambda line: None,
) -> list[Part]:
    """Make every suite that is named by the limits, each as if it were made alone, and put those that came to be."""
    source = opened(recipe, data, seed)
    if not hasattr(source, "scenes"):
        raise CounterpointError(f"{recipe.source} has no scenes", hint="these suites are made from them")
    suites, obstacles = _suites(limits, recipe, source)
    scenes = list(watch(source.scenes()))
    for line in source.skips.lines() if isinstance(source, Source) else ():
        tell(line)
    processes = min(os.cpu_count() or 1, max(1, len(scenes) // _WORTH_IT))
    batches = together(suites, scenes, seed, limits, pack=_table, processes=processes)
    origin = hex_id(content_id([fingerprint(scene) for scene in scenes]))
    rules = rule_set(recipe.rules or (source.dataset.rules if isinstance(source, Source) else "exact"))
    parts, addresses = list[Part](), set[str]()
    for name in limits:
        if name in obstacles or not batches[name].order:
            parts.append(Part(name, None, batches[name].tally if name in batches else Tally(), obstacles.get(name, "")))
            continue
        table = whole(batches[name])
        takes_means = "means" in catalog.find("suites", name).options
        own = replace(recipe, suite=name, groups=limits[name], means=recipe.means if takes_means else None)
        manifest = Manifest.of(
            table,
            generator=catalog.rows("suites").get(name, name),
            seed=seed,
            parameters=said(own) | {"dropped": batches[name].tally.reasons},
            source=origin,
            rules=rules.name,
        )
        lab.put_suite(manifest, table, replace=anew)
        addresses.update(table["picture"].drop_null().unique().to_pylist())
        parts.append(Part(name, manifest, batches[name].tally))
    if isinstance(source, Source):
        settle(lab, source, sorted(addresses), tell)
    return parts


def _suites(names: Iterable[str], recipe: Recipe, source: Any) -> tuple[list[Suite[Any, Any]], dict[str, str]]:
    """The suites that can be made of a source, and why others cannot."""
    found, obstacles = list[Suite[Any, Any]](), dict[str, str]()
    for name in names:
        suite = catalog.find("suites", name)
        try:
            means = recipe.means or getattr(source, "means", None)
            found.append(suite.configured({"means": means} if "means" in suite.options else {}))
        except CounterpointError as problem:
            obstacles[name] = f"{problem}; {problem.hint}"
    return found, obstacles


def _table(name: str, groups: Sequence[Any]) -> pa.Table:
    return groups_table(((name, group) for group in groups), name)


def whole(batch: Batch) -> pa.Table:
    """The table of a suite from its parts, each group in its place."""
    table = pa.concat_tables(batch.parts)
    starts = np.cumsum([0, *(len(part) for part in batch.parts[:-1])])
    rows = list[np.ndarray[Any, Any]]()
    for part, count in batch.order:
        rows.append(np.arange(starts[part], starts[part] + count))
        starts[part] += count
    return table.take(pa.array(np.concatenate(rows))).combine_chunks()


def told_absent(source: str) -> str:
    """What a source annotates wherever it is seen: from this alone follows that something is absent."""
    found = catalog.find("sources", source)
    known = found.exhaustive if isinstance(found, DataSet) else getattr(found, "exhaustive", "")
    return f"annotated wherever it is seen in {source}: {known}" if known else ""


def sheet(parts: Sequence[Part], kinds: Sequence[str]) -> Iterator[str]:
    """What was made, types of questions by tests; below it, why each cell that could have been filled is empty."""
    yield " " * 26 + "".join(f"{part.name:>10}" for part in parts)
    reasons = dict[str, list[str]]()
    for kind in kinds:
        cells = []
        for part in parts:
            count = sum(n for (own, _), n in part.tally.kept.items() if own == kind)
            reason = "" if count else _reason(part, kind)
            cells.append(f"{count:>10}" if count or reason else " " * 9 + "–")
            if reason:
                reasons.setdefault(f"{kind}: {reason}", []).append(part.name)
        yield f"{kind:<26}" + "".join(cells)
    yield f"{'groups':<26}" + "".join(f"{part.tally.groups:>10}" for part in parts)
    for reason, names in reasons.items():
        yield f"nothing for {', '.join(names)}: {reason}"
    yield from (f"nothing for {part.name}: {part.obstacle}" for part in parts if part.obstacle)


def _reason(part: Part, kind: str) -> str:
    """Why nothing of a kind was made, by what happened most often; nothing where the test has no such kind."""
    found = [(-count, why) for (own, why), count in part.tally.dropped.items() if own == kind and count]
    return min(found)[1] if found else ""
