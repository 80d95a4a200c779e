"""The readable word lists behind English, each opened on first use."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
"""The folder of the lists, the senses and the table of WordNet facts."""


@cache
def word_table(name: str) -> Mapping[str, Any]:
    """One file of word lists, as it is written: `words("nouns")["pair"]` is a line of words."""
    with (DATA / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def word_list(name: str, key: str) -> frozenset[str]:
    """One list of a file: words or phrases between commas."""
    return frozenset(split_list(word_table(name)[key]))


def split_list(text: str) -> tuple[str, ...]:
    """The words and phrases between commas, whatever the line breaks.

    >>> split_list("stop sign, traffic\\n light")
    ('stop sign', 'traffic light')
    """
    return tuple(" ".join(item.split()) for item in text.split(",") if item.strip())
