"""`counterpoint verify`: whether a suite or a lab still is what it was."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from counterpoint.store.lab import verify_folder


@click.command("verify")
@click.argument("folder", type=click.Path(path_type=Path), default="lab")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per check.")
@click.pass_context
def command(ctx: click.Context, folder: Path, as_json: bool) -> None:
    """Say whether FOLDER, a lab or a suite, still is what it was. Nothing is changed.

    Every suite must have the rows, ids and fingerprint of its manifest; every part of answers must be whole and in the
    folder of its model. The exit code is 1 if anything does not hold.
    """
    checks = list(verify_folder(folder))
    broken = [check for check in checks if not check.holds]
    if as_json:
        click.echo(json.dumps([asdict(check) for check in checks], ensure_ascii=False, indent=2))
    else:
        for check in broken:
            click.echo(f"{check.place}: {check.name} does not hold: {check.found}")
            if check.hint:
                click.echo(f"  {check.hint}")
        held = f"{len(checks) - len(broken)} of {len(checks)} checks hold in {folder}"
        click.echo(held if broken else f"all {len(checks)} checks hold in {folder}")
    ctx.exit(1 if broken else 0)
