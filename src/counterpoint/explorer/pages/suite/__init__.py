"""The page of one suite: how it was made, what it contains, how it is balanced, and in which words."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from counterpoint.core.ids import hex_id
from counterpoint.explorer.confusions import ConfusionBlock, confusion_blocks
from counterpoint.explorer.group_filters import browse_address, group_address
from counterpoint.explorer.group_parts import thumbnail
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.views import ChartFigure, LinkChoice
from counterpoint.lab.reader import LabReader
from counterpoint.lab.source_items import QUESTIONS_MADE, questions_note
from counterpoint.lab.suite_probe import read_probe
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.metrics.data_statistics import RankedWord
from counterpoint.reports.charts.bars import SIDES, BarChart, WordChart, WordFrequency
from counterpoint.reports.templating import as_sentence
from counterpoint.store.outcomes.queries import gold_counts, kind_totals, suite_totals, word_counts
from counterpoint.store.outcomes.selection import GroupFilter


class SuiteFact(Struct, frozen=True):
    """Something that is known of a suite."""

    name: str
    value: str


class GroupExample(Struct, frozen=True):
    """One group of a kind: its picture, its texts and where it is."""

    address: str
    picture: str
    width: int
    height: int
    texts: tuple[str, ...]


class KindSummary(Struct, frozen=True):
    """The groups of a kind: how many, which answers are right how often, and some examples."""

    test: str
    kind: str
    groups: int
    queries: int
    answers: tuple[tuple[str, int], ...]
    others: int  # answers that are not listed
    examples: tuple[GroupExample, ...]
    address: str


class RejectedGroups(Struct, frozen=True):
    """Groups that were not kept, and why."""

    kind: str
    reason: str
    groups: int


@dataclass(frozen=True, slots=True)
class SuiteView(PageView):
    """What a suite contains."""

    suite: str = ""
    label: str = ""  # "answerable without the picture"
    facts: tuple[SuiteFact, ...] = ()
    kinds: tuple[KindSummary, ...] = ()
    rejected: tuple[RejectedGroups, ...] = ()
    charts: tuple[ChartFigure, ...] = ()
    models: tuple[LinkChoice, ...] = ()
    instead: tuple[ConfusionBlock, ...] = ()


ANSWERS, EXAMPLES, WORDS = 4, 3, 20
"""How many right answers and examples of each kind, and how many words, are shown."""


REJECTED = "dropped"
"""The parameter of a manifest that holds the rejected candidates by kind and reason."""


MOST = 40
"""How many kinds have examples; further ones are counted alone."""


def suite_view(reader: LabReader, request: PageRequest) -> SuiteView:
    """What one suite contains and how it was made."""
    suite = request.path["suite"]
    here = f"/suites/{quote(reader.require_suite(suite))}"
    words = suite_words(reader, suite)
    return SuiteView(
        title=suite,
        sentence=as_sentence(reader.suite_sentence(suite)) or "What this suite contains.",
        twin=f"{here}.json",
        above="/suites",
        suite=suite,
        label=probed.label if (probed := read_probe(reader.lab, suite)) else "",
        facts=_facts(reader, suite),
        kinds=reader.cached(("contents", suite), lambda: _kinds(reader, suite)),
        rejected=rejected_groups(reader.lab.manifest(suite).parameters),
        charts=(ChartFigure(suite_chart(reader, request), f"{here}.svg"),) if words else (),
        models=tuple(
            LinkChoice(model.name, f"{here}/models/{quote(model.slug)}")
            for model in reader.models()
            if reader.has_answers(suite, model.slug)
        ),
        instead=confusion_blocks(reader, suite),
    )


def suite_chart(reader: LabReader, request: PageRequest) -> BarChart | WordChart:
    """Draw the most frequent words of the suite; those of captions and foils side by side."""
    suite = request.path["suite"]
    words = suite_words(reader, reader.require_suite(suite))
    title = _chart_title(words, suite)
    if {word.side for word in words} <= {"texts"}:
        return BarChart(title, tuple(RankedWord(word.word, word.count, word.share) for word in words))
    return WordChart(title, words)


def suite_words(reader: LabReader, suite: str) -> tuple[WordFrequency, ...]:
    """Return the most frequent words of a suite; of captions and foils those whose shares differ most."""

    def count_words() -> tuple[WordFrequency, ...]:
        rows = word_counts(reader, suite)
        if any(row["ranks"] for row in rows):
            return _compare_sides([row for row in rows if row["ranks"]])
        counts = Counter[str]()
        for row in rows:
            counts[row["word"]] += row["count"]
        function_words = word_list("noise", "function") - word_list("noise", "telling")
        ranked = sorted((word for word in counts if word not in function_words), key=lambda word: (-counts[word], word))
        return tuple(WordFrequency("", "texts", w, counts[w] / counts.total(), counts[w]) for w in ranked[:WORDS])

    return reader.cached(("words", suite), count_words)


def _compare_sides(rows: Sequence[Mapping[str, Any]]) -> tuple[WordFrequency, ...]:
    captions, foils = ({row["word"]: row["count"] for row in rows if row["variant"] == side} for side in (False, True))
    totals = [max(sum(own.values()), 1) for own in (captions, foils)]

    def difference(word: str) -> float:
        return float(abs(captions.get(word, 0) / totals[0] - foils.get(word, 0) / totals[1]))

    first = sorted({*captions, *foils}, key=lambda word: (-difference(word), word))[:WORDS]
    return tuple(
        WordFrequency("", side, word, own.get(word, 0) / total, own.get(word, 0))
        for word in first
        for side, own, total in zip(SIDES, (captions, foils), totals, strict=True)
    )


def _chart_title(words: Sequence[WordFrequency], suite: str) -> str:
    if not words:
        return f"{suite} has no words"
    first = words[0].word
    if words[0].side == "texts":
        return f"“{first}” is the most frequent content word, {100 * words[0].share:.1f} % of all"
    shares = {word.side: 100 * word.share for word in words if word.word == first}
    return f"“{first}” differs most: {shares['captions']:.1f} % of words in captions, {shares['foils']:.1f} % in foils"


def _facts(reader: LabReader, suite: str) -> tuple[SuiteFact, ...]:
    manifest = reader.lab.manifest(suite)
    totals = suite_totals(reader, suite)
    parameters = {name: value for name, value in manifest.parameters.items() if name != REJECTED}
    if QUESTIONS_MADE in parameters:  # with the reasons for every candidate, too many to read
        parameters[QUESTIONS_MADE] = questions_note(parameters)
    facts = {
        "groups": f"{manifest.groups:,}",
        "queries": f"{manifest.rows:,}",
        "pictures": f"{totals['pictures']:,}",
        "relation": ", ".join(sorted(filter(None, totals["relations"]))),
        "made by": manifest.generator,
        **{_parameter_label(name): _as_text(value) for name, value in parameters.items()},
        "seed": str(manifest.seed),
        "answers compared by": manifest.rules,
        "version": f"{manifest.version}, made with {manifest.made_with}",
        "annotations": manifest.source,
        "fingerprint": manifest.fingerprint,
        "text alone": _probe_fact(reader, suite),
    }
    return tuple(SuiteFact(name, value) for name, value in facts.items() if value)


def _probe_fact(reader: LabReader, suite: str) -> str:
    """Return what the text-only probe found in each test; how to run it, where it was not."""
    probed = read_probe(reader.lab, suite)
    if probed is None:
        return f"not probed: counterpoint check {reader.lab.address} --suite {suite}"
    return ". ".join(probed.sentences())


def _parameter_label(name: str) -> str:
    """Return the label of a parameter; a requested number is told from the resulting one."""
    return f"{name} requested" if name in ("groups", "queries", "pictures") else name.replace("_", " ")


def _as_text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_as_text(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_as_text, value))
    return "" if value is None else str(value)


def rejected_groups(parameters: Mapping[str, Any]) -> tuple[RejectedGroups, ...]:
    """Return the rejected candidates of a manifest by kind and reason."""
    return tuple(
        RejectedGroups(kind, reason, count)
        for kind, reasons in parameters.get(REJECTED, {}).items()
        for reason, count in reasons.items()
    )


def _kinds(reader: LabReader, suite: str) -> tuple[KindSummary, ...]:
    answers, kinds = gold_counts(reader, suite), []
    for place, row in enumerate(kind_totals(reader, suite, EXAMPLES)):
        slice_ = {name: row[name] for name in ("test", "kind")}
        given = answers.get((row["test"], row["kind"]), [])
        spans = list(zip(row["first"], row["sizes"], strict=True)) if place < MOST else []
        kinds.append(
            KindSummary(
                **slice_,
                groups=row["groups"],
                queries=row["queries"],
                answers=tuple(given[:ANSWERS]),
                others=sum(count for _, count in given[ANSWERS:]),
                examples=tuple(_examples(reader, suite, spans)),
                address=browse_address(GroupFilter(suite=suite, **slice_)),
            )
        )
    return tuple(kinds)


def _examples(reader: LabReader, suite: str, spans: Sequence[tuple[int, int]]) -> Iterator[GroupExample]:
    columns = ["group_id", "query", "picture", "text", "width", "height"]
    rows = reader.rows_at(suite, [(place, min(size, 1)) for place, size in spans], columns).to_pylist() if spans else []
    for group_id, members in groupby(rows, key=lambda row: row["group_id"]):
        base, *variants = members
        picture, height = thumbnail(suite, base)
        texts = tuple(dict.fromkeys(row["text"] for row in (base, *variants)))
        yield GroupExample(group_address(suite, hex_id(group_id)), picture, 128, height, texts)
