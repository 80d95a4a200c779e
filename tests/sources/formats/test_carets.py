"""The released files of CARETS: pairs by their ids, tests by the letters of these, and what is left out."""

import json
from pathlib import Path

import pytest
from carets_files import pairs, record, write

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Relation
from counterpoint.core.items import ReadyGroup
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.carets import TESTS, carets


def _read(folder: Path, most: int | None = None) -> tuple[list[ReadyGroup], Source]:
    source = Source(carets, folder, "test", most)
    return list(source.groups()), source


def test_the_letter_of_an_id_tells_the_test_and_question_types_do_not(tmp_path: Path) -> None:
    for letter in TESTS:
        write(tmp_path / "questions", letter, pairs(letter, 2))
    found, source = _read(tmp_path)
    assert not source.skips.total
    assert {(one.group.test, one.group.relation) for one in found} == {
        ("rephrase", Relation.SAME),
        ("order", Relation.SAME),
        ("ontology", Relation.SAME),
        ("negation", Relation.DIFFERS),
        ("antonym", Relation.DIFFERS),
    }
    odd = [record("1-0-3", "yes", kind="object_verification_negation"), record("1-0-3-t", "yes", "Do you see it?")]
    write(tmp_path / "other", "n", odd)
    ((rephrased,), _) = _read(tmp_path / "other")
    assert rephrased.group.test == "rephrase"
    assert rephrased.group.kind == "object verification"


def test_the_base_of_a_pair_is_its_original_whatever_the_order_of_records(tmp_path: Path) -> None:
    write(tmp_path, "t", [record("n16-0-3-t", "yes", "Do you see it?"), record("n16-0-3", "yes", "Is it there?")])
    ((ready,), _) = _read(tmp_path)
    group = ready.group
    assert [query.text for query in group.queries] == ["Is it there?", "Do you see it?"]
    assert group.base.picture
    assert group.base.picture.address == "gqa:n16.jpg"
    assert ready.id == "object_verification_template_test/n16-0-3-t"
    base, variant = map(dict, group.tags)
    assert base == {
        "question_id": "n16-0-3",
        "id": "object_verification_template_test/n16-0-3",
        "answer": "yes",
        "template": "3",
    }
    assert variant["question_id"] == "n16-0-3-t"


def test_tags_tell_the_new_template_the_class_and_the_number_of_choices(tmp_path: Path) -> None:
    chosen = record("5-0-3-t", "tan", "Tan or red?", "attribute_rel1_choice") | {"new_template_number": 12}
    write(tmp_path, "t", [record("5-0-3", "tan", "Red or tan?", "attribute_rel1_choice"), chosen])
    ((ready,), _) = _read(tmp_path)
    assert ready.group.kind == "attribute choice"
    assert [query.choices for query in ready.group.queries] == [("red", "tan")] * 2
    base, variant = map(dict, ready.group.tags)
    assert (base["class"], base["choices"], base["template"]) == ("color", "2", "3")
    assert variant["template"] == "12"


def test_the_direction_of_an_ontology_pair_follows_from_its_answer(tmp_path: Path) -> None:
    write(tmp_path, "h", pairs("h", 2))
    found, _ = _read(tmp_path)
    ways = [
        (one.group.tags[0], dict(one.group.tags[1])["answer"], dict(one.group.tags[1])["direction"]) for one in found
    ]
    assert [(answer, way) for _, answer, way in ways] == [("yes", "up"), ("no", "down")]
    assert all("direction" not in dict(base) for base, _, _ in ways)


def test_every_file_of_a_test_counts_and_ids_are_told_apart_by_their_files(tmp_path: Path) -> None:
    write(tmp_path, "s", pairs("s", 3))
    write(tmp_path, "s", pairs("s", 3, choice=True), "attribute_choice")
    found, source = _read(tmp_path)
    assert len(found) == 6
    assert len({one.id for one in found}) == 6
    assert not source.skips.total


