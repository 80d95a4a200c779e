"""The report is one file that needs nothing else, and its tables can go into a paper."""

import json
import re
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from clients import local_client
from labs import MODELS, small_lab
from PIL import Image

from benchmarks.crowded_lab import make_lab
from counterpoint import Lab
from counterpoint.cli.report import command
from counterpoint.core.errors import CounterpointError
from counterpoint.explorer.app import create_app
from counterpoint.lab.exporting import write_report
from counterpoint.lab.leaderboard import leaderboard
from counterpoint.lab.reader import LabReader
from counterpoint.reports.lab_report import render_lab_report
from counterpoint.reports.report_examples import DOZEN, SIDE
from counterpoint.store.lab import LabStore


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> LabStore:
    return small_lab(tmp_path_factory.mktemp("lab") / "my-lab")


@pytest.fixture(scope="module")
def written(lab: LabStore) -> Path:
    out = lab.folder.parent / "out" / "report.html"
    done = CliRunner().invoke(
        command, [str(lab.folder), "--out", str(out), "--markdown", "--latex", "--json"], catch_exceptions=False
    )
    assert [Path(name).name for name in json.loads(done.output)["files"]] == ["report.html", "report.md", "report.tex"]
    return out


def test_the_report_loads_nothing_from_elsewhere(written: Path, lab: LabStore) -> None:
    page = written.read_text("utf-8")
    assert not re.findall(r"(?:src|href)=\"(?!#|data:image/)[^\"]*\"", page.replace("xlink:href", ""))
    assert "<script" not in page
    assert "url(" not in page
    assert page.count("<svg") >= len(lab.suites())


def test_the_report_begins_with_what_fails_and_shows_it(written: Path) -> None:
    page = written.read_text("utf-8")
    examples = page[page.index("What fails") : page.index("<h2>Leaderboard</h2>")]
    assert 0 < examples.count("<li>") <= DOZEN
    assert examples.count("data:image/webp;base64,") >= examples.count("<li>")
    assert "hasty</b> changes its answer though the question stays the same" in examples
    assert "pairs fail" in examples
    assert "Where each model fails most surely" in examples
    assert len(page.encode()) < 5_000_000


def test_the_report_of_plain_questions_shows_those_that_are_answered_incorrectly(tmp_path: Path) -> None:
    lab = Lab(tmp_path / "lab")
    lab.generate("plain", items=8, limit=12)
    lab.run("cnn-lstm")
    lab.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    examples = page[page.index("What fails") : page.index("<h2>Leaderboard</h2>")]
    wrong = [row for row in lab.outcomes("cnn-lstm", "plain").records() if row["correct"] < 0.5]
    gold = {row["query"]: row["gold"][0]["answer"] for row in lab.groups("plain").records()}
    assert wrong
    assert examples.count("<li>") == examples.count("data:image/webp;base64,") == len(wrong)
    assert f"{len(wrong)} of 12 questions fail" in examples
    for row in wrong:
        assert row["text"] in examples
        assert f"· gold {gold[row['query']]}" in examples
    assert "pair" not in page[page.index('<p class="lead">') : page.index("<h2>Leaderboard</h2>")]
    client = local_client(create_app(lab.store, cache=tmp_path / "cache"))
    assert "the same thing twice" not in client.get("/overview").text
    assert "answers incorrectly" in client.get("/overview").text
    examples = client.get("/overview.json").json()["examples"]
    assert len(examples) == min(len(wrong), 3)
    assert all(f"· gold {example['lines'][0]['gold']}" in client.get("/overview").text for example in examples)
    results = client.get("/suites/plain/models/cnn-lstm").text
    assert "Questions<small>on pictures" in results
    assert "airs" not in results[results.index('<p class="lead">') : results.index('id="groups"')]
    assert '<span class="small">base</span>' not in results


def test_every_picture_of_the_report_can_be_shown(tmp_path: Path) -> None:
    lab = Lab(tmp_path / "lab")
    lab.generate("negation", items=10, limit=30)
    lab.run("fusion")
    lab.report(tmp_path / "report.html")
    pictures = re.findall(r'src="data:image/webp;base64,([^"]*)"', (tmp_path / "report.html").read_text("utf-8"))
    assert pictures
    for content in pictures:
        with Image.open(BytesIO(b64decode(content, validate=True))) as image:
            image.load()
            assert max(image.size) == SIDE


