"""Data sets in the form of Hugging Face: a folder of Parquet, Arrow, CSV or JSON files by split, or its cache."""

import json
import logging
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from counterpoint.core.errors import SourceError, UnknownName
from counterpoint.core.extras import install_command
from counterpoint.sources.dataset import SplitFiles
from counterpoint.sources.formats.own_files import own_files
from counterpoint.sources.formats.own_rows import DATA, rows_of, split_synonyms
from counterpoint.sources.reading.records import Record, Skips
from counterpoint.sources.reading.tables import ENDINGS, ColumnTest

logger = logging.getLogger(__name__)
CARD, STATE = "README.md", "state.json"
_FRONT = re.compile(r"[ \t]*---[ \t]*\n(.*?)^[ \t]*---[ \t]*$", re.DOTALL | re.MULTILINE)
_SHARD = re.compile(r"(.*)-(\d{5})-of-(\d{5})\b")
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

    A data set that `save_to_disk` wrote lists its files itself. Where no name tells a split, all files belong to it.
    A split of which a numbered shard is missing is an error.
    """
    if folder.is_file():
        return {folder.name: folder}
    paths = _as_the_card_says(folder, split, config) or _as_saved(folder, split) or _as_names_say(folder, split)
    files = {path.relative_to(folder).as_posix(): path for path in paths}
    shards = Counter((shard[1], int(shard[3])) for name in files if (shard := _SHARD.match(name)))
    for (stem, total), there in shards.items():
        if there < total:
            fact = f"{folder} has {there} of the {total} files {stem}-…-of-{total:05}"
            raise SourceError(fact, hint="download the rest; a part of a split is no split")
    return files


def _as_the_card_says(folder: Path, split: str, config: str) -> list[Path]:
    try:
        known = configs((folder / CARD).read_text("utf-8", errors="replace"))
    except OSError:
        return []
    if config and config not in known:
        raise UnknownName(f"part of {folder.name}", config, known)
    if not known:
        return []
    name = config or ("default" if "default" in known else next(iter(known)))
    if name not in (config, "default") and len(known) > 1:
        _tell_config(folder, name, tuple(known))
    chosen = known[name]
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


@cache
def _tell_config(folder: Path, name: str, known: tuple[str, ...]) -> None:
    """Say once which of several configs is read."""
    listed = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
    logger.warning("%s has the configs %s; %s is read, and --columns config=… names another", folder.name, listed, name)


def _as_saved(folder: Path, split: str) -> list[Path]:
    """The files of a split as `save_to_disk` of the package `datasets` lists them; none in any other folder."""
    saved = {state.parent: files for state in sorted(folder.rglob(STATE)) if (files := _listed_files(state))}
    if set(saved) <= {folder}:  # nothing, or one split alone
        return saved.get(folder, [])
    for name in split_synonyms(split):
        if matching := saved.get(folder / name):
            return matching
    raise UnknownName(f"split of {folder.name}", split, [path.name for path in saved])


def _listed_files(state: Path) -> list[Path]:
    try:
        parts = json.loads(state.read_bytes())["_data_files"]
        return [state.parent / Path(part["filename"]).name for part in parts]
    except (OSError, ValueError, LookupError, TypeError):
        return []  # a file of another tool with this name


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
    """The rows in the files of a split."""
    if not (folder := files[DATA]).exists():
        raise SourceError(f"there is no folder {folder}", hint="--data names the folder of a data set")
    return rows_of(find_split_files(folder, files.split, files.columns.get("config", "")), files, skips, fits)


def cached_folder(name: str, cache: Path | None = None) -> Path:
    """The folder of a data set by its hub name, as `owner/name` or `owner/name@revision`: its snapshot in the cache.

    The cache is that of huggingface_hub (HF_HUB_CACHE, HF_HOME). Nothing is downloaded. The snapshot may lack files,
    since people download the part they need; `find_split_files` raises where a shard of the split is not there.
    """
    repo, _, revision = name.partition("@")
    download = f"hf download {repo} --repo-type dataset" + (f" --revision {revision}" if revision else "")
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
    except ImportError as problem:
        fact = f"huggingface_hub, whose cache would hold {repo}, is not installed"
        raise SourceError(fact, hint=f"{install_command('hub')}, then {download}") from problem
    # without patterns an incomplete snapshot would be refused
    wanted: dict[str, Any] = {"repo_type": "dataset", "revision": revision or None, "allow_patterns": []}
    try:
        found = snapshot_download(repo, **wanted, cache_dir=cache, local_files_only=True)
    except HFValidationError as problem:
        fact = f"{name!r} names no data set of the hub"
        raise SourceError(fact, hint="write hf/owner/name, or --data FOLDER") from problem
    except LocalEntryNotFoundError as problem:
        fact = f"the cache of huggingface_hub has no data set {name}"
        raise SourceError(fact, hint=f"get it: {download}") from problem
    return Path(found)


hf = own_files("hf", "a Hugging Face data set", rows)
