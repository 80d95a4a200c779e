"""`counterpoint demo`: scenes, models, scores and a report in a minute."""

from pathlib import Path

import click

from counterpoint.cli.options import FOLDER
from counterpoint.cli.printing import progress_shown
from counterpoint.lab.generation import GenerateRequest, generate
from counterpoint.lab.lab import Lab
from counterpoint.lab.plain_study import PlainStudyRequest, plain_study
from counterpoint.lab.reader import LabReader
from counterpoint.lab.running import RunRequest, run_model
from counterpoint.reports.lab_report import render_lab_report
from counterpoint.store.lab import LabStore
from counterpoint.world.contact_sheets import contact_sheet
from counterpoint.world.source import World

SCENES, GROUPS = 60, 160
"""Scenes that are drawn, and groups of each suite."""

SUITES = ("negation", "ontology", "order", "rephrase")
"""The suites that are generated: enough for a minute."""


@click.command("demo")
@click.option("--out", type=FOLDER, default="demo", show_default=True, help="Write to this folder.")
def command(out: Path) -> None:
    """Draw scenes, ask the built-in models about them, and show where their answers are inconsistent."""
    world = World("test", SCENES)
    out.mkdir(parents=True, exist_ok=True)
    drawn = out / "scenes.png"
    contact_sheet(((world[k].scene.place, world[k].draw()) for k in range(24)), columns=6).save(drawn)
    click.echo(f"24 scenes that no model has seen: {drawn}\n")
    lab = LabStore(out / "lab")
    with progress_shown() as progress:
        study = plain_study(PlainStudyRequest(items=SCENES), progress)
        click.echo(study.text())
        generate(lab, GenerateRequest(SUITES, items=SCENES, limit=GROUPS, replace=True), progress)
        for report_on in study.reports:
            run_model(lab, RunRequest(report_on.model), progress)
    click.echo("\nThe same things asked in two ways; what is right once should be right again.")
    click.echo(Lab(lab.folder).scores(by="suite").text())
    (out / "report.html").write_text(render_lab_report(LabReader(lab)), "utf-8")
    click.echo(f"\nThe report: {out / 'report.html'}\nEvery failure in the browser: counterpoint serve {lab.folder}")
