"""The suites of a lab, a row each: what they ask, of which data set, and how many models have answered."""

from dataclasses import dataclass
from urllib.parse import quote

from msgspec import Struct

from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.lab.leaderboard import data_set
from counterpoint.lab.reader import LabReader


class SuiteRow(Struct, frozen=True):
    """One suite in the list of all."""

    suite: str
    sentence: str
    data_set: str
    groups: int
    queries: int
    models: int
    address: str


@dataclass(frozen=True, slots=True)
class SuitesView(PageView):
    """All suites of a lab."""

    suites: tuple[SuiteRow, ...] = ()


def suites_view(reader: LabReader, request: PageRequest) -> SuitesView:
    """All suites of the lab."""
    lines = []
    for suite in reader.suites():
        manifest = reader.lab.manifest(suite)
        models = sum(reader.has_answers(suite, model.slug) for model in reader.models())
        about = reader.suite_sentence(suite), data_set(manifest, reader.tests(suite))
        lines.append(SuiteRow(suite, *about, manifest.groups, manifest.rows, models, f"/suites/{quote(suite)}"))
    return SuitesView(
        title="Suites",
        sentence="What the lab asks: each suite is a table of groups, made by one generator from one data set.",
        twin="/suites.json",
        suites=tuple(lines),
    )
