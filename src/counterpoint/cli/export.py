"""`counterpoint export`: write a suite in the layout of another tool, so that its models can be asked the same."""

from pathlib import Path

import click

import counterpoint as cp
from counterpoint.cli.options import OUTPUT, complete, json_option, lab_argument, lab_model_option
from counterpoint.cli.printing import print_result


@click.command("export")
@lab_argument
@click.option("--suite", default="", shell_complete=complete(of_lab="suites"), help="Write this suite of the lab.")
@lab_model_option("--model", "Write the card of this model.")
@click.option("--out", required=True, type=OUTPUT, help="Write to this folder or address.")
@click.option(
    "--layout",
    required=True,
    type=click.Choice(
        ["datasets", "model-card", "lmms-eval", "vlmevalkit", "inspect", "label-studio", "mturk", "form"]
    ),
    help="Write it in the layout of this tool.",
)
@click.option("--no-pictures", is_flag=True, help="Leave the pictures out; their addresses stay.")
@click.option(
    "--task",
    type=click.Choice(["judge", "answer", "audit"]),
    help="What people do, in the layouts for people; by default what fits the suite.",
)
@click.option("--picture-url", default="", metavar="URL", help="Put this before the name of each picture, for people.")
@click.option(
    "--license", "license_id", default="", metavar="ID", help="Write this license into the card of a datasets folder."
)
@click.option("--push", default="", metavar="OWNER/NAME", help="Upload to this repository; the token is in HF_TOKEN.")
@json_option
def command(
    lab: Path | str,
    suite: str,
    model: str,
    out: Path | str,
    layout: str,
    no_pictures: bool,
    task: str | None,
    picture_url: str,
    license_id: str,
    push: str,
    as_json: bool,
) -> None:
    """Write a suite of LAB for another tool, as tasks for people (label-studio, mturk, form), or a model's card.

    A datasets folder has a card of the suite, a model-card the scores of --model. --push uploads either to a hub.
    """
    if layout == "model-card":
        if not model or suite:
            raise click.UsageError("--layout model-card takes --model, and no --suite")
        print_result(cp.Lab(lab).export_model_card(model, out, push=push), as_json=as_json)
        return
    if not suite or model:
        raise click.UsageError(f"--layout {layout} takes --suite, and no --model")
    if no_pictures and layout != "datasets":
        raise click.UsageError("--no-pictures would leave a task nothing to show; it goes with --layout datasets")
    how = {"task": task or "", "picture_url": picture_url, "license_id": license_id, "push": push}
    print_result(cp.Lab(lab).export(suite, layout=layout, out=out, pictures=not no_pictures, **how), as_json=as_json)
