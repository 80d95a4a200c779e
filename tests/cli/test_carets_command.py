import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from counterpoint.cli.generate import command
from counterpoint.core.errors import CounterpointError
from counterpoint.explorer.pages.suites import suite_view
from counterpoint.explorer.reading import Reading
from counterpoint.store.lab import LabStore

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


def _generate(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False)


def test_all_six_tests_are_made_at_once_each_as_if_it_were_made_alone(tmp_path: Path) -> None:
    done = _generate(str(tmp_path / "all"), "--suite", "carets", "--scenes", "30", "--pairs", "20+12")
    assert done.exit_code == 0, done.output
    for test in ("rephrase", "negation"):
        _generate(str(tmp_path / "one"), "--suite", test, "--scenes", "30", "--pairs", "20+12")
        alone, together = (LabStore(tmp_path / lab).suite(test).manifest for lab in ("one", "all"))
        assert alone == together
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["rephrase", "order", "ontology", "visual", "negation", "antonym"]
    assert [line.split()[0] for line in lines[1:8]] == [
        *("object", "conjunctive", "disjunctive", "attribute", "object", "attribute", "action")
    ]


def test_an_empty_cell_has_its_reason(tmp_path: Path) -> None:
    file = tmp_path / "instances_val2017.json"
    file.write_text(json.dumps(BOXES), "utf-8")
    done = _generate(
        *(str(tmp_path / "lab"), "--suite", "carets", "--source", "coco", "--data", str(file), "--split", "val2017")
    )
    assert done.exit_code == 0, done.output
    assert "nothing for antonym: attribute verification: no attributes are annotated" in done.stdout
    assert "action choice: nobody is annotated as doing anything" in done.stdout
    assert "nothing for visual: visual paints in the mean color" in done.stdout
    assert "its 80 categories" in done.stdout
    assert set(LabStore(tmp_path / "lab").suites()) == {"rephrase", "order", "ontology", "negation"}


def test_what_was_left_out_is_in_the_manifest_and_on_the_page(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    told = json.loads(
        _generate(str(lab.folder), "--suite", "antonym", "--scenes", "20", "--pairs", "6", "--json").stdout
    )
    assert lab.manifest("antonym").parameters["dropped"] == told["dropped"]
    page = suite_view(Reading(lab, tmp_path / "cache"), "antonym").dropped
    assert {(one.kind, one.reason): one.groups for one in page} == {
        (kind, why): count for kind, reasons in told["dropped"].items() for why, count in reasons.items()
    }
    assert page


def test_pairs_are_those_of_the_paper_or_a_number_or_two(tmp_path: Path) -> None:
    said = json.loads(_generate(str(tmp_path / "lab"), "--suite", "antonym", "--pairs", "6", "--json").stdout)
    assert said["groups"] == 6
    assert said["kept"] == {"attribute verification": {"no": 3, "yes": 3}}
    paper = _generate(str(tmp_path / "paper"), "--suite", "negation", "--scenes", "10", "--pairs", "paper")
    assert paper.exit_code == 0
    assert LabStore(tmp_path / "paper").suite("negation").manifest.parameters["groups"] == {
        "binary": 10_000,
        "choice": 0,
    }
    assert "500+300" in _generate(str(tmp_path / "lab"), "--suite", "order", "--pairs", "many").output
    with pytest.raises(CounterpointError, match="no sizes for plain"):
        _generate(str(tmp_path / "lab"), "--suite", "plain", "--pairs", "paper")
    with pytest.raises(CounterpointError, match="both"):
        _generate(str(tmp_path / "lab"), "--suite", "order", "--pairs", "5", "--groups", "5")
