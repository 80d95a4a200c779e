"""The leaderboard of a lab: the same numbers as on the page, and data sets that are never merged."""

import re
from pathlib import Path

import pytest
from proving import prove

from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.explorer.pages.overview import build_overview
from counterpoint.explorer.pages.overview.query import OverviewQuery
from counterpoint.lab.data_set_scores import picture_overlaps
from counterpoint.lab.leaderboard import LeaderboardResult, leaderboard
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.accuracy import accuracy, comprehensive_accuracy, worst_case
from counterpoint.metrics.leaderboard import Layout, Leaderboard, LeaderboardColumn
from counterpoint.reports.lab_report import render_lab_report
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

COLORS = ("red", "blue", "green")


def _questions(first: int, many: int) -> list[Group]:
    return [
        Group(
            Relation.GOLD,
            (Query(Picture(f"p:{number % 30}.png"), f"Which color has {number}?"),),
            (Gold.of(COLORS[number % 3]),),
        )
        for number in range(first, first + many)
    ]


def _rephrased(many: int) -> list[Group]:
    return [
        Group(
            Relation.SAME,
            (
                Query(Picture(f"p:{number % 30}.png"), f"Is it {number}?"),
                Query(Picture(f"p:{number % 30}.png"), f"{number}?"),
            ),
            (Gold.of("yes"),) * 2,
        )
        for number in range(many)
    ]


def _put(lab: LabStore, suite: str, test: str, groups: list[Group], **parameters: str) -> None:
    table = groups_table([(test, group) for group in groups], suite)
    lab.put_suite(Manifest.of(table, generator="test", seed=0, parameters=parameters), table)


@pytest.fixture
def lab(tmp_path: Path) -> LabStore:
    lab = LabStore(tmp_path / "lab")
    _put(lab, "first-file", "plain", _questions(0, 40), source="plain", split="val")
    _put(lab, "second-file", "plain", _questions(20, 40), source="plain", split="val")
    _put(lab, "rephrase", "rephrase", _rephrased(60))
    for place, model in enumerate(("careful", "hasty")):
        lab.put_run(RunRecord(f"r{place}", model, f"{model} 1", {"abilities": ["answers"]}))
        gold = {query: answer for suite in lab.suites() for query, answer in _gold(lab, suite).items()}
        wrong = 4 if model == "careful" else 2
        with lab.answers(f"{model} 1", run=f"r{place}") as log:
            log.add(
                (query, 0, Answer.of(answer if number % wrong else "no idea"), "", 0.0)
                for number, (query, answer) in enumerate(gold.items())
            )
    return lab


def _gold(lab: LabStore, suite: str) -> dict[int, str]:
    groups = lab.suite(suite).groups
    return dict(
        zip(groups["query"].to_pylist(), (gold[0]["answer"] for gold in groups["gold"].to_pylist()), strict=True)
    )


def test_the_page_has_the_numbers_of_the_leaderboard(lab: LabStore, tmp_path: Path) -> None:
    board = leaderboard(lab).board
    page = build_overview(LabReader(lab, tmp_path / "cache"), OverviewQuery())
    assert [column.key for column in board.columns] == [f"{one.suite}/{one.metric}" for one in page.columns]
    assert [row.model for row in board.rows] == [line.model for line in page.lines] == ["careful", "hasty"]
    for row, line in zip(board.rows, page.lines, strict=True):
        own = [(cell.value, cell.low, cell.high, cell.n, cell.tie) for cell in row.cells.values()]
        assert own == [(cell.value, cell.low, cell.high, cell.n, cell.tie) for cell in line.cells]


def _answer(lab: LabStore, model: str, suite: str, many: int | None = None) -> None:
    """All of a suite, or its first queries, answered correctly."""
    lab.put_run(RunRecord(model, model, f"{model} 1", {"abilities": ["answers"]}))
    with lab.answers(f"{model} 1", run=model) as log:
        log.add((query, 0, Answer.of(gold), "", 0.0) for query, gold in [*_gold(lab, suite).items()][:many])


