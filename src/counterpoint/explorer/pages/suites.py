"""The page of one suite: how it was made, what it contains, how it is balanced, in which words; and a list of all."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from counterpoint.core.groups import Relation
from counterpoint.core.ids import hex_id
from counterpoint.explorer.views import ChartFigure, LinkChoice
from counterpoint.explorer.views_boards import (
    GroupExample,
    KindSummary,
    RejectedGroups,
    SuiteFact,
    SuiteRow,
    SuitesView,
    SuiteView,
)
from counterpoint.lab.reader import LabReader
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.metrics.data_statistics import RankedWord
from counterpoint.reports.charts.bars import SIDES, BarChart, WordChart, WordFrequency
from counterpoint.studies.boards import data_set

ANSWERS, EXAMPLES, WORDS = 4, 3, 20
"""How many right answers and examples of each kind, and how many words, are shown."""

DROPPED = "dropped"
"""Under which name a manifest says what was left out of a suite, and why."""

MOST = 40
"""How many kinds have examples; further ones are counted alone."""


def suites_view(reader: LabReader) -> SuitesView:
    """All suites of the lab."""
    lines = []
    for suite in reader.suites():
        manifest = reader.lab.manifest(suite)
        asked = sum(reader.has_answers(suite, model.slug) for model in reader.models())
        address = f"/suites/{quote(suite)}"
        lines.append(
            SuiteRow(
                suite, reader.suite_sentence(suite), data_set(manifest), manifest.groups, manifest.rows, asked, address
            )
        )
    return SuitesView(
        view="suites",
        title="Suites",
        sentence="What the lab asks: each suite is a table of groups, made by one generator from one data set.",
        twin="/suites.json",
        suites=tuple(lines),
    )


def suite_view(reader: LabReader, suite: str) -> SuiteView:
    """What one suite contains."""
    here = f"/suites/{quote(reader.require_suite(suite))}"
    sentence = reader.suite_sentence(suite)
    found = suite_words(reader, suite)
    return SuiteView(
        view="suites",
        title=suite,
        sentence=f"{sentence[:1].upper()}{sentence[1:].rstrip('.')}." if sentence else "What this suite contains.",
        twin=f"{here}.json",
        above="/suites",
        suite=suite,
        facts=_facts(reader, suite),
        kinds=reader.cached(("contents", suite), lambda: _kinds(reader, suite)),
        dropped=_dropped(reader.lab.manifest(suite).parameters),
        charts=(ChartFigure(suite_chart(reader, suite), f"{here}.svg"),) if found else (),
        models=tuple(
            LinkChoice(model.name, f"{here}/models/{quote(model.slug)}")
            for model in reader.models()
            if reader.has_answers(suite, model.slug)
        ),
    )


def suite_chart(reader: LabReader, suite: str) -> BarChart | WordChart:
    """Which words the suite uses how often; of captions and foils side by side."""
    found = suite_words(reader, reader.require_suite(suite))
    title = _title(found, suite)
    if {one.side for one in found} <= {"texts"}:
        return BarChart(title, tuple(RankedWord(one.word, one.count, one.share) for one in found))
    return WordChart(title, found)


def suite_words(reader: LabReader, suite: str) -> tuple[WordFrequency, ...]:
    """The commonest words of a suite; of captions and foils those whose shares differ most."""
    return reader.cached(("words", suite), lambda: _words(reader, suite))


def _words(reader: LabReader, suite: str) -> tuple[WordFrequency, ...]:
    asked = reader.database.source("groups", suite=suite)
    sql = f"""
        SELECT word, relation = '{Relation.RANKS}' AS ranks, role > 0 AS variant, count(*) AS found FROM (
            SELECT unnest(regexp_extract_all(lower(text), '[[:alpha:]][[:alpha:]''’-]*')) AS word, relation, role
            FROM {asked}
        ) GROUP BY ALL
    """
    rows = reader.database.rows(sql)
    if any(row["ranks"] for row in rows):
        return _sides([row for row in rows if row["ranks"]])
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["word"]] = counts.get(row["word"], 0) + row["found"]
    total = sum(counts.values())
    plain = word_list("noise", "function") - word_list("noise", "telling")
    told = {word: count for word, count in counts.items() if word not in plain}
    first = sorted(told, key=lambda word: (-told[word], word))[:WORDS]
    return tuple(WordFrequency("", "texts", word, told[word] / total, told[word]) for word in first)


def _sides(rows: Sequence[Mapping[str, Any]]) -> tuple[WordFrequency, ...]:
    captions, foils = ({row["word"]: row["found"] for row in rows if row["variant"] == side} for side in (False, True))
    totals = [max(sum(own.values()), 1) for own in (captions, foils)]

    def apart(word: str) -> float:
        return float(abs(captions.get(word, 0) / totals[0] - foils.get(word, 0) / totals[1]))

    first = sorted({*captions, *foils}, key=lambda word: (-apart(word), word))[:WORDS]
    return tuple(
        WordFrequency("", side, word, own.get(word, 0) / total, own.get(word, 0))
        for word in first
        for side, own, total in zip(SIDES, (captions, foils), totals, strict=True)
    )


def _title(found: Sequence[WordFrequency], suite: str) -> str:
    if not found:
        return f"{suite} has no words"
    first = found[0].word
    if found[0].side == "texts":
        return f"“{first}” is the commonest telling word, {100 * found[0].share:.1f} % of all"
    shares = {one.side: 100 * one.share for one in found if one.word == first}
    return f"“{first}” tells most: {shares['captions']:.1f} % of words in captions, {shares['foils']:.1f} % in foils"


def _facts(reader: LabReader, suite: str) -> tuple[SuiteFact, ...]:
    manifest = reader.lab.manifest(suite)
    asked = reader.database.source("bases", suite=suite)
    (row,) = reader.database.rows(
        f"SELECT count(DISTINCT picture) AS pictures, list(DISTINCT relation) AS relations FROM {asked}"
    )
    plain = {name: value for name, value in manifest.parameters.items() if name != DROPPED}
    said = {
        "groups": f"{manifest.groups:,}",
        "queries": f"{manifest.rows:,}",
        "pictures": f"{row['pictures']:,}",
        "relation": ", ".join(sorted(filter(None, row["relations"]))),
        "made by": manifest.generator,
        **{_asked_for(name): _said(value) for name, value in plain.items()},
        "seed": str(manifest.seed),
        "answers compared by": manifest.rules,
        "version": f"{manifest.version}, made with {manifest.made_with}",
        "annotations": manifest.source,
        "fingerprint": manifest.fingerprint,
    }
    return tuple(SuiteFact(name, value) for name, value in said.items() if value)


def _asked_for(name: str) -> str:
    """What a parameter is called, apart from what came of it."""
    return f"{name} asked for" if name in ("groups", "queries", "pictures") else name.replace("_", " ")


def _said(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_said(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value))
    return "" if value is None else str(value)


def _dropped(parameters: Mapping[str, Any]) -> tuple[RejectedGroups, ...]:
    """What was not kept, as the manifest has it: by kind, and there by reason."""
    return tuple(
        RejectedGroups(kind, why, count)
        for kind, reasons in parameters.get(DROPPED, {}).items()
        for why, count in reasons.items()
    )


def _kinds(reader: LabReader, suite: str) -> tuple[KindSummary, ...]:
    bases, groups = (reader.database.source(name, suite=suite) for name in ("bases", "groups"))
    counted = reader.database.rows(
        f"SELECT test, kind, count(*) AS groups, sum(variants + 1)::BIGINT AS queries, "
        f"list(place ORDER BY place)[1:{EXAMPLES}] AS first, list(variants ORDER BY place)[1:{EXAMPLES}] AS sizes "
        f"FROM {bases} GROUP BY test, kind ORDER BY min(place)"
    )
    gold = reader.database.rows(
        f"SELECT test, kind, gold[1].answer AS answer, count(*) AS found FROM {groups} WHERE len(gold) > 0 "
        "GROUP BY ALL ORDER BY found DESC, answer"
    )
    answers: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for row in gold:
        answers.setdefault((row["test"], row["kind"]), []).append((row["answer"], row["found"]))
    return tuple(
        _kind(reader, suite, row, answers.get((row["test"], row["kind"]), []), shown=place < MOST)
        for place, row in enumerate(counted)
    )


def _kind(
    reader: LabReader, suite: str, row: Mapping[str, Any], answers: Sequence[tuple[str, int]], *, shown: bool
) -> KindSummary:
    asked = {name: row[name] for name in ("test", "kind") if row[name]}
    spans = list(zip(row["first"], row["sizes"], strict=True)) if shown else []
    return KindSummary(
        row["test"],
        row["kind"],
        row["groups"],
        row["queries"],
        tuple(answers[:ANSWERS]),
        sum(count for _, count in answers[ANSWERS:]),
        tuple(_examples(reader, suite, spans)),
        f"/browse?{urlencode({'suite': suite, **asked})}",
    )


def _examples(reader: LabReader, suite: str, spans: Sequence[tuple[int, int]]) -> list[GroupExample]:
    if not spans:
        return []
    wanted = ["group_id", "query", "picture", "text", "width", "height"]
    lines = reader.rows_at(suite, [(place, min(size, 1)) for place, size in spans], wanted).to_pylist()
    found: dict[int, list[Mapping[str, Any]]] = {}
    for line in lines:
        found.setdefault(line["group_id"], []).append(line)
    return [_example(suite, own) for own in found.values()]


def _example(suite: str, lines: Sequence[Mapping[str, Any]]) -> GroupExample:
    first = lines[0]
    here = f"/suites/{quote(suite)}"
    ratio = first["height"] / first["width"] if first["width"] else 0.75
    picture = f"{here}/pictures/{hex_id(first['query'])}.png?width=320" if first["picture"] else ""
    texts = tuple(dict.fromkeys(line["text"] for line in lines))
    return GroupExample(f"{here}/groups/{hex_id(first['group_id'])}", picture, 128, round(128 * ratio), texts)