def test_costs_that_no_model_has_are_a_note_without_a_table(tmp_path: Path) -> None:
    lab = Lab(tmp_path / "lab")
    lab.generate("order", items=3)
    queries = lab.groups("order").to_arrow()["query"].to_pylist()
    lines = [json.dumps({"query_id": f"{query:016x}", "prediction": "yes"}) for query in queries]
    (tmp_path / "answers.jsonl").write_text("\n".join(lines))
    lab.import_predictions(tmp_path / "answers.jsonl", name="elsewhere")
    lab.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "its answers were made elsewhere" in page
    assert 'aria-label="Cost"' not in page


@pytest.mark.prove
def test_a_floor_with_scores_on_some_suites_says_of_how_many_its_mean_is(tmp_path: Path) -> None:
    lab = Lab(tmp_path / "lab")
    for suite in ("negation", "order", "rephrase", "ontology", "plain", "existence"):
        lab.generate(suite, items=8, limit=10)
    for model in ("fusion", "question-only"):
        lab.run(model)
    lab.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    board = page[page.index("<h2>Leaderboard</h2>") : page.index("Cost, and what is missing")]
    assert re.search(r"floor, a mean of 5 of 6 suites", board)
    assert "it is never bold" in board


@pytest.mark.prove
def test_every_column_says_its_chance_level_where_it_is_known(tmp_path: Path) -> None:
    lab = make_lab(tmp_path / "lab", 4, ("negation", "existence"), groups=24, pictures=12)
    reader = LabReader(lab, tmp_path / "cache")
    page = render_lab_report(reader)
    assert "Comprehensive accuracy, 25 by chance" in page
    assert "Ranking accuracy, 50 by chance" in page
    assert "higher is better unless a column says otherwise" in page
    failing = page[page.index("What fails") : page.index("<h2>Leaderboard</h2>")]
    assert "always-yes" not in failing  # a baseline
    assert "most often at “no”" in failing
    assert reader.chance("negation", "self_consistency") == 0.5
    assert reader.chance("negation", "worst_case") == 0.25


def test_the_report_names_models_suites_and_how_it_was_made(written: Path, lab: LabStore) -> None:
    page = written.read_text("utf-8")
    for text in ("my-lab", "careful", "hasty", "&lt;b&gt;bold&lt;/b&gt;/model", "plain", "odd", "Holm", "jackknife"):
        assert text in page
    assert all(lab.manifest(suite).fingerprint in page for suite in lab.suites())
    assert "<b>bold" not in page


def test_the_report_counts_answers_by_right_answer(written: Path) -> None:
    page = written.read_text("utf-8")
    assert "<summary>Answers of careful by gold</summary>" in page
    assert 'class="number share-5 diagonal">30</td>' in page


def test_charts_take_their_colours_from_the_page(written: Path) -> None:
    assert 'fill="var(--right, #0072b2)"' in written.read_text("utf-8")


def test_the_tables_have_a_line_per_model_and_as_many_cells_as_heads(lab: LabStore) -> None:
    table = leaderboard(lab).tables()[0]
    lines = [line for line in table.markdown().splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(MODELS)
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1
    rows = [line for line in table.latex().splitlines() if line.endswith(r"\\")]
    assert len(rows) == 2 + len(MODELS)
    assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows[1:]}) == 1


def test_signs_that_mean_something_are_written_as_themselves(lab: LabStore) -> None:
    table = leaderboard(lab).tables()[0]
    assert "\\<b\\>bold\\</b\\>/model" in table.markdown()
    assert "comprehensive\\_accuracy" not in table.latex()


def test_a_lab_without_answers_still_has_a_report(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    lab.set_root("toy", tmp_path)
    done = CliRunner().invoke(command, [str(lab.folder), "--out", str(tmp_path / "r.html")], catch_exceptions=False)
    assert done.exit_code == 0
    assert "no suite yet" in (tmp_path / "r.html").read_text("utf-8")


@pytest.mark.parametrize("name", ["report.tex", "report.md", "report.pdf"])
def test_a_report_is_not_written_to_a_file_that_is_named_as_something_else(
    lab: LabStore, tmp_path: Path, name: str
) -> None:
    with pytest.raises(CounterpointError, match=f"{name} would hold HTML") as caught:
        write_report(lab, tmp_path / name, markdown=True, latex=True)
    assert "report.html" in caught.value.hint
    assert not list(tmp_path.iterdir())
