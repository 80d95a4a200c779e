"""One file for an evaluation: `init` writes it, `eval` does what it says, and does only what is new."""

import json
import re
from collections.abc import Iterator, MutableMapping
from contextlib import chdir
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from PIL import Image

import counterpoint as cp
from counterpoint.cli.main import commands
from counterpoint.testing import ChatServer

PROJECT = Path(__file__).parents[2]
KEY = "sk-open-sesame-0123456789"
SMALL = """\
[[suites]]
suite = "order"
items = 12
limit = 24

[[models]]
model = "question-only"
"""


def _call(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(commands, list(words), input=typed)


def _eval(*words: str) -> Result:
    """The result of `eval`, whose own errors are raised."""
    done = _call("eval", *words)
    if isinstance(done.exception, cp.CounterpointError):
        raise done.exception
    return done


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Result]]:
    """The folder of the demo, and its first evaluation."""
    folder = tmp_path_factory.mktemp("demo")
    with chdir(folder):
        assert _call("init", "--demo").exit_code == 0
        yield folder, _eval()


def test_the_demo_ends_with_a_gate_that_fails_for_a_reason_on_the_page(demo: tuple[Path, Result]) -> None:
    folder, done = demo
    assert done.exit_code == 3
    assert "✗ negation.comprehensive_accuracy >= 60 %\n    22.0 % over 100 cases, at most 29.8 with" in done.output
    assert max(map(len, done.output.splitlines())) <= 80
    page = (folder / "report.html").read_text("utf-8")
    assert page.index("fusion: the gate fails") < page.index("What fails") < page.index("Leaderboard")
    cases = ElementTree.parse(folder / "gate.xml").getroot().findall(".//testcase[failure]")
    assert [case.get("name") for case in cases] == ["negation.comprehensive_accuracy >= 60 %"]
    skipped = ElementTree.parse(folder / "gate.xml").getroot().findall(".//testcase[skipped]")
    assert [case.get("name") for case in skipped] == ["max drop on any suite <= 3 points"]
    assert "| fails | negation.comprehensive_accuracy \\>= 60 % |" in (folder / "summary.md").read_text("utf-8")


def test_the_how_to_shows_what_the_demo_prints(demo: tuple[Path, Result]) -> None:
    page = (PROJECT / "docs" / "how-to" / "evaluate-every-week.md").read_text("utf-8")
    _, _, block = page.partition("$ counterpoint eval\n")
    shown = [line for line in block.partition("\n```")[0].splitlines() if not re.search(r"…| in \d+ s|@\d{4}", line)]
    printed = [line for line in demo[1].stdout.splitlines() if not re.search(r" in \d+ s|@\d{4}", line)]
    assert shown == printed


def test_a_second_evaluation_asks_nothing_and_a_lower_line_holds(demo: tuple[Path, Result]) -> None:
    folder, _ = demo
    text = (folder / "counterpoint.toml").read_text("utf-8")
    (folder / "counterpoint.toml").write_text(text.replace('accuracy >= 60 %"', 'accuracy >= 10 %"'), "utf-8")
    before = {path: path.stat().st_mtime_ns for path in (folder / "lab").rglob("*.parquet")}
    again = _eval("--json")
    report = json.loads(again.stdout)
    assert (again.exit_code, report["exit_code"], report["asked"]) == (0, 0, 0)
    assert {path: path.stat().st_mtime_ns for path in (folder / "lab").rglob("*.parquet")} == before
    assert [rule["rule"] for rule in report["waiting"]] == ["max drop on any suite <= 3 points"]
    assert "nothing was asked: every answer was there" in _eval("--only", "fusion", "--only", "order").output


