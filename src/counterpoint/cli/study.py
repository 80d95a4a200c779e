"""`counterpoint study`: plain accuracy, text-only baselines, and RAD as a predictor."""

from pathlib import Path
from typing import Any

import click

from counterpoint import Lab
from counterpoint import study as run_study
from counterpoint.cli.options import (
    EXISTING,
    POSITIVE,
    SHARE,
    complete,
    format_options,
    lab_argument,
    seed_option,
    source_options,
    suites_option,
)
from counterpoint.cli.printing import print_result, progress_shown


@click.group("study")
def command() -> None:
    """Run an experiment on a lab or on the built-in world."""


@command.command("plain")
@click.argument("models", nargs=-1, shell_complete=complete("models"))
@click.option("--items", default=300, show_default=True, type=click.IntRange(2), help="Draw this many scenes.")
@click.option("--split", default="test", show_default=True, help="Use this split: train, validation, test, shifted.")
@seed_option
@click.option("--kinds", is_flag=True, help="Show each kind of question as well.")
@format_options
def plain(form: str | None, **request: Any) -> None:
    """Measure the accuracy of MODELS (all by default) on plain questions about new scenes of the world."""
    with progress_shown() as progress:
        study = run_study("plain", progress=progress, **request)
    print_result(study, form)


@command.command("blind")
@lab_argument
@suites_option
@click.option(
    "--model",
    "models",
    multiple=True,
    shell_complete=complete("models", of_lab="models"),
    help="Use this text-only model: ngram, probe, trigram, hf/gpt2; repeatable, ngram and probe by default.",
)
@click.option("--captions", type=EXISTING, help="Train ngram on these captions as well: lines, or COCO's layout.")
@click.option("--order", default=4, show_default=True, type=click.IntRange(1, 9), help="Order of ngram.")
@click.option(
    "--folds",
    default=5,
    show_default=True,
    type=POSITIVE,
    help="Cross-fit ngram in this many folds of pictures; 1 trains on the captions that it scores.",
)
@seed_option
@format_options
def blind(lab: Path | str, form: str | None, **request: Any) -> None:
    """Rank the captions and foils of LAB by text-only models, and probe what its texts give away.

    The model ngram is cross-fitted on the captions of the suites: those of a picture are scored by a model that was
    trained on those of other pictures. Scores are stored in the lab as those of any model. The probe learns to tell
    captions from foils, and to answer questions, from the text alone, and says whether a test is clean of cues.
    """
    with progress_shown() as progress:
        study = Lab(lab, progress=progress).study("blind", **request)
    print_result(study, form)


@command.command("rad")
@click.argument("place", required=False, type=EXISTING)
@click.option("--threshold", default=0.5, show_default=True, type=SHARE, help="Count an answer as correct from here.")
@click.option("--targets", is_flag=True, help="Show every regression with its coefficients.")
@format_options
def rad(form: str | None, **request: Any) -> None:
    """Predict accuracy on an unseen augmentation from accuracy and RAD on others (Appendix E of RAD).

    PLACE is a lab with the answers of many instances of a model, or a table of their counts; by default it is the
    example of the package.
    """
    print_result(run_study("rad", **request), form)


@command.command("rad-coverage")
@source_options("world-vqa")
@click.option("--dialogues", is_flag=True, help="Count turns of dialogues, where a source has questions as well.")
@seed_option
@format_options
def coverage(form: str | None, **request: Any) -> None:
    """Count the questions of a source that have a counterfactual, beside Table 5 of RAD; files are read whole."""
    with progress_shown() as progress:
        counts = run_study("rad-coverage", progress=progress, **request)
    print_result(counts, form)
