"""`counterpoint words`: by which words captions and foils differ, and whether these give the foils away."""

import json
from collections.abc import Mapping
from pathlib import Path

import click

from counterpoint.core.errors import StoreError
from counterpoint.lab.selection import load_groups
from counterpoint.reports.tables import TABLE_FORMATS, ResultTable
from counterpoint.store.lab import LabStore
from counterpoint.studies.foil_words import ALL, SUBSETS, WordSides, foil_word_rows, foil_words, telling_words

_TITLE = (
    "Changed words of captions and foils: divergence of Jensen and Shannon (base 2, square root), "
    "0 where both sides have the same words equally often, 1 where they share none"
)


@click.command("words")
@click.argument("lab", type=click.Path(path_type=Path))
@click.option("--suite", "suites", multiple=True, help="A suite that ranks captions above foils; else all.")
@click.option("--charts", type=click.Path(file_okay=False, path_type=Path), help="Draw an SVG for each test there.")
@click.option("--most", default=25, show_default=True, type=click.IntRange(1), help="Words in a chart.")
@click.option("--json", "form", flag_value="json", help="Print JSON, one object per test.")
@click.option("--markdown", "form", flag_value="markdown", help="Print a Markdown table.")
@click.option("--latex", "form", flag_value="latex", help="Print a LaTeX table.")
def command(lab: Path, suites: tuple[str, ...], charts: Path | None, most: int, form: str | None) -> None:
    """How many words captions and foils of LAB differ by, and how far apart the two sides are."""
    opened = LabStore(lab).opened()
    found = foil_words(load_groups(opened, suites))
    click.echo(
        json.dumps(foil_word_rows(found), ensure_ascii=False)
        if form == "json"
        else TABLE_FORMATS[form or "plain"](sheet(found))
    )
    if charts is not None:
        for path in drawn(found, charts, most):
            click.echo(f"drawn: {path}", err=True)


def sheet(found: Mapping[str, Mapping[str, WordSides]]) -> ResultTable:
    """A line for each test; valid and unanimous pairs where the votes of annotators are told."""
    voted = [name for name in SUBSETS if name != ALL and any(name in own for own in found.values())]
    heads = (
        "test",
        "pairs",
        *voted,
        "lexical items",
        "divergence",
        *(f"{name} divergence" for name in voted),
        "most telling",
    )
    rows = [
        (
            test,
            f"{own[ALL].pairs:,}",
            *(_share(own.get(name), own[ALL].pairs) for name in voted),
            f"{own[ALL].items:,}",
            *(_apart(own.get(name)) for name in (ALL, *voted)),
            ", ".join(f"{word} {100 * gap:+.1f}" for word, gap in telling_words(own[ALL], 3) if abs(gap) >= 5e-4)
            or "–",
        )
        for test, own in found.items()
    ]
    return ResultTable(_TITLE, heads, rows)


def _share(words: WordSides | None, of: int) -> str:
    return "–" if words is None else f"{words.pairs:,} ({100 * words.pairs / max(of, 1):.1f})"


def _apart(words: WordSides | None) -> str:
    return "–" if words is None or words.divergence != words.divergence else f"{words.divergence:.3f}"


def drawn(found: Mapping[str, Mapping[str, WordSides]], folder: Path, most: int) -> list[Path]:
    """A chart for each test, with a panel for all pairs and one for the valid ones; the files that were written."""
    from counterpoint.reports.charts.bars import WordChart, WordFrequency

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise StoreError(f"{folder} cannot be made: {problem.strerror}", hint="name another folder") from problem
    paths = []
    for test, subsets in found.items():
        panels = (
            {"before validation": subsets[ALL], "after": subsets["valid"]} if "valid" in subsets else {"": subsets[ALL]}
        )
        rows = [
            WordFrequency(panel, side, word, counts[word] / max(counts.total(), 1), counts[word])
            for panel, own in panels.items()
            for word in subsets[ALL].commonest(most)
            for side, counts in (("captions", own.captions), ("foils", own.foils))
        ]
        if not rows:
            continue
        path = folder / f"{test}.svg"
        path.write_text(WordChart(headline(test, subsets), tuple(rows)).svg(), encoding="utf-8")
        paths.append(path)
    return paths


def headline(test: str, subsets: Mapping[str, WordSides]) -> str:
    """What a chart shows, in a sentence."""
    apart = _apart(subsets[ALL])
    after = f", {_apart(subsets['valid'])} after validation" if "valid" in subsets else ""
    return f"{test}: the words of captions and foils are {apart} apart{after}"
