"""Click parameter types and options that several commands share."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from counterpoint import catalog
from counterpoint.lab.generation import PAPER
from counterpoint.pictures.channel_means import Means, folder_means
from counterpoint.store.lab import LabStore
from counterpoint.suites.balanced_sampling import Quota

F = TypeVar("F", bound=Callable[..., Any])
FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
EXISTING = click.Path(exists=True, path_type=Path)
"""A folder or file that is read."""
POSITIVE = click.IntRange(1)
SHARE = click.FloatRange(0, 1)


class LabType(click.ParamType):
    """The folder of a lab."""

    name = "lab"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path of the folder."""
        return Path(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Let the shell complete folders."""
        return [CompletionItem(incomplete, type="dir")]


class CatalogName(click.ParamType):
    """A name in tables of the catalog, or of a lab where LAB was typed before; any other text is passed on."""

    name = "name"

    def __init__(self, *tables: str, of_lab: str = "") -> None:
        self._tables, self._of_lab = tables, of_lab

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names that begin with what was typed."""
        names = {name for table in self._tables for name in catalog.rows(table)}
        lab = ctx.params.get("lab")
        if self._of_lab and lab is not None and (Path(lab) / "counterpoint-lab.json").is_file():
            store = LabStore(lab)
            names |= set(store.suites() if self._of_lab == "suites" else (info.model for info in store.models()))
        return [CompletionItem(name) for name in sorted(names) if name.startswith(incomplete)]


class ColumnsType(click.ParamType):
    """Columns by role, as in question=Q,answer=A."""

    name = "ROLE=COLUMN,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, str]:
        """A mapping from role to column."""
        if isinstance(value, dict):
            return value
        pairs = [pair.partition("=") for pair in filter(None, str(value).split(","))]
        for role, sign, column in pairs:
            if not sign or not role.strip() or not column.strip():
                self.fail(f"{role}{sign}{column} is no ROLE=COLUMN, such as question=Q", param, ctx)
        return {role.strip(): column.strip() for role, _, column in pairs}


class MeansType(click.ParamType):
    """A mean color: red, green and blue as in 121,113,104, or that of the pictures in a folder."""

    name = "R,G,B|FOLDER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Means:
        """Red, green and blue from 0 to 255."""
        if isinstance(value, tuple):
            return value
        if Path(value).is_dir():
            return folder_means(Path(value))
        try:
            red, green, blue = (int(channel) for channel in value.split(","))
        except ValueError:
            self.fail(f"{value} is neither three numbers, such as 121,113,104, nor a folder", param, ctx)
        if not all(0 <= channel <= 255 for channel in (red, green, blue)):
            self.fail(f"{value} is no color: its numbers go from 0 to 255", param, ctx)
        return red, green, blue


class PairsType(click.ParamType):
    """A number of pairs: as in the paper, a number, or one of yes-no questions plus one of choice questions."""

    name = "paper|N|N+M"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | int | Quota:
        """The word paper, a number, or a quota."""
        if isinstance(value, int | Quota) or value == PAPER:
            return value
        binary, plus, choice = str(value).partition("+")
        if not binary.isdecimal() or bool(plus) != choice.isdecimal():
            self.fail(f"{value} is neither paper, nor a number, nor two such as 500+300", param, ctx)
        return Quota(int(binary), int(choice)) if plus else int(binary)


def check_settings(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Settings of checks by check and name, as in grammar.threshold=.8."""
    settings: dict[str, dict[str, str]] = {}
    for text in given:
        name, sign, value = text.partition("=")
        check, dot, setting = name.strip().rpartition(".")
        if not (sign and dot and check and setting):
            raise click.BadParameter(f"{text} is no CHECK.SETTING=VALUE, such as grammar.threshold=.8")
        settings.setdefault(check, {})[setting] = value.strip()
    return settings


def picture_roots(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, Path]:
    """Folders of pictures by namespace; each must exist."""
    roots = {}
    for text in given:
        namespace, sign, folder = text.partition("=")
        if not sign or not namespace or not Path(folder).is_dir():
            raise click.BadParameter(f"{text!r} is no NAMESPACE=FOLDER with a folder that exists")
        roots[namespace] = Path(folder)
    return roots


def stack(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Several decorators as one, the first outermost."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


lab_argument = click.argument("lab", type=LabType())
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
format_options = stack(
    click.option("--json", "form", flag_value="json", help="Print JSON."),
    click.option("--markdown", "form", flag_value="markdown", help="Print Markdown tables."),
    click.option("--latex", "form", flag_value="latex", help="Print LaTeX tables."),
)
suites_option = click.option(
    "--suite",
    "suites",
    multiple=True,
    type=CatalogName(of_lab="suites"),
    help="Use this suite of the lab; repeatable.",
)
models_option = click.option(
    "--model",
    "models",
    multiple=True,
    type=CatalogName(of_lab="models"),
    help="Use this model of the lab, by name or fingerprint; repeatable.",
)
seed_option = click.option("--seed", default=0, show_default=True, help="Seed for sampling and random draws.")


def source_options(source: str = "world", split: str = "test", *, items: int = 1000) -> Callable[[F], F]:
    """The options that say what is read: --source, --data, --split, --items."""
    return stack(
        click.option(
            "--source",
            default=source,
            show_default=True,
            type=CatalogName("sources"),
            help="Read this source: a name of the catalog, or module:object.",
        ),
        click.option("--data", type=EXISTING, help="Read the source's files from this folder or file."),
        click.option("--split", default=split, show_default=True, help="Read this split of the source."),
        click.option(
            "--items",
            default=items,
            show_default=True,
            type=POSITIVE,
            help="Read at most this many scenes, questions, captions or dialogues.",
        ),
    )


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given a value."""
    return {name: value for name, value in options.items() if value not in (None, "", {}, ())}
