"""`counterpoint data`: which data sets can be read, what is expected and there of one, and what is in it."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from counterpoint import catalog
from counterpoint.cli.options import ColumnsType
from counterpoint.cli.progress import counted
from counterpoint.core.errors import SourceError, StoreError
from counterpoint.lab.answer_spaces import FORMS as SPACES
from counterpoint.lab.answer_spaces import space_of
from counterpoint.reports.data_tables import Block, as_json, blocks, expectations, listing, listing_sheet
from counterpoint.reports.tables import TABLE_FORMATS, ResultTable
from counterpoint.sources.dataset import KINDS, DataSet
from counterpoint.sources.file_checks import expected
from counterpoint.studies.dataset_description import DatasetDescription, DescriptionRequest, describe, open_split


@click.command("data")
@click.argument("name", default="")
@click.option("--data", type=click.Path(exists=True, path_type=Path), help="The folder of its files, to be checked.")
@click.option("--columns", default="", type=ColumnsType(), help="Which column holds what, in a file of your own.")
@click.option("--split", default="", help="Which part; else the first of which everything needed is there.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only these items; else all there are.")
@click.option("--limit", type=click.IntRange(1), help="At most so many of each kind, drawn by the seed; else all.")
@click.option("--seed", default=0, show_default=True, help="Another seed draws another sample.")
@click.option("--rules", default="", help="The rule set by which answers are compared; else that of the data set.")
@click.option("--against", multiple=True, metavar="SPACE", help=f"Compare answers with those of {SPACES}.")
@click.option("--top", default=10, show_default=True, type=click.IntRange(1), help="How many of the most frequent.")
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), help="Also write an HTML file with charts.")
@click.option("--json", "form", flag_value="json", help="Print one JSON object.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown tables.")
def command(
    name: str,
    data: Path | None,
    columns: dict[str, str],
    split: str,
    kinds: tuple[str, ...],
    limit: int | None,
    seed: int,
    rules: str,
    against: tuple[str, ...],
    top: int,
    report: Path | None,
    form: str | None,
) -> None:
    """List the data sets; say what files NAME expects; with --data, check them and describe what is in them.

    Ends with 1 if a needed file is missing or cannot be read to its end, after printing what is known.
    """
    if not name:
        rows = listing()
        _print(rows, [listing_sheet(rows)], form)
        return
    known, _, on_hub = name.partition("/")
    found = catalog.find("sources", known if on_hub else name)
    data = Path(on_hub) if on_hub else data
    if isinstance(found, DataSet) and data is None:
        _print(_told(found), expectations(name, found), form)
        return
    request = DescriptionRequest(data, split, kinds, limit, seed, rules, columns)
    described = _described(name, found, request, against)
    _print(as_json(described, top), blocks(described, top), form)
    if report is not None:
        _write(report, described, top)
    _refuse_if_broken(described)


def _described(name: str, found: Any, request: DescriptionRequest, against: tuple[str, ...]) -> DatasetDescription:
    opening = open_split(name, found, request)
    spaces = [space_of(one, opening.rules, _watched, opening.split) for one in against]
    return describe(opening, request, spaces, _watched)


def _watched(items: Iterable[Any], doing: str) -> Iterable[Any]:
    return counted(items, doing)


def _print(plain: Any, shown: Iterable[Block], form: str | None) -> None:
    if form == "json":
        click.echo(json.dumps(plain, ensure_ascii=False, indent=2))
        return
    show = TABLE_FORMATS[form or "plain"]
    click.echo("\n\n".join(show(block) if isinstance(block, ResultTable) else block for block in shown if block))


def _told(dataset: DataSet) -> dict[str, Any]:
    about = {"name": dataset.name, "title": dataset.title, "kinds": list(dataset.read), "splits": list(dataset.splits)}
    files = [
        {
            "part": one.part,
            "file": one.name,
            "also": list(one.others),
            "splits": list(one.splits),
            "kinds": list(one.kinds),
            "needed": one.needed,
            "from": one.origin,
        }
        for one in expected(dataset)
    ]
    pictures = {"folders": list(dataset.pictures), "holding": list(dataset.holds), "from": dataset.origin}
    return {**about, "withheld": list(dataset.withheld), "rules": dataset.rules, "files": files, "pictures": pictures}


def _write(path: Path, described: DatasetDescription, top: int) -> None:
    from counterpoint.reports.data_report import page  # pages are loaded when they are needed

    text = page(described, top)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", errors="backslashreplace")
    except OSError as problem:
        raise StoreError(f"{path} cannot be written: {problem.strerror or problem}") from problem
    click.echo(f"{path} is written", err=True)


def _refuse_if_broken(described: DatasetDescription) -> None:
    for part in described.parts:
        if part.problem:
            raise SourceError(part.problem, hint=part.hint)
    if not described.whole:
        fact = f"nothing could be read of {described.split} of {described.title}"
        raise SourceError(fact, hint="what was left out, and why, is listed above")
