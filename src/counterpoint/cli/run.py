"""`counterpoint run`: a model is asked everything in a lab that it has not been asked yet."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from counterpoint.cli.progress import watched
from counterpoint.engine.progress import format_duration

if TYPE_CHECKING:
    from counterpoint.engine.running import RunSummary
    from counterpoint.lab.running import RunRequest


@click.command("run")
@click.argument("lab", type=click.Path(file_okay=False, path_type=Path))
@click.option("--model", required=True, help="A name from `counterpoint models`, hf/NAME, openai/NAME, module:object.")
@click.option("--model-args", default="", metavar="K=V,…", help="Settings of the model; a comma in a value is doubled.")
@click.option("--device", metavar="NAME", help="Where a local model computes: cpu, cuda, cuda:1; several with commas.")
@click.option("--dtype", metavar="NAME", help="Its numbers: float32, bfloat16, float16.")
@click.option("--base-url", metavar="URL", help="The server of an openai/ model; else OPENAI_BASE_URL.")
@click.option("--max-requests", type=click.IntRange(1), help="Stop after so many requests to a server.")
@click.option("--suite", "suites", multiple=True, help="Only this suite; may be given several times.")
@click.option("--limit", type=click.IntRange(1), help="Only the first so many groups of each suite.")
@click.option("--trials", default=0, type=click.IntRange(0), help="Stochastic passes beside the plain one.")
@click.option("--seed", default=0, show_default=True, help="Of the stochastic passes.")
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
    suites: tuple[str, ...],
    limit: int | None,
    trials: int,
    seed: int,
    batch_size: int | None,
    as_json: bool,
) -> None:
    """Ask a model everything in LAB that is missing. Stop it when you like; run it again to go on."""
    from counterpoint.lab.running import RunRequest, run_model  # tables are loaded when they are needed
    from counterpoint.models.settings import parse_settings
    from counterpoint.store.lab import LabStore

    flags = {"device": device, "dtype": dtype, "base_url": base_url, "max_requests": max_requests}
    args = parse_settings(model_args) | {name: str(value) for name, value in flags.items() if value is not None}
    settings = RunRequest(model, suites, limit, batch_size, args, trials, seed)
    opened = LabStore(lab).opened()
    try:
        with watched(model) as watch:
            info, outcome = run_model(opened, settings, watch, waiting=lambda holder: _waiting(model, holder))
    except KeyboardInterrupt:
        click.echo(f"Stopped. What was answered is kept; to go on:\n  {_again(lab, settings)}", err=True)
        raise SystemExit(130) from None
    if as_json:
        counts = asdict(outcome) | {"reasons": dict(outcome.reasons)}
        click.echo(json.dumps({"model": model, "fingerprint": info.fingerprint, "run": info.run} | counts))
    else:
        click.echo("\n".join(_told(outcome, lab, settings)))


def _told(outcome: "RunSummary", lab: Path, settings: "RunRequest") -> Iterator[str]:
    settled = outcome.asked - outcome.failed
    cached = f"; {outcome.cached:,} were there already" if outcome.cached else ""
    yield f"{settings.model}: {settled:,} answers added to {lab} in {format_duration(outcome.seconds)}{cached}"
    if outcome.retries:
        yield f"  {outcome.retries:,} requests came to nothing and were asked again"
    if outcome.failed:
        reason, times = outcome.reasons[0]
        yield f"  {outcome.failed:,} queries failed, {times:,} because {reason!r}; to ask them again:"
        yield f"  {_again(lab, settings)}"
    if outcome.left:
        yield f"  the budget is spent and {outcome.left:,} queries are left; to go on:"
        yield f"  {_again(lab, settings)}"
    if outcome.beyond:
        yield f"  {outcome.beyond:,} queries ask for what this model cannot do, and were not asked"
    if outcome.alike is not None:
        alike = outcome.alike
        yield f"  asked alone and in batches, {alike.differing} of {alike.checked} queries were answered differently"


def _waiting(model: str, holder: str) -> None:
    click.echo(f"{model} is being run by {holder}; waiting until it is done", err=True)


def _again(lab: Path, settings: "RunRequest") -> str:
    args = ",".join(f"{name}={value.replace(',', ',,')}" for name, value in settings.model_args.items())
    words = ["counterpoint", "run", str(lab), "--model", settings.model]
    words += [word for name in settings.suites for word in ("--suite", name)]
    given = {
        "--model-args": args,
        "--limit": settings.limit,
        "--trials": settings.trials,
        "--seed": settings.seed,
        "--batch-size": settings.batch_size,
    }
    words += [word for name, value in given.items() if value for word in (name, str(value))]
    return shlex.join(words)
