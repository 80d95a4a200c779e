"""`counterpoint report`: what a lab has found, as a file that can be mailed."""

import json
from pathlib import Path

import click

from counterpoint.core.errors import StoreError


@click.command("report")
@click.argument("lab", type=click.Path(file_okay=False, path_type=Path))
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The HTML file to write.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Also write the leaderboard in Markdown beside it.")
@click.option("--latex", "as_latex", is_flag=True, help="Also write the leaderboard in LaTeX beside it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: the files that were written.")
def command(lab: Path, out: Path, as_markdown: bool, as_latex: bool, as_json: bool) -> None:
    """Write what the models in LAB got right to one HTML file with tables and charts, which needs nothing else."""
    from counterpoint.explorer.pages.overview import build_overview, leaderboard_table
    from counterpoint.explorer.pages.overview.query import OverviewQuery  # pages are loaded when they are needed
    from counterpoint.lab.reader import LabReader
    from counterpoint.reports.lab_report import render_lab_report
    from counterpoint.store.lab import LabStore

    reader = LabReader(LabStore(lab).opened())
    written = {out: render_lab_report(reader)}
    table = leaderboard_table(build_overview(reader, OverviewQuery(), live=False))
    if as_markdown:
        written[out.with_suffix(".md")] = f"{table.markdown()}\n"
    if as_latex:
        written[out.with_suffix(".tex")] = f"{table.latex()}\n"
    for path, text in written.items():
        _write(path, text)
    if as_json:
        click.echo(json.dumps({"files": [str(path) for path in written]}))
    else:
        click.echo("\n".join(f"{path} is written" for path in written))


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", errors="backslashreplace")
    except OSError as problem:
        raise StoreError(f"{path} cannot be written: {problem.strerror or problem}") from problem
