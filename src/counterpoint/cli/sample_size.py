"""`counterpoint sample-size`: how many groups a gate needs."""

from pathlib import Path

import click

import counterpoint as cp
from counterpoint.cli.options import POSITIVE, complete, format_options, lab_argument, models_option, suites_option
from counterpoint.cli.printing import print_result


@click.command("sample-size")
@lab_argument
@click.option(
    "--detect",
    required=True,
    type=click.FloatRange(0, 100, min_open=True, max_open=True),
    metavar="POINTS",
    help="Find a value this many points on the wrong side of its line or margin.",
)
@models_option
@suites_option
@click.option(
    "--metric", "metrics", multiple=True, shell_complete=complete("metrics"), help="Test this metric; repeatable."
)
@click.option(
    "--power",
    default=0.8,
    show_default=True,
    type=click.FloatRange(0.5, 1, max_open=True),
    help="Find it with this probability.",
)
@click.option("--rules", default=1, show_default=True, type=POSITIVE, help="Correct for this many rules of the gate.")
@format_options
def command(
    lab: Path | str,
    detect: float,
    models: tuple[str, ...],
    suites: tuple[str, ...],
    metrics: tuple[str, ...],
    power: float,
    rules: int,
    form: str | None,
) -> None:
    """Say how many groups of each suite in LAB a gate of fixed size needs, from the variance of its answers.

    Of several models, those decide whose answers vary most; of two, a version and its baseline, also the difference.
    """
    how = {"models": models, "suites": suites, "metrics": metrics}
    print_result(cp.Lab(lab).sample_size(detect / 100, power=power, rules=rules, **how), form)
