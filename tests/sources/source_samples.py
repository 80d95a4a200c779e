"""For every data set in the catalog a few small files in its official layout, made in code, from which all is read.

A new row in the catalog needs a row here: `test_damage.py` and `benchmarks/damage.py` then damage its files too.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from struct import pack
from typing import Any
from zipfile import ZipFile

import pyarrow as pa
import pyarrow.parquet as pq


@dataclass(frozen=True, slots=True)
class Sample:
    """Files from which one kind of value is read: JSON as what it holds, anything else as bytes."""

    kind: str
    split: str
    files: Mapping[str, Any]
    answers: bool = True  # whether every question of the split has a right answer
    offered: bool = True  # whether it is among the choices, where there are any, and each of these is there once

    @property
    def contents(self) -> dict[str, bytes]:
        """The bytes of each file."""
        return {name: written(name, content) for name, content in self.files.items()}


def written(name: str, content: Any) -> bytes:
    """What a file holds, as bytes; JSON lines are a line for each element."""
    if isinstance(content, bytes):
        return content
    if name.endswith(".jsonl"):
        return "".join(json.dumps(one) + "\n" for one in content).encode()
    return packed(name, json.dumps(content).encode())


def packed(name: str, text: bytes) -> bytes:
    """The bytes of a file that says this: a log of Inspect is an archive, with a sample in it."""
    if not name.endswith(".eval"):
        return text
    out = BytesIO()
    with ZipFile(out, "w") as archive:
        archive.writestr("samples/a_epoch_1.json", text)
    return out.getvalue()


def put(contents: Mapping[str, bytes], folder: Path) -> None:
    """Write files into a folder, with the folders that their names tell."""
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _gqa_scenes() -> dict[str, Any]:
    cup = {
        "name": "cup",
        "attributes": ["red", "small"],
        "relations": [{"object": "2", "name": "on"}, {"object": "3", "name": "to the left of"}],
        "x": 10,
        "y": 20,
        "w": 30,
        "h": 40,
    }
    table = {"name": "table", "attributes": [], "relations": [], "x": 0, "y": 50, "w": 100, "h": 50}
    lamp = {"name": "lamp", "relations": [{"object": "1", "name": "to the right of"}], "x": 60, "y": 0, "w": 9, "h": 9}
    first = {"width": 100, "height": 100, "location": "kitchen", "objects": {"1": cup, "2": table, "3": lamp}}
    return {"2354": first, "7": {"width": 150, "height": 140, "weather": "cloudy", "objects": {"1": table}}}


def _gqa_questions() -> dict[str, Any]:
    first = {
        "semantic": [
            {"operation": "select", "dependencies": [], "argument": "cup (1)"},
            {"operation": "query", "dependencies": [0], "argument": "color"},
        ],
        "entailed": ["00000001"],
        "equivalent": ["00905754"],
        "question": "What color is the cup?",
        "imageId": "2354",
        "isBalanced": True,
        "groups": {"global": None, "local": "10q-cup_color"},
        "answer": "red",
        "semanticStr": "select: cup (1)->query: color [0]",
        "annotations": {"answer": {}, "question": {"4": "1", "1:3": "2"}, "fullAnswer": {"1": "1"}},
        "types": {"detailed": "directOf", "semantic": "attr", "structural": "query"},
        "fullAnswer": "The cup is red.",
    }
    second = {"question": "Is it cloudy?", "imageId": "7", "answer": "yes", "semantic": [], "types": {}}
    return {"00905754": first, "00000001": second}


def _clevr_scenes() -> dict[str, Any]:
    cube = {"shape": "cube", "size": "large", "color": "red", "material": "metal", "rotation": 30.0}
    cube |= {"pixel_coords": [240, 160, 10.0], "3d_coords": [0.0, 0.0, 0.7]}
    ball = cube | {"shape": "sphere", "size": "small", "pixel_coords": [100, 90, 12.5]}
    scene = {
        "image_index": 7,
        "image_filename": "CLEVR_val_000007.png",
        "split": "val",
        "objects": [cube, ball],
        "relationships": {"left": [[1], []], "right": [[], [0]], "behind": [[1], []], "front": [[], [0]]},
        "directions": {"right": [0.656, 0.754, 0.0], "left": [-0.656, -0.754, 0.0]},
    }
    return {"info": {"split": "val"}, "scenes": [scene, scene | {"image_filename": "CLEVR_val_000008.png"}]}


def _clevr_questions() -> dict[str, Any]:
    asked = {
        "image_index": 7,
        "image_filename": "CLEVR_val_000007.png",
        "split": "val",
        "question": "What color is the cube?",
        "answer": "red",
        "question_index": 3,
        "question_family_index": 77,
        "program": [
            {"function": "scene", "inputs": [], "value_inputs": []},
            {"function": "filter_shape", "inputs": [0], "value_inputs": ["cube"]},
            {"function": "query_color", "inputs": [1], "value_inputs": []},
        ],
    }
    other = {"image_filename": "CLEVR_val_000007.png", "question": "Is it blue?", "answer": False, "question_index": 4}
    return {"info": {}, "questions": [asked, other]}


def _coco_images(*numbers: int) -> list[dict[str, Any]]:
    size = {"width": 100, "height": 80, "license": 1}
    return [
        size | {"id": n, "file_name": f"{n:012}.jpg", "coco_url": f"https://a/val2017/{n:012}.jpg"} for n in numbers
    ]


def _coco_instances() -> dict[str, Any]:
    box = {"id": 900, "image_id": 42, "category_id": 1, "bbox": [1.5, 2.5, 30.0, 20.25], "iscrowd": 0, "area": 99.5}
    return {
        "info": {},
        "images": _coco_images(42, 43),
        "annotations": [box, box | {"id": 901, "category_id": 2, "bbox": [50, 40, 50, 40]}],
        "categories": [{"id": 1, "name": "person", "supercategory": "person"}, {"id": 2, "name": "Cup"}],
    }


def _coco_captions(first: int = 0) -> dict[str, Any]:
    said = [{"id": n, "image_id": 42 + n % 2, "caption": f"A cup on table {n}."} for n in range(first, first + 3)]
    return {"info": {}, "images": _coco_images(42, 43), "licenses": [], "annotations": said}


def _foil() -> dict[str, Any]:
    true = {"id": 59, "image_id": 42, "caption": "A bowl of food. ", "foil": False}
    true |= {"foil_word": "ORIG", "target_word": "ORIG"}
    false = true | {"caption": "A cup of food.", "foil": True, "foil_word": "cup", "target_word": "bowl", "foil_id": 83}
    alone = true | {"id": 60, "image_id": 43, "caption": "Food."}
    return {"info": {}, "images": _coco_images(42), "annotations": [true, false, alone], "licenses": []}


_MAN = {"object_id": 1, "x": 10, "y": 20, "w": 30, "h": 60, "names": ["Man "], "synsets": ["man.n.01"]}
_DESK = {"object_id": 2, "x": 0, "y": 50, "w": 100, "h": 40, "names": ["desk"], "merged_object_ids": [5]}
_IMAGE_DATA = [{"image_id": n, "width": 100, "height": 90, "url": f"https://a/VG_100K_2/{n}.jpg"} for n in (2354, 7)]
_ALIASES = {"object_alias.txt": b"table,desk,tables\nperson,man\n", "relationship_alias.txt": b"beside,next to,near\n"}


def _vg_graphs() -> dict[str, Any]:
    beside = {"relationship_id": 5, "predicate": "NEXT TO", "subject_id": 1, "object_id": 2, "synsets": ["next.r.01"]}
    graph = {"image_id": 2354, "objects": [_MAN | {"attributes": ["Tall"]}, _DESK], "relationships": [beside]}
    return {"scene_graphs.json": [graph, graph | {"image_id": 7}], "image_data.json": _IMAGE_DATA, **_ALIASES}


def _vg_three() -> dict[str, Any]:
    said = {"object_id": 1, "names": ["man"], "attributes": ["tall"], "synsets": []}
    link = {"predicate": "on", "subject": {"object_id": 1, "name": "man"}, "object": {"object_id": 2}, "synsets": []}
    return {
        "objects.json": [{"image_id": n, "objects": [_MAN, _DESK]} for n in (2354, 7)],
        "attributes.json": [{"image_id": n, "attributes": [said]} for n in (7, 2354)],
        "relationships.json": [{"image_id": 2354, "relationships": [link]}],
    }


def _asked(number: int, **more: Any) -> dict[str, Any]:
    return {"image_id": 262148, "question": f"What is thing {number}?", "question_id": number, **more}


def _answered(number: int, **more: Any) -> dict[str, Any]:
    said = ["red"] * 7 + ["Pink", "a pink", "2"]
    answers = [{"answer": one, "answer_confidence": "yes", "answer_id": n} for n, one in enumerate(said, 1)]
    kinds = {"question_type": "what is", "answer_type": "other", "multiple_choice_answer": "red"}
    return {"question_id": number, "image_id": 262148, "answers": answers, **kinds, **more}


def _vqa(questions: str, annotations: str, *numbers: int, bare: bool = False, **more: Any) -> dict[str, Any]:
    asked = [_asked(number, **more) for number in numbers]
    answered = [_answered(number, **more) for number in reversed(numbers)]
    head = {"info": {}, "license": {}, "data_type": "mscoco", "data_subtype": "val2014"}
    return {
        questions: asked if bare else head | {"questions": asked},
        annotations: answered if bare else head | {"annotations": answered},
    }


def _rephrasings() -> dict[str, Any]:
    names = [f"v2_{stem}.json" for stem in ("OpenEnded_mscoco_valrep2014_humans_og_questions", "annotations")]
    names[1] = "v2_mscoco_valrep2014_humans_og_annotations.json"
    files = _vqa(names[0], names[1], 420000, 4200001)
    files[names[0]]["questions"][1]["rephrasing_of"] = files[names[1]]["annotations"][0]["rephrasing_of"] = 420000
    return files


def _textvqa() -> dict[str, Any]:
    asked = {
        "question": "What is written?",
        "question_id": 34602,
        "image_id": "0054c91397f2fe05",
        "set_name": "val",
        "image_classes": ["Sign", "Street"],
        "image_width": 1024,
        "image_height": 730,
        "question_tokens": ["what", "is", "written"],
        "answers": ["stop"] * 8 + ["Stop!", "go"],
    }
    read = {"image_id": "0054c91397f2fe05", "ocr_tokens": ["STOP", "ALL WAY"], "ocr_info": [{"word": "STOP"}]}
    return {
        "TextVQA_0.5.1_val.json": {"dataset_type": "val", "data": [asked, asked | {"question_id": 34603}]},
        "TextVQA_Rosetta_OCR_v0.2_val.json": {"dataset_type": "val", "data": [read]},
    }


def _visual7w() -> dict[str, Any]:
    pair = {
        "qa_id": 431328,
        "image_id": 2354,
        "question": "What is on the table?",
        "answer": "A cup.",
        "type": "what",
        "multiple_choices": ["A hat.", "A dog.", "Nothing."],
    }
    image = {"image_id": 2354, "filename": "v7w_2354.jpg", "split": "val", "qa_pairs": [pair, pair | {"qa_id": 9}]}
    return {"dataset": "v7w_telling", "boxes": [], "images": [image, image | {"image_id": 8, "split": "train"}]}


def _visdial() -> dict[str, Any]:
    turn = {"question": 0, "answer": 1, "answer_options": [2, 1, 0], "gt_index": 1}
    talk = {"image_id": 185565, "caption": "a cup", "dialog": [turn, turn | {"question": 1, "answer": 0}]}
    texts = {"questions": ["is it red", "is it big"], "answers": ["yes", "no", "maybe"]}
    return {"version": "1.0", "split": "val", "data": texts | {"dialogs": [talk, talk | {"image_id": 7}]}}


def _swig() -> dict[str, Any]:
    man, road = "n10287213", "n03519981"
    seen = {
        "verb": "hitchhiking",
        "height": 683,
        "width": 512,
        "bb": {"place": [-1, -1, -1, -1], "agent": [195, 282, 380, 554]},
        "frames": [{"place": road, "agent": man}, {"place": road, "agent": man}, {"place": "", "agent": man}],
    }
    nouns = {man: {"gloss": ["man", "adult male"], "def": "a person"}, road: {"gloss": ["highway"], "def": "a road"}}
    verb = {"framenet": "Ride_vehicle", "abstract": "an AGENT rides", "def": "travel", "order": ["agent", "place"]}
    return {
        "SWiG_jsons/dev.json": {f"hitchhiking_{n}.jpg": seen for n in (238, 7)},
        "SWiG_jsons/imsitu_space.json": {"nouns": nouns, "verbs": {"hitchhiking": verb}},
    }


def _logical() -> dict[str, Any]:
    pairs = [{"question": "is there a cup?", "answer": "yes"}, {"question": "how many cups?", "answer": "1"}]
    return {"2354": [pairs, pairs[:1]], "7": [pairs]}


def _common_sense() -> dict[str, Any]:
    first, second = (f"val2014/COCO_val2014_{n:012}.jpg" for n in (543385, 7))
    pairs = [["is it sunny?", "yes"], ["are there shadows?", "yes"]]
    return {
        "CommonSense_ConVQA_consistent.json": {first: pairs, second: pairs},
        "highlevel_test_split.json": [first, second],
    }


def _rows(*, captions: bool = False) -> list[dict[str, Any]]:
    said = {"caption": "A cup.", "foil": "A hat."} if captions else {"question": "What is it?", "answer": "cup"}
    rows = [said | {"id": f"0{number}", "image": f"images/{number}.jpg", "split": "test"} for number in range(3)]
    return rows if captions else [row | {"choices": ["hat", "cup"], "type": "what"} for row in rows]


def _table(*, captions: bool = False) -> bytes:
    rows = [row | {"choices": "; ".join(row.get("choices", []))} for row in _rows(captions=captions)]
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    return "".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in lines).encode()


def _parquet(*, captions: bool = False) -> bytes:
    picture = {"bytes": _PNG, "path": "a.png"}
    rows = [row | {"image": picture, "answers": ["cup"] * 9 + ["mug"]} for row in _rows(captions=captions)]
    out = BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out)
    return out.getvalue()


def _own(kind: str) -> tuple[Sample, ...]:
    """Files that no data set prescribes, in each form."""
    about = {"captions": kind == "captions"}
    files = {
        "test.jsonl": _rows(**about),
        "test.json": {row["id"]: row for row in _rows(**about)},
        "test.csv": _table(**about),
    }
    return tuple(
        Sample(kind, "test", {name: one}, offered=False)
        for name, one in (files | {"test.parquet": _parquet(**about)}).items()
    )


def _hub(kind: str) -> Sample:
    """A folder with a card and two parts."""
    card = (
        "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: data/test-*\n---\n# A card\n"
    )
    one = _parquet(captions=kind == "captions")
    return Sample(kind, "test", {"README.md": card.encode(), "data/test-00000-of-00001.parquet": one}, offered=False)


_PNG = b"\x89PNG\r\n\x1a\n" + pack(">I4sII", 13, b"IHDR", 320, 240) + bytes(9)
_CLEVR_SCENES = {"scenes/CLEVR_val_scenes.json": _clevr_scenes(), "images/val/CLEVR_val_000007.png": _PNG}
_VQA2 = ("v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json")
_OKVQA = ("OpenEnded_mscoco_val2014_questions.json", "mscoco_val2014_annotations.json")
_VQA_CP = ("vqacp_v2_test_questions.json", "vqacp_v2_test_annotations.json")
_CAPTIONS = {
    f"annotations/captions_{folder}.json": _coco_captions(first)
    for first, folder in ((10, "train2014"), (0, "val2014"))
}
_CAPTIONS_VAL = {name: file for name, file in _CAPTIONS.items() if "val" in name}
_VQA2_TEST = {"v2_OpenEnded_mscoco_test2015_questions.json": {"questions": [_asked(1), _asked(2)]}}
_L_CONVQA = {"cleaned_Logical_ConVQA_test.json": _logical(), "image_data.json": _IMAGE_DATA}


def _carets() -> list[dict[str, Any]]:
    asked = {"attrs1": [], "obj1": "cat", "obj1_id": "7", "category1": "color", "category-options1": ["red", "tan"]}
    kind = "object_verification_template_1_attrs"
    return [
        {"img_id": image, "label": {label: 1.0}, "question_id": f"{image}-0-{number}{end}", "sent": text}
        | {"question_type": kind, "assignment": asked}
        for number, image in enumerate(("2394240", "n161313"))
        for end, label, text in (("", "yes", "Is there a cat?"), ("-n", "no", "Is there no cat?"))
    ]


def _valse() -> dict[str, Any]:
    votes = {"foil": 0, "caption": 3, "other": 0}
    no, some = "There are no people in the picture.", "There are people in the picture."
    about = {"dataset": "visual7w", "linguistic_phenomena": "existence", "mturk": votes}
    one = {"image_file": "v7w_1.jpg", "caption": no, "foil": some, "classes": 0, "classes_foil": [2, 1, 8]}
    other = {"image_file": "v7w_2.jpg", "caption": some, "foil": no, "classes": 1, "classes_foil": [0]}
    return {"existence_visual7w_1": about | one, "existence_visual7w_2": about | other}


SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "carets": (Sample("groups", "test", {"questions/object_verification_negation_test.json": _carets()}),),
    "clevr": (
        Sample("scenes", "val", _CLEVR_SCENES),
        Sample("questions", "val", {"questions/CLEVR_val_questions.json": _clevr_questions()}),
    ),
    "coco": (
        Sample("scenes", "val2017", {"annotations/instances_val2017.json": _coco_instances()}),
        Sample("captions", "val2017", {"annotations/captions_val2017.json": _coco_captions()}),
    ),
    "cs-convqa": (Sample("questions", "test", _common_sense()),),
    "foil": (Sample("captions", "test", {"foilv1.0_test_2017.json": _foil()}),),
    "gqa": (
        Sample("scenes", "val", {"val_sceneGraphs.json": _gqa_scenes()}),
        Sample("questions", "val", {"val_balanced_questions.json": _gqa_questions()}),
    ),
    "gqa-ood": (Sample("questions", "val_tail", {"data/ood_val_tail.json": _gqa_questions()}),),
    "hf": (_hub("questions"), _hub("captions"), _hub("groups")),
    "l-convqa": (Sample("questions", "test", _L_CONVQA),),
    "okvqa": (
        Sample("questions", "val", _vqa(*_OKVQA, 2971475, 3397615)),
        Sample("captions", "val", _CAPTIONS_VAL),
    ),
    "plain": (*_own("questions"), *_own("captions"), *_own("groups")),
    "swig": (Sample("frames", "dev", _swig()),),
    "textvqa": (Sample("questions", "val", _textvqa()),),
    "valse": (Sample("groups", "valid", {"existence.json": _valse()}),),
    "vg": (Sample("scenes", "all", _vg_graphs()), Sample("scenes", "all", _vg_three())),
    "visdial": (Sample("dialogues", "val", {"visdial_1.0_val.json": _visdial()}),),
    "visual7w": (Sample("questions", "val", {"dataset_v7w_telling.json": _visual7w()}),),
    "vqa-cp": (
        Sample("questions", "test", _vqa(*_VQA_CP, 9, 10, bare=True, coco_split="train2014")),
        Sample("captions", "test", _CAPTIONS),
    ),
    "vqa-rephrasings": (Sample("questions", "val", _rephrasings()), Sample("captions", "val", _CAPTIONS_VAL)),
    "vqa2": (
        Sample("questions", "val", _vqa(*_VQA2, 262148000, 262148001)),
        Sample("questions", "test", _VQA2_TEST, answers=False),
        Sample("captions", "val", _CAPTIONS_VAL),
    ),
}
"""The samples of each data set, one or more for each kind of value that it is read as."""
