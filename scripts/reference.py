"""Write docs/reference: commands, public names, the catalog and the errors, from the code itself.

Run `python scripts/reference.py` after any change to these; a test fails while the pages differ from what this makes.
Signatures are taken from the source, so that every version of Python and of our libraries writes the same pages.
"""

import ast
import inspect
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from textwrap import indent
from typing import Any

import click

import counterpoint
from counterpoint import catalog
from counterpoint.cli.main import COMMANDS, commands
from counterpoint.core import errors

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
HEAD = "<!-- Made by scripts/reference.py from the code; edit the docstrings, not this page. -->\n\n"


def pages() -> dict[str, str]:
    """The name and the text of each page."""
    made = {"commands.md": _commands(), "api.md": _api(), "catalog.md": _catalog(), "errors.md": _errors()}
    return {name: HEAD + "\n\n".join(blocks) + "\n" for name, blocks in made.items()}


def _commands() -> Iterator[str]:
    yield "# Commands"
    yield "`counterpoint --help` lists them; `counterpoint COMMAND --help` shows what is here."
    context = click.Context(commands, info_name="counterpoint")
    for name in sorted(COMMANDS):
        found = commands.get_command(context, name)
        assert found is not None, f"{name} is listed and not there"
        yield from _command(found, f"counterpoint {name}")


def _command(command: click.Command, words: str) -> Iterator[str]:
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    listed = "".join(
        f" [{one.human_readable_name}]..." if one.nargs < 0 else f" {one.human_readable_name}" for one in arguments
    )
    options = [one for one in command.params if isinstance(one, click.Option)]
    yield f"## {words}"
    yield _code("console", f"$ {words}{' [OPTIONS]' if options else ''}{listed}")
    yield _prose(command.help or "")
    if options:
        yield _table(("option", "what it does", "default"), map(_option, options))
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from _command(command.commands[name], f"{words} {name}")


def _option(option: click.Option) -> tuple[str, str, str]:
    shown = option.default if option.show_default else ""
    value = "" if option.is_flag else f" {option.type.name.split()[0].upper()}"
    return ", ".join(f"`{name}{value}`" for name in option.opts), option.help or "", f"`{shown}`" if shown != "" else ""


def _api() -> Iterator[str]:
    yield "# Public names"
    yield (
        "Everything that `import counterpoint as cp` offers. Each name is loaded when it is first used. What is not on "
        "this page may change tomorrow."
    )
    for name in counterpoint.__all__:
        if name == "__version__":
            yield "## `__version__`"
            yield "The version of the package, as text."
        else:
            yield from _public(name, getattr(counterpoint, name))


def _public(name: str, found: Any) -> Iterator[str]:
    node = _node(found)
    yield f"## {name}"
    if isinstance(node, ast.FunctionDef):
        yield _code("python", _signature(node, f"cp.{name}"))
        yield _prose(_doc(node))
        return
    made = next((part for part in node.body if getattr(part, "name", "") == "__init__"), None)
    if made:
        yield _code("python", _signature(made, f"cp.{name}").removesuffix(" -> None"))
    yield _prose(_doc(node))
    yield f"Its home is `{found.__module__}`."
    fields, members, methods = [], [], []
    for owner in reversed([one for one in found.__mro__ if one.__module__.startswith("counterpoint.")]):
        source = _source(owner)
        for part in _node(owner).body:
            if isinstance(part, ast.AnnAssign) and not ast.unparse(part.target).startswith("_"):
                fields.append(_field(part, source))
            elif isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant):
                members.append((f"`{ast.unparse(part.targets[0])}`", f"`{part.value.value!r}`"))
            elif isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
                methods.append(part)
    if fields:
        yield _table(("field", "type", "default", ""), fields)
    if members:
        yield _table(("member", "value"), members)
    if methods:
        yield "\n".join(f"- **`{_label(method)}`**: {_doc(method).splitlines()[0]}" for method in methods)


def _field(part: ast.AnnAssign, source: list[str]) -> tuple[str, str, str, str]:
    _, _, comment = source[part.lineno - 1].partition("  # ")
    default = f"`{ast.unparse(part.value)}`" if part.value else ""
    return f"`{ast.unparse(part.target)}`", f"`{ast.unparse(part.annotation)}`", default, comment


def _label(method: ast.FunctionDef) -> str:
    kinds = {ast.unparse(one) for one in method.decorator_list}
    if "property" in kinds:
        return f"{method.name}: {_plain(method.returns)}"
    return _signature(method, method.name)


def _signature(node: ast.FunctionDef, name: str) -> str:
    arguments = ast.unparse(node.args).split(", ")
    own = [one for one in arguments if one not in ("self", "cls")]
    return f"{name}({', '.join(own)}) -> {_plain(node.returns)}"


def _plain(annotation: ast.expr | None) -> str:
    return ast.unparse(annotation).strip("'\"") if annotation else "None"


def _catalog() -> Iterator[str]:
    yield "# The catalog"
    yield (
        "What has a name, by table. Wherever a name is asked for, `package.module:object` serves as well; other "
        "packages add rows by entry points in the group `counterpoint.` and the name of the table."
    )
    for table, rows in catalog.TABLES.items():
        yield f"## {table}"
        listed = [
            (f"`{name}`", f"`{place}`", _about(catalog.find(table, name), place))
            for name, place in sorted(rows.items())
        ]
        yield _table(("name", "place", "what it is"), listed) if listed else "None yet."


def _about(found: Any, place: str) -> str:
    """The first sentence about what a row names: its own, or for a value the one below it, or that of its module."""
    if inspect.isclass(found) or inspect.isroutine(found):
        return _first(found)
    module, _, name = place.partition(":")
    written = import_module(module)
    body = ast.parse(inspect.getsource(written)).body
    for node, below in pairwise(body):
        targets = node.targets if isinstance(node, ast.Assign) else []
        named = any(isinstance(target, ast.Name) and target.id == name for target in targets)
        if named and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            return str(below.value.value).partition("\n")[0]
    return _first(written)


def _errors() -> Iterator[str]:
    yield "# Errors"
    yield (
        "The errors raised on purpose. Each is one sentence of fact with a `hint`, one sentence of help; the command "
        "line prints both and ends with 1. Catch `cp.CounterpointError` for all of them; the others are in "
        "`counterpoint.core.errors`."
    )
    yield "\n".join(_tree(errors.CounterpointError, 0))


def _tree(error: type[Exception], depth: int) -> Iterator[str]:
    yield indent(f"- **`{error.__name__}`**: {_first(error)}", "  " * depth)
    for below in error.__subclasses__():
        if below.__module__ == errors.__name__:
            yield from _tree(below, depth + 1)


def _source(found: Any) -> list[str]:
    return inspect.getsource(import_module(found.__module__)).splitlines()


def _node(found: Any) -> Any:
    """The definition of a class or function, with the line numbers of its module."""
    module = ast.parse("\n".join(_source(found)))
    return next(one for one in module.body if getattr(one, "name", "") == found.__name__)


def _doc(node: Any) -> str:
    return ast.get_docstring(node) or ""


def _first(found: Any) -> str:
    return inspect.cleandoc(found.__doc__ or "").splitlines()[0]


def _prose(text: str) -> str:
    """A docstring as Markdown: its examples become code."""
    blocks = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(_code("python", block) if block.startswith(">>>") else block for block in blocks)


def _code(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def write(made: Mapping[str, str], folder: Path) -> None:
    """Put the pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(pages(), FOLDER)
