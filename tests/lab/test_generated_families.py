"""Families of suites: each suite is what it would be alone, and one that cannot be made says why."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from proving import scaled

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.core.items import Caption, Question
from counterpoint.explorer.pages.suite import rejected_groups
from counterpoint.lab.generated_suites import GeneratedSuites
from counterpoint.lab.generation import PAPER, GenerateRequest, generate
from counterpoint.store.lab import LabStore
from counterpoint.suites.balanced_sampling import Quota
from counterpoint.world.source import World

BOXES = {
    "images": [{"id": n, "file_name": f"{n}.jpg", "width": 300, "height": 200} for n in range(1, 41)],
    "categories": [{"id": n, "name": name} for n, name in enumerate(("dog", "pizza", "kite", "bus", "cup", "bed"))],
    "annotations": [
        {"id": 10 * n + k, "image_id": n, "category_id": (n * step) % 6, "bbox": [10 * k, 10, 60, 60]}
        for n in range(1, 41)
        for k, step in enumerate((1, 2))
    ],
}
"""Boxes as COCO has them: names and places, no attributes, no relations."""
FRAMES = {
    f"{verb}_{number}.jpg": {
        "verb": verb,
        "height": 300,
        "width": 400,
        "bb": {"agent": [1, 1, 90, 200], "item": [100, 100, 140, 140], "place": [-1, -1, -1, -1]},
        "frames": [{"agent": "n1", "item": "n2", "place": "n3"}] * 3,
    }
    for number, verb in enumerate(("kicking", "throwing"))
}
SPACE = {
    "nouns": {key: {"gloss": [word]} for key, word in (("n1", "man"), ("n2", "ball"), ("n3", "park"))},
    "verbs": {verb: {"order": ["agent", "item", "place"]} for verb in ("kicking", "throwing")},
}
VALSE = catalog.find("families", "valse").suites

ITEMS = scaled(80, least=40)
"""Enough items of the world for most pieces of VALSE."""


def _generate(lab: Path, *suites: str, **request: Any) -> GeneratedSuites:
    return generate(LabStore(lab), GenerateRequest(suites, **request))


def _text(generated: GeneratedSuites) -> str:
    return generated.text()


def test_all_tests_of_carets_are_what_they_would_be_alone(tmp_path: Path) -> None:
    carets = _generate(tmp_path / "all", "carets", items=30, pairs=Quota(20, 12))
    _generate(tmp_path / "one", "rephrase", "negation", items=30, pairs=Quota(20, 12))
    for test in ("rephrase", "negation"):
        alone, together = (LabStore(tmp_path / lab).suite(test).manifest for lab in ("one", "all"))
        assert alone == together
    table = next(iter(carets.tables()))
    assert table.heads == ("kind", "rephrase", "order", "ontology", "visual", "negation", "antonym")
    assert [str(row[0]).split()[0] for row in table.rows] == [
        *("object", "conjunctive", "disjunctive", "attribute", "object", "attribute", "action", "groups")
    ]


def test_an_empty_cell_has_its_reason(tmp_path: Path) -> None:
    file = tmp_path / "instances_val2017.json"
    file.write_text(json.dumps(BOXES), "utf-8")
    text = _text(_generate(tmp_path / "lab", "carets", source="coco", data=file, split="val2017"))
    assert text.count("nothing for antonym: attribute verification: no attributes are annotated") == 1
    assert text.count("antonym:") == 1
    assert "action choice: nobody is annotated as doing anything" in text
    assert "nothing for visual: the suite visual needs the option means" in text
    assert "its 80 categories" in text
    assert set(LabStore(tmp_path / "lab").suites()) == {"rephrase", "order", "negation"}  # an animal is no category


def test_rejected_groups_are_in_the_manifest_and_on_the_page(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    rejected = _generate(lab.folder, "antonym", items=20, pairs=6)["antonym"].to_dict()["dropped"]
    assert lab.manifest("antonym").parameters["dropped"] == rejected
    page = rejected_groups(lab.manifest("antonym").parameters)
    assert {(row.kind, row.reason): row.groups for row in page} == {
        (kind, why): count for kind, reasons in rejected.items() for why, count in reasons.items()
    }
    assert page


def test_pairs_are_a_number_or_those_of_the_paper(tmp_path: Path) -> None:
    antonym = _generate(tmp_path / "lab", "antonym", items=60, pairs=6)["antonym"].to_dict()
    assert antonym["groups"] == 6
    assert antonym["kept"] == {"attribute verification": {"no": 3, "yes": 3}}
    _generate(tmp_path / "paper", "negation", items=10, pairs=PAPER)
    assert LabStore(tmp_path / "paper").manifest("negation").parameters["groups"] == {"binary": 10_000, "choice": 0}
    with pytest.raises(CounterpointError, match="no sizes for plain"):
        _generate(tmp_path / "lab", "plain", pairs=PAPER)
    with pytest.raises(CounterpointError, match="both"):
        _generate(tmp_path / "lab", "order", pairs=5, limit=5)


@pytest.mark.prove
def test_the_world_makes_all_pieces_of_valse(tmp_path: Path) -> None:
    pieces = _generate(tmp_path / "lab", "valse", items=80)
    assert tuple(suite.generator for suite in pieces) == VALSE
    assert all(suite.manifest and suite.manifest.groups == sum(suite.tests.values()) for suite in pieces)
    assert set(LabStore(tmp_path / "lab").suites()) == set(VALSE)


class Counting(World):
    """A world that counts how often each kind of item is read."""

    read: ClassVar = Counter[str]()

    def questions(self) -> Iterator[Question]:
        """Questions, counted when they are asked for."""
        self.read["questions"] += 1
        return super().questions()

    def described(self) -> Iterator[Caption]:
        """Captions with their scenes, likewise."""
        self.read["described"] += 1
        return super().described()


def test_what_several_suites_take_is_read_once_and_makes_what_each_makes_alone(tmp_path: Path) -> None:
    Counting.read.clear()
    pieces = _generate(tmp_path / "lab", "valse", source=f"{__name__}:Counting", items=ITEMS)
    assert Counting.read == {"questions": 1, "described": 1}
    for name in ("counting", "objects"):
        alone = _generate(tmp_path / "alone", name, source=f"{__name__}:Counting", items=ITEMS)
        assert alone[name].to_dict()["fingerprint"] == pieces[name].to_dict()["fingerprint"]


def test_a_source_of_frames_makes_actions_and_says_what_it_lacks(tmp_path: Path) -> None:
    folder = tmp_path / "SWiG_jsons"
    folder.mkdir()
    (folder / "test.json").write_text(json.dumps(FRAMES), "utf-8")
    (folder / "imsitu_space.json").write_text(json.dumps(SPACE), "utf-8")
    pieces = _generate(tmp_path / "lab", "valse", source="swig", data=tmp_path)
    assert "action-replacement" in pieces["actions"].tests
    text = _text(pieces)
    assert "nothing for existence, counting: SWiG has no questions" in text
    assert "nothing for coreference: SWiG has no dialogues" in text
    assert LabStore(tmp_path / "lab").suites() == ["actions"]


def test_a_source_of_which_nothing_can_be_made_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "SWiG_jsons"
    folder.mkdir()
    (folder / "test.json").write_text(json.dumps({"kicking_0.jpg": FRAMES["kicking_0.jpg"]}), "utf-8")
    (folder / "imsitu_space.json").write_text(json.dumps(SPACE), "utf-8")
    with pytest.raises(CounterpointError, match="no suite of valse can be made of swig") as caught:
        _generate(tmp_path / "lab", "valse", source="swig", data=tmp_path)
    assert "has no questions" in caught.value.hint


def test_a_suite_that_differs_is_not_replaced_unasked(tmp_path: Path) -> None:
    _generate(tmp_path / "lab", "valse", items=10)
    with pytest.raises(CounterpointError, match="existence"):
        _generate(tmp_path / "lab", "valse", items=12)


@pytest.mark.prove
def test_the_suites_of_beyond_accuracy_ask_the_same_questions(tmp_path: Path) -> None:
    lab, suites = LabStore(tmp_path / "lab"), catalog.find("families", "beyond-accuracy").suites
    _generate(lab.folder, "beyond-accuracy", items=12, limit=12, options={"variants": 3})
    _generate(
        lab.folder, "beyond-accuracy", items=12, limit=8, split="shifted", name="shifted", options={"variants": 3}
    )
    assert lab.suites() == sorted([*suites, *(f"shifted-{name}" for name in suites)])
    asked = _questions(lab, "plain")
    assert len(asked) == 12
    assert all(_questions(lab, name) <= asked for name in suites)
    assert lab.manifest("feature-noise").parameters["variants"] == 3
    assert "references" in lab.manifest("shifted-feature-noise").parameters
    assert lab.manifest("shifted-noise").parameters["split"] == "shifted"


def _questions(lab: LabStore, suite: str) -> set[str]:
    table = lab.suite(suite).table
    rows = zip(table["role"].to_pylist(), table["tags"].to_pylist(), strict=True)
    return {dict(tags)["question"] for role, tags in rows if role == 0}


def test_other_families_keep_their_names(tmp_path: Path) -> None:
    with pytest.raises(CounterpointError, match="the suites of carets keep their names"):
        _generate(tmp_path / "lab", "carets", name="x")
