"""`counterpoint list`: the names that options take, what each is and what it needs."""

import click

from counterpoint.cli.options import format_options
from counterpoint.cli.printing import print_result
from counterpoint.lab.listing import LISTED, list_catalog


@click.command("list")
@click.argument("table", type=click.Choice(LISTED))
@format_options
def command(table: str, form: str | None) -> None:
    """List the suites, families, metrics, models, sources, checks or rules: what each is and what it needs."""
    listing = list_catalog(table)
    print_result(listing, form)