def test_a_suite_that_changed_in_the_file_is_told_and_replaced_on_request(workdir: Path) -> None:
    file = workdir / "counterpoint.toml"
    file.write_text(SMALL, "utf-8")
    assert _eval().exit_code == 0
    file.write_text(SMALL.replace("24", "20"), "utf-8")
    with pytest.raises(
        cp.CounterpointError, match=r"line 1, suites\[0\]: lab has order made otherwise: limit was 24 and"
    ):
        _eval()
    with pytest.raises(cp.CounterpointError, match="made otherwise"):
        _eval("--dry-run")
    assert cp.Lab("lab").contents().suites[0].groups == 24
    assert _eval("--replace").exit_code == 0
    assert cp.Lab("lab").contents().suites[0].groups == 20
    file.write_text(f"{SMALL.replace('24', '20')}seed = 1\n".replace("seed", "# seed"), "utf-8")
    assert "1 suite was there" in _eval().output


def test_data_that_changed_are_told_and_data_that_are_gone_are_not_needed(workdir: Path) -> None:
    Image.new("RGB", (32, 32)).save(workdir / "a.png")
    lines = ["image,question,answer", *(f"a.png,Is there a {thing}?,yes" for thing in ("cat", "dog", "cup"))]
    data = workdir / "questions.csv"
    data.write_text("\n".join(lines), "utf-8")
    text = SMALL.replace('"order"', '"plain"\nsource = "plain"\ndata = "questions.csv"')
    (workdir / "counterpoint.toml").write_text(text, "utf-8")
    assert "plain: made, 3 groups" in _eval().output
    data.write_text("\n".join([*lines, "a.png,Is there a van?,yes"]), "utf-8")
    with pytest.raises(cp.CounterpointError, match=r"plain made otherwise: the content of questions\.csv has changed"):
        _eval()
    assert "plain: made, 4 groups" in _eval("--replace").output
    data.unlink()
    assert "1 suite was there" in _eval().output


def test_a_suite_made_by_hand_is_used_where_its_manifest_says_what_the_file_says(workdir: Path) -> None:
    cp.Lab("lab").generate("order", items=12, limit=24)
    (workdir / "counterpoint.toml").write_text(SMALL, "utf-8")
    assert "1 suite was there" in _eval().output
    cp.Lab("lab").generate("order", items=12, limit=24, seed=1, replace=True)
    with pytest.raises(cp.CounterpointError, match="seed was 1 and is 0 in the file"):
        _eval()


def test_a_dry_run_makes_nothing_and_says_what_would_be_asked(workdir: Path) -> None:
    (workdir / "counterpoint.toml").write_text(SMALL, "utf-8")
    done = _eval("--dry-run")
    assert "order: would be made, 24 groups, 48 queries" in done.output
    assert "in all: 48 queries" in done.output
    assert [path.name for path in workdir.iterdir()] == ["counterpoint.toml"]
    assert _eval("--limit", "5").exit_code == 0
    after = json.loads(_eval("--dry-run", "--json").stdout)
    assert (after["runs"][0]["cached"], after["total"]["queries"]) == (10, 38)
    assert after["total"]["seconds"] is not None


UNTIL = """\
[[models]]
model = "constant"

[[gates]]
rules = ["cats.accuracy >= 20 %", "accuracy not worse than baseline"]
"""


def test_until_decided_asks_what_the_rules_need_and_no_more(workdir: Path) -> None:
    Path("counterpoint.toml").write_text(UNTIL, "utf-8")
    texts = ("Is there a cat?", "Do you see a cat?")
    pictures = (cp.Picture(f"own:{number}.png") for number in range(150))
    queries = (tuple(cp.Query(picture, text) for text in texts) for picture in pictures)
    cp.Lab("lab").add_groups([cp.Group(cp.Relation.SAME, own, (cp.Gold.of("yes"),) * 2) for own in queries], "cats")
    report = json.loads(_eval("--until-decided", "--json").stdout)
    ((gate,), (model,)) = report["gates"], report["models"]
    assert [check["verdict"] for check in gate["checks"]] == ["holds"]
    assert gate["sequential"]["asked"] == model["asked"] == report["asked"] > 0
    assert gate["sequential"]["saved"] == model["report"]["left"] > model["asked"]
    assert [rule["rule"] for rule in report["waiting"]] == ["accuracy not worse than baseline"]
    Path("counterpoint.toml").write_text(f'until-decided = true\nmethod = "asymptotic"\n{UNTIL}', "utf-8")
    again = _eval().output
    assert "nothing was asked: every answer that is needed was there" in again
    assert "in random order: 0 queries asked" in again
    whole = json.loads(_eval("--no-until-decided", "--json").stdout)
    assert whole["asked"] == gate["sequential"]["saved"], "the flag overrules the file, and the rest is asked"
    assert "sequential" not in whole["gates"][0]


