"""Files that people make themselves are read whatever their columns are called, and what cannot be read is said."""

import base64
import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from counterpoint import Lab
from counterpoint.cli.main import commands
from counterpoint.core.errors import SourceError, UnknownName
from counterpoint.core.groups import Gold
from counterpoint.core.items import Caption, Question
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.own_files import plain
from counterpoint.sources.reading.cells import (
    UNPACKED,
    ParsedAnswers,
    choices_of,
    parse_answers,
    parse_nested,
    picture_bytes,
)
from counterpoint.store.groups import read_queries
from counterpoint.store.lab import LabStore

ROW = {"question": "What color is it?", "answer": "red", "image": "images/1.jpg"}
DOT = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix in (".csv", ".tsv"):
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows))
    else:
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def _questions(path: Path, split: str = "test", **columns: str) -> tuple[list[Question], Source]:
    source = Source(plain, path, split, columns=columns)
    return list(source.questions()), source


def test_a_column_that_no_row_has_is_told_with_those_there_are(tmp_path: Path) -> None:
    path = _write(tmp_path / "mine.csv", [ROW, ROW | {"answer": "blue"}])
    _, source = _questions(path, kind="knd", answer="answer")
    (line,) = source.skips.lines()
    assert line == "1 skipped: a column that no row has (mine.csv: kind=knd): the first has question, answer, image"


def test_a_column_without_a_name_has_no_role(tmp_path: Path) -> None:
    """The index that pandas writes is no split, no kind and no context."""
    (tmp_path / "a.csv").write_text(",image,question,answer\n7,1.jpg,Is it?,yes\n", encoding="utf-8")
    (question,), source = _questions(tmp_path / "a.csv")
    assert (question.text, question.kind, question.context, question.choices) == ("Is it?", "", "", ())
    assert not source.skips.lines()


def test_a_table_in_utf_16_is_read_as_spreadsheets_write_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_bytes("question\tanswer\timage\r\nWas steht da?\tMüller 是\t1.jpg\r\n".encode("utf-16"))
    (question,), _ = _questions(path)
    assert (question.text, question.gold.best) == ("Was steht da?", "Müller 是")


def test_questions_have_the_tags_that_columns_name(tmp_path: Path) -> None:
    rows = [ROW | {"weather": "50% cloud", "city": "Köln"}, ROW | {"answer": "blue", "weather": "", "city": "Bern"}]
    asked, _ = _questions(_write(tmp_path / "mine.csv", rows), tags="weather+city")
    assert [question.tags for question in asked] == [(("weather", "50% cloud"), ("city", "Köln")), (("city", "Bern"),)]


def test_a_list_in_a_column_of_tags_is_one_value(tmp_path: Path) -> None:
    skills: list[list[str] | str] = [["ocr", "math"], ["math"], [], "ocr"]
    rows = [{**ROW, "answer": str(place), "skills": own} for place, own in enumerate(skills)]
    asked, _ = _questions(_write(tmp_path / "mine.jsonl", rows), tags="skills")
    assert [dict(question.tags).get("skills") for question in asked] == ["ocr, math", "math", None, "ocr"]


def test_a_letter_behind_which_there_is_no_choice_is_no_answer(tmp_path: Path) -> None:
    row = {"question": "Which?", "A": "red", "B": "blue", "C": "", "image": "1.jpg"}
    asked, source = _questions(_write(tmp_path / "mine.csv", [row | {"answer": letter} for letter in "ABC"]))
    assert [question.gold.best for question in asked] == ["red", "blue"]
    assert "row 3: the answer 'C' is none of 2 choices" in source.skips.lines()[0]


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., list[Question]]:
    def questions_of(*rows: Any, **columns: str) -> list[Question]:
        found, source = _questions(_write(tmp_path / "rows.jsonl", list(rows)), **columns)
        assert not source.skips.total, source.skips.lines()
        return found

    return questions_of


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.tsv", "a.parquet", "a"])
def test_a_file_of_any_kind_says_the_same(tmp_path: Path, name: str) -> None:
    rows = [ROW | {"id": "007", "question": 'He said "no, 1"?\n'}, ROW | {"id": "8", "answer": "ö"}]
    found, source = _questions(_write(tmp_path / name, rows))
    picture = Picture("plain:images/1.jpg")
    assert found == [
        Question("007", picture, 'He said "no, 1"?', Gold.of("red")),
        Question("8", picture, "What color is it?", Gold.of("ö")),
    ]
    assert not source.skips.total


