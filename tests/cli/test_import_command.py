"""`counterpoint import`, as a person meets it."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from clients import local_client
from PIL import Image

from counterpoint.cli.main import commands
from counterpoint.core.errors import SourceError, StoreError, UnknownName
from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Picture
from counterpoint.explorer.app import create_app
from counterpoint.lab.lab import Lab
from counterpoint.store.answers import slug
from counterpoint.store.groups import groups_table, read_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest

FINGERPRINT = "imported llava"


@pytest.fixture
def lab(workdir: Path) -> LabStore:
    """A lab with a suite of ten pairs about pictures that are files."""
    made = LabStore(Path("lab"))
    Path("pictures").mkdir()
    for number in range(3):
        Image.new("RGB", (8, 8), (80 * number, 0, 0)).save(f"pictures/{number}.png")
    made.set_root("toy", Path("pictures"))
    _put(made, "pairs", Mode.ANSWER)
    return made


def _put(lab: LabStore, name: str, mode: Mode) -> None:
    def pair(n: int) -> Group:
        picture = Picture(f"toy:{n % 3}.png")
        asked = tuple(Query(picture, text, mode) for text in (f"Is it {name} {n}?", f"Do you see {name} {n}?"))
        return Group(Relation.SAME, asked, (Gold.of("yes"),) * 2)

    table = groups_table((("plain", pair(n)) for n in range(10)), name)
    lab.put_suite(Manifest.of(table, generator="tests", seed=0), table)


def _ids(lab: LabStore, suite: str = "pairs") -> list[str]:
    return [hex_id(one) for one in lab.suite(suite).table["query"].to_pylist()]


def _write(name: str, pairs: list[tuple[str, str]]) -> None:
    Path(name).write_text("".join(json.dumps({"query_id": own, "response": said}) + "\n" for own, said in pairs))


def _run(*words: str, command: str = "import") -> Result:
    model = ["--name", "llava"] if command == "import" else []
    return CliRunner().invoke(commands, [command, "lab", *words, *model], catch_exceptions=False)


def test_predictions_become_answers_that_are_scored_by_the_name_of_their_model(lab: LabStore) -> None:
    _write("a.jsonl", [(own, "Yes, it is." if n % 2 else "No.") for n, own in enumerate(_ids(lab))])
    said = _run("a.jsonl")
    assert said.exit_code == 0
    assert said.stdout == "a.jsonl: plain (id=query_id, answer=response)\nllava: 20 answers added to lab\n"
    answers = lab.read_answers(FINGERPRINT)
    assert set(answers["value"].to_pylist()) == {"yes", "no"}
    assert answers["raw"].to_pylist().count("Yes, it is.") == 10
    scores = json.loads(_run("--json", command="score").stdout)["scores"]
    assert {(row["model"], row["value"]) for row in scores if row["metric"] == "accuracy"} == {("llava", 0.5)}
    (info,) = lab.versions()
    assert info.details["counts"]["added"] == 20
    assert info.details["suites"] == {"pairs": lab.manifest("pairs").fingerprint}
    (file,) = info.details["files"]
    assert (file["name"], file["format"], len(file["digest"])) == ("a.jsonl", "plain", 32)


def test_answers_of_a_baseline_are_not_replaced_in_silence(lab: LabStore, caplog: pytest.LogCaptureFixture) -> None:
    """A nightly import under one name would else compare each version with itself for ever."""
    ids = _ids(lab)
    _write("a.jsonl", [(own, "yes") for own in ids])
    _run("a.jsonl")
    lab.set_baseline(lab.versions()[0])
    _write("a.jsonl", [(own, "no" if n == 3 else "yes") for n, own in enumerate(ids)])
    _run("a.jsonl")
    (version,) = lab.versions()
    assert (
        f"llava@{version.version} is a baseline, and 1 answer was replaced: give new predictions a --version"
        in caplog.text
    )


def test_the_same_file_again_adds_nothing_and_a_changed_answer_takes_its_place(lab: LabStore) -> None:
    ids = _ids(lab)
    _write("a.jsonl", [(own, "yes") for own in ids])
    _run("a.jsonl")
    assert "llava: 0 answers added to lab; 20 were there already" in _run("a.jsonl").stdout
    assert len(lab.runs()) == 1
    _write("b.jsonl", [(own, "no" if n == 3 else "yes") for n, own in enumerate(ids)])
    again = _run("b.jsonl")
    assert "llava: 1 answer added to lab, 1 in place of another one; 19 were there already" in again.stdout
    answers = lab.read_answers(FINGERPRINT, ["query", "value"]).to_pylist()
    assert {hex_id(row["query"]) for row in answers if row["value"] == "no"} == {ids[3]}
    assert len(lab.runs()) == 2


def test_what_does_not_match_is_counted_named_and_listed(lab: LabStore) -> None:
    ids = _ids(lab)
    _write("a.jsonl", [(ids[0], "yes"), (ids[0], "yes"), (ids[1], "yes"), (ids[1], "no"), ("7", "x"), ("=8", "x")])
    with Path("a.jsonl").open("a") as file:
        file.write('{"accuracy": 0.5}\n')
    said = _run("a.jsonl", "--out", "odd.csv")
    assert said.exit_code == 0
    assert said.stdout.splitlines()[1:] == [
        "llava: 2 answers added to lab",
        "  1 of 7 records is no prediction:",
        "    a.jsonl, record 7: no id among accuracy",
        "  2 of 7 records are about no query:",
        "    a.jsonl, record 5: no query has the id '7'",
        "    a.jsonl, record 6: no query has the id '=8'",
        "  1 of 7 records was there twice with different answers:",
        "    a.jsonl, record 4: 'no', where a.jsonl, record 3 says 'yes'; the last stands",
        f"  18 queries of pairs without a prediction: {', '.join(ids[2:5])}, …",
        "  1 of 7 records was there twice with the same answer:",
        "    a.jsonl, record 2: as in a.jsonl, record 1",
        "  all of these are listed in odd.csv",
    ]
    with Path("odd.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["kind"] for row in rows[:5]] == ["repeated", "conflict", "unmatched", "unmatched", "odd"]
    assert [row["id"] for row in rows[2:4]] == ["7", "'=8"], "a spreadsheet runs no formula"
    assert [row["query"] for row in rows if row["kind"] == "missing"] == ids[2:]
    _run("a.jsonl", "--out", "odd.jsonl")
    assert len(Path("odd.jsonl").read_text().splitlines()) == len(rows) == 23


def test_one_result_more_than_there_are_items_is_said_and_costs_nothing_else(lab: LabStore) -> None:
    _write("a.jsonl", [*((own, "yes") for own in _ids(lab)), ("20", "yes")])
    counts = json.loads(_run("a.jsonl", "--json").stdout)
    assert (counts["records"], counts["matched"], counts["unmatched"]) == (21, 20, 1)
    assert (counts["added"], counts["missing"]) == (20, {"pairs": 0})


def test_strictness_adds_all_or_nothing(lab: LabStore) -> None:
    ids = _ids(lab)
    _write("a.jsonl", [(own, "yes") for own in ids[1:]])
    said = _run("a.jsonl", "--strict")
    assert said.exit_code == 1
    assert "llava: nothing was added to lab, since not everything matches" in said.stdout
    assert f"1 query of pairs without a prediction: {ids[0]}\n" in said.stdout
    assert not lab.runs()
    _write("b.jsonl", [(ids[0], "yes"), ("summary", "x")])
    assert _run("a.jsonl", "b.jsonl", "--strict").exit_code == 1
    _write("b.jsonl", [(ids[0], "yes")])
    assert _run("a.jsonl", "b.jsonl", "--strict").exit_code == 0


def test_where_nothing_matches_the_command_fails_and_no_model_appears(lab: LabStore) -> None:
    _write("a.jsonl", [("1", "yes")])
    said = _run("a.jsonl")
    assert said.exit_code == 1
    assert "nothing was added to lab, since no record is about any of 20 queries" in said.stdout
    assert not lab.versions()


def test_pictures_and_texts_lead_to_queries_too(lab: LabStore) -> None:
    rows = zip(read_queries(lab.suite("pairs").table), range(20), strict=True)
    with Path("a.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["image", "what", "said"])
        out.writerows([f"/data/{query.picture.address[4:]}", query.text, n] for query, n in rows if query.picture)
    said = _run("a.csv", "--columns", "text=what,answer=said")
    assert "llava: 20 answers added to lab" in said.stdout


def test_suites_that_ask_for_scores_take_numbers(lab: LabStore) -> None:
    _put(lab, "captions", Mode.SCORE)
    ids = _ids(lab, "captions")
    with Path("a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("query_id", "score"), *((own, -n / 4) for n, own in enumerate(ids))])
    assert _run("a.csv", "--suite", "captions").exit_code == 0
    assert sorted(lab.read_answers(FINGERPRINT)["score"].to_pylist()) == sorted(-n / 4 for n in range(20))


def test_answers_know_the_pictures_that_they_are_about(lab: LabStore) -> None:
    """A later run finds nothing to ask again, and finds everything if the pictures change."""
    _write("a.jsonl", [(own, "yes") for own in _ids(lab)])
    _run("a.jsonl")
    digests = lab.read_answers(FINGERPRINT)["digest"].to_pylist()
    assert len(set(digests)) == 3
    assert all(len(digest) == 32 for digest in digests)
    for number in range(3):
        Image.new("RGB", (9, 9)).save(f"pictures/{number}.png")
    assert "20 answers added to lab, 20 in place of another one" in _run("a.jsonl").stdout


def test_a_picture_that_is_not_here_is_no_hindrance(lab: LabStore) -> None:
    Path("pictures/0.png").unlink()
    _write("a.jsonl", [(own, "yes") for own in _ids(lab)])
    assert _run("a.jsonl").exit_code == 0
    assert lab.read_answers(FINGERPRINT)["digest"].to_pylist().count("") == 8


def test_what_a_rule_cannot_read_is_kept_and_counted(lab: LabStore) -> None:
    _write("a.jsonl", [(own, "As I said before: umbrella stand") for own in _ids(lab)])
    said = _run("a.jsonl", "--rule", "yes-no")
    assert "20 hold no value that the rule yes-no finds" in said.stdout
    assert set(lab.read_answers(FINGERPRINT)["state"].to_pylist()) == {"unparsed"}


def test_wrong_words_are_answered_with_right_ones(lab: LabStore) -> None:
    _write("a.jsonl", [(own, "yes") for own in _ids(lab)])
    assert _run("a.jsonl", "--columns", "name").exit_code == 2
    for words, said in (
        (["--format", "lmms"], "no format is called 'lmms'"),
        (["--suite", "pars"], "no suite of this lab is called 'pars'"),
        (["--rule", "magic"], "no rule is called 'magic'"),
        (["--columns", "name=x"], "no role of a column is called 'name'"),
    ):
        with pytest.raises(UnknownName, match=said):
            _run("a.jsonl", *words)
    with pytest.raises(StoreError, match="there is no lab at"):
        CliRunner().invoke(commands, ["import", "no", "a.jsonl", "--name", "m"], catch_exceptions=False)
    assert not lab.runs()


def test_the_lab_stays_whole(lab: LabStore) -> None:
    _write("a.jsonl", [(own, "yes") for own in _ids(lab)])
    _run("a.jsonl")
    assert all(check.holds for check in lab.verify())
    assert (lab.folder / "answers" / slug(FINGERPRINT)).is_dir()


def test_neither_torch_nor_pandas_nor_a_library_for_spreadsheets_is_loaded(lab: LabStore) -> None:
    """Arrow makes a data frame all the same, where one is asked for later."""
    _write("a.jsonl", [(own, "yes") for own in _ids(lab)])
    code = (
        "import sys; sys.argv = ['counterpoint', 'import', 'lab', 'a.jsonl', '--name', 'm'];\n"
        "from counterpoint.cli.main import commands; commands(standalone_mode=False)\n"
        "print(sorted({'torch', 'transformers', 'openpyxl', 'onnxruntime', 'pandas'} & set(sys.modules)))\n"
        "import pyarrow; print(type(pyarrow.table({'a': [1]}).to_pandas()).__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["[]", "DataFrame"]


QUESTIONS = [(n, f"{n % 3}.png", f"Is it pairs {n}?\nAnswer the question using a single word.") for n in range(10)]


def _llava_folder() -> None:
    """A folder as LLaVA's evaluation leaves it: the questions, and answers by their numbers alone."""
    asked = [{"question_id": n, "image": image, "text": text, "category": "default"} for n, image, text in QUESTIONS]
    answers = [{"question_id": n, "prompt": "", "text": "Yes", "answer_id": "a", "model_id": "m"} for n in range(10)]
    for name, records in (("question.jsonl", asked), ("answer.jsonl", answers)):
        Path(name).write_text("".join(json.dumps(record) + "\n" for record in records))


