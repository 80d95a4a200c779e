"""`counterpoint rescore`: take values from the answers of a lab by another rule, without asking a model."""

from pathlib import Path
from typing import Any

import click

from counterpoint.cli.options import json_option, lab_argument, models_option, suites_option
from counterpoint.cli.printing import print_result
from counterpoint.lab.lab import Lab
from counterpoint.lab.rescoring import GIVEN
from counterpoint.language.answers.extraction import EXTRACTION_RULES


@click.command("rescore")
@lab_argument
@click.option(
    "--rule",
    required=True,
    type=click.Choice([*EXTRACTION_RULES, GIVEN]),
    help="Take values by this rule; given restores those of the run.",
)
@models_option
@suites_option
@json_option
def command(lab: Path, rule: str, as_json: bool, **chosen: Any) -> None:
    """Take values from the answers in LAB by another rule. No model is asked, and no answer is rewritten.

    Scores, comparisons, reports and pages show the new values from then on. `counterpoint list rules` describes them.
    """
    print_result(Lab(lab).rescore(rule, **chosen), as_json=as_json)
