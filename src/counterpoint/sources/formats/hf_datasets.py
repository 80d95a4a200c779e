"""Data sets in the form of Hugging Face: a folder of Parquet, CSV or JSON files by split, or a name on its hub."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from counterpoint.core.errors import SourceError, UnknownName
from counterpoint.sources.dataset import SplitFiles
from counterpoint.sources.formats.own_files import DATA, own_files, rows_of, split_synonyms
from counterpoint.sources.reading.records import Record, Skips
from counterpoint.sources.reading.tables import ENDINGS, ColumnTest

CARD = "README.md"
_LINE = re.compile(r"^( *)(- +)?(?:([\w-]+): *)?(.*?)\s*$")


@dataclass(slots=True)
class DatasetConfig:
    """A part of a data set as its card has it: patterns of files by split."""

    name: str = "default"
    files: dict[str, list[str]] = field(default_factory=dict)


def configs(card: str) -> list[DatasetConfig]:
    """The `configs` in the front matter of a card, in their order; what is written in other ways is not seen.

    >>> text = "---\\nconfigs:\\n- config_name: en\\n  data_files:\\n  - split: test\\n    path: en/test-*\\n---\\n"
    >>> configs(text)
    [DatasetConfig(name='en', files={'test': ['en/test-*']})]
    """
    parsed: list[DatasetConfig] = []
    split, key, is_within = "", "", False
    for line in _front(card):
        parts = _LINE.match(line)
        if parts is None or not line.strip():
            continue
        if not parts[1] and not parts[2]:
            is_within = parts[3] == "configs"
            continue
        if not is_within:
            continue
        key, value = parts[3] or key, parts[4].strip("\"'")
        if key == "config_name":
            parsed.append(DatasetConfig(value))
        elif key == "split" and parsed:
            split = value
        elif key in ("path", "data_files") and parsed and value:
            patterns = [pattern.strip(" \"'") for pattern in value.strip("[]").split(",")]
            parsed[-1].files.setdefault(split if key == "path" else "", []).extend(patterns)
    return [part for part in parsed if part.files]


def _front(card: str) -> list[str]:
    lines = card.splitlines()
    if not lines or lines[0].strip() != "---":
        return []
    ends = [number for number, line in enumerate(lines[1:], 1) if line.strip() == "---"]
    return lines[1 : ends[0]] if ends else []


def find_split_files(folder: Path, split: str, config: str = "") -> dict[str, Path]:
    """The files of a split, by their places in the folder: as its card says, or else as their names or folders do.

    Where no name tells a split, all files belong to it.
    """
    if folder.is_file():
        return {folder.name: folder}
    paths = _as_the_card_says(folder, split, config) or _as_names_say(folder, split)
    return {path.relative_to(folder).as_posix(): path for path in paths}


def _as_the_card_says(folder: Path, split: str, config: str) -> list[Path]:
    try:
        known = configs((folder / CARD).read_text("utf-8", errors="replace"))
    except OSError:
        return []
    if config and config not in [part.name for part in known]:
        raise UnknownName(f"part of {folder.name}", config, [part.name for part in known])
    chosen = next((part for part in known if part.name == (config or "default")), known[0] if known else None)
    if chosen is None:
        return []
    for name in (*split_synonyms(split), ""):
        if patterns := chosen.files.get(name):
            paths = {path for pattern in patterns for path in _matching(folder, pattern)}
            if paths:
                return sorted(paths)
            raise SourceError(f"{folder} has no {patterns[0]}, which its card lists", hint="fetch the data set again")
    raise UnknownName(f"split of {folder.name}", split, filter(None, chosen.files))


def _matching(folder: Path, pattern: str) -> Iterator[Path]:
    """Files within the folder; a card cannot lead out of it."""
    try:
        yield from (path for path in folder.glob(pattern) if path.is_file() and ".." not in Path(pattern).parts)
    except (NotImplementedError, ValueError):
        return


def _as_names_say(folder: Path, split: str) -> list[Path]:
    hidden = set(folder.rglob(".*"))
    paths = sorted(
        path
        for ending in ENDINGS
        for path in folder.rglob(f"*{ending}")
        if path.is_file() and path.name != "dataset_infos.json" and not hidden.intersection((path, *path.parents))
    )
    if not paths:
        raise SourceError(f"{folder} holds no files that end in {', '.join(ENDINGS)}", hint="is it the right folder?")
    by_name = {path: _words(path.relative_to(folder)) for path in paths}
    known = {name for names in map(split_synonyms, ("train", "val", "test")) for name in names}
    if not any(words & (known | {split}) for words in by_name.values()):
        return paths
    wanted = set(split_synonyms(split))
    matching = [path for path, words in by_name.items() if words & wanted]
    if not matching:
        there = sorted({word for words in by_name.values() for word in words & known})
        raise UnknownName(f"split of {folder.name}", split, there)
    return matching


def _words(path: Path) -> set[str]:
    """The words in a path: `data/test-00000-of-00001.parquet` has test among them."""
    return set(re.split(r"[^a-zA-Z]+", path.as_posix().lower()))


def rows(files: SplitFiles, skips: Skips, fits: ColumnTest) -> Iterator[tuple[str, Record]]:
    """The rows of a split: of the files in a folder, or of a data set that has this name on the hub."""
    folder, config = files[DATA], files.columns.get("config", "")
    if not folder.exists():
        return hub_rows(folder.as_posix(), files.split, config)
    return rows_of(find_split_files(folder, files.split, config), files, skips, fits)


def hub_rows(name: str, split: str, config: str = "") -> Iterator[tuple[str, Record]]:
    """The rows of a data set on the hub, fetched and kept by the package `datasets`; pictures stay as they are."""
    try:
        datasets: Any = import_module("datasets")  # no dependency of ours: it is used where people have it
    except ImportError as problem:
        fact = f"there is no folder {name}, and the package datasets, which fetches data by name, is not installed"
        raise SourceError(fact, hint="pip install datasets, or name a folder: --data FOLDER") from problem
    try:
        rows: Any = datasets.load_dataset(name, config or None, split=split)
        for column, feature in rows.features.items():
            if isinstance(feature, datasets.Image):
                rows = rows.cast_column(column, datasets.Image(decode=False))
        for number, row in enumerate(rows):
            yield "", Record(row, f"{name}, row", number)
    except Exception as problem:  # it raises nearly anything, of its own and of what it uses
        reason = (str(problem).splitlines() or [type(problem).__name__])[0]
        raise SourceError(
            f"{name} cannot be had from the hub: {reason}", hint="check name, split and access"
        ) from problem


hf = own_files("hf", "a Hugging Face data set", rows)
