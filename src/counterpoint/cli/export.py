"""`counterpoint export`: a suite in the layout of another tool, so that its models can be asked our questions."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from counterpoint.exports.datasets_folder import ExportedSuite

FORMS = ("datasets", "lmms-eval")
"""What a suite can be written as."""


@click.command("export")
@click.argument("lab", type=click.Path(file_okay=False, path_type=Path))
@click.option("--suite", required=True, help="A suite of the lab.")
@click.option("--to", "folder", required=True, type=click.Path(path_type=Path), help="The folder to write to.")
@click.option("--as", "form", required=True, type=click.Choice(FORMS), help="Whose layout it is to have.")
@click.option("--no-pictures", is_flag=True, help="Leave the pictures out; their addresses stay.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(lab: Path, suite: str, folder: Path, form: str, no_pictures: bool, as_json: bool) -> None:
    """Write a suite of LAB as a Hugging Face datasets folder, or as a task of lmms-eval."""
    from counterpoint.exports.datasets_folder import export_datasets
    from counterpoint.exports.lmms_task import export_task
    from counterpoint.lab.worlds import find_worlds
    from counterpoint.store.lab import LabStore

    if no_pictures and form != "datasets":
        raise click.UsageError("--no-pictures would leave a task nothing to show; it goes with --as datasets")
    opened = LabStore(lab).opened()
    found = opened.suite(suite)
    shown = opened.pictures(
        {name: world for name, world in find_worlds(found.table).items() if name not in opened.roots}
    )
    if form == "datasets":
        written = export_datasets(found, folder, None if no_pictures else shown)
    else:
        written = export_task(found, folder, shown)
    click.echo(json.dumps(asdict(written) | {"as": form}) if as_json else "\n".join(_told(written, form)))


def _told(written: "ExportedSuite", form: str) -> Iterator[str]:
    from counterpoint.exports.lmms_task import task_name

    size = f"{written.bytes / 2**20:,.1f} MB"
    yield f"{written.suite}: {written.rows:,} rows with {written.pictures:,} pictures, {size}, in {written.folder}"
    if form == "datasets":
        yield f'  load it with datasets.load_dataset("{written.folder}", split="test")'
    else:
        yield f"  cd {written.folder} && lmms-eval --include_path . --tasks {task_name(written.suite)} --log_samples …"