def test_a_model_with_scores_on_fewer_suites_comes_after_the_others_and_says_so_everywhere(
    lab: LabStore, tmp_path: Path
) -> None:
    _put(lab, "third-file", "plain", _questions(100, 40))
    _answer(lab, "one-alone", "third-file")
    part = "accuracy of answers on 1 of 3 suites"
    result, reader = leaderboard(lab), LabReader(lab, tmp_path / "cache")
    page = build_overview(reader, OverviewQuery())
    order = ["careful", "hasty", "one-alone"]
    assert [row.model for row in result.board.rows] == [line.model for line in page.lines] == order
    assert [row["part"] for row in result.to_dict()["rows"]] == ["", "", part]
    note = f"one-alone: {part}, so listed after models that have more"
    assert note in result.text()
    assert note in result.to_dict()["notes"]
    assert part in page.lines[-1].detail
    assert any("Those that were asked less than others come after them." in text for text in page.notes)
    report = render_lab_report(reader)
    assert report.index("hasty") < report.index(part)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        prove(40, "Those that failed on queries come after the others."),
        (20, "Those that were asked less than others or failed on queries come after them."),
    ],
)
def test_the_page_says_of_a_model_that_failed_that_it_failed(
    lab: LabStore, tmp_path: Path, asked: int, sentence: str
) -> None:
    lab.put_run(RunRecord("away", "away", "away 1", {"abilities": ["answers"]}))
    with lab.answers("away 1", run="away") as log:
        for number, (query, gold) in enumerate([*_gold(lab, "first-file").items()][:asked]):
            log.add([(query, 0, Answer.of(gold) if number % 4 else Answer.failed("HTTP 500"), "", 0.0)])
    page = build_overview(LabReader(lab, tmp_path / "cache"), OverviewQuery(("first-file",)))
    assert page.lines[-1].model == "away"
    assert any(text.endswith(sentence) or f"{sentence} " in text for text in page.notes)


def test_a_floor_is_marked_as_the_best_nowhere(lab: LabStore, tmp_path: Path) -> None:
    name = "question-only"
    lab.put_run(RunRecord(name, name, f"{name} 1", {"abilities": ["answers"], "settings": {"model": name}}))
    with lab.answers(f"{name} 1", run=name) as log:
        log.add((query, 0, Answer.of(gold), "", 0.0) for s in lab.suites() for query, gold in _gold(lab, s).items())
    result, reader = leaderboard(lab), LabReader(lab, tmp_path / "cache")
    floor = next(row for row in result.board.rows if row.is_floor)
    assert floor.model == name
    assert all(cell.tie for cell in floor.cells.values())  # it is the best, as the JSON says
    assert not any(record["is_best"] for record in result.records() if record["model"] == name)
    means = leaderboard(lab, layout="datasets")
    texts = [*map(result.text, ("plain", "markdown", "latex")), result._repr_html_(), means.text()]
    for line in (line for text in texts for line in text.splitlines() if name in line and "100.0" in line):
        assert not re.search(r"\*|<b>|textbf", line)
    assert all("never marked as the best" in text for text in texts)
    page = build_overview(reader, OverviewQuery())
    assert not any(cell.tie for line in page.floor for cell in line.cells)
    report = render_lab_report(reader)
    assert "<b>100.0</b>" not in report


