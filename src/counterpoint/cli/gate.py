"""`counterpoint gate`: rules on the scores of a model, with an exit code for CI."""

from pathlib import Path

import click

import counterpoint as cp
from counterpoint.cli.options import FILE, format_options, lab_argument, lab_model_option, log_option, suites_option
from counterpoint.cli.printing import echo, print_result


@click.command("gate")
@lab_argument
@lab_model_option("--model", "Hold the rules against this model.", required=True)
@click.option(
    "--rule", "rules", multiple=True, required=True, help="Hold this rule, such as 'accuracy >= 0.6'; repeatable."
)
@lab_model_option("--baseline", "Compare with this version; else the marked one.")
@suites_option
@click.option(
    "--undecided",
    type=click.Choice(["pass", "fail"]),
    default="pass",
    show_default=True,
    help="Pass or fail a gate that the data cannot decide.",
)
@click.option("--junit", type=FILE, help="Write the rules as test cases to this JUnit XML file.")
@log_option
@format_options
def command(
    lab: Path | str,
    model: str,
    rules: tuple[str, ...],
    baseline: str,
    suites: tuple[str, ...],
    undecided: str,
    junit: Path | None,
    trackers: tuple[str, ...],
    form: str | None,
) -> None:
    """Hold rules against the scores of a model in LAB: each holds, fails, or cannot be decided yet.

    The exit code is 0 where all hold, 3 where one fails, and 4 where the data cannot tell and --undecided is fail.
    """
    opened = cp.Lab(lab)
    report = opened.gate(model, rules, baseline=baseline, suites=suites)
    print_result(report, form)
    for note in opened.log(model, *trackers, suites=suites).notes() if trackers else ():
        echo(note, err=True)
    if junit:
        report.write_junit(junit, undecided)
    if code := report.exit_code(undecided):
        raise SystemExit(code)
