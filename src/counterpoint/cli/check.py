"""`counterpoint check`: which groups of suites are valid, and why others are not."""

from pathlib import Path
from typing import Any

import click

from counterpoint import Lab
from counterpoint.cli.options import (
    FILE,
    check_settings,
    complete,
    format_options,
    lab_argument,
    seed_option,
    suites_option,
)
from counterpoint.cli.printing import echo, print_json, print_result


@click.command("check")
@lab_argument
@suites_option
@click.option(
    "--check", "checks", multiple=True, shell_complete=complete("checks"), help="Apply this check; repeatable."
)
@click.option("--set", "settings", multiple=True, callback=check_settings, help="Set a check: grammar.threshold=.9.")
@seed_option
@click.option("--name", default="", help="Store the groups that are left as a suite of this name.")
@click.option("--replace", is_flag=True, help="Replace a suite of that name that differs.")
@click.option("--out", type=FILE, help="Write the rejected groups to this file as JSON lines.")
@click.option("--tests", "by_test", is_flag=True, help="Show the counts of each test.")
@click.option("--balance", is_flag=True, help="Reject the groups that text gives away as well, the surest first.")
@format_options
def command(lab: Path | str, suites: tuple[str, ...], form: str | None, **request: Any) -> None:
    """Check which groups of the suites in LAB are valid: a check keeps a group, drops it with a reason, or marks it.

    Without --check each instrument gets its checks of VALSE. A check that is named drops in every instrument; --set
    NAME.action=mark only marks, off skips it. Checks are applied in the order in which they are named.

    A probe that is trained on the texts of other pictures says whether a suite is answerable without the picture; what
    it found is kept with the suite. --balance proposes the groups to reject, --out lists them, and --name stores what
    is left.
    """
    opened = Lab(lab)
    names = dict.fromkeys(suites or opened.suites)
    for option in ("name", "out"):
        if request[option] and len(names) > 1:
            raise click.UsageError(f"--{option} is for one suite: name it with --suite")
    results = [opened.check(name, **request) for name in names]
    if form == "json":
        print_json([result.to_dict() for result in results])
        return
    for place, result in enumerate(results):
        if place:
            echo("")
        print_result(result, form)
