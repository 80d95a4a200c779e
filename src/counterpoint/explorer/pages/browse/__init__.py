"""Browse: the groups that fit a filter, of any suite and model, a page at a time."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from msgspec import Struct

from counterpoint import catalog
from counterpoint.explorer.group_filters import (
    browse_address,
    filter_parameters,
    read_filter,
)
from counterpoint.explorer.group_parts import GroupEntry, group_entries
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.views import LinkChoice, SelectBox, SelectOption
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.verdicts import INCONSISTENT, VERDICTS
from counterpoint.store.outcomes.selection import (
    STEPS,
    Facets,
    GroupFilter,
    GroupKey,
    GroupMatch,
    common_answers,
    common_tags,
    count_facets,
    list_groups,
    select,
)


class BrowseHit(Struct, frozen=True):
    """A group that fits, in the hands of a model, with its score by the chosen metric."""

    entry: GroupEntry
    model: str
    suite: str
    score: float | None


class Suggestion(Struct, frozen=True):
    """Something that could be typed, and how often it is there."""

    value: str
    count: int


class TextField(Struct, frozen=True):
    """A field for words, with what could be typed into it."""

    name: str
    label: str
    value: str
    hint: str
    suggested: tuple[Suggestion, ...] = ()


class HistogramColumn(Struct, frozen=True):
    """How many groups have a score from one step to the next; `tall` is the share of the tallest column."""

    low: float
    count: int
    tall: float
    inside: bool


class ScoreSlider(Struct, frozen=True):
    """The bounds of the score by the chosen metric, above the counts of all scores."""

    metric: str
    low: float
    high: float
    step: float
    columns: tuple[HistogramColumn, ...]


@dataclass(frozen=True, slots=True)
class BrowseView(PageView):
    """The groups that fit a filter."""

    boxes: tuple[SelectBox, ...] = ()
    fields: tuple[TextField, ...] = ()
    metrics: SelectBox | None = None
    slider: ScoreSlider | None = None
    hits: tuple[BrowseHit, ...] = ()
    found: int = 0
    here: str = ""
    downloads: tuple[LinkChoice, ...] = ()
    also: LinkChoice | None = None  # the verdict of another model, as the address says it
    filtered: bool = False


PAGE = 25
"""How many groups a page lists."""

SENTENCE = (
    "Groups and the answers of each model to them. The number behind a choice is how many groups it would show; the "
    "score of a group is the mean over its pairs or answers, from 0 to 1."
)

FORMS = {".csv": "CSV", ".jsonl": "JSON lines", ".parquet": "Parquet"}
"""The endings under which the rows can be downloaded."""

_BOXES = {
    "model": ("Model", "any model"),
    "suite": ("Suite", "all suites"),
    "test": ("Test", "all tests"),
    "kind": ("Kind", "all kinds"),
    "relation": ("Relation", "any relation"),
    "verdict": ("Verdict", "any verdict"),
}


def browse_view(reader: LabReader, request: PageRequest) -> BrowseView:
    """The groups that fit a filter, for any model and suite, a page at a time."""
    query = request.values
    chosen = replace(read_filter(query), browse="1", focus="")
    select(reader, chosen)  # refuses names that the lab does not have
    facets = count_facets(reader, chosen)
    after, before = GroupKey.parse(query.get("after", "")), GroupKey.parse(query.get("before", ""))
    listed = list_groups(reader, chosen, PAGE + 1, after=after, before=before)
    has_more, is_back = len(listed) > PAGE, bool(before and not after)
    matches = listed[-PAGE:] if is_back else listed[:PAGE]
    has_earlier, has_later = (has_more, True) if is_back else (bool(after and listed), has_more)
    if before and len(matches) < PAGE:  # the first page is always full
        return browse_view(reader, PageRequest({}, tuple(filter_parameters(chosen).items())))
    other, verdict = chosen.other
    at = {"after": str(after)} if after else {"before": str(before)} if before else {}
    return BrowseView(
        title="Browse",
        sentence=SENTENCE,
        twin=browse_address(chosen, ".json", **at),
        before=browse_address(chosen, before=str(matches[0].key)) if has_earlier else "",
        after=browse_address(chosen, after=str(matches[-1].key)) if has_later else "",
        boxes=tuple(_boxes(reader, facets)),
        fields=tuple(_fields(reader, chosen)),
        metrics=_metric_box(reader, chosen),
        slider=_slider(facets) if chosen.metric else None,
        hits=tuple(_hits(reader, matches, chosen)),
        found=facets.matches(),
        here=browse_address(chosen),
        downloads=tuple(LinkChoice(label, browse_address(chosen, ending)) for ending, label in FORMS.items()),
        also=LinkChoice(f"and {reader.model(other).name}: {VERDICTS.get(verdict, verdict)}", chosen.also, chosen=True)
        if chosen.also
        else None,
        filtered=bool(filter_parameters(chosen).keys() - {"browse"}),
    )


def _boxes(reader: LabReader, facets: Facets) -> Iterable[SelectBox]:
    names = {"model": {model.slug: model.name for model in reader.models()}}
    names["verdict"] = {**VERDICTS, INCONSISTENT: INCONSISTENT}
    for facet, (label, any_value) in _BOXES.items():
        current = getattr(facets.chosen, facet)
        options = {value: count for value, count in facets.options(facet) if value}
        if current:
            options.setdefault(current, 0)
        listed = (
            SelectOption(value, names.get(facet, {}).get(value, value), value == current, n)
            for value, n in options.items()
        )
        yield SelectBox(facet, label, (SelectOption("", any_value, not current), *listed))


def _fields(reader: LabReader, chosen: GroupFilter) -> Iterable[TextField]:
    answers, tags = common_answers(reader, chosen), common_tags(reader, chosen)
    yield TextField("text", "Text", chosen.text, "part of a question")
    yield TextField("answer", "Answer", chosen.answer, "a value", tuple(Suggestion(*answer) for answer in answers))
    yield TextField("tag", "Tag", chosen.tag, "name=value", tuple(Suggestion(*tag) for tag in tags))


def _metric_box(reader: LabReader, chosen: GroupFilter) -> SelectBox:
    known = [name for name in reader.group_metrics() if name in reader.scored_metrics()]
    options = (SelectOption(name, catalog.metric(name).title, name == chosen.metric) for name in known)
    return SelectBox("metric", "Score by", (SelectOption("", "no metric", not chosen.metric), *options))


def _slider(facets: Facets) -> ScoreSlider:
    low, high = facets.chosen.steps
    histogram = facets.histogram()
    tallest = max(histogram) or 1
    columns = (
        HistogramColumn(step / STEPS, count, count / tallest, low <= step <= high)
        for step, count in enumerate(histogram)
    )
    return ScoreSlider(facets.chosen.metric, low / STEPS, high / STEPS, 1 / STEPS, tuple(columns))


def _hits(reader: LabReader, matches: list[GroupMatch], chosen: GroupFilter) -> Iterable[BrowseHit]:
    names = {model.slug: model.name for model in reader.models()}
    for match, entry in zip(matches, group_entries(reader, matches, chosen), strict=True):
        yield BrowseHit(entry, names.get(match.model, ""), match.suite, match.score)
