"""Browse without a server: one list of all groups of a site with the verdicts of each model, sorted in place."""

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import Struct

from counterpoint.core.ids import hex_id
from counterpoint.explorer.group_filters import group_address
from counterpoint.explorer.page import PageView
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.verdicts import VERDICTS
from counterpoint.store.outcomes.queries import first_groups, first_verdicts

SENTENCE = (
    "All groups that have a page here, with the verdict on the answers of every model. "
    "A click on a column head sorts them by it."
)


class ListedGroup(Struct, frozen=True):
    """A group of the list; verdicts are in the order of the models, empty where one has no answer."""

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


def group_list_view(reader: LabReader, limit: int) -> GroupListView:
    """Return the first groups of each suite."""
    return GroupListView(
        title="Browse",
        sentence=SENTENCE,
        twin="/browse.json",
        models=tuple(model.name for model in reader.models()),
        groups=tuple(group for suite in reader.suites() for group in _groups(reader, suite, limit)),
    )


def _groups(reader: LabReader, suite: str, limit: int) -> Iterator[ListedGroup]:
    bases = first_groups(reader, suite, limit)
    texts = reader.rows_at(suite, [(base["place"], 0) for base in bases])["text"].to_pylist()
    verdicts = [first_verdicts(reader, suite, model.slug, limit) for model in reader.models()]
    for base, text in zip(bases, texts, strict=True):
        yield ListedGroup(
            address=group_address(suite, hex_id(base["group_id"])),
            suite=suite,
            test=base["test"],
            kind=base["kind"],
            text=text,
            verdicts=tuple(VERDICTS.get(by_place.get(base["place"], ""), "") for by_place in verdicts),
        )
