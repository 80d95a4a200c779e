"""Models in people's own code, in every shape they may have."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, ModelError, PictureError, UnknownName
from counterpoint.core.groups import Answer, Mode, Query, State
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Answerer, Model, Pixels, Scale, Scorer

NAME = "people_s_own"
Find = Callable[..., Model]


class Gray:
    """Pictures of one gray; what is called broken cannot be read."""

    def pixels(self, picture: Picture) -> Pixels:
        if "broken" in picture.address:
            raise PictureError(f"{picture.address} cannot be read")
        return np.full((4, 5, 3), 200, np.uint8)


@pytest.fixture
def find(workdir: Path) -> Find:
    """Writes a module of somebody's own, and finds the model of a name in it."""

    def found(code: str, name: str, /, **settings: str) -> Model:
        sys.modules.pop(NAME, None)
        (workdir / f"{NAME}.py").write_text(code)
        for cached in workdir.glob("__pycache__/*"):
            cached.unlink()
        return catalog.model(f"{NAME}:{name}", Gray(), settings)

    return found


def said(model: Model, *texts: str, picture: str = "toy:a.png") -> list[Answer]:
    """What a model answers, in the order of the questions."""
    assert isinstance(model, Answerer)
    placed = model.answer([Query(Picture(picture), text) for text in texts])
    assert not hasattr(placed, "__aiter__")
    return [answer for _, answer in sorted(placed, key=lambda one: one[0])]


FUNCTIONS = """
def bright(picture, text):
    if "fail" in text:
        raise RuntimeError("no idea")
    return "Yes." if picture is None or picture.mean() > 127 else "No."

def truth(picture, text):
    return picture is not None

def nothing(picture, text):
    pass

def long(picture, text) -> float:
    if "fail" in text:
        raise RuntimeError("no idea")
    return float("nan") if "odd" in text else len(text)

bright.fingerprint = truth.fingerprint = nothing.fingerprint = long.fingerprint = "1"
"""


def test_a_function_is_shown_pixels_and_text_and_what_it_says_is_read(find: Find) -> None:
    model = find(FUNCTIONS, "bright")
    assert not isinstance(model, Scorer)
    (answer,) = said(model, "Is it bright?")
    assert (answer.raw, answer.value, answer.state) == ("Yes.", "yes", State.OK)
    (blind,) = dict(model.answer([Query(None, "Is it?")])).values()  # type: ignore[attr-defined]
    assert blind.value == "yes"


def test_what_a_function_raises_fails_that_query_alone(find: Find) -> None:
    first, second, third = said(find(FUNCTIONS, "bright"), "Is it?", "Does it fail?", "Is it?")
    assert (first.value, third.value) == ("yes", "yes")
    assert (second.state, second.reason) == (State.FAILED, "RuntimeError: no idea")
    (broken,) = said(find(FUNCTIONS, "bright"), "Is it?", picture="toy:broken.png")
    assert broken.reason == "toy:broken.png cannot be read"


def test_true_is_yes_and_nothing_is_no_answer(find: Find) -> None:
    assert said(find(FUNCTIONS, "truth"), "Is it?")[0].value == "yes"
    assert said(find(FUNCTIONS, "nothing"), "Is it?")[0].state is State.FAILED


def test_a_function_that_promises_a_number_scores(find: Find) -> None:
    model = find(FUNCTIONS, "long")
    assert isinstance(model, Scorer)
    assert not isinstance(model, Answerer)
    assert model.scale is Scale.SIMILARITY
    queries = [Query(None, text, Mode.SCORE) for text in ("A dog.", "It may fail.", "How odd.", "A cat")]
    np.testing.assert_array_equal(model.score(queries), np.array([6, np.nan, np.nan, 5], np.float32))
    reasons = [answer.reason for _, answer in model.stream_scores(queries)]  # type: ignore[attr-defined]
    assert reasons == ["", "RuntimeError: no idea", "the function returned nan as a score", ""]


CLASSES = """
import counterpoint as cp

class Says:
    def __init__(self, pictures, word="yes", times=1, *, loud: bool = False):
        self.pictures, self.word = pictures, word * times + "!" * loud

    def answer(self, queries):
        for place, query in enumerate(queries):
            yield place, cp.Answer.of(self.word)

class Named(Says):
    fingerprint = "named 1"

class Telling(Says):
    @property
    def fingerprint(self):
        return f"telling {self.word}"

class Alone:
    fingerprint = "alone"

    def __init__(self, word="no"):
        self.word = word

    def answer(self, queries):
        return ((place, cp.Answer.of(self.word)) for place in range(len(queries)))

def make(pictures, *, word: str = "yes"):
    return Named(pictures, word)

def bare():
    return Alone()

def shown(pictures=None):
    return Named(pictures)

ready = Alone("maybe")
"""


