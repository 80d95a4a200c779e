"""Data sets in the form of Hugging Face: a folder of Parquet, CSV or JSON files by split, or a name on its hub."""

import re
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from counterpoint.core.errors import SourceError, UnknownName
from counterpoint.sources.dataset import SplitFiles
from counterpoint.sources.formats.own_files import own_files
from counterpoint.sources.formats.own_rows import DATA, rows_of, split_synonyms
from counterpoint.sources.reading.records import Record, Skips
from counterpoint.sources.reading.tables import ENDINGS, ColumnTest

CARD = "README.md"
_FRONT = re.compile(r"[ \t]*---[ \t]*\n(.*?)^[ \t]*---[ \t]*$", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"^( *)(- +)?(?:([\w-]+): *)?(.*?)\s*$")


def configs(card: str) -> dict[str, dict[str, list[str]]]:
    """The `configs` in the front matter of a card, in their order: patterns of files by split.

    What is written in other ways is not seen.

    >>> configs("---\\nconfigs:\\n- config_name: en\\n  data_files:\\n  - split: test\\n    path: en/test-*\\n---\\n")
    {'en': {'test': ['en/test-*']}}
    """
    parsed: dict[str, dict[str, list[str]]] = {}
    name, split, key, is_within = "", "", "", False
    front = _FRONT.match(card)
    for line in front[1].splitlines() if front else ():
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
            name = value
            parsed.setdefault(name, {})
        elif key == "split" and parsed:
            split = value
        elif key in ("path", "data_files") and parsed and value:
            patterns = [pattern.strip(" \"'") for pattern in value.strip("[]").split(",")]
            parsed[name].setdefault(split if key == "path" else "", []).extend(patterns)
    return {name: files for name, files in parsed.items() if files}


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
    if config and config not in known:
        raise UnknownName(f"part of {folder.name}", config, known)
    if not known:
        return []
    chosen = known.get(config or "default", next(iter(known.values())))
    for name in (*split_synonyms(split), ""):
        if patterns := chosen.get(name):
            paths = set[Path]()
            for pattern in patterns:
                if ".." not in Path(pattern).parts:  # a card cannot lead out of the folder
                    with suppress(NotImplementedError, ValueError):
                        paths.update(path for path in folder.glob(pattern) if path.is_file())
            if paths:
                return sorted(paths)
            raise SourceError(f"{folder} has no {patterns[0]}, which its card lists", hint="fetch the data set again")
    raise UnknownName(f"split of {folder.name}", split, filter(None, chosen))


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
    places = {path: path.relative_to(folder).as_posix().lower() for path in paths}
    by_name = {path: set(re.split(r"[^a-z]+", place)) for path, place in places.items()}  # data/test-0.parquet has test
    known = {name for names in map(split_synonyms, ("train", "val", "test")) for name in names}
    if not any(words & (known | {split}) for words in by_name.values()):
        return paths
    wanted = set(split_synonyms(split))
    matching = [path for path, words in by_name.items() if words & wanted]
    if not matching:
        there = sorted({word for words in by_name.values() for word in words & known})
        raise UnknownName(f"split of {folder.name}", split, there)
    return matching


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
        for number, row in enumerate(rows, 1):
            yield "", Record(row, f"{name}, row", number)
    except Exception as problem:  # it raises nearly anything, of its own and of what it uses
        reason = (str(problem).splitlines() or [type(problem).__name__])[0]
        fact = f"{name} cannot be had from the hub: {reason}"
        raise SourceError(fact, hint="check name, split and access") from problem


hf = own_files("hf", "a Hugging Face data set", rows)