def test_pictures_and_texts_come_from_the_file_of_questions(lab: LabStore) -> None:
    _llava_folder()
    assert _run("answer.jsonl").exit_code == 1, "numbers alone are no ids of ours"
    said = _run("answer.jsonl", "--questions", "question.jsonl")
    assert said.stdout.splitlines()[:2] == [
        "answer.jsonl: llava (id=question_id, answer=text, text=prompt)",
        "llava: 10 answers added to lab",
    ]
    answers = lab.read_answers(FINGERPRINT)
    asked = dict(
        zip(lab.suite("pairs").table["query"].to_pylist(), lab.suite("pairs").table["text"].to_pylist(), strict=True)
    )
    assert {asked[query] for query in answers["query"].to_pylist()} == {f"Is it pairs {n}?" for n in range(10)}
    (info,) = lab.versions()
    assert info.details["settings"]["questions"] == "question.jsonl"


@pytest.mark.parametrize("layout", ["official", "conversations", "table"])
def test_questions_are_read_in_the_layouts_of_vqa_of_conversations_and_of_tables(lab: LabStore, layout: str) -> None:
    _llava_folder()
    rows = [(n, image, text) for n, image, text in QUESTIONS]
    if layout == "official":
        questions = [{"image_id": int(image[0]), "question": text, "question_id": n} for n, image, text in rows]
        Path("asked").write_text(json.dumps({"info": {}, "license": {}, "questions": questions}))
    elif layout == "conversations":
        turns = [
            [{"from": "human", "value": f"<image>\n{text}"}, {"from": "gpt", "value": "no"}] for _, _, text in rows
        ]
        records = zip(rows, turns, strict=True)
        Path("asked").write_text(
            json.dumps([{"id": n, "image": i, "conversations": own} for (n, i, _), own in records])
        )
    else:
        with Path("asked").open("w", newline="") as file:
            csv.writer(file, delimiter="\t").writerows(
                [("index", "question", "image_path"), *((n, t, i) for n, i, t in rows)]
            )
    assert "10 answers added" in _run("answer.jsonl", "--questions", "asked").stdout


