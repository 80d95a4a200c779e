"""`counterpoint paper`: the tables of a paper, computed from the models of a lab."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from counterpoint import Lab, list_catalog
from counterpoint.cli.options import (
    POSITIVE,
    SHARE,
    F,
    format_options,
    lab_argument,
    models_option,
    seed_option,
    stack,
    suites_option,
    threshold_option,
)
from counterpoint.cli.printing import print_result

_TABLES = {entry["name"]: entry["tables"] for entry in list_catalog("papers")}
_SUBSETS = ("all", "valid", "unanimous")
_printed = click.option("--printed", is_flag=True, help="Add the rows of the paper's own models.")


def _paper_options(paper: str) -> Callable[[F], F]:
    table = click.option(
        "--table",
        "tables",
        multiple=True,
        type=click.Choice(_TABLES[paper]),
        help="Print this table, by its number; repeatable, all by default.",
    )
    return stack(lab_argument, table, models_option, suites_option, seed_option, format_options)


@click.group("paper")
def command() -> None:
    """Print the tables of a paper from the models of a lab."""


@command.command("beyond-accuracy")
@_paper_options("beyond-accuracy")
@threshold_option
@_printed
def beyond_accuracy(lab: Path | str, form: str | None, **request: Any) -> None:
    """Print the tables of Beyond Accuracy (EMNLP 2021) from LAB: means over data sets, and every data set."""
    print_result(Lab(lab).paper("beyond-accuracy", **request), form)


@command.command("carets")
@_paper_options("carets")
@_printed
def carets(lab: Path | str, form: str | None, **request: Any) -> None:
    """Print the tables of CARETS (ACL 2022) from LAB, with 95 % intervals over pictures and the paper's human rows."""
    print_result(Lab(lab).paper("carets", **request), form)


@command.command("contrast")
@_paper_options("contrast")
@click.option("--k", "ks", multiple=True, type=POSITIVE, help="Take this many contrasts in a set; 1, 3 and 5.")
def contrast(lab: Path | str, form: str | None, **request: Any) -> None:
    """Print the tables of contrast sets (NAACL 2021) from LAB: originals, contrasts, the drop, consistency by k."""
    print_result(Lab(lab).paper("contrast", **request), form)


@command.command("rad")
@_paper_options("rad")
@threshold_option
@_printed
def rad(lab: Path | str, form: str | None, **request: Any) -> None:
    """Print the tables of RAD (ACL 2021) from LAB: RAD and accuracy by augmentation, and how many were made."""
    print_result(Lab(lab).paper("rad", **request), form)


@command.command("valse")
@_paper_options("valse")
@click.option(
    "--threshold", default=0.5, show_default=True, type=SHARE, help="Accept a caption above this probability."
)
@click.option(
    "--subset",
    default="valid",
    show_default=True,
    type=click.Choice(_SUBSETS),
    help="Use these pairs in Table 4.",
)
@_printed
def valse(lab: Path | str, form: str | None, **request: Any) -> None:
    """Print the tables of VALSE (ACL 2022) from LAB: captions against foils on eleven instruments, and their words."""
    print_result(Lab(lab).paper("valse", **request), form)
