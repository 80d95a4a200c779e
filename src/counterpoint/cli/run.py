"""`counterpoint run`: ask a model everything in a lab that it has not been asked yet."""

import json
import shlex
import sys
from pathlib import Path

import click

from counterpoint.cli.printing import progress_shown
from counterpoint.lab.running import RunRequest, run_model
from counterpoint.models.settings import parse_settings
from counterpoint.store.lab import LabStore


@click.command("run")
@click.argument("lab", type=click.Path(file_okay=False, path_type=Path))
@click.option("--model", required=True, help="A name of `counterpoint list models`, hf/…, openai/NAME, module:object.")
@click.option("--model-args", default="", metavar="K=V,…", help="Settings of the model; a comma in a value is doubled.")
@click.option("--device", metavar="NAME", help="Where a local model computes: cpu, cuda, cuda:1; several with commas.")
@click.option("--dtype", metavar="NAME", help="Its numbers: float32, bfloat16, float16.")
@click.option("--base-url", metavar="URL", help="The server of an openai/ model; else OPENAI_BASE_URL.")
@click.option("--max-requests", type=click.IntRange(1), help="Stop after so many requests to a server.")
@click.option("--name", default="", help="What the model is called in the lab; else as it is reached.")
@click.option(
    "--version", default="", metavar="TAG", help="Tag of this version; else its own if unchanged, or the date."
)
@click.option("--suite", "suites", multiple=True, help="Ask only this suite; may be given several times.")
@click.option("--limit", type=click.IntRange(1), help="Ask only the first groups of each suite.")
@click.option("--trials", default=0, type=click.IntRange(0), help="Stochastic passes beside the plain one.")
@click.option("--seed", default=0, show_default=True, help="Seed for the stochastic passes.")
@click.option("--batch-size", type=click.IntRange(1), help="Queries asked at once; else what suits the model.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    lab: Path,
    model: str,
    model_args: str,
    device: str | None,
    dtype: str | None,
    base_url: str | None,
    max_requests: int | None,
    name: str,
    version: str,
    suites: tuple[str, ...],
    limit: int | None,
    trials: int,
    seed: int,
    batch_size: int | None,
    as_json: bool,
) -> None:
    """Ask a model everything in LAB that is missing. Stop it at any time; run it again to go on.

    The exit code is 1 where every query failed, and 130 after Ctrl-C.
    """
    flags = {"device": device, "dtype": dtype, "base_url": base_url, "budget": max_requests}
    args = parse_settings(model_args) | {key: str(value) for key, value in flags.items() if value is not None}
    request = RunRequest(model, suites, limit, batch_size, args, trials, seed, name, version)
    try:
        with progress_shown() as progress:
            report = run_model(LabStore(lab).opened(), request, progress)
    except KeyboardInterrupt:
        click.echo(f"Stopped. What was answered is kept; to go on:\n  {_command_line(lab, request)}", err=True)
        raise SystemExit(130) from None
    click.echo(json.dumps(report.to_dict()) if as_json else report.text())
    if not as_json and (report.outcome.failed or report.outcome.left):
        click.echo(f"To ask again what is missing:\n  {_command_line(lab, request)}")
    sys.exit(1 if report.all_failed else 0)


def _command_line(lab: Path, request: RunRequest) -> str:
    """The command that asks what is left."""
    args = ",".join(f"{name}={value.replace(',', ',,')}" for name, value in request.model_args.items())
    words = ["counterpoint", "run", str(lab), "--model", request.model]
    words += [word for name in request.suites for word in ("--suite", name)]
    given = {
        "--model-args": args,
        "--name": request.name,
        "--version": request.version,
        "--limit": request.limit,
        "--trials": request.trials,
        "--seed": request.seed,
        "--batch-size": request.batch_size,
    }
    words += [word for name, value in given.items() if value for word in (name, str(value))]
    return shlex.join(words)
