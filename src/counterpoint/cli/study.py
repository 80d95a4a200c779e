"""`counterpoint study`: experiments on the built-in world."""

import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from counterpoint import catalog
from counterpoint.cli.blind_study import blind
from counterpoint.cli.progress import counted
from counterpoint.cli.rad_study import coverage, rad
from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.core.ports import Model
from counterpoint.metrics.intervals import Score
from counterpoint.studies.augmentation import SHARE, AugmentationComparison, comparison_lines
from counterpoint.studies.plain_accuracy import PlainExam, PlainReport, examine
from counterpoint.world.source import World

WORDS_ONLY = frozenset(("ngram", "trigram"))
"""Models that score a text by itself, one of which has to be told captions first."""


@click.group("study")
def command() -> None:
    """Measure something on the built-in world."""


command.add_command(blind)
command.add_command(rad)
command.add_command(coverage)


@command.command("plain")
@click.argument("models", nargs=-1)
@click.option(
    "--items", "scenes", default=300, show_default=True, type=click.IntRange(2), help="How many scenes to make."
)
@click.option("--split", default="test", show_default=True, help="train, validation, test, or shifted.")
@click.option("--seed", default=0, show_default=True, help="Another seed is another world.")
@click.option("--kinds", is_flag=True, help="Show each kind of question as well.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plain(models: tuple[str, ...], scenes: int, split: str, seed: int, kinds: bool, as_json: bool) -> None:
    """What MODELS (all, if none are named) get right on plain questions about scenes made for this."""
    reports = reported(models or shown_pictures(), World(split, scenes, seed=seed))
    if as_json:
        click.echo(json.dumps([asdict(report) for report in reports]))
    else:
        show(reports, f"{scenes} scenes of the {split} split", kinds=kinds)


@command.command("augment")
@click.argument("models", nargs=-1)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="For data and weights.")
@click.option("--scenes", default=120_000, show_default=True, type=click.IntRange(32), help="Pictures to train on.")
@click.option("--steps", default=20_000, show_default=True, type=click.IntRange(1), help="Of training, for each model.")
@click.option("--batch", default=512, show_default=True, type=click.IntRange(2), help="Pictures in a step.")
@click.option("--tests", default=1000, show_default=True, type=click.IntRange(2), help="Scenes to be examined on.")
@click.option("--groups", default=2000, show_default=True, type=click.IntRange(2), help="Of each suite, at most.")
@click.option("--suite", "suites", multiple=True, help="To learn from and be tested on; else the six tests of CARETS.")
@click.option("--share", default=SHARE, show_default=True, help="How many questions are added, as a share of all.")
@click.option("--seed", default=0, show_default=True, help="Another seed is another world and another start.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def augment(models: tuple[str, ...], as_json: bool, **numbers: Any) -> None:
    """Train MODELS (cnn-lstm and fusion) with and without questions of the suites, and print what that gains.

    For each test ACC, CONS and C-ACC with the gain, then the same for plain questions. Wants torch and, at full size,
    a GPU; run it from the root of the repository, where the programs for training are.
    """
    try:
        training = import_module("training.augment")
    except ModuleNotFoundError as problem:
        hint = "run it in a checkout of the repository, with torch: pip install -e '.[hf]'"
        raise CounterpointError(f"models cannot be trained here: there is no {problem.name}", hint=hint) from problem
    plan = study_plan(training, models, **numbers)
    with redirect_stdout(sys.stderr):  # where training tells how it goes
        found: list[AugmentationComparison] = training.study(plan)
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found]))
    else:
        click.echo("\n".join(comparison_lines(found)))


def study_plan(training: Any, models: tuple[str, ...], *, scenes: int, **numbers: Any) -> Any:
    """What is to be trained; what only helps shrinks with the number of scenes."""
    for name in models:
        if name not in training.MODELS:
            raise UnknownName("model to train", name, training.MODELS)
    held, survey = min(2_000, scenes), min(6_000, scenes)
    chosen = models or training.MODELS
    return training.Plan(models=chosen, pictures=scenes, held=held, survey=survey, **numbers)


def shown_pictures() -> tuple[str, ...]:
    """The models that can be asked about pictures; those that only know texts are for `study blind`."""
    return tuple(name for name in catalog.rows("models") if name not in WORDS_ONLY)


def reported(names: tuple[str, ...], world: World) -> list[PlainReport]:
    """A report on each model, with progress; every name is looked up before anything is drawn."""
    loaded: dict[str, Model] = {name: catalog.model(name, world) for name in names}
    exam = PlainExam.of(world)
    return [examine(name, model, exam, partial(counted, doing=name)) for name, model in loaded.items()]


def show(reports: list[PlainReport], title: str, *, kinds: bool = False) -> None:
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
