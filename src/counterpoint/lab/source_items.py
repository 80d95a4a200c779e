"""Items of a source, opened by name: each kind is read once, however many suites are made from it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from typing import Any

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, PictureError
from counterpoint.core.grouping import group_pairs
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.items import GroundedQuestion, Question
from counterpoint.core.pictures import Picture
from counterpoint.core.quantities import counted
from counterpoint.lab.picture_locations import describe_search, search_pictures
from counterpoint.lab.progress import ProgressCallback, ignore_progress, logger, track
from counterpoint.lab.remote_data import fetch_data
from counterpoint.language.answers.rule_sets import RuleSet
from counterpoint.sources.dataset import OWN, DataSet, Source, has_captions
from counterpoint.sources.file_checks import most_complete_split
from counterpoint.sources.formats.own_files import OwnFiles, read_rewordings
from counterpoint.sources.item_spool import ItemSpool
from counterpoint.sources.reading.cells import UNPACKED
from counterpoint.sources.reading.records import Skips
from counterpoint.store.lab import LabStore
from counterpoint.store.pictures import LabPictures, PictureBucket
from counterpoint.store.storage import is_address, join_address
from counterpoint.suites.suite import Suite

QUESTIONS_MADE = "questions_made"
"""The entry of a manifest that says how many questions templates made of scenes, and what they rejected."""
_ASKED = ("questions", "grounded")
_DEFAULT = "test"
_PICTURES_SOUGHT = 5  # in each folder of a bucket


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """Which part of which source is read."""

    source: str = "world"  # a name of the catalog, module:object, or hf/NAME
    data: Path | str | None = None  # the folder or file of a data set, or its address
    split: str = _DEFAULT
    items: int = 1000  # scenes, questions, captions, …: whatever is read
    seed: int = 0  # for the sample of a data set
    columns: Mapping[str, str] = field(default_factory=dict)  # by role, for plain files
    pictures: Path | str | None = None  # their folder or address, where it is named


def open_source(
    source: str,
    *,
    data: Path | str | None = None,
    split: str = "test",
    items: int | None = None,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
) -> Any:
    """Open a source by its name: `scenes()`, `questions()`, `captions()` and so on read it, `skips` counts bad records.

    `items` is how much of it is read, by default all, or 1,000 scenes of the world; `seed` draws which of a data set.
    The world is always the same: `World(seed=…)` has other scenes.

    >>> [scene.place for scene in open_source("world", items=2).scenes()]
    ['street', 'kitchen']
    """
    request = SourceRequest(source, data, split, 1000 if items is None else items, seed, columns or {})
    return load_source(request, whole=items is None)


def load_source(request: SourceRequest, *, whole: bool = False) -> Any:
    """Open a source: one that draws its own scenes, or a split of a data set, whole or a sample of it."""
    source, cached = resolve_source(request.source)
    if request.columns and not isinstance(source, OwnFiles):
        raise CounterpointError(f"{request.source} has columns of its own", hint="--columns is for plain files")
    if not isinstance(source, DataSet):
        if not callable(source):
            raise CounterpointError(f"{request.source} is no source", hint="see how-to/add-a-source")
        return source(request.split, request.items)
    data = cached or request.data
    if data is None:
        hint = f"name their folder with --data FOLDER; counterpoint data {request.source} lists the expected files"
        raise CounterpointError(f"{source.title} is read from files", hint=hint)
    split, address = request.split, str(data) if is_address(data) else ""
    folder = fetch_data(data, _files_of_other_splits(source, split))
    if split == _DEFAULT and source.part_of:  # files of one's own have no splits
        split = most_complete_split(source, folder)
    limit = None if whole else request.items
    pictures = None if request.pictures is None or is_address(request.pictures) else Path(request.pictures)
    return Source(
        source, folder, split, limit, request.seed, columns=request.columns, address=address, pictures=pictures
    )


def _files_of_other_splits(dataset: DataSet, split: str) -> frozenset[str]:
    """The official names of files that this split does not read; of an unknown split none is told."""
    if split not in dataset.splits:
        return frozenset()
    by_split = [(own, names) for file in dataset.files for own, names in file.names.items()]
    read = {PurePosixPath(name).name for own, names in by_split if own == split for name in names}
    return frozenset(PurePosixPath(names[0]).name for own, names in by_split if own != split and names) - read


def resolve_source(name: str) -> tuple[Any, Path | None]:
    """The source of the catalog that a name means, and for `hf/NAME` its folder: one on disk, or one in the cache."""
    known, _, on_hub = name.partition("/")
    if known != "hf" or not on_hub:
        return catalog.resolve("sources", name), None
    from counterpoint.sources.formats.hf_datasets import cached_folder

    folder = Path(on_hub)
    return catalog.resolve("sources", known), folder if folder.exists() else cached_folder(on_hub)


def source_rules(source: Any) -> str:
    """The rule set by which a source's answers are compared."""
    return str(source.dataset.rules if isinstance(source, Source) else getattr(source, "rules", "exact"))


