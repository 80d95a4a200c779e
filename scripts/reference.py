"""Write docs/reference: commands, public names, the catalog, the evaluation file and the errors, from the code itself.

Run `python scripts/reference.py` after any change to these; a test fails while the pages differ from what this makes.
Signatures are taken from the source, so that every version of Python and of our libraries writes the same pages.
"""

import ast
import inspect
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from textwrap import indent
from typing import Any

import click
import msgspec
from msgspec import Struct, structs

from counterpoint import catalog
from counterpoint.cli.main import COMMANDS, commands
from counterpoint.core import errors
from counterpoint.core.groups import Relation
from counterpoint.lab.evaluation import settings
from counterpoint.metrics.metric import Contents, displayed
from counterpoint.sources.dataset import KINDS, DataSet

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
CHECKS = Path(__file__).parents[1] / "docs" / "explanation" / "checks.md"
SUITES = Path(__file__).with_name("suites.toml")
RANKED = {"acc_r": 0.5, "auroc": 0.5}
YES_OR_NO = {
    **dict.fromkeys(("accuracy", "answer_accuracy", "base_accuracy", "variant_accuracy", "self_consistency"), 0.5),
    "comprehensive_accuracy": 0.25,
}
"""What a coin scores on captions and foils, and where every right answer is yes or no."""
EXAMPLES = Path(__file__).with_name("api_examples.md")
PUBLIC = ("counterpoint", "counterpoint.testing", "counterpoint.integrations")
SCHEMA = Path(__file__).parents[1] / "src" / "counterpoint" / "lab" / "evaluation" / "schema.json"
HEAD = "<!-- Made by scripts/reference.py from the code; edit the docstrings, not this page. -->\n\n"


def pages() -> dict[str, str]:
    """The name and the text of each page."""
    blocks_by_page = {"commands.md": _commands(), "api.md": _api(), "catalog.md": _catalog(), "errors.md": _errors()}
    blocks_by_page["evaluation-file.md"] = _evaluation_file()
    blocks_by_page["which-test-measures-what.md"] = _which_test()
    return {name: HEAD + "\n\n".join(blocks) + "\n" for name, blocks in blocks_by_page.items()}


def _commands() -> Iterator[str]:
    yield "# Commands"
    yield (
        "`counterpoint --help` lists them; `counterpoint COMMAND --help` shows what is here. Exit codes: 0: success, "
        "1: an error that the command reports, 2: wrong usage, 3: a rule of a gate fails, 4: a rule cannot be decided "
        "and --undecided is fail, 130: stopped by Ctrl-C."
    )
    context = click.Context(commands, info_name="counterpoint")
    for name in sorted(COMMANDS):
        command = commands.get_command(context, name)
        assert command is not None, f"{name} is listed and has no module"
        yield from _command(command, f"counterpoint {name}")


def _command(command: click.Command, words: str) -> Iterator[str]:
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    usage = "".join(
        f" [{argument.human_readable_name}]..." if argument.nargs < 0 else f" {argument.human_readable_name}"
        for argument in arguments
    )
    options = [param for param in command.params if isinstance(param, click.Option)]
    yield f"## {words}"
    yield _code("console", f"$ {words}{' [OPTIONS]' if options else ''}{usage}")
    yield _prose(command.help or "")
    if options:
        yield _table(("option", "what it does", "default"), map(_option, options))
    if command.epilog:
        yield _code("sh", "\n".join(line.strip() for line in command.epilog.splitlines()[2:]))
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from _command(command.commands[name], f"{words} {name}")


def _option(option: click.Option) -> tuple[str, str, str]:
    default = option.default if option.show_default else ""
    value = "" if option.is_flag else f" {option.type.name.split()[0].upper()}"
    return (
        ", ".join(f"`{name}{value}`" for name in option.opts),
        option.help or "",
        f"`{default}`" if default != "" else "",
    )


def _api() -> Iterator[str]:
    yield "# Public names"
    yield (
        "The public API: everything that `import counterpoint as cp` offers, then `counterpoint.testing`, the doubles "
        "for tests of plug-ins, and `counterpoint.integrations`. What is not on this page may change without notice. "
        "Every example is run by the tests; those that use `lab` share the one that the example of [Lab](#lab) makes."
    )
    for package in PUBLIC:
        module = import_module(package)
        for name in module.__all__:
            yield from _public(name, getattr(module, name), package.removeprefix("counterpoint").lstrip("."))


