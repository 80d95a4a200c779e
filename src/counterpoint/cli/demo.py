"""`counterpoint demo`: what there is, in a minute."""

from pathlib import Path

import click

from counterpoint import catalog
from counterpoint.cli.study import reported, show
from counterpoint.world.sheets import contact_sheet
from counterpoint.world.source import World

SCENES = 60
"""How many scenes the models are asked about."""
PUMPKIN = "world:test/16.png"
"""A scene with a pumpkin of a rare colour."""


@click.command("demo")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default="demo",
    show_default=True,
    help="The folder for the contact sheet.",
)
def command(into: Path) -> None:
    """Draw a contact sheet of scenes, and show what each built-in model gets right on them."""
    world = World("test", SCENES)
    into.mkdir(parents=True, exist_ok=True)
    sheet = into / "scenes.png"
    shown = ((f"{world[index].scene.place}", world[index].draw()) for index in range(24))
    contact_sheet(shown, columns=6).save(sheet)
    click.echo(f"24 scenes that no model has seen: {sheet}")
    show(reported(tuple(catalog.rows("models")), world), f"{SCENES} scenes of the test split")
    click.echo("question-only never looks: what it gets right can be guessed. Compare:")
    for name in ("fusion", "question-only"):
        click.echo(f'counterpoint ask {name} {PUMPKIN} "What color is the pumpkin?"')
