"""A suite is made from what a source holds, and put into a lab with its manifest."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.language.rulesets import RuleSet, rule_set
from counterpoint.sources.dataset import DataSet, Source
from counterpoint.sources.inside import NAMESPACE as UNPACKED
from counterpoint.sources.plain_files import OwnFiles
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import Lab
from counterpoint.store.suites import Manifest
from counterpoint.suites.suite import Tally, generate

_OWN = ("suite", "rules")  # what a manifest has in places of their own


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a suite is made of; the same recipe makes the same suite on every machine."""

    suite: str
    source: str = "world"
    split: str = "test"
    scenes: int = 1000  # or questions, captions, whatever the suite takes
    groups: int | None = None  # all that there are, where no number is given
    rules: str = ""  # those of the source, where none are named
    columns: Mapping[str, str] = field(default_factory=dict)  # which column holds what, in files of one's own


def made(
    lab: Lab,
    recipe: Recipe,
    seed: int = 0,
    *,
    tally: Tally,
    anew: bool = False,
    data: Path | None = None,
    watch: Callable[[Iterable[Any]], Iterable[Any]] = iter,
    tell: Callable[[str], object] = lambda line: None,
) -> Manifest:
    """Make a suite and keep it; the tally counts what was kept and why the rest was not.

    `data` is where the files of the source are; the lab is told where their pictures are, if they are there. What the
    source left out, and what was unpacked, is told line by line.
    """
    suite = catalog.find("suites", recipe.suite)
    source = opened(recipe, data, seed)
    if not hasattr(source, suite.takes):
        raise CounterpointError(f"{recipe.source} has no {suite.takes}", hint=f"{recipe.suite} is made from them")
    rules = rule_set(recipe.rules or (source.dataset.rules if isinstance(source, Source) else "exact"))
    shown = [judged(item, rules) for item in watch(getattr(source, suite.takes)())]
    for line in source.skips.lines() if isinstance(source, Source) else ():
        tell(line)
    table = groups_table(generate(suite, shown, seed, recipe.groups, tally=tally), suite.name)
    if not tally.groups:
        reason = next((f"{kind}: {why}" for (kind, why), count in sorted(tally.dropped.items()) if count), "")
        raise CounterpointError(
            f"{recipe.suite} made nothing of {len(shown)} {suite.takes} of {recipe.source}", hint=reason
        )
    manifest = Manifest.of(
        table,
        generator=catalog.rows("suites").get(recipe.suite, recipe.suite),
        seed=seed,
        parameters={key: value for key, value in asdict(recipe).items() if key not in _OWN and value != {}},
        source=hex_id(content_id([fingerprint(item) for item in shown])),
        rules=rules.name,
    )
    lab.put_suite(manifest, table, replace=anew)
    if isinstance(source, Source):
        settle(lab, source, table["picture"].drop_null().unique().to_pylist(), tell)
    return manifest


def settle(lab: Lab, source: Source, addresses: Iterable[str], tell: Callable[[str], object]) -> None:
    """Say where the pictures at these addresses are; those that lie within the rows of a file are unpacked first."""
    by_namespace: dict[str, list[str]] = {}
    for address in addresses:
        by_namespace.setdefault(Picture(address).namespace, []).append(address)
    own = source.dataset
    if not isinstance(own, OwnFiles):
        if root := own.picture_root(source.folder):
            for namespace in by_namespace:
                lab.set_root(namespace, root)
        return
    beside = source.columns.get("namespace", own.namespace)
    if beside in by_namespace:
        lab.set_root(beside, own.root_of(source.folder, Picture(by_namespace[beside][0]).path))
    if inside := by_namespace.get(UNPACKED):
        unpack(lab, own.unpacked(source.files(), inside), tell)


def unpack(lab: Lab, pictures: Iterable[tuple[str, bytes]], tell: Callable[[str], object]) -> None:
    """Put pictures into the lab as files, under names that follow from their bytes."""
    folder, count, size = f"pictures/{UNPACKED}", 0, 0
    for address, content in pictures:
        name = f"{folder}/{Picture(address).path}"
        if not lab.shelf.path(name).exists():
            lab.shelf.put(name, content)
        count, size = count + 1, size + len(content)
    lab.set_root(UNPACKED, lab.shelf.path(folder))
    tell(f"{count:,} pictures, {size / 2**20:,.1f} MB, are unpacked in {lab.shelf.path(folder)}")


def opened(recipe: Recipe, data: Path | None, seed: int = 0) -> Any:
    """The source of a recipe: one that draws its own scenes, or a split of a data set in a folder."""
    name, _, on_hub = recipe.source.partition("/")
    found = catalog.find("sources", name if on_hub else recipe.source)
    if recipe.columns and not isinstance(found, OwnFiles):
        raise CounterpointError(f"{recipe.source} has columns of its own", hint="--columns is for files of your own")
    if not isinstance(found, DataSet):
        return found(recipe.split, recipe.scenes)
    if on_hub:
        data = Path(on_hub)
    if data is None:
        hint = f"say where its files are: --data FOLDER; counterpoint data {recipe.source} says which are expected"
        raise CounterpointError(f"{found.title} is read from files", hint=hint)
    return Source(found, data, recipe.split, recipe.scenes, seed, columns=recipe.columns)


def judged(item: Any, rules: RuleSet) -> Any:
    """An item whose gold, where several people gave it, earns what a rule set says."""
    return replace(item, gold=rules.gold(item.votes)) if isinstance(item, Question) and item.votes else item


def fingerprint(item: Any) -> int:
    """A number that changes when anything in an item of a source does."""
    known: int = item.content_id if hasattr(item, "content_id") else content_id(repr(item))
    return known