def api_examples() -> dict[str, str]:
    """The examples that stand beside the code, by name."""
    sections = EXAMPLES.read_text(encoding="utf-8").split("\n## ")[1:]
    return {name: example.strip() for name, _, example in (section.partition("\n") for section in sections)}


def _public(name: str, value: Any, package: str) -> Iterator[str]:
    title = f"{package}.{name}" if package else name
    yield f"## `{title}`" if name.startswith("_") else f"## {title}"
    called = title if package else f"cp.{name}"
    if isinstance(value, str):
        yield "The version of the package, as text."
    elif inspect.ismodule(value):
        yield from _module(value)
    elif isinstance(node := _node(value), ast.FunctionDef):
        yield _code("python", _signature(node, called))
        yield _prose(_doc(node))
    else:
        yield from _class(value, node, called)
    if example := api_examples().get(title):
        yield _code("python", example)


def _class(value: Any, node: Any, called: str) -> Iterator[str]:
    """A public class: how it is made, what it is, its fields, members and methods."""
    owners = [base for base in value.__mro__ if base.__module__.startswith("counterpoint.")]
    methods = dict[str, ast.FunctionDef]()  # those of the class itself first
    for part in (part for owner in owners for part in _node(owner).body):
        if isinstance(part, ast.FunctionDef):
            methods.setdefault(part.name, part)
    if constructor := methods.get("__init__"):
        yield _code("python", _signature(constructor, called).removesuffix(" -> None"))
    yield _prose(_doc(node))
    yield f"Defined in `{value.__module__}`."
    fields, members = [], []
    for owner in reversed(owners):
        source = _source(owner)
        for part in _node(owner).body:
            if isinstance(part, ast.AnnAssign) and not ast.unparse(part.target).startswith("_"):
                fields.append(_field(part, source))
            elif isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant):
                members.append((f"`{ast.unparse(part.targets[0])}`", f"`{part.value.value!r}`"))
    if fields:
        yield _table(("field", "type", "default", ""), fields)
    if members:
        yield _table(("member", "value"), members)
    if shown := [method for name, method in methods.items() if not name.startswith("_")]:
        yield "\n".join(f"- **`{_label(method)}`**: {_sentences(method)}" for method in shown)


def _sentences(node: ast.FunctionDef) -> str:
    """The whole docstring as one paragraph, without its example."""
    return " ".join(_doc(node).partition(">>>")[0].split())


def _module(module: Any) -> Iterator[str]:
    """A public module: what it is for, and its functions."""
    yield _prose(module.__doc__ or "")
    functions = [
        node
        for node in ast.parse(inspect.getsource(module)).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]
    yield "\n".join(f"- **`{_signature(node, node.name)}`**: {_doc(node).splitlines()[0]}" for node in functions)


def _field(part: ast.AnnAssign, source: list[str]) -> tuple[str, str, str, str]:
    _, _, comment = source[part.lineno - 1].partition("  # ")
    default = f"`{ast.unparse(part.value)}`" if part.value else ""
    return f"`{ast.unparse(part.target)}`", f"`{ast.unparse(part.annotation)}`", default, comment


def _label(method: ast.FunctionDef) -> str:
    decorators = {ast.unparse(decorator) for decorator in method.decorator_list}
    if decorators & {"property", "cached_property"}:
        return f"{method.name}: {_plain(method.returns)}"
    return _signature(method, method.name)


def _signature(node: ast.FunctionDef, name: str) -> str:
    arguments = ast.unparse(node.args).split(", ")
    given = [argument for argument in arguments if argument not in ("self", "cls")]
    return f"{name}({', '.join(given)}) -> {_plain(node.returns)}"


def _plain(annotation: ast.expr | None) -> str:
    return ast.unparse(annotation).strip("'\"") if annotation else "None"


def _catalog() -> Iterator[str]:
    yield "# The catalog"
    yield (
        "What has a name, by table. Wherever a command or function takes a name, `package.module:object` works too; "
        "other packages add rows by entry points in the group `counterpoint.` followed by the name of the table. "
        "`counterpoint list TABLE` prints a table, plug-ins included."
    )
    for table, rows in catalog.TABLES.items():
        heads, describe = DESCRIPTIONS.get(table, ((), _about))
        yield f"## {table}"
        if table in NOTES:
            yield NOTES[table]
        listed = [
            (f"`{name}`", f"`{place}`", *_cells(describe(catalog.find(table, name), place)))
            for name, place in sorted(rows.items())
        ]
        yield _table(("name", "place", *(heads or ("what it is",))), listed) if listed else "None yet."


