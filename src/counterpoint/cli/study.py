"""`counterpoint study`: experiments on the built-in world."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

import click

from counterpoint import catalog
from counterpoint.cli.progress import counted
from counterpoint.core.ports import Model
from counterpoint.metrics.intervals import Score
from counterpoint.studies.plain import Exam, Report, examined
from counterpoint.world.source import World


@click.group("study")
def command() -> None:
    """Measure something on the built-in world."""


@command.command("plain")
@click.argument("models", nargs=-1)
@click.option("--scenes", default=300, show_default=True, type=click.IntRange(2), help="How many scenes to make.")
@click.option("--split", default="test", show_default=True, help="train, validation, test, or shifted.")
@click.option("--seed", default=0, show_default=True, help="Another seed is another world.")
@click.option("--kinds", is_flag=True, help="Show each kind of question as well.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plain(models: tuple[str, ...], scenes: int, split: str, seed: int, kinds: bool, as_json: bool) -> None:
    """What MODELS (all, if none are named) get right on plain questions about scenes made for this."""
    reports = reported(models or tuple(catalog.rows("models")), World(split, scenes, seed=seed))
    if as_json:
        click.echo(json.dumps([asdict(report) for report in reports]))
    else:
        show(reports, f"{scenes} scenes of the {split} split", kinds=kinds)


def reported(names: tuple[str, ...], world: World) -> list[Report]:
    """A report on each model, with progress; every name is looked up before anything is drawn."""
    loaded: dict[str, Model] = {name: catalog.model(name, world) for name in names}
    exam = Exam.of(world)
    return [examined(name, model, exam, partial(counted, doing=name)) for name, model in loaded.items()]


def show(reports: list[Report], title: str, *, kinds: bool = False) -> None:
    """Tables in the terminal: per cent with the 95 % interval over pictures; what does not apply is a dash."""
    heads = ("questions", "GQA manner", "VQA manner", "captions")
    rows = [
        (report.model, *map(_cell, (report.overall, *map(report.manners.get, ("GQA", "VQA")), report.ranking)))
        for report in reports
    ]
    click.echo(f"Right answers on {title}, in per cent with 95 % intervals:")
    _table(("model", *heads), rows)
    if kinds:
        answering = [report for report in reports if report.kinds]
        names = sorted({kind for report in answering for kind in report.kinds})
        shares = [(kind, *(f"{100 * report.kinds[kind].value:.1f}" for report in answering)) for kind in names]
        _table(("kind", *(report.model for report in answering)), shares)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD)
    for place, head in enumerate(heads):
        table.add_column(head, justify="right" if place else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def _cell(score: Score | None) -> str:
    return "–" if score is None else f"{100 * score.value:.1f} ({100 * score.low:.0f}–{100 * score.high:.0f})"
