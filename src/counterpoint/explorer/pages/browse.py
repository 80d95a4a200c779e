"""Find: the groups that fit a filter, in any suite and in the hands of any model, a page at a time."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from counterpoint.explorer import measures
from counterpoint.explorer.choices import STEPS, Filter
from counterpoint.explorer.facets import Facets, common_answers, common_tags, facets
from counterpoint.explorer.group_entries import entries
from counterpoint.explorer.reading import Reading
from counterpoint.explorer.selections import Found, Key, page, selection
from counterpoint.explorer.views import Choice, Option, Select
from counterpoint.explorer.views_find import Column, Find, Hit, Slider, Suggested, Typed
from counterpoint.metrics.verdicts import INCONSISTENT, VERDICTS
from counterpoint.store.outcomes.tables import sampled

PAGE = 25
"""How many groups a page lists."""

SENTENCE = (
    "Groups in the hands of each model. The number behind a choice is how many groups it would show; the score of a "
    "group is the mean over its pairs or answers, from 0 to 1."
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


def find(reading: Reading, query: Mapping[str, str]) -> Find:
    """The page as its address asks for it."""
    chosen = replace(Filter.read(query), find="1", of="")
    selection(reading, chosen)  # refuses what the lab does not have
    counted = facets(reading, chosen)
    after, before = Key.read(query.get("after", "")), Key.read(query.get("before", ""))
    listed = page(reading, chosen, PAGE + 1, after=after, before=before)
    shown, earlier, later = _shown(listed, after, before)
    if before and len(shown) < PAGE:  # the first page is never a part of one
        return find(reading, chosen.said())
    at = {"after": str(after)} if after else {"before": str(before)} if before else {}
    return Find(
        view="find",
        title="Find",
        sentence=SENTENCE,
        twin=chosen.found(".json", **at),
        before=chosen.found(before=str(shown[0].key)) if earlier else "",
        after=chosen.found(after=str(shown[-1].key)) if later else "",
        boxes=tuple(_boxes(reading, counted)),
        fields=tuple(_fields(reading, chosen)),
        measures=_measures(reading, chosen),
        slider=_slider(counted) if chosen.measure else None,
        hits=tuple(_hits(reading, shown, chosen)),
        found=counted.found(),
        here=chosen.found(),
        downloads=tuple(Choice(label, chosen.found(ending)) for ending, label in FORMS.items()),
        also=Choice(_also(reading, chosen), chosen.also, chosen=True) if chosen.also else None,
        filtered=bool(chosen.said().keys() - {"find"}),
    )


def _also(reading: Reading, chosen: Filter) -> str:
    model, verdict = chosen.other
    return f"and {reading.model(model).name}: {VERDICTS.get(verdict, verdict)}"


def _shown(listed: list[Found], after: Key | None, before: Key | None) -> tuple[list[Found], bool, bool]:
    """What a page has of one more than it holds, and whether there is anything before and after it."""
    more = len(listed) > PAGE
    if before and not after:
        return listed[-PAGE:], more, True
    return listed[:PAGE], bool(after and listed), more


def _boxes(reading: Reading, counted: Facets) -> Iterable[Select]:
    names = {"model": {model.slug: model.name for model in reading.models()}}
    names["verdict"] = {**VERDICTS, INCONSISTENT: INCONSISTENT}
    for facet, (label, every) in _BOXES.items():
        now = getattr(counted.chosen, facet)
        options = {value: count for value, count in counted.options(facet) if value}
        options.setdefault(now, 0) if now else None
        listed = (
            Option(value, names.get(facet, {}).get(value, value), value == now, n) for value, n in options.items()
        )
        yield Select(facet, label, (Option("", every, not now), *listed))


def _fields(reading: Reading, chosen: Filter) -> Iterable[Typed]:
    said, tags = common_answers(reading, chosen), common_tags(reading, chosen)
    yield Typed("text", "Text", chosen.text, "words in a question")
    yield Typed("answer", "Answer", chosen.answer, "a value said", tuple(Suggested(*one) for one in said))
    yield Typed("tag", "Tag", chosen.tag, "name=value", tuple(Suggested(*one) for one in tags))


def _measures(reading: Reading, chosen: Filter) -> Select:
    known = [metric.name for metric in sampled() if metric.name in reading.scored_measures()]
    options = (Option(name, measures.label(name), name == chosen.measure) for name in known)
    return Select("measure", "Score by", (Option("", "no measure", not chosen.measure), *options))


def _slider(counted: Facets) -> Slider:
    low, high = counted.chosen.steps
    spread = counted.spread()
    tallest = max(spread) or 1
    columns = (Column(step / STEPS, count, count / tallest, low <= step <= high) for step, count in enumerate(spread))
    return Slider(counted.chosen.measure, low / STEPS, high / STEPS, 1 / STEPS, tuple(columns))


def _hits(reading: Reading, found: list[Found], chosen: Filter) -> Iterable[Hit]:
    names = {model.slug: model.name for model in reading.models()}
    for one, entry in zip(found, entries(reading, found, chosen), strict=True):
        yield Hit(entry, names.get(one.model, ""), one.suite, one.score)
