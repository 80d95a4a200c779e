"""Make the table of WordNet facts that the lexicon reads.

    python scripts/wordnet_table.py FOLDER

FOLDER holds the files of WordNet 3.0 (data.noun, index.noun, noun.exc and their sisters), as in Debian's wordnet-base
under usr/share/wordnet. Kept are lemmas, synsets, their order of senses, hypernyms, antonyms, parts, members,
substances, similar adjectives and the exceptions of morphology; glosses and examples are left out.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TABLE = Path(__file__).parents[1] / "src/counterpoint/language/lexicon/data/wordnet.npz"
FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
RELATIONS = {
    "hypernyms": "@",
    "instances": "@i",
    "parts": "%p",
    "members": "%m",
    "substances": "%s",
    "similar": "&",
}

Arrays = dict[str, NDArray[np.generic]]


@dataclass(frozen=True)
class Pointer:
    """A relation from one synset to another; word numbers are zero where it holds between whole synsets."""

    symbol: str
    offset: int
    pos: str
    source: int
    target: int


@dataclass(frozen=True)
class Synset:
    """One line of a data file."""

    offset: int
    lemmas: tuple[str, ...]
    pointers: tuple[Pointer, ...]


def synset(line: str) -> Synset:
    """A line of a data file, read as wndb(5WN) describes it, without its gloss."""
    fields = iter(line.partition(" | ")[0].split())
    offset, _, _ = int(next(fields)), next(fields), next(fields)
    lemmas = [(next(fields), next(fields))[0] for _ in range(int(next(fields), 16))]
    pointers = [pointer(fields) for _ in range(int(next(fields)))]
    return Synset(offset, tuple(plain(lemma) for lemma in lemmas), tuple(pointers))


def pointer(fields: Iterator[str]) -> Pointer:
    """The next pointer of a line: symbol, offset, part of speech, and both word numbers in hexadecimal."""
    symbol, offset, pos, words = (next(fields) for _ in range(4))
    return Pointer(symbol, int(offset), pos, int(words[:2], 16), int(words[2:], 16))


def plain(lemma: str) -> str:
    """A lemma as people write it: lower case, spaces, no syntactic marker."""
    return lemma.partition("(")[0].replace("_", " ").lower()


def lines(path: Path) -> Iterator[str]:
    """The lines of a file that are not the licence at its head."""
    return (line for line in path.read_text("utf-8").splitlines() if not line.startswith("  "))


def index(path: Path) -> dict[str, list[int]]:
    """From each lemma to the offsets of its synsets, the most frequent sense first."""
    table = {}
    for line in lines(path):
        fields = line.split()
        table[plain(fields[0])] = [int(offset) for offset in fields[-int(fields[2]) :]]
    return dict(sorted(table.items(), key=lambda item: item[0].encode()))


def ragged(name: str, rows: Iterable[Sequence[int]]) -> Arrays:
    """Rows of different lengths as two columns: how many in each row, and all of them one after another."""
    rows = list(rows)
    counts = np.array([len(row) for row in rows], np.uint16)
    values = np.array([value for row in rows for value in row], np.int32)
    return {f"{name}_counts": counts, f"{name}_values": values}


def text(name: str, words: Iterable[str]) -> Arrays:
    """Words as one column of bytes, a line each."""
    return {name: np.frombuffer("\n".join(words).encode(), np.uint8)}


def antonyms(synsets: Sequence[Synset], place: Mapping[int, int], ids: Mapping[str, int]) -> list[list[int]]:
    """Rows of synset, lemma, opposite synset, opposite lemma."""
    return sorted(
        [
            place[one.offset],
            ids[one.lemmas[link.source - 1]],
            place[link.offset],
            ids[synsets[place[link.offset]].lemmas[link.target - 1]],
        ]
        for one in synsets
        for link in one.pointers
        if link.symbol == "!"
    )


def facts(folder: Path, pos: str) -> Arrays:
    """Everything we keep about one part of speech."""
    synsets = [synset(line) for line in lines(folder / f"data.{FILES[pos]}")]
    senses = index(folder / f"index.{FILES[pos]}")
    place = {one.offset: number for number, one in enumerate(synsets)}
    ids = {lemma: number for number, lemma in enumerate(senses)}
    kept: Arrays = {
        f"{pos}_offsets": np.diff(np.array([one.offset for one in synsets]), prepend=0).astype(np.uint16),
        f"{pos}_antonyms": np.array(antonyms(synsets, place, ids), np.int32).reshape(-1, 4),
        **text(f"{pos}_lemmas", senses),
        **ragged(f"{pos}_senses", ([place[offset] for offset in offsets] for offsets in senses.values())),
        **ragged(f"{pos}_words", ([ids[lemma] for lemma in dict.fromkeys(one.lemmas)] for one in synsets)),
        **text(f"{pos}_exceptions", sorted(lines(folder / f"{FILES[pos]}.exc"))),
    }
    for name, symbol in RELATIONS.items():
        rows = [[place[link.offset] for link in one.pointers if link.symbol == symbol] for one in synsets]
        kept |= ragged(f"{pos}_{name}", rows) if any(rows) else {}
    return kept


def main(folder: Path) -> None:
    """Read all four parts of speech and write the table."""
    table: Arrays = {}
    for pos in FILES:
        table |= facts(folder, pos)
    with TABLE.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **table)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
