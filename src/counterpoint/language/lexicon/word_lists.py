"""Word lists in TOML files, each read on first use."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
"""The folder of word lists, curated senses and the WordNet table."""


@cache
def word_table(name: str, folder: Path = DATA) -> Mapping[str, Any]:
    """A file of word lists: `word_table("nouns")["pair"]` is a comma-separated line."""
    with (folder / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def word_list(name: str, key: str, folder: Path = DATA) -> frozenset[str]:
    """A list of a file as a set of words or phrases; a dot in the key leads into a table of the file."""
    section: Any = word_table(name, folder)
    for part in key.split("."):
        section = section[part]
    return frozenset(split_list(section))


def split_list(text: str) -> tuple[str, ...]:
    """Split a comma-separated list of words and phrases, whatever its line breaks.

    >>> split_list("stop sign, traffic\\n light")
    ('stop sign', 'traffic light')
    """
    return tuple(" ".join(item.split()) for item in text.split(",") if item.strip())
