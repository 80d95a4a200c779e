"""Options that several commands share, how their values are parsed, and how they complete in the shell."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any, TypeVar

import click

import counterpoint as cp  # names are imported on first use

F = TypeVar("F", bound=Callable[..., Any])
Completer = Callable[[click.Context, click.Parameter, str], list[str]]
_ADDRESS = re.compile(r"[a-z][a-z0-9+]+:/")


class LocalPath(click.Path):
    """A path on this machine; an address of an object store is a usage error, and not a folder called `s3:`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path that was typed."""
        if _ADDRESS.match(str(value)):
            self.fail(f"{value} is the address of an object store; name a path on this machine", param, ctx)
        return super().convert(value, param, ctx)


class PathOrAddress(click.Path):
    """A path, or an address such as `s3://bucket/lab` as text."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path or the address that was typed."""
        return str(value) if _ADDRESS.match(str(value)) else super().convert(value, param, ctx)


LAB = PathOrAddress(file_okay=False, path_type=Path)
"""A lab: a folder, or an address of an object store."""
FILE = LocalPath(dir_okay=False, path_type=Path)
FOLDER = LocalPath(file_okay=False, path_type=Path)
OUTPUT = PathOrAddress(path_type=Path)
"""Where something is written for others: a path, or an address."""
EXISTING = LocalPath(exists=True, path_type=Path)
"""A folder or file that is read."""
DATA = PathOrAddress(exists=True, path_type=Path)
"""A folder or file that is read, or its address."""
PICTURES = PathOrAddress(exists=True, file_okay=False, path_type=Path)
"""A folder of pictures, or their address."""
POSITIVE = click.IntRange(1)
SHARE = click.FloatRange(0, 1)


def complete(*tables: str, of_lab: str = "") -> Completer:
    """Complete names of the catalog's tables, and suites or models of the lab where LAB was typed before."""

    def names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        lab = ctx.params.get("lab") or next(iter(ctx.args), None)  # click parses no arguments before an open option
        known = cp.catalog_names(*tables)
        with suppress(cp.CounterpointError):  # what was typed may be no lab
            if of_lab and lab:
                opened = cp.Lab(lab)
                known |= set(opened.suites if of_lab == "suites" else (model.title for model in opened.models))
        return [name for name in sorted(known) if name.startswith(incomplete)]

    return names


def parse_columns(ctx: click.Context, param: click.Parameter, given: str) -> dict[str, str]:
    """Columns by role, as in question=Q,answer=A, or the name of a file with such lines; a constant is quoted."""
    if given and "=" not in given and Path(given).is_file():
        lines = Path(given).read_text(encoding="utf-8-sig", errors="replace").splitlines()
        given = ",".join(line for line in lines if not line.lstrip().startswith("#"))
    pairs = [pair.partition("=") for pair in re.findall(r"""(?:'[^']*'|"[^"]*"|[^,])+""", given) if pair.strip()]
    for role, sign, column in pairs:
        if not sign or not role.strip() or not column.strip():
            raise click.BadParameter(f"{role}{sign}{column} is no ROLE=COLUMN, such as question=Q")
    return {role.strip(): column.strip() for role, _, column in pairs}


def parse_means(ctx: click.Context, param: click.Parameter, given: str) -> tuple[int, int, int] | Path | None:
    """A mean color: red, green and blue as in 121,113,104, or a folder of pictures to measure."""
    if not given or Path(given).is_dir():
        return Path(given) if given else None
    try:
        red, green, blue = (int(channel) for channel in given.split(","))
    except ValueError:
        raise click.BadParameter(f"{given} is neither three numbers, such as 121,113,104, nor a folder") from None
    if not all(0 <= channel <= 255 for channel in (red, green, blue)):
        raise click.BadParameter(f"{given} is no color: its numbers go from 0 to 255")
    return red, green, blue


def parse_pairs(ctx: click.Context, param: click.Parameter, given: str) -> str | int | tuple[int, int] | None:
    """A number of pairs: as in the paper, a number, or one of yes-no questions plus one of choice questions."""
    if given in ("", "paper"):
        return given or None
    binary, plus, choice = given.partition("+")
    if not binary.isdecimal() or bool(plus) != choice.isdecimal():
        raise click.BadParameter(f"{given} is neither paper, nor a number, nor two such as 500+300")
    return (int(binary), int(choice)) if plus else int(binary)


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


def picture_roots(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, Path | str]:
    """Folders or addresses of pictures by namespace; a folder must exist."""
    roots: dict[str, Path | str] = {}
    for text in given:
        namespace, sign, folder = text.partition("=")
        if not sign or not namespace or not (_ADDRESS.match(folder) or Path(folder).is_dir()):
            raise click.BadParameter(f"{text!r} is no NAMESPACE=FOLDER with a folder that exists, or an address")
        roots[namespace] = folder if _ADDRESS.match(folder) else Path(folder)
    return roots


