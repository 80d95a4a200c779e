"""Records read many at once are what they are when each is read with care, whatever a file has in their midst."""

import json
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import vqa_files
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Question
from counterpoint.sources import carets, gqa_questions, json_text, vqa_layout
from counterpoint.sources.json_text import JsonText, Portion
from counterpoint.sources.skips import Skips
from counterpoint.sources.vqa2 import vqa2

ODD = st.sampled_from(
    [None, "", " ", 7, 1.5, True, [], {}, ["a", 1], {"semantic": 1}, "\ud800", "ü", [{"operation": 1}]]
)
GQA = ("imageId", "question", "answer", "types", "semantic", "groups", "isBalanced", "entailed", "annotations")
VQA = ("question_id", "answers", "question_type", "answer_type", "image_id", "multiple_choice_answer")
ASKED = ("question_id", "question", "image_id", "rephrasing_of", "coco_split")


def _gqa(number: int) -> dict[str, Any]:
    steps = [("select", "cup (1)", []), ("query", "name", [0])]
    return {
        "semantic": [dict(zip(("operation", "argument", "dependencies"), step, strict=True)) for step in steps],
        "entailed": [f"{number}1"],
        "equivalent": [f"{number}"],
        "question": "What is it?",
        "imageId": f"{number // 3}",
        "isBalanced": True,
        "groups": {"global": None, "local": "06-cup_name"},
        "answer": "cup",
        "annotations": {"answer": {}, "question": {"2": "17"}, "fullAnswer": {}},
        "types": {"detailed": "existThat", "semantic": "obj", "structural": "query"},
        "fullAnswer": "It is a cup.",
    }


def _changed(records: list[dict[str, Any]], fields: tuple[str, ...], data: st.DataObject) -> list[dict[str, Any]]:
    for place in data.draw(st.lists(st.integers(0, len(records) - 1), max_size=3)):
        records[place] |= {data.draw(st.sampled_from(fields)): data.draw(ODD)}
    return records


def _told(skips: Skips) -> list[str]:
    return list(skips.lines())


@given(data=st.data())
def test_gqa_reads_the_same_at_once_and_one_by_one(data: st.DataObject, tmp_path_factory: Any) -> None:
    records = _changed([_gqa(number) for number in range(9)], GQA, data)
    keys = [data.draw(st.sampled_from([f"{number:08}", "00000001", ""]), label="key") for number in range(9)]
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(one)}" for key, one in zip(keys, records, strict=True))
    path = tmp_path_factory.mktemp("gqa") / "some.json"
    path.write_text(f"{{{lines}}}")
    found: list[tuple[list[Question], list[str]]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_text, "CHUNK", 700)
        for _ in range(2):
            skips = Skips()
            found.append((list(gqa_questions.questions(path, skips)), _told(skips)))
            patch.setattr(gqa_questions, "_usual", lambda text: None)
    assert found[0] == found[1]


@given(data=st.data())
def test_vqa_reads_the_same_at_once_and_one_by_one(data: st.DataObject, tmp_path_factory: Any) -> None:
    ids = [data.draw(st.sampled_from([number, 1, str(number)]), label="id") for number in range(9)]
    said = _changed([vqa_files.answered(question_id=number) for number in ids], VQA, data)
    folder: Path = tmp_path_factory.mktemp("vqa")
    asked = _changed([vqa_files.asked(question_id=number) for number in range(9)], ASKED, data)
    vqa_files.put(folder / "v2_OpenEnded_mscoco_val2014_questions.json", "questions", asked)
    vqa_files.put(folder / "v2_mscoco_val2014_annotations.json", "annotations", said)
    found: list[tuple[list[Question], list[str]]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_text, "CHUNK", 700)
        for _ in range(2):
            questions, skips = vqa_files.read(vqa2, folder, "val")
            found.append((questions, _told(skips)))
            for name in ("_usual_questions", "_usual_annotations"):
                patch.setattr(vqa_layout, name, lambda text, layout: None)
    assert found[0] == found[1]


def _portions(text: str, sign: str) -> list[Any]:
    def usual(piece: str) -> list[Any] | None:
        try:
            found = json.loads(piece)
        except ValueError:
            return None
        return list(found.items()) if sign == "{" else list(found)

    read = JsonText(BytesIO(text.encode())).portions_within(sign, usual)
    return [one for found in read for one in (found if isinstance(found, Portion) else [found])]


RECORDS: st.SearchStrategy[list[Any]] = st.lists(
    st.fixed_dictionaries({"first": st.text(max_size=3)}, optional={"more": st.just({"first": [{}]})})
)


@given(RECORDS, st.sampled_from([None, 1]))
def test_a_beginning_that_comes_again_within_a_record_does_no_harm(records: list[Any], indent: int | None) -> None:
    assert _portions(json.dumps(records, indent=indent), "[") == records
    keyed = {f"k{number}": record for number, record in enumerate(records)}
    assert _portions(json.dumps(keyed, indent=indent), "{") == list(keyed.items())


def test_nearly_all_records_come_many_at_once(tmp_path: Path) -> None:
    text = json.dumps([{"first": number} for number in range(1000)])
    read = JsonText(BytesIO(text.encode())).portions_within("[", json.loads)
    assert [len(found) if isinstance(found, Portion) else 1 for found in read] == [1, 998, 1]


def test_a_key_that_comes_twice_is_read_twice() -> None:
    text = '{"a": {"first": 1}, "b": {"first": 2}, "b": {"first": 3}, "c": {"first": 4}}'
    assert _portions(text, "{") == [(key, {"first": n}) for key, n in zip("abbc", (1, 2, 3, 4), strict=True)]


@pytest.mark.parametrize(
    "usual",
    [
        gqa_questions._usual,
        carets._usual,
        partial(vqa_layout._usual_questions, layout=vqa_layout.Layout("val2014")),
        partial(vqa_layout._usual_annotations, layout=vqa_layout.Layout("val2014")),
    ],
    ids=["gqa", "carets", "vqa", "annotations of vqa"],
)
@pytest.mark.parametrize("sign", ["[", "{"])
def test_what_is_nested_too_deeply_is_left_to_careful_reading(usual: Callable[[str], Any], sign: str) -> None:
    nested = f'"odd": {"[" * 100_000}{"]" * 100_000}'
    assert usual(f"[{{{nested}}}]" if sign == "[" else f'{{"1": {{{nested}}}}}') is None


def test_what_is_nested_too_deeply_is_said(tmp_path: Path) -> None:
    lines = [json.dumps(_gqa(number)) for number in range(9)]
    lines[6] = f'{{"semantic": [], "odd": {"[" * 100_000}{"]" * 100_000}}}'
    path = tmp_path / "some.json"
    path.write_text("{" + ",".join(f'"{number}": {line}' for number, line in enumerate(lines)) + "}")
    with pytest.raises(SourceError, match="nested too deeply"):
        list(gqa_questions.questions(path, Skips()))
