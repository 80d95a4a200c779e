"""`counterpoint export`: write a suite in the layout of another tool, so that its models can be asked the same."""

from pathlib import Path

import click

import counterpoint as cp
from counterpoint.cli.options import complete, json_option, lab_argument
from counterpoint.cli.printing import print_result


@click.command("export")
@lab_argument
@click.option("--suite", required=True, shell_complete=complete(of_lab="suites"), help="Write this suite of the lab.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Write to this folder.")
@click.option(
    "--layout",
    required=True,
    type=click.Choice(["datasets", "lmms-eval", "vlmevalkit", "inspect", "label-studio", "mturk", "form"]),
    help="Write it in the layout of this tool.",
)
@click.option("--no-pictures", is_flag=True, help="Leave the pictures out; their addresses stay.")
@click.option(
    "--task",
    type=click.Choice(["judge", "answer", "audit"]),
    help="What people do, in the layouts for people; by default what fits the suite.",
)
@click.option("--picture-url", default="", metavar="URL", help="Put this before the name of each picture, for people.")
@json_option
def command(
    lab: Path,
    suite: str,
    out: Path,
    layout: str,
    no_pictures: bool,
    task: str | None,
    picture_url: str,
    as_json: bool,
) -> None:
    """Write a suite of LAB for another tool, or as tasks for people (label-studio, mturk, form)."""
    if no_pictures and layout != "datasets":
        raise click.UsageError("--no-pictures would leave a task nothing to show; it goes with --layout datasets")
    how = {"task": task or "", "picture_url": picture_url}
    print_result(cp.Lab(lab).export(suite, layout=layout, out=out, pictures=not no_pictures, **how), as_json=as_json)
