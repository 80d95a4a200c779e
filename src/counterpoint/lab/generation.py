"""A suite is made from what a source holds, and put into a lab with its manifest."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.items import GroundedQuestion, Question
from counterpoint.core.pictures import Picture
from counterpoint.lab.foil_proposals import Filler, proposed
from counterpoint.language.answers.rule_sets import RuleSet, rule_set
from counterpoint.pictures.channel_means import Means
from counterpoint.sources.beside import told_beside
from counterpoint.sources.dataset import DataSet, Source
from counterpoint.sources.inside import NAMESPACE as UNPACKED
from counterpoint.sources.plain_files import OwnFiles
from counterpoint.sources.skips import Skips
from counterpoint.sources.texts import read_texts
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.suites.balanced_sampling import Quota
from counterpoint.suites.suite import Suite, Tally, generate

Held: TypeAlias = dict[tuple[str, str, bool], Sequence[Any]]
"""What was read of a source, for suites to come: by what it is, the rules by which it is judged, and if it is whole."""
_OWN = ("suite", "rules", "kept_as")  # what a manifest has in places of their own


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a suite is made of; the same recipe makes the same suite on every machine."""

    suite: str
    source: str = "world"
    split: str = "test"
    scenes: int = 1000  # or questions, captions, whatever the suite takes
    groups: int | Quota | None = None  # all that there are, where no number is given
    rules: str = ""  # those of the source, where none are named
    columns: Mapping[str, str] = field(default_factory=dict)  # which column holds what, in files of one's own
    means: Means | None = None  # the mean color of the training pictures, where a suite paints in it
    contrasts: int | None = None  # for a question, at most, where a suite makes contrasts
    variants: int | None = None  # for a question, at most, where a suite exchanges inputs or disturbs features
    kept_as: str = ""  # the name under which a lab has it, where that is not its own


def made(
    lab: LabStore,
    recipe: Recipe,
    seed: int = 0,
    *,
    tally: Tally,
    anew: bool = False,
    data: Path | None = None,
    texts: Path | None = None,
    watch: Callable[[Iterable[Any]], Iterable[Any]] = iter,
    tell: Callable[[str], object] = lambda line: None,
    kept: Collection[str] | None = None,
    asked: Filler | None = None,
    held: Held | None = None,
) -> Manifest:
    """Make a suite and keep it; the tally counts what was kept and why the rest was not.

    `data` is where the files of the source are; the lab is told where their pictures are, if they are there. What the
    source left out, and what was unpacked, is told line by line. `texts` is a file with its questions in other words.
    Where it is said which items are `kept`, by their ids, groups are made of these alone, and of all of them. Who is
    `asked` proposes foils, to suites that have a use for it. What is `held` is not read again.
    """
    suite = catalog.find("suites", recipe.suite)
    options = {"contrasts": recipe.contrasts, "variants": recipe.variants, "means": recipe.means}
    suite.check_options(name for name, value in options.items() if value is not None)
    source = opened(recipe, data, seed, whole=suite.reads_whole_source)
    suite = replace(suite, takes=taken(suite, source))
    if not hasattr(source, suite.takes):
        raise CounterpointError(f"{recipe.source} has no {suite.takes}", hint=f"{recipe.suite} is made from them")
    means = recipe.means or getattr(source, "means", None) if "means" in suite.options else None
    suite = suite.configured({**options, "means": means})
    rules = rule_set(recipe.rules or suite.rules or _rules_of(source))
    held, kind = {} if held is None else held, (suite.takes, rules.name, suite.reads_whole_source)
    read = held[kind] if kind in held else getattr(source, suite.takes)()
    again = iter(read) is not read  # what can be walked again is not held
    shown = read if again else held.setdefault(kind, [judged(item, rules) for item in watch(read)])
    shown = shown if texts is None else with_texts(shown, texts, tell)
    if not again:
        _tell_skips(source, tell)
    suite, proposer = proposed(suite, asked, shown)
    seen = suite.survey(shown) if suite.survey else None
    seen = suite.extend_survey(seen, partial(told_beside, source)) if suite.extend_survey else seen
    items = shown if kept is None else [item for item in shown if item.id in kept]
    limit = recipe.groups if kept is None else None
    groups = generate(suite, items, seed, limit, statistics=seen, tally=tally)
    table = groups_table(groups, recipe.kept_as or suite.name)
    if again:
        _tell_skips(source, tell)
    if not tally.groups:
        reason = next((f"{kind}: {why}" for (kind, why), count in sorted(tally.dropped.items()) if count), "")
        raise CounterpointError(
            f"{recipe.suite} made nothing of {sum(1 for _ in shown)} {suite.takes} of {recipe.source}", hint=reason
        )
    noted = {"dropped": tally.reasons} | dict(suite.manifest_entries(seen) if suite.manifest_entries else {})
    manifest = Manifest.of(
        table,
        generator=catalog.rows("suites").get(recipe.suite, recipe.suite),
        seed=seed,
        parameters=said(replace(recipe, means=means)) | proposer | noted,
        source=hex_id(content_id([fingerprint(item) for item in shown])),
        rules=rules.name,
    )
    lab.put_suite(manifest, table, replace=anew)
    if isinstance(source, Source):
        settle(lab, source, table["picture"].drop_null().unique().to_pylist(), tell)
    return manifest


