"""`counterpoint rescore`: take values from the answers of a lab by another rule, without asking a model."""

from pathlib import Path
from typing import Any

import click

import counterpoint as cp
from counterpoint.cli.options import json_option, lab_argument, models_option, suites_option
from counterpoint.cli.printing import print_result


def check_rule(ctx: click.Context, param: click.Parameter, rule: str) -> str:
    """The name of a rule, or a usage error with the nearest."""
    names = [*(entry["name"] for entry in cp.list_catalog("rules") if entry["name"]), "given"]
    if rule not in names:
        raise click.BadParameter(str(cp.UnknownName("extraction rule", rule, names)))
    return rule


@click.command("rescore")
@lab_argument
@click.option(
    "--rule", required=True, callback=check_rule, help="Take values by this rule; given restores those of the run."
)
@models_option
@suites_option
@json_option
def command(lab: Path | str, rule: str, as_json: bool, **chosen: Any) -> None:
    """Take values from the answers in LAB by another rule. No model is asked, and no answer is rewritten.

    Scores, comparisons, reports and pages show the new values from then on. `counterpoint list rules` describes them.
    """
    print_result(cp.Lab(lab).rescore(rule, **chosen), as_json=as_json)