def test_a_pyproject_holds_an_evaluation_and_paths_are_relative_to_it(workdir: Path) -> None:
    project = workdir / "deep" / "pyproject.toml"
    project.parent.mkdir()
    tables = SMALL.replace("[[", "[[tool.counterpoint.")
    outputs = '[tool.counterpoint.outputs]\njson = "out/all.json"\n'
    project.write_text(f'[project]\nname = "x"\n[tool.counterpoint]\nlab = "weekly"\n{tables}{outputs}', "utf-8")
    assert _eval(str(project)).exit_code == 0
    assert {path.name for path in project.parent.iterdir()} == {"pyproject.toml", "weekly", "out"}
    assert json.loads((project.parent / "out" / "all.json").read_text("utf-8"))["asked"] == 48
    with chdir(project.parent):
        assert cp.load_evaluation().run().asked == 0
    project.write_text(project.read_text("utf-8").replace("limit = 24", "limt = 24"), "utf-8")
    with pytest.raises(cp.CounterpointError, match=r"pyproject.toml, line 8, suites\[0\]\.limt: there is no such key"):
        cp.load_evaluation(project.parent)


def test_predictions_and_a_model_of_ones_own_beside_the_file(workdir: Path) -> None:
    folder = workdir / "there"
    folder.mkdir()
    (folder / "mine.py").write_text('def answer(picture, text):\n    return "yes"\n', "utf-8")
    own = (
        '[[models]]\nmodel = "mine:answer"\nname = "yes"\n[[predictions]]\nname = "elsewhere"\nfiles = ["said.jsonl"]\n'
    )
    (folder / "counterpoint.toml").write_text(SMALL.replace('[[models]]\nmodel = "question-only"\n', own), "utf-8")
    cp.Lab(folder / "lab").generate("order", items=12, limit=24)
    ids = cp.Lab(folder / "lab").groups("order").to_arrow()["query"].to_pylist()
    lines = "".join(json.dumps({"id": cp.hex_id(query), "answer": "yes"}) + "\n" for query in ids)
    (folder / "said.jsonl").write_text(lines, "utf-8")
    report = cp.load_evaluation(folder).run()
    assert [(model.title, model.asked) for model in report.models] == [("yes", 48), ("elsewhere", 48)]
    assert {score.model for score in report.scores or ()} == {"yes", "elsewhere"}
    assert "<table>" in report._repr_html_()


def test_a_path_that_is_not_there_is_told_with_its_line_where_it_is_needed(workdir: Path) -> None:
    (workdir / "counterpoint.toml").write_text(
        f'{SMALL}\n[[predictions]]\nname = "gone"\nfiles = ["gone.csv"]\n', "utf-8"
    )
    assert "gone: " in _eval().output
    text = SMALL.replace('"order"', '"visual"\nsource = "gqa"\ndata = "gqa"')
    (workdir / "counterpoint.toml").write_text(text, "utf-8")
    with pytest.raises(cp.CounterpointError, match=r"line 4, suites\[0\]\.data: there is no gqa"):
        _eval()
    with pytest.raises(cp.UnknownName, match="no suite or model of the file is called 'visul'") as caught:
        _eval("--only", "visul")
    assert "visual" in caught.value.hint


