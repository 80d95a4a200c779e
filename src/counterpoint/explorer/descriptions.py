"""The description of a data set as one HTML file with tables and charts, in the look of the report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from counterpoint._version import __version__
from counterpoint.explorer.charts import Spec
from counterpoint.explorer.counts import bars, columns
from counterpoint.explorer.pages import counted, environment
from counterpoint.explorer.reports import Drawn, drawn
from counterpoint.metrics.descriptions import Counts, Ranked, Ranking, Spread
from counterpoint.sources.checking import spoken_size
from counterpoint.studies.describing import Description, Part

FEW = 3
"""Numbers that differ by less than this are said in a sentence, and need no chart."""


@dataclass(frozen=True, slots=True)
class KindPart:
    """What the page says of the items of one kind."""

    name: str
    sentence: str
    facts: tuple[str, ...]  # numbers that need no chart
    charts: tuple[Drawn, ...]
    part: Part


def page(found: Description, top: int = 10) -> str:
    """The whole page."""
    style = files("counterpoint.explorer").joinpath("static/style.css").read_text("utf-8")
    answerable = _answerable(found)
    templates = environment()
    templates.filters["bytes"] = spoken_size
    return templates.get_template("description.html").render(
        found=found,
        name=f"{found.title}, {found.split}",
        about=f"{counted(found.items, 'item')} · {counted(found.pictures.distinct, 'picture')}",
        version=__version__,
        style=style,
        sentence=sentence(found),
        kinds=[_kind(part, top) for part in found.parts if part.counts.items],
        overlap=drawn(overlap_chart(answerable)) if answerable else None,
    )


def sentence(found: Description) -> str:
    """What was read, in one sentence."""
    parts = [counted(part.counts.items, part.counts.kind.removesuffix("s")) for part in found.parts]
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]])) or "nothing"
    sampled = found.request.limit is not None and not found.pictures.drawn
    limit = f", at most {found.request.limit:,} of each kind" if sampled else ""
    return f"The {found.split} split of {found.title}: {listed} about {_pictures(found)}{limit}."


def _pictures(found: Description) -> str:
    pictures = found.pictures
    said = counted(pictures.distinct, "picture")
    if pictures.drawn:
        return f"{said}, which are drawn when they are shown"
    if pictures.there is None:
        return f"{said}, whose folder is missing"
    return f"{said}, of which {pictures.there:,} are there"


def ranking_title(name: str, ranking: Ranking) -> str:
    """What a ranking shows, in a sentence.

    >>> ranking_title("answers", Ranking({"yes": 3, "no": 1}))
    '“yes” is 75 % of 4 answers; 2 are different, as hard to guess as 1.8 equally frequent'
    """
    first = ranking.top(1)[0]
    return (
        f"“{first.word}” is {100 * first.share:.0f} % of {ranking.total:,} {name}; {ranking.distinct:,} are different, "
        f"as hard to guess as {ranking.effective:,.1f} equally frequent"
    )


def spread_title(name: str, spread: Spread) -> str:
    """What numbers are like, in a sentence.

    >>> spread_title("words per question", Spread({4: 1, 8: 1})), spread_title("turns per dialogue", Spread({10: 9}))
    ('6.0 words per question on average, from 4 to 8', '10 turns per dialogue throughout')
    """
    if spread.least == spread.most:
        return f"{spread.least:,} {name} throughout"
    return f"{spread.mean:.1f} {name} on average, from {spread.least:,} to {spread.most:,}"


def overlap_chart(known: Sequence[Ranked]) -> Spec:
    """Of how many questions the best answer is in each of some answer spaces."""
    first = max(known, key=lambda one: one.share)
    title = f"{first.word} has the best answer to {100 * first.share:.0f} % of the questions"
    return bars(known, title=title + ", more than any other" * (len(known) > 1), width=220)


def _answerable(found: Description) -> list[Ranked]:
    return [Ranked(one.name, one.shared, one.covered) for one in found.overlaps if one.covered is not None]


def _kind(part: Part, top: int) -> KindPart:
    counts = part.counts
    pictures = counted(len(counts.pictures), "picture")
    return KindPart(
        counts.kind.capitalize(),
        f"{counted(counts.items, counts.kind.removesuffix('s'))} about {pictures}.",
        tuple(spread_title(name, one) for name, one in counts.spreads.items() if _plain(one)),
        tuple(drawn(spec) for spec in _charts(counts, top)),
        part,
    )


def _plain(spread: Spread) -> bool:
    return spread.most - spread.least < FEW


def _charts(counts: Counts, top: int) -> Iterator[Spec]:
    for name, ranking in counts.rankings.items():
        if ranking.distinct > 1:
            yield bars(ranking.top(top), title=ranking_title(name, ranking))
    for name, spread in counts.spreads.items():
        if not _plain(spread):
            yield columns(spread.bins(), title=spread_title(name, spread), unit=name)
