"""A split of a data set, checked and described: its files and pictures, what is in it, who shares its answers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from counterpoint.core.errors import CounterpointError, SourceError
from counterpoint.core.pictures import Picture
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.metrics.data_statistics import (
    ANSWERS,
    AccuracyCeiling,
    AnswerSpace,
    AnswerSpaceOverlap,
    ItemTally,
    compare_spaces,
    gold_answers,
)
from counterpoint.sources.dataset import KINDS, DataSet, Source
from counterpoint.sources.file_checks import (
    FileStatus,
    available_kinds,
    check_files,
    count_pictures,
    most_complete_split,
)
from counterpoint.sources.formats.own_files import OwnFiles
from counterpoint.sources.reading.cells import UNPACKED
from counterpoint.sources.reading.records import Skips

Watch: TypeAlias = Callable[[Iterable[Any], str], Iterable[Any]]
"""Lets items pass, and shows how far the reading of a kind has come."""
ANSWERED = ("questions", "dialogues")
"""The kinds that have answers; the answer space of a data set is that of the first it has."""


@dataclass(frozen=True, slots=True)
class DescriptionRequest:
    """What is to be described: nothing chosen is everything there is, or the likeliest."""

    folder: Path | None = None
    split: str = ""
    kinds: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0
    rules: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)  # by role, for files of one's own


@dataclass(frozen=True, slots=True)
class SkippedRecords:
    """Records that were left out for one reason: how many, the first of them, and what helps."""

    reason: str
    count: int
    places: tuple[str, ...]
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class ItemDescription:
    """The items of one kind; with a problem, only those that came before it."""

    counts: ItemTally
    left: tuple[SkippedRecords, ...] = ()
    problem: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class PictureCounts:
    """How many pictures the items are about, and how many of them are files; none are where they are drawn."""

    distinct: int
    root: Path | None = None
    there: int | None = None
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class DatasetDescription:
    """All that is known of one split."""

    name: str
    title: str
    split: str
    rules: str
    request: DescriptionRequest
    files: tuple[FileStatus, ...]
    parts: tuple[ItemDescription, ...]
    pictures: PictureCounts
    overlaps: tuple[AnswerSpaceOverlap, ...] = ()

    @property
    def missing(self) -> tuple[FileStatus, ...]:
        """The files that are needed and not there."""
        return tuple(file for file in self.files if file.needed and file.path is None)

    @property
    def items(self) -> int:
        """How many were read, of all kinds."""
        return sum(part.counts.items for part in self.parts)

    @property
    def whole(self) -> bool:
        """Whether everything needed was there and could be read to its end, and something was in it."""
        return self.items > 0 and not self.missing and not any(part.problem for part in self.parts)


@dataclass(frozen=True, slots=True)
class OpenedSplit:
    """A split of a source, ready to be read: one that is files in a folder, or one that makes its own items."""

    name: str
    title: str
    split: str
    kinds: tuple[str, ...]
    rules: str
    source: Any
    dataset: DataSet | None = None

    def read(self, kind: str) -> Iterator[Any]:
        """Its items of one kind; what people said earns what the rules say."""
        items: Iterator[Any] = getattr(self.source, kind)()
        if self.dataset is None or self.rules == self.dataset.rules:
            return items
        judge = rule_set(self.rules).gold
        return (replace(item, gold=judge(item.votes)) if getattr(item, "votes", ()) else item for item in items)

    @property
    def skips(self) -> Skips:
        """What was left out since reading of the last kind began."""
        return self.source.skips if isinstance(self.source, Source) else Skips()


def kinds_of(found: Any) -> tuple[str, ...]:
    """What a source of the catalog can be read as."""
    return tuple(found.read) if isinstance(found, DataSet) else tuple(kind for kind in KINDS if hasattr(found, kind))


def open_split(name: str, found: Any, request: DescriptionRequest) -> OpenedSplit:
    """A split of a source by what is asked for; a kind, a split or a folder that it has not is an error."""
    for kind in request.kinds:
        if kind not in kinds_of(found):
            title = getattr(found, "title", name)
            raise CounterpointError(f"{title} has no {kind}", hint=f"it has {' and '.join(kinds_of(found))}")
    if request.columns and not isinstance(found, OwnFiles):
        raise CounterpointError(f"{name} has columns of its own", hint="--columns is for files of your own")
    if not isinstance(found, DataSet):
        splits: Sequence[str] = getattr(found, "splits", ())
        split = request.split or ("test" if "test" in splits or not splits else splits[0])
        opened = found(split) if request.limit is None else found(split, request.limit)
        kinds = request.kinds or kinds_of(found)
        return OpenedSplit(name, getattr(found, "__name__", name), split, kinds, request.rules or "exact", opened)
    if request.folder is None:
        hint = f"say where its files are: --data FOLDER; counterpoint data {name} says which are expected"
        raise CounterpointError(f"{found.title} is read from files", hint=hint)
    split = request.split or (most_complete_split(found, request.folder, request.kinds) if found.files else "test")
    if found.files and split not in found.splits:
        found.find_files(request.folder, split)  # which says what is wrong with it
    kinds = request.kinds or available_kinds(found, request.folder, split)
    source = Source(found, request.folder, split, request.limit, request.seed, columns=request.columns)
    return OpenedSplit(name, found.title, split, kinds, request.rules or found.rules, source, found)


def describe(
    opening: OpenedSplit,
    request: DescriptionRequest,
    spaces: Sequence[AnswerSpace] = (),
    watch: Watch = lambda items, doing: items,
) -> DatasetDescription:
    """Read everything that can be read of a split, once, and count it; nothing is held but counts.

    `spaces` are answers of others, made comparable by the same rules.
    """
    comparable = rule_set(opening.rules).normalize
    ceilings = [AccuracyCeiling(space, comparable) for space in spaces]
    answered = next((kind for kind in ANSWERED if kind in opening.kinds), "")
    parts = tuple(
        _part(opening, ItemTally(kind, comparable), ceilings if kind == answered else (), watch)
        for kind in opening.kinds
    )
    if opening.dataset and not opening.dataset.files and any(part.counts.items for part in parts):
        parts = tuple(part for part in parts if part.counts.items or not part.problem)  # files of other columns
    ours = answers_in(opening.name, parts)
    return DatasetDescription(
        opening.name,
        opening.title,
        opening.split,
        opening.rules,
        request,
        _files(opening, request),
        parts,
        _pictures(opening, request, parts),
        tuple(compare_spaces(ours, one, ceiling=top.value) for one, top in zip(spaces, ceilings, strict=True)),
    )


def answers_in(name: str, parts: Sequence[ItemDescription]) -> AnswerSpace:
    """The answers in what was read, with how many questions have each."""
    for kind in ANSWERED:
        for part in parts:
            if part.counts.kind == kind and ANSWERS in part.counts.rankings:
                return AnswerSpace(name, part.counts.rankings[ANSWERS].counts)
    return AnswerSpace(name, {})


def answer_space(name: str, opening: OpenedSplit, rules: str, watch: Watch = lambda items, doing: items) -> AnswerSpace:
    """The answers of a whole split, made comparable by the rules of another."""
    kind = next((kind for kind in ANSWERED if kind in opening.kinds), "")
    if not kind:
        raise CounterpointError(f"{opening.title} has no answers", hint=f"it has {' and '.join(opening.kinds)}")
    tally = ItemTally(kind, rule_set(rules).normalize)
    for item in watch(opening.read(kind), f"reading {kind} of {name}"):
        tally.count(item)
    if not tally.words.get(ANSWERS):
        raise SourceError(f"{opening.split} of {opening.title} has no answers", hint="name another split: NAME:SPLIT=…")
    return AnswerSpace(name, tally.words[ANSWERS])


def _part(opening: OpenedSplit, tally: ItemTally, ceilings: Sequence[AccuracyCeiling], watch: Watch) -> ItemDescription:
    problem = hint = ""
    try:
        for item in watch(opening.read(tally.kind), f"reading {tally.kind}"):
            tally.count(item)
            for gold in gold_answers(tally.kind, item) if ceilings else ():
                for ceiling in ceilings:
                    ceiling.add(gold)
    except SourceError as error:
        problem, hint = str(error), error.hint
    skips = opening.skips
    left = tuple(
        SkippedRecords(reason, count, tuple(skips.places[reason]), skips.remedies.get(reason, ""))
        for reason, count in sorted(skips.counts.items(), key=lambda row: (-row[1], row[0]))
    )
    return ItemDescription(tally, left, problem, hint)


def _files(opening: OpenedSplit, request: DescriptionRequest) -> tuple[FileStatus, ...]:
    if opening.dataset is None or request.folder is None:
        return ()
    return check_files(opening.dataset, request.folder, opening.split, opening.kinds)


def _pictures(opening: OpenedSplit, request: DescriptionRequest, parts: Sequence[ItemDescription]) -> PictureCounts:
    addresses = sorted({address for part in parts for address in part.counts.pictures})
    dataset, folder = opening.dataset, request.folder
    if dataset is None or folder is None:
        return PictureCounts(len(addresses), drawn=True)
    within = sum(address.startswith(f"{UNPACKED}:") for address in addresses)
    beside = [address for address in addresses if not address.startswith(f"{UNPACKED}:")]
    paths = [Picture(address).path for address in beside]
    if isinstance(dataset, OwnFiles):
        root: Path | None = dataset.root_of(folder, paths) if beside else None
    else:
        root = dataset.picture_root(folder, paths)
    if root is None and not within:
        return PictureCounts(len(addresses))
    return PictureCounts(len(addresses), root, within + (count_pictures(root, beside) if root else 0))
