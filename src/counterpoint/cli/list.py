"""`counterpoint list`: the names that options take, what each is and what it needs."""

import click

from counterpoint import list_catalog
from counterpoint.cli.options import format_options
from counterpoint.cli.printing import print_result

TABLES = ("suites", "families", "metrics", "models", "sources", "checks", "rules", "papers", "layouts", "outputs")
"""What can be listed."""


@click.command("list")
@click.argument("table", type=click.Choice(TABLES))
@format_options
def command(table: str, form: str | None) -> None:
    """List a table of the catalog: its names, what each is and what it needs."""
    listing = list_catalog(table)
    print_result(listing, form)