@pytest.mark.parametrize(
    "names",
    [
        ("Question", "Gold_Answer", "file_name"),
        ("prompt", "label", "img"),
        ("text", "answers", "imagePath"),
        ("query", "ground truth", "picture"),
    ],
)
def test_columns_are_known_by_what_they_are_mostly_called(
    read: Callable[..., list[Question]], names: tuple[str, str, str]
) -> None:
    (question,) = read(dict(zip(names, ROW.values(), strict=True)))
    assert (question.text, question.gold.best, question.picture.path) == tuple(ROW.values())


def test_columns_that_are_said_win_over_those_that_are_guessed(read: Callable[..., list[Question]]) -> None:
    row = ROW | {"Q": "Is it?", "meta": {"right": "yes"}, "number": 42}
    said = {"question": "Q", "answer": "meta.right", "image": "COCO_val2014_{number:012}.jpg", "namespace": "coco"}
    (question,) = read(row, **said)
    assert (question.text, question.gold.best) == ("Is it?", "yes")
    assert question.picture == Picture("coco:COCO_val2014_000000000042.jpg")


def test_an_unknown_role_is_answered_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="no role of a column is called 'answr'") as raised:
        _questions(_write(tmp_path / "a.jsonl", [ROW]), answr="A")
    assert "answer" in raised.value.hint


@pytest.mark.parametrize(
    ("row", "given", "said"),
    [
        ({"q": "?", "a": "!"}, {}, r"a.jsonl: no row has columns for questions; the first.* has q, a"),
        (ROW, {"question": "Q"}, r"no row has columns for question=Q; the first.* has question, answer, image"),
    ],
)
def test_a_file_without_the_columns_is_refused_with_those_it_has(
    tmp_path: Path, row: dict[str, str], given: dict[str, str], said: str
) -> None:
    with pytest.raises(SourceError, match=said) as raised:
        _questions(_write(tmp_path / "a.jsonl", [row]), **given)
    assert "--columns question=" in raised.value.hint


def test_a_list_of_rows_within_a_file_is_named_where_the_file_has_no_rows(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"info": {}, "data": [ROW]}), encoding="utf-8")
    with pytest.raises(SourceError, match="the first has info, data") as raised:
        _questions(tmp_path / "a.json")
    assert raised.value.hint == "--columns list=data reads the rows of this list"
    assert len(_questions(tmp_path / "a.json", list="data")[0]) == 1


@pytest.mark.parametrize(
    ("turns", "name", "text"),
    [
        (
            [{"from": "human", "value": "<image>\nWhat is it?"}, {"from": "gpt", "value": "red"}],
            "conversations",
            "value",
        ),
        ([{"role": "user", "content": "What is it?<image>"}, {"role": "x", "content": "red"}], "messages", "content"),
    ],
)
def test_the_turns_of_a_conversation_are_named_by_the_hint_and_read_without_the_mark_of_their_picture(
    tmp_path: Path, turns: list[dict[str, str]], name: str, text: str
) -> None:
    path = _write(tmp_path / "a.json", [{"image": "1.jpg", name: turns}])
    with pytest.raises(SourceError, match=f"the first has image, {name}") as raised:
        _questions(path)
    said = f"question={name}.0.{text},answer={name}.1.{text}"
    assert raised.value.hint == f"--columns {said} reads the first two turns"
    ((question,), _) = _questions(path, question=f"{name}.0.{text}", answer=f"{name}.1.{text}")
    assert (question.text, question.gold) == ("What is it?", Gold.of("red"))


