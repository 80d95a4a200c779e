"""`counterpoint models`: what can be named after --model."""

import json

import click

from counterpoint import catalog


@click.command("models")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(as_json: bool) -> None:
    """List the models that can be named, and where each is."""
    rows = catalog.rows("models")
    if as_json:
        click.echo(json.dumps(dict(rows)))
        return
    wide = max(map(len, rows))
    for name, place in rows.items():
        click.echo(f"{name:{wide}}  {place}")
