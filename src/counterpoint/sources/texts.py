"""Questions of a source in other words, such as back-translations: a file with the columns id and text."""

from collections.abc import Mapping
from pathlib import Path

from counterpoint.core.errors import SourceError
from counterpoint.sources.cells import text_of
from counterpoint.sources.skips import Skips
from counterpoint.sources.tables import read_rows

COLUMNS = ("id", "text")


def read_rewordings(path: Path, skips: Skips) -> Mapping[str, tuple[str, ...]]:
    """The texts for each id, in their order; rows without one of the two are counted and left out."""
    found: dict[str, list[str]] = {}
    for record in read_rows(path, skips, lambda names: set(COLUMNS) <= set(names)):
        missing = [name for name in COLUMNS if name not in record.content]
        if missing:
            fact = f"{path.name} has no column {missing[0]!r}; it has {', '.join(record.content)[:200]}"
            raise SourceError(fact, hint="its columns should be id and text")
        key, text = (text_of(record.content[name]) for name in COLUMNS)
        if key and text:
            found.setdefault(key, []).append(text)
        else:
            skips.skip("a row without an id or a text", record.place)
    return {key: tuple(texts) for key, texts in found.items()}