def test_a_question_about_a_second_picture_is_skipped(tmp_path: Path) -> None:
    """As MMMU and LLaVA mark pictures: whoever reads its first alone would ask about one that nobody shows."""
    texts = [
        "<image 1> What is it?",
        "Is <image 1> as red as <image_2>?",
        "Which one? <image 1>",
        "<image>\n<image>\nAre they alike?",
    ]
    rows = [ROW | {"question": text, "options": ["red", "blue"]} for text in texts]
    rows[2]["options"] = ["red", "<image 2>"]
    path = _write(tmp_path / "a.jsonl", rows)
    questions, source = _questions(path)
    assert [question.text for question in questions] == ["What is it?"]
    assert source.skips.total == 3
    assert "names a second picture: a question is about one" in source.skips.lines()[0]
    groups = Source(plain, path, "test", columns={"relation": "'gold'"})
    assert [ready.group.queries[0].text for ready in groups.groups()] == ["What is it?"]
    assert groups.skips.total == 3


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("red", ParsedAnswers(Gold.of("red"))),
        (2, ParsedAnswers(Gold.of("2"))),
        (False, ParsedAnswers(Gold.of("no"))),
        (["sofa", "couch"], ParsedAnswers(Gold.of("sofa", "couch"))),
        ('["sofa", "couch"]', ParsedAnswers(Gold.of("sofa", "couch"))),
        ("['sofa', \"couch's\"]", ParsedAnswers(Gold.of("sofa", "couch's"))),
        ("[sofa", ParsedAnswers(Gold.of("[sofa"))),
        (["a", "b", "a"], ParsedAnswers(Gold.from_votes("aba"), ("a", "b", "a"))),
        (list("abcdefghij"), ParsedAnswers(Gold.from_votes("abcdefghij"), tuple("abcdefghij"))),
        ([{"answer": "a", "answer_id": 1}, {"answer": "b"}], ParsedAnswers(Gold.from_votes("ab"), ("a", "b"))),
        ([{"answer": "b", "credit": 0.3}, {"answer": "a", "credit": 1}], ParsedAnswers(Gold((("a", 1.0), ("b", 0.3))))),
        ({"a": 0.3, "b": 1, "c": 0}, ParsedAnswers(Gold((("b", 1.0), ("a", 0.3))))),
        ({"ids": ["a"], "weights": [0.6]}, ParsedAnswers(Gold((("a", 0.6),)))),
        (["a", "a"], ParsedAnswers(Gold.of("a"))),  # as votes they would be worth two thirds
        ({"a": "b"}, None),
        ({}, None),
        ([], None),
        (["", None], None),
        (None, None),
        (" ", None),
        (float("nan"), None),
    ],
)
def test_right_answers_are_one_several_votes_or_credits(value: Any, expected: ParsedAnswers | None) -> None:
    assert parse_answers(value) == expected


def test_votes_that_are_said_to_be_votes_are_votes(read: Callable[..., list[Question]]) -> None:
    row = {key: ROW[key] for key in ("question", "image")} | {"people": ["red", "pink"]}
    (question,) = read(row, votes="people")
    assert question.votes == ("red", "pink")


def test_answers_are_found_among_the_choices_by_text_letter_or_place(read: Callable[..., list[Question]]) -> None:
    offered = ROW | {"choices": ["red", "blue"]}
    lettered = ROW | {"A": "red", "B": "blue", "C": ""}
    rows = [
        offered | {"answer": "blue"},
        offered | {"answer": 1},
        lettered | {"answer": "B"},
        offered | {"answer": "Answer: B"},
        offered | {"answer": {"B": 1, "A": 0.3}},
        offered | {"answer": ["B", "x"]},
    ]
    found = read(*rows)
    assert [one.gold.best for one in found] == ["blue"] * 6
    assert found[4].gold.answers == (("blue", 1.0), ("red", 0.3))
    assert {one.choices for one in found} == {("red", "blue")}
    assert choices_of({"A": "red", "B": "blue"}, {}) == choices_of('["red", "blue"]', {}) == ("red", "blue")


@given(st.text() | st.recursive(st.none() | st.integers() | st.floats() | st.text(), st.lists))
def test_no_cell_is_too_odd(value: Any) -> None:
    found = parse_answers(value)
    assert found is None or found.gold.best
    parse_nested(value)


def test_rows_of_other_splits_are_left_alone_and_a_split_that_is_not_there_is_said(tmp_path: Path) -> None:
    rows = [ROW | {"id": name, "split": name} for name in ("train", "validation")]
    path = _write(tmp_path / "a.csv", rows)
    assert [one.id for one in _questions(path, "val")[0]] == ["validation"]
    with pytest.raises(SourceError, match=r"a\.csv has no row of test") as raised:
        _questions(path)
    assert raised.value.hint == "there are train, validation"