@pytest.mark.parametrize(
    ("name", "word"), [("Named", "yes"), ("Alone", "no"), ("make", "yes"), ("bare", "no"), ("ready", "maybe")]
)
def test_a_class_a_factory_and_an_object_are_models(find: Find, name: str, word: str) -> None:
    assert said(find(CLASSES, name), "Is it?")[0].value == word


@pytest.mark.parametrize("name", ["Named", "make", "shown"])
def test_what_takes_pictures_is_given_them(find: Find, name: str) -> None:
    assert isinstance(find(CLASSES, name).pictures, Gray)  # type: ignore[attr-defined]


def test_settings_reach_the_constructor_in_the_types_that_it_has(find: Find) -> None:
    assert said(find(CLASSES, "Named", word="no", times="2", loud="yes"), "Is it?")[0].value == "nono!"
    assert said(find(CLASSES, "make", word="no"), "Is it?")[0].value == "no"
    assert said(find(CLASSES, "Alone", word="so"), "Is it?")[0].value == "so"
    with pytest.raises(UnknownName, match="no setting of people_s_own:Named is called 'wrod'"):
        find(CLASSES, "Named", wrod="no")
    with pytest.raises(CounterpointError, match="times is 'two', not a whole number"):
        find(CLASSES, "Named", times="two")


def test_another_setting_is_another_fingerprint(find: Find) -> None:
    assert find(CLASSES, "Named").fingerprint == "named 1"
    assert find(CLASSES, "Named", word="no").fingerprint == "named 1 word=no"
    assert find(CLASSES, "make", word="no").fingerprint == "named 1 word=no"
    assert find(CLASSES, "Telling", word="no").fingerprint == "telling no"


@pytest.mark.parametrize("name", ["ready"])
def test_settings_that_nobody_takes_are_refused(find: Find, name: str) -> None:
    with pytest.raises(ModelError, match="takes no settings, and was given word"):
        find(CLASSES, name, word="no")
    with pytest.raises(ModelError, match="takes no settings"):
        find(FUNCTIONS, "bright", word="no")


def test_without_a_fingerprint_that_of_the_file_is_used(find: Find) -> None:
    plain = find(CLASSES, "Says").fingerprint
    assert plain.startswith("people_s_own:Says ")
    assert find(CLASSES, "Says").fingerprint == plain
    assert find(CLASSES.replace("yes", "oh"), "Says").fingerprint != plain
    assert find(CLASSES, "Says", word="no").fingerprint != plain


def test_a_fingerprint_from_a_file_is_logged_as_a_warning(find: Find, caplog: pytest.LogCaptureFixture) -> None:
    find(CLASSES, "Says")
    assert "people_s_own:Says has no fingerprint; its file is used" in caplog.text
    find("def plain(picture, text):\n    return 'yes'\n", "plain")
    assert "people_s_own:plain has no fingerprint" in caplog.text


ODD = """
from dataclasses import dataclass
from math import sqrt

number = 7

class Empty:
    fingerprint = "empty"

class Scoring:
    fingerprint = "scoring"

    def score(self, queries):
        return [0.5 for _ in queries]

class Method:
    def fingerprint(self):
        return "forgot that it is a property"

    def answer(self, queries):
        return []

@dataclass(frozen=True)
class Frozen:
    def answer(self, queries):
        return []

def three(one, two, three):
    return "yes"

def wrong(pictures):
    return "yes"

class Two:
    def __init__(self, pictures, needed):
        pass
"""


@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("number", "people_s_own:number gave int, which neither answers nor scores"),
        ("Empty", "gave Empty, which neither answers nor scores"),
        ("Scoring", "scores, and does not say what its numbers are"),
        ("Method", "has a fingerprint that is no text"),
        ("three", "has to be given 3 values"),
        ("Two", "has to be given 2 values"),
        ("wrong", "gave str, which neither answers nor scores"),
    ],
)
def test_what_is_no_model_is_told_what_it_lacks(find: Find, name: str, fact: str) -> None:
    with pytest.raises(ModelError, match=fact) as problem:
        find(ODD, name)
    assert problem.value.hint


def test_what_cannot_be_given_a_fingerprint_is_asked_for_one(find: Find) -> None:
    with pytest.raises(ModelError, match="cannot be given one"):
        find(ODD, "Frozen")


def test_what_is_not_there_is_said(find: Find) -> None:
    with pytest.raises(CounterpointError, match="people_s_own:absent cannot be loaded"):
        find(ODD, "absent")
    with pytest.raises(CounterpointError, match="nowhere_at_all:model cannot be loaded"):
        catalog.model("nowhere_at_all:model", Gray())
