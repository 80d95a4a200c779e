"""`counterpoint demo`: from nothing to real failures of real models, in a minute."""

from pathlib import Path

import click

from counterpoint.cli.score import SHOWN, scores, sheet
from counterpoint.cli.study import reported, show, shown_pictures
from counterpoint.lab.generation import GenerateRequest, generate
from counterpoint.lab.reader import LabReader
from counterpoint.lab.running import RunRequest, run_model
from counterpoint.metrics.accuracy import ACCURACY_METRICS
from counterpoint.metrics.scoring import ScoreRequest
from counterpoint.reports.lab_report import report
from counterpoint.store.lab import LabStore
from counterpoint.world.contact_sheets import contact_sheet
from counterpoint.world.source import World

SCENES, GROUPS = 60, 160
"""How many scenes the models are asked about, and how many groups of each suite."""

SUITES = ("negation", "ontology", "order", "rephrase")
"""What they are asked: enough to see how they fail, in a minute."""


@click.command("demo")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default="demo",
    show_default=True,
    help="The folder for the contact sheet, the lab and the report.",
)
def command(into: Path) -> None:
    """Draw scenes, ask the built-in models about them, and show where their answers do not hold together."""
    world = World("test", SCENES)
    into.mkdir(parents=True, exist_ok=True)
    drawn = into / "scenes.png"
    contact_sheet(((world[k].scene.place, world[k].draw()) for k in range(24)), columns=6).save(drawn)
    click.echo(f"24 scenes that no model has seen: {drawn}\n")
    models = shown_pictures()
    show(reported(models, world), f"{SCENES} scenes of the test split")
    lab = LabStore(into / "lab")
    generate(lab, GenerateRequest(SUITES, items=SCENES, limit=GROUPS, replace=True))
    for model in models:
        run_model(lab, RunRequest(model))
    click.echo("The same things asked in two ways; what is right once should be right again.")
    request = ScoreRequest(("suite",), {}, ACCURACY_METRICS)
    click.echo(sheet(scores(lab, (), (), request), request, SHOWN[:3]).plain())
    (into / "report.html").write_text(report(LabReader(lab)), "utf-8")
    click.echo(f"\nThe report: {into / 'report.html'}\nEvery failure in the browser: counterpoint serve {lab.folder}")