def _cells(description: str | tuple[str, ...]) -> tuple[str, ...]:
    return (description,) if isinstance(description, str) else description


def _suite(suite: Any, place: str) -> tuple[str, ...]:
    takes = [suite.prefers, suite.takes] if suite.prefers else [suite.takes]
    return _sentence(suite.tests), " or ".join(takes), ", ".join(f"`{option}`" for option in suite.options)


def _family(family: Any, place: str) -> tuple[str, ...]:
    return f"{family.title}.", ", ".join(f"`{name}`" for name in family.suites)


def _metric(metric: Any, place: str) -> tuple[str, ...]:
    low, high = (f"{bound:g}".replace("-", "−") for bound in metric.range)
    return (
        metric.title + (f" ({metric.term})" if metric.term else ""),
        metric.description,
        _UNITS[metric.unit.__name__],
        metric.better,
        f"{low} to {high}",
        str(metric.needs),
        _applicability(metric) + (", when named" if metric.on_request else ""),
        metric.not_applicable,
    )


def _applicability(metric: Any) -> str:
    """The relations of groups on which a metric can have a value; else the tests, where it is bound to some."""
    relations = ["", *map(str, Relation)]
    on = [name for name in relations if metric.applies(_contents("a test", name))]
    if on:
        return ", ".join(f"`{name}`" if name else "plain questions" for name in on)
    suites = catalog.TABLES["suites"]
    return "tests " + ", ".join(
        f"`{test}`" for test in suites if any(metric.applies(_contents(test, name)) for name in relations)
    )


def _contents(test: str, relation: str) -> Contents:
    return Contents(frozenset([test]), frozenset([relation] if relation else []))


def _source_row(source: Any, place: str) -> tuple[str, ...]:
    is_files = isinstance(source, DataSet)
    kinds = list(source.read) if is_files else [kind for kind in KINDS if hasattr(source, kind)]
    splits = ", ".join(f"`{split}`" for split in getattr(source, "splits", ()))
    return str(_about(source, place)), ", ".join(kinds), splits


def _check(check: Any, place: str) -> tuple[str, ...]:
    settings = ", ".join(f"`{key}={value}`" for key, value in check.settings.items())
    return _sentence(check.description), settings


def _sentence(text: str) -> str:
    """A description as a sentence."""
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


DESCRIPTIONS: Mapping[str, tuple[tuple[str, ...], Callable[[Any, str], str | tuple[str, ...]]]] = {
    "sources": (("what it is", "items", "splits"), _source_row),
    "suites": (("claim that it tests", "made from", "options"), _suite),
    "families": (("what it is", "suites"), _family),
    "metrics": (
        ("title", "what it is", "unit", "better", "range", "needs", "applies to", "else the reason is"),
        _metric,
    ),
    "checks": (("what it asks for", "settings"), _check),
}
"""The columns that describe the rows of a table, where one sentence is not enough."""
NOTES = {
    "ways": "Prefixes of model names: `hf/NAME`, `openai/NAME`, `anthropic/NAME`, `google/NAME`.",
    "suites": "`grounded` are questions with a program over a scene, `described` are captions with a scene; they are "
    "used where the source has them. `options` are those of `generate` that only some suites take.",
    "families": "The suites of one paper, made by one call of `generate`.",
    "metrics": "*Better* says which end of the range is the better one, *needs* what a model must be able to do, and "
    "*applies to* the relations of the groups, or the tests, on which the metric can have a value. A metric marked "
    "*when named* is computed if it is asked for, and on the suites that it is made for. The last column says why, "
    "where it has no value. [Metrics](../explanation/metrics.md) has the formulas.",
}
"""What is said below the heading of a table."""
_UNITS = {"Pairs": "pair", "OrderedPairs": "ordered pair", "Sets": "group", "Singles": "answer"}


def _about(value: Any, place: str) -> str:
    """The first sentence about what a row names: its docstring, or for a constant the one below it, or its module's."""
    if inspect.isclass(value) or inspect.isroutine(value):
        return _first(value)
    path, _, name = place.partition(":")
    module = import_module(path)
    body = ast.parse(inspect.getsource(module)).body
    for node, below in pairwise(body):
        targets = node.targets if isinstance(node, ast.Assign) else []
        named = any(isinstance(target, ast.Name) and target.id == name for target in targets)
        if named and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            return str(below.value.value).partition("\n")[0]
    return _first(module)


