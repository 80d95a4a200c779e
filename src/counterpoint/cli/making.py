"""A suite is made from the scenes of a source, and put into a lab with its manifest."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.scenes import Scene
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import Lab
from counterpoint.store.suites import Manifest
from counterpoint.suites.suite import Tally, generate


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a suite is made of; the same recipe makes the same suite on every machine."""

    suite: str
    source: str = "world"
    split: str = "test"
    scenes: int = 1000
    groups: int | None = None  # all that there are, where no number is given


def made(
    lab: Lab,
    recipe: Recipe,
    seed: int = 0,
    *,
    tally: Tally,
    replace: bool = False,
    watch: Callable[[Iterable[Scene]], Iterable[Scene]] = iter,
) -> Manifest:
    """Make a suite and keep it; the tally counts what was kept and why the rest was not."""
    suite = catalog.find("suites", recipe.suite)
    shown = list(watch(catalog.find("sources", recipe.source)(recipe.split, recipe.scenes).scenes()))
    table = groups_table(generate(suite, shown, seed, recipe.groups, tally=tally), suite.name)
    if not tally.groups:
        reason = next((f"{kind}: {why}" for (kind, why), count in sorted(tally.dropped.items()) if count), "")
        raise CounterpointError(f"{recipe.suite} made nothing of {len(shown)} scenes of {recipe.source}", hint=reason)
    manifest = Manifest.of(
        table,
        generator=catalog.rows("suites").get(recipe.suite, recipe.suite),
        seed=seed,
        parameters={key: value for key, value in asdict(recipe).items() if key != "suite"},
        source=hex_id(content_id([scene.content_id for scene in shown])),
    )
    lab.put_suite(manifest, table, replace=replace)
    return manifest