def test_a_model_that_cannot_be_reached_stops_no_other(workdir: Path) -> None:
    (workdir / "counterpoint.toml").write_text(f'[[models]]\nmodel = "absent:model"\n{SMALL}', "utf-8")
    done = _eval()
    assert done.exit_code == 1
    assert "absent:model: absent:model cannot be loaded" in done.output
    assert "question-only: 48 answers" in done.output
    assert done.output.endswith("absent:model could not be evaluated: exit code 1\n")


def test_a_model_without_a_chosen_suite_is_not_asked(workdir: Path) -> None:
    other = '[[suites]]\nsuite = "negation"\nitems = 12\nlimit = 10\n'
    text = f'{SMALL}suites = ["order"]\n{other}[[models]]\nmodel = "constant"\nsuites = ["negation"]\n'
    (workdir / "counterpoint.toml").write_text(text, "utf-8")
    cp.Lab("lab").generate("rephrase", items=12, limit=4)  # which the file does not name
    dry = json.loads(_eval("--only", "order", "--dry-run", "--json").stdout)
    assert ([suite["suite"] for suite in dry["suites"]], [run["model"] for run in dry["runs"]]) == (
        ["order"],
        ["question-only"],
    )
    report = json.loads(_eval("--only", "order", "--json").stdout)
    assert [(model["model"], model["asked"]) for model in report["models"]] == [("question-only", 48)]
    assert cp.Lab("lab").suites == ["order", "rephrase"]


def test_a_model_that_fails_on_every_query_ends_in_an_error(workdir: Path) -> None:
    (workdir / "broken.py").write_text("def answer(picture, text):\n    raise ValueError('no')\n", "utf-8")
    (workdir / "counterpoint.toml").write_text(SMALL.replace("question-only", "broken:answer"), "utf-8")
    done = _eval()
    assert done.exit_code == 1
    assert "48 queries failed, 48 of them with 'ValueError: no'" in done.output
    assert "some queries have no answer; eval asks them again" in done.output


def test_cases_that_lack_an_answer_are_told_beside_the_rule_that_holds_without_them(workdir: Path) -> None:
    lines = [
        "def answer(picture, text):",
        "    if ' or ' in text:",
        "        raise ValueError('no')",
        "    return 'no'",
    ]
    (workdir / "flaky.py").write_text("\n".join(lines), "utf-8")
    gates = '[[gates]]\nrules = ["order.accuracy >= 1 %"]\n[outputs]\nmarkdown = "summary.md"\n'
    (workdir / "counterpoint.toml").write_text(SMALL.replace("question-only", "flaky:answer") + gates, "utf-8")
    done = _eval()
    told = r"order\.accuracy (?:\\\\)?>= 1 % on order: \d+ cases are left out, of which a query failed"
    assert re.search(told, " ".join(done.output.split())), done.output
    assert re.search(told, (workdir / "summary.md").read_text("utf-8"))


