"""Names and what they mean: every name has a sense, and kinds hold together."""

import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.errors import UnknownName
from counterpoint.language.english import a, plural
from counterpoint.language.lexicon.senses import (
    KindIndex,
    curated_names,
    hypernym_names,
    hypernyms,
    is_a,
    resolve_name,
    sense_of,
    synonyms,
)
from counterpoint.language.lexicon.word_lists import split_list

ROOT = Path(__file__).parents[3]
REAL = Path(os.environ.get("COUNTERPOINT_REAL_DATA", ROOT.parent / "shared" / "data"))
WORLD = ROOT / "src" / "counterpoint" / "world" / "kinds.toml"
ALL = [*curated_names(), *hypernyms()]


def test_every_curated_name_resolves_to_a_noun() -> None:
    assert all(resolve_name(name).sense.pos == "n" for name in curated_names())


def test_every_name_of_gqa_has_a_curated_sense() -> None:
    path = REAL / "ontology" / "graphvqa" / "name_gqa.txt"
    if not path.exists():
        pytest.skip(f"the names of GQA are not at {path}; set COUNTERPOINT_REAL_DATA to the folder that holds them")
    known = {form for name in curated_names() for form in (name, plural(name))}
    assert set(path.read_text("utf-8").split("\n")) - known - {"", "<unk>"} == set()


def test_every_kind_of_the_world_has_a_sense_and_a_general_name() -> None:
    families = tomllib.loads(WORLD.read_text("utf-8"))
    held = [name for family, rows in families.items() if family != "palettes" for name in rows]
    assert [name for name in held if not hypernym_names(name)] == []


MEANT = """
tie: clothing, orange: fruit, glass: tableware, mouse: electronic device, rat: animal, seal: animal,
hot dog: food, chicken: bird, girl: child, kite: toy, squash: vegetable, television: electronic device,
shorts: clothing, balloon: toy
"""


@pytest.mark.parametrize("pair", split_list(MEANT))
def test_names_mean_what_photographs_show(pair: str) -> None:
    name, kind = pair.split(": ")
    assert kind in hypernym_names(name)


def test_bats_hit_balls_and_cranes_lift() -> None:
    assert [sense_of(name).name for name in ("bat", "crane", "trunk")] == ["bat.n.05", "crane.n.04", "trunk.n.01"]


def test_plural_names_mean_what_their_singulars_mean() -> None:
    assert sense_of("trees") == sense_of("tree")
    assert sense_of("people") == sense_of("person")
    assert sense_of("glasses") != sense_of("glass")


def test_a_dog_is_an_animal_and_no_vehicle() -> None:
    assert all(is_a(*pair) for pair in [("dog", "animal"), ("puppies", "dogs"), ("fruit", "food")])
    assert not any(is_a(*pair) for pair in [("animal", "dog"), ("dog", "vehicle")])


def test_a_name_that_is_only_a_kind_of_its_sense_covers_nothing_but_itself() -> None:
    assert all(is_a(*pair) for pair in [("stop sign", "street sign"), ("toy car", "toy")])
    assert not any(is_a(*pair) for pair in [("street sign", "stop sign"), ("teddy bear", "toy car")])
    assert synonyms("stop sign") == ()


@given(st.sampled_from(ALL), st.sampled_from(ALL), st.sampled_from(ALL))
def test_being_a_kind_is_reflexive_and_transitive(one: str, two: str, three: str) -> None:
    assert is_a(one, one)
    assert is_a(one, three) or not (is_a(one, two) and is_a(two, three))


def test_kinds_are_found_by_an_index_as_by_trying_each() -> None:
    kinds = sorted({*hypernyms(), "dog", "stop sign", "glasses"})
    index, names = KindIndex(kinds), sorted(curated_names())[::20]
    found = {name: index.of(name) for name in (*names, "dogs", "stop signs")}
    assert found == {name: {kind for kind in kinds if is_a(name, kind)} for name in found}
    assert any(found.values())


def test_being_a_kind_is_transitive_through_every_general_name() -> None:
    above = {kind: [more for more in hypernyms() if is_a(kind, more)] for kind in hypernyms()}
    broken = [
        (name, kind, more)
        for name in ALL
        for kind in hypernyms()
        if is_a(name, kind)
        for more in above[kind]
        if not is_a(name, more)
    ]
    assert broken == []


def test_sure_kinds_are_kinds_and_never_the_name_itself() -> None:
    for name in ALL:
        assert all(is_a(name, kind) for kind in hypernym_names(name))
        assert not {name, *synonyms(name)} & set(hypernym_names(name))


def test_general_names_are_fit_for_a_question() -> None:
    assert {"entity", "whole", "artifact", "instrumentality", "matter"} & set(hypernyms()) == set()
    assert all(len(a(kind)) > len(kind) for kind in hypernyms())
    assert hypernym_names("poodle") == ("dog", "mammal", "animal")
    assert hypernym_names("strawberry") == ("berry", "fruit", "food")


def test_hyponyms_have_their_hypernym() -> None:
    assert all("mammal" in hypernym_names(name) for name in ("dog", "poodle", "whale"))
    assert "mammal" not in hypernym_names("sparrow")


def test_what_people_dispute_is_possible_and_not_sure() -> None:
    for name, kind in [("tomato", "fruit"), ("skateboard", "vehicle"), ("juice", "food")]:
        assert is_a(name, kind)
        assert kind not in hypernym_names(name)


def test_synonyms_share_a_sense() -> None:
    assert synonyms("couch") == ("sofa",)
    assert all(sense_of(name) == sense_of(other) for name in curated_names() for other in synonyms(name))


def test_other_names_take_the_sense_of_their_last_words() -> None:
    found = {"violin": "musical instrument", "ugly green couch": "furniture", "swift": "bird"}
    assert [name for name, kind in found.items() if not is_a(name, kind)] == []
    with pytest.raises(UnknownName, match="no object is called 'qwzx'"):
        sense_of("qwzx")