def absence_note(name: str) -> str:
    """What a source annotates exhaustively; only such an object can be proved absent."""
    source = catalog.resolve("sources", name if ":" in name else name.partition("/")[0])
    exhaustive = source.exhaustive if isinstance(source, DataSet) else getattr(source, "exhaustive", "")
    return f"annotated wherever it is seen in {name}: {exhaustive}" if exhaustive else ""


def questions_note(parameters: Mapping[str, Any]) -> str:
    """How many questions templates made, by the parameters of a manifest; nothing where the source has questions."""
    made = parameters.get(QUESTIONS_MADE)
    if made is None:
        return ""
    kinds = {kind: sum(answers.values()) for kind, answers in made["made"].items() if answers}
    listed = ", ".join(f"{kind} {count:,}" for kind, count in kinds.items())
    scenes, questions = counted(made["scenes"], "scene"), counted(sum(kinds.values()), "question")
    return f"{questions} made by templates from {scenes}, since the source has none: {listed}"


def apply_rules(item: Any, rules: RuleSet) -> Any:
    """An item whose gold, where several annotators gave it, is weighted by a rule set."""
    if isinstance(item, GroundedQuestion):
        return replace(item, question=apply_rules(item.question, rules))
    return replace(item, gold=rules.gold(item.votes)) if isinstance(item, Question) and item.votes else item


def items_fingerprint(items: Iterable[Any]) -> str:
    """The fingerprint of annotations, for a manifest; it changes when anything in an item does."""
    return hex_id(content_id([_item_id(item) for item in items]))


def _item_id(item: Any) -> int:
    return getattr(item, "content_id", None) or content_id(repr(item))


class ItemCollection:
    """Items of one kind that were read, or that can be walked again at will, with their fingerprint."""

    def __init__(self, items: Iterable[Any], source: Any, entries: Mapping[str, Any] | None = None) -> None:
        self.items, self.source = items, source
        self.entries = entries or {}  # of a manifest: how items that are not the source's own were made

    @cached_property
    def _counted(self) -> tuple[str, int]:
        """The fingerprint and the number of items, in one walk over those whose ids are not known yet."""
        known = self.items.ids if isinstance(self.items, ItemSpool) else ()
        ids = list(known or map(_item_id, self.items))
        return hex_id(content_id(ids)), len(ids)

    @property
    def sized(self) -> "ItemSpool[Any] | ItemCollection":
        """The items as they are kept, or these, where they are read from a file at each walk."""
        return self.items if isinstance(self.items, ItemSpool) else self

    @property
    def fingerprint(self) -> str:
        """The fingerprint of all items."""
        return self._counted[0]

    def __len__(self) -> int:
        return self._counted[1]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)