def stack(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Several decorators as one, the first outermost."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


class _NoPandas(MetaPathFinder):
    """Finds no pandas, installed or not."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        """Nothing; an ImportError for pandas."""
        if name == "pandas":
            raise ModuleNotFoundError(name)


def load_arrow() -> None:
    """Load Arrow without pandas.

    Before its first conversion Arrow imports pandas, where it is installed, to know data frames: half a second that no
    command needs. Here it looks once and finds none; it looks again when it is to make a data frame.
    """
    if "pandas" not in sys.modules:
        import pyarrow as pa

        sys.meta_path.insert(0, finder := _NoPandas())
        try:
            pa.array([None])
        finally:
            sys.meta_path.remove(finder)


def _with_arrow(ctx: click.Context, param: click.Parameter, lab: Path | str) -> Path | str:
    """The lab, after Arrow was loaded."""
    if not ctx.resilient_parsing:
        load_arrow()
    return lab


lab_argument = click.argument("lab", type=LAB, callback=_with_arrow)
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
    shell_complete=complete(of_lab="suites"),
    help="Use this suite of the lab; repeatable.",
)
models_option = click.option(
    "--model",
    "models",
    multiple=True,
    shell_complete=complete(of_lab="models"),
    help="Use this model of the lab, by name or fingerprint; repeatable.",
)


def lab_model_option(flag: str, text: str, *, required: bool = False) -> Callable[[F], F]:
    """An option that names one model or version of the lab, which the shell completes."""
    absent: dict[str, Any] = {} if required else {"default": ""}  # a default of None would count as given
    return click.option(flag, required=required, shell_complete=complete(of_lab="models"), help=text, **absent)


log_option = click.option(
    "--log",
    "trackers",
    multiple=True,
    metavar="TRACKER[:WHERE]",
    help="Log scores and failures to wandb, mlflow, tensorboard or jsonl, once per version; repeatable.",
)
seed_option = click.option("--seed", default=0, show_default=True, help="Seed for sampling and random draws.")


model_options = stack(
    click.option("--model-args", default="", metavar="K=V,…", help="Set the model; a comma in a value is doubled."),
    click.option("--device", help="Compute a local model here: cpu, cuda, cuda:1; cuda:all, or several with commas."),
    click.option("--dtype", help="Compute with these numbers: float32, bfloat16, float16."),
    click.option(
        "--base-url", metavar="URL", help="Reach a model on a server here; else OPENAI_BASE_URL and the like."
    ),
)


_SERVERS = ("openai", "anthropic", "google")
_TAKERS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("device", "dtype"), ("hf",)),
    **dict.fromkeys(("base_url", "concurrency", "budget", "prices"), _SERVERS),
    "batch": ("openai",),
}
"""The ways of reaching models that take an option; code of one's own may take any."""


@contextmanager
def settings_of(model: str, model_args: str, flags: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """The settings of a model that are typed as one text, and as options of their own.

    An option that the model does not take is a usage error, also where this turns out within the block.
    """
    given = {name: str(value) for name, value in flags.items() if value is not None}
    way = model.partition("/")[0] if "/" in model else ""
    for name in given:
        if way in ("hf", *_SERVERS) and way not in _TAKERS[name]:
            raise _not_taken(model, name)
    try:
        yield cp.parse_settings(model_args) | given
    except cp.UnknownName as problem:
        if problem.name in given and problem.what == f"setting of {model}":
            raise _not_taken(model, problem.name) from None
        raise


def _not_taken(model: str, name: str) -> click.UsageError:
    takers = ", ".join(f"{way}/…" for way in _TAKERS[name])
    where = "on servers" if "openai" in _TAKERS[name] else "that are loaded here"
    return click.UsageError(f"{model} takes no --{name.replace('_', '-')}: it is for models {where}, {takers}")


def source_options(source: str = "world", split: str = "test") -> Callable[[F], F]:
    """The options that say what is read: --source, --data, --split, --items."""
    return stack(
        click.option(
            "--source",
            default=source,
            show_default=True,
            shell_complete=complete("sources"),
            help="Read this source: a name of the catalog, or module:object.",
        ),
        click.option("--data", type=DATA, help="Read the source's files from this folder, file or address."),
        click.option("--split", default=split, show_default=True, help="Read this split of the source."),
        click.option(
            "--items",
            default=1000,
            show_default=True,
            type=POSITIVE,
            help="Read at most this many scenes, questions, captions or dialogues.",
        ),
    )


def slice_columns(ctx: click.Context, param: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    """The columns that scores are cut by; None where none is given."""
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in ("suite", "test", "kind", "relation", "gold") and not name.startswith("tag:"):
            raise click.BadParameter(f"{name!r} is none of suite, test, kind, relation, gold, tag:NAME")
    return names


def row_filters(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """The value that each filtered column must have."""
    filters: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise click.BadParameter(f"{text!r} is no COLUMN=VALUE")
        filters |= dict.fromkeys(slice_columns(ctx, param, name) or (), value)
    return filters


threshold_option = click.option(
    "--threshold",
    default=0.5,
    show_default=True,
    type=SHARE,
    help="Count an answer as correct from this credit, and a caption above this probability.",
)
scoring_options = stack(
    click.option(
        "--metric",
        "metrics",
        multiple=True,
        shell_complete=complete("metrics"),
        help="Compute this metric, a name or module:object; repeatable. By default those that apply.",
    ),
    click.option("--by", callback=slice_columns, help="Cut by test (the default), kind, gold, tag:NAME."),
    click.option(
        "--filter", multiple=True, callback=row_filters, help="Keep only kind=exist, tag:edit=blur; repeatable."
    ),
    click.option(
        "--pool", is_flag=True, help="Score all suites as one, uncut without --by; what they share counts once."
    ),
    threshold_option,
    seed_option,
)
