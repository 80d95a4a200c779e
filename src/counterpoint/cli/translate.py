"""`counterpoint translate`: questions of a source in another language and back, as a file for a suite."""

import csv
from functools import partial
from pathlib import Path

import click

from counterpoint.cli.progress import counted
from counterpoint.lab.generation import Recipe, opened
from counterpoint.models.text.translation import RejectedTranslations, back_translate, open_translator


@click.command("translate")
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--there", required=True, help="From English: hf/NAME, or apertium/eng-spa.")
@click.option("--back", required=True, help="And back: hf/NAME, or apertium/spa-eng.")
@click.option("--source", default="world-vqa", show_default=True, help="A source of questions.")
@click.option("--split", default="test", show_default=True, help="Which part of the source.")
@click.option("--data", type=click.Path(exists=True, path_type=Path), help="Where the files of the source are.")
@click.option("--scenes", default=1000, show_default=True, type=click.IntRange(1), help="At most so many of it.")
@click.option("--seed", default=0, show_default=True, help="Of the sample.")
def command(
    out: Path, there: str, back: str, source: str, split: str, data: Path | None, scenes: int, seed: int
) -> None:
    """Translate questions to another language and back, and write them to OUT, with the columns id and text.

    What comes back unchanged is left out and counted. `counterpoint generate --texts OUT` makes a suite of the rest.
    """
    away, home = open_translator(there), open_translator(back)
    asked = opened(Recipe("rad-back-translations", source, split, scenes), data, seed).questions()
    first = [(one.id, one.text) for one in asked if not one.same_as]
    losses = RejectedTranslations()
    watch = partial(counted, doing="translating", total=len(first))
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = out.with_name(f"{out.name}.part")  # whole or absent, so that nobody takes half of it for all
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(("id", "text"))
            table.writerows(back_translate(watch(first), away, home, losses))
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)
    for reason, count in sorted(losses.counts.items()):
        click.echo(f"{-count:>8,}  {reason}")
    made = len(first) - losses.counts.total()
    click.echo(f"{made:,} of {len(first):,} questions are in other words in {out}")
