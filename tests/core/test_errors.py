"""Errors help: an unknown name is answered with known ones."""

import pickle
import re

from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core import errors
from counterpoint.core.errors import CounterpointError, UnknownName


def test_a_near_name_is_offered() -> None:
    problem = UnknownName("model", "fuison", ["fusion", "cnn-lstm", "random"])
    assert str(problem) == "no model is called 'fuison'"
    assert problem.hint == "did you mean fusion?"


def test_where_nothing_is_near_some_names_are_listed_in_order() -> None:
    assert UnknownName("split", "xyz", ["test", "train"]).hint == "there are test, train"
    assert UnknownName("split", "xyz", [f"name{n}" for n in range(9)]).hint.endswith("name7…")
    assert UnknownName("suite", "xyz", []).hint == "there are none"


@given(st.text(), st.lists(st.text(min_size=1), unique=True))
def test_a_hint_names_only_what_is_known_and_the_name_is_kept(name: str, known: list[str]) -> None:
    problem = UnknownName("thing", name, known)
    assert problem.name == name
    assert problem.hint
    if problem.hint.startswith("did you mean"):
        assert any(one in problem.hint for one in known)


def test_the_tree_in_the_docstring_is_the_tree_of_classes() -> None:
    drawn = set(re.findall(r"[├└]── (\w+)", errors.__doc__ or ""))
    assert drawn == {one.__name__ for one in _below(CounterpointError) if one.__module__ == errors.__name__}


def _below(kind: type[Exception]) -> set[type[Exception]]:
    return {one for own in kind.__subclasses__() for one in (own, *_below(own))}


def test_an_error_survives_the_way_from_another_process() -> None:
    for problem in (CounterpointError("a fact", hint="a hint"), UnknownName("model", "fuison", ["fusion"])):
        back = pickle.loads(pickle.dumps(problem))
        assert (type(back), str(back), back.hint) == (type(problem), str(problem), problem.hint)
