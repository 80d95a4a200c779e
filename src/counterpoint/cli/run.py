"""`counterpoint run`: ask a model everything in a lab that it has not been asked yet."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

import counterpoint as cp
from counterpoint.cli.options import (
    FILE,
    POSITIVE,
    complete,
    json_option,
    lab_argument,
    model_options,
    settings_of,
    suites_option,
)
from counterpoint.cli.printing import echo, print_result, progress_shown

FLAGS = ("device", "dtype", "base_url", "concurrency", "budget", "prices", "batch")
"""Options that are settings of a model."""

CLUSTER = ("engine", "cpus_per_worker", "gpus_per_worker")
"""Options that are about a cluster."""


@click.command("run")
@lab_argument
@click.option(
    "--model",
    required=True,
    shell_complete=complete("models"),
    help="Ask this model: a name of `counterpoint list models`, module:object, or hf/, openai/, anthropic/, google/…",
)
@model_options
@click.option("--concurrency", type=POSITIVE, help="Send at most this many requests to a server at once.")
@click.option("--budget", help='Stop after so many requests to a server: 500, or "2000000 tokens", or "5 EUR".')
@click.option("--prices", type=FILE, help="Tell the price of a server's tokens by this table, TOML or JSON.")
@click.option("--batch", is_flag=True, default=None, help="Ask by batches of the server, which take up to a day.")
@click.option("--name", default="", help="Call the model this in the lab; else as it is reached.")
@click.option("--version", default="", metavar="TAG", help="Tag this version; else its own if unchanged, or the date.")
@suites_option
@click.option("--limit", type=POSITIVE, help="Ask only the first groups of each suite.")
@click.option("--trials", default=0, type=click.IntRange(0), help="Add stochastic passes to the plain one.")
@click.option("--seed", default=0, show_default=True, help="Seed for the stochastic passes.")
@click.option("--batch-size", type=POSITIVE, help="Ask this many queries at once; else what suits the model.")
@click.option("--workers", default=0, type=click.IntRange(0), help="Load the model in this many processes, or actors.")
@click.option("--engine", type=click.Choice(["ray"]), help="Run the workers on the Ray cluster of RAY_ADDRESS.")
@click.option("--cpus-per-worker", type=POSITIVE, help="Give each worker on Ray this many cores; 1 by default.")
@click.option(
    "--gpus-per-worker", type=click.FloatRange(0), help="Give each worker on Ray this many GPUs; 0.5 shares one."
)
@click.option("--dry-run", is_flag=True, help="Estimate requests, tokens, price and time, and ask nothing.")
@json_option
def command(lab: Path | str, model: str, model_args: str, dry_run: bool, as_json: bool, **request: Any) -> None:
    """Ask a model everything in LAB that is missing. Stop it at any time; run it again to go on.

    The exit code is 1 where every query failed, and 130 after Ctrl-C.
    """
    flags = {name: request.pop(name) for name in FLAGS}
    request |= _cluster_options({name: request.pop(name) for name in CLUSTER})
    with settings_of(model, model_args, flags) as args:
        if dry_run:
            print_result(cp.Lab(lab).estimate_run(model, model_args=args, **request), as_json=as_json)
            return
        report, again = _ask(lab, model, args, request)
    print_result(report, as_json=as_json)
    if not as_json and report.without_folder:
        folders = [f"{namespace}=FOLDER" for namespace in report.without_folder]
        echo(f"To say where the pictures are:\n  {shlex.join(['counterpoint', 'pictures', str(lab), *folders])}")
    elif not as_json and not report.complete:
        echo(f"To ask again what is missing:\n  {again}")
    sys.exit(1 if report.all_failed else 0)


def _cluster_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options about a cluster that were given."""
    given = {name: value for name, value in options.items() if value is not None}
    if given and "engine" not in given:
        raise click.UsageError(f"--{next(iter(given)).replace('_', '-')} is for --engine ray")
    return given


def _ask(lab: Path | str, model: str, args: dict[str, str], request: dict[str, Any]) -> tuple[Any, str]:
    """The report of a run, and the command that asks what is left."""
    again = _command_line(lab, model, args, request)
    try:
        with progress_shown() as progress:
            return cp.Lab(lab, progress=progress).run(model, model_args=args, **request), again
    except KeyboardInterrupt:
        echo(f"Stopped. What was answered is kept; to go on:\n  {again}", err=True)
        raise SystemExit(130) from None


def _command_line(lab: Path | str, model: str, args: Mapping[str, str], request: Mapping[str, Any]) -> str:
    """The command that asks what is left."""
    words = ["counterpoint", "run", str(lab), "--model", model]
    words += [word for name in request["suites"] for word in ("--suite", name)]
    settings = ",".join(f"{name}={value.replace(',', ',,')}" for name, value in args.items())
    options = {"model_args": settings} | {name: value for name, value in request.items() if name != "suites"}
    given = ((f"--{name.replace('_', '-')}", str(value)) for name, value in options.items() if value)
    return shlex.join([*words, *(word for pair in given for word in pair)])