def taken(suite: Suite[Any, Any], source: Any) -> str:
    """What a suite is made from: what it would rather have where the source can give it, else what it takes."""
    if suite.prefers not in ("grounded", "described"):
        return suite.takes
    if not isinstance(source, Source):
        return suite.prefers if hasattr(source, suite.prefers) else suite.takes
    try:
        return suite.prefers if "scenes" in source.dataset.read and source.files("scenes") else suite.takes
    except CounterpointError:  # of the two kinds of files people may have one
        return suite.takes


def _tell_skips(source: Any, tell: Callable[[str], object]) -> None:
    for line in source.skips.lines() if isinstance(source, Source) else ():
        tell(line)


def said(recipe: Recipe) -> dict[str, Any]:
    """The parameters of a manifest."""
    return {key: value for key, value in asdict(recipe).items() if _is_said(key, value)}


def _is_said(key: str, value: Any) -> bool:
    """Whether a manifest has a parameter: not what it says elsewhere, and nothing that was not used."""
    return key not in _OWN and value != {} and not (key in ("means", "contrasts", "variants") and value is None)


def settle(lab: LabStore, source: Source, addresses: Iterable[str], tell: Callable[[str], object]) -> None:
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


def unpack(lab: LabStore, pictures: Iterable[tuple[str, bytes]], tell: Callable[[str], object]) -> None:
    """Put pictures into the lab as files, under names that follow from their bytes."""
    folder, count, size = f"pictures/{UNPACKED}", 0, 0
    for address, content in pictures:
        name = f"{folder}/{Picture(address).path}"
        if not lab.storage.path(name).exists():
            lab.storage.put(name, content)
        count, size = count + 1, size + len(content)
    lab.set_root(UNPACKED, lab.storage.path(folder))
    tell(f"{count:,} pictures, {size / 2**20:,.1f} MB, are unpacked in {lab.storage.path(folder)}")


def with_texts(items: Sequence[Any], path: Path, tell: Callable[[str], object]) -> list[Any]:
    """Every question, and after it a copy in each of the other words that a file has for it."""
    skips = Skips()
    texts = read_texts(path, skips)
    for line in skips.lines():
        tell(line)
    known = {item.id for item in items}
    if strange := len(texts.keys() - known):
        tell(f"{strange:,} ids of {path.name} are those of no question that was read")
    found: list[Any] = []
    for item in items:
        others = enumerate(texts.get(item.id, ()), 1) if isinstance(item, Question) else ()
        found += item, *(replace(item, id=f"{item.id}-{n}", text=text, same_as=item.id) for n, text in others)
    return found


def _rules_of(source: Any) -> str:
    """The rule set of a source, if it has one."""
    return str(source.dataset.rules if isinstance(source, Source) else getattr(source, "rules", "exact"))


def opened(recipe: Recipe, data: Path | None, seed: int = 0, *, whole: bool = False) -> Any:
    """The source of a recipe: one that draws its own scenes, or a split of a data set, whole or a sample of it."""
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
    return Source(found, data, recipe.split, None if whole else recipe.scenes, seed, columns=recipe.columns)


def judged(item: Any, rules: RuleSet) -> Any:
    """An item whose gold, where several people gave it, earns what a rule set says."""
    if isinstance(item, GroundedQuestion):
        return replace(item, question=judged(item.question, rules))
    return replace(item, gold=rules.gold(item.votes)) if isinstance(item, Question) and item.votes else item


def fingerprint(item: Any) -> int:
    """A number that changes when anything in an item of a source does."""
    known: int = item.content_id if hasattr(item, "content_id") else content_id(repr(item))
    return known