def test_a_file_without_questions_is_named(lab: LabStore) -> None:
    _llava_folder()
    Path("answer.json").write_text('[{"size": 3}]')
    with pytest.raises(SourceError, match=r"answer\.json: no record has an id and a text; the first has size"):
        _run("answer.jsonl", "--questions", "answer.json")


def test_a_column_that_no_file_has_is_told(lab: LabStore, caplog: pytest.LogCaptureFixture) -> None:
    Path("mine.json").write_text(json.dumps([{"query_id": own, "said": "yes", "pic": "1.jpg"} for own in _ids(lab)]))
    _run("mine.json", "--columns", "answer=said,trial=tril,image=pic")
    assert [record.message for record in caplog.records if "--columns" in record.message] == [
        "--columns trial=tril is not used: no file has this column"
    ]


def test_right_answers_are_not_imported_without_a_warning(lab: LabStore, caplog: pytest.LogCaptureFixture) -> None:
    rows = [{"query_id": own, "question": "", "answer": "Yes"} for own in _ids(lab)]
    Path("gold.json").write_text(json.dumps(rows))
    _run("gold.json")
    assert "all answers in the column answer are right: does it hold what is right" in caplog.text
    caplog.clear()
    Path("mine.json").write_text(json.dumps([row | {"pred_label": "yes"} for row in rows]))
    assert "answer=pred_label" in _run("mine.json").stdout
    Path("wrong.json").write_text(json.dumps([*rows[1:], rows[0] | {"answer": "no"}]))
    _run("wrong.json")
    assert "are right" not in caplog.text