def _which_test() -> Iterator[str]:
    yield "# Which test measures what"
    yield (
        "Every suite, by who made its test. *Made from* is what the source must have. *Relation* is what the "
        "answers of a group must satisfy: `same`, `differs`, `ranks` (the caption above the foil), `gold` (each by"
        " its own gold), `swap` (the answer should change). The first of the *metrics* leads on tables. "
        "*Chance* is what a coin scores by that metric, where golds are yes or no, or captions are ranked;"
        " elsewhere it depends on the choices: run `random` and `constant` beside your model. *Words alone* is the"
        " accuracy of a text-only model trained on the suite and judged on fresh scenes of the world, with the "
        "best constant answer behind the stroke; [Checks](../explanation/checks.md#words-alone) says how it was "
        "measured. On your data, `counterpoint check` and `counterpoint study blind` measure it again."
    )
    blind = _blind_baselines()
    for maker, notes in tomllib.loads(SUITES.read_text(encoding="utf-8"))["makers"].items():
        yield f"## {maker}"
        yield notes["about"]
        heads = ("suite", "tests that", "made from", "relation", "metrics", "chance", "words alone", "caveat")
        yield _table(heads, [_suite_row(name, note, blind) for name, note in notes["suites"].items()])


def _suite_row(name: str, note: Mapping[str, Any], blind: Mapping[str, list[str]]) -> tuple[str, ...]:
    claim, takes, _ = _suite(catalog.find("suites", name), "")
    tests = frozenset(note.get("tests", [name]))
    contents = Contents(tests, frozenset(note["relations"]), frozenset(note["gold"]))
    metrics = [metric for metric in map(catalog.metric, catalog.TABLES["metrics"]) if metric.applies(contents)]
    leading = displayed(contents, [metric for metric in metrics if not metric.on_request or metric.leads(contents)])
    measured = blind.get(name, [])
    if not measured:
        measured = [f"as `{note['asks']}`" if "asks" in note else "not measured"]
    return (
        f"`{name}`",
        claim,
        takes,
        ", ".join(f"`{relation}`" for relation in note["relations"]) or "none",
        ", ".join(f"`{metric.name}`" for metric in leading),
        _chance(leading[0], contents) if len(contents.relations) <= 1 else "–",
        "<br>".join(measured),
        _sentence(note["caveat"]) if note["caveat"][0] != "`" else f"{note['caveat']}.",
    )


def _chance(metric: Any, contents: Contents) -> str:
    """What a coin scores by a metric: in per cent, by the name of the metric that measures it, or unknown."""
    if metric.chance:
        return f"`{metric.chance}`"
    by_coin = RANKED | (YES_OR_NO if contents.gold == {"yes-no"} else {})
    return f"{100 * by_coin[metric.name]:g}" if metric.name in by_coin else "–"


def _blind_baselines() -> dict[str, list[str]]:
    """What a text-only model has on each suite, as the page on checks has measured it on fresh scenes."""
    baselines = dict[str, list[str]]()
    lines = CHECKS.read_text(encoding="utf-8").partition("\n## Words alone\n")[2].splitlines()
    for line in [line for line in lines if line.startswith("| ")][1:]:
        name, _, _, _, fresh, chance, _ = (cell.strip() for cell in line.strip("|").split("|"))
        suite, _, test = name.partition(": ")
        value = f"{fresh} / {chance.rpartition('/')[2].strip()}"
        baselines.setdefault(suite, []).append(f"{test}: {value}" if test else value)
    return baselines


EVALUATION = {
    settings.EvaluationSettings: ("", ""),
    settings.SuiteSettings: ("[[suites]]", "generate"),
    settings.ModelSettings: ("[[models]]", "run"),
    settings.PredictionSettings: ("[[predictions]]", "import"),
    settings.GateSettings: ("[[gates]]", "gate"),
}
"""The tables of an evaluation file, with their headers and the commands whose flags are their keys."""


