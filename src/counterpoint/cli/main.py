"""The command line: each command is a module of this package, imported when it is called."""

import gc
import os
import sys
import warnings
from contextlib import suppress
from importlib import import_module
from keyword import iskeyword

import click

from counterpoint import CounterpointError, UnknownName, __version__
from counterpoint.cli.printing import echo, log_to_stderr

COMMANDS = {
    "ask": "Ask a model one question about one picture.",
    "augment": "Write training questions about pictures that a lab does not use.",
    "baseline": "Mark the version of a model with which later ones are compared.",
    "check": "Check which groups of a suite are valid, and why others are not.",
    "compare": "Compare two models on the same groups, test by test.",
    "data": "Check the files of a data set, and describe what is in them.",
    "demo": "Show scenes, models, scores and a report in a minute.",
    "doctor": "Tell what is installed, and what to install for what.",
    "eval": "Do what an evaluation file says: make, ask, score, compare, gate, write.",
    "export": "Write a suite for another tool or for people, or the card of a model.",
    "export-site": "Write the pages of a lab as files that open without a server.",
    "findings": "Say in words what a model does not understand.",
    "gate": "Hold rules against a model's scores; the exit code says whether they hold.",
    "generate": "Generate suites of groups from a source, and store them in a lab.",
    "history": "Show the scores of a model over its versions, and where they changed.",
    "import": "Add predictions made elsewhere as answers of a model.",
    "init": "Write an evaluation file by asking what it should say.",
    "label-errors": "Find golds that several strong models contradict alike.",
    "leaderboard": "Rank the models of a lab by the metrics of its suites, with their cost.",
    "list": "List suites, families, metrics, models, sources, checks, rules, papers, layouts or outputs.",
    "ls": "List what a lab holds.",
    "paper": "Print the tables of a paper from the models of a lab.",
    "pictures": "Set the folders of a lab's pictures, and show which are found.",
    "rescore": "Take values from the answers in a lab by another rule, without asking.",
    "report": "Write what a lab shows to one file that can be mailed.",
    "review": "Let people vote on groups in the browser, or mark a sample on a sheet.",
    "run": "Ask a model everything that a lab has not asked it yet.",
    "sample-size": "Say how many groups a gate needs to find a difference.",
    "score": "Score the answers in a lab, with intervals.",
    "serve": "Show a lab in the browser.",
    "study": "Run an experiment on a lab or on the built-in world.",
    "suite": "Store the valid or corrected groups of a suite as a new version.",
    "translate": "Translate questions and back, for a suite of back-translations.",
    "verify": "Check that the files of a lab match their digests and fingerprints.",
    "votes": "Count what people voted, with agreement, and make people a model.",
    "words": "Show the words by which captions and foils differ.",
    "world": "Write scenes of the built-in world, with pictures and annotations.",
}
"""Name and one line of help for each command, so that listing them loads nothing."""
RARELY = (3_000_000, 20, 100)
"""When garbage is looked for: commands hold what they read to their end, and looking through it took a fourth of it."""


class Lazy(click.Group):
    """A group that knows its commands by name and loads the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of this name."""
        if name not in COMMANDS:
            return None
        module = f"{name}_" if iskeyword(name) else name.replace("-", "_")  # `import` is no name of a module
        found = import_module(f"counterpoint.cli.{module}").command
        assert isinstance(found, click.Command), f"cli/{module}.py has no command"
        _add_examples(found, name)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was called; an unknown one is a usage error that names the nearest there are."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            unknown = UnknownName("command", args[0], COMMANDS)
            raise click.UsageError(f"{unknown}; {unknown.hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.command(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="counterpoint")
def commands() -> None:
    """Tell whether a vision-language model understands, or only answers."""


def main() -> None:
    """Run a command and exit: with 0, 1 after an error, 2 after a usage error, 130 after Ctrl-C.

    An error is printed as one sentence, with a hint below it.
    """
    os.environ.setdefault("PYTHONSAFEPATH", "1")  # processes that it starts import nothing from the working directory
    warnings.showwarning = _warn
    gc.set_threshold(*RARELY)
    try:
        with log_to_stderr():
            code = commands.main(prog_name="counterpoint", standalone_mode=False)
    except CounterpointError as problem:
        echo(f"counterpoint: {problem}", err=True)
        if problem.hint:
            echo(f"  {problem.hint}", err=True)
        sys.exit(1)
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except click.Abort:  # which click raises for Ctrl-C
        echo("Stopped.", err=True)
        sys.exit(130)
    except BrokenPipeError:
        _drop_output()
        sys.exit(141)
    except OSError as problem:  # of the output, or of a file that no part of the program looks after
        _drop_output()
        about = f"{problem.filename} cannot be used" if problem.filename else "the output cannot be written"
        echo(f"counterpoint: {about}: {problem.strerror or problem}", err=True)
        echo("  check the rights and the free space of its folder; what is in a lab is whole", err=True)
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


def _drop_output() -> None:
    """Let what is left of the output, which cannot be written, go nowhere when the program ends."""
    with suppress(OSError, ValueError):  # it is no file where a test reads it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _add_examples(command: click.Command, name: str) -> None:
    """End the help of a command, or of each command of a group, with examples."""
    from counterpoint.cli.examples import examples_text  # which the list of commands does not need

    if isinstance(command, click.Group):
        for part, own in command.commands.items():
            _add_examples(own, f"{name} {part}")
    else:
        command.epilog = examples_text(name) or command.epilog


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,
    line: object = None,
) -> None:
    """A warning is one plain line; where in the code it was given helps nobody here."""
    echo(f"counterpoint: {message}", err=True)
