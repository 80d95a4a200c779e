"""`counterpoint generate`: suites from a source, put into a lab."""

from pathlib import Path
from typing import Any

import click

from counterpoint import Lab
from counterpoint.cli.options import (
    PICTURES,
    POSITIVE,
    LocalPath,
    complete,
    json_option,
    lab_argument,
    parse_columns,
    parse_means,
    parse_pairs,
    seed_option,
    source_options,
)
from counterpoint.cli.printing import print_result, progress_shown


@click.command("generate")
@lab_argument
@click.option(
    "--suite",
    "suites",
    multiple=True,
    required=True,
    shell_complete=complete("suites", "families"),
    help="Generate this suite or family (carets, valse, beyond-accuracy, questions), or module:object; repeatable.",
)
@source_options()
@click.option("--pictures", type=PICTURES, help="Find the pictures in this folder or bucket; else beside the data.")
@click.option(
    "--columns", callback=parse_columns, default="", help="Name columns of a file by role, or a file of such lines."
)
@click.option("--name", default="", help="Store the suite under this name; several as NAME-SUITE.")
@click.option("--limit", type=POSITIVE, help="Keep this many groups of each suite, balanced over kinds and answers.")
@click.option(
    "--pairs",
    default="",
    metavar="paper|N|N+M",
    callback=parse_pairs,
    help="Keep this many pairs of each suite; paper: as many as in the paper.",
)
@seed_option
@click.option(
    "--texts",
    type=LocalPath(exists=True, dir_okay=False, path_type=Path),
    help="Add rewordings of the source's questions from this file with the columns id and text.",
)
@click.option("--rules", default="", help="Compare answers by this rule set: exact, gqa, vqa, vqa-short.")
@click.option(
    "--means",
    default="",
    metavar="R,G,B|FOLDER",
    callback=parse_means,
    help="Use this mean color of training pictures; a folder is measured.",
)
@click.option("--contrasts", type=POSITIVE, help="Make at most this many contrasts of a question; 5 by default.")
@click.option("--variants", type=POSITIVE, help="Make this many swaps or noisy copies of a question; 15 by default.")
@click.option("--masked-lm", default="", metavar="MODEL", help="Let this masked language model propose foils.")
@click.option(
    "--workers", default=0, type=click.IntRange(0), help="Generate in this many processes; 0: as many as pay."
)
@click.option("--engine", type=click.Choice(["ray"]), help="Generate on the Ray cluster of RAY_ADDRESS.")
@click.option("--replace", is_flag=True, help="Replace a suite of the same name that differs.")
@json_option
def command(lab: Path | str, suites: tuple[str, ...], as_json: bool, **request: Any) -> None:
    """Generate suites and store them in LAB, a folder or an address such as s3://bucket/lab; the first one makes it.

    Prints how many groups were kept, and why others were rejected. One seed makes one suite on every machine.
    """
    with progress_shown() as progress:
        generated = Lab(lab, progress=progress).generate(*suites, **request)
    print_result(generated, as_json=as_json)