def test_an_object_of_records_takes_any_number_of_mapped_columns(lab: LabStore) -> None:
    held = {f"q{n}": {"img": n % 3, "words": f"Is it pairs {n}?", "said": {"text": "no"}} for n in range(10)}
    Path("a.json").write_text(json.dumps(held))
    for picture in ("img", "{img}.png"):
        said = _run("a.json", "--columns", f"picture={picture},text=words,answer=said.text")
        assert said.exit_code == 0, said.stdout
    patterns = "picture={img}.png,text={words},answer={said[text]}"
    assert "10 were there already" in _run("a.json", "--columns", patterns).stdout
    held = {f"q{n}": {f"column{place}": place for place in range(300)} for n in range(300)}
    Path("b.json").write_text(json.dumps(held))
    assert max(map(len, _run("b.json").stdout.splitlines())) < 120


def test_several_models_are_read_from_columns_of_one_file_and_compared(lab: LabStore) -> None:
    with Path("both.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["query_id", "llava", "qwen_7b"])
        rows.writerows([own, "yes", "no" if number % 2 else "yes"] for number, own in enumerate(_ids(lab)))
    said = _run("both.csv", "--name", "qwen=qwen_7b")
    assert said.exit_code == 0
    assert "both.csv: plain (answer=qwen_7b, id=query_id)\nqwen: 20 answers added to lab\n" in said.stdout
    assert "qwen less llava, in per cent" in said.stdout
    parts = json.loads(_run("both.csv", "--name", "qwen=qwen_7b", "--json").stdout)
    assert [len(parts[key]) for key in ("imports", "comparisons")] == [2, 1]
    rows_of = {row["metric"]: row for row in parts["comparisons"][0]["differences"]}
    assert (rows_of["accuracy"]["first"], rows_of["accuracy"]["second"]) == (0.5, 1.0)


def test_a_folder_stands_for_its_files_which_are_told_together(lab: LabStore) -> None:
    Path("each").mkdir()
    for number, own in enumerate(_ids(lab)):
        _write(f"each/{number:02}.jsonl", [(own, "yes")])
    Path("each/notes.md").write_text("not a prediction")
    Path("each/._00.jsonl").write_bytes(b"\x00\x05\x16\x07")  # as macOS leaves them on other disks
    said = _run("each").stdout
    assert said.startswith("20 files, each/00.jsonl to each/19.jsonl: plain (id=query_id, answer=response)\n")
    assert "llava: 20 answers added to lab" in said
    Path("none").mkdir()
    with pytest.raises(SourceError, match="none has no file with predictions"):
        _run("none")


def test_the_tables_of_many_models_are_made_once(lab: LabStore, monkeypatch: pytest.MonkeyPatch) -> None:
    updates: list[object] = []
    monkeypatch.setattr(Lab, "_update_tables", lambda self, suites: updates.append(suites))
    lines = [f"{own},no,yes" for own in _ids(lab)]
    Path("both.csv").write_text("\n".join(["query_id,llava,tuned", *lines]))
    assert _run("both.csv", "--name", "tuned").exit_code == 0
    assert len(updates) == 1
    assert _run("both.csv", "--name", "llava=tuned").exit_code == 2


def test_one_model_is_read_from_the_column_that_its_name_tells(lab: LabStore) -> None:
    lines = [f"{own},no,yes" for own in _ids(lab)]
    Path("both.csv").write_text("\n".join(["query_id,prediction,tuned", *lines]))
    done = CliRunner().invoke(commands, ["import", "lab", "both.csv", "--name", "qwen=tuned"], catch_exceptions=False)
    assert "answer=tuned" in done.output
    assert [model.name for model in lab.versions()] == ["qwen"]


def test_predictions_in_utf_16_are_read(lab: LabStore) -> None:
    text = "\r\n".join(["query_id\tprediction", *(f"{own}\tyes" for own in _ids(lab))])
    Path("a.tsv").write_bytes(text.encode("utf-16"))
    assert "llava: 20 answers added to lab" in _run("a.tsv").stdout


def test_a_recorded_prompt_and_order_of_choices_travel_with_the_answer(lab: LabStore, tmp_path: Path) -> None:
    query = Query(Picture("toy:0.png"), "Which color is it?", choices=("red", "blue"))
    table = groups_table([("plain", Group(Relation.GOLD, (query,), (Gold.of("blue"),)))], "colors")
    lab.put_suite(Manifest.of(table, generator="tests", seed=0), table)
    prompt = "<image>\nWhich color is it?\nA. blue\nB. red\nAnswer with the letter."
    record = {"query_id": hex_id(query.id), "prompt": prompt, "response": "A"}
    Path("said.jsonl").write_text(json.dumps(record))
    assert "1 answer added" in _run("said.jsonl", "--suite", "colors").stdout
    columns = ("value", "prompt", "offered")
    kept = {"value": "blue", "prompt": prompt, "offered": ["blue", "red"]}
    assert lab.read_answers(FINGERPRINT, columns).to_pylist() == [kept]
    assert _run("--rule", "choice", command="rescore").exit_code == 0
    assert lab.read_answers(FINGERPRINT, columns).to_pylist() == [kept]  # the letter still means what was shown
    assert "1 was there already" in _run("said.jsonl", "--suite", "colors").stdout
    client = local_client(create_app(lab, cache=tmp_path / "cache"))
    group = client.get("/suites/colors/models/llava.json").json()["groups"][0]["address"]
    for page in (client.get(f"/samples/{hex_id(query.id)}").text, client.get(group).text):
        assert "Answer with the letter." in page
        assert "offered blue, red" in page


def test_a_prompt_that_is_the_question_itself_is_not_kept_twice(lab: LabStore) -> None:
    record = {"query_id": _ids(lab)[0], "prompt": "Is it pairs 0?", "response": "yes"}
    Path("said.jsonl").write_text(json.dumps(record))
    _run("said.jsonl")
    assert lab.read_answers(FINGERPRINT, ("prompt", "offered")).to_pylist() == [{"prompt": None, "offered": None}]


def test_a_file_in_which_no_record_is_a_prediction_asks_for_its_columns(lab: LabStore) -> None:
    Path("mine.csv").write_text(f"query_id,reply\n{_ids(lab)[0]},yes\n")
    said = _run("mine.csv", "--columns", "answer=rply")
    assert said.exit_code == 1
    assert "nothing was added to lab; --columns id=…,answer=… says which columns hold predictions" in said.stdout
    assert "1 answer added" in (told := _run("mine.csv", "--columns", "answer=reply", "--rule", "number").stdout)
    assert "1 holds no value" in told