def test_an_original_may_have_several_perturbations_each_of_another_test(tmp_path: Path) -> None:
    members = [record("5-0-3", "yes"), record("5-0-3-t", "yes", "Is it?"), record("5-0-3-n", "no", "Is it not?")]
    write(tmp_path, "t", members)
    found, source = _read(tmp_path)
    assert [one.group.test for one in found] == ["rephrase", "negation"]
    assert not source.skips.total


def test_files_are_found_in_the_folder_of_questions_beside_each_other_or_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "data" / "questions", "t", pairs("t", 2))
    write(tmp_path / "data" / "questions", "s", pairs("s", 2))
    assert [len(_read(folder)[0]) for folder in (tmp_path, tmp_path / "data", path.parent)] == [4, 4, 4]
    assert len(_read(path)[0]) == 2
    (tmp_path / "none").mkdir()
    with pytest.raises(SourceError, match="has no questions, the questions of CARETS"):
        _read(tmp_path / "none")


def test_what_cannot_be_paired_is_counted_with_its_file_and_record(tmp_path: Path) -> None:
    records = [
        *pairs("t", 1),  # records 0 and 1
        record("8-0-1", "yes"),
        record("9-0-1-t", "yes"),
        record("10-0-1", "yes"),
        record("10-0-1-t", "no"),
        record("11-0-1", "yes"),
        record("11-0-1", "yes", "Is it really?"),
        record("11-0-1-t", "yes"),
        record("11-0-1-t", "yes", "Is it truly?"),
        record("12-0-1", "yes"),
        record("12-0-1-t", "yes") | {"img_id": "13"},
        record("14-0-1-v", "yes"),
        record("15-0-1", "yes") | {"label": {"yes": 2.0}},
        record("15-0-1-t", "yes") | {"label": {}},
        record("16-0-1-n", "yes"),
        record("16-0-1", "yes"),
    ]
    write(tmp_path, "t", records)
    found, source = _read(tmp_path)
    assert [one.id.partition("/")[2] for one in found] == ["2300000-0-0-t", "11-0-1-t"]
    name = "object_verification_template_test.json"
    assert source.skips.places == {
        "a repeated id": [f"{name}, record 7 (11-0-1)", f"{name}, record 9 (11-0-1-t)"],
        "an id of no known test": [f"{name}, record 12 (14-0-1-v)"],
        "does not match the layout": [
            f"{name}, record 13: label is {{'yes': 2.0}}, not answers with their credit, such as {{\"yes\": 1.0}}",
            f'{name}, record 14: label is {{}}, not answers with their credit, such as {{"yes": 1.0}}',
        ],
        "a perturbed question without its original": [f"{name}, record 3 (9-0-1-t)"],
        "a pair whose labels contradict its test": [f"{name}, record 5 (10-0-1-t)", f"{name}, record 15 (16-0-1-n)"],
        "a pair about two pictures": [f"{name}, record 11 (12-0-1-t)"],
        "an original without a perturbed question": [f"{name}, record 2 (8-0-1)"],
    }
    assert any("the visual test were not released" in line for line in source.skips.lines())


def test_a_file_of_another_layout_is_counted_and_one_that_is_cut_off_is_refused_by_its_name(tmp_path: Path) -> None:
    path = write(tmp_path, "t", pairs("t", 2))
    (tmp_path / "zebra.json").write_text(json.dumps({"questions": 3}))
    found, source = _read(tmp_path)
    assert len(found) == 2
    (place,) = source.skips.places["does not match the layout"]
    assert place.startswith("zebra.json, record 0 has no question_id")
    path.write_text(path.read_text()[:-20])
    with pytest.raises(SourceError, match=r"template_test\.json ends in the middle of a record after record 2"):
        _read(path)


def test_a_sample_is_part_of_every_larger_one(tmp_path: Path) -> None:
    write(tmp_path, "t", pairs("t", 40))
    small, large = ({one.id for one in _read(tmp_path, most)[0]} for most in (5, 20))
    assert len(small) == 5
    assert small < large
