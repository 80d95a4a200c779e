"""The description of a data set as one self-contained HTML file with tables and charts."""

from collections.abc import Container, Iterator, Sequence
from typing import Any

from counterpoint._version import __version__
from counterpoint.core.quantities import counted
from counterpoint.metrics.data_statistics import ItemTally, NumberHistogram, RankedWord
from counterpoint.reports.charts.bars import BarChart, Histogram
from counterpoint.reports.data_tables import absent_lines, files_table, overlaps_table, skipped_table
from counterpoint.reports.templating import environment, style
from counterpoint.studies.dataset_description import DatasetDescription, ItemDescription

FEW = 3
"""Numbers that span less than this are described by a sentence instead of a chart."""


def render_data_report(data: DatasetDescription, top: int = 10) -> str:
    """The whole file."""
    answerable = [
        RankedWord(overlap.name, overlap.shared, overlap.covered)
        for overlap in data.overlaps
        if overlap.covered is not None
    ]
    return (
        environment()
        .get_template("data_report.html")
        .render(
            rules=data.rules,
            name=f"{data.title}, {data.split}",
            about=f"{counted(data.items, 'item')} · {counted(data.pictures.distinct, 'picture')}",
            version=__version__,
            style=style(),
            sentence=describe_split(data),
            files=files_table(data) if data.files else None,
            problems=[(part.counts.kind, part.problem) for part in data.parts if part.problem],
            kinds=[_kind(part, top) for part in data.parts if part.counts.items],
            overlaps=overlaps_table(data) if data.overlaps else None,
            overlap=overlap_chart(answerable) if answerable else None,
            remarks=list(absent_lines(data)),
            skipped=skipped_table(data) if any(part.left for part in data.parts) else None,
        )
    )


def describe_split(data: DatasetDescription) -> str:
    """One sentence on the items and pictures of a split."""
    parts = [counted(part.counts.items, part.counts.kind.removesuffix("s")) for part in data.parts]
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]])) or "nothing"
    sampled = data.request.limit is not None and not data.pictures.drawn
    limit = f", at most {data.request.limit:,} of each kind" if sampled else ""
    return f"The {data.split} split of {data.title}: {listed} about {_pictures(data)}{limit}."


def _pictures(data: DatasetDescription) -> str:
    pictures = data.pictures
    number = counted(pictures.distinct, "picture")
    if pictures.drawn:
        return f"{number}, drawn on demand"
    if pictures.there is None:
        return f"{number}, whose folder is missing"
    return f"{number}, of which {counted(pictures.there, verb='are')} present"


def number_fact(name: str, spread: NumberHistogram) -> str:
    """The mean and range of numbers, in a phrase.

    >>> number_fact("words per answer", NumberHistogram({1: 1, 2: 1}))
    '1.5 words per answer on average, from 1 to 2'
    >>> number_fact("turns per dialogue", NumberHistogram({10: 9}))
    '10 turns per dialogue throughout'
    """
    if spread.least == spread.most:
        return f"{spread.least:,} {name} throughout"
    return f"{spread.mean:.1f} {name} on average, from {spread.least:,} to {spread.most:,}"


def overlap_chart(known: Sequence[RankedWord]) -> BarChart:
    """The share of questions whose best answer is in each answer space."""
    first = max(known, key=lambda space: space.share)
    title = f"{first.word} has the best answer to {100 * first.share:.0f} % of the questions"
    return BarChart(title, tuple(known), full=1.0)


def _kind(part: ItemDescription, top: int) -> dict[str, Any]:
    """The section of one kind: a sentence, facts, and charts, each with a note in small type below its title."""
    counts = part.counts
    pictures = counted(len(counts.pictures), "picture")
    narrow = {name: spread for name, spread in counts.spreads.items() if spread.most - spread.least < FEW}
    return {
        "name": counts.kind.capitalize(),
        "sentence": f"{counted(counts.items, counts.kind.removesuffix('s'))} about {pictures}.",
        "facts": [number_fact(name, spread) for name, spread in narrow.items()],
        "charts": list(_charts(counts, narrow, top)),
    }


def _charts(counts: ItemTally, narrow: Container[str], top: int) -> Iterator[tuple[BarChart | Histogram, str]]:
    """The most frequent words, and the histograms of numbers that are not narrow; the title is the finding."""
    for name, ranking in counts.rankings.items():
        if ranking.distinct > 1:
            first = ranking.top(1)[0]
            title = f"“{first.word}” leads with {100 * first.share:.0f}\N{NO-BREAK SPACE}%"
            note = f"{ranking.distinct:,} distinct of {ranking.total:,}; effective number {ranking.effective:,.1f}"
            yield BarChart(f"{_first_up(name)}: {title}", ranking.top(top)), note
    for name, spread in counts.spreads.items():
        if name not in narrow:
            title = f"{_first_up(name)}: {spread.mean:.1f} on average"
            note = f"from {spread.least:,} to {spread.most:,}, median {spread.median:,}"
            yield Histogram(title, spread.bins()), note


def _first_up(name: str) -> str:
    return f"{name[:1].upper()}{name[1:]}"
