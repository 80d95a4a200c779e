"""`counterpoint models`: what can be named where a model is asked for."""

import ast
import json
from importlib.util import find_spec
from pathlib import Path

import click

from counterpoint import catalog


@click.command("models")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: each name, and where it is.")
def command(as_json: bool) -> None:
    """List the models that can be named, and what each is."""
    rows = catalog.rows("models")
    if as_json:
        click.echo(json.dumps(dict(rows)))
        return
    wide = max(map(len, rows))
    for name, place in rows.items():
        click.echo(click.wrap_text(f"{name:{wide}}  {described(place)}", 80, subsequent_indent=" " * (wide + 2)))


def described(place: str) -> str:
    """The first line that a module says about one of its objects, read and not run; else the place itself."""
    module, _, name = place.partition(":")
    try:
        tree = ast.parse(_file(module).read_text("utf-8"))
    except (ImportError, OSError, ValueError, SyntaxError):
        return place
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return (ast.get_docstring(node) or place).splitlines()[0]
    return place


def _file(module: str) -> Path:
    """The file of a module; only its outermost package is looked up, which imports nothing."""
    first, *inner = module.split(".")
    found = find_spec(first)
    if found is None or found.origin is None:
        raise ImportError(f"{first} has no file")
    if not inner:
        return Path(found.origin)
    path = Path(found.origin).parent.joinpath(*inner)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
