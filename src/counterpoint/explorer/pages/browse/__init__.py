"""Browse: the groups that fit a filter, one row per group with the verdicts of all models, a page at a time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from msgspec import Struct

from counterpoint import catalog
from counterpoint.core.quantities import counted
from counterpoint.explorer.group_filters import (
    LONGEST_PARAMETER,
    PICTURES,
    browse_address,
    filter_parameters,
    read_filter,
)
from counterpoint.explorer.group_parts import GroupEntry, group_entries
from counterpoint.explorer.page import ListPage, PageRequest, PageView
from counterpoint.explorer.pages.browse.saving import slice_fields, slice_links
from counterpoint.explorer.views import LinkChoice, SelectBox, SelectOption
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.verdicts import CHOICES, FAILING, PASSING, VERDICTS
from counterpoint.reports.templating import shorten_middle
from counterpoint.store.outcomes.selection import (
    FACETS,
    STEPS,
    Facets,
    GroupFilter,
    GroupMatch,
    VerdictMark,
    common_answers,
    common_tags,
    count_facets,
    count_models,
    count_notes,
    list_groups,
    ranked_models,
    select,
    verdict_marks,
)


class StripSquare(Struct, frozen=True):
    """The square of one model in the strip of a group; `mark` is one of MARKS."""

    model: str
    mark: str
    verdict: str
    chosen: bool = False


class BrowseHit(Struct, frozen=True):
    """A group that fits, with the score by the chosen metric and the verdicts of all models, best first."""

    entry: GroupEntry
    suite: str
    score: float | None
    strip: tuple[StripSquare, ...]
    tally: str


class FacetValue(Struct, frozen=True):
    """A value of a facet with the number of groups that it would show, and its share of the largest number."""

    label: str
    address: str
    count: int
    share: float
    chosen: bool = False


class FacetView(Struct, frozen=True):
    """A facet with its most frequent values; `more` are the next ones."""

    name: str
    label: str
    values: tuple[FacetValue, ...]
    more: tuple[FacetValue, ...] = ()


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

    model: str = ""
    models: SelectBox | None = None
    metrics: tuple[SelectBox, ...] = ()  # those that pages show of the chosen suites, then the others
    fields: tuple[TextField, ...] = ()
    slider: ScoreSlider | None = None
    kept: tuple[tuple[str, str], ...] = ()  # what the address says beside the fields of the form
    facets: tuple[FacetView, ...] = ()
    chosen: tuple[LinkChoice, ...] = ()  # each leads to the list without it
    orders: tuple[LinkChoice, ...] = ()
    views: tuple[LinkChoice, ...] = ()
    hits: tuple[BrowseHit, ...] = ()
    found: int = 0
    first: int = 0
    last: int = 0
    here: str = ""
    downloads: tuple[LinkChoice, ...] = ()
    slices: tuple[LinkChoice, ...] = ()  # that were saved
    savable: tuple[tuple[str, str], ...] = ()  # what the filter says about groups
    grid: bool = False
    paired: bool = False  # some group has another picture for a variant


PAGE = 24
"""How many groups a page lists."""

SENTENCE = (
    "One row per group with a square for every model, the best of the lab first. A number beside a choice is how many "
    "groups it would show."
)

MARKS = {"p": "passes", "h": "right in part", "f": "fails", "r": "refused", "n": "no answer"}
"""The marks of the squares; those that are right in part and those that refused fail."""

FORMS = {".csv": "CSV", ".jsonl": "JSON lines", ".parquet": "Parquet"}
"""The endings under which the rows can be downloaded."""

LABELS = {
    "verdict": "Verdict",
    "suite": "Suite",
    "test": "Test",
    "kind": "Kind",
    "relation": "Relation",
    "gold": "Gold",
}
"""The facets in the order in which they are shown, with their labels."""

ORDER_LABELS = {"": "most models fail", "disagreement": "where they disagree", "suite": "suite by suite"}
"""The orders of the list, with their labels."""

SHOWN, MORE = 7, 40
"""Values of a facet that are listed, and those that are folded below them."""

LONGEST = 48
"""Characters of a model's name in the tip of a square, of which a page has many."""

LONGEST_NOTE = 80
"""Characters of a note by which the facet calls it; the filter takes any part of a note."""

_CONTROLS = ("model", "text", "answer", "tag", "metric", "low", "high")  # of the form
_EDIT = "edit="