def test_a_site_is_written_anew_and_nothing_else_is_removed(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = iter(["first", "second", "third"])

    def export(lab: cp.Lab, out: Path) -> None:
        out.mkdir()
        (out / f"{next(pages)}.html").touch()

    monkeypatch.setattr("counterpoint.explorer.server.export_site", export)
    text = f'lab = "weekly"\n{SMALL}[outputs]\nsite = "pages/site"\n'
    (workdir / "counterpoint.toml").write_text(text, "utf-8")
    _eval("--limit", "2")
    _eval("--limit", "2")
    site = workdir / "pages" / "site"
    assert [path.name for path in site.glob("*.html")] == ["second.html"]
    (site / ".counterpoint-site").unlink()
    with pytest.raises(cp.CounterpointError, match="site is not empty"):
        _eval("--limit", "2")
    assert [path.name for path in site.parent.rglob("*.html")] == ["second.html"]


def test_the_key_of_a_server_is_in_its_request_and_nowhere_else(
    workdir: Path, environ: MutableMapping[str, str]
) -> None:
    environ["TEAM_KEY"] = KEY
    environ["OPENAI_API_KEY"] = "another key than ours"
    Path("prices.toml").write_text('currency = "EUR"\n[models."double"]\ninput = 500\noutput = 2000\n', "utf-8")
    with ChatServer(lambda asked: "yes", key=KEY, models=("double",)) as server:
        reached = f'"openai/double"\nbase-url = "{server.base_url}"\napi-key = "${{TEAM_KEY}}"\nprices = "prices.toml"'
        text = SMALL.replace('"question-only"', reached) + '[outputs]\njson = "all.json"\n'
        Path("counterpoint.toml").write_text(text, "utf-8")
        dry = _eval("--dry-run")
        assert re.search(r"about 48 requests, [\d,]+ tokens in and 768 out, [\d.]+ EUR\n", dry.output)
        done = _eval()
        assert done.exit_code == 0, done.output
        assert {asked.headers["authorization"] for asked in server.received} == {f"Bearer {KEY}"}
    environ["TEAM_KEY"] = f"{KEY}4"
    with ChatServer(key=KEY, models=("double",)) as server:
        moved = re.sub(r'base-url = ".*"', f'base-url = "{server.base_url}"', text).replace("limit = 24", "limit = 25")
        Path("counterpoint.toml").write_text(moved, "utf-8")
        wrong = _eval("--replace")
    assert wrong.exit_code == 1
    assert "set TEAM_KEY to a key that this server knows" in wrong.output
    written = [path.read_bytes() for path in workdir.rglob("*") if path.is_file()]
    assert not any(
        KEY.encode() in content for content in [dry.stdout_bytes, done.stdout_bytes, wrong.stdout_bytes, *written]
    )


def test_a_difference_to_the_baseline_is_told(workdir: Path) -> None:
    file = workdir / "counterpoint.toml"
    gate = '[[gates]]\nrules = ["accuracy not worse than baseline by 3 points"]\nundecided = "fail"\n'
    model = (
        SMALL.replace("12", "30")
        .replace("24", "60")
        .replace('"question-only"', '"fusion"\nname = "vlm"\nversion = "v1"')
    )
    file.write_text(model + gate, "utf-8")
    assert _eval().exit_code == 4  # there is no baseline yet
    cp.Lab("lab").set_baseline("vlm")
    done = _eval()
    assert (done.exit_code, "vlm is its own baseline" in done.output) == (0, True)
    file.write_text(model.replace("fusion", "question-only").replace("v1", "v2") + gate, "utf-8")
    done = _eval()
    assert done.exit_code == 3
    assert "Gate of vlm@v2 against vlm@v1\n✗ accuracy not worse than baseline by 3 points" in done.output
    assert "  worse: order accuracy -41.7 (-56.9 to -26.0)" in done.output


def test_init_asks_and_refuses_to_write_over_a_file(workdir: Path) -> None:
    done = _call("init", "--schema", typed="runs\n\nnegatoin\nnegation order\nfusion\n40\n30\n")
    assert done.exit_code == 0, done.output
    assert "no suite is called 'negatoin'; did you mean negation" in done.output
    settings = cp.load_evaluation().settings
    assert (settings.lab, [suite.title for suite in settings.suites]) == ("runs", ["negation", "order"])
    assert (settings.suites[0].items, settings.suites[0].limit) == (40, 30)
    assert (workdir / "counterpoint.toml").read_text("utf-8").startswith("#:schema ./counterpoint.schema.json\n")
    assert json.loads((workdir / "counterpoint.schema.json").read_text("utf-8")) == cp.EvaluationFile.schema()
    refused = _call("init", "--demo")
    assert (refused.exit_code, str(refused.exception)) == (1, "counterpoint.toml is there already")
    assert _call("init", "--yes", "--replace", "--model", "fussion").exit_code == 1
    assert cp.load_evaluation().settings.models[0].model == "fusion"
    assert _call("init", "--yes", "--replace", "--model", "hf/some/model").exit_code == 0
    assert cp.load_evaluation().settings.models[0].model == "hf/some/model"
