"""The leaderboard: models and measures, over all suites or over the tests of one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from urllib.parse import quote, urlencode

from counterpoint.core.errors import UnknownName
from counterpoint.explorer import measures
from counterpoint.explorer.charts import Dot, Spec, dots
from counterpoint.explorer.choices import BoardChoice
from counterpoint.explorer.reading import Known, Reading
from counterpoint.explorer.views import Cell, Chart, Choice, Column, Head, Leaderboard, Line

SENTENCE = (
    "Share of pairs, in per cent, with 95 % intervals over pictures drawn below on a scale from 0 to 100. "
    "What is bold cannot be told apart from the best of its column by a paired test at 5 % after Holm’s correction."
)


def leaderboard(reading: Reading, choice: BoardChoice, *, live: bool = True) -> Leaderboard:
    """The leaderboard as an address asks for it; `live` where there are pages to lead to."""
    _check(reading, choice)
    columns = _columns(reading, choice)
    lines = tuple(_line(reading, model, columns, live=live) for model in ranked(reading, choice))
    return Leaderboard(
        view="leaderboard",
        title=f"Leaderboard: {choice.suite}" if choice.suite else "Leaderboard",
        sentence=SENTENCE,
        twin=choice.address("/leaderboard.json"),
        above=BoardChoice(measure=choice.measure).address() if choice.suite else "",
        heads=_heads(columns, live=live and not choice.suite),
        columns=columns,
        lines=lines,
        suites=_suites(reading, choice),
        measures=_measures(reading, choice),
        notes=_notes(columns),
        charts=(_chart(reading, choice),) if lines and columns else (),
        empty="No model was asked yet: counterpoint run asks one."
        if reading.suites()
        else "This lab has no suite yet.",
    )


def board_chart(reading: Reading, choice: BoardChoice) -> Spec:
    """One measure of every model, a panel for each suite, or for each test of the chosen suite."""
    _check(reading, choice)
    measure = _charted(reading, choice)
    found = _dots(reading, choice, measure)
    return dots(found, title=finding(found, measure))


def finding(found: Sequence[Dot], measure: str) -> str:
    """The sentence above a chart: who is best, where, and by how much.

    >>> finding([Dot("a", "x", 0.5, 0.4, 0.6), Dot("b", "x", 0.25, 0.2, 0.3)], "worst_case")
    'a has the highest worst case, 50.0 %, 25.0 points above b'
    """
    columns: dict[str, list[Dot]] = {}
    for dot in sorted(found, key=lambda dot: -dot.value):
        columns.setdefault(dot.column, []).append(dot)
    leaders = [ranked[0].row for ranked in columns.values()]
    if not leaders:
        return measures.spoken(measure)
    best = max(sorted(set(leaders)), key=leaders.count)
    says = f"{best} has the highest {measures.spoken(measure)}"
    if len(columns) > 1:
        share = "everywhere" if len(set(leaders)) == 1 else f"in {leaders.count(best)} of {len(columns)}"
        return f"{says} {share}"
    (ranked,) = columns.values()
    lead = f"{says}, {100 * ranked[0].value:.1f} %"
    if len(ranked) == 1:
        return lead
    return f"{lead}, {100 * (ranked[0].value - ranked[1].value):.1f} points above {ranked[1].row}"


def ranked(reading: Reading, choice: BoardChoice) -> tuple[Known, ...]:
    """The models, the best first by the mean of the charted measure over the suites; those without any come last."""
    measure = _charted(reading, choice)
    suites = (choice.suite,) if choice.suite else reading.suites()

    def rank(model: Known) -> tuple[bool, float, str]:
        scores = [reading.score(suite, model.slug, measure) for suite in suites]
        values = [score.value for score in scores if score is not None]
        return not values, -sum(values) / max(len(values), 1), model.name

    return tuple(sorted(reading.models(), key=rank))


def _check(reading: Reading, choice: BoardChoice) -> None:
    if choice.suite and choice.suite not in reading.suites():
        raise UnknownName("suite of this lab", choice.suite, reading.suites())
    if choice.measure and choice.measure not in reading.measures():
        raise UnknownName("measure", choice.measure, reading.measures())


def _columns(reading: Reading, choice: BoardChoice) -> tuple[Column, ...]:
    shown = (choice.measure,) if choice.measure else tuple(m for m in measures.MAIN if m in reading.measures())
    places = [(choice.suite, test) for test in _tests(reading, choice.suite)] if choice.suite else []
    return tuple(
        Column(
            suite,
            test,
            measure,
            measures.label(measure),
            measures.term(measure),
            whole=f"{test or suite} · {measures.label(measure)}",
            starts=place > 0 and measure == shown[0],
        )
        for place, (suite, test) in enumerate(places or [(suite, "") for suite in reading.suites()])
        for measure in shown
    )


def _tests(reading: Reading, suite: str) -> list[str]:
    """The tests of a suite below the whole of it, which has no name; one that has a single test is that test."""
    tests = reading.tests(suite)
    return ["", *tests] if len(tests) > 1 else list(tests)


def _heads(columns: Sequence[Column], *, live: bool) -> tuple[Head, ...]:
    return tuple(
        Head(test or suite, len(list(members)), BoardChoice(suite).address() if live else "")
        for (suite, test), members in groupby(columns, key=lambda column: (column.suite, column.test))
    )


def _line(reading: Reading, model: Known, columns: Sequence[Column], *, live: bool) -> Line:
    cells = tuple(_cell(reading, model, column, live=live) for column in columns)
    detail = " · ".join(filter(None, [model.detail, _out_of_form(reading, model, columns)]))
    return Line(model.name, model.name, detail, cells)


def _out_of_form(reading: Reading, model: Known, columns: Sequence[Column]) -> str:
    """The share of a model's answers that no value could be taken from, in the suites that are shown."""
    found: Counter[str] = Counter()
    for suite in dict.fromkeys(column.suite for column in columns):
        found.update(reading.states(suite, model.slug))
    given = sum(found[state] for state in ("ok", "unparsed", "refused"))
    return ", ".join(f"{found[state] / given:.1%} {state}" for state in ("unparsed", "refused") if found[state])


