"""Faults in an evaluation file: each names the file, the line and the key, and suggests what was meant."""

import tomllib
from collections.abc import MutableMapping
from pathlib import Path

import pytest
from click.testing import CliRunner

import counterpoint as cp
from counterpoint.cli.main import commands
from counterpoint.lab.evaluation.asking import AskRequest
from counterpoint.lab.evaluation.toml_lines import find_line

SUITE = '[[suites]]\nsuite = "order"\n'
MODEL = '[[models]]\nmodel = "fusion"\n'
FAULTS = {
    "no TOML": ('lab = "x"\nlab = \n', "line 2, column 7: Invalid value", "not TOML"),
    "key": (f"{SUITE}limt = 3\n", "line 3, suites[0].limt: there is no such key", "did you mean limit"),
    "key at the top": ("suite = 3\n", "line 1, suite: there is no such key", "did you mean suites"),
    "missing key": ("\n[[suites]]\nlimit = 3\n", "line 2, suites[0]: suite is missing", 'suite = "…"'),
    "type": (f'{SUITE}limit = "3"\n', "line 3, suites[0].limit: it is '3', not a number", ""),
    "size": (f"{SUITE}limit = 0\n", "line 3, suites[0].limit: it is 0, not a whole number of 1 or more", ""),
    "table": ('[suites]\nsuite = "order"\n', "line 1, suites: it is {", "begin with [[suites]]"),
    "names in place of tables": ('suites = ["order"]\n', "line 1, suites[0]: it is 'order'", "begin with [[suites]]"),
    "unknown tables": (f"{SUITE}\n[[model]]\n", "line 4, model: there is no such key", "did you mean models"),
    "columns": (
        f'{SUITE}columns = "question=Q"\n',
        "line 3, suites[0].columns: it is 'question=Q', not a table",
        "columns = { question",
    ),
    "list": ('[[gates]]\nrules = "x"\n', "line 2, gates[0].rules: it is 'x', not a list", ""),
    "choice": (
        '[[gates]]\nrules = []\nundecided = "?"',
        "line 3, gates[0].undecided: it is '?', not one of 'pass', ",
        "",
    ),
    "suite": (
        '[[suites]]\nsuite = "ordr"\n',
        "line 2, suites[0].suite: no suite is called 'ordr'",
        "did you mean order",
    ),
    "source": (f'{SUITE}source = "gqqa"\n', "line 3, suites[0].source: no source is called", "did you mean gqa"),
    "rule set": (f'{SUITE}rules = "vqaa"\n', "line 3, suites[0].rules: no rule set is called", "did you mean"),
    "pairs": (f'{SUITE}pairs = "papr"\n', "line 3, suites[0].pairs: 'papr' is no number of pairs", '"paper"'),
    "pairs and limit": (
        f"{SUITE}pairs = 3\nlimit = 3\n",
        "line 3, suites[0].pairs: pairs and limit both",
        "one of them",
    ),
    "color": (f"{SUITE}means = [1, 2]\n", "line 3, suites[0].means: [1, 2] is no color", "[121, 113, 104]"),
    "twice": (f"{SUITE}\n{SUITE}", "line 4, suites[1].name: two in this file are called order", "another name"),
    "model": (f'{MODEL}\n[[models]]\nmodel = "fussion"', "line 5, models[1].model: no model is called", "mean fusion"),
    "name of a family": (
        '[[suites]]\nsuite = "carets"\nname = "x"',
        "line 3, suites[0].name: the suites of carets keep",
        "",
    ),
    "models twice": (f"{MODEL}{MODEL}", "line 3, models[1]: two in this file are called fusion", "another name"),
    "suite of the file": (
        f'{SUITE}{MODEL}suites = ["odr"]',
        "line 5, models[0].suites[0]: no suite of this file",
        "order",
    ),
    "metric": ('metrics = [\n  "accuracy",\n  "acuracy",\n]', "line 3, metrics[1]: no metric is called", "accuracy"),
    "rule": (
        '[[gates]]\nrules = [\n"accuracy > 1",\n]',
        "line 3, gates[0].rules[0]: 'accuracy > 1' is no rule",
        "look like",
    ),
    "metric of a rule": ('[[gates]]\nrules = ["acuracy >= 0.5"]', "line 2, gates[0].rules[0]: no metric", "accuracy"),
    "suite of a rule": (
        f'{SUITE}[[gates]]\nrules = ["odr.accuracy >= 0.5"]',
        "line 4, gates[0].rules[0]: no suite",
        "order",
    ),
    "model of a gate": (
        f'{MODEL}[[gates]]\nrules = []\nmodel = "x"',
        "line 5, gates[0].model: no model of this file",
        "",
    ),
    "output": ('[outputs]\nreprt = "x"\n', "line 2, outputs.reprt: no output is called 'reprt'", "did you mean report"),
    "variable": ('lab = "${HOME}/lab"\n', "line 1, lab: only api-key takes a variable", "secrets alone"),
    "inner variable": (f'{MODEL}model-args = {{ prompt = "${{P}}" }}', "line 3, models[0].model-args.prompt: only", ""),
    "setting": (f'{MODEL}device = "cuda"\n', "line 3, models[0].device: no setting of fusion is called 'device'", ""),
    "model-args": (
        '[[models]]\nmodel = "openai/x"\n[models.model-args]\ntokns = 3\n',
        "line 4, models[0].model-args.tokns: no setting of openai/x is called 'tokns'",
        "did you mean tokens",
    ),
    "unset variable": (
        f'{MODEL}api-key = "${{NOBODY_HAS_SET_IT}}"',
        "line 3, models[0].api-key: the variable",
        "export",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_names_line_and_key_and_suggests(name: str, tmp_path: Path) -> None:
    text, fact, hint = FAULTS[name]
    file = tmp_path / "counterpoint.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(cp.CounterpointError) as caught:
        cp.load_evaluation(file)
    assert str(caught.value).startswith(f"{file}, {fact}")
    assert hint in caught.value.hint


@pytest.mark.parametrize("key", ["sk-open-sesame-123", 123456789])
def test_a_key_in_the_file_is_refused_and_not_repeated(key: str | int, tmp_path: Path) -> None:
    (tmp_path / "counterpoint.toml").write_text(f"{MODEL}api-key = {key!r}", "utf-8")
    with pytest.raises(cp.CounterpointError, match=r"line 3, models\[0\]\.api-key") as caught:
        cp.load_evaluation(tmp_path)
    assert str(key) not in f"{caught.value} {caught.value.hint}"


def test_a_key_is_passed_by_the_name_of_its_variable(tmp_path: Path, environ: MutableMapping[str, str]) -> None:
    environ["TEAM_KEY"] = "sk-open-sesame-123"
    text = '[[models]]\nmodel = "openai/gpt"\napi-key = "${TEAM_KEY}"\nprices = "prices.toml"\nbatch = true\n'
    (tmp_path / "counterpoint.toml").write_text(text, "utf-8")
    model = cp.load_evaluation(tmp_path).settings.models[0]
    arguments = AskRequest(cp.Lab(tmp_path / "lab"), model, (), tmp_path).arguments
    assert arguments["model_args"] == {
        "key_variable": "TEAM_KEY",
        "prices": str(tmp_path / "prices.toml"),
        "batch": True,
    }


def test_a_checkpoint_beside_the_file_is_found_and_keeps_its_name_in_the_lab(tmp_path: Path) -> None:
    (tmp_path / "runs" / "step-9").mkdir(parents=True)
    text = '[[models]]\nmodel = "hf/runs/step-9"\ndevice = "cpu"\n[[models]]\nmodel = "hf/org/model"\nbatch-size = 4\n'
    (tmp_path / "counterpoint.toml").write_text(text, "utf-8")
    local, hub = (
        AskRequest(cp.Lab(tmp_path / "lab"), model, ("order",), tmp_path, limit=5)
        for model in cp.load_evaluation(tmp_path).settings.models
    )
    assert (local.reference, hub.reference) == (f"hf/{tmp_path}/runs/step-9", "hf/org/model")
    assert (local.arguments["name"], local.arguments["model_args"]) == ("hf/runs/step-9", {"device": "cpu"})
    assert (hub.arguments["batch_size"], hub.arguments["limit"], hub.arguments["suites"]) == (4, 5, ("order",))


def test_a_folder_without_a_file_says_how_one_is_written(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n', "utf-8")
    with pytest.raises(cp.CounterpointError, match=r"has no counterpoint\.toml") as caught:
        cp.load_evaluation(tmp_path)
    assert "counterpoint init" in caught.value.hint
    with pytest.raises(cp.CounterpointError, match=r"has no table \[tool\.counterpoint\]"):
        cp.load_evaluation(tmp_path / "pyproject.toml")
    with pytest.raises(cp.CounterpointError, match="cannot be read"):
        cp.load_evaluation(tmp_path / "absent.toml")


def test_the_schema_takes_what_init_writes_and_not_what_the_reader_refuses(tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = jsonschema.Draft202012Validator(cp.EvaluationFile.schema())
    written = CliRunner().invoke(commands, ["init", "--demo", "--out", str(tmp_path / "x.toml")])
    assert written.exit_code == 0, written.output
    assert schema.is_valid(tomllib.loads((tmp_path / "x.toml").read_text("utf-8")))
    for name in ("key", "key at the top", "missing key", "type", "size", "table", "list", "choice"):
        assert not schema.is_valid(tomllib.loads(FAULTS[name][0])), name


def test_lines_are_found_beyond_texts_and_lists_that_go_on() -> None:
    text = (
        'a = """\nb = 1\n"""\nc = [\n  "d = 2",\n]\n[x."y.z"]\nq = { r = 1 }\n[[e]]\n[[e]]\n  f = 3 # ]\n[e.g]\nh = 1\n'
    )
    places = {("a",): 1, ("c",): 4, ("x", "y.z", "q", "r"): 8, ("e", 1, "f"): 11, ("e", 1, "g", "h"): 13, ("none",): 1}
    assert {place: find_line(text, place) for place in places} == places