def test_in_a_folder_the_file_of_the_split_is_taken_or_the_only_one(tmp_path: Path) -> None:
    _write(tmp_path / "dev.csv", [ROW | {"id": "dev"}])
    assert [one.id for one in _questions(tmp_path)[0]] == ["dev"]
    _write(tmp_path / "train.jsonl", [ROW | {"id": "train"}])
    assert [one.id for one in _questions(tmp_path, "val")[0]] == ["dev"]
    with pytest.raises(SourceError, match=r"has no file of test: it has dev\.csv, train\.jsonl"):
        _questions(tmp_path)


def test_rows_may_stand_by_key_or_in_a_list_with_a_name(tmp_path: Path) -> None:
    keyed, named = tmp_path / "keyed.json", tmp_path / "named.json"
    keyed.write_text(json.dumps({"a": ROW, "b": ROW}))
    named.write_text(json.dumps({"info": {}, "questions": [ROW]}))
    assert [one.id for one in _questions(keyed)[0]] == ["a", "b"]
    assert [one.id for one in _questions(named, list="questions")[0]] == ["0"]
    with pytest.raises(SourceError, match=r"the first.* has info, questions"):
        _questions(named)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"question": " "}, "row 1 has no question"),
        ({"answer": ""}, "row 1 has no answer"),
        ({"image": ""}, "row 1 has no picture"),
        ({"image": "https://example.org/1.jpg"}, "'https://example.org/1.jpg' is no path"),
        ({"image": "a/../../1.jpg"}, "'../1.jpg' leads out of the folder"),
        ({"image": "/1.jpg"}, "'/1.jpg' leads out of the folder"),
        ({"image": "C:\\pictures\\1.jpg"}, "'C:/pictures/1.jpg' leads out of the folder"),
        ({"mode": "score"}, "a sentence to be scored, which is no question"),
        ({"edits": '[["blur",["2"],0]]'}, "what was done to its picture is not in the file"),
    ],
)
def test_a_row_that_cannot_be_read_is_counted_and_the_next_is_read(
    tmp_path: Path, row: dict[str, str], said: str
) -> None:
    blank = dict.fromkeys(("mode", "edits"), "")
    found, source = _questions(
        _write(tmp_path / "a.csv", [ROW | blank | row, ROW | blank | {"image": r"images\1.jpg"}])
    )
    assert [one.picture.path for one in found] == ["images/1.jpg"]
    assert said in source.skips.lines()[0]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"", "a.csv is empty"),
        ("a.csv", b"question,question\n", "a.csv has two columns 'question'"),
        ("a.csv", b",\n", "the first line of a.csv names no columns"),
        ("a.csv", b'question,answer\n"open,1\n', "a.csv, record 1: unexpected end of data"),
        ("a.csv", b"question,answer\n\xff\xfe,1\n", "a.csv is no text in UTF-8"),
        ("a.jsonl", b'{"question": "a", "answer": "b"}\n{"question"', "a.jsonl ends in the middle of a record"),
        ("a.parquet", b"PAR1nothing", "a.parquet cannot be read as Parquet after row 0"),
    ],
)
def test_a_damaged_file_is_refused_in_plain_words(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=said):
        _questions(tmp_path / name)


@pytest.mark.parametrize(("name", "content"), [("a.csv", "image,question,answer\n"), ("a.json", "[]")])
def test_a_file_without_rows_is_told(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(SourceError, match=f"{name} has no row"):
        _questions(tmp_path / name)


def test_a_row_with_too_few_fields_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("question;answer;image\nIs it?;yes;1.jpg\nIs it?;yes\n\nIs it?;no;1.jpg\n")
    found, source = _questions(path)
    assert [one.gold.best for one in found] == ["yes", "no"]
    assert "a.csv, row 2 has 2 fields, and the first line names 3" in source.skips.lines()[0]


def test_captions_come_with_foils_and_several_to_a_row(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "caption": "A cat.", "negative_caption": "A dog.", "filename": "1.jpg"},
        {"id": 2, "caption": ["One.", "Two."], "foil": ["None."], "filename": "2.jpg"},
    ]
    one, two = Picture("plain:1.jpg"), Picture("plain:2.jpg")
    found = list(Source(plain, _write(tmp_path / "a.jsonl", rows), "test").captions())
    assert found == [
        Caption("1", one, "A cat.", "A dog."),
        Caption("2-0", two, "One.", "None."),
        Caption("2-1", two, "Two."),
    ]


