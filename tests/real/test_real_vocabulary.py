"""The vocabulary of GQA: every name has a sense, every attribute a class, every part its whole."""

import json
from pathlib import Path
from typing import Any

import pytest
from real_data import real

from counterpoint.language.english import a, be, is_countable, is_plural, plural
from counterpoint.language.lexicon.attributes import action_of, class_of
from counterpoint.language.lexicon.senses import curated_names, hypernyms
from counterpoint.scenes.ambiguity import may_be
from counterpoint.scenes.names import can_be_asked, may_show

# "on" and "in" tell mostly of places (a car on a street), "wearing" of what is annotated where it is worn.
OF_A_WHOLE = ("has", "with")


@pytest.fixture
def ontology() -> Path:
    return real("ontology/graphvqa")


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").splitlines() if line and line != "<unk>"]


def test_every_name_has_a_curated_sense(ontology: Path) -> None:
    told = [*_lines(ontology / "name_gqa.txt"), *json.loads((ontology / "objects.json").read_text("utf-8"))]
    known = {form for name in (*curated_names(), *hypernyms()) for form in (name, plural(name))}
    assert len(told) > 2000
    assert [name for name in told if name not in known] == []


def test_every_name_agrees_with_its_article(ontology: Path) -> None:
    for name in _lines(ontology / "name_gqa.txt"):
        assert a(name).split()[0] in (("some",) if is_plural(name) or not is_countable(name) else ("a", "an")), name
        assert be(name) == ("are" if is_plural(name) else "is")


def test_every_attribute_has_a_class(ontology: Path) -> None:
    assert [value for value in _lines(ontology / "attr_gqa.txt") if class_of(value) is None] == []
    told = json.loads((ontology / "attributes.json").read_text("utf-8"))
    assert [value for value in told if class_of(value) is None] == []


def test_every_relation_that_begins_with_an_action_tells_it(ontology: Path) -> None:
    relations = _lines(ontology / "rel_gqa.txt")
    done = [relation for relation in relations if relation.split()[0].endswith("ing")]
    untold = [relation for relation in done if action_of(relation) is None]
    assert untold == [
        "coming from",
        "going down",
        "coming out of",
        "going into",
        "coming down",
        "trying to catch",
        "going through",
        "blowing out",
    ]


def test_everything_annotated_as_a_part_of_a_thing_could_be_seen_on_it_unannotated() -> None:
    graphs = json.loads((real("gqa") / "sceneGraphs_18.json").read_text("utf-8"))
    pairs = {pair for graph in graphs.values() for pair in _parts(graph["objects"])}
    assert len(pairs) > 5
    assert [pair for pair in sorted(pairs) if not _is_expected(*pair)] == []


def _parts(objects: dict[str, dict[str, Any]]) -> list[tuple[str, str]]:
    """Whole and part, for each relation that says so."""
    links = [
        (one["name"], link["name"], objects[link["object"]]["name"])
        for one in objects.values()
        for link in one["relations"]
    ]
    return [(there, here) for here, how, there in links if how == "of"] + [
        (here, there) for here, how, there in links if how in OF_A_WHOLE
    ]


def _is_expected(whole: str, part: str) -> bool:
    return may_show(whole, part) or may_be(whole, part) or not can_be_asked(part)
