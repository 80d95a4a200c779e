"""Suites from boxes and captions in COCO's layout: questions that templates make, what the manifest says, and noise."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from proving import sample

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.core.pictures import Picture, Size
from counterpoint.core.scenes import Scene
from counterpoint.lab.generated_suites import GeneratedSuites
from counterpoint.lab.generation import GenerateRequest, generate
from counterpoint.store.lab import LabStore
from counterpoint.world.source import World

NAMES = ("person", "hard_hat", "forklift", "dog", "kite")
WITHOUT = {
    "dialogues": ("coreference", "coreference-with-scenes", "rad-dialogues", "rad-open-dialogues"),
    "frames": ("actions", "actions-unpaired"),
    "groups": ("groups", "released"),
}
"""What a file of boxes has not, and the suites that are made of it."""
ATTRIBUTES = ("antonym", "antonym-colors", "antonym-sex")
"""Suites about how things look, which boxes do not say."""
UNPROVED = ("ontology",)
"""What is no category, such as an animal, is never said to be absent."""
PARAPHRASED = ("rad-back-translations", "rad-cs-convqa", "rad-l-convqa", "rad-rephrasings")
"""Suites of several questions that people asked with the same sense."""
TOLD = ("objects", "plurality", "relations")
"""Suites of captions."""


def _boxes(folder: Path, pictures: int = 18) -> Path:
    """A file of boxes in a grid of cells, so that most of them are apart."""
    rng, rows = Random(1), list[dict[str, Any]]()
    for image in range(1, pictures + 1):
        cells = rng.sample([(x, y) for x in range(4) for y in range(3)], 12)
        for category in range(1, len(NAMES) + 1):
            for _ in range(rng.choice((0, 0, 1, 1, 1, 2))):
                x, y = cells.pop()
                box = [160 * x + 20, 160 * y + 20, rng.randrange(60, 120), rng.randrange(60, 120)]
                rows.append(
                    {"id": len(rows) + 1, "image_id": image, "category_id": category, "bbox": box, "iscrowd": 0}
                )
    _write(folder, "instances_mine.json", pictures, annotations=rows)
    return folder / "instances_mine.json"


def _write(folder: Path, name: str, pictures: int, **content: Any) -> None:
    images = [{"id": n, "file_name": f"{n}.jpg", "width": 640, "height": 480} for n in range(1, pictures + 1)]
    categories = [{"id": n, "name": name} for n, name in enumerate(NAMES, 1)]
    parts = {"images": images, "categories": categories} if "instances" in name else {"images": images}
    (folder / name).write_text(json.dumps(parts | content))


def _captions(folder: Path, texts: list[str]) -> Path:
    rows = [{"id": n, "image_id": n, "caption": text} for n, text in enumerate(texts, 1)]
    _write(folder, "captions_mine.json", len(texts), annotations=rows)
    return folder / "captions_mine.json"


def _generate(lab: Path, *suites: str, data: Path, **request: Any) -> GeneratedSuites:
    return generate(LabStore(lab), GenerateRequest(suites, source="coco", data=data, **request))


@pytest.mark.parametrize("name", sample(catalog.TABLES["suites"], 15))
def test_every_suite_that_boxes_can_serve_is_made_of_a_file_of_ones_own(name: str, tmp_path: Path) -> None:
    lacks = {suite: kind for kind, suites in WITHOUT.items() for suite in suites} | dict.fromkeys(TOLD, "captions")
    options = {"means": (100, 110, 120)} if name == "visual" else {}
    data = _boxes(tmp_path)
    if name in lacks:
        with pytest.raises(CounterpointError, match=f"has no {lacks[name]}"):
            _generate(tmp_path / "lab", name, data=data, options=options)
    elif name in (*ATTRIBUTES, *UNPROVED, *PARAPHRASED, "sears"):
        with pytest.raises(CounterpointError, match="made nothing of"):
            _generate(tmp_path / "lab", name, data=data, options=options)
    else:
        made = _generate(tmp_path / "lab", name, data=data, options=options)
        assert made.groups > 0
        is_asked = catalog.find("suites", name).takes in ("questions", "grounded")
        assert ("questions_made" in LabStore(tmp_path / "lab").manifest(name).parameters) is is_asked


def test_the_manifest_and_the_command_say_that_questions_were_made(tmp_path: Path) -> None:
    made = _generate(tmp_path / "lab", "plain", "contrast", data=_boxes(tmp_path))
    entry = LabStore(tmp_path / "lab").manifest("contrast").parameters["questions_made"]
    assert entry["scenes"] == 18
    asked = sum(sum(answers.values()) for answers in entry["made"].values())
    assert asked == LabStore(tmp_path / "lab").manifest("plain").groups
    assert "nothing plausible is surely absent" in entry["rejected"]["exist"]
    (note,) = [note for note in made.notes() if "templates" in note]
    assert note.startswith(f"{asked} questions made by templates from 18 scenes, since the source has none: count ")
    assert not any("templates" in line for line in _generate(tmp_path / "lab", "order", data=tmp_path).notes())


def test_one_seed_makes_one_suite_of_boxes(tmp_path: Path) -> None:
    data = _boxes(tmp_path)
    one, two, other = (
        _generate(tmp_path / str(n), "contrast", data=data, seed=seed)["contrast"].manifest
        for n, seed in enumerate((3, 3, 4))
    )
    assert one == two
    assert one is not None
    assert other is not None
    assert one.fingerprint != other.fingerprint


def test_a_scene_source_of_ones_own_gets_questions_too(tmp_path: Path) -> None:
    request = GenerateRequest(("counting", "existence"), source=f"{__name__}:Scenes", items=9)
    with pytest.raises(CounterpointError, match="counting made nothing of"):
        generate(LabStore(tmp_path / "lab"), request)  # nothing is counted that is not annotated exhaustively
    made = generate(LabStore(tmp_path / "lab"), GenerateRequest(("contrast",), source=f"{__name__}:Scenes", items=9))
    assert made.groups > 0


class Scenes:
    """Scenes of the world, and nothing else."""

    def __init__(self, split: str, items: int) -> None:
        self._world = World(split, items)

    def scenes(self) -> Iterator[Scene]:
        """The scenes of the world."""
        return self._world.scenes()


def test_captions_beside_the_boxes_veto_absence_in_every_suite(tmp_path: Path) -> None:
    data = _boxes(tmp_path)
    plain = _generate(tmp_path / "plain", "negation", data=data)
    _captions(tmp_path, ["The driver of a forklift in a helmet, a dog and a kite."] * 18)
    told = _generate(tmp_path / "told", "negation", data=data)
    reason = "candidate rejected: a caption names it, something of its kind, or a part of it"
    assert not any(reason in reasons for reasons in plain["negation"].tally.reasons.values())
    assert told["negation"].tally.reasons["object verification"][reason] > 0
    table = LabStore(tmp_path / "told").suite("negation").table
    base = [row for row in table.to_pylist() if row["role"] == 0 and row["kind"] == "object verification"]
    denied = [row["proof"] for row in base if row["gold"][0]["answer"] == "no"]
    assert all("annotated, nor" not in proof for proof in denied)


@pytest.mark.parametrize("suite", ["noise", "pictures-changed"])
def test_noise_is_made_of_boxes_of_captions_alone_and_of_captions_that_are_named(suite: str, tmp_path: Path) -> None:
    texts = [f"A {name} stands on the {place}." for name in ("dog", "cat", "cow") for place in ("road", "beach")]
    folders = [tmp_path / name for name in ("alone", "both")]
    for folder in folders:
        folder.mkdir()
        _captions(folder, texts * 4)
    _boxes(folders[1])
    relations = {
        data: LabStore(tmp_path / "lab").suite(_generate(tmp_path / "lab", suite, data=data, name=str(n))[str(n)].name)
        for n, data in enumerate((folders[0], folders[1], folders[1] / "captions_mine.json"))
    }
    assert [set(stored.table["relation"].to_pylist()) for stored in relations.values()] == [
        {"ranks"},
        {"same"},
        {"ranks"},
    ]


def test_a_scene_with_categories_asks_for_no_other_name() -> None:
    scene = Scene("1", Picture("a:1.png"), Size(10, 10), categories=frozenset({"dog"}))
    assert scene.content_id != Scene("1", Picture("a:1.png"), Size(10, 10)).content_id
