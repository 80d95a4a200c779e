"""`counterpoint demo`: scenes, models, scores and a report in a minute."""

from pathlib import Path

import click

from counterpoint.cli.options import FOLDER
from counterpoint.cli.printing import print_result, progress_shown
from counterpoint.lab.lab import Lab
from counterpoint.lab.plain_study import PlainStudyRequest, plain_study
from counterpoint.lab.reader import LabReader
from counterpoint.lab.world_files import draw_contact_sheet
from counterpoint.reports.lab_report import render_lab_report

SCENES, GROUPS = 60, 160
"""Scenes that are drawn, and groups of each suite."""
SUITES = ("negation", "ontology", "order", "rephrase")
"""The suites that are generated: enough for a minute."""


@click.command("demo")
@click.option("--out", type=FOLDER, default="demo", show_default=True, help="Write to this folder.")
def command(out: Path) -> None:
    """Draw scenes, ask the built-in models about them, and show where their answers are inconsistent."""
    draw_contact_sheet(out / "scenes.png")
    click.echo(f"24 scenes that no model has seen: {out / 'scenes.png'}\n")
    with progress_shown() as progress:
        study = plain_study(PlainStudyRequest(items=SCENES), progress)
        print_result(study)
        lab = Lab(out / "lab", progress=progress)
        lab.generate(*SUITES, items=SCENES, limit=GROUPS, replace=True)
        for report in study.reports:
            lab.run(report.model)
    click.echo("\nThe same things asked in two ways; what is correct once should be correct again.")
    print_result(lab.scores(by="suite"))
    (out / "report.html").write_text(render_lab_report(LabReader(lab.store)), "utf-8")
    click.echo(f"\nThe report: {out / 'report.html'}\nEvery failure in the browser: counterpoint serve {lab.folder}")
