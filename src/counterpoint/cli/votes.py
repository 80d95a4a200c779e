"""`counterpoint votes`: what people's votes say, and people as a model of the lab."""

from pathlib import Path

import click

import counterpoint as cp
from counterpoint.cli.options import EXISTING, format_options, lab_argument, suites_option
from counterpoint.cli.printing import print_result


@click.command("votes")
@lab_argument
@suites_option
@click.option(
    "--task",
    type=click.Choice(["judge", "answer", "audit", "note"]),
    help="Count votes of this task, or list notes.",
)
@click.option("--import", "files", multiple=True, type=EXISTING, help="Add the votes of this file; repeatable.")
@click.option("--people", is_flag=True, help="Store what most people said as answers of the model people.")
@click.option("--each", is_flag=True, help="With --people, store the answers of every voter as a model too.")
@click.option(
    "--estimate",
    type=click.Choice(["majority", "dawid-skene"]),
    default="majority",
    show_default=True,
    help="How votes become one choice; dawid-skene also shows each voter's confusion.",
)
@format_options
def command(
    lab: Path | str,
    suites: tuple[str, ...],
    task: str | None,
    files: tuple[Path, ...],
    people: bool,
    each: bool,
    estimate: str,
    form: str | None,
) -> None:
    """Count the votes of people in LAB: valid items, agreement and voters, with intervals.

    With --import, votes of another tool are added; with --people, what most people said becomes a model. With
    --task note, the notes on groups are listed.
    """
    opened = cp.Lab(lab)
    if files:
        print_result(opened.import_votes(*files), form)
    elif people:
        print_result(opened.add_people(*suites, each=each, estimate=estimate), form)
    elif task == "note":
        print_result(opened.notes(*suites), form)
    else:
        print_result(opened.votes(*suites, task=task or "", estimate=estimate), form)
