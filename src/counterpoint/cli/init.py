"""`counterpoint init`: write an evaluation file, by asking or from flags, with comments."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import counterpoint as cp
from counterpoint.cli.options import FILE, complete
from counterpoint.cli.printing import echo

DEFAULT = "counterpoint.toml"
COLUMN = 30
"""Where comments begin."""
HEAD = """\
# What is evaluated. `counterpoint eval` makes and asks what is missing, scores it
# and holds the rules; run it again at any time. Keys are the flags of the single
# commands: `counterpoint generate --help`, `run --help`, `gate --help`.
# Paths are relative to this file.
"""
MODEL_HELP = [
    ('# name = "vlm"', "what it is called in the lab"),
    ('# version = "step-1000"', "else its own if nothing changed, or the date"),
    ('# api-key = "${MY_KEY}"', "of a server's model: a variable of the environment"),
    ('# model-args = { prompt = "{text} Answer in one word." }', ""),
]
OUTPUTS = [
    ("[outputs]", ""),
    ('report = "report.html"', "one page with verdicts, failures and scores"),
    ('junit = "gate.xml"', "for the CI server"),
    ('markdown = "summary.md"', "for a pull request"),
]
RULES = {
    "demo": [
        '  "negation.comprehensive_accuracy >= 60 %",  # fails; at 10 % it holds',
        '  "order.self_consistency >= 60 %",',
        '  "max drop on any suite <= 3 points",        # waits for a baseline',
    ],
    "plain": ['  "accuracy >= 0.5",', '  "max drop on any suite <= 3 points",  # below the marked baseline'],
}
DEMO: dict[str, Any] = {"suites": ("negation", "order"), "models": ("fusion",), "items": 40, "limit": 100}
"""Two suites of the built-in world and one of its models: enough for a verdict in half a minute."""


@click.command("init")
@click.option("--out", type=FILE, default=DEFAULT, show_default=True, help="Write to this file.")
@click.option("--demo", is_flag=True, help="Take the built-in world and a built-in model; one rule of its gate fails.")
@click.option("--yes", is_flag=True, help="Ask nothing: take the flags, and defaults for the others.")
@click.option("--lab", default="lab", show_default=True, help="Keep suites and answers in this folder.")
@click.option(
    "--suite", "suites", multiple=True, shell_complete=complete("suites", "families"), help="Make this suite."
)
@click.option(
    "--source", default="world", show_default=True, shell_complete=complete("sources"), help="Read this source."
)
@click.option("--data", default="", help="Read the source's files from this folder or file.")
@click.option("--model", "models", multiple=True, shell_complete=complete("models"), help="Ask this model.")
@click.option("--schema", is_flag=True, help="Also write its JSON schema beside it, by which editors complete it.")
@click.option("--replace", is_flag=True, help="Replace a file that is there.")
def command(out: Path, demo: bool, yes: bool, schema: bool, replace: bool, **answers: Any) -> None:
    """Write an evaluation file by asking what it should say; `counterpoint eval` does what it says."""
    if out.exists() and not replace:
        raise cp.CounterpointError(f"{out} is there already", hint="--replace writes over it, --out names another file")
    values = {"items": 1000, "limit": 500, **answers}
    if demo:
        values |= DEMO
    elif not yes:
        values = _ask(values)
    values["suites"] = values["suites"] or DEMO["suites"]
    values["models"] = values["models"] or DEMO["models"]
    cp.EvaluationFile.write(out, _compose(values, RULES["demo" if demo else "plain"]), schema=schema)
    echo(f"{out} is written. To evaluate: counterpoint eval{'' if str(out) == DEFAULT else f' {out}'}")


def _ask(values: dict[str, Any]) -> dict[str, Any]:
    """What the user says to each question; Enter takes the default."""
    echo("Enter takes the proposal in brackets. The file has comments, and can be changed at any time.")
    lab = click.prompt("Folder of suites and answers", default=values["lab"])
    (source,) = _ask_names("Source of annotations (counterpoint list sources)", "sources", [values["source"]])
    data = values["data"] if source == "world" else click.prompt("Folder or file of its data", default=values["data"])
    suites = _ask_names("Suites, with spaces (counterpoint list suites)", "suites", values["suites"])
    models = _ask_names("Models, with spaces (a name, hf/…, openai/…, module:object)", "models", values["models"])
    items = click.prompt("Items that are read", default=values["items"], type=click.IntRange(1))
    limit = click.prompt("Groups that are kept of each suite", default=values["limit"], type=click.IntRange(1))
    return {
        "lab": lab,
        "source": source,
        "data": data,
        "suites": suites,
        "models": models,
        "items": items,
        "limit": limit,
    }


def _ask_names(question: str, table: str, proposal: Sequence[str]) -> list[str]:
    """Names of the catalog, asked for until there is no unknown one among them."""
    known = cp.catalog_names(table, *(("families",) if table == "suites" else ()))

    def check(text: str) -> list[str]:
        for name in text.split():
            if name not in known and not ({":", "/"} & {*name}):
                unknown = cp.UnknownName(table.removesuffix("s"), name, known)
                raise click.UsageError(f"{unknown}; {unknown.hint}")
        return text.split()

    names: list[str] = click.prompt(question, default=" ".join(proposal or DEMO[table]), value_proc=check)
    return names


def _compose(values: dict[str, Any], rules: list[str]) -> str:
    """The text of the file."""
    lines = [("", ""), (f"lab = {_text(values['lab'])}", "the folder that holds suites and answers")]
    lines += [('# metrics = ["accuracy"]', "else those that apply to each suite")]
    lines += [("# until-decided = true", "ask only until the rules are decided, where answers are paid for")]
    for place, name in enumerate(values["suites"]):
        lines += _first(
            place,
            ("", ""),
            ("[[suites]]", ""),
            (f"suite = {_text(name)}", "or a family: counterpoint list suites, list families"),
            (f"source = {_text(values['source'])}", "counterpoint list sources"),
            *([(f"data = {_text(values['data'])}", "")] if values["data"] else []),
            (f"items = {values['items']}", "scenes, questions or captions that are read"),
            (f"limit = {values['limit']}", "groups that are kept; without it all"),
        )
    for place, name in enumerate(values["models"]):
        reached = (f"model = {_text(name)}", "or hf/NAME, openai/NAME, module:object")
        lines += _first(place, ("", ""), ("[[models]]", ""), reached, *(MODEL_HELP if not place else []))
    lines += [("", ""), ("[[gates]]", ""), ("rules = [", "")]
    end = [("]", ""), ('undecided = "pass"', 'or "fail": where there are too few groups to tell'), ("", ""), *OUTPUTS]
    return HEAD + "\n".join([*map(_line, lines), *rules, *map(_line, end)]) + "\n"


def _first(place: int, *lines: tuple[str, str]) -> list[tuple[str, str]]:
    """Lines with their comments, of the first table of a kind alone."""
    return [(text, "" if place else comment) for text, comment in lines]


def _line(line: tuple[str, str]) -> str:
    text, comment = line
    return f"{text:<{COLUMN - 2}}  # {comment}" if comment else text


def _text(value: str) -> str:
    """A text of TOML."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