def test_where_most_models_are_tied_none_is_marked_anywhere(lab: LabStore, tmp_path: Path) -> None:
    for name in ("eve", "ivy", "may", "zoe"):
        lab.put_run(RunRecord(name, name, f"{name} 1", {"abilities": ["answers"]}))
        with lab.answers(f"{name} 1", run=name) as log:
            log.add((query, 0, Answer.of(gold), "", 0.0) for s in lab.suites() for query, gold in _gold(lab, s).items())
    result, reader = leaderboard(lab), LabReader(lab, tmp_path / "cache")
    assert any(cell.tie for row in result.board.rows for cell in row.cells.values())
    assert all(result.board.is_undecided(column.key) for column in result.board.columns)
    assert not any(record["is_best"] for record in result.records())
    texts = [*map(result.text, ("plain", "markdown", "latex")), result._repr_html_()]
    assert all("where most models are tied with the best, none is marked" in text for text in texts)
    assert not any(re.search(r"\d\*|\*\*\d|<b>\d|textbf\{\d", text) for text in texts)
    assert not any(cell.tie for line in build_overview(reader, OverviewQuery()).lines for cell in line.cells)
    assert "<b>100.0</b>" not in render_lab_report(reader)


def test_a_suite_that_was_asked_in_part_counts_as_less(lab: LabStore) -> None:
    _answer(lab, "in-part", "first-file", 10)
    rows = leaderboard(lab, suites=["first-file"]).board.rows
    assert [row.model for row in rows] == ["careful", "hasty", "in-part"]
    assert rows[-1].part == "accuracy of answers on 1 of 1 suites, in part"


def test_plain_questions_show_accuracy(lab: LabStore) -> None:
    result = leaderboard(lab, suites=["first-file"])
    assert [column.key for column in result.board.columns] == ["first-file/answer_accuracy"]
    assert "accuracy of answers" in result.text()
    assert {record["model"] for record in result.records()} == {"careful", "hasty"}


def test_files_of_one_source_are_data_sets_of_their_own_and_share_questions(lab: LabStore) -> None:
    board = leaderboard(lab, layout="datasets").board
    assert board.data_sets == ("first-file", "second-file")
    cells = board.rows[0].data_sets
    assert {name: own["accuracy"].n for name, own in cells.items()} == {"first-file": 40, "second-file": 40}


def test_a_mean_over_data_sets_of_the_same_pictures_is_no_surer_than_each_of_them(lab: LabStore) -> None:
    overlaps = picture_overlaps(lab, {"first": ["first-file"], "second": ["second-file"], "third": ["rephrase"]})
    assert overlaps[("first", "second")] == overlaps[("first", "third")] == 1.0
    row = leaderboard(lab, suites=["first-file", "second-file"], layout="datasets").board.rows[0]
    cells = [own["accuracy"] for own in row.data_sets.values()]
    for end in ("low", "high"):
        own = [getattr(cell, end) for cell in (row.cells["accuracy"], *cells)]
        assert own[0] == pytest.approx(sum(own[1:]) / 2)


def test_data_sets_of_other_pictures_are_independent(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    for suite, numbers in (("one", range(20)), ("other", range(15, 35)), ("third", range(90, 95))):
        queries = [Query(Picture(f"p:{number}.png"), "Which color?") for number in numbers]
        groups = [Group(Relation.GOLD, (query,), (Gold.of("red"),)) for query in queries]
        _put(lab, suite, "plain", [*groups, Group(Relation.GOLD, (Query(None, "Why?"),), (Gold.of("no"),))])
    assert picture_overlaps(lab, {name: [name] for name in lab.suites()}) == {("one", "other"): 0.25}
    assert picture_overlaps(lab, {"one": ["one"]}) == {}


def test_a_lab_without_suites_has_an_empty_leaderboard(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    lab.put_run(RunRecord("r", "idle", "idle 1"))
    assert leaderboard(lab).board.columns == ()


def test_a_terminal_shows_the_terms_of_papers_and_other_formats_the_phrases() -> None:
    columns = tuple(LeaderboardColumn(metric, "order") for metric in (accuracy, comprehensive_accuracy, worst_case))
    result = LeaderboardResult(Leaderboard(Layout.SUITES, columns, ()))
    assert result.text().splitlines()[2].split("  ")[1:4] == ["order ACC", "order C-ACC", "order worst case"]
    assert "order comprehensive accuracy" in result.text("markdown")
