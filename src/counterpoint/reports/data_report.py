"""The description of a data set as one HTML file with tables and charts, in the look of the report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from counterpoint._version import __version__
from counterpoint.metrics.data_statistics import DataSetCounts, NumberHistogram, RankedWord, WordFrequencies
from counterpoint.reports.charts.bars import BarChart, Histogram
from counterpoint.reports.templating import counted, environment, style
from counterpoint.sources.file_checks import format_size
from counterpoint.studies.dataset_description import DatasetDescription, ItemDescription

FEW = 3
"""Numbers that differ by less than this are said in a sentence, and need no chart."""


@dataclass(frozen=True, slots=True)
class ChartWithNote:
    """A chart, and a note in small type below its title."""

    chart: BarChart | Histogram
    note: str


@dataclass(frozen=True, slots=True)
class KindSection:
    """What the page says of the items of one kind."""

    name: str
    sentence: str
    facts: tuple[str, ...]  # numbers that need no chart
    figures: tuple[ChartWithNote, ...]
    part: ItemDescription


def render_data_report(found: DatasetDescription, top: int = 10) -> str:
    """The whole page."""
    answerable = _answerable(found)
    templates = environment()
    templates.filters["bytes"] = format_size
    return templates.get_template("data_report.html").render(
        found=found,
        name=f"{found.title}, {found.split}",
        about=f"{counted(found.items, 'item')} · {counted(found.pictures.distinct, 'picture')}",
        version=__version__,
        style=style(),
        sentence=describe_split(found),
        kinds=[_kind(part, top) for part in found.parts if part.counts.items],
        overlap=overlap_chart(answerable) if answerable else None,
    )


def describe_split(found: DatasetDescription) -> str:
    """What was read, in one sentence."""
    parts = [counted(part.counts.items, part.counts.kind.removesuffix("s")) for part in found.parts]
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]])) or "nothing"
    sampled = found.request.limit is not None and not found.pictures.drawn
    limit = f", at most {found.request.limit:,} of each kind" if sampled else ""
    return f"The {found.split} split of {found.title}: {listed} about {_pictures(found)}{limit}."


def _pictures(found: DatasetDescription) -> str:
    pictures = found.pictures
    said = counted(pictures.distinct, "picture")
    if pictures.drawn:
        return f"{said}, which are drawn when they are shown"
    if pictures.there is None:
        return f"{said}, whose folder is missing"
    return f"{said}, of which {pictures.there:,} are there"


def word_chart(name: str, ranking: WordFrequencies, top: int) -> ChartWithNote:
    """The most frequent words; the title says which leads, the note how hard they are to guess."""
    first = ranking.top(1)[0]
    note = (
        f"{ranking.distinct:,} different among {ranking.total:,}, as hard to guess as {ranking.effective:,.1f} equals"
    )
    title = f"{_first_up(name)}: “{first.word}” leads with {100 * first.share:.0f}\N{NO-BREAK SPACE}%"
    return ChartWithNote(BarChart(title, ranking.top(top)), note)


def number_chart(name: str, spread: NumberHistogram) -> ChartWithNote:
    """How often each number came; the title says what it is on average."""
    title = f"{_first_up(name)}: {spread.mean:.1f} on average"
    note = f"from {spread.least:,} to {spread.most:,}, median {spread.median:,}"
    return ChartWithNote(Histogram(title, spread.bins()), note)


def number_fact(name: str, spread: NumberHistogram) -> str:
    """What numbers are like, in a sentence.

    >>> spread_fact("words per answer", Spread({1: 1, 2: 1})), spread_fact("turns per dialogue", Spread({10: 9}))
    ('1.5 words per answer on average, from 1 to 2', '10 turns per dialogue throughout')
    """
    if spread.least == spread.most:
        return f"{spread.least:,} {name} throughout"
    return f"{spread.mean:.1f} {name} on average, from {spread.least:,} to {spread.most:,}"


def overlap_chart(known: Sequence[RankedWord]) -> BarChart:
    """Of how many questions the best answer is in each of some answer spaces."""
    first = max(known, key=lambda one: one.share)
    title = f"{first.word} has the best answer to {100 * first.share:.0f} % of the questions"
    return BarChart(title, tuple(known), full=1.0)


def _answerable(found: DatasetDescription) -> list[RankedWord]:
    return [RankedWord(one.name, one.shared, one.covered) for one in found.overlaps if one.covered is not None]


def _kind(part: ItemDescription, top: int) -> KindSection:
    counts = part.counts
    pictures = counted(len(counts.pictures), "picture")
    return KindSection(
        counts.kind.capitalize(),
        f"{counted(counts.items, counts.kind.removesuffix('s'))} about {pictures}.",
        tuple(number_fact(name, one) for name, one in counts.spreads.items() if _plain(one)),
        tuple(_figures(counts, top)),
        part,
    )


def _plain(spread: NumberHistogram) -> bool:
    return spread.most - spread.least < FEW


def _figures(counts: DataSetCounts, top: int) -> Iterator[ChartWithNote]:
    for name, ranking in counts.rankings.items():
        if ranking.distinct > 1:
            yield word_chart(name, ranking, top)
    for name, spread in counts.spreads.items():
        if not _plain(spread):
            yield number_chart(name, spread)


def _first_up(name: str) -> str:
    return f"{name[:1].upper()}{name[1:]}"