class SourceItems:
    """The items of a source by kind and rule set, each read at most once; skipped records are logged."""

    def __init__(
        self, request: SourceRequest, *, texts: Path | None = None, progress: ProgressCallback = ignore_progress
    ) -> None:
        self._request, self._texts, self._progress = request, texts, progress
        self._opened: dict[bool, Any] = {}
        self._collections: dict[tuple[str, str, bool], ItemCollection] = {}

    def source(self, *, whole: bool = False) -> Any:
        """The opened source; with `whole` its sample size is ignored."""
        if whole not in self._opened:
            self._opened[whole] = load_source(self._request, whole=whole)
        return self._opened[whole]

    def fitting(self, suite: Suite[Any, Any]) -> Suite[Any, Any]:
        """The suite itself, or the one for captions where the source has these alone, or its file of them is named."""
        return suite.of_captions if suite.of_captions and has_only_captions(self.source()) else suite

    def kind(self, takes: str, prefers: str, *, whole: bool = False) -> str:
        """The kind of items for a suite: the one it prefers where the source has it, else the one it takes."""
        source = self.source(whole=whole)
        chosen = prefers if prefers and _has_kind(source, prefers) else takes
        if not hasattr(source, chosen) and not (chosen in _ASKED and has_only_scenes(source)):
            raise CounterpointError(f"{self._request.source} has no {chosen}", hint="choose another source or suite")
        return chosen

    def read(self, kind: str, rules: RuleSet, *, whole: bool = False) -> ItemCollection:
        """All items of a kind; those that a source can only yield once are kept, many of them on disk."""
        key = kind, rules.name, whole
        if key not in self._collections:
            source = self.source(whole=whole)
            if kind in _ASKED and has_only_scenes(source):
                return self._collections.setdefault(key, self._make_questions(kind, rules, whole=whole))
            items = _turns(source) if kind == "questions" and has_only_dialogues(source) else getattr(source, kind)()
            if iter(items) is items:
                items = self._spool(source, kind, items, rules, None if whole else self._request.items)
                self.log_skips(source)
            if self._texts is not None:
                items = add_rewordings(items, self._texts)
            self._collections[key] = ItemCollection(items, source)
        return self._collections[key]

    def _spool(self, source: Any, kind: str, items: Iterable[Any], rules: RuleSet, total: int | None) -> ItemSpool[Any]:
        """All items with their ids; scenes, which are heavy and have no rules, are not kept a second time."""
        kept, tracked = ItemSpool[Any](digest=_item_id), partial(track, task="reading", progress=self._progress)
        if kind == "scenes" and isinstance(source, Source):
            return source.spool(kind, tracked, kept)
        return kept.extend(apply_rules(item, rules) for item in tracked(items, total=total))

    def _make_questions(self, kind: str, rules: RuleSet, *, whole: bool) -> ItemCollection:
        """Questions by templates about the scenes of a source that has no questions."""
        scenes = self.read("scenes", rules, whole=whole)
        from counterpoint.suites.scene_questions import make_questions  # slow to import

        made, tally = make_questions(scenes.items, self._request.seed)
        items = made if kind == "grounded" else [item.question for item in made]
        if self._texts is not None:
            items = add_rewordings(items, self._texts)
        entries = {QUESTIONS_MADE: {"scenes": len(scenes), "made": tally.answers, "rejected": tally.reasons}}
        return ItemCollection(items, scenes.source, entries)

    def log_skips(self, source: Any) -> None:
        """Log what the last reading of a source skipped, and of how many items it took a sample, once."""
        if isinstance(source, Source):
            log_skips(source.skips)
            for kind, number in source.counts.items():
                if source.limit is not None and number > source.limit:
                    logger.warning(f"{source.limit:,} of {number:,} {kind} are read: --items {number} reads all")
            source.skips, source.counts = Skips(), {}


def log_skips(skips: Skips) -> None:
    """Log how many records were skipped, by reason."""
    for line in skips.lines():
        logger.warning(line)


def has_only_scenes(source: Any) -> bool:
    """Whether a source has scenes and no questions of its own, so that templates make them."""
    has_questions = "questions" in source.dataset.read if isinstance(source, Source) else hasattr(source, "questions")
    return not has_questions and _has_kind(source, "scenes")


def has_only_dialogues(source: Any) -> bool:
    """Whether a data set has dialogues and no questions, so that the turns are its questions."""
    return isinstance(source, Source) and "dialogues" in source.dataset.read and "questions" not in source.dataset.read


def read_questions(source: Any) -> Iterable[Question]:
    """The questions of a source, or the turns of its dialogues where it has these alone."""
    return _turns(source) if has_only_dialogues(source) else source.questions()


def _turns(source: Source) -> Iterator[Question]:
    from counterpoint.suites.rad.dialogues import turn_questions  # slow to import

    return (question for dialogue in source.dialogues() for question in turn_questions(dialogue))


def has_only_questions(source: Any) -> bool:
    """Whether a data set has questions, and its scenes, where it has any, are not there."""
    return isinstance(source, Source) and "questions" in source.dataset.read and not _has_kind(source, "scenes")


def has_only_captions(source: Any) -> bool:
    """Whether a data set has captions, and neither questions nor scenes, or its file of captions was named."""
    if not isinstance(source, Source) or "questions" in source.dataset.read or not has_captions(source):
        return False
    return _named_part(source) == "captions" or not _has_kind(source, "scenes")


