"""Agreement: how often every two models fail on the same groups beyond chance, on one suite or over all."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np
from msgspec import Struct

from counterpoint.core.quantities import counted
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.views import SelectBox
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.model_agreement import FEWEST_GROUPS, ModelAgreement, agree, seriate
from counterpoint.reports.templating import shorten_names
from counterpoint.store.lab import LabModel
from counterpoint.store.outcomes.queries import pass_matrix

SENTENCE = (
    "Cohen’s κ of pass and fail over the groups that both models answered: 1 means the same failures, 0 what their "
    "pass rates explain by chance, below 0 that each fails where the other passes."
)

MOST, LEAST, SHORT = 10, 5, 28
"""Pairs that are listed as most and as least alike, and the characters of a name in the matrix."""


class AgreementCell(Struct, frozen=True):
    """The agreement of two models; κ is missing where too few groups are in common or one result is all there is."""

    kappa: float | None
    groups: int
    both_fail: int
    only_row_fails: int
    only_column_fails: int


class AgreementRow(Struct, frozen=True):
    """A model, and its agreement with each model before it."""

    model: str
    short: str
    address: str
    cells: tuple[AgreementCell, ...]


class ModelPair(Struct, frozen=True):
    """Two models that are much alike, or little, and where they are compared."""

    first: str
    second: str
    cell: AgreementCell
    address: str


@dataclass(frozen=True, slots=True)
class AgreementView(PageView):
    """The agreement of every two models; similar models are neighbours."""

    suite: str = ""
    choice: SelectBox | None = None
    finding: str = ""
    rows: tuple[AgreementRow, ...] = ()
    most: tuple[ModelPair, ...] = ()
    least: tuple[ModelPair, ...] = ()
    left_out: tuple[str, ...] = ()
    empty: str = ""


def agreement_view(reader: LabReader, request: PageRequest) -> AgreementView:
    """How alike every two models fail, on one suite or over all, with similar models side by side."""
    suite = request.values.get("suite", "")
    suites = (reader.require_suite(suite),) if suite else reader.suites()
    models = reader.models()
    agreement = reader.cached(("agreement", suite), lambda: _agree(reader, suites))
    known = [place for place in range(len(models)) if agreement.groups[place, place] >= FEWEST_GROUPS]
    order = [known[place] for place in seriate(agreement.kappa[np.ix_(known, known)])] if known else []
    pairs = _ranked_pairs(agreement, order)
    alike = [pair for pair in pairs[:MOST] if agreement.kappa[pair] > 0]
    asked = f"?{urlencode({'suite': suite})}" if suite else ""
    options = [("", "all suites"), *((own, own) for own in reader.suites())]
    return AgreementView(
        title=f"Which models fail alike on {suite}" if suite else "Which models fail alike",
        sentence=SENTENCE,
        twin=f"/agreement.json{asked}",
        above="/compare",
        suite=suite,
        choice=SelectBox.of("suite", "Suite", options, suite),
        finding=_finding(agreement, models, pairs),
        rows=_rows(agreement, models, order),
        most=_listed(agreement, models, alike, suite),
        least=_listed(agreement, models, pairs[len(alike) :][-LEAST:][::-1], suite),
        left_out=tuple(model.name for place, model in enumerate(models) if place not in known),
        empty="" if len(known) > 1 else f"No two models have answered {counted(FEWEST_GROUPS, 'group')} here.",
    )


def _agree(reader: LabReader, suites: Sequence[str]) -> ModelAgreement:
    return agree((pass_matrix(reader, suite) for suite in suites), len(reader.models()))


def _ranked_pairs(agreement: ModelAgreement, order: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs that have a κ, the most alike first."""
    pairs = [(first, second) for at, second in enumerate(order) for first in order[:at]]
    told = [pair for pair in pairs if not np.isnan(agreement.kappa[pair])]
    return sorted(told, key=lambda pair: (-agreement.kappa[pair], pair))


def _cell(agreement: ModelAgreement, row: int, column: int) -> AgreementCell:
    kappa = agreement.kappa[row, column]
    return AgreementCell(
        None if np.isnan(kappa) else round(float(kappa), 4),
        int(agreement.groups[row, column]),
        int(agreement.both_fail[row, column]),
        int(agreement.only_fails[row, column]),
        int(agreement.only_fails[column, row]),
    )


def _rows(agreement: ModelAgreement, models: Sequence[LabModel], order: Sequence[int]) -> tuple[AgreementRow, ...]:
    short = shorten_names((models[place].name for place in order), SHORT)
    return tuple(
        AgreementRow(
            models[row].name,
            short[models[row].name],
            f"/models/{models[row].slug}",
            tuple(_cell(agreement, row, column) for column in order[:at]),
        )
        for at, row in enumerate(order)
    )


def _listed(
    agreement: ModelAgreement, models: Sequence[LabModel], pairs: Sequence[tuple[int, int]], suite: str
) -> tuple[ModelPair, ...]:
    listed = []
    for first, second in pairs:
        given = {"models": f"{models[first].slug},{models[second].slug}", "suite": suite}
        address = f"/compare?{urlencode({name: value for name, value in given.items() if value}, safe=',')}"
        cell = _cell(agreement, first, second)
        listed.append(ModelPair(models[first].name, models[second].name, cell, address))
    return tuple(listed)


def _finding(agreement: ModelAgreement, models: Sequence[LabModel], pairs: Sequence[tuple[int, int]]) -> str:
    if not pairs:
        return ""
    names = " and ".join(models[place].name for place in pairs[0])
    kappas = [float(agreement.kappa[pair]) for pair in pairs]
    if len(pairs) == 1:
        return f"The failures of {names} agree with κ {_hundredths(kappas[0])}."
    median = _hundredths(float(np.median(kappas)))
    return f"{names} fail most alike (κ {_hundredths(kappas[0])}); half of all pairs are above {median}."


def _hundredths(value: float) -> str:
    """Return a number with two decimals and a minus sign, never as −0.00."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")
