"""`counterpoint review`: let people vote in the browser, or read a sample of groups on a sheet."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

import counterpoint as cp
from counterpoint.cli.options import FILE, POSITIVE, complete, format_options, lab_argument, seed_option
from counterpoint.cli.printing import echo, print_result, progress_shown
from counterpoint.cli.serve import server_options

_SAMPLE = 60  # groups of a suite on a sheet


@click.command("review")
@lab_argument
@click.option(
    "--task", type=click.Choice(["judge", "answer", "audit"]), help="Let people vote in the browser on this task."
)
@click.option("--sheet", type=FILE, help="Write or count a sheet instead: a CSV file that a person marks.")
@click.option(
    "--suite",
    "suites",
    multiple=True,
    shell_complete=complete(of_lab="suites"),
    help="Take groups of this suite; repeatable.",
)
@click.option("--sample", type=POSITIVE, help="Take this many groups of each suite; 60 on a sheet, all in a task.")
@click.option(
    "--per-group", default=3, show_default=True, type=POSITIVE, help="Ask this many people to vote on each item."
)
@click.option("--until-majority", is_flag=True, help="Ask for a further vote only where there is no majority yet.")
@click.option(
    "--gold-suite",
    default="",
    shell_complete=complete(of_lab="suites"),
    help="Qualify voters on this suite, whose golds are known.",
)
@click.option("--gold-voter", default="", metavar="NAME", help="Qualify voters on the items that NAME voted on.")
@click.option("--suspects", is_flag=True, help="Ask only about groups whose gold strong models contradict alike.")
@click.option("--invite", "invited", multiple=True, metavar="NAME", help="Print a link for a voter; repeatable.")
@click.option("--address", metavar="URL", help="Address of the server in links, where it is not this machine.")
@click.option("--no-serve", is_flag=True, help="Set up the task and print links; start no server.")
@server_options
@seed_option
@click.option("--no-proof", is_flag=True, help="Leave out of a sheet why each gold is right.")
@format_options
def command(
    lab: Path | str,
    task: str | None,
    sheet: Path | None,
    suites: tuple[str, ...],
    sample: int | None,
    per_group: int,
    until_majority: bool,
    gold_suite: str,
    gold_voter: str,
    suspects: bool,
    invited: tuple[str, ...],
    address: str | None,
    no_serve: bool,
    port: int,
    host: str,
    token: str,
    opens: bool,
    seed: int,
    no_proof: bool,
    form: str | None,
) -> None:
    """Let people vote on groups of LAB in the browser, or read a sample of them on a sheet.

    --task sets up what people are asked and starts the pages: judge which of caption and foil describes the picture,
    answer queries, or audit golds. On this machine you can vote at once; --invite prints a link for each further
    person. Votes are kept in LAB.

    --sheet with --suite writes a random sample to a sheet, with its pictures in a folder beside it; without --suite it
    counts the marks by test, with one-sided bounds on the share that was accepted.
    """
    opened = cp.Lab(lab)
    if sheet and suites and not task:
        result = opened.write_sheet(sheet, suites, sample=sample or _SAMPLE, seed=seed, proofs=not no_proof)
        print_result(result, form)
    elif sheet and not task:
        print_result(opened.count_marks(sheet), form)
    elif sheet or not (task or invited):
        hint = "counterpoint serve shows the tasks of a lab that are set up."
        raise click.UsageError(f"Name a --task, a --sheet, or somebody to --invite; {hint}")
    if task:
        asked: dict[str, Any] = {
            "suites": suites,
            "sample": sample,
            "seed": seed,
            "gold_suite": gold_suite,
            "gold_voter": gold_voter,
            "suspects": suspects,
        }
        print_result(opened.review(task, per_item=per_group, until_majority=until_majority, **asked), form)

    def print_links(server: str) -> None:
        for invitation in map(opened.invite, invited):
            echo(f"{invitation.voter}: {invitation.link(address or server)}")

    if task and not no_serve:
        _serve(opened, f"/review/{task}", port, host, token, opens, print_links)
    else:
        print_links(f"http://{host}:{port}")


def _serve(
    lab: cp.Lab,
    page: str,
    port: int,
    host: str,
    token: str,
    opens: bool,
    print_links: Callable[[str], None],
) -> None:
    from counterpoint import serve

    def started(address: str) -> None:
        print_links(address.removesuffix(page))
        echo(f"vote at {address}, see how far people are at {address.rpartition('/')[0]}; Ctrl-C ends the server")
        if opens:
            click.launch(address)

    with progress_shown():
        serve(lab, host=host, port=port, token=token, page=page, started=started)
