"""`counterpoint ls`: what is in a lab."""

import json
from pathlib import Path

import click

from counterpoint.reports.tables import ResultTable
from counterpoint.store.lab import LabContents, LabStore, list_contents


@click.command("ls")
@click.argument("lab", type=click.Path(path_type=Path), default="lab")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(lab: Path, as_json: bool) -> None:
    """List the suites in LAB, and the models with the number of their answers."""
    found = list_contents(LabStore(lab).opened())
    click.echo(json.dumps(found, ensure_ascii=False, indent=2) if as_json else _shown(found))


def _shown(found: LabContents) -> str:
    suites = [
        (suite["suite"], f"{suite['groups']:,}", f"{suite['rows']:,}", str(suite["seed"]), suite["fingerprint"][:12])
        for suite in found["suites"]
    ]
    models = [
        (model["model"], f"{model['answers']:,}", f"{model['failed']:,}", str(model["runs"]), model["slug"])
        for model in found["models"]
    ]
    return "\n\n".join(
        [
            ResultTable("Suites", ("suite", "groups", "queries", "seed", "fingerprint"), suites).plain(),
            ResultTable("Models", ("model", "answers", "failed", "runs", "folder of its answers"), models).plain(),
        ]
    )
