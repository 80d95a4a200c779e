"""`counterpoint serve`: show a lab in the browser."""

import os
from pathlib import Path
from typing import TextIO

import click

from counterpoint import CounterpointError, Lab, parse_settings
from counterpoint.cli.options import complete, lab_argument, stack
from counterpoint.cli.printing import echo, progress_shown

TOKEN = "COUNTERPOINT_TOKEN"
"""The variable that holds the token; no option does, since lists of processes show options."""


def _read_token(context: click.Context, parameter: click.Parameter, file: TextIO | None) -> str:
    """The token, from a file or from the variable."""
    return file.readline().strip() if file else os.environ.get(TOKEN, "")


server_options = stack(
    click.option(
        "--port", default=8400, show_default=True, type=click.IntRange(0, 65535), help="Listen here; 0: any free."
    ),
    click.option("--host", default="127.0.0.1", show_default=True, help="Listen on this address."),
    click.option(
        "--token-file",
        "token",
        type=click.File(encoding="utf-8"),
        callback=_read_token,
        help=f"Let visitors log in with the first line of this file; else with ${TOKEN}.",
    ),
    click.option("--open", "opens", is_flag=True, help="Open the first page in the browser."),
)
"""Where the pages are served, and to whom."""


@click.command("serve")
@lab_argument
@server_options
@click.option(
    "--model", "models", multiple=True, shell_complete=complete("models"), help="Load a model to try; repeatable."
)
@click.option(
    "--model-args",
    "args",
    multiple=True,
    metavar="K=V,…",
    help="Settings of the models: one for each --model, in turn.",
)
@click.option(
    "--encoder",
    default="two-tower",
    show_default=True,
    shell_complete=complete("models"),
    help="Find similar groups by the features of this model.",
)
def command(
    lab: Path | str,
    port: int,
    host: str,
    token: str,
    models: tuple[str, ...],
    args: tuple[str, ...],
    encoder: str,
    opens: bool,
) -> None:
    """Show LAB in the browser: overview, comparisons, every group. Ctrl-C ends it.

    It writes nothing but votes, notes and saved slices.

    With --model, visitors can try that model: change a picture or a question, and see what it answers. Listening for
    others, by --host, needs a --token-file, or the variable COUNTERPOINT_TOKEN.
    """
    from counterpoint import serve

    if args and len(args) != len(models):
        hint = "the first belongs to the first model, and so on; an empty one changes nothing"
        raise CounterpointError(f"there are {len(models)} --model and {len(args)} --model-args", hint=hint)
    settings = [parse_settings(line) for line in args] or [{} for _ in models]

    def started(address: str) -> None:
        echo(f"{lab} is at {address}")
        if opens:
            click.launch(address)

    with progress_shown():
        pairs = list(zip(models, settings, strict=True))
        serve(Lab(lab), host=host, port=port, token=token, models=pairs, encoder=encoder, started=started)