def _generate(*words: str) -> Result:
    return CliRunner().invoke(commands, ["generate", *words], catch_exceptions=False)


@pytest.mark.parametrize("shown", ["images/1.png", "1.png"])
def test_a_suite_is_made_of_a_file_and_its_pictures_are_found_beside_it(tmp_path: Path, shown: str) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "1.png").write_bytes(DOT)
    path = _write(
        tmp_path / "mine.csv", [{"Q": "What color?", "A": "red", "FILE": shown}, {"Q": "", "A": "", "FILE": ""}]
    )
    lab = str(tmp_path / "lab")
    words = (
        "--suite",
        "plain",
        "--source",
        "plain",
        "--data",
        str(path),
        "--columns",
        "question=Q,answer=A,image=FILE",
    )
    done = _generate(lab, *words)
    assert done.exit_code == 0, done.output
    assert "1 skipped: does not match the layout (mine.csv, row 2 has no question" in done.stderr
    stored = LabStore(lab).suite("plain")
    assert stored.manifest.parameters["columns"] == {"question": "Q", "answer": "A", "image": "FILE"}
    (query,) = read_queries(stored.table)
    assert query.picture is not None
    assert LabStore(lab).pictures().pixels(query.picture).shape == (1, 1, 3)


def test_pictures_written_as_text_are_unpacked_into_the_lab_once(tmp_path: Path) -> None:
    written = base64.b64encode(DOT + b"\0" * 2000).decode()
    rows = [{"index": number, "image": written, "question": f"{number}?", "answer": "yes"} for number in range(3)]
    path, lab = _write(tmp_path / "bench.tsv", rows), tmp_path / "lab"
    done = _generate(str(lab), "--suite", "plain", "--source", "plain", "--data", str(path))
    assert done.exit_code == 0, done.output
    assert "unpacked 1 picture, 0.0 MB, into " in done.stderr
    (file,) = [one for one in (lab / "pictures" / UNPACKED).rglob("*") if one.is_file()]
    assert file.read_bytes() == DOT + b"\0" * 2000
    (address,) = set(LabStore(lab).suite("plain").table["picture"].to_pylist())
    assert LabStore(lab).pictures().file(address) is not None
    assert LabStore(lab).roots == {"unpacked": lab / "pictures" / "unpacked"}, "the lab can be moved as a whole"


def test_a_row_may_show_the_picture_of_an_earlier_row_by_its_index(tmp_path: Path) -> None:
    first, second = (base64.b64encode(DOT + bytes([n]) * 2000).decode() for n in (1, 2))
    cells = {"241": first, "242": second, "1000241": "241", "1000242": "242", "1000243": "1000.jpg"}
    rows = [{"index": n, "image": cell, "question": f"{n}?", "answer": "yes"} for n, cell in cells.items()]
    path = _write(tmp_path / "bench.tsv", rows)
    shown = [question.picture.address for question in Source(plain, path, "test", None).questions()]
    assert shown[2:4] == shown[:2]
    assert (len(set(shown)), shown[4]) == (3, "plain:1000.jpg")


def test_columns_are_refused_where_a_source_has_its_own_and_when_they_are_misspelled(tmp_path: Path) -> None:
    done = CliRunner().invoke(commands, ["generate", str(tmp_path / "lab"), "--suite", "order", "--columns", "a=b"])
    assert done.exit_code
    assert "world has columns of its own" in str(done.exception or done.output)
    done = CliRunner().invoke(commands, ["generate", str(tmp_path / "lab"), "--suite", "order", "--columns", "a"])
    assert "a is no ROLE=COLUMN" in done.output


def test_data_urls_and_bytes_are_pictures_and_short_texts_are_not() -> None:
    url = "data:image/png;base64," + base64.b64encode(DOT).decode()
    assert picture_bytes(url) == picture_bytes({"bytes": DOT, "path": "1.png"}) == picture_bytes(DOT) == DOT
    assert picture_bytes({"bytes": None, "path": "1.png"}) is None
    assert picture_bytes(base64.b64encode(DOT).decode()) == DOT, "a picture of few bytes is no path"
    assert picture_bytes("images/1.png") is None
    assert picture_bytes("?" * 2000) is None