def scored_cell(
    reading: Reading, suite: str, model: Known, measure: str, *, test: str = "", kind: str = "", address: str = ""
) -> Cell:
    """A score as a cell of a table; without a score, the reason why there is none."""
    score = reading.score(suite, model.slug, measure, test=test, kind=kind)
    if score is None:
        return Cell(reason=measures.reason(measure) if reading.asked(suite, model.slug) else unasked(model.name, suite))
    return Cell(score.value, score.low, score.high, score.n, score.clusters, score.method, address=address)


def unasked(model: str, suite: str) -> str:
    """Why a model has no score on a suite."""
    return f"{model} has no answers to {suite}: it was not asked, or cannot do what is asked for"


def _cell(reading: Reading, model: Known, column: Column, *, live: bool) -> Cell:
    address = f"/suites/{quote(column.suite)}/models/{quote(model.slug)}" if live else ""
    if address and column.test:
        address = f"{address}?{urlencode({'test': column.test})}#groups"
    cell = scored_cell(reading, column.suite, model, column.measure, test=column.test, address=address)
    tie = model.slug in reading.ties(column.suite, column.measure, test=column.test)
    return replace(cell, tie=tie and cell.value is not None)


def _suites(reading: Reading, choice: BoardChoice) -> tuple[Choice, ...]:
    named = [("all suites", ""), *((suite, suite) for suite in reading.suites())]
    return tuple(Choice(label, choice.address(suite=value), choice.suite == value) for label, value in named)


def _measures(reading: Reading, choice: BoardChoice) -> tuple[Choice, ...]:
    named = [("the main ones", ""), *((measures.label(name).lower(), name) for name in reading.measures())]
    return tuple(Choice(label, choice.address(measure=value), choice.measure == value) for label, value in named)


def _notes(columns: Sequence[Column]) -> tuple[str, ...]:
    shown = {column.measure for column in columns}
    said = {
        "accuracy": "Accuracy is what base and variant earn, half each.",
        "self_consistency": "Self-consistency is the share of pairs whose answers hold together, right or wrong.",
        "comprehensive_accuracy": "Comprehensive accuracy is the share of pairs of which both answers are right.",
    }
    return (" ".join(text for measure, text in said.items() if measure in shown),) if shown & set(said) else ()


def _charted(reading: Reading, choice: BoardChoice) -> str:
    known = reading.measures()
    return choice.measure or ("comprehensive_accuracy" if "comprehensive_accuracy" in known else known[0])


def _dots(reading: Reading, choice: BoardChoice, measure: str) -> list[Dot]:
    places = [(choice.suite, test) for test in _tests(reading, choice.suite)] if choice.suite else []
    found = []
    for suite, test in places or [(suite, "") for suite in reading.suites()]:
        for model in ranked(reading, choice):
            score = reading.score(suite, model.slug, measure, test=test)
            if score is not None and score.n:
                found.append(Dot(model.name, test or suite, score.value, score.low, score.high))
    return found


def _chart(reading: Reading, choice: BoardChoice) -> Chart:
    measure = _charted(reading, choice)
    title = finding(_dots(reading, choice, measure), measure)
    return Chart(title, choice.address("/leaderboard.vl.json"), choice.address("/leaderboard.svg"))
