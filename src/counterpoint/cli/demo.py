"""`counterpoint demo`: scenes, models, scores and a report in a minute."""

from collections.abc import Sequence
from pathlib import Path

import click

from counterpoint import Lab, draw_contact_sheet, study
from counterpoint.cli.options import FOLDER
from counterpoint.cli.printing import echo, print_result, progress_shown

SCENES, GROUPS = 60, 160
"""Scenes that are drawn, and groups of each suite."""
SUITES = ("negation", "ontology", "order", "rephrase")
"""The suites that are generated: enough for a minute."""
MODELS = ("cnn-lstm", "constant", "fusion", "picture-only", "question-only", "random", "two-tower")
"""The models that are asked: all that come with the package and answer questions, or rank captions."""


@click.command("demo")
@click.option("--out", type=FOLDER, default="demo", show_default=True, help="Write to this folder.")
def command(out: Path) -> None:
    """Draw scenes, ask the built-in models about them, and show where their answers are inconsistent."""
    show_demo(out)


def show_demo(out: Path, scenes: int = SCENES, groups: int = GROUPS, models: Sequence[str] = MODELS) -> None:
    """Write and print the demo of so many scenes, groups of each suite, and models."""
    draw_contact_sheet(out / "scenes.png")
    echo(f"24 scenes that no model has seen: {out / 'scenes.png'}\n")
    with progress_shown() as progress:
        print_result(study("plain", items=scenes, progress=progress))
        lab = Lab(out / "lab", progress=progress)
        lab.generate(*SUITES, items=scenes, limit=groups, replace=True)
        for model in models:
            lab.run(model)
    echo("\nThe same things asked in two ways; what is correct once should be correct again.")
    print_result(lab.scores(by="suite"))
    lab.report(out / "report.html")
    echo(f"\nThe report: {out / 'report.html'}\nEvery failure in the browser: counterpoint serve {lab.address}")