@pytest.mark.parametrize(
    "cell",
    [
        ["red", "blue, or green"],
        "['red' 'blue, or green']",  # as pandas writes an array of NumPy into a cell
        "['red'\n 'blue, or green']",
        "red|blue, or green",
        "red ; blue, or green",
        "red\nblue, or green",
        "A. red\nB. blue, or green",
        "(A) red (B) blue, or green",
        "{'A': 'red', 'B': 'blue, or green'}",
    ],
)
def test_choices_are_found_however_a_cell_lists_them(tmp_path: Path, cell: Any) -> None:
    path = _write(tmp_path / "a.jsonl", [ROW | {"choices": cell, "answer": "B"}])
    (question,) = _questions(path)[0]
    assert question.choices == ("red", "blue, or green")
    assert question.gold == Gold.of("blue, or green")


def test_choices_with_commas_between_them_are_several() -> None:
    assert choices_of("red, blue,green", {}) == ("red", "blue", "green")
    assert choices_of("A: red, B: blue", {}) == ("red", "blue")
    assert choices_of(["red, blue"], {}) == ("red", "blue")  # one choice would be none
    assert choices_of("red", {}) == ("red",)


@pytest.mark.parametrize(
    ("answers", "expected", "is_told"),
    [
        ([1, 2, 3], ["red", "blue", "green"], True),
        (["1", "[3]", "B"], ["red", "green", "blue"], True),
        ([{"1": 1.0}, 3], ["red", "green"], True),
        ([1, 2, 2], ["blue", "green", "green"], False),  # nothing says that it counts from 1
        ([0, 1, 3], ["red", "blue"], False),  # the last is skipped
        ([1, 3, 4], ["blue"], False),  # so are the last two
    ],
)
def test_positions_of_choices_are_counted_from_1_where_a_whole_file_does(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, answers: list[Any], expected: list[str], is_told: bool
) -> None:
    offered = {"choices": ["red", "blue", "green"]}
    rows = [ROW | offered | {"id": str(number), "answer": answer} for number, answer in enumerate(answers)]
    path = _write(tmp_path / "a.jsonl", rows)
    asked, source = _questions(path)
    assert [question.gold.best for question in asked] == expected
    assert ("a.jsonl: numbers of right choices are read from 1" in caplog.text) == is_told
    golds = [gold for ready in source.groups() for gold in ready.group.gold]
    assert [gold.best for gold in golds if gold] == expected


@pytest.mark.parametrize("answer", ["B", "b", "(B)", "(b)", "B.", "B)", "B. blue", "(b) Blue", "BLUE", "1", 1])
def test_an_answer_is_one_of_the_choices_however_it_names_it(answer: Any) -> None:
    parsed = parse_answers(answer, ("red", "blue"))
    assert parsed == ParsedAnswers(Gold.of("blue"))


@pytest.mark.parametrize("answer", ["C", "(C)", "C."])
def test_the_letter_of_no_choice_is_no_answer_in_brackets_either(answer: str) -> None:
    assert parse_answers(answer, ("red", "blue")) is None


@pytest.mark.parametrize("answer", ["B. green", "x", "2", 2, "A,B", "red or blue", ["x", "y"], {"x": 1}])
def test_an_answer_that_is_none_of_the_choices_is_none_since_no_reply_could_be_right(answer: Any) -> None:
    assert parse_answers(answer, ("red", "blue")) is None


def test_an_answer_that_may_be_two_of_the_choices_is_none() -> None:
    assert parse_answers("Red", ("red", "RED")) is None


def test_a_letter_in_brackets_names_an_option_in_the_text(tmp_path: Path) -> None:
    row = ROW | {"question": "Which?\n(A) red\n(B) blue", "answer": "(B)"}
    (question,) = _questions(_write(tmp_path / "a.csv", [row]))[0]
    assert (question.text, question.choices, question.gold) == ("Which?", ("red", "blue"), Gold.of("blue"))


