"""The suites that a request generated, with the tables of what was kept and rejected."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from counterpoint.core.errors import UnknownName
from counterpoint.core.grouping import group_pairs
from counterpoint.core.quantities import counted
from counterpoint.lab.picture_locations import PictureLocation, describe_search
from counterpoint.lab.results import LabResult
from counterpoint.lab.source_items import questions_note
from counterpoint.reports.tables import ResultTable
from counterpoint.store.suites import Manifest
from counterpoint.suites.families import SuiteFamily
from counterpoint.suites.suite import Tally

_ANSWERS_SHOWN = 4


@dataclass(frozen=True, slots=True)
class GeneratedSuite:
    """One suite: its manifest if a group could be made, what was kept and rejected, and else the obstacle."""

    generator: str  # its name in the catalog
    manifest: Manifest | None
    tally: Tally
    tests: Mapping[str, int] = field(default_factory=dict)  # groups of each test
    obstacle: str = ""
    family: SuiteFamily | None = None

    @property
    def name(self) -> str:
        """Its name in the lab."""
        return self.manifest.suite if self.manifest else self.generator

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        manifest = self.manifest
        return {
            "suite": self.name,
            "generator": self.generator,
            "groups": manifest.groups if manifest else 0,
            "queries": manifest.rows if manifest else 0,
            "fingerprint": manifest.fingerprint if manifest else None,
            "tests": dict(self.tests),
            "kept": self.tally.answers,
            "dropped": self.tally.reasons,
            "obstacle": self.obstacle,
        }


@dataclass(frozen=True, slots=True, repr=False)
class GeneratedSuites(LabResult[GeneratedSuite], rows="suites"):
    """The suites of one request, in its order."""

    suites: tuple[GeneratedSuite, ...]
    lab: str
    absence: str = ""  # what the source annotates exhaustively
    pictures: tuple[PictureLocation, ...] = ()  # by namespace, and how many were found

    def __getitem__(self, name: str) -> GeneratedSuite:
        for suite in self.suites:
            if name in (suite.name, suite.generator):
                return suite
        raise UnknownName("suite of this request", name, [suite.name for suite in self.suites])

    @property
    def groups(self) -> int:
        """The number of groups."""
        return sum(suite.manifest.groups for suite in self.suites if suite.manifest)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        pictures = [asdict(location) for location in self.pictures]
        return {"lab": self.lab, "suites": [suite.to_dict() for suite in self.suites], "pictures": pictures}

    def records(self) -> list[dict[str, Any]]:
        """One row per suite."""
        names = ("suite", "generator", "groups", "queries", "fingerprint", "obstacle")
        return [{name: row[name] for name in names} for row in (suite.to_dict() for suite in self.suites)]

    def tables(self) -> list[ResultTable]:
        """A family as one table; of a suite that was named by itself, the groups kept and rejected by kind."""
        families = dict.fromkeys(suite.family.name for suite in self.suites if suite.family)
        members = [[suite for suite in self.suites if suite.family and suite.family.name == name] for name in families]
        alone = [suite for suite in self.suites if suite.family is None]
        return [*map(_family_table, members), *map(_suite_table, alone)]

    def notes(self) -> list[str]:
        """What the source annotates exhaustively, how many pictures were found, and how much was generated."""
        stored = [suite for suite in self.suites if suite.manifest]
        what = stored[0].name if len(stored) == 1 else counted(len(stored), "suite")
        queries = sum(suite.manifest.rows for suite in stored if suite.manifest)
        groups, verb = counted(self.groups, "group"), "is" if self.groups == 1 else "are"
        summary = f"{groups} of {what} ({counted(queries, 'query')}) {verb} in {self.lab}"
        made = dict.fromkeys(questions_note(suite.manifest.parameters) for suite in stored if suite.manifest)
        return [*filter(None, [self.absence, *made]), *describe_search(self.pictures), summary]


def _suite_table(suite: GeneratedSuite) -> ResultTable:
    """The groups kept of each kind with their commonest answers, and those rejected with the reason."""
    rows = []
    for kind, answers in suite.tally.answers.items():
        frequent = [f"{answer} {count:,}" for answer, count in list(answers.items())[:_ANSWERS_SHOWN]]
        more = [counted(len(answers) - len(frequent), "other")] if len(answers) > len(frequent) else []
        rows.append((kind, ", ".join(frequent + more), f"{sum(answers.values()):,}", ""))
    for kind, reasons in suite.tally.reasons.items():
        rows += [(kind, reason, "", f"{count:,}") for reason, count in reasons.items()]
    return ResultTable(f"Groups of {suite.name}", ("kind", "answers, or reason", "kept", "rejected"), rows, names=2)


def _family_table(suites: Sequence[GeneratedSuite]) -> ResultTable:
    """Kinds of questions by suites where the family has kinds, else the tests of each suite."""
    family = suites[0].family
    assert family is not None, "the table of a family is asked for its suites"
    obstacles = group_pairs((suite.obstacle, suite.generator) for suite in suites if suite.obstacle)
    reasons = [f"nothing for {', '.join(names)}: {obstacle}" for obstacle, names in obstacles.items()]
    if not family.kinds:
        tests = [(suite.name, test, f"{count:,}") for suite in suites for test, count in suite.tests.items()]
        return ResultTable(family.title, ("suite", "test", "groups"), tests, names=2, note="\n".join(reasons))
    rows, empty = list[tuple[str, ...]](), dict[str, list[str]]()
    for kind in family.kinds:
        counts = [sum(n for (of_kind, _), n in suite.tally.kept.items() if of_kind == kind) for suite in suites]
        rows.append((kind, *(f"{count:,}" if count else "–" for count in counts)))
        for suite, count in zip(suites, counts, strict=True):
            dropped = [(-n, why) for (of_kind, why), n in suite.tally.dropped.items() if of_kind == kind and n]
            if not count and dropped and not suite.obstacle:
                empty.setdefault(f"{kind}: {min(dropped)[1]}", []).append(suite.generator)
    rows.append(("groups", *(f"{suite.tally.groups:,}" for suite in suites)))
    notes = [f"nothing for {', '.join(names)}: {reason}" for reason, names in empty.items()]
    heads = ("kind", *(suite.generator for suite in suites))
    return ResultTable(family.title, heads, rows, note="\n".join([*notes, *reasons]))
