"""The page of one suite: how it was made, what it contains, how it is balanced, and in which words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from counterpoint.core.ids import hex_id
from counterpoint.explorer.group_filters import group_address
from counterpoint.explorer.group_parts import thumbnail
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.views import ChartFigure, LinkChoice
from counterpoint.lab.reader import LabReader
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.metrics.data_statistics import RankedWord
from counterpoint.reports.charts.bars import SIDES, BarChart, WordChart, WordFrequency
from counterpoint.store.outcomes.queries import gold_counts, kind_totals, suite_totals, word_counts


@dataclass(frozen=True, slots=True)
class SuiteFact:
    """Something that is known of a suite."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class GroupExample:
    """One group of a kind: its picture, its texts and where it is."""

    address: str
    picture: str
    width: int
    height: int
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KindSummary:
    """The groups of a kind: how many, which answers are right how often, and some examples."""

    test: str
    kind: str
    groups: int
    queries: int
    answers: tuple[tuple[str, int], ...]
    others: int  # answers that are not listed
    examples: tuple[GroupExample, ...]
    address: str


@dataclass(frozen=True, slots=True)
class RejectedGroups:
    """Groups that were not kept, and why."""

    kind: str
    reason: str
    groups: int


@dataclass(frozen=True, slots=True)
class SuiteView(PageView):
    """What a suite contains."""

    suite: str = ""
    facts: tuple[SuiteFact, ...] = ()
    kinds: tuple[KindSummary, ...] = ()
    rejected: tuple[RejectedGroups, ...] = ()
    charts: tuple[ChartFigure, ...] = ()
    models: tuple[LinkChoice, ...] = ()


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
    sentence = reader.suite_sentence(suite)
    words = suite_words(reader, suite)
    return SuiteView(
        title=suite,
        sentence=f"{sentence[:1].upper()}{sentence[1:].rstrip('.')}." if sentence else "What this suite contains.",
        twin=f"{here}.json",
        above="/suites",
        suite=suite,
        facts=_facts(reader, suite),
        kinds=reader.cached(("contents", suite), lambda: _kinds(reader, suite)),
        rejected=rejected_groups(reader.lab.manifest(suite).parameters),
        charts=(ChartFigure(suite_chart(reader, request), f"{here}.svg"),) if words else (),
        models=tuple(
            LinkChoice(model.name, f"{here}/models/{quote(model.slug)}")
            for model in reader.models()
            if reader.has_answers(suite, model.slug)
        ),
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
    return reader.cached(("words", suite), lambda: _count_words(reader, suite))


def _count_words(reader: LabReader, suite: str) -> tuple[WordFrequency, ...]:
    rows = word_counts(reader, suite)
    if any(row["ranks"] for row in rows):
        return _compare_sides([row for row in rows if row["ranks"]])
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["word"]] = counts.get(row["word"], 0) + row["count"]
    total = sum(counts.values())
    function_words = word_list("noise", "function") - word_list("noise", "telling")
    content = {word: count for word, count in counts.items() if word not in function_words}
    first = sorted(content, key=lambda word: (-content[word], word))[:WORDS]
    return tuple(WordFrequency("", "texts", word, content[word] / total, content[word]) for word in first)


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
    }
    return tuple(SuiteFact(name, value) for name, value in facts.items() if value)


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
    answers = gold_counts(reader, suite)
    return tuple(
        _kind(reader, suite, row, answers.get((row["test"], row["kind"]), []), shown=place < MOST)
        for place, row in enumerate(kind_totals(reader, suite, EXAMPLES))
    )


def _kind(
    reader: LabReader, suite: str, row: Mapping[str, Any], answers: Sequence[tuple[str, int]], *, shown: bool
) -> KindSummary:
    parameters = {name: row[name] for name in ("test", "kind") if row[name]}
    spans = list(zip(row["first"], row["sizes"], strict=True)) if shown else []
    return KindSummary(
        row["test"],
        row["kind"],
        row["groups"],
        row["queries"],
        tuple(answers[:ANSWERS]),
        sum(count for _, count in answers[ANSWERS:]),
        tuple(_examples(reader, suite, spans)),
        f"/browse?{urlencode({'suite': suite, **parameters})}",
    )


def _examples(reader: LabReader, suite: str, spans: Sequence[tuple[int, int]]) -> list[GroupExample]:
    if not spans:
        return []
    columns = ["group_id", "query", "picture", "text", "width", "height"]
    groups: dict[int, list[Mapping[str, Any]]] = {}
    for row in reader.rows_at(suite, [(place, min(size, 1)) for place, size in spans], columns).to_pylist():
        groups.setdefault(row["group_id"], []).append(row)
    return [_example(suite, rows) for rows in groups.values()]


def _example(suite: str, rows: Sequence[Mapping[str, Any]]) -> GroupExample:
    picture, height = thumbnail(suite, rows[0])
    texts = tuple(dict.fromkeys(row["text"] for row in rows))
    return GroupExample(group_address(suite, hex_id(rows[0]["group_id"])), picture, 128, height, texts)
