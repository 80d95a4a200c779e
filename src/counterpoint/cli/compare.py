"""`counterpoint compare`: compare two models on the same groups, test by test."""

from pathlib import Path
from typing import Any

import click

import counterpoint as cp
from counterpoint.cli.options import complete, format_options, lab_argument, scoring_options, suites_option
from counterpoint.cli.printing import print_result


@click.command("compare")
@lab_argument
@click.argument("first", shell_complete=complete(of_lab="models"))
@click.argument("second", shell_complete=complete(of_lab="models"))
@suites_option
@scoring_options
@click.option("--coverage", is_flag=True, help="Print of what one model has right what the other has right too.")
@click.option("--pairs", is_flag=True, help="Compute the coverage over pairs in place of single answers.")
@format_options
def command(
    lab: Path | str, first: str, second: str, coverage: bool, pairs: bool, form: str | None, **request: Any
) -> None:
    """Compare FIRST and SECOND test by test: which is better, or whether they tie.

    A model is named as qwen, qwen@step-1000, qwen@latest or qwen@previous.
    """
    if coverage or pairs:
        kept = {name: request[name] for name in ("suites", "by", "filter", "threshold", "pool")}
        print_result(cp.Lab(lab).coverage(first, second, pairs=pairs, **kept), form)
    else:
        print_result(cp.Lab(lab).compare(first, second, **request), form)
