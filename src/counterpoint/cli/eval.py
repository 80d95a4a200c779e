"""`counterpoint eval`: bring a lab up to date with an evaluation file, score it and gate it."""

from pathlib import Path
from typing import Any

import click

import counterpoint as cp
from counterpoint.cli.options import POSITIVE, LocalPath, format_options, log_option
from counterpoint.cli.printing import echo, escape_controls, print_result, progress_shown


@click.command("eval")
@click.argument("file", required=False, type=LocalPath(path_type=Path))
@click.option("--only", multiple=True, metavar="NAME", help="Take this suite or model of the file alone; repeatable.")
@click.option("--limit", type=POSITIVE, help="Ask only the first groups of each suite.")
@click.option("--dry-run", is_flag=True, help="Say what would be made and asked, with time, tokens and price.")
@click.option("--replace", is_flag=True, help="Make suites anew whose settings in the file have changed.")
@click.option(
    "--until-decided/--no-until-decided",
    default=None,
    help="Ask about pictures in random order until the rules are decided or one fails; else what the file says.",
)
@click.option(
    "--method",
    type=click.Choice(["asymptotic", "betting"]),
    help="Decide so, with --until-decided; else what the file says, asymptotic by default.",
)
@log_option
@format_options
def command(
    file: Path | None,
    dry_run: bool,
    until_decided: bool | None,
    method: str | None,
    trackers: tuple[str, ...],
    form: str | None,
    **how: Any,
) -> None:
    """Do what FILE says: make and ask what is missing, score, compare with the baseline, gate, write the outputs.

    FILE is counterpoint.toml, or pyproject.toml with a table [tool.counterpoint], by default that of this folder.
    Run it again at any time: only what is new is done. The exit code is 0 where all rules hold, 1 after an error, 3
    where a rule fails, and 4 where the data cannot tell and the file says undecided = "fail".
    """
    evaluation = cp.load_evaluation(file)
    try:
        with progress_shown() as progress:
            how |= {"progress": progress}
            result = (
                evaluation.estimate(**how)
                if dry_run
                else evaluation.run(until_decided=until_decided, method=method, trackers=trackers, **how)
            )
    except KeyboardInterrupt:
        echo("Stopped. What was answered is kept; counterpoint eval goes on from there.", err=True)
        raise SystemExit(130) from None
    if form:
        print_result(result, form)
    else:
        click.echo(_colored(escape_controls(result.text())))
    if isinstance(result, cp.EvaluationReport) and result.exit_code:
        raise SystemExit(result.exit_code)


def _colored(text: str) -> str:
    """The text with the marks of verdicts in color, which click leaves out where it is no terminal."""
    for mark, color in (("✗", "red"), ("✓", "green"), ("?", "yellow")):
        text = text.replace(f"\n{mark} ", f"\n{click.style(mark, fg=color, bold=True)} ")
    return text
