"""`counterpoint run`: a model is asked everything in a lab that it has not been asked yet."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from counterpoint.cli.progress import watched
from counterpoint.engine.progress import span

if TYPE_CHECKING:
    from counterpoint.cli.asking import Settings
    from counterpoint.engine.running import Outcome

BATCH = 64
"""Queries asked at once, unless somebody says otherwise."""


@click.command("run")
@click.argument("lab", type=click.Path(file_okay=False, path_type=Path))
@click.option("--model", required=True, help="A name from `counterpoint models`, or module:object.")
@click.option("--suite", "suites", multiple=True, help="Only this suite; may be given several times.")
@click.option("--limit", type=click.IntRange(1), help="Only the first so many groups of each suite.")
@click.option("--batch-size", default=BATCH, show_default=True, type=click.IntRange(1), help="Queries asked at once.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(lab: Path, model: str, suites: tuple[str, ...], limit: int | None, batch_size: int, as_json: bool) -> None:
    """Ask a model everything in LAB that is missing. Stop it when you like; run it again to go on."""
    from counterpoint.cli.asking import Settings, asked  # tables are loaded when they are needed
    from counterpoint.store.lab import Lab

    settings = Settings(model, suites, limit, batch_size)
    opened = Lab(lab).opened()
    try:
        with watched(model) as watch:
            info, outcome = asked(opened, settings, watch, waiting=lambda holder: _waiting(model, holder))
    except KeyboardInterrupt:
        click.echo(f"Stopped. What was answered is kept; to go on:\n  {_again(lab, settings)}", err=True)
        raise SystemExit(130) from None
    if as_json:
        counts = asdict(outcome) | {"reasons": dict(outcome.reasons)}
        click.echo(json.dumps({"model": model, "fingerprint": info.fingerprint, "run": info.run} | counts))
    else:
        click.echo("\n".join(_told(outcome, lab, settings)))


def _told(outcome: "Outcome", lab: Path, settings: "Settings") -> Iterator[str]:
    settled = outcome.asked - outcome.failed
    cached = f"; {outcome.cached:,} were there already" if outcome.cached else ""
    yield f"{settings.model}: {settled:,} answers added to {lab} in {span(outcome.seconds)}{cached}"
    if outcome.failed:
        reason, times = outcome.reasons[0]
        yield f"  {outcome.failed:,} queries failed, {times:,} because {reason!r}; to ask them again:"
        yield f"  {_again(lab, settings)}"
    if outcome.beyond:
        yield f"  {outcome.beyond:,} queries ask for what this model cannot do, and were not asked"
    if outcome.alike is not None:
        alike = outcome.alike
        yield f"  asked alone and in batches, {alike.differing} of {alike.checked} queries were answered differently"


def _waiting(model: str, holder: str) -> None:
    click.echo(f"{model} is being run by {holder}; waiting until it is done", err=True)


def _again(lab: Path, settings: "Settings") -> str:
    words = ["counterpoint", "run", str(lab), "--model", settings.model]
    words += [word for name in settings.suites for word in ("--suite", name)]
    words += ["--limit", str(settings.limit)] if settings.limit else []
    words += ["--batch-size", str(settings.batch_size)] if settings.batch_size != BATCH else []
    return shlex.join(words)
