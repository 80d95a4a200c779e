"""Groups of one's own are read from rows, columns, lists and joined files, and what cannot be read is said."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from counterpoint.cli.main import commands
from counterpoint.core.errors import SourceError, UnknownName
from counterpoint.core.groups import Gold, Group, Mode, Relation
from counterpoint.language.answers.extraction import extract_answer
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.own_files import plain
from counterpoint.store.lab import LabStore

PAIRED = [
    {"pair": "a", "role": "base", "question": "Is it red?", "answer": "yes", "image": "1.jpg"},
    {"pair": "b", "role": "variant", "question": "Is the cup full?", "answer": "no", "image": "2.jpg"},
    {"pair": "a", "role": "variant", "question": "Does it look red?", "answer": "yes", "image": "1.jpg"},
    {"pair": "b", "role": "base", "question": "Is the cup there?", "answer": "no", "image": "2.jpg"},
]


def _write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    import openpyxl

    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(list(rows)), path)
    elif path.suffix == ".xlsx":
        book = openpyxl.Workbook()
        for row in (list(rows[0]), *(list(row.values()) for row in rows)):
            book.active.append(row)
        book.save(path)
    elif path.suffix in (".csv", ".tsv"):
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    else:
        path.write_text(json.dumps(rows))
    return path


def _read(path: Path, **columns: str) -> tuple[list[Group], list[str]]:
    source = Source(plain, path, "test", columns=columns)
    groups = [item.group for item in source.groups()]
    return groups, source.skips.lines()


def _texts(group: Group) -> list[str]:
    return [query.text for query in group.queries]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.json", "a.jsonl", "a.parquet", "a.xlsx"])
def test_rows_of_one_key_are_a_group_in_every_kind_of_file(tmp_path: Path, name: str) -> None:
    groups, skipped = _read(_write(tmp_path / name, PAIRED), group="pair", role="role", relation="'same'")
    assert [_texts(group) for group in groups] == [
        ["Is it red?", "Does it look red?"],
        ["Is the cup there?", "Is the cup full?"],
    ]
    assert {group.relation for group in groups} == {Relation.SAME}
    assert groups[1].gold == (Gold.of("no"),) * 2
    assert not skipped


@pytest.mark.parametrize("relation", ["same", "differs", "gold", "swap"])
def test_questions_have_every_relation_but_ranks(tmp_path: Path, relation: str) -> None:
    row = {"q": "Is it red?", "r": "Is it blue?", "a": "yes", "b": "yes" if relation == "same" else "no", "i": "1.jpg"}
    path = _write(tmp_path / "a.csv", [row])
    (group,), skipped = _read(path, question="q+r", answer="a+b", image="i", relation=f"'{relation}'")
    assert (group.relation, _texts(group), not skipped) == (relation, ["Is it red?", "Is it blue?"], True)
    none, (reason,) = _read(path, question="q+r", answer="a+b", image="i", relation="'ranks'")
    assert not none
    assert "a.csv, row 1 has questions and the relation ranks" in reason


def test_a_caption_and_its_foil_are_ranked_with_the_words_that_differ(tmp_path: Path) -> None:
    row = {"filename": "1.jpg", "caption": "a red cup", "negative_caption": "a blue cup", "w": "red", "f": "blue"}
    (group,), _ = _read(_write(tmp_path / "a.json", [row]), word="w", foil_word="f")
    assert (group.relation, _texts(group)) == (Relation.RANKS, ["a red cup", "a blue cup"])
    assert {query.mode for query in group.queries} == {Mode.SCORE}
    assert [dict(tags)["word"] for tags in group.tags] == ["red", "blue"]


def test_a_statement_that_is_true_and_one_that_is_false_differ(tmp_path: Path) -> None:
    row = {"true": "The cup is red.", "false": "The cup is blue.", "image": "1.jpg"}
    path = _write(tmp_path / "a.csv", [row])
    (group,), _ = _read(path, question="true+false", truth="'1'+'0'", relation="'differs'")
    assert group.gold == (Gold.of("yes"), Gold.of("no"))


def test_yes_and_no_are_in_lower_case_as_replies_are_read(tmp_path: Path) -> None:
    rows = [{"question": "Is it?", "answer": answer, "image": "1.jpg"} for answer in ("Yes", "NO", "Red")]
    groups, _ = _read(_write(tmp_path / "a.csv", rows))
    assert [gold.best for group in groups for gold in group.gold if gold] == ["yes", "no", "Red"]


def test_two_pictures_and_two_questions_are_four_queries(tmp_path: Path) -> None:
    row = {"i0": "0.jpg", "i1": "1.jpg", "q0": "A?", "q1": "B?", "a": "yes", "b": "no"}
    (group,), _ = _read(
        _write(tmp_path / "a.parquet", [row]),
        image="i0+i0+i1+i1",
        question="q0+q1+q0+q1",
        answer="a+b+b+a",
        relation="'gold'",
    )
    assert [(query.picture.path, query.text) for query in group.queries if query.picture] == [
        *(("0.jpg", "A?"), ("0.jpg", "B?")),
        *(("1.jpg", "A?"), ("1.jpg", "B?")),
    ]
    assert [gold.best for gold in group.gold if gold] == ["yes", "no", "no", "yes"]


def test_variants_are_in_a_list_of_texts_of_objects_or_of_pairs(tmp_path: Path) -> None:
    base: dict[str, Any] = {"question": "Is it red?", "answer": "yes", "image": "1.jpg"}
    records: list[dict[str, Any]] = [
        base | {"more": ["Is its color red?", "Does it look red?"]},
        base | {"more": [{"question": "Is its color red?"}, {"question": "Does it look red?"}]},
    ]
    for record in records:
        (group,), _ = _read(_write(tmp_path / "a.jsonl", [record]), variants="more", relation="'same'")
        assert _texts(group) == ["Is it red?", "Is its color red?", "Does it look red?"]
        assert group.gold == (Gold.of("yes"),) * 3
    record = {"image": "1.jpg", "asked": [["Is it red?", "yes"], ["Is it blue?", "no"]]}
    path = _write(tmp_path / "b.jsonl", [record])
    (group,), skipped = _read(path, variants="asked", question="0", answer="1", relation="'gold'")
    assert (_texts(group), group.gold) == (["Is it red?", "Is it blue?"], (Gold.of("yes"), Gold.of("no")))
    assert not skipped


@pytest.mark.parametrize(
    ("variants", "columns"),
    [
        ([["Is it blue?", "no"]], {"question": "0", "answer": "1"}),
        ([{"q": "Is it blue?", "a": "no"}], {"question": "q", "answer": "a"}),
    ],
)
def test_the_question_of_a_record_is_the_base_though_its_columns_are_called_otherwise_than_those_of_variants(
    tmp_path: Path, variants: list[Any], columns: dict[str, str]
) -> None:
    own = {"question": "Is it red?", "answer": "yes", "image": "1.jpg"}
    path = _write(tmp_path / "a.jsonl", [own | {"more": variants}, own | {"answer": None, "more": variants}])
    both, alone = _read(path, variants="more", relation="'gold'", **columns)[0]
    assert (_texts(both), both.gold) == (["Is it red?", "Is it blue?"], (Gold.of("yes"), Gold.of("no")))
    assert _texts(alone) == ["Is it blue?"]  # the record has no whole question of its own
    listed = [list(own.values())[:2], ["Is it blue?", "no"]]
    path = _write(tmp_path / "b.jsonl", [own | {"more": listed}])
    (once,), _ = _read(path, variants="more", relation="'gold'", question="0", answer="1")
    assert _texts(once) == ["Is it red?", "Is it blue?"]  # it is in the list


def test_rows_in_turn_are_a_group_and_a_bad_row_moves_none_into_another(tmp_path: Path) -> None:
    rows = [{"question": f"Is it {n}?", "answer": "yes", "image": "1.jpg"} for n in range(6)]
    path = _write(tmp_path / "a.csv", rows)
    groups, _ = _read(path, rows="3", relation="'same'")
    assert [_texts(group)[0] for group in groups] == ["Is it 0?", "Is it 3?"]
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], f"{lines[2]},more", *lines[3:]]))
    groups, skipped = _read(path, rows="3", relation="'same'")
    assert [_texts(group) for group in groups] == [["Is it 3?", "Is it 4?", "Is it 5?"]]
    assert "has 2 rows of 3" in "".join(skipped)


def test_gold_is_yes_as_it_is_offered_since_a_reply_is_read_as_the_choice(tmp_path: Path) -> None:
    row = {"question": "Is it red?", "A": "Yes", "B": "No", "answer": "B", "image": "1.jpg"}
    (group,), _ = _read(_write(tmp_path / "a.tsv", [row]), orders="circular", relation="'same'")
    assert group.gold == (Gold.of("No"),) * 2
    assert {extract_answer(reply, group.base).value for reply in ("No", "no.", "B")} == {"No"}


def test_choices_come_in_all_rotations_in_two_orders_or_in_two_columns(tmp_path: Path) -> None:
    row = {"question": "What is it?", "A": "cup", "B": "dog", "C": "car", "answer": "B", "image": "1.jpg"}
    path = _write(tmp_path / "a.tsv", [row])
    (group,), _ = _read(path, orders="circular", relation="'same'")
    assert [query.choices for query in group.queries] == [
        ("cup", "dog", "car"),
        ("dog", "car", "cup"),
        ("car", "cup", "dog"),
    ]
    assert group.gold == (Gold.of("dog"),) * 3
    (group,), _ = _read(path, orders="reversed", relation="'same'")
    assert [query.choices[0] for query in group.queries] == ["cup", "car"]
    listed: dict[str, Any] = {"question": "Q?", "one": ["a", "b"], "two": ["b", "a"], "answer": "A", "image": "1.jpg"}
    (group,), _ = _read(_write(tmp_path / "a.json", [listed]), choices="one+two", relation="'same'")
    assert group.gold == (Gold.of("a"),) * 2


def test_objects_by_key_nested_keys_and_constants_are_read(tmp_path: Path) -> None:
    rows = {"007": {"q": {"text": "Is it?", "other": "Is it so?"}, "answer": {"free_form": "yes"}, "n": 7}}
    (tmp_path / "a.json").write_text(json.dumps({"version": 1, "data": rows}))
    (group,), _ = _read(
        tmp_path / "a.json",
        list="data",
        question="q.text+q.other",
        answer="answer.free_form",
        image="images/{n:03}.jpg",
        relation="'same'",
        test="'wording'",
        kind="'yes, no'",
    )
    assert (group.test, group.kind, group.gold[1]) == ("wording", "yes, no", Gold.of("yes"))
    assert group.base.picture is not None
    assert group.base.picture.path == "images/007.jpg"
    assert dict(group.tags[0])["question"] == "007-0"


def test_a_second_file_is_joined_by_a_key_and_a_third_pairs_the_rows(tmp_path: Path) -> None:
    questions = [{"question_id": n, "image_id": n, "question": "What color?"} for n in (1, 2, 3, 4)]
    answers = [{"id": n, "answer": answer} for n, answer in ((1, "red"), (2, "blue"), (3, "red"), (9, "red"))]
    (tmp_path / "q.json").write_text(json.dumps({"info": {}, "questions": questions}))
    (tmp_path / "a.json").write_text(json.dumps({"info": {}, "annotations": answers}))
    (tmp_path / "pairs.json").write_text(json.dumps([[1, 2], [1, 3], [3, 4]]))
    groups, skipped = _read(
        tmp_path / "q.json",
        list="questions",
        pairs="pairs.json",
        relation="'differs'",
        **{"with": "a.json:annotations", "on": "question_id+id"},
    )
    assert [[tags[0][1] for tags in group.tags] for group in groups] == [["1", "2"]]
    said = "\n".join(skipped)
    assert "q.json, record 3: a.json has no row for question_id '4'" in said
    assert (
        "1 skipped: answers contradict the relation (q.json, record 0, group 1-3: the answer red does not differ)"
        in said
    )
    assert "pairs.json, record 2: no row has the id 4" in said
    assert "a row of the second file alone (a.json: 9)" in said


def test_the_key_of_two_files_is_still_the_id_of_a_row(tmp_path: Path) -> None:
    path = _write(tmp_path / "q.json", [{"question_id": 7, "image": "1.jpg", "question": "What color?"}])
    _write(tmp_path / "a.json", [{"question_id": 7, "answer": "red"}])
    (group,), skipped = _read(path, **{"with": "a.json", "on": "question_id"})
    assert (dict(group.tags[0])["question"], group.gold, skipped) == ("7", (Gold.of("red"),), [])


def test_several_files_of_a_folder_are_told_apart_by_their_names(tmp_path: Path) -> None:
    for name in ("add_att", "swap_obj"):
        row = {"filename": "1.jpg", "caption": f"a {name}", "negative_caption": "a foil"}
        (tmp_path / f"{name}.json").write_text(json.dumps({"0": row}))
    groups, skipped = _read(tmp_path, files="*.json", test="__file__")
    assert [(group.test, dict(group.tags[0])["id"]) for group in groups] == [
        ("add_att", "add_att/0-0"),
        ("swap_obj", "swap_obj/0-0"),
    ]
    assert not skipped


@pytest.mark.parametrize(
    ("change", "columns", "said"),
    [
        ({"question": ""}, {"relation": "'same'"}, "a.json, record 1, column question: there is no question"),
        ({"pair": ""}, {"relation": "'same'"}, "a.json, record 1, column pair: there is no group"),
        (
            {"answer": []},
            {"relation": "'same'", "truth": "role"},
            "column role: 'base' is no truth value",
        ),
        ({}, {}, "has no relation"),
        ({}, {"relation": "'equal'"}, "'equal' is none of same, differs, gold, ranks, swap"),
        ({"role": "base"}, {"relation": "'same'"}, "group b has several bases: its roles are base, base"),
        ({}, {"relation": "'same'", "base": "'first'"}, "has no base: its roles are"),
        ({"answer": "yes"}, {"relation": "'same'"}, "the answers no and yes are not the same"),
        ({}, {"relation": "'differs'"}, "group a: the answer yes does not differ"),
        ({"answer": "No."}, {"relation": "'differs'"}, "group b: the answer no does not differ"),
        ({}, {"relation": "'same'", "rows": "x", "group": "'x'"}, "rows=x is no number of rows"),
        (
            {},
            {"relation": "'same'", "question": "question+question", "answer": "answer+answer+answer"},
            "question has 2 columns, and others have 3",
        ),
    ],
)
def test_what_contradicts_itself_is_skipped_with_row_and_column(
    tmp_path: Path, change: dict[str, Any], columns: dict[str, str], said: str
) -> None:
    rows = [row | (change if place == 1 else {}) for place, row in enumerate(PAIRED)]
    path = _write(tmp_path / "a.json", rows)
    groups, skipped = _read(path, **columns)
    assert said in "\n".join(skipped)
    assert len(groups) < 2


def test_capitals_of_roles_and_relations_do_not_count(tmp_path: Path) -> None:
    rows = [row | {"role": row["role"].replace("base", "First"), "relation": "Same"} for row in PAIRED]
    groups, skipped = _read(_write(tmp_path / "a.csv", rows), base="'first'", relation="relation")
    assert [(_texts(group)[0], group.relation) for group in groups] == [
        ("Is it red?", Relation.SAME),
        ("Is the cup there?", Relation.SAME),
    ]
    assert not skipped


@pytest.mark.parametrize(("first", "second"), [("Red", "red"), ("2", "two"), ("The dog", "dog")])
def test_golds_that_replies_cannot_tell_apart_are_the_same(tmp_path: Path, first: str, second: str) -> None:
    row = {"asked": "What?", "again": "Which?", "a": first, "b": second, "image": "1.jpg"}
    columns = {"question": "asked+again", "answer": "a+b"}
    groups, skipped = _read(_write(tmp_path / "a.csv", [row]), relation="'same'", **columns)
    assert (len(groups), skipped) == (1, [])
    groups, skipped = _read(tmp_path / "a.csv", relation="'differs'", **columns)
    assert not groups
    assert f"the answer {first} does not differ" in skipped[0]


def test_a_group_of_which_a_row_cannot_be_read_is_no_smaller_group(tmp_path: Path) -> None:
    extra = PAIRED[0] | {"role": "variant", "question": ""}
    groups, skipped = _read(_write(tmp_path / "a.csv", [*PAIRED, extra]), relation="'same'")
    assert [_texts(group)[0] for group in groups] == ["Is the cup there?"]
    assert "a group of which a row cannot be read" in "\n".join(skipped)


def test_an_empty_variant_is_left_out_and_counted(tmp_path: Path) -> None:
    row = {"question": "A?", "b": "", "c": "C?", "answer": "yes", "image": "1.jpg"}
    (group,), (reason,) = _read(_write(tmp_path / "a.csv", [row]), question="question+b+c", relation="'same'")
    assert _texts(group) == ["A?", "C?"]
    assert "an empty variant (a.csv, row 1, column b)" in reason


def test_unknown_roles_and_absent_files_are_refused(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.json", PAIRED)
    with pytest.raises(UnknownName, match="rolle"):
        _read(path, rolle="role")
    with pytest.raises(SourceError, match="needs a key"):
        _read(path, **{"with": "a.json"})
    with pytest.raises(SourceError, match=r"has no file \*.csv"):
        _read(tmp_path, files="*.csv")


def test_a_suite_of_groups_is_made_by_one_command_with_the_columns_in_a_file(tmp_path: Path) -> None:
    _write(tmp_path / "a.csv", PAIRED)
    (tmp_path / "columns.txt").write_text("# pairs of mine\ngroup=pair\nrole=role,relation='same'\nkind='yes, no'\n")
    arguments = ["generate", tmp_path / "lab", "--suite", "groups", "--source", "plain", "--data", tmp_path / "a.csv"]
    done = CliRunner().invoke(commands, [*map(str, arguments), "--columns", str(tmp_path / "columns.txt")])
    assert done.exit_code == 0, done.output
    suite = LabStore(tmp_path / "lab").suite("groups")
    assert suite.manifest.groups == 2
    assert set(suite.table["kind"].to_pylist()) == {"yes, no"}
    assert suite.manifest.parameters["columns"]["relation"] == "'same'"


def test_each_query_of_a_row_may_have_an_id_of_its_own(tmp_path: Path) -> None:
    row = {"id": 7, "c0": "A cat.", "c1": "A dog.", "image": "1.jpg"}
    path = _write(tmp_path / "a.jsonl", [row])
    (group,), _ = _read(path, caption="c0+c1", id="{id}_c0+{id}_c1")
    assert [dict(tags)["id"] for tags in group.tags] == ["7_c0", "7_c1"]
    (group,), _ = _read(path, caption="c0+c1")
    assert [dict(tags)["id"] for tags in group.tags] == ["7-0", "7-1"]


def test_options_in_the_text_of_a_question_are_its_choices_where_its_answer_is_a_letter(tmp_path: Path) -> None:
    row = {"q0": "What is he?\nOption: A: sad; B: glad;", "q1": "And she?\nOption: A: glad; B: sad;", "i": "1.jpg"}
    path = _write(tmp_path / "a.jsonl", [row | {"a0": "A", "a1": "B"}])
    (group,), skipped = _read(path, question="q0+q1", answer="a0+a1", image="i", relation="'gold'")
    assert [(query.text, query.choices) for query in group.queries] == [
        ("What is he?", ("sad", "glad")),
        ("And she?", ("glad", "sad")),
    ]
    assert (group.gold, skipped) == ((Gold.of("sad"), Gold.of("sad")), [])
    other = _write(tmp_path / "b.jsonl", [row | {"a0": "sad", "a1": "glad"}])
    (group,), _ = _read(other, question="q0+q1", answer="a0+a1", image="i", relation="'gold'")
    assert _texts(group)[0] == row["q0"]
    assert not any(query.choices for query in group.queries)


def test_a_tag_has_one_value_whatever_its_column_is_called(tmp_path: Path) -> None:
    rows = [row | {"word": "red", "weather": "rain"} for row in PAIRED[::2]]
    path = _write(tmp_path / "a.jsonl", rows)
    ((group,), skipped) = _read(path, tags="word+weather", relation="'same'")
    assert [dict(tags) for tags in group.tags] == [{"word": "red", "question": own, "weather": "rain"} for own in "01"]
    assert [len(tags) for tags in group.tags] == [3, 3]
    assert not skipped
    groups, skipped = _read(path, tags="question", question="question", relation="'same'")
    assert not groups
    assert "a tag called question is there already, with the value '0': give the column another name" in skipped[0]
