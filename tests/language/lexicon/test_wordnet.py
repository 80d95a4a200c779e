"""The lexicon: WordNet's facts, read from our table."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.errors import UnknownName
from counterpoint.language.lexicon.senses import curated_names, sense_of
from counterpoint.language.lexicon.word_lists import DATA
from counterpoint.language.lexicon.wordnet import Lexicon, Sense, lexicon

senses = st.deferred(lambda: st.sampled_from([sense_of(name) for name in curated_names()]))


def test_facts_are_those_of_wordnet() -> None:
    book = lexicon()
    dog = book.sense("dog.n.01")
    assert dog == Sense("dog.n.01", 2084071)
    assert [sense.name for sense in book.hypernyms(dog)] == ["canine.n.02", "domestic_animal.n.01"]
    assert book.sense("poodle.n.01") in book.hyponyms(dog)
    assert [sense.name for sense in book.hypernym_path(book.sense("ride.v.01"))] == ["ride.v.01", "travel.v.01"]
    assert book.sense("eiffel_tower.n.01") in book.hyponyms(book.sense("tower.n.01"))
    assert [word for word in ("closed", "shut") if word in book.antonyms("open")] == ["closed", "shut"]
    assert book.antonyms("slowly", "r") == ("quickly",)


def test_a_car_has_a_bumper_and_no_wings() -> None:
    book = lexicon()
    car = book.sense("car.n.01")
    assert book.sense("bumper.n.02") in book.parts(car)
    assert book.sense("wing.n.02") not in book.parts(car)


@given(senses)
def test_every_path_of_a_noun_ends_at_entity(sense: Sense) -> None:
    path = lexicon().hypernym_path(sense)
    assert path[0] == sense
    assert path[-1].name == "entity.n.01"
    assert all(lexicon().is_kind_of(sense, above) for above in path)


@given(senses)
def test_hyponyms_turn_hypernyms_around(sense: Sense) -> None:
    book = lexicon()
    assert all(sense in book.hyponyms(above) for above in book.hypernyms(sense))
    assert all(sense in book.hypernyms(below) for below in book.hyponyms(sense))
    assert sense not in book.ancestors(sense)


@given(senses)
def test_a_sense_is_found_by_its_name_and_by_each_of_its_words(sense: Sense) -> None:
    book = lexicon()
    assert book.sense(sense.name) == sense
    assert book.lemmas(sense)[0] == sense.word
    assert all(sense in book.senses(word) for word in book.lemmas(sense))


@given(st.text(max_size=12), st.sampled_from("nvar"))
def test_any_word_may_be_asked_for(word: str, pos: str) -> None:
    for sense in lexicon().senses(word, pos):
        assert sense.pos == pos
    assert all(lexicon().senses(base, pos) for base in lexicon().base_forms(word, pos))


@pytest.mark.parametrize("name", ["dog.n.99", "dgo.n.01", "dog.x.01", "dog", "", "dog.n.zero"])
def test_an_unknown_sense_is_answered_with_near_ones(name: str) -> None:
    with pytest.raises(UnknownName) as caught:
        lexicon().sense(name)
    assert repr(name) in str(caught.value)
    assert caught.value.hint


def test_satellite_adjectives_are_adjectives() -> None:
    assert lexicon().sense("gigantic.s.01") == lexicon().sense("gigantic.a.01")


def _opened_by(code: str) -> set[str]:
    """The files of the language room that a fresh interpreter opens, and whether numpy was loaded."""
    watch = (
        "import sys\n"
        "seen = set()\n"
        "def note(event, found):\n"
        "    path = str(found[0]) if event == 'open' else ''\n"
        "    if 'language/lexicon/data' in path: seen.add(path.split('/')[-1])\n"
        "sys.addaudithook(note)\n"
        f"{code}\n"
        "print(*sorted(seen), *(['numpy'] if 'numpy' in sys.modules else []))"
    )
    done = subprocess.run([sys.executable, "-c", watch], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_opens_nothing() -> None:
    assert _opened_by("import counterpoint.language.english, counterpoint.language.lexicon.attributes") == set()
    assert _opened_by("import counterpoint.language.lexicon.wordnet, counterpoint.language.lexicon.senses") == {"numpy"}


def test_english_opens_its_word_lists_and_never_the_table() -> None:
    english = "from counterpoint.language.english import a, gerund; a('dog'); gerund('ride')"
    assert _opened_by(english) == {"nouns.toml", "verbs.toml"}


def test_columns_are_loaded_on_first_use_without_an_open_file(tmp_path: Path) -> None:
    copy = tmp_path / "wordnet.npz"
    copy.write_bytes((DATA / "wordnet.npz").read_bytes())
    book = Lexicon(copy)
    copy.write_bytes(b"")  # forked processes that read one open file at once would share its position
    assert book.parts(book.sense("car.n.01")) == lexicon().parts(lexicon().sense("car.n.01"))
