"""The address of Compare: its models, the suite, and the cell of the verdict table whose groups are listed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from counterpoint.core.errors import UnknownName
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.families import fold_families
from counterpoint.metrics.verdicts import VERDICTS
from counterpoint.store.lab import LabModel

LEAST, MOST = 2, 5
"""How many models can be compared."""


@dataclass(frozen=True, slots=True)
class CompareQuery:
    """The models to compare, on one suite or on all, and the cell of the verdict table whose groups are listed."""

    suite: str
    models: tuple[LabModel, ...]
    other: int = 1  # the place of the second model of the tables
    first: str = ""
    second: str = ""
    page: str = ""  # of the groups of a cell
    sought: str = ""  # words that a model is looked for by

    @classmethod
    def read(cls, reader: LabReader, query: Mapping[str, str], models: Sequence[str]) -> "CompareQuery":
        """Return the query of an address; without models, the best two of the suite or of all suites."""
        suites = reader.suites()
        suite = reader.require_suite(query["suite"]) if query.get("suite") else suites[0] if len(suites) == 1 else ""
        slugs = list(dict.fromkeys(slug for word in models for slug in word.split(",") if slug))[:MOST]
        chosen, sought = tuple(reader.model(slug) for slug in slugs), query.get("add", "").strip()[:200]
        if len(fitting := find_models(reader, sought)) == 1 and fitting[0] not in chosen:
            chosen, sought = (*chosen[: -1 if query.get("instead") else MOST - 1], fitting[0]), ""
        if len(chosen) < LEAST and suites:
            others = [model for model in _best(reader, suite) if model not in chosen]
            chosen = (*chosen, *others[: LEAST - len(chosen)])
        first, second = query.get("first", ""), query.get("second", "")
        for verdict in filter(None, (first, second)):
            if verdict not in VERDICTS:
                raise UnknownName("verdict", verdict, VERDICTS)
        with_other = [place for place, model in enumerate(chosen) if place and model.slug == query.get("with", "")]
        other = with_other[0] if with_other else 1
        return cls(suite, chosen, other, first, second, query.get("page", ""), sought)

    @property
    def pair(self) -> tuple[LabModel, LabModel]:
        """The first model and the one that it is held against, suite by suite and group by group."""
        return self.models[0], self.models[self.other]

    @property
    def without_cell(self) -> "CompareQuery":
        """The query without a listed cell."""
        return replace(self, first="", second="", page="")

    def address(self, ending: str = "", anchor: str = "", **changes: Any) -> str:
        """Return where this comparison is shown, with some of it changed."""
        own = replace(self, **changes)
        parameters = {
            "models": ",".join(model.slug for model in own.models),
            "suite": own.suite,
            "with": own.models[own.other].slug if own.other > 1 else "",
            "first": own.first,
            "second": own.second,
            "page": own.page,
        }
        given = urlencode({name: value for name, value in parameters.items() if value}, safe=",")
        return f"/compare{ending}?{given}{anchor}"


def find_models(reader: LabReader, words: str) -> tuple[LabModel, ...]:
    """Return the model of this name or slug, else those whose names have all these words or parts of words."""
    known = reader.models()
    exact = tuple(model for model in known if words in (model.name, model.slug))
    parts = words.lower().split()
    return exact or tuple(model for model in known if parts and all(part in model.name.lower() for part in parts))


def _best(reader: LabReader, suite: str) -> list[LabModel]:
    """Return the models that have answered a suite, or any, in the order of the leaderboard; baselines come last."""
    suites = (suite,) if suite else reader.suites()
    board = fold_families(reader.leaderboard(suites), {own: reader.family(own) for own in suites})
    places = {row.model: place for place, row in enumerate(board.rows)}
    answered = (model for model in reader.models() if any(reader.has_answers(own, model.slug) for own in suites))
    return sorted(answered, key=lambda model: (model.slug in reader.baselines(), places[model.name]))