def _evaluation_file() -> Iterator[str]:
    yield "# The evaluation file"
    yield (
        "`counterpoint.toml`, or the table `[tool.counterpoint]` of `pyproject.toml`, says what `counterpoint eval` "
        "does. A key has the name of the flag of the command that its table stands for; a flag that can be repeated is "
        "a list in the plural. Paths are relative to the file. "
        "[Evaluate every week](../how-to/evaluate-every-week.md) shows it at work; `counterpoint init --schema` writes "
        "a JSON schema by which editors complete it."
    )
    for table, (header, _) in EVALUATION.items():
        yield f"## {header.strip('[]') or 'At the top'}"
        yield f"{_first(table)}{f' Each begins with `{header}`.' if header else ''}"
        described = _key_descriptions(table)
        listed = [own for own in structs.fields(table) if header or own.type is str or own.name == "metrics"]
        rows = [(f"`{own.encode_name}`", described[own.encode_name], _default(own)) for own in listed]
        yield _table(("key", "what it says", "default"), rows)
    yield "## outputs"
    yield "The table `[outputs]` has a path for each kind of file that is written."
    yield _table(("key", "what is written"), [(f"`{name}`", text) for name, text in _outputs().items()])


def _default(own: structs.FieldInfo) -> str:
    is_shown = not own.required and isinstance(own.default, int | str) and own.default != ""
    return f"`{json.dumps(own.default)}`" if is_shown else ""


def _outputs() -> dict[str, str]:
    return {name: _first(catalog.find("outputs", name)) for name in sorted(catalog.TABLES["outputs"])}


def _key_descriptions(table: type[Struct]) -> dict[str, str]:
    """What each key of a table means: the comment behind it, else the help of the flag."""
    _, name = EVALUATION[table]
    command = commands.get_command(click.Context(commands), name) if name else None
    options = [own for own in (command.params if command else ()) if isinstance(own, click.Option)]
    helps = {flag.removeprefix("--"): own.help or "" for own in options for flag in own.opts}
    fields = [_field(part, _source(table)) for part in _node(table).body if isinstance(part, ast.AnnAssign)]
    comments = {key.strip("`"): comment for key, _, _, comment in fields}
    keys = {own.encode_name: own.name for own in structs.fields(table)}
    return {key: comments[own] or helps.get(key) or helps[key.removesuffix("s")] for key, own in keys.items()}


def schema() -> str:
    """The JSON schema of an evaluation file, with the descriptions of its keys."""
    whole = msgspec.json.schema(settings.EvaluationSettings)
    for table in EVALUATION:
        keys = whole["$defs"][table.__name__]["properties"]
        for key, text in _key_descriptions(table).items():
            keys[key] = _without_null(keys[key]) | {"description": text}
    outputs = {name: {"type": "string", "description": text} for name, text in _outputs().items()}
    whole["$defs"]["EvaluationSettings"]["properties"]["outputs"] |= {"properties": outputs}
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Counterpoint evaluation file"}
    return json.dumps(about | whole, indent=2, ensure_ascii=False) + "\n"


def _without_null(content: dict[str, Any]) -> dict[str, Any]:
    """The schema of a key that is absent in TOML where it would be null in JSON."""
    kinds = [kind for kind in content.get("anyOf", []) if kind != {"type": "null"}]
    plain = {name: value for name, value in content.items() if name != "anyOf" and value is not None}
    return plain | (kinds[0] if len(kinds) == 1 else {"anyOf": kinds} if kinds else {})


def _errors() -> Iterator[str]:
    yield "# Errors"
    yield (
        "The errors raised on purpose. Each has a message, one fact, and a `hint`, one sentence of help; the command "
        "line prints both and exits with 1. Catch `cp.CounterpointError` for all of them; `cp.SourceError` and "
        "`cp.UnknownName` are public too."
    )
    yield "\n".join(_tree(errors.CounterpointError, 0))


def _tree(error: type[Exception], depth: int) -> Iterator[str]:
    yield indent(f"- **`{error.__name__}`**: {_first(error)}", "  " * depth)
    for subclass in error.__subclasses__():
        if subclass.__module__ == errors.__name__:
            yield from _tree(subclass, depth + 1)


def _source(value: Any) -> list[str]:
    return inspect.getsource(import_module(value.__module__)).splitlines()


def _node(value: Any) -> Any:
    """The definition of a class or function, with the line numbers of its module."""
    return next(node for node in _parsed(value.__module__).body if getattr(node, "name", "") == value.__name__)


@cache
def _parsed(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(import_module(module)))


def _doc(node: Any) -> str:
    return ast.get_docstring(node) or ""


def _first(value: Any) -> str:
    return inspect.cleandoc(value.__doc__ or "").splitlines()[0]


def _prose(text: str) -> str:
    """A docstring as Markdown: its examples become code."""
    blocks = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(_code("python", block) if block.startswith(">>>") else block for block in blocks)


def _code(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    SCHEMA.write_text(schema(), encoding="utf-8")
