"""Translation there and back: what comes back unchanged is counted, and what cannot be had is said."""

import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from counterpoint.core.errors import CounterpointError, ModelError, UnknownName
from counterpoint.models.text.translation import Apertium, back_translate, open_translator

ODD = (
    "What is hanging on the wall?",
    "Is the grzlbrt brown?",
    "What color is the dog?",
    "Is it [a] {dog} or 50% of a cat & <b>?",
    "",
    "Is the\tdog ^big$ @home?/no\\yes",
)
"""Questions with words that the program does not know or cannot inflect, and with signs that mean something to it."""


class Told:
    """A translator that knows some texts, and leaves the others as they are."""

    def __init__(self, known: dict[str, str]) -> None:
        self._known = known

    def translate(self, texts: Sequence[str]) -> list[str]:
        return [self._known.get(text, text) for text in texts]


def test_texts_that_come_back_unchanged_empty_or_with_unknown_words_are_counted() -> None:
    there = Told(
        {"Is it a dog?": "¿Es un perro?", "Is it big?": "¿Es grande?", "Is it Wii?": "¿Es *Wii?", "Walls?": "¿Muros?"}
    )
    back = Told(
        {
            "¿Es un perro?": "Is that a dog?",
            "¿Es grande?": "is it big",
            "¿Es *Wii?": "Is it *Wii?",
            "Eh?": " ",
            "¿Muros?": "#Wall?",
        }
    )
    asked = [("1", "Is it a dog?"), ("2", "Is it big?"), ("3", "Is it Wii?"), ("4", "Eh?"), ("5", "Walls?")]
    losses = Counter[str]()
    assert list(back_translate(asked, there, back, losses)) == [("1", "Is that a dog?")]
    assert losses == {"unchanged": 1, "a word is not known to the translator": 2, "nothing came back": 1}


def test_a_way_of_translating_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownName):
        open_translator("deepl/en-de")


def test_without_apertium_it_is_said_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not on the path"):
        Apertium("eng-spa", str(tmp_path / "apertium"))


def _program(folder: Path, lines: str) -> None:
    path = folder / "apertium"
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(0o755)


def test_the_program_is_given_a_line_a_text_and_gives_one_back(tmp_path: Path) -> None:
    _program(tmp_path, 'tr "a-z" "A-Z"; echo "$1" > "$0.pair"')
    assert Apertium("eng-spa", str(tmp_path / "apertium")).translate(["one\ntwo", "three"]) == ["ONE TWO", "THREE"]
    assert (tmp_path / "apertium.pair").read_text() == "eng-spa\n"


def test_a_program_that_fails_is_one_sentence(tmp_path: Path) -> None:
    _program(tmp_path, "echo 'Error: Mode eng-xxx does not exist' >&2; exit 1")
    with pytest.raises(CounterpointError, match="eng-xxx does not exist"):
        Apertium("eng-xxx", str(tmp_path / "apertium")).translate(["one"])


@pytest.mark.skipif(shutil.which("apertium") is None, reason="the program apertium is not on the path")
def test_real_translations_there_and_back_are_other_words() -> None:
    losses = Counter[str]()
    asked = [("1", "What color is the little dog that is in front of the house?")]
    there, back = open_translator("apertium/eng-spa"), open_translator("apertium/spa-eng")
    assert len(list(back_translate(asked, there, back, losses))) + losses.total() == 1


@pytest.mark.skipif(shutil.which("apertium") is None, reason="the program apertium is not on the path")
def test_real_translations_have_a_line_for_every_question_and_no_marks() -> None:
    asked = [(str(n), text) for n, text in enumerate(ODD)]
    losses = Counter[str]()
    made = dict(back_translate(asked, open_translator("apertium/eng-spa"), open_translator("apertium/spa-eng"), losses))
    assert len(made) + losses.total() == len(ODD)
    assert not [text for text in made.values() if "*" in text or "#" in text]
    assert losses["a word is not known to the translator"] >= 2
    with pytest.raises(ModelError, match="eng-xyz does not exist"):
        open_translator("apertium/eng-xyz").translate(["one"])