def test_right_answers_in_an_array_as_numpy_prints_it_are_several() -> None:
    parsed = parse_answers("""['sofa' "a couch's"\n 'it\\'s one']""")
    assert parsed == ParsedAnswers(Gold.of("sofa", "a couch's", "it's one"))
    votes = parse_answers("['yes' 'yes' 'no']")
    assert votes is not None
    assert votes.votes == ("yes", "yes", "no")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_a_number_in_a_pattern_is_padded_in_every_kind_of_file(tmp_path: Path, name: str) -> None:
    rows = [{"question": "Is it?", "answer": "yes", "image_id": number} for number in (42, 391895)]
    questions, _ = _questions(_write(tmp_path / name, rows), image="val/{image_id:012}.jpg")
    assert [question.picture.path for question in questions] == ["val/000000000042.jpg", "val/000000391895.jpg"]


def test_a_pattern_keeps_zeros_and_words(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.csv", [{"question": "Is it?", "answer": "yes", "own": "007", "of": "b"}])
    (question,) = _questions(path, image="{of:0>3}/{own}.jpg")[0]
    assert question.picture.path == "00b/007.jpg"


def test_a_picture_in_base64_may_be_broken_into_lines() -> None:
    assert picture_bytes(base64.encodebytes(DOT).decode()) == DOT
    assert picture_bytes(f"data:image/png;base64,{base64.encodebytes(DOT).decode()}") == DOT


def test_an_absolute_path_within_the_folder_of_the_data_is_a_path_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"image": str(tmp_path / "images" / "1.jpg"), "question": "Is it?", "answer": "yes"}]
    _write(tmp_path / "a.csv", rows)
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / "a.csv", Path("a.csv")):
        (question,), _ = _questions(path)
        assert question.picture.address == "plain:images/1.jpg"


def test_an_absolute_path_within_the_folder_of_the_pictures_is_a_path_in_it(tmp_path: Path) -> None:
    pictures, data = tmp_path / "elsewhere" / "pictures", tmp_path / "data"
    pictures.mkdir(parents=True)
    data.mkdir()
    (pictures / "1.png").write_bytes(DOT)
    _write(data / "a.csv", [{"image": str(pictures / "1.png"), "question": "Is it?", "answer": "yes"}])
    lab = Lab(tmp_path / "lab")
    made = lab.generate("plain", source="plain", data=data / "a.csv", pictures=pictures)
    assert lab.groups("plain").to_arrow()["picture"].to_pylist() == ["plain:1.png"]
    assert [location.found for location in made.pictures] == [1]
    (_, source) = _questions(data / "a.csv")
    assert "--pictures" in source.skips.lines()[0]


def test_an_absolute_path_is_found_by_way_of_a_link_and_beside_a_file_of_metadata(tmp_path: Path) -> None:
    (tmp_path / "real" / "val").mkdir(parents=True)
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    rows = [{"image": str(tmp_path / "real" / "val" / "1.jpg"), "question": "Is it?", "answer": "yes"}]
    _write(tmp_path / "real" / "metadata.csv", rows)
    for path in (tmp_path / "real" / "metadata.csv", tmp_path / "linked" / "metadata.csv"):
        (question,), _ = _questions(path)
        assert question.picture.address == "plain:val/1.jpg"


def test_a_list_of_one_picture_is_that_picture_and_of_several_none(tmp_path: Path) -> None:
    """As chats for training name pictures: `"images": ["1.jpg"]`."""
    dot = {"bytes": DOT, "path": None}
    rows = [
        {"question": "Is it?", "answer": "yes", "images": [own]} for own in ("a/1.jpg", base64.b64encode(DOT).decode())
    ]
    questions, _ = _questions(_write(tmp_path / "a.jsonl", rows), image="images")
    assert questions[0].picture == Picture("plain:a/1.jpg")
    assert questions[1].picture.address.startswith(f"{UNPACKED}:")
    path = _write(tmp_path / "a.parquet", [{"question": "Is it?", "answer": "yes", "images": [dot]}])
    (question,), source = _questions(path, image="images")
    address = question.picture.address
    assert list(plain.unpacked(source.files(), [address])) == [(address, DOT)]
    several = _write(tmp_path / "b.jsonl", [rows[0] | {"images": ["1.jpg", "2.jpg"]}, rows[0]])
    kept, source = _questions(several, image="images")
    assert len(kept) == 1
    assert "has 2 pictures: a question is about one" in source.skips.lines()[0]