def browse_view(reader: LabReader, request: PageRequest) -> BrowseView:
    """The groups that fit a filter, each with the verdicts of all models, a page at a time."""
    query = request.values
    chosen = replace(read_filter(query), browse="1")
    select(reader, chosen)  # refuses names that the lab does not have
    facets = count_facets(reader, chosen)
    page = ListPage.read(query.get("page", ""), PAGE, facets.matches())
    matches = list_groups(reader, chosen, PAGE, offset=page.offset)
    tags, hits = common_tags(reader, chosen), tuple(_hits(reader, matches, chosen))

    def address(number: int, ending: str = "") -> str:
        return browse_address(chosen, ending, page=str(number) if number > 1 else "")

    return BrowseView(
        title="Browse",
        sentence=SENTENCE,
        twin=address(page.number, ".json"),
        model=reader.model(chosen.model).name if chosen.model else "",
        models=_model_box(reader, chosen),
        metrics=tuple(_metric_boxes(reader, chosen)),
        fields=tuple(_fields(reader, chosen, tags)),
        slider=_slider(facets) if chosen.metric else None,
        kept=tuple((name, value) for name, value in _parameters(chosen).items() if name not in _CONTROLS),
        facets=tuple(_facets(facets, tags, count_notes(reader, chosen, LONGEST_NOTE))),
        chosen=tuple(_removals(reader, chosen)),
        orders=tuple(
            LinkChoice(label, browse_address(chosen, order=name), name == chosen.order)
            for name, label in ORDER_LABELS.items()
        ),
        views=tuple(
            LinkChoice(label, browse_address(chosen, view=name), name == chosen.view)
            for name, label in (("", "list"), (PICTURES, "pictures"))
        ),
        hits=hits,
        **page.fields(address),
        here=browse_address(chosen),
        downloads=tuple(LinkChoice(label, browse_address(chosen, ending)) for ending, label in FORMS.items()),
        slices=slice_links(reader, chosen),
        savable=tuple(slice_fields(chosen).items()),
        grid=chosen.view == PICTURES,
        paired=any(hit.entry.second for hit in hits),
    )


def _parameters(chosen: GroupFilter) -> dict[str, str]:
    return {name: value for name, value in filter_parameters(chosen).items() if name != "browse"}


def _model_box(reader: LabReader, chosen: GroupFilter) -> SelectBox:
    counts = count_models(reader, chosen)
    options = (SelectOption(m.slug, m.name, m.slug == chosen.model, counts.get(m.slug, 0)) for m in reader.models())
    return SelectBox("model", "Model", (SelectOption("", "any model", not chosen.model), *options))


def _fields(reader: LabReader, chosen: GroupFilter, tags: Sequence[tuple[str, int]]) -> Iterator[TextField]:
    answers = common_answers(reader, chosen, 20)
    yield TextField("text", "Text", chosen.text, "words in a question")
    yield TextField("answer", "Answer", chosen.answer, "a value", tuple(Suggestion(*answer) for answer in answers))
    yield TextField("tag", "Tag", chosen.tag, "name=value", tuple(Suggestion(*tag) for tag in tags))


def _metric_boxes(reader: LabReader, chosen: GroupFilter) -> Iterator[SelectBox]:
    """Yield the metrics that a group can have a score by, each with the papers' term for it, in two boxes."""
    suites = [chosen.suite] if chosen.suite else reader.suites()
    applicable = {name for suite in suites for name in reader.applicable_metrics(suite)}
    shown = {name for suite in suites for name in reader.displayed_metrics(suite)}
    known = [name for name in reader.group_metrics() if name in applicable or name == chosen.metric]
    for label, names in (
        ("shown in tables", [name for name in known if name in shown]),
        ("others", [name for name in known if name not in shown]),
    ):
        metrics = [catalog.metric(name) for name in names]
        titles = [f"{metric.title} ({metric.term})" if metric.term else metric.title for metric in metrics]
        yield SelectBox.of("metric", label, zip(names, titles, strict=True), chosen.metric)


def _slider(facets: Facets) -> ScoreSlider:
    low, high = facets.chosen.steps
    histogram = facets.histogram()
    tallest = max(histogram) or 1
    columns = (
        HistogramColumn(step / STEPS, count, count / tallest, low <= step <= high)
        for step, count in enumerate(histogram)
    )
    return ScoreSlider(facets.chosen.metric, low / STEPS, high / STEPS, 1 / STEPS, tuple(columns))


