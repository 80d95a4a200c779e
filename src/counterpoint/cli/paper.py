"""`counterpoint paper`: the tables of a paper, made again from the models of a lab."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from counterpoint.core.errors import StoreError
from counterpoint.lab.selection import load_answers, load_groups, select_models
from counterpoint.metrics.contrast import KS
from counterpoint.reports.papers import contrast
from counterpoint.reports.papers import valse as foils
from counterpoint.reports.papers.carets import LABELS, TESTS, tables
from counterpoint.reports.papers.printing import Cell, Printed
from counterpoint.reports.papers.results import Results
from counterpoint.reports.tables import TABLE_FORMATS, ResultTable, percent
from counterpoint.store.lab import LabStore
from counterpoint.studies.foil_words import SUBSETS

_THRESHOLD = "The probability above which a caption is taken for right."
_NOTES = {"plain": "{}", "markdown": "*{}*", "latex": "% {}"}


@click.group("paper")
def command() -> None:
    """Print the tables of a paper from the models of a lab."""


@command.command("carets")
@click.argument("lab", type=click.Path(path_type=Path))
@click.option("--table", "labels", multiple=True, type=click.Choice(LABELS), help="By its number; else all there are.")
@click.option("--model", "models", multiple=True, help="A model that was run, by name or fingerprint; else all.")
@click.option("--suite", "suites", multiple=True, help="A suite of the lab; else all.")
@click.option("--printed", is_flag=True, help="The rows of the paper's own models as well.")
@click.option("--seed", default=0, show_default=True, help="Of the resamples.")
@click.option("--json", "form", flag_value="json", help="Print JSON, one object per table.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown tables.")
@click.option("--latex", "form", flag_value="latex", help="Print LaTeX tables.")
def carets(
    lab: Path,
    labels: tuple[str, ...],
    models: tuple[str, ...],
    suites: tuple[str, ...],
    printed: bool,
    seed: int,
    form: str | None,
) -> None:
    """The tables of CARETS (ACL 2022) from LAB, with 95 % intervals over pictures and the paper's human rows."""
    found = tables(results(LabStore(lab).opened(), models, suites, seed), labels, printed=printed)
    if form == "json":
        click.echo(json.dumps([table.plain for table in found], ensure_ascii=False))
    else:
        click.echo("\n\n".join(shown(table, form or "plain") for table in found))


@command.command("contrast")
@click.argument("lab", type=click.Path(path_type=Path))
@click.option("--table", "labels", multiple=True, type=click.Choice(contrast.LABELS), help="By its number; else all.")
@click.option("--model", "models", multiple=True, help="A model that was run, by name or fingerprint; else all.")
@click.option("--suite", "suites", multiple=True, help="A suite of the lab; else all.")
@click.option("--k", "ks", multiple=True, type=click.IntRange(1), help="Contrasts in a set; else 1, 3 and 5.")
@click.option("--seed", default=0, show_default=True, help="Of the resamples.")
@click.option("--json", "form", flag_value="json", help="Print JSON, one object per table.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown tables.")
@click.option("--latex", "form", flag_value="latex", help="Print LaTeX tables.")
def contrast_sets(
    lab: Path,
    labels: tuple[str, ...],
    models: tuple[str, ...],
    suites: tuple[str, ...],
    ks: tuple[int, ...],
    seed: int,
    form: str | None,
) -> None:
    """The tables of contrast sets (NAACL 2021) from LAB: originals, contrasts, the drop, and consistency by k."""
    opened = LabStore(lab).opened()
    answers = {title: load_answers(opened, info) for title, info in select_models(opened, models).items()}
    found = contrast.Results(load_groups(opened, suites), answers, tuple(sorted(set(ks))) or KS, seed)
    if not found.templates:
        hint = f"make one with counterpoint generate {lab} --suite contrast"
        raise StoreError(f"{lab} has no contrast sets", hint=hint)
    made = contrast.tables(found, labels)
    if form == "json":
        click.echo(json.dumps([table.plain for table in made], ensure_ascii=False))
    else:
        click.echo("\n\n".join(shown(table, form or "plain") for table in made))


@command.command("valse")
@click.argument("lab", type=click.Path(path_type=Path))
@click.option("--table", "labels", multiple=True, type=click.Choice(foils.LABELS), help="By its number; else all.")
@click.option("--model", "models", multiple=True, help="A model that was run, by name or fingerprint; else all.")
@click.option("--suite", "suites", multiple=True, help="A suite of the lab; else all.")
@click.option("--threshold", default=0.5, show_default=True, type=click.FloatRange(0, 1), help=_THRESHOLD)
@click.option(
    "--subset", default="valid", show_default=True, type=click.Choice([*SUBSETS]), help="Of Table 4, by votes."
)
@click.option("--printed", is_flag=True, help="The rows of the paper's own models as well.")
@click.option("--seed", default=0, show_default=True, help="Of the resamples.")
@click.option("--json", "form", flag_value="json", help="Print JSON, one object per table.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown tables.")
@click.option("--latex", "form", flag_value="latex", help="Print LaTeX tables.")
def valse(
    lab: Path,
    labels: tuple[str, ...],
    models: tuple[str, ...],
    suites: tuple[str, ...],
    threshold: float,
    subset: str,
    printed: bool,
    seed: int,
    form: str | None,
) -> None:
    """The tables of VALSE (ACL 2022) from LAB: captions against foils on eleven instruments, and their words."""
    opened = LabStore(lab).opened()
    chosen = {} if labels == ("5",) and not models else select_models(opened, models)
    answers = {title: load_answers(opened, info) for title, info in chosen.items()}
    found = foils.Results(load_groups(opened, suites), answers, threshold, seed, subset)
    if not found.tests:
        hint = f"make some with counterpoint generate {lab} --suite released --source valse --data FOLDER"
        raise StoreError(f"{lab} has none of the instruments {', '.join(foils.TESTS)}", hint=hint)
    made = foils.tables(found, labels, printed=printed)
    if form == "json":
        click.echo(json.dumps([table.plain for table in made], ensure_ascii=False))
    else:
        click.echo("\n\n".join(shown(table, form or "plain") for table in made))


def results(lab: LabStore, models: Sequence[str], suites: Sequence[str], seed: int) -> Results:
    """What the models made of the six tests; a lab without any of them has nothing to show."""
    answers = {title: load_answers(lab, info) for title, info in select_models(lab, models).items()}
    found = Results(load_groups(lab, suites), answers, TESTS, seed=seed)
    if not found.tests:
        hint = f"make one with counterpoint generate {lab.folder} --suite rephrase"
        raise StoreError(f"{lab.folder} has none of the tests {', '.join(TESTS)}", hint=hint)
    return found


def shown(table: Printed, form: str) -> str:
    """A table with its notes below it."""
    name = f"Figure {table.label[7:]}" if table.label.startswith("figure-") else f"Table {table.label}"
    rows = [(*line.names, *map(_told, line.cells)) for line in table.lines]
    sheet = ResultTable(f"{name}: {table.title}", (*table.names, *table.heads), rows, names=len(table.names))
    notes = [_NOTES[form].format(note) for note in table.notes]
    return "\n".join([TABLE_FORMATS[form](sheet), *([""] if notes and form == "markdown" else []), *notes])


def _told(cell: Cell) -> str:
    return cell.said if cell.value is None else percent(cell.value, cell.low, cell.high)
