"""Find without a server: one list of all groups of a site, with the verdict on each model, ordered in place."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from counterpoint.core.ids import hex_id
from counterpoint.explorer.views import PageView
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.verdicts import VERDICTS

SENTENCE = (
    "All groups that have a page here, and what became of each in the hands of every model. "
    "A click on a column head orders them by it."
)


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """A group of the list; verdicts are in the order of the models, empty where one was not asked."""

    address: str
    suite: str
    test: str
    kind: str
    text: str
    verdicts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GroupListView(PageView):
    """The groups of a site."""

    models: tuple[str, ...] = ()
    groups: tuple[ListedGroup, ...] = ()


def static_list(reader: LabReader, limit: int) -> GroupListView:
    """The first groups of each suite."""
    return GroupListView(
        view="find",
        title="Find",
        sentence=SENTENCE,
        twin="/browse.json",
        models=tuple(model.name for model in reader.models()),
        groups=tuple(group for suite in reader.suites() for group in _groups(reader, suite, limit)),
    )


def _groups(reader: LabReader, suite: str, limit: int) -> Iterator[ListedGroup]:
    asked = reader.database.source("bases", suite=suite)
    sql = f"SELECT place, group_id, test, kind, variants FROM {asked} ORDER BY place LIMIT ?"
    bases = reader.database.rows(sql, [limit])
    texts = reader.rows_at(suite, [(base["place"], 0) for base in bases])["text"].to_pylist()
    became = [_verdicts(reader, suite, model.slug, limit) for model in reader.models()]
    for base, text in zip(bases, texts, strict=True):
        yield ListedGroup(
            address=f"/suites/{quote(suite)}/groups/{hex_id(base['group_id'])}",
            suite=suite,
            test=base["test"],
            kind=base["kind"],
            text=text,
            verdicts=tuple(VERDICTS.get(own.get(base["place"], ""), "") for own in became),
        )


def _verdicts(reader: LabReader, suite: str, slug: str, limit: int) -> Mapping[int, Any]:
    asked = reader.database.source("verdicts", model=slug, suite=suite)
    sql = f"SELECT place, verdict FROM {asked} ORDER BY place LIMIT ?"
    return {row["place"]: row["verdict"] for row in reader.database.rows(sql, [limit])}