def _facets(facets: Facets, tags: Sequence[tuple[str, int]], notes: Sequence[tuple[str, int]]) -> Iterator[FacetView]:
    """Yield the facets that have a choice."""
    chosen = facets.chosen
    options = {facet: [(value, n) for value, n in facets.options(facet) if value] for facet in FACETS}
    if dict(options["test"]) == dict(options["suite"]):  # each suite is one test of its name
        options["test"] = []
    for name, label in LABELS.items():
        yield from _facet(chosen, name, label, options[name], CHOICES if name == "verdict" else {})
    edits = [(tag, count) for tag, count in tags if tag.startswith(_EDIT)]
    others = [(tag, count) for tag, count in tags if not tag.startswith(_EDIT) and (count > 1 or tag == chosen.tag)]
    yield from _facet(chosen, "tag", "Edit", edits, {tag: tag.removeprefix(_EDIT) for tag, _ in edits})
    yield from _facet(chosen, "tag", "Tag", others, {tag: tag.replace("=", " ", 1) for tag, _ in others})
    yield from _facet(chosen, "note", "Note", notes, {}, least=1)


def _facet(
    chosen: GroupFilter,
    name: str,
    label: str,
    options: Sequence[tuple[str, int]],
    labels: Mapping[str, str],
    *,
    least: int = 2,
) -> Iterator[FacetView]:
    now = getattr(chosen, name)
    options = [option for option in options if len(option[0]) <= LONGEST_PARAMETER]
    if len(options) < least and now not in dict(options):
        return
    ordered = options if name == "verdict" else sorted(options, key=lambda option: (option[0] != now, -option[1]))
    largest = max((count for _, count in options), default=1)
    values = tuple(
        FacetValue(
            labels.get(value, value),
            browse_address(chosen, **{name: "" if value == now else value}),
            count,
            count / largest,
            value == now,
        )
        for value, count in ordered[: SHOWN + MORE]
    )
    shown = len(values) if name == "verdict" else SHOWN
    yield FacetView(name, label, values[:shown], values[shown:])


def _removals(reader: LabReader, chosen: GroupFilter) -> Iterator[LinkChoice]:
    """Yield what is chosen, each with the address of the list without it."""
    texts = {
        **_parameters(replace(chosen, order="", view="", low="", high="")),
        "model": reader.model(chosen.model).name if chosen.model else "",
        "verdict": CHOICES.get(chosen.verdict, ""),
        "metric": catalog.metric(chosen.metric).title if chosen.metric else "",
    }
    other, verdict = chosen.other
    texts["also"] = f"{reader.model(other).name}: {CHOICES[verdict]}" if other else ""
    for name, text in texts.items():
        if text:
            bounds = {"low": "", "high": ""} if name == "metric" else {}
            yield LinkChoice(text, browse_address(chosen, **{name: "", **bounds}), chosen=True)


def _hits(reader: LabReader, matches: list[GroupMatch], chosen: GroupFilter) -> Iterable[BrowseHit]:
    names = {model.slug: shorten_middle(model.name, LONGEST) for model in reader.models()}
    marks = verdict_marks(reader, [match.number for match in matches])
    ranked = ranked_models(reader)
    for match, entry in zip(matches, group_entries(reader, matches, chosen), strict=True):
        given = {mark.model: mark for mark in marks[match.number]}
        strip = tuple(_square(names[slug], given.get(slug), chosen=slug == chosen.model) for slug in ranked)
        yield BrowseHit(entry, match.suite, match.score, strip, _tally(given.values(), len(ranked)))


def _square(model: str, mark: VerdictMark | None, *, chosen: bool) -> StripSquare:
    if mark is None:
        return StripSquare(model, "n", VERDICTS["unanswered"], chosen)
    if mark.verdict in PASSING:
        return StripSquare(model, "p", VERDICTS[mark.verdict], chosen)
    letter = "r" if mark.refused else "h" if mark.verdict in ("broken", "gained") else "f"
    return StripSquare(model, letter, f"{VERDICTS[mark.verdict]}{', refused' * mark.refused}", chosen)


def _tally(marks: Iterable[VerdictMark], models: int) -> str:
    """Return how many models pass a group and how many fail it."""
    marks = list(marks)
    passing = sum(mark.verdict in PASSING for mark in marks)
    failing = [mark for mark in marks if mark.verdict in FAILING]
    refused = sum(mark.refused for mark in failing)
    silent = models - len(marks)
    parts = [
        f"{counted(passing, 'model')} pass{'es' * (passing == 1)}",
        f"{len(failing)} fail{'s' * (len(failing) == 1)}",
    ]
    parts[1] += f" ({refused} refused)" if refused else ""
    return " · ".join([*parts, *([f"{silent} without an answer"] if silent else [])]) if models else ""