def _has_kind(source: Any, kind: str) -> bool:
    """Whether a source has items joined with scenes; of the files of a data set people may have only some."""
    if not isinstance(source, Source):
        return hasattr(source, kind)
    if source.split != OWN and _named_part(source) == "captions":
        return False
    try:
        return "scenes" in source.dataset.read and bool(source.files("scenes"))
    except CounterpointError:
        return False


def _named_part(source: Source) -> str:
    """The part of a data set that a file is that was named outright, by its content; empty for a folder."""
    part_of = source.dataset.part_of
    return part_of(source.folder) if part_of and source.folder.is_file() else ""


def add_rewordings(items: Iterable[Any], path: Path) -> list[Any]:
    """Every question, followed by a copy for each rewording that a file has for its id."""
    skips = Skips()
    texts = read_rewordings(path, skips)
    log_skips(skips)
    items = list(items)
    if unknown := len(texts.keys() - {item.id for item in items}):
        logger.warning(f"{path.name}: {counted(unknown, 'id', 'are')} not among the questions that were read")
    extended: list[Any] = []
    for item in items:
        rewordings = enumerate(texts.get(item.id, ()), 1) if isinstance(item, Question) else ()
        extended += item, *(replace(item, id=f"{item.id}-{n}", text=text, same_as=item.id) for n, text in rewordings)
    return extended


def picture_roots(source: Any, addresses: Sequence[str], named: Path | str | None) -> dict[str, Path | str]:
    """The folders of a data set's pictures by namespace: the one that people named, or those beside its files.

    Raises a PictureError where a folder is named, or is where the data set has its pictures, and holds none of them.
    """
    if not isinstance(source, Source):
        if named is not None:
            raise CounterpointError("this source has pictures of its own", hint="leave --pictures out")
        return {}
    dataset, roots = source.dataset, dict[str, Path | str]()
    files = [address for address in addresses if not address.startswith(f"{UNPACKED}:")]
    for namespace, members in group_pairs((Picture(address).namespace, address) for address in files).items():
        paths = [Picture(address).path for address in members]
        if named is not None:
            roots[namespace] = named
        elif source.address:
            if found := _bucket_root(source, paths):
                roots[namespace] = found
        elif not isinstance(dataset, OwnFiles):
            if root := dataset.picture_root(source.folder, paths):
                roots[namespace] = root
        elif namespace == source.columns.get("namespace", dataset.namespace):
            roots[namespace] = dataset.root_of(source.folder, paths)
    home = source.folder.parent if source.folder.is_file() else source.folder
    beside = source.address or not isinstance(dataset, OwnFiles) or (home / dataset.pictures[0]).is_dir()
    if roots and (named is not None or beside) and files == addresses and not LabPictures(roots, {}).find_files(files):
        fact, missing = describe_search(search_pictures(roots, files))
        raise PictureError(fact, hint=missing)
    return roots


def _bucket_root(source: Source, paths: Sequence[str]) -> str:
    """The address of pictures beside annotations in a bucket, by some of their paths; empty where there are none."""
    address = source.address.rstrip("/")
    home = address.rpartition("/")[0] if source.folder.is_file() else address
    for name in dict.fromkeys([*source.dataset.pictures, "."]):
        root = home if name == "." else str(join_address(home, name))
        bucket = PictureBucket(root)
        if any(bucket.find(path) for path in paths[:_PICTURES_SOUGHT]):
            return root
    return ""


def unpack_pictures(lab: LabStore, source: Any, addresses: Sequence[str]) -> None:
    """Write the pictures that are inside the rows of a file into the lab."""
    inside = [address for address in addresses if address.startswith(f"{UNPACKED}:")]
    if not inside or not isinstance(source, Source) or not isinstance(source.dataset, OwnFiles):
        return
    folder, sizes = f"pictures/{UNPACKED}", []
    for address, content in source.dataset.unpacked(source.files(), inside):
        name = f"{folder}/{Picture(address).path}"  # the digest of its bytes
        if not lab.storage.has(name):
            lab.storage.put(name, content)
        sizes.append(len(content))
    lab.set_root(UNPACKED, lab.storage.describe(folder))
    size = f"{sum(sizes) / 2**20:,.1f} MB"
    logger.info(f"unpacked {counted(len(sizes), 'picture')}, {size}, into {lab.storage.describe(folder)}")
