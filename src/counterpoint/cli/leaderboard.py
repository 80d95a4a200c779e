"""`counterpoint leaderboard`: the models of a lab by the metrics of its suites, or by means over data sets."""

import json
from pathlib import Path

import click

from counterpoint import catalog
from counterpoint.cli.options import SHARE
from counterpoint.lab.leaderboard import leaderboard
from counterpoint.metrics.leaderboard import Layout
from counterpoint.store.lab import LabStore


@click.command("leaderboard")
@click.argument("lab", type=click.Path(path_type=Path))
@click.option("--model", "models", multiple=True, help="Show this model of the lab; default: all.")
@click.option("--suite", "suites", multiple=True, help="Show this suite of the lab; default: all.")
@click.option("--metric", "metrics", multiple=True, help="Show this metric; default: those that lead on each suite.")
@click.option(
    "--layout",
    type=click.Choice([layout.value for layout in Layout]),
    default=Layout.SUITES.value,
    show_default=True,
    help="Show metrics suite by suite, or means over data sets.",
)
@click.option("--expand", metavar="MODEL", help="Show this model on each data set, with chance levels of bias.")
@click.option("--threshold", default=0.5, show_default=True, type=SHARE, help="Least credit that is correct.")
@click.option("--seed", default=0, show_default=True, help="Seed of the bootstrap.")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option("--markdown", "form", flag_value="markdown", help="Print a Markdown table.")
@click.option("--latex", "form", flag_value="latex", help="Print a LaTeX table.")
def command(
    lab: Path,
    models: tuple[str, ...],
    suites: tuple[str, ...],
    metrics: tuple[str, ...],
    layout: str,
    expand: str | None,
    threshold: float,
    seed: int,
    form: str | None,
) -> None:
    """Show the models of LAB by the metrics that lead on its suites, best first, with their cost."""
    result = leaderboard(
        LabStore(lab).opened(),
        models=models,
        suites=suites,
        metrics=[catalog.metric(name) for name in metrics],
        layout=Layout.DATASETS if expand else layout,
        expand=[expand] if expand else (),
        threshold=threshold,
        seed=seed,
    )
    click.echo(json.dumps(result.to_dict()) if form == "json" else result.text(form or "plain"))
