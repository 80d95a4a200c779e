"""`counterpoint leaderboard`: every measure beyond accuracy of the models of a lab, as means over data sets."""

import json
from collections.abc import Mapping
from pathlib import Path

import click

from counterpoint.lab.selection import select_models
from counterpoint.metrics.leaderboard import Board, Column, Entry, Mean, Row, remarks
from counterpoint.reports.tables import TABLE_FORMATS, ResultTable, percent
from counterpoint.store.lab import LabStore
from counterpoint.studies.boards import read_board
from counterpoint.studies.costs import Cost, costs, told

TITLE = (
    "Per cent, means over data sets with 95 % intervals; less is better for bias, uncertainty and ECE; "
    "* marks the best of a column"
)
COSTS = ("parameters", "queries/s", "s/query")
_NOTES = {"plain": "{}", "markdown": "- {}", "latex": "% {}"}


@click.command("leaderboard")
@click.argument("lab", type=click.Path(path_type=Path))
@click.option("--model", "names", multiple=True, help="A model that was run, by name or fingerprint; else all.")
@click.option("--expand", metavar="MODEL", help="Show this model on each data set, with chance levels of bias.")
@click.option("--threshold", default=0.5, show_default=True, type=click.FloatRange(0, 1), help="Credit that is right.")
@click.option("--seed", default=0, show_default=True, help="Of the resamples.")
@click.option("--json", "form", flag_value="json", help="Print JSON, one object per model.")
@click.option("--markdown", "form", flag_value="markdown", help="Print a Markdown table.")
@click.option("--latex", "form", flag_value="latex", help="Print a LaTeX table.")
def command(
    lab: Path, names: tuple[str, ...], expand: str | None, threshold: float, seed: int, form: str | None
) -> None:
    """Accuracy, bias, robustness, uncertainty, calibration and cost of the models of LAB.

    Each figure is the unweighted mean over the data sets that the suites of LAB were made from.
    """
    opened = LabStore(lab).opened()
    chosen = select_models(opened, (*names, expand) if names and expand else names)
    whole = select_models(opened, (expand,)) if expand else {}
    found = read_board(opened, chosen, threshold=threshold, seed=seed)
    known = costs(opened)
    spent = {title: known.get(info.fingerprint, Cost()) for title, info in chosen.items()}
    if form == "json":
        about = {title: {"fingerprint": info.fingerprint, "cost": spent[title].plain} for title, info in chosen.items()}
        click.echo(json.dumps([row | about[row["model"]] for row in found.plain]))
        return
    rows = [row for row in found.rows if row.model in whole]
    sheets = [expanded(found, row) for row in rows] if expand else [sheet(found, spent)]
    blank = told({row.model: spent[row.model] for row in found.rows})
    notes = remarks(rows, found.columns) if expand else [*found.notes, *blank]
    lines = [_NOTES[form or "plain"].format(note) for note in notes]
    shown = "\n\n".join(TABLE_FORMATS[form or "plain"](one) for one in sheets)
    click.echo("\n".join([shown, *([""] if lines else []), *lines]))


def sheet(found: Board, spent: Mapping[str, Cost]) -> ResultTable:
    """One line per model, as in Table 1 of the paper, with its cost at the end."""
    many = len(found.data_sets)
    over = f"{many} data set{'s' * (many != 1)}: {', '.join(found.data_sets)}"
    heads = ("model", *(column.title for column in found.columns), *COSTS)
    rows = [
        (row.model, *(_mean(row.means[column.name]) for column in found.columns), *_cost(spent[row.model]))
        for row in found.rows
    ]
    return ResultTable(f"{TITLE}. {over}", heads, rows)


def expanded(found: Board, row: Row) -> ResultTable:
    """One line per data set, as in Figure 2 of the paper, below the means; beside each bias its chance level."""
    heads, whole = ["data set"], ["all"]
    for column in found.columns:
        mean = row.means[column.name]
        heads += [column.title, *(["by chance"] if column.chance else [])]
        whole += [_mean(mean), *([""] if column.chance else [])]
    rows = [whole] + [
        [data_set, *(cell for column in found.columns for cell in _cells(own.get(column.name), column))]
        for data_set, own in row.entries.items()
    ]
    return ResultTable(f"{row.model}, data set by data set; per cent with 95 % intervals over pictures", heads, rows)


def _mean(mean: Mean) -> str:
    """A mean, with how many data sets it was taken over where these are not all."""
    if mean.value is None:
        return percent(None)
    over = "" if mean.whole else f" [{mean.data_sets} of {mean.of}{', in part' * mean.part}]"
    return percent(mean.value, mean.low, mean.high) + "*" * (mean.rank == 1) + over


def _cells(entry: Entry | None, column: Column) -> list[str]:
    found = entry or Entry()
    part = " [in part]" if found.value is not None and found.missing > 0 else ""
    return [percent(found.value, found.low, found.high) + part, *([percent(found.chance)] if column.chance else [])]


def _cost(cost: Cost) -> tuple[str, str, str]:
    return (
        "–" if cost.parameters is None else f"{cost.parameters:,}",
        "–" if cost.queries_per_second is None else f"{cost.queries_per_second:,.0f}",
        "–" if cost.seconds_per_query is None else f"{cost.seconds_per_query:.2g}",
    )
